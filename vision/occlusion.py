"""Arms, cues, heads: parts of the table that something other than balls hides."""

import cv2
import numpy as np

from calibration.camera import Array, CameraModel
from scoring.table import Point
from vision.detection import Cover
from vision.detectors.region import Mask, WorkRegion

_LEAST_AREA = 0.35  # of a ball's area
_CUE_WIDTH = 1.3  # balls' radii
_OUTLINE_ERROR_PX = 1.5
_RIM = 3.0  # balls' radii around a ball within which a small rest is its own shadow or rim, as coarse coding smears it
_RIM_AREA = 0.8  # of a ball's area, at most


class Covers:
    """Turns what is left of the foreground, the balls taken out, into covers."""

    def __init__(self, camera: CameraModel, region: WorkRegion) -> None:
        """Covers under one camera."""
        self._camera, self._region = camera, region
        height, width = region.mask.shape
        radius = min(region.reduced_radius(x, y) for x in (0.0, width) for y in (0.0, height))
        self._least_area_px = _LEAST_AREA * np.pi * radius**2
        self._edge = cv2.bitwise_and(cv2.bitwise_not(cv2.erode(region.mask, np.ones((5, 5), np.uint8))), region.mask)

    def find(self, rest: Mask, balls_px: Array) -> tuple[Cover, ...]:
        """The covers in a mask (reduced scale) from which the balls, with middles (N, 2) px, were taken out."""
        if cv2.countNonZero(rest) < self._least_area_px:
            return ()
        opened = cv2.morphologyEx(rest, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
        contours, _ = cv2.findContours(opened, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        middles = self._region.to_reduced(balls_px)
        return tuple(cover for contour in contours if (cover := self._cover(contour, middles)) is not None)

    def reaching_in(self, strange: Mask) -> Mask:
        """What of such a mask reaches in from beyond the table: arms and cues."""
        count, blobs = cv2.connectedComponents(strange, ltype=cv2.CV_16U)
        shades = np.zeros(count, np.uint8)
        shades[blobs[self._edge > 0]] = 255
        shades[0] = 0
        return np.asarray(shades[blobs], dtype=np.uint8)

    def _cover(self, contour: cv2.typing.MatLike, balls: Array) -> Cover | None:
        """A blob as a cover, unless it is too small to hide a ball or the rim of one."""
        area = cv2.contourArea(contour)
        left, top, width, height = cv2.boundingRect(contour)
        radius = self._region.reduced_radius(left + width / 2, top + height / 2)
        if area < _LEAST_AREA * np.pi * radius**2:
            return None
        if area < _RIM_AREA * np.pi * radius**2 and _is_rim(contour, balls, _RIM * radius):
            return None
        polygon = cv2.approxPolyDP(contour, _OUTLINE_ERROR_PX, closed=True).reshape(-1, 2)
        if len(polygon) < 3:
            return None
        places = self._camera.to_plane(self._region.to_picture(polygon), 0.0)
        outline = tuple(Point(float(x), float(y)) for x, y in places)
        return Cover(outline=outline, what=self._kind(contour, area, radius))

    def _kind(self, contour: cv2.typing.MatLike, area: float, radius: float) -> str:
        """What sort of thing it is, by its shape."""
        (_, _), (wide, high), _ = cv2.minAreaRect(contour)
        long = max(wide, high, 1.0)
        if area / long < _CUE_WIDTH * radius and long > 4 * radius:
            return "cue"
        left, top, width, height = cv2.boundingRect(contour)
        touches_edge = cv2.countNonZero(self._edge[top : top + height, left : left + width]) > 0
        if touches_edge and area > 2 * np.pi * radius**2:
            return "arm"
        return "head" if area > 6 * np.pi * radius**2 else "unknown"


def _is_rim(contour: cv2.typing.MatLike, balls: Array, reach: float) -> bool:
    """Whether all of a blob is close to the middle of one ball."""
    away = contour.reshape(-1, 1, 2) - balls
    return bool((np.hypot(away[..., 0], away[..., 1]) < reach).all(axis=0).any())
