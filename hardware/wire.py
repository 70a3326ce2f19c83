"""The sensor board's line protocol without I/O: messages to bytes, bytes to messages (contract, section 8).

A line is `$CM,<type>,<seq>,<ms>,<fields...>*<crc>` with CR LF, at most 80 characters; the CRC is CRC-16/CCITT-FALSE
over what stands between `$` and `*`.
"""

import binascii
import contextlib
import re
from dataclasses import dataclass, field
from typing import TypeAlias

from hardware.errors import ProtocolError
from hardware.twins import twins
from scoring.table import Pocket

MAX_LINE = 80
SEQUENCE_COUNT = 1 << 16
CLOCK_COUNT_MS = 1 << 32

_LINE = re.compile(r"\$(CM,[!-)+-~ ]*)\*([0-9A-F]{4})")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,9}")
_WORD = re.compile(r"[A-Za-z0-9._-]{1,24}")
_STATES = {"0": False, "1": True, "X": None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """The board has been reset."""

    seq: int
    board_ms: int
    firmware: str
    board_id: str
    pockets: tuple[Pocket, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    """The board is alive; `blocked` gives each beam of `Hello.pockets`: clear, broken, or None for a fault."""

    seq: int
    board_ms: int
    uptime_s: int
    blocked: tuple[bool | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DropSeen:
    """A ball broke a pocket's beam for `blocked_ms`."""

    seq: int
    board_ms: int
    pocket: Pocket
    blocked_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledgement:
    """The host has received the message `acknowledged`."""

    seq: int
    board_ms: int
    acknowledged: int


Message: TypeAlias = Hello | Heartbeat | DropSeen | Acknowledgement


def checksum(text: str) -> str:
    """CRC-16/CCITT-FALSE as four upper-case hex digits."""
    return f"{binascii.crc_hqx(text.encode('ascii'), 0xFFFF):04X}"


def encode(message: Message) -> bytes:
    """A message as a line with CR LF."""
    kind, fields = _kind_and_fields(message)
    text = ",".join(["CM", kind, str(message.seq), str(message.board_ms), *fields])
    return f"${text}*{checksum(text)}\r\n".encode("ascii")


def _kind_and_fields(message: Message) -> tuple[str, list[str]]:
    match message:
        case Hello():
            return "HI", [message.firmware, message.board_id, ".".join(message.pockets)]
        case Heartbeat():
            states = "".join("X" if blocked is None else str(int(blocked)) for blocked in message.blocked)
            return "HB", [str(message.uptime_s), states]
        case DropSeen():
            return "DR", [message.pocket.value, str(message.blocked_ms)]
        case Acknowledgement():
            return "AK", [str(message.acknowledged)]


def decode(line: str) -> Message:
    """A line without its line end as a message.

    Every error of up to three bits and every burst of up to 16 is found: by the checksum in all lines but greetings,
    and a greeting that three wrong bits could have made of another one is not believed (one in a few hundred is not;
    a board that has started again is also known by its heartbeats).

    Raises:
        ProtocolError: the line is torn, its checksum is wrong, or a field is impossible.
    """
    found = _LINE.fullmatch(line)
    if len(line) > MAX_LINE or not found or checksum(found[1]) != found[2]:
        message = f"not a sensor line: {line[:MAX_LINE]!r}"
        raise ProtocolError(message)
    try:
        return _message(found[1].split(","))
    except ValueError as error:
        message = f"impossible sensor line {line!r}: {error}"
        raise ProtocolError(message) from error


def _message(parts: list[str]) -> Message:
    if len(parts) < 5:
        message = "too few fields"
        raise ValueError(message)
    _, kind, seq_text, clock_text, *fields = parts
    seq, board_ms = _number(seq_text, SEQUENCE_COUNT), _number(clock_text, CLOCK_COUNT_MS)
    match kind, fields:
        case "HI", [firmware, board_id, pockets]:
            names = _pockets(firmware, board_id, pockets)
            if any(map(_is_greeting, twins(",".join(parts)))):
                message = "three wrong bits could have made it of another line"
                raise ValueError(message)
            return Hello(seq=seq, board_ms=board_ms, firmware=firmware, board_id=board_id, pockets=names)
        case "HB", [uptime, states] if states and set(states) <= _STATES.keys() and len(states) <= len(Pocket):
            blocked = tuple(_STATES[state] for state in states)
            return Heartbeat(seq=seq, board_ms=board_ms, uptime_s=_number(uptime, CLOCK_COUNT_MS), blocked=blocked)
        case "DR", [pocket, blocked_ms]:
            blocked_for = _number(blocked_ms, CLOCK_COUNT_MS)
            return DropSeen(seq=seq, board_ms=board_ms, pocket=Pocket(pocket), blocked_ms=blocked_for)
        case "AK", [acknowledged]:
            return Acknowledgement(seq=seq, board_ms=board_ms, acknowledged=_number(acknowledged, SEQUENCE_COUNT))
    message = f"{kind} with {len(fields)} fields"
    raise ValueError(message)


def _pockets(firmware: str, board_id: str, pockets: str) -> tuple[Pocket, ...]:
    """A greeting's pockets, when its words are in order."""
    names = tuple(Pocket(name) for name in pockets.split("."))
    if not (_WORD.fullmatch(firmware) and _WORD.fullmatch(board_id)) or len(set(names)) != len(names):
        message = "firmware version, board id, or a pocket listed twice"
        raise ValueError(message)
    return names


def _is_greeting(text: str) -> bool:
    match text.split(","):
        case ["CM", "HI", seq, board_ms, firmware, board_id, pockets]:
            with contextlib.suppress(ValueError):
                _number(seq, SEQUENCE_COUNT)
                _number(board_ms, CLOCK_COUNT_MS)
                return bool(_pockets(firmware, board_id, pockets))
    return False


def _number(text: str, limit: int) -> int:
    if not _NUMBER.fullmatch(text) or int(text) >= limit:
        message = f"number {text!r}"
        raise ValueError(message)
    return int(text)


@dataclass(slots=True)
class LineSplitter:
    """Collects bytes as they come and gives whole lines; what cannot be a line is dropped and counted.

    A `$` always begins a new line, so that a torn one costs no more than itself.
    """

    rejected: int = 0
    _pending: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> list[Message]:
        """Take the next bytes and return the messages that they complete."""
        messages = []
        for byte in data:
            if byte == ord("$"):
                self._reject_pending()
            if byte == ord("\n"):
                messages += self._complete()
            elif self._pending or byte == ord("$"):
                self._pending.append(byte)
                if len(self._pending) > MAX_LINE + 1:  # one more for the CR
                    self._reject_pending()
        return messages

    def restart(self) -> None:
        """Another stream begins: forget the line that was torn off."""
        self._reject_pending()

    def _reject_pending(self) -> None:
        self.rejected += bool(self._pending)
        self._pending.clear()

    def _complete(self) -> list[Message]:
        line = self._pending.decode("ascii", errors="replace")
        self._pending.clear()
        if not line:
            return []
        try:
            return [decode(line.removesuffix("\r") if line.endswith("\r") else "")]
        except ProtocolError:
            self.rejected += 1
            return []
