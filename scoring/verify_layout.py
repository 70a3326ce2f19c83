"""What is still wrong on the table before the next stroke: what a camera sees at rest against what is due.

Due are the balls where they came to rest, those of the last ruling where it puts them, cue balls in hand off the table
until their owner's turn and then in the house, and balls out of the game nowhere.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import permutations

from scoring.balls import Ball
from scoring.house import all_in_house, is_in_house
from scoring.layout import FROZEN_MM, SAME_PLACE_MM, Layout
from scoring.match import MatchState, Play
from scoring.setup import Phase
from scoring.standing import Standing
from scoring.table import Point, Spot

Places = Mapping[Ball, Point]


class Wrong(StrEnum):
    """What is wrong with a ball: message ids (`layout.missing`)."""

    MISSING = "missing"
    EXTRA = "extra"
    NOT_IN_PLACE = "not_in_place"
    MOVED = "moved"
    NOT_IN_HOUSE = "not_in_house"
    NOT_IN_TEMPORARY_HOUSE = "not_in_temporary_house"
    TOUCHES_A_BALL = "touches_a_ball"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing to put right: a ball, where it is due and seen as far as known, and how far it is from being right."""

    ball: Ball
    wrong: Wrong
    due: Point | None = None
    seen: Point | None = None
    distance_mm: float | None = None


def verify_layout(state: MatchState, seen: Places, *, tolerance_mm: float = SAME_PLACE_MM) -> tuple[Fault, ...]:
    """What is wrong with the balls at rest; nothing while a question is open, in a shoot-out or when the match is over.

    Balls of one colour stand for each other, and a ball nobody could name stands for a missing one.
    """
    if state.pending is not None or state.standing.phase is Phase.OVER or state.standing.shoot_out is not None:
        return ()
    play, standing = state.started, state.standing
    waiting = _may_be_placed(play, standing)
    absent = (standing.in_hand | standing.gone) - waiting
    due = _due_places(play, standing, waiting)
    named = _named(seen, due, [ball for ball in play.game.balls if ball not in absent])
    put = _put_by_the_last_ruling(state)
    faults: list[Fault] = []
    for ball in dict.fromkeys((*play.game.balls, *named)):
        at = named.get(ball)
        if ball in waiting:
            faults += _placed_wrong(play, standing, ball, named)
        elif ball in absent or ball not in play.game.balls:
            faults += [Fault(ball=ball, wrong=Wrong.EXTRA, seen=at)] if at else []
        elif at is None:
            faults.append(Fault(ball=ball, wrong=Wrong.MISSING, due=due.get(ball)))
        elif (place := due.get(ball)) is not None and place.distance_mm(at) > tolerance_mm:
            wrong = Wrong.NOT_IN_PLACE if ball in put else Wrong.MOVED
            faults.append(Fault(ball=ball, wrong=wrong, due=place, seen=at, distance_mm=place.distance_mm(at)))
    return tuple(faults)


def _may_be_placed(play: Play, standing: Standing) -> frozenset[Ball]:
    """The cue balls that a hand may hold or have put into the house already."""
    if standing.phase is Phase.LAG:
        return frozenset(standing.cue_balls)
    own = standing.cue_balls[play.terms.setup.side_of(standing.shooter)]
    opening = standing.phase is Phase.OPENING
    return frozenset((own,)) if own in standing.in_hand or opening else frozenset()


def _due_places(play: Play, standing: Standing, waiting: frozenset[Ball]) -> dict[Ball, Point]:
    """The places that are known of the balls that must lie on the table."""
    layout = standing.layout or Layout()
    away = standing.in_hand | standing.gone | waiting
    return {ball: at for ball, at in layout.places.items() if ball not in away and ball in play.game.balls}


def _put_by_the_last_ruling(state: MatchState) -> frozenset[Ball]:
    """The balls that people had to put somewhere after the last stroke."""
    ruling = state.records[-1].ruling if state.records else None
    return frozenset(respot.ball for respot in ruling.respots) if ruling else frozenset()


def _named(seen: Places, due: Places, expected: Iterable[Ball]) -> dict[Ball, Point]:
    """What was seen, by the names that fit best: equal balls by nearest due places, unknown ones for missing ones."""
    named = {ball: at for ball, at in seen.items() if not ball.is_unknown}
    colours: dict[str, list[Ball]] = {}
    for ball in sorted(due.keys() | named.keys()):
        if ball.number is None:
            colours.setdefault(ball.colour, []).append(ball)
    for alike in colours.values():
        if all(ball in due for ball in alike):
            named |= _nearest(alike, named, due)
    missing = [ball for ball in expected if ball not in named]
    for ball in sorted(ball for ball in seen if ball.is_unknown):
        at = seen[ball]
        fits = sorted(missing, key=lambda one: due[one].distance_mm(at) if one in due else float("inf"))
        named[fits[0] if fits else ball] = at
        missing = fits[1:]
    return named


def _nearest(alike: list[Ball], named: dict[Ball, Point], due: Places) -> dict[Ball, Point]:
    """The seen places of equal balls, given to the names whose due places are nearest."""
    places = [named.pop(ball) for ball in alike if ball in named]
    ways = list(permutations(alike, len(places)))

    off_mm = [sum(due[one].distance_mm(at) for one, at in zip(names, places, strict=True)) for names in ways]
    return dict(zip(ways[off_mm.index(min(off_mm))], places, strict=True))


def _placed_wrong(play: Play, standing: Standing, ball: Ball, named: Places) -> list[Fault]:
    """What is wrong with a cue ball that a hand has put on the table: out of its house, or against a ball (C-9)."""
    at = named.get(ball)
    if at is None:
        return []
    table, options = play.terms.setup.table, play.terms.options
    line = options.flag("line_is_house")
    objects = frozenset(play.game.balls) - frozenset(standing.cue_balls) - standing.gone
    far = len(play.game.cue_balls) == 1 and all_in_house(Layout(named), objects, table, line_is_house=line)
    if far:
        beyond_mm = table.spot(Spot.S3).x_mm - at.x_mm
        if beyond_mm >= 0:
            return [Fault(ball=ball, wrong=Wrong.NOT_IN_TEMPORARY_HOUSE, seen=at, distance_mm=beyond_mm)]
    elif not is_in_house(at, table, line_is_house=line):
        return [Fault(ball=ball, wrong=Wrong.NOT_IN_HOUSE, seen=at, distance_mm=at.x_mm - table.house_line_x_mm)]
    gaps = {other: at.distance_mm(place) - table.ball_mm for other, place in named.items() if other != ball}
    nearest = min(gaps, key=gaps.__getitem__, default=None)
    if nearest is None or gaps[nearest] > FROZEN_MM:
        return []
    return [Fault(ball=ball, wrong=Wrong.TOUCHES_A_BALL, seen=at, distance_mm=gaps[nearest])]
