"""A recording of a sensor board: each line after the host's receive time in seconds (`12.345 $CM,DR,...`)."""

import math
from dataclasses import dataclass, field
from pathlib import Path

from hardware.board import DropReader
from hardware.errors import DeviceAbsentError, ProtocolError
from hardware.signals import BoardHealth, Drop, LinkState
from hardware.wire import decode

_NS_PER_S = 1_000_000_000


@dataclass(slots=True)
class RecordedBoard:
    """Gives the recorded drops as the time comes; lines that were torn on the wire are counted in `rejected`."""

    drops: list[Drop]
    rejected: int
    reader: DropReader = field(default_factory=DropReader)
    end_ns: int = 0
    _given: int = 0

    def poll(self, now_ns: int) -> list[Drop]:
        """The drops recorded until now, each once."""
        start = self._given
        while self._given < len(self.drops) and self.drops[self._given].t_ns <= now_ns:
            self._given += 1
        return self.drops[start : self._given]

    def health(self, now_ns: int) -> BoardHealth:
        """How the board did, by the whole recording."""
        return self.reader.health(now_ns, LinkState.READY, rejected=self.rejected)

    def close(self) -> None:
        """Nothing is held."""


def open_board(path: str) -> RecordedBoard:
    """Read a whole recording.

    Raises:
        DeviceAbsentError: the file cannot be read.
        ProtocolError: the file is not a recording at all (no line of it has a time and a message).
    """
    try:
        lines = Path(path).read_text(encoding="ascii", errors="replace").splitlines()
    except OSError as error:
        message = f"the sensor recording {path} cannot be read: {error.strerror}"
        raise DeviceAbsentError(message) from error
    reader, drops, rejected, understood, end_ns = DropReader(), [], 0, 0, 0
    for line in filter(None, lines):
        try:
            received_ns, text = _split(line)
            drops += reader.read([decode(text)], received_ns)
            understood += 1
            end_ns = max(end_ns, received_ns)
        except ProtocolError:
            rejected += 1
    if rejected and not understood:
        message = f"{path} is not a sensor recording: its lines should look like '12.345 $CM,DR,...'"
        raise ProtocolError(message)
    return RecordedBoard(sorted(drops, key=lambda drop: drop.t_ns), rejected, reader, end_ns)


def _split(line: str) -> tuple[int, str]:
    time_text, _, text = line.partition(" ")
    try:
        seconds = float(time_text)
    except ValueError:
        seconds = math.nan
    if not math.isfinite(seconds) or seconds < 0:
        message = f"no receive time before the message: {line!r}"
        raise ProtocolError(message)
    return round(seconds * _NS_PER_S), text
