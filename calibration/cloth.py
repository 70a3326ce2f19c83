"""Where the cloth is: large areas of one colour, whatever the colour, and how the light falls on it."""

from dataclasses import dataclass
from typing import cast

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Array

Picture = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.uint8]

WORKING_PX = 480  # the longer side of the picture in which areas are sought
_LEAST_SHARE = 0.06  # of the picture: smaller areas are no table
_LEAST_SOLID = 0.6  # of the filled area is the colour itself: a frame around another colour is no cloth
_REACH = 3.0  # in the spreads below
_LEAST_SPREAD = np.array([9.0, 3.5, 3.5], dtype=np.float32)
_MOST_SPREAD = np.array([14.0, 7.0, 7.0], dtype=np.float32)
_SEED_COLUMNS, _SEED_ROWS = 18, 12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClothArea:
    """An area of one colour without its holes: `mask` (H, W) 0 or 255 in the reduced picture, `scale` px there per px.

    `colour` is the area's middle as lightness and two chromas, see `colour_features`; `axis` (3,) weighs blue, green
    and red so that shades of it show best.
    """

    mask: Mask
    scale: float
    share: float
    colour: Array
    axis: Array

    def likeness(self, colours: npt.NDArray[np.float32]) -> npt.NDArray[np.bool_]:
        """(N, M, 3) BGR samples to (N, M): which of them can be this cloth in more or less light."""
        return self.accepts(_features(colours))

    def accepts(self, features: npt.NDArray[np.float32]) -> npt.NDArray[np.bool_]:
        """(N, M, 3) features, see `colour_features`, to (N, M): which of them can be this cloth."""
        light, first, second = np.moveaxis(features, 2, 0)
        strength = float(np.hypot(self.colour[1], self.colour[2]))
        toward = self.colour[1:] / max(strength, 1e-6)
        first, second = first - self.colour[1], second - self.colour[2]
        # light and lens change how strong a colour is, hardly its hue
        stronger, other_hue = first * toward[0] + second * toward[1], second * toward[0] - first * toward[1]
        near = np.hypot(stronger / (12 + 0.3 * strength), other_hue / (7 + 0.12 * strength)) < 1
        return cast("npt.NDArray[np.bool_]", near & (light > 0.4 * self.colour[0]) & (light < self.colour[0] + 45))


def cloth_areas(picture: Picture, limit: int = 16) -> list[ClothArea]:
    """The areas of one colour in a BGR picture, largest first; there may be none."""
    height, width = picture.shape[:2]
    scale = min(1.0, WORKING_PX / max(width, height))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    features = colour_features(small)
    taken = np.zeros(small.shape[:2], dtype=bool)
    areas = []
    for row, column in _seeds(features):
        if taken[row, column]:
            continue
        grown = _grow(features, row, column)
        if grown is None:
            continue
        taken |= grown > 0
        area = _area(small, features, grown, scale)
        if area is None:
            continue
        areas.append(area)
        wide = _area(small, features, _largest_part(area.accepts(features)), scale)  # in all the lamps' light
        if wide is not None and wide.share > 1.02 * area.share:
            areas.append(wide)
    return sorted(areas, key=lambda area: -area.share)[:limit]


def _area(small: Picture, features: npt.NDArray[np.float32], grown: Mask, scale: float) -> ClothArea | None:
    """A connected part of the reduced picture as an area, unless it is small or a frame around something else."""
    filled = _without_holes(grown)
    share = float(np.count_nonzero(filled)) / filled.size
    if share < _LEAST_SHARE or np.count_nonzero(grown) < _LEAST_SOLID * np.count_nonzero(filled):
        return None
    inside = grown > 0
    colour = np.median(features[inside], axis=0).astype(np.float64)
    axis = small[inside].mean(axis=0, dtype=np.float64) + 1.0
    return ClothArea(mask=filled, scale=scale, share=share, colour=colour, axis=axis / axis.sum())


def _largest_part(mask: npt.NDArray[np.bool_]) -> Mask:
    """The largest connected part of a mask."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=4)
    if len(stats) < 2:
        return np.zeros(mask.shape, dtype=np.uint8)
    largest = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
    return np.where(labels == largest, 255, 0).astype(np.uint8)


def colour_features(picture: Picture) -> npt.NDArray[np.float32]:
    """(H, W, 3) float32: lightness and two chromas that do not change with the amount of light.

    Under a brighter lamp CIE L + 16, a and b grow by one common factor (the cube root in their definition), so a and b
    over L + 16 stay.
    """
    return _features(cv2.GaussianBlur(picture, (0, 0), 1.2).astype(np.float32))


def _features(colours: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    lab = cv2.cvtColor(colours / np.float32(255), cv2.COLOR_BGR2LAB)
    light = lab[..., 0]
    chroma = np.float32(66) / (light + np.float32(16))
    return np.dstack([light, lab[..., 1] * chroma, lab[..., 2] * chroma]).astype(np.float32)


def _seeds(features: npt.NDArray[np.float32]) -> list[tuple[int, int]]:
    """Places of even colour on a grid, the most common colours first."""
    height, width = features.shape[:2]
    rows = ((np.arange(_SEED_ROWS) + 0.5) * height / _SEED_ROWS).astype(int)
    columns = ((np.arange(_SEED_COLUMNS) + 0.5) * width / _SEED_COLUMNS).astype(int)
    mean = cv2.blur(features, (5, 5))
    spread = np.sqrt(np.maximum(cv2.blur(features * features, (5, 5)) - mean * mean, 0))
    places = [(int(r), int(c)) for r in rows for c in columns if (spread[r, c] < _LEAST_SPREAD).all()]
    if not places:
        return []
    colours = np.array([mean[place] for place in places])
    alike = (np.abs(colours[:, None] - colours[None]) < 2 * _LEAST_SPREAD).all(axis=2).sum(axis=1)
    return [places[index] for index in np.argsort(-alike, kind="stable")]


def _grow(features: npt.NDArray[np.float32], row: int, column: int) -> Mask | None:
    """The connected area around a seed, its colour learnt anew until it no longer changes."""
    patch = features[max(0, row - 2) : row + 3, max(0, column - 2) : column + 3].reshape(-1, 3)
    center, spread = patch.mean(axis=0), _LEAST_SPREAD
    area: Mask | None = None
    count = 0
    for _ in range(5):
        distance = (((features - center) / spread) ** 2).sum(axis=2)
        near = (distance < _REACH**2).astype(np.uint8)
        _, labels = cv2.connectedComponents(near, connectivity=4)
        label = int(labels[row, column])
        if label == 0:
            return area
        area = cast("Mask", (labels == label).astype(np.uint8) * np.uint8(255))
        members = features[area > 0]
        if abs(len(members) - count) < 0.01 * count:
            break
        count = len(members)
        center = np.median(members, axis=0)
        spread = np.clip(1.48 * np.median(np.abs(members - center), axis=0), _LEAST_SPREAD, _MOST_SPREAD)
    return area


def _without_holes(area: Mask) -> Mask:
    """Close thin dark lines (the shadow under a nose), fill what lies inside (balls), and cut off what hangs on."""
    width = max(3, round(0.02 * max(area.shape)) | 1)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width))
    padded = cv2.copyMakeBorder(area, width, width, width, width, cv2.BORDER_CONSTANT, value=[0])
    closed = cv2.morphologyEx(padded, cv2.MORPH_CLOSE, kernel)
    opened = cv2.morphologyEx(_largest(closed), cv2.MORPH_OPEN, kernel)
    return _largest(opened)[width:-width, width:-width].copy()


def _largest(image: cv2.typing.MatLike) -> Mask:
    mask = np.asarray(image, dtype=np.uint8)
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = np.zeros_like(mask)
    if contours:
        cv2.drawContours(filled, [max(contours, key=cv2.contourArea)], -1, [255], cv2.FILLED)
    return filled
