"""What a camera can see of its table: balls that are wholly in its picture, and how large they are there."""

import numpy as np
import numpy.typing as npt

from calibration.camera import Array, CameraModel
from vision.detectors.outline import SphereOutline

_SAME_MM = 1.0
_RIM_PX = 3.0  # at the picture's edge, where a lens is least known


class View:
    """One camera over one table."""

    def __init__(self, camera: CameraModel, outline: SphereOutline) -> None:
        """`outline` draws the table's balls through the camera."""
        self._camera, self._outline = camera, outline

    def radii_px(self, places_mm: npt.ArrayLike) -> Array:
        """(N, 2) places to the (N,) radii of balls there, px; 0 where a ball is not wholly in the picture."""
        places = np.asarray(places_mm, dtype=np.float64).reshape(-1, 2)
        drawn = self._outline.project(places)
        rim = drawn.radii_px[:, None] + _RIM_PX
        last = np.array(self._camera.size_px) - 1.0
        inside = ((drawn.centers_px >= rim) & (drawn.centers_px <= last - rim)).all(axis=1)
        return np.where(inside & self._is_true(places, drawn.centers_px), drawn.radii_px, 0.0)

    def is_in_front(self, places_mm: Array) -> npt.NDArray[np.bool_]:
        """(N, 2) places to whether the lens shows them, if beyond the picture: a lens model is no good far beyond."""
        return self._is_true(places_mm, self._outline.project(places_mm).centers_px)

    def _is_true(self, places_mm: Array, centers_px: Array) -> npt.NDArray[np.bool_]:
        """Whether what is seen at these pixels lies at these places: else the model has folded into the picture."""
        away = np.hypot(*(self._outline.places(centers_px) - places_mm).T)
        return np.asarray(away < self._outline.radius_mm + _SAME_MM)
