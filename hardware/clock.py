"""One monotonic clock: a board's own milliseconds fitted to the host's nanoseconds."""

import itertools
from collections import deque
from dataclasses import dataclass, field

from hardware.wire import CLOCK_COUNT_MS

_WINDOW = 90  # messages: about a minute and a half of heartbeats
_HALF = CLOCK_COUNT_MS // 2
_NS_PER_MS = 1_000_000
_MOST_DRIFT = 0.006  # a ceramic resonator is right within half a percent


@dataclass(slots=True)
class BoardClock:
    """Turns a board's wrapping milliseconds into the host's time.

    A message can only be late, never early. So the two clocks differ by the line that runs below all differences
    between receiving and sending in the recent past and as close to them as one can (Moon, Skelly and Towsley 1999);
    its slope is the drift of the board's resonator.
    """

    _last_ms: int | None = None
    _points: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=_WINDOW))
    _line: tuple[int, int, float] | None = None  # a point of it (ms, ns) and its slope, ns per ms

    @property
    def is_set(self) -> bool:
        """Whether anything has been received since the board's start."""
        return bool(self._points)

    @property
    def drift(self) -> float:
        """By how much the host's clock runs faster than the board's: 0.001 is a millisecond per second."""
        return self._fitted()[2] / _NS_PER_MS if self._points else 0.0

    def reset(self) -> None:
        """The board has started again: its clock is a new one."""
        self._last_ms, self._line = None, None
        self._points.clear()

    def received(self, board_ms: int, host_ns: int) -> None:
        """Learn from a message that the board sent at `board_ms` and the host received at `host_ns`."""
        self._last_ms = self._unwrapped_ms(board_ms)
        self._points.append((self._last_ms, host_ns - self._last_ms * _NS_PER_MS))
        self._line = None

    def host_ns(self, board_ms: int) -> int:
        """The host's time of a board's instant; something must have been received before."""
        at_ms = self._unwrapped_ms(board_ms)
        through_ms, offset_ns, slope = self._fitted()
        return at_ms * _NS_PER_MS + offset_ns + round(slope * (at_ms - through_ms))

    def _fitted(self) -> tuple[int, int, float]:
        if self._line is None:
            self._line = _line_below(sorted(self._points))
        return self._line

    def _unwrapped_ms(self, board_ms: int) -> int:
        if self._last_ms is None:
            return board_ms
        step = (board_ms - self._last_ms + _HALF) % CLOCK_COUNT_MS - _HALF
        return self._last_ms + step


def _line_below(points: list[tuple[int, int]]) -> tuple[int, int, float]:
    """The line below all points with the least sum of distances: the edge of their lower hull below their mean."""
    hull: list[tuple[int, int]] = []
    for point in points:
        while len(hull) > 1 and _turns_right(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    mean_ms = sum(ms for ms, _ in points) / len(points)
    slope = 0.0
    for (left_ms, left_ns), (right_ms, right_ns) in itertools.pairwise(hull):
        if left_ms <= mean_ms <= right_ms and left_ms < right_ms:
            slope = (right_ns - left_ns) / (right_ms - left_ms)
    most = _MOST_DRIFT * _NS_PER_MS
    slope = min(max(slope, -most), most)
    through_ms, offset_ns = min(points, key=lambda point: point[1] - slope * (point[0] - points[0][0]))
    return through_ms, offset_ns, slope


def _turns_right(first: tuple[int, int], second: tuple[int, int], third: tuple[int, int]) -> bool:
    """Whether the second point lies above or on the way from the first to the third."""
    rise = (second[1] - first[1]) * (third[0] - first[0])
    return rise >= (third[1] - first[1]) * (second[0] - first[0])
