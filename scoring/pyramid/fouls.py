"""What is done wrong in a pyramid, and what it costs (MP-13, MP-14, MP-20 to MP-31, MP-64, MP-71, MP-75)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from scoring.balls import CUE, Ball
from scoring.penalties import Offence, charged, dearest, foul_reason
from scoring.pyramid.house import House, balls_hit_in_house
from scoring.pyramid.state import Case, PyramidState, is_pair
from scoring.questions import balls_touched, final_off
from scoring.rulings import Choice, Message, Question, QuestionKind, Reason, ScoreChange
from scoring.shots import RefereeInput

FIVE_POINT_RULES = {"wrong_ball": "MP-22", "butt": "MP-24", "touch": "MP-25", "moving_balls": "MP-26"}
VOID_RULES = {"push": ("MP-30",), "double_hit": ("MP-30", "C-21"), "feet": ("MP-30", "MP-9", "C-21")}
"""Offences that cost the pot and the turn, but no points (MP-30)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """An offence, and whether it takes away what the stroke potted, and the turn."""

    offence: Offence
    voids: bool = True
    passes: bool = True

    @property
    def is_after(self) -> bool:
        """Whether it happened after the stroke, whose pots it leaves alone (C-24)."""
        return self.passes and not self.voids


def faults_of(case: Case) -> tuple[Fault, ...]:
    """Everything done wrong in a stroke or around it, but for what needs the house, the call or the places."""
    found: list[Fault] = []
    if case.stroke.is_played:
        found += _cue_ball_lost(case)
        if not case.is_own_ball and not case.stroke.inputs("wrong_ball"):
            found.append(_entered(case, RefereeInput(kind="wrong_ball")))
        if is_miss(case):
            found.append(_fault(case, Reason(Message.MISS, (), "MP-23"), "MP-23"))
    for entry in case.stroke.referee:
        if entry.kind in FIVE_POINT_RULES or entry.kind in VOID_RULES:
            found.append(_entered(case, entry))
        elif entry.kind == "prompting":
            found += _prompted(case, entry)
    return tuple(found)


def house_fault(house: House) -> tuple[Fault, ...] | Question:
    """The penalty for hitting balls in the house directly from hand (MP-28, MP-46)."""
    hit = balls_hit_in_house(house)
    if isinstance(hit, Question):
        return hit
    reasons = [Reason(Message.HOUSE_BALL_DIRECT, (ball.name,), "MP-28") for ball in hit[:1]]
    return tuple(_fault(house.case, reason, "MP-28", "MP-46", "MP-47") for reason in reasons)


def uncalled_fault(case: Case, called: Ball | None, *, is_potted: bool) -> tuple[Fault, ...]:
    """The penalty of a variant for an uncalled ball, a wrong pocket or a wrong first contact (MP-13)."""
    first = balls_touched(case.stroke.facts)[:1]
    wrong_contact = called is not None and bool(first) and first[0] != called
    if not wrong_contact and (is_potted or not case.fallen):
        return ()
    points = case.terms.options.number("penalty_points")
    reason = foul_reason("not_as_called", case.state.shooter, points, "MP-13")
    return (_fault(case, reason, "MP-13"),)


def safety_fault(case: Case) -> tuple[Fault, ...] | Question:
    """The penalty of the federation's safety rule when nothing was potted (MP-14)."""
    facts = case.stroke.facts
    first_s = next((one.t_s for one in facts.contacts), None)
    if case.terms.options.text("safety_rule") == "none" or case.fallen or first_s is None:
        return ()
    cushions = [hit for hit in facts.cushions if hit.t_s >= first_s and not hit.is_jaw]
    crossed = _has_crossed_middle(case)
    if len(cushions) >= 2 or crossed:
        return ()
    if crossed is None:
        told = case.stroke.answer("bank")
        if not isinstance(told, bool):
            choices = (Choice(value=True), Choice(value=False))
            return Question(kind=QuestionKind.BANK, choices=choices, reason="middle line or two cushions")
        if told:
            return ()
    points = case.terms.options.number("penalty_points")
    return (_fault(case, Reason(Message.SAFETY_NOT_REACHED, (points,), "MP-14"), "MP-14"),)


def is_miss(case: Case) -> bool:
    """Whether the cue ball touched no ball; one that fell by itself takes the penalty away (MP-23, MP-40)."""
    touched = balls_touched(case.stroke.facts) or case.stroke.answer("first_contact")
    by_itself = case.stroke.inputs("fell_by_itself")
    return case.is_own_ball and not touched and not case.fallen and not by_itself


def unseen_contact(case: Case) -> Question | None:
    """What to ask when object balls moved though nobody saw the cue ball touch one."""
    moved = sorted(case.stroke.facts.in_motion - {CUE}, key=lambda ball: ball.number or 0)
    if not is_miss(case) or not moved or case.stroke.answer("first_contact") is False:
        return None
    choices = (*(Choice(ball) for ball in moved), Choice(value=False))
    return Question(kind=QuestionKind.FIRST_CONTACT, choices=choices)


def is_cue_ball_lost(case: Case) -> bool:
    """Whether the cue ball fell or left the table; one that came back only where that is agreed (MP-41, MP-A4)."""
    facts = case.stroke.facts
    jumped = case.terms.options.text("returned_ball") == "jumped"
    left = any(event.ball == CUE and (not event.returned or jumped) and not event.on_rail for event in final_off(facts))
    hit = jumped and any(entry.ball in (None, CUE) for entry in case.stroke.inputs("hit_person"))
    return left or hit or any(pot.ball == CUE for pot in facts.pots)


def charges_of(case: Case, faults: Sequence[Fault]) -> tuple[ScoreChange, ...]:
    """The penalty points: one penalty for the shooter's stroke (C-25), and each of anybody else's and of prompting."""
    setup = case.terms.setup
    stroke = [one for one in faults if setup.side_of(one.offence.player) == case.side and one.passes]
    others = [one.offence for one in faults if one not in stroke]
    changes: list[ScoreChange] = []
    state = case.state
    for offence in (*dearest(case.terms, [one.offence for one in stroke]), *others):
        for to, mode in _receivers(case, offence):
            paid = charged(case.terms, state, offence, to, mode=mode)
            changes += [replace(change, rule=offence.rules[0]) for change in paid]
            state = _after(state, paid)
    return tuple(changes)


def charge_rules(case: Case, changes: Iterable[ScoreChange]) -> tuple[str, ...]:
    """The rules by which penalty points are paid in this format (MP-64, MP-71, MP-A1)."""
    if not tuple(changes):
        return ()
    if is_pair(case.terms):
        return ("MP-A1", "MP-71")
    return ("MP-A1", "MP-64") if len(case.terms.setup.sides) > 2 else ("MP-A1",)


def _receivers(case: Case, offence: Offence) -> tuple[tuple[int, str | None], ...]:
    """Who gets the points of an offence, and how: the opponent, of three by an option (MP-64)."""
    state = case.state
    side, count = case.terms.setup.side_of(offence.player), len(state.scores)
    following = [one % count for one in range(side + 1, side + count) if one % count in state.active()]
    mode = case.terms.options.text("three_penalty") if count > 2 else "next_player"
    if mode == "subtract":
        return ((side, "subtract"),)
    return tuple((to, None) for to in (following if mode == "all_opponents" else following[:1]))


def _after(state: PyramidState, changes: Iterable[ScoreChange]) -> PyramidState:
    """The standing with some points paid, for the next payment to start from."""
    scores = list(state.scores)
    for change in changes:
        scores[change.side] += change.points
    return replace(state, scores=tuple(scores))


def _fault(case: Case, reason: Reason, *rules: str) -> Fault:
    """The shooter's offence that costs the usual points, the pot and the turn."""
    points = case.terms.options.number("penalty_points")
    return Fault(offence=Offence(rules=rules, player=case.state.shooter, points=points, reason=reason))


def _cue_ball_lost(case: Case) -> list[Fault]:
    """The cue ball potted or off the table (MP-20, MP-21); what fell with it does not count (MP-29)."""
    if not is_cue_ball_lost(case):
        return []
    points = case.terms.options.number("penalty_points")
    facts = case.stroke.facts
    fell = any(pot.ball == CUE for pot in facts.pots)
    rule, message = ("MP-20", Message.CUE_BALL_POTTED) if fell else ("MP-21", Message.CUE_BALL_OFF_TABLE)
    back = any(event.ball == CUE and event.returned for event in final_off(facts)) or case.stroke.inputs("hit_person")
    rules = (rule, "MP-46", *(("MP-29",) if case.fallen else ()), *(("MP-A4",) if back else ()))
    return [_fault(case, Reason(message, (points,), rule), *rules)]


def _entered(case: Case, entry: RefereeInput) -> Fault:
    """An offence that people entered, or that the struck ball tells."""
    player = entry.by if entry.by is not None and case.terms.setup.knows(entry.by) else case.state.shooter
    if entry.kind in VOID_RULES:
        rules = VOID_RULES[entry.kind]
        return Fault(
            offence=Offence(rules=rules, player=player, points=0, reason=foul_reason(entry.kind, player, 0, rules[0]))
        )
    points = case.terms.options.number("penalty_points")
    rules, voids, passes = (FIVE_POINT_RULES[entry.kind], "C-23"), True, True
    if entry.kind == "touch" and entry.when == "after":
        rules, voids = ("MP-27", "MP-31", "MP-25", "C-24"), False
    elif entry.kind == "touch" and (entry.when == "before" or not case.stroke.is_played):
        voids = passes = case.terms.options.flag("touch_before_stroke_passes_turn")
        rules = ("MP-25", "RP-A10")
    offence = Offence(
        rules=rules, player=player, points=points, reason=foul_reason(entry.kind, player, points, rules[0])
    )
    return Fault(offence=offence, voids=voids, passes=passes)


def _prompted(case: Case, entry: RefereeInput) -> list[Fault]:
    """A word between partners: the other side gets the points, the shooter keeps the shot (MP-75)."""
    setup = case.terms.setup
    pairs = [side for side in setup.sides if len(side.members) > 1]
    named = entry.by if entry.by is not None and setup.knows(entry.by) else None
    if named is None and pairs:
        own = setup.sides[case.side]
        named = (own if own in pairs else pairs[0]).members[0]
    if named is None or setup.sides[setup.side_of(named)] not in pairs:
        return []
    points = case.terms.options.number("penalty_points")
    reason = foul_reason("prompting", named, points, "MP-75")
    offence = Offence(rules=("MP-75", "MP-71"), player=named, points=points, reason=reason)
    return [Fault(offence=offence, voids=False, passes=False)]


def _has_crossed_middle(case: Case) -> bool | None:
    """Whether a ball is known to have crossed the middle line; None when places are missing (MP-14)."""
    facts, middle_mm = case.stroke.facts, case.table.length_mm / 2
    unknown = False
    for ball in facts.in_motion:
        start = case.before.at(ball) if case.before else None
        rest = facts.rest.balls.get(ball) if facts.rest else None
        hits = [hit.at for hit in facts.cushions if hit.ball == ball]
        sides = {place.x_mm > middle_mm for place in (start, rest, *hits) if place is not None}
        if len(sides) == 2:
            return True
        unknown |= start is None or rest is None
    return None if unknown else False
