"""Who drove a potted ball in, or whether it fell by itself (C-33, KZ-23, MP-40)."""

from scoring.balls import Ball
from scoring.events import Potted
from scoring.five_ball.case import AnyCase
from scoring.questions import balls_touched, chain_to
from scoring.rulings import Choice, Question, QuestionKind


def chain_of(case: AnyCase, pot: Potted) -> tuple[Ball, ...] | Question | None:
    """The balls that drove a ball in; None when it fell by itself; a question when that must be asked."""
    facts, table = case.stroke.facts, case.terms.setup.table
    frozen = case.before.frozen_pairs(table) if case.before else ()
    chain = chain_to(facts, pot, frozen)
    if chain is not None:
        return chain
    if case.stroke.answer("fell_by_itself") is True:
        return None
    driver = case.stroke.answer("chain")
    if driver is False:
        return None
    if isinstance(driver, Ball):
        return () if driver == facts.cue else (driver,)
    if not facts.contacts and case.stroke.answer("fell_by_itself") is None:
        return fell_by_itself_question(pot)
    met = [ball for ball in balls_touched(facts) if ball != pot.ball]
    drivers = dict.fromkeys((*(ball for ball in (facts.cue,) if ball), *met))
    choices = (*(Choice(ball) for ball in drivers), Choice(value=False))
    return Question(kind=QuestionKind.CHAIN, choices=choices, about=pot.ball, open=True)


def fell_by_itself_question(pot: Potted) -> Question:
    """Whether a ball fell by itself."""
    yes_or_no = (Choice(value=True), Choice(value=False))
    return Question(kind=QuestionKind.FELL_BY_ITSELF, choices=yes_or_no, about=pot.ball)
