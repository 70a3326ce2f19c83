"""How Russian party ends: 60 points, or the mandatory ball where only penalties were scored (RP-17 to RP-19)."""

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.five_ball.start import targets
from scoring.party.state import Case, has_only_penalties
from scoring.rulings import Message, Reason, ScoreChange


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """Who has won, and whether the mandatory ball is played from now on."""

    winners: tuple[int, ...] = ()
    is_mandatory: bool = False
    rules: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()


def ending_of(case: Case, changes: Sequence[ScoreChange], *, scored: bool) -> Ending:
    """Whether a stroke's points end the game; `scored`: the shooter validly potted a ball that counts."""
    state, count = case.state, len(case.state.scores)
    potted = state.potted | ({case.side} if scored else frozenset())
    if state.is_mandatory:
        if scored:
            return _won(case, case.side, "RP-18", "RP-19")
        return Ending(is_mandatory=True, rules=("RP-18",))
    needed = targets(case.terms, state)
    totals = [state.scores[side] + sum(c.points for c in changes if c.side == side) for side in range(count)]
    order = (case.side, *(side for side in range(count) if side != case.side))
    reached = [side for side in order if totals[side] >= (needed[side] or 0)]
    for side in reached:
        if not has_only_penalties(case.terms, potted, side):
            return _won(case, side, "RP-17", "RP-19")
    if reached:
        said = (Reason(Message.MANDATORY_BALL, (), "RP-18"),)
        return Ending(is_mandatory=True, rules=("RP-18", "RP-17", "RP-A2"), reasons=said)
    return Ending()


def _won(case: Case, side: int, *rules: str) -> Ending:
    """A side has won."""
    said = (Reason(Message.WINS, (case.terms.setup.sides[side].name,), rules[0]),)
    return Ending(winners=(side,), is_mandatory=case.state.is_mandatory, rules=rules, reasons=said)
