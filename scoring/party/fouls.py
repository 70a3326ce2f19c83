"""The offences of Russian party and what they cost (RP-20 to RP-29)."""

from scoring.balls import Ball, BallKind
from scoring.events import Potted
from scoring.five_ball.calls import pots_to_judge
from scoring.five_ball.floor import is_own_ball_off
from scoring.five_ball.house_ban import stood_in_house
from scoring.house import is_direct
from scoring.party.pots import Pots
from scoring.party.state import Case
from scoring.penalties import Offence, foul_reason
from scoring.questions import balls_hit_first, balls_touched
from scoring.rulings import Message, Reason
from scoring.setup import Phase
from scoring.shots import RefereeInput
from scoring.values import plain_value

MISS_POINTS = 1
TOUCH_POINTS = 1
WRONG_BALL_POINTS = 1
LOST_BALL_POINTS = 2
OTHERS = {
    "push": "MP-30",
    "feet": "MP-30",
    "double_hit": "C-21",
    "moving_balls": "MP-26",
    "butt": "MP-24",
    "prompting": "MP-75",
}
"""Any other errors, with the rule of the little pyramid that names them (RP-29)."""


def offences_of(case: Case) -> tuple[Offence, ...]:
    """Everything done wrong in a stroke or around it, but for pots that are offences themselves."""
    found = [*_own_ball_lost(case)]
    if is_miss(case) and (case.state.phase is not Phase.OPENING or case.terms.options.flag("opening_miss_penalised")):
        reason = foul_reason("miss", case.state.shooter, MISS_POINTS, "RP-20")
        opening = ("RP-8",) if case.state.phase is Phase.OPENING else ()
        rules = ("RP-20", *opening)
        found.append(Offence(rules=rules, player=case.state.shooter, points=MISS_POINTS, reason=reason))
    entered = [entry for entry in case.stroke.referee if entry.kind in ("touch", "wrong_ball", *OTHERS)]
    struck = case.stroke.facts.cue
    if struck is not None and struck != case.own and not case.stroke.inputs("wrong_ball"):
        entered.append(RefereeInput(kind="wrong_ball"))
    return (*found, *(one for entry in entered if (one := _entered(case, entry)) is not None))


def _own_ball_lost(case: Case) -> tuple[Offence, ...]:
    """The shooter's white fell, alone (RP-23) or off a ball that fell too (RP-25 to RP-28), or left (RP-24)."""
    shooter = case.state.shooter
    found: list[Offence] = []
    if any(pot.ball == case.own for pot in case.stroke.facts.pots):
        priced = sorted((_price(pot) for pot in pots_to_judge(case)), key=lambda price: -price[0])
        for points, rule in priced or [(LOST_BALL_POINTS, "RP-23")]:
            reason = Reason(Message.CUE_BALL_POTTED, (points,), rule)
            rules = tuple(dict.fromkeys((rule, "RP-23")))
            found.append(Offence(rules=rules, player=shooter, points=points, reason=reason))
    if is_own_ball_off(case):
        reason = Reason(Message.CUE_BALL_OFF_TABLE, (LOST_BALL_POINTS,), "RP-24")
        found.append(Offence(rules=("RP-24",), player=shooter, points=LOST_BALL_POINTS, reason=reason))
    return tuple(found)


def _price(pot: Potted) -> tuple[int, str]:
    """What losing the cue ball off a potted ball costs: what that ball would have earned, and the rule."""
    if pot.ball.kind is BallKind.WHITE:
        rule = "RP-25"
    elif pot.ball.kind is BallKind.RED:
        rule = "RP-26"
    else:
        rule = "RP-28" if pot.pocket.is_middle else "RP-27"
    return plain_value(pot.ball, dear=pot.pocket.is_middle), rule


def is_miss(case: Case) -> bool:
    """Whether the cue ball met no ball: nothing else moved but what hands moved or what fell by itself (RP-20)."""
    facts = case.stroke.facts
    if facts.cue is None or balls_touched(facts) or is_waived(case):
        return False
    by_hand = {event.ball for event in facts.moved}
    return facts.in_motion <= {facts.cue, *by_hand}


def is_waived(case: Case) -> bool:
    """Whether a ball fell by itself: then a miss is not penalised (MP-40)."""
    return bool(case.stroke.inputs("fell_by_itself")) or case.stroke.answer("fell_by_itself") is True


def _entered(case: Case, entry: RefereeInput) -> Offence | None:
    """An offence that people entered; None for prompting where there is nobody to prompt."""
    terms = case.terms
    player = entry.by if entry.by is not None and terms.setup.knows(entry.by) else case.state.shooter
    rules: tuple[str, ...]
    if entry.kind == "touch":
        points, rules = TOUCH_POINTS, ("RP-21",)
    elif entry.kind == "wrong_ball" and terms.options.text("rule3") == "wrong_cue_ball":
        points, rules = WRONG_BALL_POINTS, ("RP-22",)
    else:
        points, rules = terms.options.number("other_error_points"), ("RP-29", OTHERS.get(entry.kind, "MP-22"))
    if entry.kind == "prompting" and len(terms.setup.sides[terms.setup.side_of(player)].members) == 1:
        return None
    reason = foul_reason(entry.kind, player, points, rules[0])
    after = entry.kind == "touch" and entry.when == "after"  # the others are done with the stroke, whenever entered
    return Offence(rules=rules, player=player, points=points, reason=reason, after=after)


def is_harmless(offence: Offence) -> bool:
    """Whether the shooter keeps the shot all the same (MP-75)."""
    return "MP-75" in offence.rules


def pot_offences(case: Case, pots: Pots) -> tuple[Offence, ...]:
    """Pots that are offences themselves where agreed: combinations (RP-A4), direct shots in the house (RP-A5)."""
    found: list[Offence] = []
    shooter = case.state.shooter
    if any("RP-A4" in pot.rules for pot, _ in pots.judged):
        reason = foul_reason("combination", shooter, WRONG_BALL_POINTS, "RP-22")
        found.append(Offence(rules=("RP-22", "RP-A4"), player=shooter, points=WRONG_BALL_POINTS, reason=reason))
    points = case.terms.options.number("house_foul_points")
    if points and (pots.stay or _hit_in_house(case)):
        reason = foul_reason("house_direct", shooter, points, "RP-30")
        found.append(Offence(rules=("RP-30", "RP-A5", "MP-28"), player=shooter, points=points, reason=reason))
    return tuple(found)


def _hit_in_house(case: Case) -> bool:
    """Whether a stroke from hand went straight for a ball that is known to have stood in the house (MP-28)."""
    first: tuple[Ball, ...] = balls_hit_first(case.stroke.facts) if case.stroke.from_hand else ()
    return any(
        stood_in_house(case, ball) is True and is_direct(case.stroke.facts, ball, (), any_cushion=True)
        for ball in first
    )


def without_effect(case: Case) -> tuple[Reason, ...]:
    """Inputs that these games have no rule for."""
    kinds = [entry.kind for entry in case.stroke.referee if entry.kind in ("stalemate_warning", "ball_number", "draw")]
    alone = all(len(side.members) == 1 for side in case.terms.setup.sides)
    kinds += ["prompting"] if alone and case.stroke.inputs("prompting") else []
    return tuple(Reason(Message.HAS_NO_EFFECT, (kind,)) for kind in kinds)
