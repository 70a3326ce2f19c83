"""Handicaps: points, balls taken off before the start, and what was forgotten (MP-80 to MP-83, BP-5)."""

from dataclasses import dataclass, replace

from scoring.balls import NUMBERED, Ball
from scoring.errors import ScoringError
from scoring.pyramid.memory import hands
from scoring.pyramid.state import Case, PyramidState, in_pyramid_points, value_of
from scoring.rulings import Message, Reason, ScoreChange
from scoring.setup import Handicap
from scoring.standing import Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeUp:
    """A handicap that hands made up for in mid-game: what the receiver gets, and the standing with it."""

    change: ScoreChange
    reason: Reason
    state: PyramidState


def given_points(terms: Terms, side: int) -> int:
    """What a side has before the start: credited points, and the balls taken off for it (MP-80, MP-81, MP-A11)."""
    given = terms.setup.handicap(side)
    in_points = given.points if terms.options.text("handicap_form") == "credit" else 0
    return in_pyramid_points(terms, given.credit + in_points) + sum(value_of(terms, ball) for ball in given.off_table)


def check(terms: Terms) -> None:
    """Refuse handicaps that cannot be given; a ScoringError says which."""
    taken: list[Ball] = []
    for index, side in enumerate(terms.setup.sides):
        given: Handicap = terms.setup.handicap(index)
        wrong = [ball.name for ball in given.off_table if ball not in NUMBERED or ball in taken]
        if given.caroms or wrong or len(set(given.off_table)) < len(given.off_table):
            what = f"ball {', '.join(wrong)} cannot be taken off" if wrong else "caroms or a ball twice cannot be given"
            message = f"handicap of {side.name}: {what}: give numbered balls, each once, or points"
            raise ScoringError(message)
        taken += given.off_table
    if len(taken) >= len(NUMBERED):
        message = "handicap: all balls are taken off the table: leave at least one to play with"
        raise ScoringError(message)


def made_up(case: Case, state: PyramidState) -> MadeUp | None:
    """Balls taken off for a receiver to whom points are owed, or exchanged with his shelf (MP-83)."""
    off, on = hands(case)
    receivers = [side for side, owed in enumerate(state.owed) if owed]
    if len(receivers) != 1 or not off or not on <= state.shelves[receivers[0]]:
        return None
    side = receivers[0]
    points = sum(value_of(case.terms, ball) for ball in off) - sum(value_of(case.terms, ball) for ball in on)
    if not 0 < points <= state.owed[side]:
        return None
    shelf = (state.shelves[side] | off) - on
    after = replace(
        state,
        gone=(state.gone | off) - on,
        layout=state.layout.without(off) if state.layout is not None else None,
        shelves=(*state.shelves[:side], shelf, *state.shelves[side + 1 :]),
        owed=(*state.owed[:side], state.owed[side] - points, *state.owed[side + 1 :]),
        scores=(*state.scores[:side], state.scores[side] + points, *state.scores[side + 1 :]),
    )
    reason = Reason(Message.HANDICAP_TAKEN_OFF, (case.terms.setup.sides[side].name, points), "MP-83")
    return MadeUp(change=ScoreChange(side, points, "MP-83"), reason=reason, state=after)
