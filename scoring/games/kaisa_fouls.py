"""Kaisa's offences and what they cost (KZ-40 to KZ-48)."""

from collections.abc import Sequence

from scoring.five_ball.floor import is_own_ball_lost
from scoring.five_ball.start import targets
from scoring.games.kaisa_calls import Closing
from scoring.games.kaisa_pots import Case
from scoring.penalties import Offence, foul_reason
from scoring.questions import balls_hit_first
from scoring.rulings import Message, Reason, ScoreChange
from scoring.values import plain_value

FOULS = ("touch", "wrong_ball", "push", "double_hit", "feet", "moving_balls", "butt")
"""What people enter as fouls (KZ-47; feet off the floor are KZ-48 too)."""


def offences_of(case: Case) -> tuple[Offence, ...]:
    """Everything done wrong in a stroke or around it (KZ-41 to KZ-48)."""
    stroke, state = case.stroke, case.state
    found: list[Offence] = []
    if is_own_ball_lost(case):
        points = scratch_points(case)
        fell = any(pot.ball == case.own for pot in stroke.facts.pots)
        message = Message.CUE_BALL_POTTED if fell else Message.CUE_BALL_OFF_TABLE
        reason = Reason(message, (points,), "KZ-41")
        tied = ("KZ-A16",) if len(balls_hit_first(stroke.facts)) > 1 else ()
        rules = ("KZ-41", "KZ-43", "KZ-44", "KZ-46", "KZ-A4", "KZ-A5", *tied, "KZ-42")
        found.append(Offence(rules=rules, player=state.shooter, points=points, reason=reason))
    points = case.terms.options.number("other_foul_points")
    entered = [(entry.kind, entry.by, entry.when) for entry in stroke.referee if entry.kind in FOULS]
    struck = stroke.facts.cue
    if struck is not None and struck != case.own and not any(kind == "wrong_ball" for kind, _, _ in entered):
        entered.append(("wrong_ball", state.shooter, "during"))
    for kind, by, when in entered:
        player = by if by is not None and case.terms.setup.knows(by) else state.shooter
        reason = foul_reason(kind, player, points, "KZ-47")
        broken = ("KZ-47", "KZ-48") if kind == "feet" else ("KZ-47",)
        found.append(Offence(rules=broken, player=player, points=points, reason=reason, after=when == "after"))
    return tuple(found)


def scratch_points(case: Case) -> int:
    """What losing the cue ball costs (KZ-42, KZ-A4, KZ-A16)."""
    options, facts = case.terms.options, case.stroke.facts
    match options.text("scratch"):
        case "first_ball_hit":
            values = [plain_value(ball) for ball in balls_hit_first(facts)]
            return (min if options.text("first_contact_tie") == "cheaper" else max)(values, default=2)
        case "rp_list":
            fallen = [pot for pot in facts.pots if pot.ball != case.own]
            return max((plain_value(pot.ball, dear=pot.pocket.is_middle) for pot in fallen), default=2)
        case _:
            return 2


def winners_of(
    case: Case, closing: Closing | None, changes: Sequence[ScoreChange], charges: Sequence[ScoreChange]
) -> tuple[int, ...]:
    """The side that has won: by a closing pot, or by penalty points where they may win (KZ-33, KZ-A8)."""
    if closing is not None and closing.wins:
        return (case.side,)
    if not case.terms.options.flag("penalty_can_win"):
        return ()
    needed = targets(case.terms, case.state)
    for charge in charges:
        total = case.state.scores[charge.side] + sum(c.points for c in (*changes, *charges) if c.side == charge.side)
        if charge.points > 0 and total >= (needed[charge.side] or 0):
            return (charge.side,)
    return ()
