"""The referee of Russian party and of Five balls: one stroke, or an entry without one, becomes a ruling."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scoring.five_ball.calls import pots_to_judge
from scoring.five_ball.charges import charges_of, own_offences
from scoring.five_ball.floor import fallen_balls, named_in, turn_lost
from scoring.five_ball.start import case_of, judge_lag
from scoring.game import Verdict
from scoring.party.ending import Ending, ending_of
from scoring.party.fouls import is_harmless, is_miss, is_waived, offences_of, pot_offences, without_effect
from scoring.party.opening import is_repeated
from scoring.party.pots import Pots, pots_of, streak_of
from scoring.party.respots import respot_reasons, respot_rules, respots_of, restored, waiting_after
from scoring.party.state import Case, PartyRules, PartyState
from scoring.penalties import Offence, charged, dearest
from scoring.questions import balls_touched
from scoring.rulings import Message, QuestionKind, Reason, Respot, Ruling, ScoreChange, Turn, asking, cited
from scoring.setup import Phase
from scoring.spots import stood
from scoring.standing import Stroke, Terms, settle

ASKS = {QuestionKind.LAYOUT: ("RP-30",), QuestionKind.FELL_BY_ITSELF: ("RP-29", "MP-40"), QuestionKind.CHAIN: ("C-33",)}
"""The rules on which a question rests; a call rests on the game's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """The offences of a stroke: all, those of the shooter's side, and those of them that end his turn."""

    every: tuple[Offence, ...] = ()
    shooters: tuple[Offence, ...] = ()
    own: tuple[Offence, ...] = ()

    @property
    def spoils_pots(self) -> bool:
        """Whether a rule was broken before or during the stroke: then nothing that fell counts (C-23, C-24)."""
        return any(not one.after for one in self.own)


def judged_by(rules: PartyRules, terms: Terms, state: PartyState, stroke: Stroke) -> Verdict[PartyState]:
    """The ruling on one stroke."""
    if state.phase is Phase.LAG:
        return judge_lag(terms, state, stroke, "RP-7", *rules.besides)
    case = case_of(terms, state, stroke)
    return _judge_stroke(rules, case) if stroke.is_played else _judge_between(rules, case)


def _weighed(case: Case, pots: Pots) -> Weighed:
    """The offences of a stroke."""
    every = (*offences_of(case), *pot_offences(case, pots))
    if is_repeated(case):  # a ball that stayed in the house has begun nothing (RP-4): only what people saw is charged
        every = tuple(one for one in every if one.reason.message is Message.FOUL and one.rules[0] != "RP-20")
    passes = case.terms.options.flag("touch_before_stroke_passes_turn")
    before = {entry.by or case.state.shooter for entry in case.stroke.inputs("touch") if entry.when == "before"}
    shooters = tuple(own_offences(case, every))
    own = [one for one in shooters if not is_harmless(one)]
    if not passes and case.stroke.is_played:
        own = [one for one in own if not (one.rules[0] == "RP-21" and one.player in before and not one.after)]
    return Weighed(every=every, shooters=shooters, own=tuple(own))


def _judge_stroke(rules: PartyRules, case: Case) -> Verdict[PartyState]:
    """A stroke with the cue."""
    pots = pots_of(rules, case)
    weighed = _weighed(case, pots)
    if pots.question is not None and (not weighed.spoils_pots or rules.has_prize):
        return Verdict(asking(pots.question, *ASKS.get(pots.question.kind, (rules.call,)), *rules.besides), case.state)
    if is_repeated(case):
        return _repeated(rules, case, weighed)
    counts = not weighed.spoils_pots
    changes = [ScoreChange(case.side, pots.points, pots.rules[0])] if counts and pots.points else []
    ending = ending_of(case, changes, scored=counts and pots.points > 0)
    if ending.winners:
        weighed = Weighed()  # after the last ball there is no penalty (C-24)
    charges = _charges(rules, case, pots, weighed)
    if not ending.winners:
        ending = ending_of(case, [*changes, *charges], scored=counts and pots.points > 0)
    is_opening = case.state.phase is Phase.OPENING
    keeps_off = case.terms.options.flag("offtable_keeps_turn")
    lost, off_said = turn_lost(case, "RP-45", off_loses=not keeps_off)
    stays = counts and pots.keep_turn and not weighed.own and not lost
    counted = pots if counts else Pots(judged=tuple((replace(pot, is_valid=False), one) for pot, one in pots.judged))
    respots = respots_of(case, counted, named_in(case, "fell_by_itself"))
    said = (
        *_pot_reasons(rules, case, pots, counts=counts),
        *(one.reason for one in weighed.every),
        *_prize_reasons(rules, pots, weighed),
        *off_said,
        *respot_reasons(case, respots),
        *ending.reasons,
    )
    ruling = _ruling(rules, case, weighed, changes=(*changes, *charges), respots=respots, ending=ending, said=said)
    ruling = replace(
        ruling,
        turn=Turn.STAYS if stays or ending.winners else Turn.PASSES,
        rules=cited(
            pots.rules if counts or rules.has_prize or is_opening else (),
            (rules.call,) if pots.judged and case.terms.options.text("call") != "none" and not is_opening else (),
            ruling.rules,
            ("C-26",),
            _opening_rules(case) or _hand_rules(case),
            _carom_rules(rules, case, pots, weighed),
        ),
    )
    streak = streak_of(rules, case, pots, counts=counts)
    return Verdict(ruling, _settled(case, ruling, ending, streak, scored=counts and pots.points > 0))


def _charges(rules: PartyRules, case: Case, pots: Pots, weighed: Weighed) -> tuple[ScoreChange, ...]:
    """The penalty points of a stroke; an error while potting gives the pot's prize to the opponent (FB-6, FB-A2)."""
    if not _has_prize(rules, pots, weighed):
        return charges_of(case, weighed.shooters, weighed.every)
    mode = case.terms.options.text("error_on_pot")
    to = (case.side + 1) % len(case.state.scores)
    error = dearest(case.terms, weighed.own)[0]
    prize = Offence(rules=("FB-6",), player=case.state.shooter, points=pots.points, reason=error.reason)
    given = charged(case.terms, case.state, prize, to, mode="transfer" if mode == "transfer" else "add_to_opponent")
    own = () if mode != "prize_plus_penalty" else weighed.own
    others = tuple(one for one in weighed.every if one not in weighed.own)
    return (*given, *charges_of(case, own, (*own, *others)))


def _has_prize(rules: PartyRules, pots: Pots, weighed: Weighed) -> bool:
    """Whether the opponent gets what a pot would have earned (FB-6)."""
    return rules.has_prize and weighed.spoils_pots and pots.points > 0


def _prize_reasons(rules: PartyRules, pots: Pots, weighed: Weighed) -> tuple[Reason, ...]:
    """What a ruling says about a prize that goes to the opponent."""
    has_prize = _has_prize(rules, pots, weighed)
    return (Reason(Message.PRIZE_TO_OPPONENT, (pots.points,), "FB-6"),) if has_prize else ()


def _repeated(rules: PartyRules, case: Case, weighed: Weighed) -> Verdict[PartyState]:
    """An opening whose ball did not leave the house is played again by the same player, with no penalty (RP-4)."""
    charges = charges_of(case, weighed.shooters, weighed.every)
    ending = ending_of(case, charges, scored=False)
    said = (Reason(Message.OPENING_REPEATED, (), "RP-4"), *(one.reason for one in weighed.every), *ending.reasons)
    ruling = _ruling(rules, case, weighed, changes=charges, respots=restored(case), ending=ending, said=said)
    ruling = replace(ruling, rules=cited(("RP-3", "RP-4"), ruling.rules))
    after = _settled(case, ruling, ending, case.state.yellow_middle_by, scored=False)
    return Verdict(ruling, after if ending.winners else replace(after, phase=Phase.OPENING))


def _judge_between(rules: PartyRules, case: Case) -> Verdict[PartyState]:
    """An entry without a stroke: touches, balls that fell by themselves, balls moved by hand (RP-21, RP-A10, MP-40)."""
    weighed = _weighed(case, Pots())
    passes = bool(weighed.own) and case.terms.options.flag("touch_before_stroke_passes_turn")
    fell = tuple(dict.fromkeys((*fallen_balls(case), *named_in(case, "fell_by_itself"))))
    respots = list(respots_of(case, Pots(), fell))
    put = {respot.ball for respot in respots}
    touched = named_in(case, "touch")
    if any(entry.ball is None for entry in case.stroke.inputs("touch")):
        touched = tuple(dict.fromkeys((*touched, *(event.ball for event in case.stroke.facts.moved))))
    respots += [stood(ball, case.before) for ball in touched if ball not in put]
    charges = charges_of(case, weighed.shooters, weighed.every)
    ending = ending_of(case, charges, scored=False)
    said = (
        *(one.reason for one in weighed.every),
        *(Reason(Message.FELL_BY_ITSELF, (ball.name,), "MP-40") for ball in fell),
        *respot_reasons(case, tuple(respots)),
        *ending.reasons,
    )
    ruling = _ruling(rules, case, weighed, changes=charges, respots=tuple(respots), ending=ending, said=said)
    touch = ("RP-A10",) if touched else ()
    ruling = replace(
        ruling,
        turn=Turn.PASSES if passes and not ending.winners else Turn.STAYS,
        rules=cited(ruling.rules, touch, ("RP-29",) if fell else ()),
    )
    return Verdict(ruling, _settled(case, ruling, ending, case.state.yellow_middle_by, scored=False))


def _ruling(
    rules: PartyRules,
    case: Case,
    weighed: Weighed,
    *,
    changes: Sequence[ScoreChange],
    respots: tuple[Respot, ...],
    ending: Ending,
    said: tuple[Reason, ...],
) -> Ruling:
    """A ruling with the rules that all kinds of entries cite."""
    foul = dearest(case.terms, weighed.shooters)
    besides = rules.besides if weighed.every or respots or ending.rules else ()
    prize = ("FB-6", "FB-A2") if any(change.rule == "FB-6" for change in changes) else ()
    return Ruling(
        changes=tuple(changes),
        foul=foul[0].rules[0] if foul else None,
        fouls=cited(*(one.rules for one in weighed.shooters), prize, rules.besides if weighed.shooters else ()),
        rules=cited(
            *(one.rules for one in weighed.every),
            prize,
            (reason.rule for reason in said),
            respot_rules(case, respots),
            ending.rules,
            _ending_rules(rules, case, ending),
            _charge_rules(weighed),
            besides,
        ),
        respots=respots,
        reasons=said,
        warnings=without_effect(case),
        winners=ending.winners,
    )


def _pot_reasons(rules: PartyRules, case: Case, pots: Pots, *, counts: bool) -> tuple[Reason, ...]:
    """What a ruling says about the pots, or the lack of them."""
    if not counts:
        return tuple(Reason(Message.POT_VOID, (pot.ball.name,), "C-23") for pot in pots_to_judge(case))
    said = list(pots.reasons)
    extra_rule = rules.extra if any(pot.is_valid for pot, _ in pots.judged) else rules.uncalled
    said += [Reason(Message.EXTRA_BALL, (ball.name,), extra_rule) for ball in pots.extra]
    said += [Reason(Message.FELL_BY_ITSELF, (ball.name,), "MP-40") for ball in named_in(case, "fell_by_itself")]
    if is_waived(case) and not balls_touched(case.stroke.facts):
        said.append(Reason(Message.MISS_WAIVED, (), "MP-40"))
    if len(pots.counted) > 1:
        said = [replace(reason, rule="RP-16") if index else reason for index, reason in enumerate(said)]
    if not case.stroke.facts.pots:
        said.append(Reason(Message.MISS if is_miss(case) else Message.NOTHING_POTTED, (), "C-26"))
    return tuple(said)


def _charge_rules(weighed: Weighed) -> tuple[str, ...]:
    """The rules by which offences are charged: who pays whom, which of several, which come after the stroke."""
    several = ("C-25", "RP-A11") if len(weighed.shooters) > 1 else ()
    late = ("C-24",) if any(one.after for one in weighed.every) else ()
    return (*(("RP-A1",) if any(one.points for one in weighed.every) else ()), *several, *late)


def _ending_rules(rules: PartyRules, case: Case, ending: Ending) -> tuple[str, ...]:
    """The rules that an ending rests on besides its own: a handicap (RP-50, RP-A8), no draw in Five balls (FB-8)."""
    given = any(case.terms.setup.handicap(side).points for side in ending.winners)
    return (*(("RP-50", "RP-A8") if given else ()), *(("FB-8",) if ending.winners and rules.has_prize else ()))


def _carom_rules(rules: PartyRules, case: Case, pots: Pots, weighed: Weighed) -> tuple[str, ...]:
    """What Five balls says where no carom pot was made: none without a pot (C-35), the plain penalties (FB-A3)."""
    if not rules.has_prize:
        return ()
    if not pots.judged:
        return ("C-35",) if len(balls_touched(case.stroke.facts)) > 1 else ()
    return ("FB-A3",) if weighed.spoils_pots and not pots.points else ()


def _opening_rules(case: Case) -> tuple[str, ...]:
    """The rules of the first stroke of either side (RP-3 to RP-8)."""
    if case.state.phase is not Phase.OPENING:
        return ()
    return ("RP-3", "RP-4", "RP-6", *(("RP-8",) if is_miss(case) else ()))


def _hand_rules(case: Case) -> tuple[str, ...]:
    """The rules of a stroke from hand: the second side's first one, which may pot any ball, or a later one."""
    if not case.stroke.from_hand:
        return ()
    return ("RP-34",) if case.side in case.state.opened else ("RP-34", "RP-6")


def _settled(case: Case, ruling: Ruling, ending: Ending, streak: str | None, *, scored: bool) -> PartyState:
    """The state after a ruling, with the game's own memory."""
    state = case.state
    settled = settle(case.terms.setup, state, case.stroke, ruling)
    return replace(
        settled,
        yellow_middle_by=streak,
        opened=state.opened | {case.side} if case.stroke.is_played else state.opened,
        potted=state.potted | ({case.side} if scored else frozenset()),
        is_mandatory=ending.is_mandatory,
        waiting=waiting_after(case, ruling.respots),
    )
