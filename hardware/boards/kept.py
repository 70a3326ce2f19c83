"""A sensor board that comes and goes: opened again whenever it is there, watched by its heartbeats."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from hardware.board import DropReader
from hardware.boards.serial import SerialBoard, checked, open_board
from hardware.errors import HardwareError
from hardware.ports import SCHEME, PortList, stable_address, system_ports
from hardware.reconnect import Link
from hardware.signals import BoardHealth, Drop, LinkState
from hardware.wire import LineSplitter, Message

_NS_PER_S = 1_000_000_000
SILENCE_S = 2.5  # two heartbeats and a half
BOOT_S = 4.0  # opening the port starts a Nano again; its boot loader and its first words take this long
_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class KeptBoard:
    """The sensors of a table for months. `poll` never raises: sensors that are absent are a normal state.

    What has been understood stays when the cable goes: a drop that is resent after it is back counts once.
    """

    address: str
    ports: PortList = system_ports
    listen: Callable[[Message, int], None] | None = None
    reader: DropReader = field(default_factory=DropReader)
    splitter: LineSplitter = field(default_factory=LineSplitter)
    _link: Link[SerialBoard] = field(init=False)
    _heard_ns: int | None = None
    _is_heard: bool = False

    def __post_init__(self) -> None:
        """Know how to open it."""
        self._link = Link(self._open)

    def poll(self, now_ns: int) -> list[Drop]:
        """The drops that have arrived until now; none while the board is away."""
        before, was = self.reader.messages, self._link.state
        board = self._link.device(now_ns)
        drops: list[Drop] = []
        if board is not None:
            if was is not LinkState.READY:
                self._is_heard = False
                self.splitter.restart()
            try:
                drops = board.poll(now_ns)
            except HardwareError as error:
                self._lose(now_ns, str(error))
        if self.reader.messages != before:
            self._hear(now_ns)
        elif self._link.state is LinkState.READY:
            self._watch(now_ns)
        return drops

    def health(self, now_ns: int) -> BoardHealth:
        """How it does; `opening` until it has said something."""
        state, detail = self._link.state, self._link.reason
        if state is LinkState.READY and not self._is_heard:
            waiting = f"waiting for the first words of the sensor board on {self.address}"
            state, detail = LinkState.OPENING, detail or waiting
        return self.reader.health(
            now_ns,
            state,
            rejected=self.splitter.rejected,
            detail=detail,
            heard_ns=self._heard_ns,
            opened=self._link.opened,
        )

    def close(self) -> None:
        """Let go of the port."""
        self._link.close()

    def _open(self) -> SerialBoard:
        board = open_board(self.address, self.ports)
        self.address = stable_address(self.address, self.ports)
        board.reader, board.splitter, board.listen = self.reader, self.splitter, self.listen
        return board

    def _hear(self, now_ns: int) -> None:
        if not self._is_heard:
            _LOG.info("the sensor board on %s is there", self.address)
        self._heard_ns, self._is_heard = now_ns, True
        self._link.is_good()

    def _watch(self, now_ns: int) -> None:
        since_ns = self._heard_ns if self._is_heard and self._heard_ns is not None else self._link.ready_since_ns
        if now_ns - since_ns > (SILENCE_S if self._is_heard else BOOT_S) * _NS_PER_S:
            reason = f"the sensor board on {self.address} is silent: check its power, or is it another device?"
            self._lose(now_ns, reason)

    def _lose(self, now_ns: int, reason: str) -> None:
        if self._is_heard:
            _LOG.warning("%s", reason)
        self._is_heard = False
        self._link.lose(now_ns, reason)


def keep_board(address: str, ports: PortList = system_ports) -> KeptBoard:
    """Keep the board at an address.

    Raises:
        DeviceMisconfiguredError: the address makes no sense.
    """
    if not address.startswith(SCHEME):
        checked(address)
    return KeptBoard(address, ports)
