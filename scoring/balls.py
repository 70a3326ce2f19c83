"""The balls and their names (contract names: `white-1`, `red-2`, `yellow`, `cue`, `7`, `ball-?1`)."""

import re
from dataclasses import dataclass
from enum import StrEnum

_NAME = re.compile(r"(?P<number>[1-9]|1[0-5])|(?P<kind>[a-z]+)(-(?P<index>[1-9][0-9]?))?|ball-\?[1-9][0-9]*")


class BallKind(StrEnum):
    """What a camera can tell from a ball's looks; sets of other games may use further colour words as names."""

    WHITE = "white"
    RED = "red"
    YELLOW = "yellow"
    CUE = "cue"
    NUMBERED = "numbered"
    UNKNOWN = "unknown"
    OTHER = "other"


_KINDS = {kind.value: kind for kind in BallKind}


@dataclass(frozen=True, slots=True, order=True)
class Ball:
    """One ball of a set, by its name."""

    name: str

    def __post_init__(self) -> None:
        """Refuse a name that no ball can have."""
        if not _NAME.fullmatch(self.name):
            message = f"no ball is called {self.name!r}"
            raise ValueError(message)

    @property
    def colour(self) -> str:
        """The colour word of the name (`white` of `white-1`); `numbered` for pyramid balls, `unknown` for `ball-?n`."""
        if self.name.isdigit():
            return "numbered"
        if self.is_unknown:
            return "unknown"
        return self.name.split("-")[0]

    def __hash__(self) -> int:
        """The name's hash, which text keeps ready."""
        return hash(self.name)

    @property
    def kind(self) -> BallKind:
        """The kind of ball."""
        return _KINDS.get(self.colour, BallKind.OTHER)

    @property
    def is_unknown(self) -> bool:
        """Whether the ball's identity is not known."""
        return "?" in self.name

    @property
    def may_be_numbered(self) -> bool:
        """Whether it is a pyramid ball, or may be one: which of those touched each other no rule asks."""
        return self.number is not None or self.is_unknown

    @property
    def number(self) -> int | None:
        """The number of a pyramid ball, else None."""
        return int(self.name) if self.name.isdigit() else None

    def __str__(self) -> str:
        """The name."""
        return self.name


WHITE_1, WHITE_2 = Ball("white-1"), Ball("white-2")
RED_1, RED_2 = Ball("red-1"), Ball("red-2")
YELLOW = Ball("yellow")
CUE = Ball("cue")
NUMBERED = tuple(Ball(str(number)) for number in range(1, 16))

FIVE_BALL_SET = (WHITE_1, WHITE_2, RED_1, RED_2, YELLOW)
PYRAMID_SET = (CUE, *NUMBERED)
