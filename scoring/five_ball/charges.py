"""What the offences of one stroke cost: one penalty for the shooter's side, and each of anybody else's (C-25)."""

from collections.abc import Sequence

from scoring.five_ball.case import AnyCase
from scoring.penalties import Offence, charged, dearest
from scoring.rulings import ScoreChange


def own_offences(case: AnyCase, offences: Sequence[Offence]) -> list[Offence]:
    """The offences of the side that shot."""
    return [one for one in offences if case.terms.setup.side_of(one.player) == case.side]


def charges_of(case: AnyCase, own: Sequence[Offence], offences: Sequence[Offence]) -> tuple[ScoreChange, ...]:
    """The penalty points of a stroke."""
    others = [one for one in offences if one not in own]
    count = len(case.terms.setup.sides)
    changes: list[ScoreChange] = []
    for one in (*dearest(case.terms, own), *others):
        to = (case.terms.setup.side_of(one.player) + 1) % count
        changes += charged(case.terms, case.state, one, to)
    return tuple(changes)
