"""The opening: the game has begun only when the cue ball has left the house (RP-3 to RP-8)."""

from scoring.balls import Ball
from scoring.house import is_in_house
from scoring.party.state import Case
from scoring.questions import last_place, partner
from scoring.setup import Phase
from scoring.table import Cushion, Point


def is_repeated(case: Case) -> bool:
    """Whether an opening stroke must be played again: its ball stayed in the house, and nothing was potted (RP-4)."""
    cue = case.stroke.facts.cue
    if case.state.phase is not Phase.OPENING or cue is None:
        return False
    potted_another = any(pot.ball != cue for pot in case.stroke.facts.pots)
    return not potted_another and not has_left_house(case, cue)


def has_left_house(case: Case, cue: Ball) -> bool:
    """Whether the struck ball is known to have crossed the house line.

    A crossing that was seen says so, and so does any place beyond the line where it was. A contact with a ball on the
    first spot, which lies on the line, is taken for one as long as the ball was not seen to rest in the house.
    """
    facts = case.stroke.facts
    if any(line.ball == cue and line.direction == "out" for line in facts.lines):
        return True
    rest = last_place(facts, cue)
    at_cushions = [hit.at for hit in facts.cushions if hit.ball == cue]
    off = [event.at for event in facts.off if event.ball == cue]
    seen = [place for place in (rest, *at_cushions, *off) if place is not None]
    rear = any(hit.ball == cue and hit.cushion is Cushion.REAR for hit in facts.cushions)
    far_pocket = any(pot.ball == cue and not pot.pocket.value.startswith("F") for pot in facts.pots)
    if rear or far_pocket or any(not _in_house(case, place) for place in seen):
        return True
    met = [other for contact in facts.contacts if (other := partner(contact, cue)) is not None]
    return any(_stood_far(case, ball) or rest is None for ball in met)


def _stood_far(case: Case, ball: Ball) -> bool:
    """Whether a ball stood so far beyond the line that only a ball which crossed it could touch it."""
    before = case.before
    place = before.at(ball) if before else None
    return place is not None and not _in_house(case, Point(place.x_mm - case.terms.setup.table.ball_mm, place.y_mm))


def _in_house(case: Case, place: Point) -> bool:
    """Whether a place lies in the house (RP-A7)."""
    return is_in_house(place, case.terms.setup.table, line_is_house=case.terms.options.flag("line_is_house"))
