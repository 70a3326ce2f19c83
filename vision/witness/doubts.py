"""Doubts about a whole stroke: what was seen but is not explained by the events that are told."""

import math
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import pairwise, permutations

from scoring.balls import Ball, BallKind
from scoring.events import Contact, Potted, Strike, TableEvent
from scoring.questions import balls_in
from scoring.table import Point
from vision.witness.kinks import Story
from vision.witness.legs import Leg
from vision.witness.nudges import nearest_pass

_SOFT_TOUCH_MM = 1.0  # a gap at rest within the errors of none
_AWAY = -0.05  # the cosine below which a ball that lay at another sets off away from it
_AT_ONCE_S = 1e-3  # after a strike
_LAY_S = 0.1
_SET_OFF_MM = 20.0  # a ball that comes to rest nearer has not set off, whatever a knock to the camera made of it,
_FAR_MM = 100.0  # unless it was so far away in between
_AROUND_S = 0.1
_UNMOVED_MM = 1.0  # of five contacts told of balls that moved by less, two were none
_PASSED_MM = 25.0  # a ball that came no nearer than this has touched nothing
_NUMBERED = BallKind.NUMBERED


def soft_touches(
    stories: Mapping[int, Story], names: Mapping[int, Ball], events: Sequence[TableEvent], ball_mm: float
) -> list[Contact]:
    """Doubtful contacts of a struck ball with one that it lies at in the end, or left by its side, without a kink."""
    struck_s = {e.ball: e.t_s for e in events if isinstance(e, Strike)}
    met = {frozenset((e.ball, e.other)) for e in events if isinstance(e, Contact)}
    touches = []
    for one, two in permutations(stories, 2):
        if names[one] not in struck_s or frozenset((names[one], names[two])) in met:
            continue
        for from_s, at, other_at in (*_left_by(stories[one], stories[two]), *_lies_by(stories[one], stories[two])):
            if at.distance_mm(other_at) - ball_mm < _SOFT_TOUCH_MM:
                reason = f"{names[one]} and {names[two]} may have touched softly"
                t_s = max(from_s, struck_s[names[one]] + _AT_ONCE_S)
                touches.append(_doubtful((names[one], names[two]), t_s, (at, other_at), reason))
                break
    return touches


def _left_by(story: Story, other: Story) -> Iterator[tuple[float, Point, Point]]:
    """When and from where a ball set off otherwise than away from where another lay, and where that lay."""
    lay = story.legs[0]
    other_lay = next((leg for leg in other.legs if leg.from_s <= lay.to_s <= leg.to_s), None)
    if len(story.legs) < 2 or lay.kind != "rest" or other_lay is None or other_lay.kind != "rest":
        return
    at, other_at, off = lay.point(lay.to_s), other_lay.point(other_lay.to_s), story.legs[1]
    vx, vy = off.velocity(off.from_s)
    toward = (other_at.x_mm - at.x_mm) * vx + (other_at.y_mm - at.y_mm) * vy
    if off.kind == "move" and toward > _AWAY * at.distance_mm(other_at) * math.hypot(vx, vy):
        yield lay.to_s, at, other_at


def _lies_by(story: Story, other: Story) -> Iterator[tuple[float, Point, Point]]:
    """When and where a ball came to rest, and where another does, if one of them has moved."""
    legs = story.legs[-1], other.legs[-1]
    if any(leg.kind == "move" for one in (story, other) for leg in one.legs):
        yield legs[0].from_s, legs[0].point(legs[0].to_s), legs[1].point(legs[1].to_s)


def _doubtful(balls: tuple[Ball, Ball], t_s: float, places: tuple[Point, Point], reason: str) -> Contact:
    at = places[0].midway(places[1])
    return Contact(t_s=t_s, ball=balls[0], other=balls[1], at=at, confidence=0.5, flagged=True, reason=reason)


def unseen_touches(
    stories: Mapping[int, Story],
    names: Mapping[int, Ball],
    events: Sequence[TableEvent],
    ball_mm: float,
    frame_s: float,
) -> list[Contact]:
    """Doubtful contacts of balls that went off although nothing is told to have met them, with what passed by then."""
    touches = []
    for key, lay, high_s in _unexplained(stories, names, events):
        place, between_s = lay.point(lay.to_s), (lay.to_s - _AROUND_S, high_s + frame_s)
        passes = {
            other: passed
            for other, story in stories.items()
            if other != key and (passed := nearest_pass(story, place, between_s, frame_s, ball_mm)) is not None
        }
        by = min(passes, key=lambda other: passes[other].distance_mm, default=None)
        if (
            by is None
            or passes[by].distance_mm - ball_mm > _PASSED_MM
            or (names[by].may_be_numbered and names[key].may_be_numbered)
        ):
            continue
        reason = f"nothing else that passed can have set {names[key]} in motion"
        touches.append(_doubtful((names[by], names[key]), passes[by].t_s, (passes[by].at, place), reason))
    return touches


def with_unmoved_doubts(
    stories: Mapping[int, Story], names: Mapping[int, Ball], events: Sequence[TableEvent]
) -> list[TableEvent]:
    """The events, with a doubt on contacts of balls that lie where they lay: what passed may have flown over them."""
    unmoved = {names[key] for key, story in stories.items() if _lies_where_it_lay(story)}
    return [_doubted(event, unmoved) if isinstance(event, Contact) and not event.flagged else event for event in events]


def _lies_where_it_lay(story: Story) -> bool:
    first, last = story.legs[0], story.legs[-1]
    is_still = all(leg.kind == "rest" for leg in story.legs)
    return is_still and first.point(first.from_s).distance_mm(last.point(last.to_s)) < _UNMOVED_MM


def _doubted(contact: Contact, unmoved: AbstractSet[Ball]) -> Contact:
    ball = next((ball for ball in balls_in(contact) if ball in unmoved), None)
    if ball is None or (contact.ball.may_be_numbered and contact.other.may_be_numbered):
        return contact
    return replace(
        contact, confidence=0.5, flagged=True, reason=f"{ball} lies where it lay: it may not have been touched"
    )


def unexplained_starts(
    stories: Mapping[int, Story], names: Mapping[int, Ball], events: Sequence[TableEvent]
) -> list[str]:
    """Balls that went off although nothing is told to have met them, in words; numbered ones may push each other."""
    started = dict.fromkeys(key for key, _, _ in _unexplained(stories, names, events))
    return [f"what set {names[key]} in motion was not seen" for key in started if names[key].kind is not _NUMBERED]


def _unexplained(
    stories: Mapping[int, Story], names: Mapping[int, Ball], events: Sequence[TableEvent]
) -> Iterator[tuple[int, Leg, float]]:
    """Balls that went off or fell, though nothing is told to have met them: how they lay, and until when it was."""
    causes: dict[Ball, list[float]] = {}
    fell_s = {event.ball: event.t_s for event in events if isinstance(event, Potted)}
    for event in events:
        if isinstance(event, Strike | Contact):
            for ball in balls_in(event):
                causes.setdefault(ball, []).append(event.t_s)
    for key, story in stories.items():
        for lay, high_s in _starts(story):
            if not any(lay.to_s - _AROUND_S < t_s < high_s + _AROUND_S for t_s in causes.get(names[key], ())):
                yield key, lay, high_s
        if names[key] in fell_s and names[key] not in causes and all(leg.kind == "rest" for leg in story.legs):
            yield key, story.legs[-1], fell_s[names[key]]


def _starts(story: Story) -> Iterator[tuple[Leg, float]]:
    """How a ball lay that set off for good, and when it was first seen to have done so."""
    for index, (before, after) in enumerate(pairwise(story.legs), 1):
        if before.kind != "rest" or after.kind != "move" or before.to_s - before.from_s < _LAY_S:
            continue
        place, way = before.point(before.to_s), _until_rest(story.legs[index:])
        ends_mm = [leg.point(leg.to_s).distance_mm(place) for leg in way]
        if ends_mm[-1] > _SET_OFF_MM or max(ends_mm) > _FAR_MM:
            yield before, after.from_s


def _until_rest(legs: Sequence[Leg]) -> Sequence[Leg]:
    """The legs up to the first in which the ball lies for a while."""
    rests = (k for k, leg in enumerate(legs) if leg.kind == "rest" and leg.to_s - leg.from_s > _LAY_S)
    return legs[: next(rests, len(legs)) + 1]
