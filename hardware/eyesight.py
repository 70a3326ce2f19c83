"""Judges a live camera by its pictures' times and contents: is it still looking at the world?"""

from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from hardware.frame import Frame
from hardware.planes import Planes
from hardware.signals import LinkState

_NS = 1_000_000_000
NOTICED_S = 1.0  # what is wrong for so long is told
_WINDOW_S = 1.2  # over which the rate is measured
_SLOW, _FLOOD = 0.5, 2.0  # shares of the promised rate
_BLACK, _FLAT = 12.0, 3.0  # the mean and the spread of a picture without light, of 255
_STEP_PX = 8  # pixels looked at for darkness


class Trouble(StrEnum):
    """What is wrong with a camera."""

    ABSENT = "absent"  # it cannot be opened
    NO_PICTURE = "no_picture"  # it is open and nothing comes
    FROZEN = "frozen"  # the same picture again and again
    BLACK = "black"  # no light: the lens cap, the hall's light, or a camera that has lost its sensor
    WRONG_SIZE = "wrong_size"
    SLOW = "slow"  # fewer pictures than promised
    FLOOD = "flood"  # more pictures than promised: their times are not to be trusted


BLINDING = frozenset({Trouble.ABSENT, Trouble.NO_PICTURE, Trouble.FROZEN, Trouble.BLACK, Trouble.WRONG_SIZE})


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraHealth:
    """How a camera does, for the board, the metrics and the staff.

    `dropped` counts pictures that were replaced by newer ones before anybody took them, `torn` those that could not be
    decoded, `opened` how often it was opened. `age_s` is the time since the last good picture; None before the first.
    `must_restart`: its driver hangs; only a new process helps.
    """

    state: LinkState
    trouble: Trouble | None = None
    detail: str = ""
    fps: float = 0.0
    frames: int = 0
    dropped: int = 0
    torn: int = 0
    opened: int = 0
    age_s: float | None = None
    shutter_ms: float | None = None
    must_restart: bool = False

    @property
    def is_blind(self) -> bool:
        """Whether the score has to pause: there is no picture of the table."""
        return self.age_s is None or self.trouble in BLINDING


@dataclass(slots=True)
class Eyesight:
    """Looks at each picture as it comes. `watches_content`: a repeated picture means a dead camera.

    What a recording repeats is no fault of it; what a sensor sends is never twice the same, for its noise.
    """

    expected_fps: float = 0.0
    watches_content: bool = True
    _last: npt.NDArray[np.uint8] | None = None
    _same_since_ns: int | None = None
    _black_since_ns: int | None = None
    _came_ns: deque[int] = field(default_factory=lambda: deque(maxlen=2000))
    _began_ns: int | None = None

    def begin(self, now_ns: int) -> None:
        """The camera has been opened again: its rate is new, the last picture is remembered."""
        self._came_ns.clear()
        self._began_ns = now_ns

    def see(self, frame: Frame, now_ns: int) -> None:
        """A picture has come."""
        self._came_ns.append(now_ns)
        if self._began_ns is None:
            self._began_ns = now_ns
        if not self.watches_content:
            return
        codes = frame.picture.luma if isinstance(frame.picture, Planes) else frame.picture
        if self._last is not None and _is_same(self._last, codes):
            self._same_since_ns = now_ns if self._same_since_ns is None else self._same_since_ns
        else:
            self._same_since_ns = None
        self._last = codes
        if not _is_black(frame.picture):
            self._black_since_ns = None
        elif self._black_since_ns is None:
            self._black_since_ns = now_ns

    def fps(self, now_ns: int) -> float:
        """The rate at which pictures come."""
        while self._came_ns and self._came_ns[0] < now_ns - _WINDOW_S * _NS:
            self._came_ns.popleft()
        if self._began_ns is None:
            return 0.0
        return len(self._came_ns) / min(_WINDOW_S, max((now_ns - self._began_ns) / _NS, 0.1))

    def trouble(self, now_ns: int) -> tuple[Trouble, float] | None:
        """What is wrong with the pictures that come, and for how many seconds."""
        for trouble, since_ns in ((Trouble.BLACK, self._black_since_ns), (Trouble.FROZEN, self._same_since_ns)):
            if since_ns is not None and now_ns - since_ns >= NOTICED_S * _NS:
                return trouble, (now_ns - since_ns) / _NS
        began_ns = self._began_ns
        if self.expected_fps and began_ns is not None and now_ns - began_ns >= _WINDOW_S * _NS:
            fps = self.fps(now_ns)
            if fps < _SLOW * self.expected_fps:
                return Trouble.SLOW, 0.0
            if fps > _FLOOD * self.expected_fps:
                return Trouble.FLOOD, 0.0
        return None


def _is_same(one: npt.NDArray[np.uint8], other: npt.NDArray[np.uint8]) -> bool:
    """Whether two pictures are the same in every pixel; most that differ do so in the first rows looked at."""
    return np.array_equal(one[::64], other[::64]) and np.array_equal(one, other)


def _is_black(picture: npt.NDArray[np.uint8] | Planes) -> bool:
    looked_at = picture.sparse(_STEP_PX) if isinstance(picture, Planes) else picture[::_STEP_PX, ::_STEP_PX]
    return float(looked_at.mean()) < _BLACK and float(looked_at.std()) < _FLAT
