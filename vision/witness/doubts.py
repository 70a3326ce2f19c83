"""Doubts about a whole stroke, in words: what was seen but is not explained by the events that are told."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from scoring.balls import Ball, BallKind
from scoring.events import Contact, Strike, TableEvent
from vision.witness.kinks import Story
from vision.witness.legs import Leg

_SOFT_TOUCH_MM = 1.0  # a gap at rest within the errors of none
_LAY_S = 0.1
_SET_OFF_MM = 20.0  # a ball that comes to rest nearer has not set off, whatever a knock to the camera made of it,
_FAR_MM = 100.0  # unless it was so far away in between
_AROUND_S = 0.1


def soft_touches(
    stories: Mapping[int, Story], names: Mapping[int, Ball], events: Sequence[TableEvent], ball_mm: float
) -> list[str]:
    """A struck ball and another that lie together in the end, without a kink when they met."""
    struck = {e.ball for e in events if isinstance(e, Strike)}
    met = {frozenset((e.ball, e.other)) for e in events if isinstance(e, Contact)}
    doubts = []
    for one, two in combinations(stories, 2):
        legs = stories[one].legs[-1], stories[two].legs[-1]
        gap_mm = legs[0].point(legs[0].to_s).distance_mm(legs[1].point(legs[1].to_s)) - ball_mm
        has_run = any(leg.kind == "move" for key in (one, two) for leg in stories[key].legs)
        balls = names[one], names[two]
        is_read = struck & set(balls)
        if is_read and has_run and gap_mm < _SOFT_TOUCH_MM and frozenset(balls) not in met:
            doubts.append(f"{balls[0]} and {balls[1]} may have touched softly")
    return doubts


def unexplained_starts(
    stories: Mapping[int, Story], names: Mapping[int, Ball], events: Sequence[TableEvent]
) -> list[str]:
    """Balls that lay and went off although nothing is told to have met them; numbered ones may push each other."""
    causes: dict[Ball, list[float]] = {}
    for event in events:
        if isinstance(event, Strike | Contact):
            for ball in (event.ball, event.other) if isinstance(event, Contact) else (event.ball,):
                causes.setdefault(ball, []).append(event.t_s)
    return [
        f"what set {names[key]} in motion was not seen"
        for key, story in stories.items()
        if names[key].kind is not BallKind.NUMBERED
        and any(
            not any(low_s - _AROUND_S < t_s < high_s + _AROUND_S for t_s in causes.get(names[key], ()))
            for low_s, high_s in _starts(story)
        )
    ]


def _starts(story: Story) -> Iterator[tuple[float, float]]:
    """Between which measurements a ball that lay set off for good."""
    for index, (before, after) in enumerate(pairwise(story.legs), 1):
        if before.kind != "rest" or after.kind != "move" or before.to_s - before.from_s < _LAY_S:
            continue
        place, way = before.point(before.to_s), _until_rest(story.legs[index:])
        ends_mm = [leg.point(leg.to_s).distance_mm(place) for leg in way]
        if ends_mm[-1] > _SET_OFF_MM or max(ends_mm) > _FAR_MM:
            yield before.to_s, after.from_s


def _until_rest(legs: Sequence[Leg]) -> Sequence[Leg]:
    """The legs up to the first in which the ball lies for a while."""
    rests = (k for k, leg in enumerate(legs) if leg.kind == "rest" and leg.to_s - leg.from_s > _LAY_S)
    return legs[: next(rests, len(legs)) + 1]
