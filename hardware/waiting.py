"""Pictures that wait to be looked at: none is lost while the eyes are held up for a moment."""

from collections import deque
from dataclasses import dataclass, field

from hardware.frame import Frame
from hardware.planes import Planes

_LEAST = 2
_MOST = 30  # half a second at 60 pictures a second: reading a stroke takes a quarter of one
_MOST_BYTES = 96_000_000


@dataclass(slots=True)
class WaitingFrames:
    """Frames in the order in which they came; whoever uses it from several threads has a lock.

    Eyes that are slower than the camera would see ever older pictures: once too many wait, the oldest go, and fewer
    and fewer may wait until all have been taken.
    """

    _frames: deque[Frame] = field(default_factory=deque)
    _most: int = _MOST

    def __len__(self) -> int:
        """How many wait."""
        return len(self._frames)

    @property
    def first_ns(self) -> int | None:
        """The time of the one that is taken next."""
        return self._frames[0].t_ns if self._frames else None

    def add(self, frame: Frame) -> None:
        """One more has come."""
        frames = self._frames
        frames.append(frame)
        most = max(_LEAST, min(self._most, _MOST_BYTES // _bytes_of(frame)))
        if len(frames) > most:
            self._most = most = max(_LEAST, most - 1)
        while len(frames) > most:
            frames.popleft()

    def take(self) -> Frame | None:
        """The first of them, if any."""
        if len(self._frames) < 2:
            self._most = _MOST
        return self._frames.popleft() if self._frames else None

    def clear(self) -> None:
        """None of them is wanted any more."""
        self._frames.clear()
        self._most = _MOST


def _bytes_of(frame: Frame) -> int:
    picture = frame.picture
    return picture.luma.nbytes * 3 // 2 if isinstance(picture, Planes) else picture.nbytes
