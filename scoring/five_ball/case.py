"""A stroke before the judge of a five-ball game, and what a potted ball is worth."""

from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from scoring.balls import WHITE_1, WHITE_2, Ball
from scoring.layout import Layout
from scoring.rulings import Message, Question, Reason
from scoring.setup import Phase
from scoring.spots import five_ball_rack
from scoring.standing import Standing, Stroke, Terms

WHITES = (WHITE_1, WHITE_2)


@dataclass(frozen=True, slots=True, kw_only=True)
class FiveBallState(Standing):
    """What every five-ball game remembers: who has the last yellow in a middle pocket to his name."""

    yellow_middle_by: str | None = None


State = TypeVar("State", bound=FiveBallState)
State_co = TypeVar("State_co", bound=FiveBallState, covariant=True)


@dataclass(frozen=True, slots=True)
class Case(Generic[State_co]):
    """One stroke before the judge; `side` is the side that shot."""

    terms: Terms
    state: State_co
    stroke: Stroke
    side: int

    @property
    def own(self) -> Ball:
        """The shooter's white."""
        return self.state.cue_balls[self.side]

    @property
    def before(self) -> Layout | None:
        """Where the balls lay: at the first shot the rack, as far as nothing else was seen."""
        before = self.stroke.before
        if self.state.phase is not Phase.OPENING:
            return before
        rack = five_ball_rack(self.terms.setup.table)
        return rack if before is None else rack.with_places(before.places)


AnyCase: TypeAlias = Case[Any]
"""A case of a game whose own memory does not matter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pot:
    """What a potted ball is worth. Void ones say why; some must be asked about first."""

    ball: Ball
    points: int = 0
    caroms: tuple[Ball, ...] = ()
    is_valid: bool = False
    is_middle_again: bool = False
    stays_where_it_stood: bool = False
    rules: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    question: Question | None = None


def void(ball: Ball, message: Message, *rules: str, where_it_stood: bool = False) -> Pot:
    """A pot that is worth nothing."""
    reason = Reason(message, (ball.name,), rules[0])
    return Pot(ball=ball, rules=rules, reasons=(reason,), stays_where_it_stood=where_it_stood)


def next_streak(case: AnyCase, *, in_middle: bool, again: bool, scored: bool) -> str | None:
    """Who has the last yellow in a middle pocket to his name after a stroke (RP-14, RP-A3, KZ-25).

    `in_middle`: the yellow fell into one and begins or keeps a streak; `again`: it had run out with this stroke;
    `scored`: something else was scored, which ends the streak in any case.
    """
    if again:
        return None
    if in_middle:
        return str(case.state.shooter)
    if case.terms.options.text("yellow_middle_streak") == "no_score_between" and not scored:
        by: str | None = case.state.yellow_middle_by
        return by
    return None
