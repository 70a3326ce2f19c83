"""A stroke as scoring receives it: layout before, events from strike to rest, what people entered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from scoring.balls import Ball
from scoring.events import TableEvent
from scoring.table import Pocket, Point

REFEREE_KINDS = frozenset(
    (
        *("touch", "wrong_ball", "push", "double_hit", "feet", "moving_balls", "butt", "prompting", "hit_person"),
        *(
            "fell_by_itself",
            "concede",
            "draw",
            "stalemate_warning",
            "ball_number",
            "not_as_called",
            "answer",
            "time_up",
        ),
    )
)
"""What people may enter beside a stroke (contract, section 3), and a clock: the time of a game is up (KZ-36)."""

REFEREE_TIMES = frozenset(("before", "during", "after"))
"""When it happened, seen from the stroke."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a player announced: the ball, and where the game asks for it, pocket and bank."""

    ball: Ball | None = None
    pocket: Pocket | None = None
    bank: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One stroke, or an entry without a stroke when `events` is empty.

    None means that nobody knows: a rule that needs it asks, and guesses nothing.
    """

    by: str | None = None
    before: Mapping[Ball, Point] | None = None
    from_hand: bool | None = None
    call: Call | None = None
    events: tuple[TableEvent, ...] = ()
    referee: tuple["RefereeInput", ...] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefereeInput:
    """Something only people can see, or an answer to a question (contract, section 3).

    `kind` is one of the contract's words (`touch`, `push`, `answer`, ...). For an answer `to` names the question
    and `value` is a ball, a number, a truth value or a call.
    """

    kind: str
    by: str | None = None
    ball: Ball | None = None
    number: int | None = None
    when: str = "during"
    to: str | None = None
    value: "AnswerValue" = None


AnswerValue: TypeAlias = Ball | Call | Pocket | str | int | bool | tuple[Ball, ...] | Mapping[Ball, Point] | None
"""What an answer may be: a ball, a call, a pocket, a player, a number, true or false, balls, places."""
