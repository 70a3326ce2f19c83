"""What a person or a witness puts into a match's log: entries that are journalled and never rewritten.

Strokes are named by their number: the n-th stroke that was ever entered is n for good, wherever a correction puts it.
"""

from dataclasses import dataclass, field
from typing import TypeAlias

from scoring.setup import Beginning, Setup
from scoring.shots import Call, RefereeInput, Shot


@dataclass(frozen=True, slots=True)
class StartMatch:
    """A match begins as agreed, from the start of the game or from a given position."""

    setup: Setup
    beginning: Beginning = field(default_factory=Beginning)


@dataclass(frozen=True, slots=True)
class PlayShot:
    """A stroke was played (a lag is one too, and so is an entry with no events but a referee's input)."""

    shot: Shot


@dataclass(frozen=True, slots=True)
class Announce:
    """The shooter calls ball, pocket, bank for the next stroke; the last call before it counts."""

    call: Call


@dataclass(frozen=True, slots=True)
class Observe:
    """A referee's or player's input; with `stroke` it belongs to that stroke, else its kind decides."""

    input: RefereeInput
    stroke: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to the question that is open."""

    answer: RefereeInput


@dataclass(frozen=True, slots=True)
class CorrectShot:
    """A stroke was in truth this one."""

    stroke: int
    shot: Shot


@dataclass(frozen=True, slots=True)
class InsertShot:
    """A stroke that nobody saw was played before stroke `before` (None: at the end)."""

    shot: Shot
    before: int | None = None


@dataclass(frozen=True, slots=True)
class RemoveShot:
    """A stroke was never played."""

    stroke: int


@dataclass(frozen=True, slots=True)
class Retracted:
    """An entry is taken back (undo); it stays in the log."""

    seq: int


@dataclass(frozen=True, slots=True)
class Restored:
    """A retracted entry counts again (redo)."""

    seq: int


Said: TypeAlias = PlayShot | Announce | Observe | Answer | CorrectShot | InsertShot | RemoveShot
Command: TypeAlias = StartMatch | Said | Retracted | Restored


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a match's log: what, and who gave it, when, and why, all as data.

    `seq` counts 1, 2, 3, ... within the match; `at_ns` is the hub's clock, which rules never read.
    """

    seq: int
    what: Command
    who: str | None = None
    at_ns: int | None = None
    why: str | None = None
