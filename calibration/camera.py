"""The camera model: lens and pose in OpenCV's conventions, and the way between pixels and any plane of the table."""

from dataclasses import dataclass
from typing import cast

import cv2
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CameraModel:
    """Projects table mm (contract, section 1) to image px (origin at the centre of the top-left pixel) and back.

    `matrix` (3, 3); `distortion` (N,) as OpenCV's k1 k2 p1 p2 k3 ...; `rotation` (3,) Rodrigues vector and
    `translation` (3,) mm: camera_from_table.
    """

    size_px: tuple[int, int]
    matrix: Array
    distortion: Array
    rotation: Array
    translation: Array

    def __post_init__(self) -> None:
        """Own, shape and freeze the arrays."""
        for name, shape in (("matrix", (3, 3)), ("distortion", (-1,)), ("rotation", (3,)), ("translation", (3,))):
            array = np.array(getattr(self, name), dtype=np.float64).reshape(shape)
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @property
    def rotation_matrix(self) -> Array:
        """(3, 3) camera_from_table."""
        return cast("Array", cv2.Rodrigues(self.rotation)[0])

    @property
    def center_mm(self) -> Array:
        """(3,) where the camera stands, table mm."""
        return -self.rotation_matrix.T @ self.translation

    def project(self, points_mm: npt.ArrayLike) -> Array:
        """(N, 3) table mm to (N, 2) px."""
        points = np.asarray(points_mm, dtype=np.float64).reshape(-1, 1, 3)
        pixels, _ = cv2.projectPoints(points, self.rotation, self.translation, self.matrix, self.distortion)
        return np.asarray(pixels, dtype=np.float64).reshape(-1, 2)

    def rays(self, points_px: npt.ArrayLike) -> Array:
        """(N, 2) px to (N, 3) directions from the camera in the table frame, of no particular length."""
        points = np.asarray(points_px, dtype=np.float64).reshape(-1, 1, 2)
        criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 40, 1e-10)
        flat = cv2.undistortPoints(points, self.matrix, self.distortion, criteria=criteria).reshape(-1, 2)
        return np.column_stack([flat, np.ones(len(flat))]) @ self.rotation_matrix

    def to_plane(self, points_px: npt.ArrayLike, height_mm: float) -> Array:
        """(N, 2) px to (N, 2) table mm on the plane z = height_mm (0 cloth, nose height, or r for ball centres)."""
        rays, center = self.rays(points_px), self.center_mm
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = (height_mm - center[2]) / rays[:, 2]
        return cast("Array", center[:2] + rays[:, :2] * scale[:, None])
