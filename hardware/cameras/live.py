"""What live cameras opened through OpenCV have in common: time stamps, silence and loss told as errors."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, Self

import cv2
import numpy as np
import numpy.typing as npt

from hardware.cameras.stamps import ArrivalStamps, Stamps
from hardware.errors import DeviceAbsentError, ProtocolError, SizeChangedError
from hardware.footage import FootageRing
from hardware.frame import Frame
from hardware.planes import Planes


class Capture(Protocol):
    """The part of `cv2.VideoCapture` that a live camera needs."""

    def grab(self) -> bool:
        """Wait for the next picture."""

    def retrieve(self) -> tuple[bool, npt.NDArray[np.uint8] | Planes]:
        """Decode it."""

    def get(self, prop: int, /) -> float:
        """A property."""

    def release(self) -> None:
        """Let go."""


@dataclass(slots=True)
class LiveCamera:
    """A camera that sends pictures by itself; `stamps` makes times of the monotonic clock of what comes with them.

    `delay_ns` is what lies between the middle of the exposure and that moment.
    """

    name: str
    capture: Capture
    delay_ns: int = 0
    stamps: Stamps = field(default_factory=ArrivalStamps)
    clock_ns: Callable[[], int] = time.monotonic_ns
    tells_shutter: bool = False
    ring: FootageRing | None = None
    _count: int = 0
    _size_px: tuple[int, int] = field(init=False)
    _is_open: bool = True
    _last_ns: int = 0

    def __post_init__(self) -> None:
        """Learn the picture's size."""
        self._size_px = (
            int(self.capture.get(cv2.CAP_PROP_FRAME_WIDTH)),
            int(self.capture.get(cv2.CAP_PROP_FRAME_HEIGHT)),
        )

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height."""
        return self._size_px

    @property
    def fps(self) -> float:
        """What the camera promises; 0 when that is nothing sensible."""
        fps = float(self.capture.get(cv2.CAP_PROP_FPS))
        return fps if 0 < fps < 1000 else 0.0

    @property
    def shutter_ms(self) -> float | None:
        """The shutter's time where the driver tells it; V4L2 counts it in tenths of a millisecond."""
        if not self.tells_shutter:
            return None
        tenths = float(self.capture.get(cv2.CAP_PROP_EXPOSURE))
        return tenths / 10 if 0 < tenths < 100_000 else None

    @property
    def is_live(self) -> bool:
        """Always."""
        return True

    def __enter__(self) -> Self:
        """The camera itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def close(self) -> None:
        """Let go of the device."""
        if self._is_open:
            self._is_open = False
            self.capture.release()

    def read(self) -> Frame | None:
        """Wait for the next picture; it never returns None, a live camera has no end."""
        if not self._is_open:
            message = f"the camera {self.name} has been closed; open it again"
            raise DeviceAbsentError(message)
        if not self.capture.grab():
            self.close()
            message = f"the camera {self.name} sends no more pictures; check its power and cable"
            raise DeviceAbsentError(message)
        stamp_ms = float(self.capture.get(cv2.CAP_PROP_POS_MSEC))
        t_ns = max(self.stamps.t_ns(stamp_ms, self.clock_ns()) - self.delay_ns, self._last_ns + 1)
        self._last_ns = t_ns
        if self.ring is not None:
            self.ring.offset_ns = t_ns - round(stamp_ms * 1e6)
        self._count += 1
        is_there, picture = self.capture.retrieve()
        if not is_there or picture is None:
            message = f"picture {self._count - 1} of the camera {self.name} cannot be decoded"
            raise ProtocolError(message)
        frame = Frame(t_ns=t_ns, index=self._count - 1, picture=picture)
        if frame.size_px != self._size_px:
            width, height = frame.size_px
            message = f"the camera {self.name} sent a picture of another size: {width}x{height}"
            raise SizeChangedError(message)
        return frame
