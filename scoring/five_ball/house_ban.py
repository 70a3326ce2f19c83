"""Balls in the house may not be potted by a direct shot (RP-30, RP-31, KZ-A12)."""

from scoring.balls import RED_1, RED_2, YELLOW, Ball
from scoring.events import Potted
from scoring.five_ball.case import AnyCase
from scoring.house import all_in_house, is_direct, is_in_house, is_met_in_house
from scoring.layout import Layout
from scoring.rulings import Choice, Question, QuestionKind

COLOURED = frozenset((RED_1, RED_2, YELLOW))


def house_ban(case: AnyCase, pot: Potted, chain: tuple[Ball, ...]) -> bool | Question:
    """Whether a pot was a direct shot at a house ball; a question when nobody knows where the ball lay.

    A ball outside the house that drives in one that stands inside is no direct shot.
    """
    if not is_direct(case.stroke.facts, pot.ball, chain, any_cushion=all_objects_in_house(case)):
        return False
    in_house = stood_in_house(case, pot.ball)
    if in_house is None:
        choices = (Choice(value=False), Choice(value=True))
        return Question(kind=QuestionKind.LAYOUT, choices=choices, about=pot.ball, open=True)
    return in_house and not (chain and stood_in_house(case, chain[0]) is False)


def all_objects_in_house(case: AnyCase) -> bool:
    """Whether all object balls lay in the house at a stroke from hand: then any cushion will do (RP-31)."""
    layout = case.before or Layout()
    objects = COLOURED | (layout.places.keys() - {case.own})
    line = case.terms.options.flag("line_is_house")
    return case.stroke.from_hand and all_in_house(layout, objects, case.terms.setup.table, line_is_house=line)


def stood_in_house(case: AnyCase, ball: Ball) -> bool | None:
    """Whether a ball stood in the house; an answer says it by its place, or by true and false. None: nobody knows."""
    before, told = case.before, case.stroke.answer("layout")
    if isinstance(told, bool):
        return told
    place = told.get(ball) if isinstance(told, dict) else None
    place = place or (before.at(ball) if before else None)
    if place is None:
        is_lost = before is None or ball in before.lost
        return is_met_in_house(case.stroke.facts, ball, case.terms.setup.table) if is_lost else False
    return is_in_house(place, case.terms.setup.table, line_is_house=case.terms.options.flag("line_is_house"))
