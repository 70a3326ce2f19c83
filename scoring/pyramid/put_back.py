"""Three players: balls of the first one go back when the rest cannot decide the second place (MP-61, MP-62)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations

from scoring.balls import Ball
from scoring.layout import Layout
from scoring.pyramid.rack import respots
from scoring.pyramid.state import BONUS_POINTS, Case, PyramidState, points_left, target_of, value_of
from scoring.rulings import Choice, Message, Question, QuestionKind, Reason, Respot
from scoring.shots import AnswerValue
from scoring.standing import Terms

MOST_CHOICES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PutBack:
    """The balls that go back, where to, the standing with them, and whether people must still agree."""

    state: PyramidState
    balls: tuple[Ball, ...]
    respots: tuple[Respot, ...]
    reason: Reason
    question: Question | None


def put_back_of(case: Case, state: PyramidState) -> PutBack | None:
    """What goes back so that the better of the two who are left can reach the target; None when nothing must."""
    terms = case.terms
    needed = min(target_of(terms, state, side) - state.scores[side] for side in state.active())
    left = points_left(terms, state)
    if left >= needed:
        return None
    missing = max(1, needed - left - (0 if state.in_play else BONUS_POINTS))
    shelf = _shelf_of_first(state)
    proposed = _fewest_points(terms, shelf, missing)
    if not proposed:
        return None
    agreed = _agreed(terms, shelf, missing, case.stroke.answer("put_back"))
    choices = tuple(Choice(balls) for balls in proposed)
    question = Question(kind=QuestionKind.PUT_BACK, choices=choices, open=True) if agreed is None else None
    balls = agreed or proposed[0]
    put = respots(balls, state.layout or Layout(), None, case.table, terms.options.text("spot_rule"))
    places = {respot.ball: respot.at for respot in put if respot.at is not None}
    after = replace(
        state,
        gone=state.gone.difference(balls),
        shelves=tuple(shelf.difference(balls) for shelf in state.shelves),
        layout=state.layout.with_places(places) if state.layout is not None else None,
    )
    reason = Reason(Message.BALLS_PUT_BACK, (" ".join(ball.name for ball in balls),), "MP-61")
    return PutBack(state=after, balls=balls, respots=put, reason=reason, question=question)


def _shelf_of_first(state: PyramidState) -> tuple[Ball, ...]:
    """The balls that the first player has won, and those that nobody is known to have won, lowest first."""
    others = frozenset[Ball]().union(*(s for side, s in enumerate(state.shelves) if side != state.placings[0]))
    return tuple(sorted(state.gone - others, key=lambda ball: ball.number or 0))


def _fewest_points(terms: Terms, shelf: tuple[Ball, ...], missing: int) -> tuple[tuple[Ball, ...], ...]:
    """The sets of balls with the fewest points that suffice, the fewest balls first; else the whole shelf (MP-62)."""
    if _worth(terms, shelf) <= missing:
        return (shelf,) if shelf else ()
    sets = [balls for count in range(1, len(shelf) + 1) for balls in combinations(shelf, count)]
    enough = [(worth, balls) for balls in sets if (worth := _worth(terms, balls)) >= missing]
    least = min(worth for worth, _ in enough)
    return tuple(balls for worth, balls in enough if worth == least)[:MOST_CHOICES]


def _worth(terms: Terms, balls: Iterable[Ball]) -> int:
    """The points of some balls."""
    return sum(value_of(terms, ball) for ball in balls)


def _agreed(terms: Terms, shelf: tuple[Ball, ...], missing: int, told: AnswerValue) -> tuple[Ball, ...] | None:
    """The balls that people agreed to, when they lie on the shelf and suffice; None when that is still to be asked."""
    named = next((ball for ball in shelf if told is not True and ball.number == told), told)
    balls = (named,) if isinstance(named, Ball) else named
    if told is True:
        return _fewest_points(terms, shelf, missing)[0]
    if not isinstance(balls, tuple) or not balls or not set(balls) <= set(shelf):
        return None
    return balls if _worth(terms, balls) >= min(missing, _worth(terms, shelf)) else None
