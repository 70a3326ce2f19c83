"""Touches so soft that the other ball hardly left its place: how likely they are, as such a shift alone shows none.

A resting ball that is measured anew, because something came near it, may seem to shift by as much as its places err.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from scoring.table import Point
from vision.motion import ROLLING_MM_S2
from vision.witness.causes import Explanation, Happening
from vision.witness.kinks import Kink, Story, is_nudge
from vision.witness.legs import Array, Leg

_SHOWS_LATE_S = 0.15  # so long after a soft touch its shift may show
_APART_S = 0.15  # from another contact of the ball, which explains the shift
_STEP_S = 0.001
_SAME_MM = 0.05  # nearer than that it came no nearer
_SIZE_ERROR_MM = 0.6  # of the balls' sizes and of what a parabola is not
_STRAYS = 0.15  # of the balls that are measured anew seem to shift (15 of 102 in three computed matches)
_ROLLS = 5 / 7  # of its first speed a ball keeps that slides until it rolls (Coriolis 1835)
_ALONG = 0.5  # of the shift must lead away from the ball that passed
_LEAST = 0.02  # what is less likely is not told,
_SURE = 0.75  # and what is no likelier is told as doubtful
_DOUBTFUL = 0.49


@dataclass(frozen=True, slots=True)
class Pass:
    """When a moving ball came nearest to a place: how near, where it was then, how well that is known."""

    distance_mm: float
    t_s: float
    at: Point
    sigma_mm: float
    speed_mm_s: float


def nudges(
    stories: Mapping[int, Story], told: Sequence[Explanation], ball_mm: float, frame_s: float
) -> list[Explanation]:
    """The touches that may have shifted resting balls a little, as far as nothing else is told to have done it."""
    met = [h for one in told for h in one.happenings if h.other is not None]
    found: list[Explanation] = []
    for key, story in stories.items():
        for kink in (Kink(key, *pair) for pair in pairwise(story.legs)):
            if not is_nudge(kink):
                continue
            from_s, to_s = kink.low_s - _SHOWS_LATE_S, kink.high_s + frame_s
            if not any(key in (h.ball, h.other) and from_s - _APART_S < h.t_s < to_s + _APART_S for h in met):
                found += _touches(kink, stories, (from_s, to_s), ball_mm, frame_s)
    return found


def _touches(
    kink: Kink, stories: Mapping[int, Story], between_s: tuple[float, float], ball_mm: float, frame_s: float
) -> Iterator[Explanation]:
    lay, lies = kink.before.point(kink.low_s), kink.after.point(kink.high_s)
    for key, story in stories.items():
        passed = nearest_pass(story, lay, between_s, frame_s, ball_mm) if key != kink.ball else None
        if passed is None:
            continue
        chance = _chance(kink, passed, ball_mm) if _is_pushed(passed.at, lay, lies) else 0.0
        if chance > _LEAST:
            at = passed.at.midway(lay)
            touch = Happening(passed.t_s, key, other=kink.ball, at=at, confidence=_told(chance))
            yield Explanation((touch,), 0.0, others=((1 - chance, ()),))


def _chance(kink: Kink, passed: Pass, ball_mm: float) -> float:
    """How likely a ball that passed has touched one that seems to have shifted since.

    A touch shifts it so little only if it is as thin as that, and only slow balls are likely to touch so thinly: within
    `depth_mm` of a miss. A miss may be as wide as can be, but then the shift is an error of the places.
    """
    place_mm = kink.before.stray_mm
    error_mm = math.hypot(passed.sigma_mm, place_mm, _SIZE_ERROR_MM)
    push_mm_s = math.sqrt(2 * ROLLING_MM_S2 * kink.shift_mm) / _ROLLS
    depth_mm = ball_mm / 2 * min(1.0, push_mm_s / max(passed.speed_mm_s, 1.0)) ** 2
    gap_mm = passed.distance_mm - ball_mm
    missed = _normal(gap_mm / error_mm)
    touched = _normal((gap_mm + depth_mm) / error_mm) - missed
    strayed = _STRAYS * math.exp(-0.5 * (kink.shift_mm / math.hypot(place_mm, kink.after.stray_mm)) ** 2)
    return touched / max(touched + strayed * missed, 1e-12)


def _told(chance: float) -> float:
    """The confidence with which a touch is told: the chance, which is itself too rough to believe one by halves."""
    return chance if chance > _SURE else min(chance, _DOUBTFUL)


def _normal(deviation: float) -> float:
    """The chance of a smaller deviation than this, in standard errors."""
    return 0.5 * math.erfc(-deviation / math.sqrt(2))


def _is_pushed(by: Point, lay: Point, lies: Point) -> bool:
    """Whether a ball shifted away from the one that passed."""
    out_x, out_y, x, y = lay.x_mm - by.x_mm, lay.y_mm - by.y_mm, lies.x_mm - lay.x_mm, lies.y_mm - lay.y_mm
    return out_x * x + out_y * y > _ALONG * math.hypot(out_x, out_y) * math.hypot(x, y)


def nearest_pass(
    story: Story, place: Point, between_s: tuple[float, float], frame_s: float, touch_mm: float
) -> Pass | None:
    """When the ball, moving, came nearest to a place, or first so near that it touched a ball there."""
    passes = []
    for index, leg in enumerate(story.legs):
        from_s = _joint_s(story.legs[index - 1], leg, frame_s)[1] if index else leg.from_s
        to_s = _joint_s(leg, story.legs[index + 1], frame_s)[0] if index + 1 < len(story.legs) else leg.to_s
        low_s, high_s = max(from_s, between_s[0]), min(to_s, between_s[1])
        if leg.kind == "move" and low_s <= high_s:
            times = np.linspace(low_s, high_s, 2 + int((high_s - low_s) / _STEP_S))
            distances = np.hypot(*(_places(leg, times) - (place.x_mm, place.y_mm)).T)
            met = distances < max(float(distances.min()), touch_mm) + _SAME_MM
            k = int(met.argmax())
            t_s = float(times[k])
            state = leg.state(t_s)
            at = Point(state.x_mm, state.y_mm)
            passes.append(Pass(float(distances.min()), t_s, at, leg.sigma_place_mm(t_s), state.speed_mm_s))
    return min(passes, key=lambda one: one.distance_mm, default=None)


def _joint_s(before: Leg, after: Leg, frame_s: float) -> tuple[float, float]:
    """Until when one leg holds and from when the next: where they are nearest, if no picture in between is missing."""
    if after.from_s - before.to_s > 2 * frame_s:
        return before.to_s, after.from_s
    times = np.linspace(before.to_s, after.from_s, 20)
    k = int(np.hypot(*(_places(before, times) - _places(after, times)).T).argmin())
    return float(times[k]), float(times[k])


def _places(leg: Leg, t_s: Array) -> Array:
    u = (t_s - leg.from_s)[:, None]
    places: Array = leg.path[0] + (leg.path[1] + leg.path[2] * u) * u
    return places
