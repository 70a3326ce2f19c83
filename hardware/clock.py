"""One monotonic clock: a board's own milliseconds fitted to the host's nanoseconds."""

from collections import deque
from dataclasses import dataclass, field

from hardware.wire import CLOCK_COUNT_MS

_WINDOW = 64  # messages: about a minute of heartbeats, in which crystals drift less than 10 ms
_HALF = CLOCK_COUNT_MS // 2
_NS_PER_MS = 1_000_000


@dataclass(slots=True)
class BoardClock:
    """Turns a board's wrapping milliseconds into the host's time.

    A message can only be late, never early: the smallest difference between receiving and sending in the recent past is
    the offset (the lower envelope, as in Cristian 1989).
    """

    _last_ms: int | None = None
    _offsets_ns: deque[int] = field(default_factory=lambda: deque(maxlen=_WINDOW))

    def reset(self) -> None:
        """The board has started again: its clock is a new one."""
        self._last_ms = None
        self._offsets_ns.clear()

    def received(self, board_ms: int, host_ns: int) -> None:
        """Learn from a message that the board sent at `board_ms` and the host received at `host_ns`."""
        self._last_ms = self._unwrapped_ms(board_ms)
        self._offsets_ns.append(host_ns - self._last_ms * _NS_PER_MS)

    def host_ns(self, board_ms: int) -> int:
        """The host's time of a board's instant; something must have been received before."""
        return self._unwrapped_ms(board_ms) * _NS_PER_MS + min(self._offsets_ns)

    def _unwrapped_ms(self, board_ms: int) -> int:
        if self._last_ms is None:
            return board_ms
        step = (board_ms - self._last_ms + _HALF) % CLOCK_COUNT_MS - _HALF
        return self._last_ms + step
