"""Whether a table has pockets, and in which of its sides the middle ones lie: a table without them is a carom table."""

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import Array
from calibration.cloth import ClothArea, Picture

_OPEN = 0.5  # share of a place that is not cloth: there is a pocket


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PocketMarks:
    """How much of each corner (4,) and of the middle of each side (4,) is not cloth, 0 to 1; NaN beyond the picture."""

    corners: Array
    middles: Array

    @property
    def has_pockets(self) -> bool:
        """Whether this is a table with pockets; the corners decide, in doubt the middles do."""
        open_corners, seen = int((self.corners > _OPEN).sum()), int(np.isfinite(self.corners).sum())
        return open_corners >= min(3, seen) or (open_corners == 2 and self.middle_sides is not None)

    @property
    def middle_sides(self) -> int | None:
        """0 when the middle pockets lie in sides 0 and 2, 1 when in sides 1 and 3, None when that cannot be told."""
        both = np.minimum(self.middles[:2], self.middles[2:])
        for index in range(2):
            if both[index] > 0.5 * _OPEN > both[1 - index]:
                return index
        return None


def look_for_pockets(
    picture: Picture, area: ClothArea, noses_px: Array, edges_px: Array, cut: int | None = None
) -> PocketMarks:
    """Look at the cushions' tops, between nose and rail, in the four corners and in the middle of the four sides.

    `noses_px` and `edges_px` (4, 2) are the corners of the two rectangles; at the side `cut` the table goes on beyond
    the picture: its corners are none, and where the middles lie nobody knows.
    """
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], dtype=np.float32)
    to_nose = cv2.getPerspectiveTransform(square, noses_px.astype(np.float32))
    to_edge = cv2.getPerspectiveTransform(square, edges_px.astype(np.float32))
    corners, middles = [], []
    for index in range(4):
        inner, outer = noses_px[index], edges_px[index]
        across = np.array([outer[1] - inner[1], inner[0] - outer[0]])
        corners.append(_unlike(picture, area, inner, outer, across * 0.25))
        following = (index + 1) % 4
        middle = ((square[index] + square[following]) / 2).reshape(1, 1, 2)
        inner = cv2.perspectiveTransform(middle, to_nose).reshape(2).astype(np.float64)
        outer = cv2.perspectiveTransform(middle, to_edge).reshape(2).astype(np.float64)
        along = noses_px[following] - noses_px[index]
        width = np.linalg.norm(outer - inner)
        middles.append(_unlike(picture, area, inner, outer, along / np.linalg.norm(along) * width * 0.35))
    marks = PocketMarks(corners=np.array(corners), middles=np.array(middles))
    if cut is not None:
        marks.corners[[cut, (cut + 1) % 4]] = np.nan
        marks.middles[:] = np.nan
    return marks


def _unlike(picture: Picture, area: ClothArea, inner: Array, outer: Array, aside: Array) -> float:
    """The share of a small patch, from inner to outer and as far aside each way, that is not cloth."""
    shares, shifts = np.meshgrid(np.linspace(0.1, 0.8, 8), np.linspace(-1, 1, 7))
    places = inner + shares[..., None] * (outer - inner) + shifts[..., None] * aside
    height, width = picture.shape[:2]
    inside = (places >= 0).all(axis=2) & (places[..., 0] <= width - 1) & (places[..., 1] <= height - 1)
    if inside.mean() < 0.3:
        return 0.0
    at = places.astype(np.float32)
    colours = cv2.remap(picture, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    like = area.likeness(colours.astype(np.float32))
    return float((~like)[inside].mean())
