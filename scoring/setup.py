"""What is agreed before a match: sides, game, options, table, handicap, and where play begins."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, TypeAlias
from unicodedata import category

from scoring.balls import Ball
from scoring.errors import ScoringError
from scoring.layout import Layout
from scoring.options import OptionValue
from scoring.table import Table

Format: TypeAlias = Literal["singles", "pair-1", "pair-2"]


class Phase(StrEnum):
    """Where in a match we are."""

    LAG = "lag"
    OPENING = "opening"
    PLAY = "play"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Side:
    """One account: a player, or players who share it."""

    members: tuple[str, ...]

    @property
    def name(self) -> str:
        """The account's name: its members joined, `B+C`."""
        return "+".join(self.members)


@dataclass(frozen=True, slots=True, kw_only=True)
class Handicap:
    """What a side is given before the start (RP-50, RP-51, MP-80 to MP-83)."""

    credit: int = 0
    off_table: tuple[Ball, ...] = ()
    not_taken_off: int = 0
    points: int = 0
    caroms: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Streaks:
    """What a resumed match remembers: who potted the yellow in the middle last, who has scored (None: not told)."""

    yellow_middle_by: str | None = None
    potted_by: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """Where play begins when it is not the start of a game; None means: as the game starts.

    `scores` are by side, in the setup's order, and already include the handicap.
    """

    phase: Phase | None = None
    scores: tuple[int, ...] | None = None
    shooter: str | None = None
    from_hand: bool | None = None
    layout: Layout | None = None
    gone: tuple[Ball, ...] = ()
    in_hand: tuple[Ball, ...] | None = None
    last: Streaks = Streaks()


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A match as it was agreed. `sides` are in order of play; `handicaps` are by side, or empty."""

    game: str
    sides: tuple[Side, ...]
    format: Format = "singles"
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    table: Table = field(default_factory=Table)
    handicaps: tuple[Handicap, ...] = ()

    def __post_init__(self) -> None:
        """Refuse sides that nobody could tell apart."""
        names = [member for side in self.sides for member in side.members]
        accounts = {side.name for side in self.sides}
        if len(self.sides) < 2 or len(names) != len(set(names)) or len(accounts) < len(self.sides) or "" in accounts:
            message = f"players {', '.join(names) or '(none)'}: at least two sides are needed, each name once"
            raise ScoringError(message)
        unfit = next((name for name in names if not _is_one_line(name)), None)
        if unfit is not None:
            message = f"players: {unfit!r} is no name: a name is one line of text that can be read"
            raise ScoringError(message)
        if self.handicaps and len(self.handicaps) != len(self.sides):
            message = f"{len(self.handicaps)} handicaps for {len(self.sides)} sides: give one for each side, or none"
            raise ScoringError(message)

    def side_of(self, player: str) -> int:
        """The side a player plays for."""
        for index, side in enumerate(self.sides):
            if player in side.members:
                return index
        message = f"{player!r} does not play in this match"
        raise ScoringError(message)

    def knows(self, player: str | None) -> bool:
        """Whether somebody plays in this match."""
        return any(player in side.members for side in self.sides)

    def handicap(self, side: int) -> Handicap:
        """What a side was given."""
        return self.handicaps[side] if self.handicaps else Handicap()


def _is_one_line(name: str) -> bool:
    """Whether a name can be read: some text, and no control characters, line breaks or halves of characters."""
    return bool(name.strip()) and not any(category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in name)


def singles(*players: str) -> tuple[Side, ...]:
    """One side per player."""
    return tuple(Side((player,)) for player in players)
