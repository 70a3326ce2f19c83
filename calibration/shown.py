"""Where a person has shown the table to be: the area and the outline from four corners, for the finder to refine."""

import cv2
import numpy as np

from calibration.camera import Array
from calibration.cloth import WORKING_PX, ClothArea, Picture, colour_features
from calibration.errors import NoTableError
from calibration.quadrilateral import Quadrilateral, clockwise

_INNER = 0.85  # of the way from the middle to the corners: cloth for sure
_LEAST_SHARE = 0.03  # of the picture


def shown_table(picture: Picture, corners_px: Array) -> tuple[ClothArea, Quadrilateral]:
    """The cloth between corners (4, 2) px that a person has put on the noses, and its outline there.

    Raises:
        NoTableError: the corners make no table.
    """
    height, width = picture.shape[:2]
    corners = clockwise(np.asarray(corners_px, dtype=np.float64).reshape(4, 2))
    surface = float(cv2.contourArea(corners.astype(np.float32)))
    if not cv2.isContourConvex(corners.astype(np.float32)) or surface < _LEAST_SHARE * width * height:
        message = "no table: the four corners make no table; put each on a corner of the cushions' noses"
        raise NoTableError(message)
    scale = min(1.0, WORKING_PX / max(width, height))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    inside = _filled(small, _INNER * corners + (1 - _INNER) * corners.mean(axis=0), scale) > 0
    axis = np.median(small[inside], axis=0) + 1.0
    mask = _filled(small, corners, scale)
    area = ClothArea(
        mask=mask,
        scale=scale,
        share=float(np.count_nonzero(mask)) / mask.size,
        colour=np.median(colour_features(small)[inside], axis=0).astype(np.float64),
        axis=axis / axis.sum(),
    )
    return area, Quadrilateral(corners_px=corners, bows_px=np.zeros(4)).scaled(scale)


def _filled(small: Picture, corners_px: Array, scale: float) -> Picture:
    drawn = np.zeros(small.shape[:2], dtype=np.uint8)
    reduced = (corners_px + 0.5) * scale - 0.5
    cv2.fillPoly(drawn, [np.round(reduced).astype(np.int32)], [255])
    return drawn
