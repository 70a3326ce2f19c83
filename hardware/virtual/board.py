"""The virtual sensor board: pots in, the board's lines out, with the delays and slips of a real one."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from hardware.board import DropReader
from hardware.errors import ProtocolError
from hardware.signals import Drop
from hardware.virtual.difficulty import Difficulty
from hardware.wire import CLOCK_COUNT_MS, SEQUENCE_COUNT, DropSeen, Heartbeat, Hello, Message, decode, encode
from scoring.events import Potted
from scoring.table import Pocket

FIRMWARE, BOARD_ID = "virtual-1", "virtual"
_BOOT_MS = 1_734  # the board has been running for a while when the recording starts
_RESEND_S = 0.2
_NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How a board and its line behave: fall from mouth to beam, delay on the line, chances per message."""

    fall_s: tuple[float, float] = (0.06, 0.12)
    blocked_s: tuple[float, float] = (0.035, 0.07)
    delay_s: tuple[float, float]
    resend_chance: float = 0.0  # the host's answer got lost
    torn_chance: float = 0.0
    loss_chance: float = 0.0  # of a drop's first message; the board sends it again
    bounce_chance: float = 0.0  # a ball rocks in the beam and is reported twice
    garbage_chance: float = 0.0  # noise on the line before a message


MANNERS = {
    Difficulty.EASY: Manners(delay_s=(0.001, 0.003)),
    Difficulty.NORMAL: Manners(delay_s=(0.002, 0.015), resend_chance=0.1),
    Difficulty.HARD: Manners(
        delay_s=(0.002, 0.05),
        resend_chance=0.3,
        torn_chance=0.02,
        loss_chance=0.03,
        bounce_chance=0.03,
        garbage_chance=0.01,
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedLine:
    """A line without its line end, and when the host has received it."""

    t_s: float
    text: str

    def __str__(self) -> str:
        """The line as a recording holds it (contract, section 8)."""
        return f"{self.t_s:.4f} {self.text}"


@dataclass(slots=True)
class VirtualSensors:
    """A board beside the table: tell it of pots, ask it for the lines received until an instant."""

    manners: Manners
    generator: np.random.Generator
    _seq: int = 0
    _next_beat_s: float = 0.0
    _waiting: list[ReceivedLine] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Greet, as after a reset."""
        self._send(0.0, Hello(**self._head(0.0), firmware=FIRMWARE, board_id=BOARD_ID, pockets=tuple(Pocket)))
        self._next_beat_s = float(self.generator.uniform(0.2, 1.0))

    def tell(self, pots: Iterable[Potted]) -> None:
        """Let balls fall through the beams; in the order of their times."""
        for pot in pots:
            self._beat_until(pot.t_s)
            beam_s = pot.t_s + float(self.generator.uniform(*self.manners.fall_s))
            blocked_s = float(self.generator.uniform(*self.manners.blocked_s))
            drop = DropSeen(**self._head(beam_s), pocket=pot.pocket, blocked_ms=round(1000 * blocked_s))
            is_lost = self._happens(self.manners.loss_chance)
            if not is_lost:
                self._send(beam_s + blocked_s, drop)
            if self.generator.random() < self.manners.resend_chance or is_lost:
                self._send(beam_s + blocked_s + _RESEND_S, drop)
            if self._happens(self.manners.bounce_chance):
                self._bounce(beam_s + blocked_s, pot.pocket)

    def _bounce(self, from_s: float, pocket: Pocket) -> None:
        """The same ball breaks the beam once more, for a moment."""
        again_s = from_s + float(self.generator.uniform(0.015, 0.05))
        blocked_s = float(self.generator.uniform(0.005, 0.02))
        self._send(
            again_s + blocked_s, DropSeen(**self._head(again_s), pocket=pocket, blocked_ms=round(1000 * blocked_s))
        )

    def _happens(self, chance: float) -> bool:
        return chance > 0 and bool(self.generator.random() < chance)

    def lines_until(self, t_s: float) -> list[ReceivedLine]:
        """The lines received until an instant, each once, in the order of their arrival."""
        self._beat_until(t_s)
        self._waiting.sort(key=lambda line: line.t_s)
        arrived = [line for line in self._waiting if line.t_s <= t_s]
        del self._waiting[: len(arrived)]
        return arrived

    def _beat_until(self, t_s: float) -> None:
        while self._next_beat_s <= t_s:
            head = self._head(self._next_beat_s)
            beat = Heartbeat(**head, uptime_s=head["board_ms"] // 1000, blocked=(False,) * len(Pocket))
            self._send(self._next_beat_s, beat)
            self._next_beat_s += 1.0

    def _head(self, t_s: float) -> dict[str, int]:
        seq, self._seq = self._seq, (self._seq + 1) % SEQUENCE_COUNT
        return {"seq": seq, "board_ms": (_BOOT_MS + round(1000 * t_s)) % CLOCK_COUNT_MS}

    def _send(self, t_s: float, message: Message) -> None:
        text = encode(message).decode("ascii").rstrip("\r\n")
        if self.generator.random() < self.manners.torn_chance:
            text = text[: int(self.generator.integers(4, len(text) - 1))]
        delay_s = float(self.generator.uniform(*self.manners.delay_s))
        if self._happens(self.manners.garbage_chance):
            noise = bytes(int(value) for value in self.generator.integers(33, 127, 12)).decode("ascii")
            self._waiting.append(ReceivedLine(t_s=t_s + delay_s, text=noise))
        self._waiting.append(ReceivedLine(t_s=t_s + delay_s, text=text))


def recorded_lines(pots: Iterable[Potted], duration_s: float, sensors: VirtualSensors) -> Iterator[ReceivedLine]:
    """All lines of a whole recording."""
    sensors.tell(pots)
    yield from sensors.lines_until(duration_s)


@dataclass(slots=True)
class VirtualBoard:
    """The virtual sensors behind the Board protocol; `start_ns` is the host's time of the first frame."""

    sensors: VirtualSensors
    start_ns: int = 0
    rejected: int = 0
    _reader: DropReader = field(default_factory=DropReader)

    def poll(self, now_ns: int) -> list[Drop]:
        """The drops that have arrived until now."""
        drops: list[Drop] = []
        for line in self.sensors.lines_until((now_ns - self.start_ns) / _NS_PER_S):
            try:
                message = decode(line.text)
            except ProtocolError:
                self.rejected += 1
                continue
            drops += self._reader.read([message], self.start_ns + round(line.t_s * _NS_PER_S))
        return drops

    def close(self) -> None:
        """Nothing is held."""
