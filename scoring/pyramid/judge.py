"""The judge of both pyramids: one stroke, or an entry between strokes, and what it brings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scoring.balls import CUE, Ball
from scoring.events import OffTable
from scoring.game import Verdict
from scoring.layout import Layout
from scoring.penalties import dearest
from scoring.pyramid.calls import call_question, called_ball, is_called_stroke, is_free_stroke, told_of
from scoring.pyramid.ends import ending_of, overlooked, stalemate_of
from scoring.pyramid.fouls import (
    Fault,
    charge_rules,
    charges_of,
    faults_of,
    house_fault,
    is_cue_ball_lost,
    safety_fault,
    uncalled_fault,
    unseen_contact,
)
from scoring.pyramid.handicap import made_up
from scoring.pyramid.house import House, house_of
from scoring.pyramid.memory import about_next, remembering, without_effect
from scoring.pyramid.pots import Counted, changes_of, counted_of, fall_question, is_last, pot_reasons
from scoring.pyramid.rack import on_rail, respots
from scoring.pyramid.start import again
from scoring.pyramid.state import Case, PyramidState, citing, target_of
from scoring.pyramid.turns import is_one_stroke_each, turn_rules, with_turn
from scoring.questions import balls_touched, final_off
from scoring.rulings import Message, Place, Question, Reason, Respot, Ruling, ScoreChange, Turn, asking, cited
from scoring.setup import Phase
from scoring.spots import stood
from scoring.standing import Stroke, Terms, layout_at_rest, settle


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A stroke judged, before it is settled."""

    case: Case
    faults: tuple[Fault, ...]
    counted: Counted
    changes: tuple[ScoreChange, ...]
    passes: bool
    respots: tuple[Respot, ...]
    rules: tuple[str, ...]
    reasons: tuple[Reason, ...]
    warnings: tuple[Reason, ...] = ()

    @property
    def own(self) -> tuple[Fault, ...]:
        """The faults of the shooter's side."""
        side_of = self.case.terms.setup.side_of
        return self.faults and tuple(one for one in self.faults if side_of(one.offence.player) == self.case.side)

    @property
    def is_penalty(self) -> bool:
        """Whether this was a penalty stroke."""
        return any(one.passes and one.offence.points for one in self.own)


def judge_stroke(case: Case) -> Verdict[PyramidState]:
    """A stroke with the cue."""
    question = _about_no_contact(case)
    if question is not None:
        return _asking(case, question, "MP-23", "MP-40")
    house = house_of(case)
    faults: tuple[Fault, ...] = faults_of(case)
    faults_or_question = _further_faults(case, house, faults)
    if isinstance(faults_or_question, Question):
        return _asking(case, faults_or_question, "MP-46", "MP-14", "MP-13")
    faults = faults_or_question
    own_voids = any(_is_own(case, one) and one.voids for one in faults)
    counted = counted_of(case, house, is_void=own_voids)
    if counted.question is not None:
        return _asking(case, counted.question, "MP-10", "MP-40", "MP-47")
    pots = changes_of(case, counted)
    forgiven = tuple(one for one in faults if one.is_after) if _ends(case, counted, pots) else ()
    outcome = _outcome(case, house, tuple(one for one in faults if one not in forgiven), counted, pots)
    if forgiven:  # after the last ball there is no penalty
        outcome = replace(outcome, rules=(*outcome.rules, "C-24"))
    return _ruled(outcome)


def judge_between(case: Case) -> Verdict[PyramidState]:
    """An entry without a stroke: touches, prompting, balls that fell by themselves, warnings, balls moved by hand."""
    faults = faults_of(case)
    counted = counted_of(case, house_of(case), is_void=True)
    waived = _miss_taken_back(case) if counted.fell else ()
    changes = (*waived, *charges_of(case, faults))
    own = [one for one in faults if _is_own(case, one)]
    reasons = [*counted.reasons, *(one.offence.reason for one in faults)]
    reasons += [Reason(Message.MISS_WAIVED, (), "MP-40")] if waived else []
    outcome = Outcome(
        case=case,
        faults=faults,
        counted=counted,
        changes=changes,
        passes=any(one.passes for one in own),
        respots=_put(case, counted),
        rules=cited(*(one.offence.rules for one in faults), ("MP-40", "MP-50") if counted.fell else ()),
        reasons=tuple(reasons),
    )
    return _ruled(outcome)


def judge_overlooked(terms: Terms, state: PyramidState, side: int) -> Verdict[PyramidState] | None:
    """The end of a game that somebody had already won when this was entered (MP-44)."""
    winner = overlooked(terms, state, side)
    if winner is None:
        return None
    name = terms.setup.sides[winner].name
    said = (Reason(Message.TARGET_OVERLOOKED, (name,), "MP-44"), Reason(Message.WINS, (name,), "MP-5"))
    ruling = Ruling(winners=(winner,), reasons=said, rules=citing(terms, state, ("MP-44", "MP-A12", "MP-5")))
    return Verdict(ruling, replace(state, phase=Phase.OVER, winners=(winner,)))


def _asking(case: Case, question: Question, *rules: str) -> Verdict[PyramidState]:
    """What must be asked before the stroke can be ruled."""
    return Verdict(asking(question, *rules), case.state)


def _about_no_contact(case: Case) -> Question | None:
    """What to ask when balls fell or moved though nobody saw the cue ball touch one (MP-23, MP-40)."""
    if not case.is_own_ball or balls_touched(case.stroke.facts) or is_cue_ball_lost(case):
        return None
    return fall_question(case, case.fallen[0]) if case.fallen else unseen_contact(case)


def _is_own(case: Case, fault: Fault) -> bool:
    """Whether a fault is of the shooter's side."""
    return case.terms.setup.side_of(fault.offence.player) == case.side


def _further_faults(case: Case, house: House, faults: tuple[Fault, ...]) -> tuple[Fault, ...] | Question:
    """The faults that hang on the house, the call or the places; not asked for when a penalty is due anyway (C-25)."""
    is_due = any(_is_own(case, one) and one.voids and one.offence.points for one in faults)
    is_settled = is_due and case.terms.options.text("foul_combination") == "max"
    for found in (house_fault(house), _call_fault(case), safety_fault(case)):
        if not isinstance(found, Question):
            faults = (*faults, *found)
        elif not is_settled:
            return found
    return faults


def _call_fault(case: Case) -> tuple[Fault, ...] | Question:
    """The variant in which what was not called is a foul (MP-13)."""
    options = case.terms.options
    if not options.flag("uncalled_is_foul") or not is_called_stroke(case) or not case.is_own_ball:
        return ()
    told = told_of(case)
    if not told.is_known:
        return call_question(case) if case.stroke.facts.contacts or case.fallen else ()
    return uncalled_fault(case, called_ball(told), is_potted=any(told.means(pot) for pot in case.fallen))


def _ends(case: Case, counted: Counted, pots: Sequence[ScoreChange]) -> bool:
    """Whether the stroke ends the game, so that nothing after it is penalised (C-24)."""
    score = case.state.scores[case.side] + sum(change.points for change in pots)
    is_won = score >= target_of(case.terms, case.state, case.side) and len(case.state.scores) == 2
    return bool(pots) and (is_won or is_last(case, counted))


def _outcome(
    case: Case, house: House, faults: tuple[Fault, ...], counted: Counted, pots: tuple[ScoreChange, ...]
) -> Outcome:
    """The parts of a ruling on a stroke."""
    charges = charges_of(case, faults)
    leaving, said = _left_the_table(case)
    own = [one for one in faults if _is_own(case, one)]
    is_free = is_free_stroke(case)
    keeps = bool(counted.pots) or (
        counted.is_house_only and not case.terms.options.flag("house_bank_pot_passes") and not counted.fell
    )
    passes = not keeps or leaving or any(one.passes for one in own) or is_one_stroke_each(case) or is_free
    put = _put(case, counted)
    fell = ("MP-40", "MP-A3") if counted.fell else ()
    if counted.fell and not case.stroke.facts.contacts:
        said = (*said, Reason(Message.MISS_WAIVED, (), "MP-40"))
    if not case.fallen and not own and not counted.fell:
        said = (*said, Reason(Message.NOTHING_POTTED, (), "C-26"))
    return Outcome(
        case=case,
        faults=faults,
        counted=counted,
        changes=(*pots, *charges),
        passes=passes,
        respots=put,
        rules=cited(
            ("MP-4",) if counted.pots else (),
            counted.rules,
            *(one.offence.rules for one in faults),
            ("C-25",) if len(own) > 1 else (),
            ("MP-29",) if case.fallen and is_cue_ball_lost(case) else (),
            charge_rules(case, charges),
            ("MP-A9",) if len(counted.pots) > 1 and is_last(case, counted) else (),
            fell,
            ("MP-45",) if is_free else (),
            ("MP-48", "C-7") if house.is_temporary else (),
            ("MP-47", "MP-A5") if counted.is_house_only else (),
            tuple(reason.rule for reason in (*counted.reasons, *said)),
            ("MP-A4",) if any(reason.rule == "MP-41" for reason in said) else (),
            _respot_rules(put),
            turn_rules(case, passes=passes),
        ),
        reasons=(
            *pot_reasons(case, counted),
            *counted.reasons,
            *(one.offence.reason for one in faults),
            *said,
            *((Reason(Message.TEMPORARY_HOUSE, (), "MP-48"),) if house.is_temporary else ()),
        ),
    )


def _respot_rules(put: Sequence[Respot]) -> tuple[str, ...]:
    """The rules by which balls go back (MP-50, MP-51)."""
    numbered = [one for one in put if one.ball != CUE]
    if not numbered:
        return ()
    return ("MP-50", "MP-51") if len(numbered) > 1 else ("MP-50",)


def _left_the_table(case: Case) -> tuple[bool, tuple[Reason, ...]]:
    """Whether balls that left the table take the turn away, and what is said of them (MP-41, MP-42)."""
    if not case.stroke.facts.off and not case.stroke.referee:
        return False, ()
    said: list[Reason] = []
    jumped = case.terms.options.text("returned_ball") == "jumped"
    for event in _off(case):
        if event.on_rail:
            said.append(Reason(Message.BALL_ON_RAIL, (event.ball.name,), "MP-42"))
        elif event.returned and not jumped:
            said.append(Reason(Message.BALL_CAME_BACK, (event.ball.name,), "MP-41"))
        elif event.ball != CUE:
            said.append(Reason(Message.BALL_OFF_TABLE, (event.ball.name,), "MP-50"))
    back = {reason.parameters for reason in said}
    for entry in case.stroke.inputs("hit_person"):
        ball = entry.ball or CUE
        if not (jumped and ball == CUE) and (ball.name,) not in back:
            said.append(Reason(Message.BALL_CAME_BACK, (ball.name,), "MP-41"))
    return bool(said), tuple(said)


def _off(case: Case) -> tuple[OffTable, ...]:
    """The last word on each ball that left the field and did not fall after all."""
    fallen = {pot.ball for pot in case.stroke.facts.pots}
    return tuple(event for event in final_off(case.stroke.facts) if event.ball not in fallen)


def _put(case: Case, counted: Counted) -> tuple[Respot, ...]:
    """What people must put where before the next stroke (MP-42, MP-46, MP-50, MP-51)."""
    table, options = case.table, case.terms.options
    jumped = options.text("returned_ball") == "jumped"
    off = {event.ball: event for event in _off(case)}
    floor = {ball for ball, event in off.items() if not event.on_rail and (not event.returned or jumped)}
    floor |= {entry.ball for entry in case.stroke.inputs("hit_person") if jumped and entry.ball is not None}
    back = set(counted.back) | ((floor - {pot.ball for pot in counted.pots}) & case.state.in_play)
    lost = {CUE} if is_cue_ball_lost(case) else set()
    touched = _touched(case) - back - lost - {pot.ball for pot in counted.pots}
    if not (off or back or lost or touched):
        return ()
    layout = (layout_at_rest(_without_old_rack(case)) or Layout()).without(back | lost | case.state.gone)
    put: list[Respot] = []
    for ball, event in off.items():
        if event.on_rail and event.at is not None and ball not in back | lost:
            put.append(on_rail(ball, event.at, table))
            layout = layout.with_places({ball: put[-1].at} if put[-1].at else {})
    put += [Respot(ball, Place.IN_HAND) for ball in sorted(lost)]
    put += [_home(ball, case, layout) for ball in sorted(touched - {one.ball for one in put})]
    stays = set(counted.fell) & back if options.text("hanging_ball") == "replace_after_5s" else set()
    wanted = options.text("void_pot_goes_to")
    rule = "where_it_stood" if wanted == "where_it_stood" else options.text("spot_rule")
    home = respots(stays, layout, case.before, table, "where_it_stood")
    layout = layout.with_places({one.ball: one.at for one in home if one.at is not None})
    return (*put, *home, *respots(back - stays, layout, case.before, table, rule))


def _touched(case: Case) -> frozenset[Ball]:
    """The balls that people touched before or after the stroke, or with none; they go back (MP-31, RP-A10)."""
    entries = [one for one in case.stroke.inputs("touch") if one.when != "during" or not case.stroke.is_played]
    named = frozenset(entry.ball for entry in entries if entry.ball is not None)
    return named & (case.state.in_play | ({CUE} - case.state.in_hand))


def _home(ball: Ball, case: Case, layout: Layout) -> Respot:
    """Back to where a touched ball had come to rest."""
    return Respot(ball, Place.WHERE_IT_STOOD, layout.at(ball)) if layout.at(ball) else stood(ball, case.before)


def _without_old_rack(case: Case) -> Stroke:
    """The stroke with where the balls lay; once the rack was hit nobody knows its balls' places but by seeing them."""
    before = case.before
    is_broken = case.state.phase is Phase.OPENING and bool(case.stroke.facts.contacts)
    if before is None or is_broken:
        before = Layout({}, case.state.in_play)
    return case.stroke if before is case.stroke.before else replace(case.stroke, before=before)


def _miss_taken_back(case: Case) -> tuple[ScoreChange, ...]:
    """The penalty of the last stroke's miss, given back because a ball fell by itself (MP-40)."""
    return tuple(replace(change, points=-change.points, rule="MP-40") for change in case.state.miss)


def _ruled(outcome: Outcome) -> Verdict[PyramidState]:
    """The ruling, and the standing after it with what its score brings."""
    case, own = outcome.case, outcome.own
    foul = dearest(case.terms, [one.offence for one in own]) or tuple(one.offence for one in outcome.faults[:1])
    ruling = Ruling(
        changes=outcome.changes,
        foul=foul[0].rules[0] if foul else None,
        turn=Turn.PASSES if outcome.passes else Turn.STAYS,
        respots=outcome.respots,
    )
    state = remembering(
        case,
        settle(case.terms.setup, case.state, _without_old_rack(case), ruling),
        pots=tuple(pot.ball for pot in outcome.counted.pots),
        put=ruling.respots,
        miss=tuple(change for change in outcome.changes if change.rule == "MP-23"),
    )
    made = None if case.stroke.is_played else made_up(case, state)
    if made is not None:
        state, ruling = made.state, replace(ruling, changes=(*ruling.changes, made.change))
    ending = ending_of(case, state)
    if ending.state.phase is not Phase.OVER and case.stroke.is_played and not ending.is_replayed:
        stale = stalemate_of(case, ending.state, is_penalty=outcome.is_penalty)
        rules, reasons = (*ending.rules, *stale.rules), (*ending.reasons, *stale.reasons)
        ending = replace(stale, rules=rules, reasons=reasons, put_back=ending.put_back)
    after = ending.state
    if after.phase is not Phase.OVER:
        after = with_turn(case, after, ruling, is_penalty=outcome.is_penalty)
        after = again(case.terms, after) if ending.is_replayed else after
    said = (*((made.reason,) if made is not None else ()), *about_next(case, after))
    stays = after.shooter == case.state.shooter or after.phase is Phase.OVER
    ruling = replace(
        ruling,
        fouls=cited(*(one.offence.rules for one in outcome.faults)),
        rules=citing(case.terms, case.state, outcome.rules, ending.rules, tuple(one.rule for one in said)),
        turn=Turn.STAYS if stays else Turn.PASSES,
        reasons=(*outcome.reasons, *ending.reasons, *said),
        warnings=without_effect(case, after, [one.offence for one in outcome.faults]),
        winners=after.winners,
    )
    put_back = ending.put_back
    if put_back is not None:
        ruling = replace(
            ruling, put_back=put_back.balls, respots=(*ruling.respots, *put_back.respots), question=put_back.question
        )
    return Verdict(ruling, after)
