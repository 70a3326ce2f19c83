"""The empty table as it looks now: learnt with balls and people on it, kept up to date, in any light.

Colours are turned into the cloth's own axes: how bright along the cloth's colour (which shadows and lamps change), and
two axes across it (which they do not change).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Array
from vision.detectors.paint import sampled
from vision.detectors.region import Mask, Picture, Window

_BRIGHTNESS_SCALE = 0.6  # keeps white below saturation
_NEUTRAL = 128.0
_SHADOW_DEPTH = 0.5  # cloth in a shadow keeps at least this share of its brightness
_LEARN_EVERY_NS = 400_000_000
_ABSORB_THIN_NS = 2_000_000_000
_ABSORB_ANY_NS = 12_000_000_000
_LEARN_RATE = 0.19
_GAIN_STEP = 0.015  # a change of light that calls for a new look at the whole table

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Foreground:
    """What is not the empty table (0 or 255, reduced scale), under which gain, and how much of the bed it fills.

    `difference` is what it was made of: three channels around 128, brightness first, then two of hue.
    """

    mask: Mask
    difference: Picture
    gain: float
    share: float


class Background:
    """The empty table at the reduced scale."""

    def __init__(self, reduced: Picture, *, bed: Mask, mask: Mask, radius_px: float) -> None:
        """Learn from one picture; `radius_px` is a ball's radius at the reduced scale."""
        self._bed, self._mask, self._radius_px = bed, mask, radius_px
        self._core = cv2.erode(bed, np.ones((3, 3), np.uint8))
        self._sample = np.flatnonzero(self._core.ravel())[::211]
        self.cloth = _cloth_colour(reduced, bed)
        self._axes = _cloth_axes(self.cloth)
        self._to_bgr = np.linalg.inv(self._axes).T.astype(np.float32)
        self._gain = 1.0
        self._matrix_gain, self._matrix = 0.0, self._axes
        seen = self._to_axes(reduced, 1.0).astype(np.float32)
        self._mean, self._noise = _empty_table(seen, bed, radius_px)
        self._image = cv2.convertScaleAbs(self._mean)
        self._thresholds = self._limits()
        self._learnt_ns: int | None = None
        self._reference = self._usual_light()
        self._last_learnt = self._image
        self._age: Mask = np.zeros(bed.shape, np.uint8)
        self._found: Foreground | None = None
        self._is_fresh = False
        self._bed_area = max(1, cv2.countNonZero(bed))

    def foreground(self, reduced: Picture, windows: Sequence[Window] | None = None) -> Foreground:
        """Find what is not cloth, after evening out the light; outside the windows all is as it was the last time."""
        gain = self._measured_gain(reduced)
        before = self._found
        if before is None or windows is None or not self._is_fresh or abs(gain / self._gain - 1) > _GAIN_STEP:
            self._gain = gain
            difference, mask = self._compared(reduced, (0, 0, reduced.shape[1], reduced.shape[0]))
        else:
            gain = self._gain
            difference, mask = before.difference, before.mask
            for window in windows:
                left, top, right, bottom = window
                place = slice(top, bottom), slice(left, right)
                difference[place], mask[place] = self._compared(reduced, window)
        self._is_fresh = True
        share = cv2.countNonZero(cv2.bitwise_and(mask, self._bed)) / self._bed_area
        self._found = Foreground(mask=mask, difference=difference, gain=gain, share=share)
        return self._found

    def _compared(self, reduced: Picture, window: Window) -> tuple[Picture, Mask]:
        """The difference from the empty table in a window, and what of it is foreground."""
        left, top, right, bottom = window
        place = slice(top, bottom), slice(left, right)
        seen = self._to_axes(reduced[place], self._gain)
        difference = np.asarray(cv2.addWeighted(seen, 1.0, self._image[place], -1.0, _NEUTRAL), dtype=np.uint8)
        low, high = self._thresholds
        table = cv2.inRange(difference, low, high)
        return difference, np.asarray(cv2.bitwise_and(cv2.bitwise_not(table), self._mask[place]), dtype=np.uint8)

    def colours_at(self, points: Array) -> Floats:
        """(N, ..., 2) reduced px to (N, ..., 3) BGR of the empty table there, at the reference light."""
        across = sampled(self._mean, points) - np.array([0.0, _NEUTRAL, _NEUTRAL], np.float32)
        return cast("Floats", np.maximum(across @ self._to_bgr, 0.0))

    @property
    def noise(self) -> float:
        """How far cloth strays from the empty table, across its colour, 8-bit levels."""
        return float(self._noise[1:].mean())

    def is_due(self, t_ns: int) -> bool:
        """Whether it is time to learn again."""
        return self._learnt_ns is None or not 0 <= t_ns - self._learnt_ns < _LEARN_EVERY_NS

    def learn(self, reduced: Picture, balls: Mask, found: Foreground, t_ns: int) -> None:
        """Follow slow changes where nothing lies, and take in what has lain still for long and is no ball."""
        passed_ns = 0 if self._learnt_ns is None else max(0, t_ns - self._learnt_ns)
        self._learnt_ns = t_ns
        seen = self._to_axes(reduced, found.gain)
        covered = cv2.dilate(found.mask, np.ones((5, 5), np.uint8))
        free = cv2.bitwise_not(cv2.bitwise_or(covered, balls))
        cv2.accumulateWeighted(seen, self._mean, _LEARN_RATE, mask=free)
        strange = np.asarray(cv2.bitwise_and(found.mask, cv2.bitwise_not(balls)), dtype=np.uint8)
        self._absorb(seen, strange, passed_ns)
        self._image = np.asarray(cv2.convertScaleAbs(self._mean), dtype=np.uint8)
        self._reference = self._usual_light()
        self._is_fresh = False

    def _absorb(self, seen: Picture, strange: Mask, passed_ns: int) -> None:
        """Age what is strange and still; what is old becomes table, thin things (a line, a chalk mark) sooner."""
        before, self._last_learnt = self._last_learnt, seen
        size = 2 * round(0.6 * self._radius_px) + 1
        window = _surroundings(strange, size)
        age = self._age[window].copy()
        self._age.fill(0)
        if not age.size:
            return
        strange, seen = strange[window], seen[window]
        step = min(255, max(1, round(255 * passed_ns / _ABSORB_ANY_NS)))
        unmoved = cv2.inRange(cv2.absdiff(seen, before[window]), (0, 0, 0), (14, 10, 10))
        still = cv2.bitwise_and(strange, unmoved)
        age = np.asarray(cv2.bitwise_and(cv2.add(age, np.full_like(age, step)), still), dtype=np.uint8)
        thick = cv2.morphologyEx(strange, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))
        thick = cv2.dilate(thick, np.ones((3, 3), np.uint8))
        old = (age >= 255) | ((age >= 255 * _ABSORB_THIN_NS // _ABSORB_ANY_NS) & (thick == 0))
        if old.any():
            self._mean[window][old] = seen[old]
            age[old] = 0
        self._age[window] = age

    def _to_axes(self, reduced: Picture, gain: float) -> Picture:
        """BGR to the cloth's axes, uint8, evening out the gain."""
        if gain != self._matrix_gain:
            self._matrix_gain, self._matrix = gain, np.column_stack([self._axes / gain, [0.0, _NEUTRAL, _NEUTRAL]])
        return cast("Picture", cv2.transform(reduced, self._matrix))

    def _measured_gain(self, reduced: Picture) -> float:
        """How much brighter the cloth is than learnt: the median over a sample of it."""
        pixels = np.take(reduced.reshape(-1, 3), self._sample, axis=0) @ self._axes[0].astype(np.float32)
        middle = len(pixels) // 2
        return min(max(float(np.partition(pixels / self._reference, middle)[middle]), 0.05), 20.0)

    def _usual_light(self) -> Floats:
        """How bright the empty table is where the gain is measured."""
        light: Floats = np.maximum(self._mean.reshape(-1, 3)[self._sample, 0], 1.0)
        return light

    def _limits(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The range of differences that is still table."""
        brightness = float(np.median(self._mean.reshape(-1, 3)[self._bed.ravel() > 0, 0]))
        bright, first, second = np.maximum([14.0, 9.0, 9.0], 6.0 * self._noise)
        low = (_NEUTRAL - max(bright, _SHADOW_DEPTH * brightness), _NEUTRAL - first, _NEUTRAL - second)
        return low, (_NEUTRAL + bright, _NEUTRAL + first, _NEUTRAL + second)


def _surroundings(mask: Mask, rim: int) -> tuple[slice, slice]:
    """The rows and columns that hold all of a mask, and a rim around it; none when the mask is empty."""
    left, top, width, height = cv2.boundingRect(mask)
    if not width:
        return slice(0), slice(0)
    return slice(max(0, top - rim), top + height + rim), slice(max(0, left - rim), left + width + rim)


def _cloth_colour(reduced: Picture, bed: Mask) -> Array:
    """(3,) BGR: the most frequent hue in the bed, at its usual brightness."""
    pixels = reduced.reshape(-1, 3)[bed.ravel() > 0][::3].astype(np.float64) + 1.0
    total = pixels.sum(axis=1)
    shares = np.clip((pixels[:, :2] / total[:, None] * 40).astype(int), 0, 39)
    counts = np.bincount(shares[:, 0] * 40 + shares[:, 1], minlength=1600).reshape(40, 40).astype(np.float64)
    summed = cv2.boxFilter(counts, -1, (3, 3), normalize=False)
    peak = np.array(np.unravel_index(int(summed.argmax()), summed.shape))
    near = np.abs(shares - peak).max(axis=1) <= 2
    return cast("Array", np.median(pixels[near], axis=0))


def _cloth_axes(cloth: Array) -> Array:
    """(3, 3) rows: along the cloth's colour (scaled), and two across it."""
    along = cloth / np.linalg.norm(cloth)
    helper = np.eye(3)[int(np.argmin(np.abs(along)))]
    first = helper - (helper @ along) * along
    first /= np.linalg.norm(first)
    return np.vstack([_BRIGHTNESS_SCALE * along, first, np.cross(along, first)])


def _empty_table(seen: Floats, bed: Mask, radius_px: float) -> tuple[Floats, Array]:
    """The picture with everything of a ball's size or more painted over as cloth, and the cloth's noise per axis."""
    height, width = bed.shape
    rows, columns = np.nonzero(bed[::2, ::2])
    rows, columns = rows * 2, columns * 2
    terms = _cubic(columns / width, rows / height)
    values = seen[rows, columns].astype(np.float64)
    middle = np.median(values, axis=0)
    weights = np.all(np.abs(values - middle) < [0.4 * middle[0], 28, 28], axis=1)
    spread = np.array([20.0, 12.0, 12.0])
    fitted = np.zeros((terms.shape[1], 3))
    for _ in range(4):
        fitted = np.asarray(np.linalg.lstsq(terms[weights], values[weights], rcond=None)[0], dtype=np.float64)
        residual = np.abs(values - terms @ fitted)
        spread = np.maximum(1.4826 * np.median(residual[weights], axis=0), 1.0)
        weights = np.all(residual < np.maximum(4 * spread, [12, 8, 8]), axis=1)
    grid_x, grid_y = np.meshgrid(np.arange(width) / width, np.arange(height) / height)
    smooth = (_cubic(grid_x.ravel(), grid_y.ravel()) @ fitted).reshape(height, width, 3).astype(np.float32)
    residual_map = seen - smooth
    limits = np.maximum(5 * spread, [14, 9, 9])
    strange = np.any(np.abs(residual_map) > limits, axis=2) & (residual_map[:, :, 0] > -_SHADOW_DEPTH * middle[0])
    strange |= residual_map[:, :, 0] < -_SHADOW_DEPTH * middle[0]
    mask = cast("Mask", cv2.bitwise_and(strange.astype(np.uint8) * 255, bed))
    size = 2 * round(0.6 * radius_px) + 1
    blobs = cv2.morphologyEx(mask, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))
    reach = 2 * round(1.2 * radius_px) + 1
    blobs = cv2.bitwise_and(cv2.dilate(blobs, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach))), bed)
    known = ((blobs == 0) & (bed > 0)).astype(np.float32)
    sigma = 2.5 * radius_px
    share = np.maximum(cv2.GaussianBlur(known, (0, 0), sigma), 1e-3)[:, :, None]
    local = cv2.GaussianBlur(
        np.clip(residual_map, -limits, limits).astype(np.float32) * known[:, :, None], (0, 0), sigma
    )
    painted = smooth + local / share * np.clip(share * 5, 0, 1)
    return np.where(blobs[:, :, None] > 0, painted, seen).astype(np.float32), spread


def _cubic(x: Array, y: Array) -> Array:
    """(N, 10) terms of a cubic form."""
    one = np.ones_like(x)
    return np.column_stack([one, x, y, x * x, x * y, y * y, x**3, x * x * y, x * y * y, y**3])
