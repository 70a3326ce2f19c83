"""A camera over a whole recording: the same picture as the renderer's until something befalls the camera or a lamp."""

import dataclasses

import cv2
import numpy as np

from calibration.camera import CameraModel
from hardware.virtual.mishaps import NO_MISHAPS, Mishaps
from hardware.virtual.picture.light import Codes
from hardware.virtual.picture.look import Look
from hardware.virtual.picture.renderer import Renderer
from hardware.virtual.scene import Scene, Vector
from scoring.table import Table

_STILL_RAD = 1e-6


class Film:
    """Renders through mishaps; each camera pose and each set of burning lamps gets a renderer when it is first seen."""

    def __init__(self, table: Table, camera: CameraModel, look: Look, mishaps: Mishaps = NO_MISHAPS) -> None:
        self._table, self._mishaps = table, mishaps
        self.camera, self.look = camera, look
        self._renderers: dict[tuple[Vector, frozenset[int]], Renderer] = {}

    def through(self, mishaps: Mishaps) -> "Film":
        """The same camera in the same hall on another day: what it has painted of the empty table is shared."""
        other = Film(self._table, self.camera, self.look, mishaps)
        other._renderers = self._renderers
        return other

    @property
    def mishaps(self) -> Mishaps:
        """What befalls it."""
        return self._mishaps

    def frame(self, scene: Scene, t_s: float) -> Codes:
        """(H, W, 3) uint8 BGR, exposed in the middle at `t_s`."""
        picture = self.renderer_at(t_s).frame(scene, t_s, self._mishaps.gain_at(t_s))
        tremble = self._mishaps.tremble_at(t_s)
        if max(map(abs, tremble)) < _STILL_RAD:
            return picture
        matrix = self.camera.matrix
        warp = matrix @ cv2.Rodrigues(np.array(tremble))[0] @ np.linalg.inv(matrix)
        shaken = cv2.warpPerspective(picture, warp, self.camera.size_px, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(shaken, dtype=np.uint8)

    def renderer_at(self, t_s: float) -> Renderer:
        """What draws an instant."""
        key = (self._mishaps.turn_at(t_s), self._mishaps.dark_lamps_at(t_s))
        if key not in self._renderers:
            self._renderers[key] = Renderer(self._table, self.camera_at(t_s), self._look_without(key[1]))
        return self._renderers[key]

    def camera_at(self, t_s: float) -> CameraModel:
        """The camera as it stands at an instant, its trembling left out."""
        return turned(self.camera, self._mishaps.turn_at(t_s))

    def _look_without(self, dark: frozenset[int]) -> Look:
        if not dark:
            return self.look
        share = len(dark) / max(len(self.look.lamps), 1)
        red, green, blue = (value * (1 - 0.6 * share) for value in self.look.ambient)
        lamps = tuple(lamp for index, lamp in enumerate(self.look.lamps) if index not in dark)
        return dataclasses.replace(self.look, lamps=lamps, ambient=(red, green, blue))


def turned(camera: CameraModel, turn_rad: Vector) -> CameraModel:
    """A camera turned about its own centre by a rotation vector in its own axes."""
    if max(map(abs, turn_rad)) < _STILL_RAD:
        return camera
    turn = np.asarray(cv2.Rodrigues(np.array(turn_rad))[0], dtype=np.float64)
    rotation = turn @ camera.rotation_matrix
    return CameraModel(
        size_px=camera.size_px,
        matrix=camera.matrix,
        distortion=camera.distortion,
        rotation=np.asarray(cv2.Rodrigues(rotation)[0], dtype=np.float64),
        translation=-rotation @ camera.center_mm,
    )
