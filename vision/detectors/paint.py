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
_AT_POCKET_MM, _LIT_AT_POCKET = 75.0, 0.7  # so near a pocket what is darker than this share of the cloth is its hole
_HUE_WEIGHT = 0.75  # 0: brightness and hue count as they come, 1: hue only


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Backdrop:
    """What lies behind the balls: the empty table's BGR at (N, ..., 2) reduced px, `cloth` being the usual one.

    `gain` is how much brighter the frame is, `noise` how rough cloth looks, 8-bit levels. At `pockets_mm` (P, 2), the
    corners of the pockets on the bed's plane, it is dark without being cloth in the dark.
    """

    region: WorkRegion
    colours_at: Callable[[Array], Floats]
    cloth: Array
    gain: float
    noise: float
    pockets_mm: Array

    def is_hole(self, under: Array, places_mm: Array) -> npt.NDArray[np.bool_]:
        """(N,) whether what the empty table shows `under` balls, (N, 3) BGR, at (N, 2) is a pocket's hole."""
        if not len(self.pockets_mm):
            return np.zeros(len(under), np.bool_)
        apart = places_mm[:, None] - self.pockets_mm
        is_near = np.hypot(apart[..., 0], apart[..., 1]).min(axis=1) < _AT_POCKET_MM
        return np.asarray(is_near & (self._lit(under) < _LIT_AT_POCKET), np.bool_)

    def _lit(self, cloth: Array) -> Array:
        lit: Array = (cloth @ self.cloth) / float(self.cloth @ self.cloth)
        return lit

    def evened(self, core: Array, cloth: Array) -> Array:
        """(N, 3) BGR of balls as they would look where the cloth is lit as usual; (N, 3) the cloth around them."""
        even: Array = core / np.clip(self._lit(cloth), 0.2, 5.0)[:, None]
        return even

    def sample(self, points_px: Array) -> Floats:
        """(N, P, 2) px to (N, P, 3) BGR."""
        return self.colours_at(self.region.to_reduced(points_px)) * np.float32(self.gain)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Paint:
    """Colours of N balls and of the cloth under them (N, 3) BGR, and a direction from one to the other.

    A colour's product with `axis` is 0 on cloth and 1 on the ball; `contrast` (N,) is the difference it rests on.
    `lopsided` (N,) is how much brighter a ball's bright side is than its dark one; a ball `over_hole` (N,) hangs in a
    mouth and is compared with the cloth before it, not with what is `under` it (N, 3).
    """

    core: Array
    cloth: Array
    axis: Array
    contrast: Array
    lopsided: Array
    over_hole: npt.NDArray[np.bool_]
    under: Array

    def only(self, rows: npt.NDArray[np.intp]) -> "Paint":
        """Of some balls."""
        return Paint(
            core=self.core[rows],
            cloth=self.cloth[rows],
            axis=self.axis[rows],
            contrast=self.contrast[rows],
            lopsided=self.lopsided[rows],
            over_hole=self.over_hole[rows],
            under=self.under[rows],
        )

    def cover(self, colours: Floats) -> Floats:
        """(N, ..., 3) BGR to (N, ...): how much of each sample is ball."""
        shift = (self.cloth * self.axis).sum(axis=1)
        cover: Floats = _along(colours, self.axis) - _each(shift, colours)
        return cover

    def by_hue(self, cover: Floats, colours: Floats) -> Floats:
        """The same with less regard to brightness: a ball's dark side counts like its bright one, if not too dark."""
        usual = _each(self.core.sum(axis=1), colours)
        lit: Floats = cover * (usual / np.maximum(_light(colours), _DARKEST * usual)) ** _HUE_WEIGHT
        return lit

    def brightness(self, colours: Floats) -> Floats:
        """(N, ..., 3) BGR to (N, ...): how bright each sample is, in shares of the cloth's brightness."""
        return _along(colours, self.cloth / np.maximum((self.cloth * self.cloth).sum(axis=1), 1.0)[:, None])


def sampled(picture: Picture | Floats | Planes, points: Array) -> Floats:
    """(N, ..., 2) px to (N, ..., 3) colours between the pixels."""
    return sampled_at(picture, points[..., 0], points[..., 1])


def sampled_at(picture: Picture | Floats | Planes, x: Array, y: Array) -> Floats:
    """(N, ...) columns and rows, px, to (N, ..., 3) colours between the pixels."""
    flat_x, flat_y = (np.ascontiguousarray(each.reshape(len(x), -1), np.float32) for each in (x, y))
    if isinstance(picture, Planes):
        return picture.sampled(flat_x, flat_y).reshape(*x.shape, 3)
    values = cv2.remap(picture, flat_x, flat_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return cast("Floats", values.reshape(*x.shape, 3).astype(np.float32))


def core_of(pixels: Picture | Planes, centers_px: Array, radii_px: Array) -> Array:
    """(N, 2) middles and (N,) radii to the (N, 3) BGR that most of each ball has."""
    if not len(centers_px):
        return np.empty((0, 3))
    return _median(_inner(pixels, centers_px, radii_px))


def _inner(pixels: Picture | Planes, centers_px: Array, radii_px: Array) -> Floats:
    """(N, 28, 3) BGR inside balls."""
    x, y = (centers_px[:, axis, None] + radii_px[:, None] * _CORE[:, axis] for axis in (0, 1))
    return sampled_at(pixels, x, y)


def paint_of(pixels: Picture | Planes, backdrop: Backdrop, outlines: Outlines) -> Paint:
    """The colours of balls at these outlines; the direction ignores shadows where the balls' hue allows it."""
    inner = _inner(pixels, outlines.centers_px, outlines.radii_px)
    core = _median(inner)
    under = _median(backdrop.sample(outlines.centers_px[:, None] + outlines.radii_px[:, None, None] * _CORE[_FEW]))
    over_hole = backdrop.is_hole(under, outlines.places_mm)
    cloth = np.where(over_hole[:, None], backdrop.cloth * backdrop.gain, under)
    along = cloth / np.maximum(np.sqrt((cloth * cloth).sum(axis=1)), 1.0)[:, None]
    whole = core - cloth
    across = whole - (whole * along).sum(axis=1)[:, None] * along
    size_whole, size_across = (np.sqrt((colour * colour).sum(axis=1)) for colour in (whole, across))
    is_coloured = size_across > np.maximum(_LEAST_HUE, _HUE_SHARE * size_whole)
    contrast = np.where(is_coloured, size_across, size_whole)
    axis = np.where(is_coloured[:, None], across, whole) / np.maximum(contrast, 1.0)[:, None] ** 2
    return Paint(
        core=core,
        cloth=cloth,
        axis=axis,
        contrast=contrast,
        lopsided=_lopsided(inner, core),
        over_hole=over_hole,
        under=under,
    )


def _median(colours: Floats) -> Array:
    """(N, P, 3) to (N, 3), P even: `np.median`, which is slow for so few."""
    ordered, half = np.sort(colours.transpose(0, 2, 1), axis=2), colours.shape[1] // 2
    return cast("Array", ((ordered[:, :, half - 1] + ordered[:, :, half]) / 2).astype(np.float64))


def _lopsided(inner: Floats, core: Array) -> Array:
    """(N, P, 3) colours inside balls to (N,): the slope of their brightness over a radius, highlights cut off."""
    usual = np.maximum(core.sum(axis=1), 1.0)[:, None]
    light = np.minimum(_light(inner) / usual, _HIGHLIGHT)
    slope = 2 * (light @ _CORE) / float((_CORE * _CORE).sum())
    size: Array = np.hypot(slope[:, 0], slope[:, 1])
    return size


def _light(colours: Floats) -> Floats:
    """(..., 3) BGR to (...): the sum of the three."""
    light: Floats = colours[..., 0] + colours[..., 1] + colours[..., 2]
    return light


def _along(colours: Floats, axes: Array) -> Floats:
    """(N, ..., 3) BGR by the (N, 3) axes of the balls, to (N, ...)."""
    flat = colours.reshape(len(colours), -1, 3).transpose(0, 2, 1)
    along: Floats = (axes.astype(np.float32)[:, None] @ flat).reshape(colours.shape[:-1])
    return along


def _each(values: Array, colours: Floats) -> Floats:
    """(N,) as something that each ball's (N, ..., 3) samples can be multiplied by."""
    return values.astype(np.float32).reshape(-1, *(1,) * (colours.ndim - 2))


def _spiral() -> Array:
    """(28, 2) points spread over the inner two thirds of a unit disc."""
    rings = [(share, 2 * np.pi * np.arange(count) / count) for share, count in ((0.2, 5), (0.45, 9), (0.68, 14))]
    return np.vstack([share * np.column_stack([np.cos(turn), np.sin(turn)]) for share, turn in rings])


_CORE = _spiral()
_FEW = np.array([0, 3, 6, 9, 12, 15, 18, 21, 24, 27])
