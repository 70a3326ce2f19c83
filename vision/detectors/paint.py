"""What tells a ball from the cloth around it: its colour against the empty table's, shadows set aside."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Array
from hardware.planes import Planes
from vision.detectors.outline import Outlines
from vision.detectors.region import Picture, WorkRegion

Floats = npt.NDArray[np.float32]

_LEAST_HUE = 18.0  # difference across the cloth's colour from which on shadows can be set aside
_HUE_SHARE = 0.3
_DARKEST = 0.35
_HIGHLIGHT = 1.15
_HUE_WEIGHT = 0.75  # 0: brightness and hue count as they come, 1: hue only


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Backdrop:
    """What lies behind the balls: the empty table's BGR at (N, ..., 2) reduced px, `cloth` being the usual one.

    `gain` is how much brighter the frame is, `noise` how rough cloth looks, 8-bit levels.
    """

    region: WorkRegion
    colours_at: Callable[[Array], Floats]
    cloth: Array
    gain: float
    noise: float

    def evened(self, core: Array, cloth: Array) -> Array:
        """(N, 3) BGR of balls as they would look where the cloth is lit as usual; (N, 3) the cloth around them."""
        lit = (cloth @ self.cloth) / float(self.cloth @ self.cloth)
        even: Array = core / np.clip(lit, 0.2, 5.0)[:, None]
        return even

    def sample(self, points_px: Array) -> Floats:
        """(N, P, 2) px to (N, P, 3) BGR."""
        return self.colours_at(self.region.to_reduced(points_px)) * np.float32(self.gain)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Paint:
    """Colours of N balls and of the cloth under them (N, 3) BGR, and a direction from one to the other.

    A colour's product with `axis` is 0 on cloth and 1 on the ball; `contrast` (N,) is the difference it rests on.
    `lopsided` (N,) is how much brighter a ball's bright side is than its dark one.
    """

    core: Array
    cloth: Array
    axis: Array
    contrast: Array
    lopsided: Array

    def only(self, rows: npt.NDArray[np.intp]) -> "Paint":
        """Of some balls."""
        return Paint(
            core=self.core[rows],
            cloth=self.cloth[rows],
            axis=self.axis[rows],
            contrast=self.contrast[rows],
            lopsided=self.lopsided[rows],
        )

    def cover(self, colours: Floats) -> Floats:
        """(N, ..., 3) BGR to (N, ...): how much of each sample is ball."""
        count = len(colours)
        shift = (self.cloth * self.axis).sum(axis=1).astype(np.float32)
        product = (colours.reshape(count, -1, 3) @ self.axis.astype(np.float32)[:, :, None])[:, :, 0]
        product -= shift[:, None]
        return cast("Floats", product.reshape(colours.shape[:-1]))

    def by_hue(self, cover: Floats, colours: Floats) -> Floats:
        """The same with less regard to brightness: a ball's dark side counts like its bright one, if not too dark."""
        light = colours @ _ONES
        usual = self.core.sum(axis=1).astype(np.float32).reshape(-1, *(1,) * (light.ndim - 1))
        lit: Floats = cover * (usual / np.maximum(light, _DARKEST * usual)) ** _HUE_WEIGHT
        return lit

    def brightness(self, colours: Floats) -> Floats:
        """(N, ..., 3) BGR to (N, ...): how bright each sample is, in shares of the cloth's brightness."""
        along = self.cloth / np.maximum((self.cloth * self.cloth).sum(axis=1), 1.0)[:, None]
        product = colours.reshape(len(colours), -1, 3) @ along.astype(np.float32)[:, :, None]
        return cast("Floats", product.reshape(colours.shape[:-1]))


def sampled(picture: Picture | Floats | Planes, points: Array) -> Floats:
    """(N, ..., 2) px to (N, ..., 3) colours between the pixels."""
    flat = points.reshape(points.shape[0], -1, 2).astype(np.float32)
    x, y = np.ascontiguousarray(flat[:, :, 0]), np.ascontiguousarray(flat[:, :, 1])
    if isinstance(picture, Planes):
        return picture.sampled(x, y).reshape(*points.shape[:-1], 3)
    values = cv2.remap(picture, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return cast("Floats", values.reshape(*points.shape[:-1], 3).astype(np.float32))


def core_of(pixels: Picture | Planes, centers_px: Array, radii_px: Array) -> Array:
    """(N, 2) middles and (N,) radii to the (N, 3) BGR that most of each ball has."""
    if not len(centers_px):
        return np.empty((0, 3))
    inner = sampled(pixels, centers_px[:, None] + radii_px[:, None, None] * _CORE)
    return _median(inner)


def paint_of(pixels: Picture | Planes, backdrop: Backdrop, outlines: Outlines) -> Paint:
    """The colours of balls at these outlines; the direction ignores shadows where the balls' hue allows it."""
    points = outlines.centers_px[:, None] + outlines.radii_px[:, None, None] * _CORE
    inner = sampled(pixels, points)
    core = _median(inner)
    cloth = _median(backdrop.sample(points[:, _FEW]))
    along = cloth / np.maximum(np.sqrt((cloth * cloth).sum(axis=1)), 1.0)[:, None]
    whole = core - cloth
    across = whole - (whole * along).sum(axis=1)[:, None] * along
    size_whole, size_across = (np.sqrt((colour * colour).sum(axis=1)) for colour in (whole, across))
    is_coloured = size_across > np.maximum(_LEAST_HUE, _HUE_SHARE * size_whole)
    contrast = np.where(is_coloured, size_across, size_whole)
    axis = np.where(is_coloured[:, None], across, whole) / np.maximum(contrast, 1.0)[:, None] ** 2
    return Paint(core=core, cloth=cloth, axis=axis, contrast=contrast, lopsided=_lopsided(inner, core))


def _median(colours: Floats) -> Array:
    """(N, P, 3) to (N, 3), P even: `np.median`, which is slow for so few."""
    ordered, half = np.sort(colours, axis=1), colours.shape[1] // 2
    return cast("Array", (ordered[:, half - 1 : half + 1].sum(axis=1) / 2).astype(np.float64))


def _lopsided(inner: Floats, core: Array) -> Array:
    """(N, P, 3) colours inside balls to (N,): the slope of their brightness over a radius, highlights cut off."""
    usual = np.maximum(core.sum(axis=1), 1.0)[:, None]
    light = np.minimum((inner @ _ONES) / usual, _HIGHLIGHT)
    slope = 2 * (light @ _CORE) / float((_CORE * _CORE).sum())
    size: Array = np.hypot(slope[:, 0], slope[:, 1])
    return size


def _spiral() -> Array:
    """(28, 2) points spread over the inner two thirds of a unit disc."""
    rings = [(share, 2 * np.pi * np.arange(count) / count) for share, count in ((0.2, 5), (0.45, 9), (0.68, 14))]
    return np.vstack([share * np.column_stack([np.cos(turn), np.sin(turn)]) for share, turn in rings])


_ONES = np.ones(3, np.float32)
_CORE = _spiral()
_FEW = np.array([0, 3, 6, 9, 12, 15, 18, 21, 24, 27])
