"""The lag: who wins the first shot (KZ-4, KZ-5, MP-7)."""

from dataclasses import dataclass

from scoring.balls import Ball
from scoring.house import is_in_house
from scoring.questions import Facts, last_place, partner
from scoring.standing import Stroke
from scoring.table import Cushion, Point, Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Lag:
    """How a lag went: the winning side (None when people must decide), and why a side lost, by side."""

    winner: int | None
    faults: tuple[str | None, ...]


def lag_of(
    stroke: Stroke, balls: tuple[Ball, ...], table: Table, *, strict: bool = True, line_is_house: bool = False
) -> Lag:
    """Judge a lag in which side n struck `balls[n]`.

    A ball loses that missed the far cushion; in Kaisa's `strict` lag also one that touches a ball or a long cushion,
    falls, leaves the table, crosses into the other half or does not return to the house. Of two good balls the one
    nearer to the front cushion wins; when neither is good, or a place is not known, nobody has won.
    """
    faults = tuple(_fault(stroke, ball, table, strict=strict, line_is_house=line_is_house) for ball in balls)
    good = [side for side, fault in enumerate(faults) if fault is None]
    if len(good) == 1 and all(any(strike.ball == ball for strike in stroke.facts.strikes) for ball in balls):
        return Lag(winner=good[0], faults=faults)
    places = [last_place(stroke.facts, balls[side]) for side in good]
    distances = [place.x_mm for place in places if place is not None]
    if len(good) < 2 or len(distances) < len(good) or distances.count(min(distances)) > 1:
        return Lag(winner=None, faults=faults)
    return Lag(winner=good[distances.index(min(distances))], faults=faults)


def _fault(stroke: Stroke, ball: Ball, table: Table, *, strict: bool, line_is_house: bool) -> str | None:
    """What a lagged ball did wrong: a word for the board, None for nothing."""
    facts = stroke.facts
    cushions = {hit.cushion for hit in facts.cushions if hit.ball == ball and not hit.is_jaw}
    if Cushion.REAR not in cushions:
        return "no_far_cushion"
    if not strict:
        return None
    rest = last_place(facts, ball)
    wrongs = {
        "touched_ball": any(partner(contact, ball) is not None for contact in facts.contacts),
        "long_cushion": bool(cushions & {Cushion.LEFT, Cushion.RIGHT}),
        "potted": any(pot.ball == ball for pot in facts.pots),
        "off_table": any(event.ball == ball for event in facts.off),
        "other_half": _crossed(facts, ball, stroke.before.at(ball) if stroke.before else None, rest),
        "did_not_return": rest is not None and not is_in_house(rest, table, line_is_house=line_is_house),
    }
    return next((word for word, happened in wrongs.items() if happened), None)


def _crossed(facts: Facts, ball: Ball, start: Point | None, rest: Point | None) -> bool:
    """Whether a ball is known to have been on the other side of the long axis than where it started."""
    if start is None:
        return False
    hits = [hit.at for hit in facts.cushions if hit.ball == ball and hit.at is not None]
    seen = [*hits, rest] if rest is not None else hits
    return any(place.y_mm * start.y_mm < 0 for place in seen)
