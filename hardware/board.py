"""The sensor-board protocol, and how a board's messages become drops whatever the back end."""

import importlib
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol, cast

from hardware.beams import Beam
from hardware.clock import BoardClock
from hardware.errors import DeviceMisconfiguredError
from hardware.signals import BoardHealth, Drop, LinkState
from hardware.wire import CLOCK_COUNT_MS, Acknowledgement, DropSeen, Heartbeat, Hello, Message
from scoring.table import Pocket

BACK_ENDS = {"serial": "hardware.boards.serial", "file": "hardware.boards.recorded", "kept": "hardware.boards.kept"}
_REMEMBERED = 256  # drops, against resends
_RESEND_MS = 60_000  # the same number so long after is another drop: the board has started again


class Board(Protocol):
    """A sensor board: opened by its back end's `open_board`, polled without waiting, closed once."""

    def poll(self, now_ns: int) -> list[Drop]:
        """The drops that have arrived until now; raises DeviceAbsentError when the board has gone."""

    def close(self) -> None:
        """Let go of the device."""


class WatchedBoard(Board, Protocol):
    """A board that also tells how it does."""

    def health(self, now_ns: int) -> BoardHealth:
        """Its state, its beams and its counts."""


def open_board(url: str) -> Board:
    """Open a board once: `file:PATH` for a recording, anything else is a port.

    A port is `serial:A50285BI` (a USB serial number), a device (`/dev/ttyUSB0`, `/dev/serial/by-id/...`), or any
    address of pyserial (`socket://...`, `rfc2217://...`, `loop://`).

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


def keep_board(url: str) -> WatchedBoard:
    """A board for months: opened whenever it is there, never an error when it is not; `health` says how it does.

    Raises:
        DeviceAbsentError: a recording cannot be read.
        DeviceMisconfiguredError: the address makes no sense.
    """
    if not url or url.startswith("file:"):
        return cast("WatchedBoard", open_board(url))
    return cast("WatchedBoard", importlib.import_module(BACK_ENDS["kept"]).keep_board(url))


@dataclass(slots=True)
class DropReader:
    """Messages in, drops out: each drop once however often the board resends it, in the host's time.

    A board that starts again is known by its greeting, or by its uptime when the greeting was torn. Drops of beams
    that are stuck, chatter, or are wired the wrong way round are withheld and counted.
    """

    clock: BoardClock = field(default_factory=BoardClock)
    hello: Hello | None = None
    messages: int = 0
    resent: int = 0
    resets: int = 0
    _uptime_s: int = 0
    _has_clock: bool = False
    _beams: dict[Pocket, Beam] = field(default_factory=lambda: {pocket: Beam(pocket) for pocket in Pocket})
    _seen: deque[DropSeen] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))

    def read(self, messages: Iterable[Message], host_ns: int) -> list[Drop]:
        """Take messages received together at `host_ns`."""
        drops = []
        for message in messages:
            self.messages += 1
            match message:
                case Hello():
                    self.hello = message
                    self._restart()
                    self._has_clock = True
                    self.clock.received(message.board_ms, host_ns)
                case Heartbeat():
                    self._beat(message, host_ns)
                case DropSeen() if not any(_is_resend(message, seen) for seen in self._seen):
                    self._seen.append(message)
                    if not self._has_clock:  # else greetings and heartbeats tell it better: they never wait
                        self.clock.received(message.board_ms, host_ns)
                    drops += self._believed(message, host_ns)
                case DropSeen():
                    self.resent += 1
                case Acknowledgement():
                    pass
        return drops

    def health(
        self,
        now_ns: int,
        state: LinkState,
        *,
        rejected: int,
        detail: str = "",
        heard_ns: int | None = None,
        opened: int = 1,
    ) -> BoardHealth:
        """How the board and each of its beams do."""
        beams = tuple(self._beams[pocket].health(now_ns) for pocket in self._pockets)
        ill = ", ".join(f"{beam.pocket} {beam.state}" for beam in beams if not beam.state.is_well)
        if state is LinkState.READY and ill and not detail:
            detail = f"pocket sensors to look at: {ill}"
        return BoardHealth(
            state=state,
            detail=detail,
            firmware=self.hello.firmware if self.hello else "",
            board_id=self.hello.board_id if self.hello else "",
            beams=beams,
            last_heard_ns=heard_ns,
            messages=self.messages,
            rejected=rejected,
            resent=self.resent,
            resets=self.resets,
            opened=opened,
            drift=self.clock.drift,
        )

    @property
    def _pockets(self) -> tuple[Pocket, ...]:
        return self.hello.pockets if self.hello else tuple(Pocket)

    def _restart(self) -> None:
        self.resets += 1
        self._seen.clear()
        self._uptime_s, self._has_clock = 0, False
        self.clock.reset()

    def _beat(self, beat: Heartbeat, host_ns: int) -> None:
        if beat.uptime_s < self._uptime_s:
            self._restart()
        self._uptime_s, self._has_clock = beat.uptime_s, True
        self.clock.received(beat.board_ms, host_ns)
        for pocket, blocked in zip(self._pockets, beat.blocked, strict=False):
            self._beams[pocket].heartbeat(blocked=blocked, now_ns=host_ns)

    def _believed(self, seen: DropSeen, host_ns: int) -> list[Drop]:
        t_ns = self.clock.host_ns(seen.board_ms)
        sure = self._beams[seen.pocket].confidence(t_ns, seen.blocked_ms, host_ns)
        drop = Drop(t_ns=t_ns, pocket=seen.pocket, blocked_ms=seen.blocked_ms, confidence=sure)
        return [drop] if sure else []


def _is_resend(drop: DropSeen, earlier: DropSeen) -> bool:
    """Whether a board says the same again, be it with the same time or with the time of saying it."""
    is_same = (drop.seq, drop.pocket, drop.blocked_ms) == (earlier.seq, earlier.pocket, earlier.blocked_ms)
    return is_same and (drop.board_ms - earlier.board_ms + _RESEND_MS) % CLOCK_COUNT_MS <= 2 * _RESEND_MS
