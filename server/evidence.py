"""The evidence of a stroke: its clip, and a second look at it, whose reading is offered and never applied by itself."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from scoring.commands import PlayShot
from scoring.errors import CuemarkerError
from scoring.events import Strike
from scoring.match import MatchState
from scoring.playlist import Appended
from scoring.shots import Shot
from server.clips import Clip, ClipStore, Examination
from server.errors import CommandRefusedError, Refusal
from server.hub_table import HubTable
from server.nodes.errands import Fetch, Find, Found

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


class NodeClips(Protocol):
    """The clips on other machines, each of which is asked by its name."""

    async def find(self, node: str, find: Find) -> Found:
        """The clip that is meant."""

    async def fetch(self, node: str, fetch: Fetch) -> bytes:
        """A clip's file."""

    async def look_again(self, work: Examination, tell: Callable[[Shot], None]) -> None:
        """Have a node look again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptClip:
    """A stroke's clip, and whether there is a copy with what a second look saw drawn in."""

    clip: Clip
    has_drawn: bool
    find: Find


@dataclass(slots=True)
class Evidence:
    """The clips of a hall and the second looks at them; one look at a time, so that the tables' eyes have the machine.

    Without a store there are no clips.
    """

    store: ClipStore | None = None
    look_again: LookAgain | None = None
    nodes: NodeClips | None = None  # the clips of tables that nodes watch; what is asked for is kept here too
    _looks: dict[Path, SecondLook] = field(default_factory=dict)
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def clip(self, table: HubTable, number: int) -> KeptClip | None:
        """The clip of a stroke as it was seen, whatever it was corrected to since."""
        seen = seen_shot(table.match, number)
        if self.store is None or seen is None:
            return None
        shot, at_ns = seen
        strikes = [event.t_s for event in shot.events if isinstance(event, Strike)]
        if not strikes:
            return None
        find = Find(table=table.config.id, strike_s=strikes[0], at_ns=at_ns)
        clip = self.store.find(find.table, find.strike_s, at_ns)
        has_drawn, node = clip is not None and clip.drawn.is_file(), table.config.node
        if self.nodes is not None and node is not None and not has_drawn:
            with suppress(CommandRefusedError):
                found = await self.nodes.find(node, find)
                clip, has_drawn = clip or self.store.named(find.table, found.name), found.has_drawn
        return None if clip is None else KeptClip(clip=clip, has_drawn=has_drawn, find=find)

    async def path(self, table: HubTable, number: int, *, drawn: bool) -> Path:
        """The file of a clip, or of its copy with what a second look saw drawn in; fetched where a node has it.

        Raises:
            CommandRefusedError: There is none.
        """
        kept = await self.clip(table, number)
        if kept is None or (drawn and not kept.has_drawn):
            raise CommandRefusedError(Refusal.NO_CLIP)
        path = kept.clip.drawn if drawn else kept.clip.path
        if not path.is_file():
            if self.nodes is None or table.config.node is None or self.store is None:
                raise CommandRefusedError(Refusal.NO_CLIP)
            body = await self.nodes.fetch(table.config.node, Fetch(find=kept.find, drawn=drawn))
            try:
                await asyncio.to_thread(self.store.put, path, body)
            except OSError as error:
                _log.warning("table %s: a clip of its node cannot be kept: %s", table.config.id, error)
                raise CommandRefusedError(Refusal.NO_CLIP) from error
        return path

    def look(self, clip: Clip) -> SecondLook:
        """How the second look at a stroke stands."""
        return self._looks.get(clip.path, _NO_LOOK)

    async def begin(self, table: HubTable, number: int) -> None:
        """Look at a stroke again, unless that is under way or done.

        Raises:
            CommandRefusedError: There is no clip, or too many wait already.
        """
        kept, seen = await self.clip(table, number), seen_shot(table.match, number)
        look_again = self.look_again
        if self.nodes is not None and table.config.node is not None:
            look_again = self.nodes.look_again
        if kept is None or seen is None or look_again is None:
            raise CommandRefusedError(Refusal.NO_CLIP)
        path = kept.clip.path
        if self.look(kept.clip).state in ("running", "done"):
            return
        if len(self._tasks) >= _MOST_WAITING:
            raise CommandRefusedError(Refusal.BUSY)
        work = Examination(clip=kept.clip, config=table.config, game=table.match.started.game.name, shot=seen[0])
        self._keep(path, SecondLook(state="running"))
        task = asyncio.create_task(self._examine(work, look_again), name=f"second look at {path.name}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

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
