"""Which of the balls that fell count, and what they are worth (MP-4, MP-8, MP-11, MP-12, MP-29, MP-40, MP-47)."""

from dataclasses import dataclass

from scoring.balls import Ball
from scoring.events import Potted
from scoring.pyramid.calls import call_question, is_called_stroke, is_free_stroke, told_of
from scoring.pyramid.house import House
from scoring.pyramid.state import BONUS_POINTS, Case, value_of
from scoring.questions import chain_to
from scoring.rulings import Choice, Message, Question, QuestionKind, Reason, ScoreChange
from scoring.setup import Phase

HUNG_S = 5.0
"""A ball that hung this long in a pocket's mouth fell by itself (MP-A3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The pots that count, and the balls that go back on the table."""

    pots: tuple[Potted, ...] = ()
    back: tuple[Ball, ...] = ()
    fell: tuple[Ball, ...] = ()
    is_house_only: bool = False
    rules: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    question: Question | None = None


def counted_of(case: Case, house: House, *, is_void: bool) -> Counted:
    """The pots that count in a stroke; none where a rule was broken (C-23, MP-29, MP-30)."""
    fell = fallen_by_themselves(case)
    pots = [pot for pot in case.fallen if pot.ball not in fell]
    reasons = tuple(Reason(Message.FELL_BY_ITSELF, (ball.name,), "MP-40") for ball in fell)
    if not pots or is_void:
        said = tuple(Reason(Message.POT_VOID, (pot.ball.name,), "C-23") for pot in pots)
        balls = tuple(pot.ball for pot in pots)
        return Counted(back=(*balls, *fell), fell=fell, reasons=(*reasons, *said))
    closed = _in_house(house, pots)
    if isinstance(closed, Question):
        return Counted(question=closed)
    open_pots = [pot for pot in pots if pot.ball not in closed]
    worth = _worthy(case, open_pots)
    if worth.question is not None:
        return worth
    voids = tuple(Reason(Message.HOUSE_BALL_VOID, (ball.name,), "MP-47") for ball in closed)
    return Counted(
        pots=worth.pots,
        back=(*closed, *worth.back, *fell),
        fell=fell,
        is_house_only=bool(closed) and not open_pots,
        rules=worth.rules,
        reasons=(*worth.reasons, *voids, *reasons),
    )


def changes_of(case: Case, counted: Counted) -> tuple[ScoreChange, ...]:
    """The points of the pots, with ten more when the last ball has gone (MP-4, MP-A9)."""
    changes = [ScoreChange(case.side, value_of(case.terms, pot.ball), "MP-4") for pot in counted.pots]
    if is_last(case, counted):
        changes.append(ScoreChange(case.side, BONUS_POINTS, "MP-4"))
    return tuple(changes)


def is_last(case: Case, counted: Counted) -> bool:
    """Whether these pots clear the table."""
    return bool(counted.pots) and case.state.in_play == {pot.ball for pot in counted.pots}


def pot_reasons(case: Case, counted: Counted) -> tuple[Reason, ...]:
    """What a ruling says about the pots that count."""
    said = [
        Reason(Message.POTTED, (pot.ball.name, pot.pocket.value, value_of(case.terms, pot.ball)), "MP-4")
        for pot in counted.pots
    ]
    if is_last(case, counted):
        said.append(Reason(Message.LAST_BALL, (BONUS_POINTS,), "MP-4"))
    return tuple(said)


def fallen_by_themselves(case: Case) -> tuple[Ball, ...]:
    """The balls that people say fell by themselves (MP-40); where agreed, only if they had hung long enough (MP-A3)."""
    named = {entry.ball for entry in case.stroke.inputs("fell_by_itself")}
    fallen = {pot.ball for pot in case.fallen}
    answer = case.stroke.answer("fell_by_itself")
    if None in named or answer is True:
        named |= {pot.ball for pot in case.fallen if _is_unmoved(case, pot)}
    if isinstance(answer, Ball):
        named.add(answer)
    told = {ball for ball in named if ball is not None and ball in case.state.in_play}
    told = {ball for ball in told if ball not in fallen or _has_hung(case, ball)}
    return tuple(sorted(told, key=lambda ball: ball.number or 0))


def _is_unmoved(case: Case, pot: Potted) -> bool:
    """Whether nothing is known to have driven a ball in."""
    frozen = case.before.frozen_pairs(case.table) if case.before else ()
    return chain_to(case.stroke.facts, pot, frozen) is None


def _has_hung(case: Case, ball: Ball) -> bool:
    """Whether a ball hung in the mouth long enough to have fallen by itself; without that option any time will do."""
    if case.terms.options.text("hanging_ball") == "respot":
        return True
    facts = case.stroke.facts
    fell_s = next(pot.t_s for pot in facts.pots if pot.ball == ball)
    touched = [one.t_s for one in facts.contacts if ball in (one.ball, one.other) and one.t_s <= fell_s]
    touched += [hit.t_s for hit in facts.cushions if hit.ball == ball and hit.t_s <= fell_s]
    return not touched or fell_s - max(touched) >= HUNG_S


def _in_house(house: House, pots: list[Potted]) -> tuple[Ball, ...] | Question:
    """The potted balls that lay in the house when it was closed to the shooter (MP-47)."""
    if not house.is_closed:
        return ()
    closed: list[Ball] = []
    for pot in pots:
        held = house.holds(pot.ball)
        if isinstance(held, Question):
            return held
        closed += [pot.ball] * held
    return tuple(closed)


def _worthy(case: Case, pots: list[Potted]) -> Counted:
    """The pots that count by the call, or all of them where none is needed."""
    if not is_called_stroke(case):
        return _without_call(case, pots)
    told = told_of(case)
    if not told.is_known:
        return Counted(question=call_question(case)) if pots else Counted()
    meant = [pot for pot in pots if told.means(pot)]
    if not meant:
        said = tuple(Reason(Message.NOT_AS_CALLED, (pot.ball.name, pot.pocket.value), "MP-12") for pot in pots)
        return Counted(back=tuple(pot.ball for pot in pots), rules=("MP-10", "MP-12"), reasons=said)
    question = fall_question(case, meant[0])
    if question is not None:
        return Counted(question=question)
    return Counted(pots=tuple(pots), rules=("MP-10", "MP-11"))


def _without_call(case: Case, pots: list[Potted]) -> Counted:
    """The pots of a stroke that needs no call: the break, one beside a cluster, or a game without calls."""
    is_free = is_free_stroke(case)
    if is_free and not case.terms.options.flag("cluster_pots_count"):
        said = tuple(Reason(Message.POT_VOID, (pot.ball.name,), "MP-45") for pot in pots)
        return Counted(back=tuple(pot.ball for pot in pots), rules=("MP-45", "MP-A8"), reasons=said)
    rules = ("MP-45", "MP-A8") if is_free else ("MP-8",) if case.state.phase is Phase.OPENING else ("MP-10",)
    return Counted(pots=tuple(pots), rules=rules)


def fall_question(case: Case, pot: Potted) -> Question | None:
    """Asks whether a ball fell by itself when nothing was seen to touch it and nobody has told (MP-40, O14)."""
    told = case.stroke.answer("fell_by_itself") is not None or case.stroke.inputs("fell_by_itself")
    if told or not _is_unmoved(case, pot):
        return None
    choices = (Choice(value=True), Choice(value=False))
    return Question(kind=QuestionKind.FELL_BY_ITSELF, choices=choices, about=pot.ball)
