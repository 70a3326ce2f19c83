"""Kaisa: five balls, called shots, caroms, 60 points (rules, section 5)."""

from collections.abc import Sequence
from dataclasses import replace

from scoring.balls import FIVE_BALL_SET, WHITE_1, WHITE_2, YELLOW, Ball, BallKind
from scoring.errors import ScoringError
from scoring.events import Potted
from scoring.five_ball.case import Pot
from scoring.five_ball.charges import charges_of, own_offences
from scoring.five_ball.floor import fallen_balls, named_in, tight_to_the_cushion, turn_lost
from scoring.five_ball.start import begin, case_of, judge_lag, targets
from scoring.game import Game, Verdict
from scoring.games.kaisa_calls import Closing, called_pot, closing_of
from scoring.games.kaisa_fouls import offences_of, winners_of
from scoring.games.kaisa_pots import Case, KaisaState, forbidden_first_pots, streak_of
from scoring.layout import Layout
from scoring.penalties import dearest
from scoring.questions import balls_hit_first
from scoring.rulings import Message, Place, Reason, Respot, Ruling, ScoreChange, Turn, asking, cited
from scoring.setup import Beginning, Phase
from scoring.spots import five_ball_rack, point_of, spotted, stood
from scoring.standing import Standing, Stroke, Terms, layout_at_rest, settle

NO_EFFECT = ("prompting", "stalemate_warning", "ball_number")
ORDERS = {
    BallKind.RED: (Place.S1, Place.S3, Place.FRONT_MIDDLE),
    BallKind.YELLOW: (Place.S2, Place.S1, Place.S3, Place.FRONT_MIDDLE),
}
"""Where a ball goes back: KZ-50 for reds, KZ-51 and KZ-53 for the yellow."""


def start(terms: Terms, beginning: Beginning) -> KaisaState:
    """The standing before the first stroke (KZ-3, KZ-7, KZ-10)."""
    setup, options = terms.setup, terms.options
    for side in range(len(setup.sides)):
        given = setup.handicap(side)
        if given.caroms or given.off_table or given.not_taken_off:
            message = "kaisa: a handicap can only be given in points"
            raise ScoringError(message)
        if max(given.points, given.credit) >= options.number("target"):
            message = (
                f"kaisa: a handicap of {max(given.points, given.credit)} leaves nothing of {options.number('target')}"
            )
            raise ScoringError(message)
    fresh = (beginning.phase or Phase.OPENING) in (Phase.LAG, Phase.OPENING)
    opened: frozenset[int] = frozenset() if fresh else frozenset(range(len(setup.sides)))
    return begin(KaisaState, terms, beginning, second_white=options.text("second_white_at_start"), opened=opened)


def needs_call(terms: Terms, state: Standing) -> bool:
    """Whether the next stroke must be called (KZ-15)."""
    return state.phase in (Phase.OPENING, Phase.PLAY) and terms.options.text("call") != "none"


def judge(terms: Terms, state: KaisaState, stroke: Stroke) -> Verdict[KaisaState]:
    """The ruling on one stroke."""
    if state.phase is Phase.LAG:
        return judge_lag(terms, state, stroke, choice=terms.options.text("lag_choice"))
    case = case_of(terms, state, stroke)
    return _judge_stroke(case) if stroke.is_played else _judge_between(case)


def _judge_stroke(case: Case) -> Verdict[KaisaState]:
    """A stroke with the cue; a ball on the floor may lose the turn (KZ-45, KZ-A14)."""
    offences = offences_of(case)
    own = own_offences(case, offences)
    forbidden = forbidden_first_pots(case)
    pot: Pot | None = None
    potted: Potted | None = None
    if all(one.after for one in own) and not forbidden:
        pot, potted = called_pot(case)
        if pot is not None and pot.question is not None:
            return Verdict(asking(pot.question, "KZ-15"), case.state)
    closing = closing_of(case, pot) if pot is not None and pot.is_valid else None
    if closing is not None and closing.wins:
        offences, own = (), []  # after the last ball there is no penalty (C-24)
    keeps = not (pot and pot.caroms) and case.terms.options.text("offtable_plain_pot") == "keeps_turn"
    lost, said = turn_lost(case, "KZ-45", off_loses=not keeps)
    passes = closing is None or not closing.stays or lost or bool(own)
    changes = [ScoreChange(case.side, closing.points, closing.rules[0])] if closing and closing.points else []
    charges = charges_of(case, own, offences)
    wins = winners_of(case, closing, changes, charges)
    respots = respots_of(case, pot, ends_series=passes)
    foul = dearest(case.terms, own)
    reasons = _reasons(case, pot, forbidden, closing) + _returned(case, respots)
    ruling = Ruling(
        changes=(*changes, *charges),
        foul=foul[0].rules[0] if foul else None,
        fouls=cited(*(one.rules for one in own)),
        rules=cited(
            closing.rules if closing else (),
            pot.rules if pot else (),
            _call_rules(case, pot),
            ("KZ-8", "KZ-9", "KZ-A11") if forbidden else (),
            *(one.rules for one in offences),
            (reason.rule for reason in (*said, *reasons)),
            ("KZ-A14",) if any(one.rule == "KZ-45" for one in said) and not (pot and pot.caroms) else (),
            _respot_rules(respots),
            ("KZ-A9",) if YELLOW in {one.ball for one in respots} and case.state.yellow_waits else (),
            _hand_rules(case),
        ),
        turn=Turn.PASSES if passes and not wins else Turn.STAYS,
        respots=respots,
        reasons=(*reasons, *(one.reason for one in offences), *said),
        warnings=_without_effect(case),
        winners=wins,
    )
    return Verdict(ruling, _settled(case, ruling, streak_of(case, pot, potted)))


def _settled(case: Case, ruling: Ruling, streak: str | None) -> KaisaState:
    """The state after a ruling, with Kaisa's own memory."""
    put = {respot.ball: respot for respot in ruling.respots}
    waits = case.state.yellow_waits
    if YELLOW in put:
        waits = put[YELLOW].place not in (Place.S2, Place.WHERE_IT_STOOD)
    elif YELLOW in case.stroke.facts.in_motion and case.terms.options.text("yellow_return") == "if_unmoved":
        waits = False
    opened = case.state.opened | {case.side} if case.stroke.is_played else case.state.opened
    settled = settle(case.terms.setup, case.state, case.stroke, ruling)
    return replace(settled, yellow_middle_by=streak, yellow_waits=waits, opened=opened)


def respots_of(case: Case, pot: Pot | None, *, ends_series: bool) -> tuple[Respot, ...]:
    """What people must put where before the next stroke (KZ-50 to KZ-55), the yellow first (RP-44)."""
    table = case.terms.setup.table
    told = named_in(case, "fell_by_itself") if case.stroke.is_played else ()
    fallen = tuple(dict.fromkeys((*fallen_balls(case), *told)))
    if not fallen and not case.stroke.facts.off and not case.state.yellow_waits:
        return ()
    respots = list(tight_to_the_cushion(case, fallen))
    layout = (layout_at_rest(case.stroke) or Layout()).without(fallen)
    layout = layout.with_places({respot.ball: respot.at for respot in respots if respot.at})
    if ends_series and YELLOW not in fallen and _yellow_returns(case, layout):
        place = point_of(Place.S2, table)
        respots.append(Respot(YELLOW, Place.S2, place))
        layout = layout.with_places({YELLOW: place} if place else {})
    for ball in sorted(fallen, key=lambda ball: (ball.kind is not BallKind.YELLOW, ball.name)):
        respot = _put_back(case, ball, layout, pot)
        respots.append(respot)
        layout = layout.with_places({ball: respot.at} if respot.at else {})
    return tuple(respots)


def _put_back(case: Case, ball: Ball, layout: Layout, pot: Pot | None) -> Respot:
    """Where one fallen ball goes (KZ-A10)."""
    options, table = case.terms.options, case.terms.setup.table
    if ball.kind is BallKind.WHITE and not (pot and pot.ball == ball and pot.stays_where_it_stood):
        return Respot(ball, Place.IN_HAND)
    is_void = pot is None or not pot.is_valid or pot.ball != ball
    wanted = options.text("void_pot_goes_to")
    banned = pot is not None and pot.ball == ball and pot.stays_where_it_stood
    if (banned and wanted != "spot") or (is_void and wanted == "where_it_stood"):
        back = stood(ball, case.before)
        if back.at is None or layout.is_free(back.at, table):
            return back
    cue_at = layout.at(case.own)
    nearest = options.text("cushion_spot") == "nearest_to_cue_ball" and cue_at is not None
    rear = nearest and cue_at is not None and cue_at.x_mm > table.length_mm / 2
    return (
        spotted(ball, ORDERS[ball.kind], layout, table, rear=rear)
        if ball.kind in ORDERS
        else Respot(ball, Place.IN_HAND)
    )


def _yellow_returns(case: Case, layout: Layout) -> bool:
    """Whether the yellow goes back to the second spot after the series (KZ-52, KZ-A9)."""
    moved = YELLOW in case.stroke.facts.in_motion
    waits = case.state.yellow_waits and (not moved or case.terms.options.text("yellow_return") == "always")
    place = point_of(Place.S2, case.terms.setup.table)
    return waits and place is not None and layout.without([YELLOW]).is_free(place, case.terms.setup.table)


def _returned(case: Case, respots: Sequence[Respot]) -> tuple[Reason, ...]:
    """What a ruling says when the yellow goes back to its spot though it had not fallen."""
    fallen = {pot.ball for pot in case.stroke.facts.pots} | {event.ball for event in case.stroke.facts.off}
    back = any(respot.ball == YELLOW for respot in respots) and YELLOW not in fallen
    return (Reason(Message.YELLOW_RETURNS, (), "KZ-52"),) if back else ()


def _respot_rules(respots: Sequence[Respot]) -> tuple[str, ...]:
    """The rules by which balls go back, before the next stroke (KZ-50 to KZ-55)."""
    rules: list[str] = ["KZ-55"] if respots else []
    for respot in respots:
        on_spot = respot.place in (Place.S1, Place.S2, Place.S3, Place.WHERE_IT_STOOD)
        match respot.ball.kind:
            case BallKind.RED:
                rules += ["KZ-50"] if on_spot else ["KZ-50", "KZ-A10"]
            case BallKind.YELLOW:
                rules += ["KZ-51"] if on_spot and respot.place is not Place.S3 else ["KZ-51", "KZ-53"]
            case _:
                rules.append("KZ-54")
    return tuple(rules)


def _call_rules(case: Case, pot: Pot | None) -> tuple[str, ...]:
    """The rules of the call that a pot has met (KZ-15, KZ-18, KZ-A2)."""
    if pot is None or case.terms.options.text("call") == "none":
        return ()
    return ("KZ-15", "KZ-18", *(("KZ-A2",) if pot.caroms else ()))


def _hand_rules(case: Case) -> tuple[str, ...]:
    """The rules of a stroke from hand and of the first one (KZ-7, KZ-8)."""
    first = ("KZ-8",) if case.state.phase is Phase.OPENING else ()
    return ("KZ-7", *first) if case.stroke.from_hand or first else ()


def _reasons(case: Case, pot: Pot | None, forbidden: Sequence[Ball], closing: Closing | None) -> tuple[Reason, ...]:
    """What a ruling says about the pots, or the lack of them."""
    said = list(pot.reasons) if pot is not None else []
    said += [Reason(Message.FORBIDDEN_FIRST_SHOT, (ball.name,), "KZ-8") for ball in forbidden]
    extra = [
        one.ball for one in case.stroke.facts.pots if one.ball != case.own and (pot is None or one.ball != pot.ball)
    ]
    if pot is not None and pot.is_valid:
        said += [Reason(Message.EXTRA_BALL, (ball.name,), "KZ-26") for ball in extra]
    said += [Reason(Message.FELL_BY_ITSELF, (ball.name,), "MP-40") for ball in named_in(case, "fell_by_itself")]
    if closing is not None and closing.wins:
        said.append(Reason(Message.WINS, (case.terms.setup.sides[case.side].name,), "KZ-30"))
    elif closing is not None and "KZ-33" in closing.rules:
        said.append(Reason(Message.CLOSING_BALL_NEEDED, (case.state.scores[case.side] + closing.points,), "KZ-33"))
    if not case.stroke.facts.pots:
        touched = bool(balls_hit_first(case.stroke.facts))
        said.append(Reason(Message.NOTHING_POTTED if touched else Message.MISS, (), "KZ-18" if touched else "KZ-40"))
    return tuple(said)


def _without_effect(case: Case) -> tuple[Reason, ...]:
    """Inputs that Kaisa has no rule for."""
    return tuple(Reason(Message.HAS_NO_EFFECT, (e.kind,)) for e in case.stroke.referee if e.kind in NO_EFFECT)


def _judge_between(case: Case) -> Verdict[KaisaState]:
    """An entry without a stroke: touches, balls that fell by themselves, balls moved by hand (RP-A10, MP-40)."""
    offences = offences_of(case)
    own = own_offences(case, offences)
    passes = bool(own) and case.terms.options.flag("touch_before_stroke_passes_turn")
    respots = list(respots_of(case, None, ends_series=passes))
    put = {respot.ball for respot in respots}
    told = [ball for ball in named_in(case, "fell_by_itself") if ball not in put]
    layout = case.before or Layout()
    respots += [_put_back(case, ball, layout.without([ball]), None) for ball in told]
    respots += [stood(ball, case.before) for ball in named_in(case, "touch") if ball not in put]
    foul = dearest(case.terms, own)
    charges = charges_of(case, own, offences)
    fell = [Reason(Message.FELL_BY_ITSELF, (ball.name,), "MP-40") for ball in told]
    ruling = Ruling(
        changes=charges,
        foul=foul[0].rules[0] if foul else None,
        fouls=cited(*(one.rules for one in own)),
        rules=cited(*(one.rules for one in offences), (reason.rule for reason in fell)),
        turn=Turn.PASSES if passes else Turn.STAYS,
        respots=tuple(respots),
        reasons=(*(one.reason for one in offences), *fell),
        warnings=_without_effect(case),
        winners=winners_of(case, None, (), charges),
    )
    return Verdict(ruling, _settled(case, ruling, case.state.yellow_middle_by))


KAISA = Game(
    name="kaisa",
    balls=FIVE_BALL_SET,  # KZ-1
    cue_balls=(WHITE_1, WHITE_2),
    side_counts=(2,),
    first_phase=Phase.LAG,
    rack=five_ball_rack,
    start=start,
    judge=judge,
    targets=targets,
    needs_call=needs_call,
)
