"""What the renderer keeps per camera and table: rays, the empty table's surface, light; shared by all that draws."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.camera import CameraModel
from hardware.virtual.picture.background import vignette
from hardware.virtual.picture.light import Floats, Source, lamp_middles, sources
from hardware.virtual.picture.look import Look
from hardware.virtual.picture.shape import TableShape
from hardware.virtual.picture.surface import Surface, meet, pixel_rays

Window = tuple[int, int, int, int]  # left, top, right, bottom in px; right and bottom are outside


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Eye:
    """A camera over one table in one look: `rays` (H, W, 3), `vignette` (H, W) factor on code values."""

    camera: CameraModel
    shape: TableShape
    look: Look
    center: Floats
    right: Floats  # (3,) the picture's x axis in the table frame
    down: Floats
    ahead: Floats
    rays: Floats
    surface: Surface
    lights: tuple[Source, ...]
    lamps: tuple[Source, ...]  # the same light from fewer places
    vignette: Floats

    @classmethod
    def of(cls, camera: CameraModel, shape: TableShape, look: Look) -> "Eye":
        """Cast the camera's rays at the empty table."""
        rays = pixel_rays(camera)
        center = camera.center_mm.astype(np.float32)
        rotation = camera.rotation_matrix.astype(np.float32)
        return cls(
            camera=camera,
            shape=shape,
            look=look,
            center=center,
            right=rotation[0],
            down=rotation[1],
            ahead=np.cross(rotation[0], rotation[1]),
            rays=rays,
            surface=meet(shape, center, rays),
            lights=sources(look),
            lamps=lamp_middles(look),
            vignette=vignette(look, rays.shape),
        )

    def distance_mm(self, place_mm: tuple[float, float, float]) -> float:
        """How far a place is from the camera."""
        return math.dist(place_mm, self.camera_mm)

    def scale_px_mm(self, place_mm: tuple[float, float, float]) -> float:
        """About how many pixels a millimetre across the view takes at a place, lens distortion left out."""
        depth_mm = float((np.asarray(place_mm) - self.center) @ self.ahead)
        return float(self.camera.matrix[0, 0]) / max(depth_mm, 1.0)

    @property
    def camera_mm(self) -> tuple[float, float, float]:
        """Where the camera stands."""
        x, y, z = (float(value) for value in self.center)
        return x, y, z

    def window(self, points_mm: npt.ArrayLike, margin_px: float) -> Window | None:
        """The part of the picture that holds some points, or None when it is outside."""
        pixels = self.camera.project(points_mm)
        width, height = self.camera.size_px
        low, high = pixels.min(axis=0) - margin_px, pixels.max(axis=0) + margin_px + 1
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            return None
        left, top = max(int(np.floor(low[0])), 0), max(int(np.floor(low[1])), 0)
        right, bottom = min(int(np.ceil(high[0])) + 1, width), min(int(np.ceil(high[1])) + 1, height)
        return (left, top, right, bottom) if left < right and top < bottom else None
