"""One picture and the moment at which it was taken."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hardware.planes import Planes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, init=False)
class Frame:
    """A camera's picture, read-only, exposed in the middle at `t_ns` of the monotonic clock.

    `picture` is as it came: (H, W, 3) uint8 BGR, or coded planes; `pixels` is BGR in any case, at the price of making
    it. `index` counts the source's frames from 0, gaps being dropped frames. From a video, `t_ns` starts at 0. `view`
    is 1 in the pictures of a table's second camera.
    """

    t_ns: int
    index: int
    picture: npt.NDArray[np.uint8] | Planes
    view: int = 0

    def __init__(
        self,
        *,
        t_ns: int,
        index: int,
        pixels: npt.NDArray[np.uint8] | None = None,
        picture: npt.NDArray[np.uint8] | Planes | None = None,
        view: int = 0,
    ) -> None:
        """`pixels` or the `picture` as it came."""
        whole = pixels if picture is None else picture
        assert whole is not None
        if not isinstance(whole, Planes):
            whole.flags.writeable = False
        for name, value in (("t_ns", t_ns), ("index", index), ("picture", whole), ("view", view)):
            object.__setattr__(self, name, value)

    @property
    def pixels(self) -> npt.NDArray[np.uint8]:
        """(H, W, 3) uint8 BGR, read-only."""
        return self.picture.bgr() if isinstance(self.picture, Planes) else self.picture

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height."""
        if isinstance(self.picture, Planes):
            return self.picture.size_px
        height, width = self.picture.shape[:2]
        return width, height
