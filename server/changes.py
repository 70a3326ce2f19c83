"""What the hub tells those who watch a table; no language, no wire."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from scoring.events import TableEvent
from server.messages import Places

_LONGEST_QUEUE = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChanged:
    """The match, the health or the paths are no longer what they were: look anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSeen:
    """The witness saw something, or supposes so while the balls still roll.

    `corrects`: this ends a stroke that came to something else than had been supposed.
    """

    event: TableEvent
    is_provisional: bool = False
    corrects: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled:
    """A stroke was ruled on."""

    stroke: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacesSeen:
    """Balls are elsewhere."""

    places: Places


Change: TypeAlias = StateChanged | EventSeen | Ruled | PlacesSeen


@dataclass(slots=True)
class Audience:
    """Those who watch one table. Who listens too slowly loses the details and is told to look anew."""

    _queues: set[asyncio.Queue[Change]] = field(default_factory=set)

    def __len__(self) -> int:
        """How many watch."""
        return len(self._queues)

    def tell(self, change: Change) -> None:
        """Tell all of them."""
        for queue in self._queues:
            if queue.full():
                while not queue.empty():
                    queue.get_nowait()
                queue.put_nowait(StateChanged())
            queue.put_nowait(change)

    @contextmanager
    def joined(self) -> Iterator[asyncio.Queue[Change]]:
        """Watch until the context ends."""
        queue: asyncio.Queue[Change] = asyncio.Queue(_LONGEST_QUEUE)
        self._queues.add(queue)
        try:
            yield queue
        finally:
            self._queues.discard(queue)
