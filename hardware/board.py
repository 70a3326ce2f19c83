"""The sensor-board protocol, and how a board's messages become drops whatever the back end."""

import importlib
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol, cast

from hardware.clock import BoardClock
from hardware.errors import DeviceMisconfiguredError
from hardware.signals import Drop
from hardware.wire import Acknowledgement, DropSeen, Heartbeat, Hello, Message

BACK_ENDS = {"serial": "hardware.boards.serial", "file": "hardware.boards.recorded"}
_REMEMBERED = 256  # sequence numbers of drops, against resends


class Board(Protocol):
    """A sensor board: opened by its back end's `open_board`, polled without waiting, closed once."""

    def poll(self, now_ns: int) -> list[Drop]:
        """The drops that have arrived until now; raises DeviceAbsentError when the board has gone."""

    def close(self) -> None:
        """Let go of the device."""


def open_board(url: str) -> Board:
    """Open a board: `file:PATH` for a recording, anything else is pyserial's (`/dev/ttyUSB0`, `socket://...`).

    Raises:
        DeviceAbsentError: nothing is there.
        DeviceMisconfiguredError: the address makes no sense.
    """
    if not url:
        message = "the sensor board's address is empty: give a port like /dev/ttyUSB0, or leave the sensors out"
        raise DeviceMisconfiguredError(message)
    back_end = "file" if url.startswith("file:") else "serial"
    module = importlib.import_module(BACK_ENDS[back_end])
    return cast("Board", module.open_board(url.removeprefix("file:")))


@dataclass(slots=True)
class DropReader:
    """Messages in, drops out: each drop once however often the board resends it, in the host's time."""

    clock: BoardClock = field(default_factory=BoardClock)
    _seen: deque[int] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))

    def read(self, messages: Iterable[Message], host_ns: int) -> list[Drop]:
        """Take messages received together at `host_ns`."""
        drops = []
        for message in messages:
            match message:
                case Hello():
                    self.clock.reset()
                    self._seen.clear()
                    self.clock.received(message.board_ms, host_ns)
                case Heartbeat():
                    self.clock.received(message.board_ms, host_ns)
                case DropSeen() if message.seq not in self._seen:
                    self._seen.append(message.seq)
                    self.clock.received(message.board_ms, host_ns)
                    drops.append(self._drop(message))
                case DropSeen() | Acknowledgement():
                    pass
        return drops

    def _drop(self, message: DropSeen) -> Drop:
        t_ns = self.clock.host_ns(message.board_ms)
        return Drop(t_ns=t_ns, pocket=message.pocket, blocked_ms=message.blocked_ms)
