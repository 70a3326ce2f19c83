"""The evidence of a stroke: its clip, and a second look at it, whose reading is offered and never applied by itself."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from scoring.commands import PlayShot
from scoring.errors import CuemarkerError
from scoring.events import Strike
from scoring.match import MatchState
from scoring.playlist import Appended
from scoring.shots import Shot
from server.clips import Clip, ClipStore
from server.errors import CommandRefusedError, Refusal
from server.hub_table import HubTable
from server.second_look import Examination

LookAgain: TypeAlias = Callable[[Examination, Callable[[Shot], None]], Awaitable[None]]
"""Looks again: tells the shot as soon as it is read, and ends when it has been drawn too."""
LookState: TypeAlias = Literal["none", "running", "done", "failed"]
_MOST_KEPT = 200
_MOST_WAITING = 4
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondLook:
    """How a second look stands, what it saw, or why it saw nothing."""

    state: LookState = "none"
    shot: Shot | None = None
    why: str = ""


_NO_LOOK = SecondLook()


@dataclass(slots=True)
class Evidence:
    """The clips of a hall and the second looks at them; one look at a time, so that the tables' eyes have the machine.

    Without a store there are no clips.
    """

    store: ClipStore | None = None
    look_again: LookAgain | None = None
    _looks: dict[Path, SecondLook] = field(default_factory=dict)
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def clip(self, table: HubTable, number: int) -> Clip | None:
        """The clip of a stroke as it was seen, whatever it was corrected to since."""
        seen = seen_shot(table.match, number)
        if self.store is None or seen is None:
            return None
        shot, at_ns = seen
        strikes = [event.t_s for event in shot.events if isinstance(event, Strike)]
        return self.store.find(table.config.id, strikes[0], at_ns) if strikes else None

    def path(self, table: HubTable, number: int, *, drawn: bool) -> Path:
        """The file of a clip, or of its copy with what a second look saw drawn in.

        Raises:
            CommandRefusedError: There is none.
        """
        clip = self.clip(table, number)
        if clip is not None and (path := clip.drawn if drawn else clip.path).is_file():
            return path
        raise CommandRefusedError(Refusal.NO_CLIP)

    def look(self, table: HubTable, number: int) -> SecondLook:
        """How the second look at a stroke stands."""
        clip = self.clip(table, number)
        return _NO_LOOK if clip is None else self._looks.get(clip.path, _NO_LOOK)

    def begin(self, table: HubTable, number: int) -> SecondLook:
        """Look at a stroke again, unless that is under way or done.

        Raises:
            CommandRefusedError: There is no clip, or too many wait already.
        """
        clip, seen = self.clip(table, number), seen_shot(table.match, number)
        if clip is None or seen is None or self.look_again is None:
            raise CommandRefusedError(Refusal.NO_CLIP)
        known = self._looks.get(clip.path, _NO_LOOK)
        if known.state in ("running", "done"):
            return known
        if len(self._tasks) >= _MOST_WAITING:
            raise CommandRefusedError(Refusal.BUSY)
        game = table.match.started.game.name
        work = Examination(clip=clip, config=table.config, game=game, shot=seen[0])
        self._keep(clip.path, SecondLook(state="running"))
        task = asyncio.create_task(self._examine(work, self.look_again), name=f"second look at {clip.path.name}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return self._looks[clip.path]

    async def close(self) -> None:
        """End what is under way."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _examine(self, work: Examination, look_again: LookAgain) -> None:
        path = work.clip.path
        async with self._one_at_a_time:
            try:
                await look_again(work, lambda shot: self._keep(path, SecondLook(state="done", shot=shot)))
            except CuemarkerError as error:
                _log.warning("table %s: %s", work.config.id, error)
                if self._looks.get(path, _NO_LOOK).state == "running":
                    self._keep(path, SecondLook(state="failed", why=str(error)))

    def _keep(self, path: Path, look: SecondLook) -> None:
        self._looks[path] = look
        while len(self._looks) > _MOST_KEPT:
            del self._looks[next(iter(self._looks))]


def seen_shot(match: MatchState, number: int) -> tuple[Shot, int] | None:
    """A stroke as the witness told it, and when that was journalled; None for one that people entered."""
    for logged in match.log:
        entry = logged.entry
        if isinstance(entry.what, PlayShot) and entry.at_ns is not None:
            for operation in logged.operations:
                if isinstance(operation, Appended) and operation.number == number:
                    return entry.what.shot, entry.at_ns
    return None
