"""Plays a recording at the pace of a live camera."""

import time
from collections.abc import Callable
from dataclasses import dataclass

_NS_S = 1_000_000_000


@dataclass(slots=True)
class Pacer:
    """Holds frames back until their time has come on the monotonic clock; starts with the first question."""

    clock_ns: Callable[[], int] = time.monotonic_ns
    sleep_s: Callable[[float], None] = time.sleep
    speed: float = 1.0
    _start_ns: int | None = None

    @property
    def start_ns(self) -> int:
        """The clock's time at which the recording began."""
        if self._start_ns is None:
            self._start_ns = self.clock_ns()
        return self._start_ns

    def elapsed_ns(self) -> int:
        """How far the recording has come."""
        return round((self.clock_ns() - self.start_ns) * self.speed)

    def wait_for(self, t_ns: int) -> None:
        """Sleep until the recording has come to a time."""
        ahead_ns = t_ns - self.elapsed_ns()
        if ahead_ns > 0:
            self.sleep_s(ahead_ns / _NS_S / self.speed)
