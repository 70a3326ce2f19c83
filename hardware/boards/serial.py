"""A sensor board on a serial port, a pseudo-terminal, or any address pyserial understands."""

import contextlib
import errno
import fcntl
import termios
from collections.abc import Callable
from dataclasses import dataclass, field

import serial

from hardware.board import DropReader
from hardware.errors import DeviceAbsentError, DeviceMisconfiguredError
from hardware.ports import PortList, device_of, system_ports
from hardware.signals import BoardHealth, Drop, LinkState
from hardware.wire import SEQUENCE_COUNT, Acknowledgement, DropSeen, LineSplitter, Message, encode

BAUD = 115200
_NS_PER_MS = 1_000_000
_GONE = (serial.SerialException, OSError, termios.error)
_MOST_BYTES = 4096  # per poll: a flood of garbage must not hold up the pictures


@dataclass(slots=True)
class SerialBoard:
    """Reads what has arrived, acknowledges drops, never waits. `listen` hears every message with the host's time."""

    port: serial.Serial
    splitter: LineSplitter = field(default_factory=LineSplitter)
    reader: DropReader = field(default_factory=DropReader)
    listen: Callable[[Message, int], None] | None = None
    _next_seq: int = 0
    _failure: DeviceAbsentError | None = None

    def poll(self, now_ns: int) -> list[Drop]:
        """The drops that have arrived until now; those that can no longer be acknowledged come before the error."""
        if self._failure is not None:
            raise self._failure
        try:
            messages = self.splitter.feed(self.port.read(_MOST_BYTES))
        except _GONE as error:
            raise self._gone(error) from error
        drops = self.reader.read(messages, now_ns)
        try:
            for message in messages:
                if self.listen is not None:
                    self.listen(message, now_ns)
                if isinstance(message, DropSeen):
                    self._acknowledge(message.seq, now_ns)
        except _GONE as error:
            self._failure = self._gone(error)
        return drops

    def _gone(self, error: Exception) -> DeviceAbsentError:
        return DeviceAbsentError(f"the sensor board on {self.port.port} has gone ({_reason(error)}): check its cable")

    def health(self, now_ns: int) -> BoardHealth:
        """How it does."""
        return self.reader.health(now_ns, LinkState.READY, rejected=self.splitter.rejected)

    def close(self) -> None:
        """Let go of the port."""
        _exclude_others(self.port, termios.TIOCNXCL)
        connection = getattr(self.port, "_socket", None)
        self.port.close()
        if connection is not None:
            connection.close()  # pyserial leaves it open when the other end has gone first

    def _acknowledge(self, seq: int, now_ns: int) -> None:
        host_ms = now_ns // _NS_PER_MS % (1 << 32)
        self.port.write(encode(Acknowledgement(seq=self._next_seq, board_ms=host_ms, acknowledged=seq)))
        self._next_seq = (self._next_seq + 1) % SEQUENCE_COUNT


def open_board(url: str, ports: PortList = system_ports) -> SerialBoard:
    """Open a port for this program alone, where the system can do so."""
    device = device_of(url, ports)
    port = checked(device)
    try:
        if isinstance(port, serial.Serial):
            port.exclusive = True
        port.open()
        _exclude_others(port, termios.TIOCEXCL)
    except (serial.SerialException, OSError, termios.error) as error:
        port.close()
        message = (
            f"no sensor board on {device} ({_reason(error)}): check its cable and your right to open it (group dialout)"
        )
        if "exclusively lock" in str(error) or getattr(error, "errno", None) == errno.EBUSY:
            message = f"another program reads the sensor board on {device}: stop it, two would steal each other's lines"
        raise DeviceAbsentError(message) from error
    return SerialBoard(port)


def checked(device: str) -> serial.Serial:
    """A port that is not open yet.

    Raises:
        DeviceMisconfiguredError: the address makes no sense.
    """
    try:
        return serial.serial_for_url(device, baudrate=BAUD, timeout=0, write_timeout=0.2, do_not_open=True)
    except ValueError as error:
        message = f"the sensor board's address {device!r} makes no sense: {error}"
        raise DeviceMisconfiguredError(message) from error


def _reason(error: Exception) -> str:
    """The cause in one line."""
    return " ".join(str(error).split())


def _exclude_others(port: serial.Serial, request: int) -> None:
    """Have the kernel refuse whoever opens the port later, locks or not; an address that is no device has none."""
    handle = getattr(port, "fd", None)
    if isinstance(handle, int):
        with contextlib.suppress(OSError):  # gone, or no terminal: reading it will tell
            fcntl.ioctl(handle, request)
