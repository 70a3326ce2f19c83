"""Penalty points: who loses them, who gets them, and how offences of one stroke combine (C-25, RP-A1, KZ-A5)."""

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.rulings import Message, Reason, ScoreChange
from scoring.standing import Standing, Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Offence:
    """One offence: its rule numbers (the first names the foul), who did it, and what it costs."""

    rules: tuple[str, ...]
    player: str
    points: int
    reason: Reason
    after: bool = False


def dearest(terms: Terms, offences: Sequence[Offence]) -> tuple[Offence, ...]:
    """The offences that are charged: one penalty for a stroke, the dearest, unless the option adds them up (C-25)."""
    if terms.options.text("foul_combination") == "sum" or not offences:
        return tuple(offences)
    return (max(offences, key=lambda offence: offence.points),)


def foul_reason(kind: str, player: str, points: int, rule: str) -> Reason:
    """The message of an offence that people entered."""
    return Reason(Message.FOUL, (kind, player, points), rule)


def charged(
    terms: Terms, state: Standing, offence: Offence, to: int, *, mode: str | None = None
) -> tuple[ScoreChange, ...]:
    """The score changes of one offence by the game's `penalty_mode` or `mode`; `to` is the side that gets the points.

    Who pays and who is paid is agreed (RP-A1, KZ-A5, MP-A1). Without negative scores an account is never taken below 0,
    and what could not be taken is not given either.
    """
    if not offence.points:
        return ()
    mode = mode or terms.options.text("penalty_mode")
    side = terms.setup.side_of(offence.player)
    taken = offence.points
    if mode != "add_to_opponent" and not terms.options.flag("allow_negative"):
        taken = min(taken, max(0, state.scores[side]))
    rule = offence.rules[-1]
    minus = ScoreChange(side, -taken, rule)
    match mode:
        case "subtract":
            return (minus,) if taken else ()
        case "transfer":
            return (minus, ScoreChange(to, taken, rule)) if taken else ()
        case _:
            return (ScoreChange(to, offence.points, rule),)
