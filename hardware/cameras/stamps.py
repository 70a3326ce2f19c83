"""When a picture was taken, by what comes with it: nothing, the driver's monotonic time, or a stream's own time."""

from collections import deque
from dataclasses import dataclass, field
from typing import Protocol

_NS_PER_MS = 1_000_000
_NS_PER_S = 1_000_000_000
_LATEST_S = 1.0  # no driver holds a picture for longer
_JUMP_S = 2.0  # a stream whose time jumps by more has begun again
_WINDOW = 300  # pictures


class Stamps(Protocol):
    """Turns what a picture carries into the monotonic clock's time."""

    def t_ns(self, stamp_ms: float, now_ns: int) -> int:
        """The time of a picture that came at `now_ns` and carries `stamp_ms`."""


@dataclass(slots=True)
class ArrivalStamps:
    """The time at which the picture came; for streams that carry no time."""

    def t_ns(self, stamp_ms: float, now_ns: int) -> int:
        """When it came."""
        del stamp_ms
        return now_ns


@dataclass(slots=True)
class DriverStamps:
    """V4L2's buffer times, which are of the monotonic clock; a driver that gives another clock's is not believed."""

    def t_ns(self, stamp_ms: float, now_ns: int) -> int:
        """The driver's time where it can be true, else when it came."""
        stamp_ns = round(stamp_ms * _NS_PER_MS)
        return stamp_ns if 0 <= now_ns - stamp_ns < _LATEST_S * _NS_PER_S else now_ns


@dataclass(slots=True)
class StreamStamps:
    """A stream's own time, as RTP's, whose zero is anywhere.

    A picture can only come late: the quickest of the recent ones tells where its zero lies, so that pictures which were
    held up on the way, and come in a burst, keep the times at which they were taken.
    """

    _offsets_ns: deque[int] = field(default_factory=lambda: deque(maxlen=_WINDOW))

    def t_ns(self, stamp_ms: float, now_ns: int) -> int:
        """The time at which the picture would have come had nothing held it up."""
        stamp_ns = round(stamp_ms * _NS_PER_MS)
        offset_ns = now_ns - stamp_ns
        if self._offsets_ns and abs(offset_ns - min(self._offsets_ns)) > _JUMP_S * _NS_PER_S:
            self._offsets_ns.clear()
        self._offsets_ns.append(offset_ns)
        return stamp_ns + min(self._offsets_ns)
