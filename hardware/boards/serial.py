"""A sensor board on a serial port, a pseudo-terminal, or any address pyserial understands."""

from dataclasses import dataclass, field

import serial

from hardware.board import DropReader
from hardware.errors import DeviceAbsentError, DeviceMisconfiguredError
from hardware.signals import Drop
from hardware.wire import SEQUENCE_COUNT, Acknowledgement, DropSeen, LineSplitter, encode

BAUD = 115200
_NS_PER_MS = 1_000_000


@dataclass(slots=True)
class SerialBoard:
    """Reads what has arrived, acknowledges drops, never waits."""

    port: serial.Serial
    splitter: LineSplitter = field(default_factory=LineSplitter)
    reader: DropReader = field(default_factory=DropReader)
    _next_seq: int = 0

    def poll(self, now_ns: int) -> list[Drop]:
        """The drops that have arrived until now."""
        try:
            messages = self.splitter.feed(self.port.read(self.port.in_waiting or 0))
            for message in messages:
                if isinstance(message, DropSeen):
                    self._acknowledge(message.seq, now_ns)
        except (serial.SerialException, OSError) as error:
            reason = f"the sensor board on {self.port.port} has gone ({error}): check its cable"
            raise DeviceAbsentError(reason) from error
        return self.reader.read(messages, now_ns)

    def close(self) -> None:
        """Let go of the port."""
        self.port.close()

    def _acknowledge(self, seq: int, now_ns: int) -> None:
        host_ms = now_ns // _NS_PER_MS % (1 << 32)
        self.port.write(encode(Acknowledgement(seq=self._next_seq, board_ms=host_ms, acknowledged=seq)))
        self._next_seq = (self._next_seq + 1) % SEQUENCE_COUNT


def open_board(url: str) -> SerialBoard:
    """Open a port exclusively where the system can."""
    try:
        port = serial.serial_for_url(url, baudrate=BAUD, timeout=0, write_timeout=0.2, do_not_open=True)
    except ValueError as error:
        message = f"the sensor board's address {url!r} makes no sense: {error}"
        raise DeviceMisconfiguredError(message) from error
    try:
        if isinstance(port, serial.Serial):
            port.exclusive = True
        port.open()
    except (serial.SerialException, OSError) as error:
        message = f"no sensor board on {url} ({error}): check its cable and that no other program has it open"
        raise DeviceAbsentError(message) from error
    return SerialBoard(port)
