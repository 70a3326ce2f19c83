"""The strokes of a match in order of play: what the entries of a log do to that list.

An operation is worked out once, when its entry is entered, and names strokes by number; so it keeps its meaning when
other entries are taken back. An operation on a stroke that is no longer there does nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

from scoring.commands import Entry
from scoring.events import Potted
from scoring.shots import Call, RefereeInput, Shot

LATE_KINDS = frozenset(
    (
        *("push", "double_hit", "feet", "wrong_ball", "not_as_called", "ball_number"),
        *("fell_by_itself", "hit_person", "moving_balls", "butt"),
    )
)
"""Inputs that speak of a stroke: entered with none, they belong to the last one."""


@dataclass(frozen=True, slots=True)
class Appended:
    """A stroke at the end."""

    number: int
    shot: Shot


@dataclass(frozen=True, slots=True)
class Placed:
    """A stroke before another one (at the end when there is none such)."""

    number: int
    shot: Shot
    before: int | None


@dataclass(frozen=True, slots=True)
class Attached:
    """Inputs that belong to a stroke already entered."""

    number: int
    inputs: tuple[RefereeInput, ...]


@dataclass(frozen=True, slots=True)
class Replaced:
    """Another shot in a stroke's place."""

    number: int
    shot: Shot


@dataclass(frozen=True, slots=True)
class Removed:
    """A stroke that was never played."""

    number: int


@dataclass(frozen=True, slots=True)
class Announced:
    """A call for the next stroke."""

    call: Call


Operation: TypeAlias = Appended | Placed | Attached | Replaced | Removed | Announced


@dataclass(frozen=True, slots=True)
class Logged:
    """An entry of the log and what it does."""

    entry: Entry
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A stroke in its place."""

    number: int
    shot: Shot


@dataclass(slots=True)
class Playlist:
    """The list while it is being built, and the call that waits for its stroke."""

    lines: list[Line]
    call: Call | None = None

    def index(self, number: int | None) -> int | None:
        """Where a stroke stands, None when it is not there."""
        return next((index for index, line in enumerate(self.lines) if line.number == number), None)

    def appended(self, operation: Appended) -> Line:
        """The stroke with the call that waited for it."""
        shot = operation.shot
        if self.call is not None and shot.call is None and shot.events:
            shot = replace(shot, call=self.call)
        return Line(operation.number, shot)

    def do(self, operation: Operation) -> None:
        """Carry out one operation."""
        match operation:
            case Announced():
                self.call = operation.call
            case Appended():
                self.lines.append(self.appended(operation))
                self.call = None if operation.shot.events else self.call
            case Placed():
                index = self.index(operation.before)
                self.lines.insert(len(self.lines) if index is None else index, Line(operation.number, operation.shot))
            case _:
                index = self.index(operation.number)
                if index is not None:
                    self._change(index, operation)

    def _change(self, index: int, operation: Attached | Replaced | Removed) -> None:
        """Change a stroke that is there."""
        match operation:
            case Removed():
                del self.lines[index]
            case Replaced():
                self.lines[index] = Line(operation.number, operation.shot)
            case Attached():
                shot = self.lines[index].shot
                self.lines[index] = Line(operation.number, replace(shot, referee=shot.referee + operation.inputs))
            case _:
                assert_never(operation)


def playlist_of(log: Iterable[Logged]) -> Playlist:
    """The strokes that the entries of a log make."""
    playlist = Playlist([])
    for logged in log:
        for operation in logged.operations:
            playlist.do(operation)
    return playlist


def home_of(given: RefereeInput, lines: Sequence[Line]) -> int | None:
    """The number of the stroke that a late input is about; None when it stands for itself."""
    late = given.kind in LATE_KINDS and given.when != "before"
    if not late and not (given.kind == "touch" and given.when == "after"):
        return None
    played = [line for line in lines if line.shot.events]
    if given.ball is not None and given.kind in ("ball_number", "fell_by_itself"):
        for line in reversed(played):
            if any(isinstance(event, Potted) and event.ball == given.ball for event in line.shot.events):
                return line.number
    return played[-1].number if played else None
