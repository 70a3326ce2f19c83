"""Play from hand: balls in the house, and the temporary house (MP-28, MP-46 to MP-48)."""

from dataclasses import dataclass

from scoring.balls import CUE, Ball
from scoring.events import Contact
from scoring.house import all_in_house, is_in_house, is_met_in_house
from scoring.pyramid.state import Case, PyramidState
from scoring.questions import partner
from scoring.rulings import Choice, Question, QuestionKind
from scoring.standing import Terms
from scoring.table import Cushion


@dataclass(slots=True)
class House:
    """What is known and told of where balls lay in a stroke from hand; each plain answer serves one ball."""

    case: Case
    told: dict[Ball, bool]
    answers: list[bool]

    @property
    def is_closed(self) -> bool:
        """Whether balls in the house may not be hit: played from hand, and not all balls lie there (MP-46, MP-48)."""
        return self.case.stroke.from_hand and self.case.is_own_ball and not self.is_temporary

    @property
    def is_temporary(self) -> bool:
        """Whether the temporary house behind the third spot is played from (MP-48, C-7)."""
        return self.case.stroke.from_hand and is_all_in_house(self.case)

    def seen_to_hold(self, ball: Ball) -> bool | None:
        """Whether a ball lay in the house as far as is known; no answer is used up for it."""
        return self.told[ball] if ball in self.told else _is_known_in_house(self.case, ball)

    def holds(self, ball: Ball) -> bool | Question:
        """Whether a ball lay in the house; a question when nobody knows."""
        if ball not in self.told:
            known = _is_known_in_house(self.case, ball)
            if known is None and not self.answers:
                choices = (Choice(value=False), Choice(value=True))
                return Question(kind=QuestionKind.LAYOUT, choices=choices, about=ball, open=True)
            self.told[ball] = self.answers.pop(0) if known is None else known
        return self.told[ball]


def house_of(case: Case) -> House:
    """What people told about the house in a stroke: places and plain answers; the line is an option (MP-A10)."""
    options, table = case.terms.options, case.table
    told: dict[Ball, bool] = {}
    answers: list[bool] = []
    for answer in case.stroke.answers:
        if answer.to == QuestionKind.LAYOUT and isinstance(answer.value, bool):
            answers.append(answer.value)
        elif answer.to == QuestionKind.LAYOUT and isinstance(answer.value, dict):
            line = options.flag("line_is_house")
            told |= {ball: is_in_house(at, table, line_is_house=line) for ball, at in answer.value.items()}
    return House(case, told, answers)


def is_all_in_house(case: Case) -> bool:
    """Whether all object balls are known to lie in the house (MP-48)."""
    line = case.terms.options.flag("line_is_house")
    return case.before is not None and all_in_house(case.before, case.state.in_play, case.table, line_is_house=line)


def waits_in_temporary_house(terms: Terms, state: PyramidState) -> bool:
    """Whether the next stroke is played from the temporary house (MP-48)."""
    line = terms.options.flag("line_is_house")
    if CUE not in state.in_hand or state.layout is None:
        return False
    return all_in_house(state.layout, state.in_play, terms.setup.table, line_is_house=line)


def balls_hit_in_house(house: House) -> tuple[Ball, ...] | Question:
    """The balls in the house that the cue ball hit from hand without leaving it and coming off a cushion (MP-47)."""
    if not house.is_closed:
        return ()
    hit: list[Ball] = []
    met: list[Ball] = []
    for contact in house.case.stroke.facts.contacts:
        ball = partner(contact, CUE)
        if ball is None or ball in met:
            continue
        if not _is_allowed(house, contact, met):
            is_asked = _is_followed(house.case) or _fell(house.case, ball)
            held = house.holds(ball) if is_asked else house.seen_to_hold(ball)
            if isinstance(held, Question):
                return held
            hit += [ball] * (held is True)
        met.append(ball)
    return tuple(hit)


def _is_followed(case: Case) -> bool:
    """Whether anybody follows where the object balls lie; where nobody does, a penalty needs somebody who saw it."""
    return case.before is not None and any(ball in case.before.places for ball in case.state.in_play)


def _fell(case: Case, ball: Ball) -> bool:
    """Whether a ball fell in this stroke."""
    return any(pot.ball == ball for pot in case.fallen)


def _is_allowed(house: House, contact: Contact, met: list[Ball]) -> bool:
    """Whether the cue ball had left the house and met a cushion before a contact (MP-47)."""
    case, facts = house.case, house.case.stroke.facts
    hits = [hit for hit in facts.cushions if hit.ball == CUE and hit.t_s <= contact.t_s and not hit.is_jaw]
    line_mm = case.table.house_line_x_mm
    out = any(line.ball == CUE and line.direction == "out" and line.t_s <= contact.t_s for line in facts.lines)
    out |= any(hit.cushion is Cushion.REAR or (hit.at is not None and hit.at.x_mm >= line_mm) for hit in hits)
    out |= any(house.seen_to_hold(ball) is False for ball in met)
    return bool(hits) and out


def _is_known_in_house(case: Case, ball: Ball) -> bool | None:
    """Whether a ball lay in the house; None when neither its place nor its first contact tells."""
    before, line = case.before, case.terms.options.flag("line_is_house")
    if before is not None:
        place = before.at(ball)
        if place is not None:
            return is_in_house(place, case.table, line_is_house=line)
        if ball not in before.lost:
            return False  # balls that are not in a layout stand out of the way
    return is_met_in_house(case.stroke.facts, ball, case.table)
