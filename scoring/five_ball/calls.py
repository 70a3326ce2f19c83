"""Called pots: which of the balls that fell was meant, and what to ask when nobody entered the call."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from scoring.balls import Ball
from scoring.events import Potted
from scoring.five_ball.case import AnyCase, Pot, void
from scoring.questions import banks_before
from scoring.rulings import Choice, Message, Question, QuestionKind
from scoring.shots import Call

Worth: TypeAlias = Callable[[Potted, bool | None], Pot]
"""What a potted ball is worth, given whether a bank was called (None: it need not match)."""

Meant: TypeAlias = tuple[Pot | None, Potted | None]
"""The pot that a stroke was about, and its event."""


def pots_to_judge(case: AnyCase) -> tuple[Potted, ...]:
    """The balls that fell, but for the shooter's own and those said to have fallen by themselves."""
    told_itself = {entry.ball for entry in case.stroke.inputs("fell_by_itself")}
    return tuple(pot for pot in case.stroke.facts.pots if pot.ball != case.own and pot.ball not in told_itself)


def as_called(case: AnyCase, pots: Sequence[Potted], worth: Worth, rule: str) -> Meant:
    """The pot that was called and what it is worth; `rule` voids the others."""
    mode = case.terms.options.text("call")
    not_as_called = void(pots[0].ball, Message.NOT_AS_CALLED, rule), pots[0]
    call: object = case.stroke.call
    if not isinstance(call, Call) or call.ball is None or (call.pocket is None and mode != "ball"):
        call = case.stroke.answer("call")
    if case.stroke.inputs("not_as_called") or call is False:
        return not_as_called
    if isinstance(call, Ball):  # the answer names the ball only: it fell where it was meant to
        named = [pot for pot in pots if is_named(call, pot.ball)]
        return _as_it_happened(case, named, worth, is_told=True) if named else not_as_called
    if not isinstance(call, Call):
        return _as_it_happened(case, pots, worth, is_told=call is True)
    for pot in pots:
        if is_named(call.ball, pot.ball) and (mode == "ball" or call.pocket == pot.pocket):
            bank = bool(call.bank) if mode == "ball_pocket_bank" else None
            return worth(pot, bank), pot
    return not_as_called


def is_named(name: Ball | None, ball: Ball) -> bool:
    """Whether a called name means a ball: by its own name or by its colour."""
    return name is not None and (name == ball or name.name == ball.colour)


def first_worthy(pots: Sequence[Potted], worth: Worth) -> Meant:
    """The first ball that fell validly, else the first that fell."""
    worths = [(worth(pot, None), pot) for pot in pots]
    worthy = [(one, pot) for one, pot in worths if one.is_valid or one.question is not None]
    return next(iter(worthy or worths), (None, None))


def _as_it_happened(case: AnyCase, pots: Sequence[Potted], worth: Worth, *, is_told: bool) -> Meant:
    """The worth of a stroke whose call nobody entered; the call is asked for when it would matter."""
    one, pot = first_worthy(pots, worth)
    if is_told or one is None or pot is None or not (one.is_valid or one.question):
        return one, pot
    bank = banks_before(case.stroke.facts, pot) > 0
    as_played = Choice(Call(ball=pot.ball, pocket=pot.pocket, bank=bank))
    choices = (as_played, Choice(value=False))
    question = Question(kind=QuestionKind.CALL, choices=choices, about=pot.ball, open=True)
    return Pot(ball=pot.ball, question=question), pot
