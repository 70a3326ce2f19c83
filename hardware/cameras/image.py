"""A single picture as a camera: one frame, then the end; over and over when asked to."""

from pathlib import Path
from typing import Self

import cv2
import numpy as np
import numpy.typing as npt

from hardware.camera import is_on, split_options
from hardware.errors import DeviceAbsentError, ProtocolError
from hardware.frame import Frame

_FPS = 25.0  # of a picture that is shown over and over


def open_camera(address: str) -> "ImageCamera":
    """Open `PATH?loop=1`."""
    path, options = split_options(address, frozenset({"loop"}))
    return ImageCamera(Path(path), loops=is_on(options, "loop"))


class ImageCamera:
    """A picture file; with `loops` it stands still for ever at 25 frames per second."""

    def __init__(self, path: Path, *, loops: bool = False) -> None:
        if not path.exists():
            message = f"there is no file {path}; check the path"
            raise DeviceAbsentError(message)
        pixels = cv2.imdecode(np.fromfile(path, dtype=np.uint8), cv2.IMREAD_COLOR) if path.stat().st_size else None
        if pixels is None:
            message = f"{path} is torn or no picture; save it again as JPEG or PNG"
            raise ProtocolError(message)
        self._path, self._loops, self._count = path, loops, 0
        self._pixels: npt.NDArray[np.uint8] | None = np.asarray(pixels, dtype=np.uint8)
        self._size_px = (pixels.shape[1], pixels.shape[0])

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height."""
        return self._size_px

    @property
    def fps(self) -> float:
        """Nothing is promised of a single picture."""
        return _FPS if self._loops else 0.0

    @property
    def is_live(self) -> bool:
        """It waits for its reader."""
        return False

    def __enter__(self) -> Self:
        """The camera itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def close(self) -> None:
        """Forget the picture."""
        self._pixels = None

    def read(self) -> Frame | None:
        """The picture once, or again."""
        if self._pixels is None:
            message = f"{self._path} has been closed; open it again"
            raise DeviceAbsentError(message)
        if self._count and not self._loops:
            return None
        self._count += 1
        return Frame(t_ns=round((self._count - 1) * 1e9 / _FPS), index=self._count - 1, pixels=self._pixels.copy())
