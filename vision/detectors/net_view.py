"""What of a camera's picture the ball finder looks at: the table with its rails, scaled to the balls it knows."""

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import Array, CameraModel
from hardware.planes import Planes
from scoring.table import Table
from vision.detectors.ball_net import BALL_PX
from vision.detectors.outline import SphereOutline
from vision.detectors.region import Picture

_MARGIN = 2.0  # balls' diameters of surroundings, which tell a ball in play from one behind the rails
_LEAST_SCALE, _MOST_PX = 0.05, 1600


@dataclass(frozen=True, slots=True, kw_only=True)
class NetView:
    """A crop of the picture and the scale at which it is given to the network.

    Pixel p of the scaled crop lies at `origin + (p + 0.5) / scale - 0.5` of the picture.
    """

    origin_px: tuple[int, int]
    size_px: tuple[int, int]
    scaled_px: tuple[int, int]

    @classmethod
    def of(
        cls, camera: CameraModel, table: Table, outline: SphereOutline, fixed_px: tuple[int, int] | None = None
    ) -> "NetView":
        """The view of a table under a camera; it fits into `fixed_px` where a network insists on a size."""
        x, y = np.meshgrid(
            np.linspace(0.0, table.length_mm, 9), np.linspace(-table.width_mm / 2, table.width_mm / 2, 5)
        )
        outlines = outline.project(np.column_stack([x.ravel(), y.ravel()]))
        across_px = 2 * float(np.median(outlines.radii_px))
        low = np.floor(outlines.centers_px.min(axis=0) - _MARGIN * across_px)
        high = np.ceil(outlines.centers_px.max(axis=0) + _MARGIN * across_px) + 1
        limit = np.array(camera.size_px, dtype=np.float64)
        low = np.clip(low, 0, limit - 1) // 2 * 2  # colour is coded in pairs
        high = np.clip(high, 1, limit)
        size = np.maximum(high - low, 1)
        most = np.array(fixed_px or (_MOST_PX, _MOST_PX))
        scale = max(_LEAST_SCALE, min(BALL_PX / max(across_px, 1.0), *(most / size)))
        scaled = np.maximum(np.floor(size * scale), 1).astype(int)
        return cls(
            origin_px=(int(low[0]), int(low[1])),
            size_px=(int(size[0]), int(size[1])),
            scaled_px=(int(scaled[0]), int(scaled[1])),
        )

    def cut(self, picture: Picture | Planes) -> Picture:
        """The scaled crop of a picture, in BGR."""
        (x, y), (width, height) = self.origin_px, self.size_px
        if isinstance(picture, Planes):
            return picture.scaled(x, y, self.size_px, self.scaled_px)
        crop = picture[y : y + height, x : x + width]
        method = cv2.INTER_AREA if self.scaled_px[0] < width else cv2.INTER_LINEAR
        return np.asarray(cv2.resize(crop, self.scaled_px, interpolation=method), dtype=np.uint8)

    def to_picture(self, boxes: Array) -> Array:
        """(N, 4) boxes in the scaled crop to px of the picture."""
        scale = np.array(self.scaled_px) / np.array(self.size_px)
        placed: Array = (boxes + 0.5) / np.tile(scale, 2) - 0.5 + np.tile(self.origin_px, 2)
        return placed
