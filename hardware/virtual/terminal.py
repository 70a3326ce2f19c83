"""The virtual sensor board on a pseudo-terminal: a port that any program can open as if a real board hung on it."""

import os
import select
import tty
from dataclasses import dataclass, field
from typing import Self

from hardware.errors import ProtocolError
from hardware.virtual.board import VirtualSensors
from hardware.wire import Acknowledgement, DropSeen, LineSplitter, decode, encode

_RESEND_S = 0.2


@dataclass(slots=True)
class VirtualTerminal:
    """Writes the board's bytes when their time has come, and a drop again every 200 ms until it is acknowledged.

    Time is what `run_until` is told, s from the beginning; whoever owns the clock calls it.
    """

    sensors: VirtualSensors
    path: str = field(init=False)
    master: int = field(init=False)
    _slave: int = field(init=False)
    _unanswered: dict[int, tuple[float, bytes]] = field(default_factory=dict)
    _splitter: LineSplitter = field(default_factory=LineSplitter)

    def __post_init__(self) -> None:
        """Open the terminal."""
        self.master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self.path = os.ttyname(self._slave)

    def __enter__(self) -> Self:
        """The terminal itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def run_until(self, t_s: float) -> None:
        """Hear the host's answers and send what is due."""
        self._hear()
        for line in self.sensors.lines_until(t_s):
            data = f"{line.text}\r\n".encode("ascii")
            os.write(self.master, data)
            try:
                message = decode(line.text)
            except ProtocolError:
                continue
            if isinstance(message, DropSeen):
                self._unanswered[message.seq] = (line.t_s, encode(message))
        for seq, (sent_s, data) in list(self._unanswered.items()):
            if t_s - sent_s >= _RESEND_S:
                os.write(self.master, data)
                self._unanswered[seq] = (t_s, data)

    def close(self) -> None:
        """Unplug it."""
        os.close(self.master)
        os.close(self._slave)

    def _hear(self) -> None:
        """Read acknowledgements."""
        while select.select([self.master], [], [], 0)[0]:
            for message in self._splitter.feed(os.read(self.master, 4096)):
                if isinstance(message, Acknowledgement):
                    self._unanswered.pop(message.acknowledged, None)
