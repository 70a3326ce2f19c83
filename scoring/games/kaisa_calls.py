"""Kaisa's calls, and what a pot does near the end of the game (KZ-15 to KZ-18, KZ-30 to KZ-35)."""

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.balls import Ball, BallKind
from scoring.events import Potted
from scoring.games.kaisa_pots import Case, Pot, call_choices, pot_of, void
from scoring.questions import banks_before
from scoring.rulings import Message, Question, QuestionKind
from scoring.shots import Call
from scoring.standing import Standing, Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """What a pot does near the end: points that count, whether the turn stays, whether it wins."""

    points: int
    stays: bool
    wins: bool
    rules: tuple[str, ...]


def targets(terms: Terms, state: Standing) -> tuple[int | None, ...]:
    """The score each side needs: 60, less the points it was given (KZ-30, RP-50)."""
    whole = terms.options.number("target")
    less = terms.options.text("handicap_form") == "target"
    return tuple(whole - less * terms.setup.handicap(side).points for side in range(len(state.scores)))


def called_pot(case: Case) -> tuple[Pot | None, Potted | None]:
    """The pot that the stroke was about and what it is worth; (None, None) when nothing fell (KZ-15 to KZ-18)."""
    told_itself = {entry.ball for entry in case.stroke.inputs("fell_by_itself")}
    pots = [pot for pot in case.stroke.facts.pots if pot.ball != case.own and pot.ball not in told_itself]
    if not pots:
        return None, None
    if case.terms.options.text("call") == "none":
        return _first_worthy(case, pots)
    return _as_called(case, pots)


def _as_called(case: Case, pots: Sequence[Potted]) -> tuple[Pot | None, Potted | None]:
    """The pot that was called and what it is worth; a carom may need no call (KZ-A2)."""
    options = case.terms.options
    mode = options.text("call")
    if options.text("call_for_carom") == "no_call_if_carom":
        worth, pot = _first_worthy(case, [pot for pot in pots if pot_of(case, pot, called_bank=None).caroms])
        if worth is not None:
            return worth, pot
    not_as_called = void(pots[0].ball, Message.NOT_AS_CALLED, "KZ-18"), pots[0]
    call: object = case.stroke.call
    if not isinstance(call, Call) or call.ball is None or (call.pocket is None and mode != "ball"):
        call = case.stroke.answer("call")
    if case.stroke.inputs("not_as_called") or call is False:
        return not_as_called
    if not isinstance(call, Call):
        return _as_it_happened(case, pots, is_told=call is True)
    for pot in pots:
        if is_named(call.ball, pot.ball) and (mode == "ball" or call.pocket == pot.pocket):
            bank = bool(call.bank) if mode == "ball_pocket_bank" else None
            return pot_of(case, pot, called_bank=bank), pot
    return not_as_called


def is_named(name: Ball | None, ball: Ball) -> bool:
    """Whether a called name means a ball: by its own name or by its colour."""
    return name is not None and (name == ball or name.name == ball.colour)


def _first_worthy(case: Case, pots: Sequence[Potted]) -> tuple[Pot | None, Potted | None]:
    """The first ball that fell validly, else the first that fell."""
    worths = [(pot_of(case, pot, called_bank=None), pot) for pot in pots]
    worthy = [(worth, pot) for worth, pot in worths if worth.is_valid or worth.question is not None]
    return next(iter(worthy or worths), (None, None))


def _as_it_happened(case: Case, pots: Sequence[Potted], *, is_told: bool) -> tuple[Pot | None, Potted | None]:
    """The worth of a stroke whose call nobody entered; the call is asked for when it would matter."""
    worth, pot = _first_worthy(case, pots)
    if is_told or worth is None or pot is None or not (worth.is_valid or worth.question):
        return worth, pot
    bank = banks_before(case.stroke.facts, pot) > 0
    question = Question(kind=QuestionKind.CALL, choices=call_choices(pot, bank=bank), about=pot.ball, open=True)
    return Pot(ball=pot.ball, question=question), pot


def closing_of(case: Case, pot: Pot) -> Closing:
    """What a valid pot does at the score it meets (KZ-30 to KZ-35)."""
    options = case.terms.options
    score = case.state.scores[case.side]
    target = targets(case.terms, case.state)[case.side]
    assert target is not None
    stays = not pot.is_middle_again
    reaches = score + pot.points >= target
    if pot.ball.kind is not BallKind.WHITE or pot.caroms:
        rules = (*pot.rules, "KZ-30", "KZ-33") if reaches else pot.rules
        return Closing(points=pot.points, stays=stays, wins=reaches, rules=rules)
    if not reaches:
        return Closing(points=pot.points, stays=stays, wins=False, rules=pot.rules)
    points = {"count": pot.points, "clip60": min(pot.points, max(0, target - score)), "none": 0}
    counted = points[options.text("nonclosing_points")]
    if score >= target:
        stays, rule = options.text("nonclosing_over60") == "as58", "KZ-A7"
    else:
        stays, rule = (True, "KZ-31") if score == target - 2 else (False, "KZ-32")
    return Closing(points=counted, stays=stays, wins=False, rules=(*pot.rules, rule, "KZ-33"))
