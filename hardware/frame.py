"""One picture and the moment at which it was taken."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """A camera's picture: (H, W, 3) uint8 BGR, read-only, exposed in the middle at `t_ns` of the monotonic clock.

    `index` counts the source's frames from 0, gaps being dropped frames. From a video, `t_ns` starts at 0. `view` is 1
    in the pictures of a table's second camera.
    """

    t_ns: int
    index: int
    pixels: npt.NDArray[np.uint8]
    view: int = 0

    def __post_init__(self) -> None:
        """Freeze the pixels."""
        self.pixels.flags.writeable = False

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height."""
        height, width = self.pixels.shape[:2]
        return width, height
