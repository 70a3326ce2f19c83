"""Jaws that a falling ball met between its last sightings and its fall: its last leg, replayed into the pocket."""

import math

import numpy as np

from scoring.balls import Ball
from scoring.events import CushionHit
from scoring.table import Pocket, Point
from vision.motion import Bounce, Impact, Replay, State, replay
from vision.surroundings import Surroundings, beyond_mouth_mm
from vision.witness.ends import End
from vision.witness.kinks import Story
from vision.witness.legs import Array, Leg

_DRAWS = 60
_AFTER_FALL_S = 0.06
_JUST_AFTER_S = 2e-3
_FALL_SIGMA_S = 0.012
_NO_FALL = 60.0  # squared error of a replay that does not end in the pocket
_CAP = 30.0
_BEFORE_MOUTH_MM = 5.0
_CONFIDENCE = 0.5


def unseen_jaws(
    story: Story, end: End, ball: Ball, around: Surroundings, *, known_s: float, frame_s: float
) -> list[CushionHit]:
    """The jaws met after `known_s`, when the last thing happened to the ball that is told already."""
    legs = [leg for leg in story.legs if leg.kind == "move" and leg.last - leg.first >= 2]
    if not legs or end.pocket is None:
        return []
    leg = legs[-1]
    entered_s = _entered_s(story, end.pocket, around)
    start_s = max(min(leg.to_s - frame_s, entered_s), leg.from_s, known_s + _JUST_AFTER_S)
    generator = np.random.default_rng(story.legs[-1].last)
    best: tuple[float, Replay] | None = None
    for k in range(_DRAWS):
        offset = generator.standard_normal(4) if k else np.zeros(4)
        cushion, grip = generator.uniform((0.5, 0.6), (0.9, 1.0))
        bounce = Bounce(cushion=float(cushion), grip=float(grip)) if k else Bounce()
        run = replay([_moved(leg, start_s, offset)], end.t_s - start_s + _AFTER_FALL_S, around, bounce)
        error = _error(run, story, end, start_s) + float(offset @ offset)
        if best is None or error < best[0]:
            best = error, run
    assert best is not None
    run = best[1]
    return [_told(run, impact, ball, start_s) for impact in _before_fall(run) if impact.pocket is not None]


def _entered_s(story: Story, pocket: Pocket, around: Surroundings) -> float:
    """When the ball was seen between the jaws first, on its last way there; touches in there leave no kinks."""
    entered_s = math.inf
    for t_s, (x_mm, y_mm) in zip(story.samples.t_s[::-1], story.samples.xy_mm[::-1], strict=True):
        if beyond_mouth_mm(around.table, pocket, Point(float(x_mm), float(y_mm))) < -_BEFORE_MOUTH_MM:
            break
        entered_s = float(t_s)
    return entered_s


def _moved(leg: Leg, t_s: float, offset: Array) -> State:
    """The ball's state on a leg, so many standard errors away from the best guess."""
    state, place, speed = leg.state(t_s), leg.sigma_place_mm(t_s) + 0.3, leg.sigma_velocity_mm_s(t_s)
    return State(
        state.x_mm + place * offset[0],
        state.y_mm + place * offset[1],
        state.vx_mm_s + speed * offset[2],
        state.vy_mm_s + speed * offset[3],
    )


def _error(run: Replay, story: Story, end: End, start_s: float) -> float:
    """The squared distance between a replay and what was seen after it began: places, and the fall."""
    fall = next((impact for impact in run.impacts if impact.cushion is None), None)
    if fall is None or fall.pocket is not end.pocket:
        error = _NO_FALL
    else:
        error = min(((start_s + fall.t_s - end.t_s) / _FALL_SIGMA_S) ** 2, _CAP)
    samples = story.samples
    for t_s, (x_mm, y_mm), sigma in zip(samples.t_s, samples.xy_mm, samples.sigma_mm, strict=True):
        if start_s < t_s < end.t_s:
            here = run.state_at(0, float(t_s) - start_s)
            error += min(math.dist((here.x_mm, here.y_mm), (x_mm, y_mm)) ** 2 / (4.0 + sigma**2), _CAP)
    return error


def _before_fall(run: Replay) -> list[Impact]:
    impacts: list[Impact] = []
    for impact in run.impacts:
        if impact.cushion is None:
            break
        impacts.append(impact)
    return impacts


def _told(run: Replay, impact: Impact, ball: Ball, start_s: float) -> CushionHit:
    here = run.state_at(0, impact.t_s)
    assert impact.cushion is not None
    return CushionHit(
        t_s=float(start_s + impact.t_s),
        ball=ball,
        cushion=impact.cushion,
        pocket=impact.pocket,
        at=Point(float(here.x_mm), float(here.y_mm)),
        confidence=_CONFIDENCE,
    )
