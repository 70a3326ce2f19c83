"""How far balls moved during the exposure: the moments of their blurred pictures."""

from dataclasses import dataclass

import numpy as np

from calibration.camera import Array
from hardware.planes import Planes
from vision.detectors.outline import RAYS, Outlines
from vision.detectors.paint import Paint, sampled
from vision.detectors.region import Picture

_GRID = 33
_MARGIN = 0.35  # radii beyond the expected outline that are looked at
_NOISE_FLOOR = 0.06


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Smears:
    """Of N balls: centres of their pictures (N, 2) px, streaks (N, 2) px, areas in areas of a ball at rest (N,)."""

    centers_px: Array
    streaks_px: Array
    areas: Array


def measure_smears(pixels: Picture | Planes, outlines: Outlines, paint: Paint, guesses_px: Array) -> Smears:
    """Moments of balls that stand alone; `guesses_px` (N, 2) are rough streaks, outlines lie mid-way on them."""
    centers, radii = outlines.centers_px, outlines.radii_px
    lengths = np.hypot(guesses_px[:, 0], guesses_px[:, 1])
    reach = (1 + _MARGIN) * radii + lengths / 2
    grid = _UNIT_GRID * reach[:, None, None]
    cover = paint.cover(sampled(pixels, centers[:, None] + grid))
    cover = np.minimum(np.where(cover < _NOISE_FLOOR, 0.0, cover), 1.0)
    unit = guesses_px / np.maximum(lengths, 1e-6)[:, None]
    half = lengths[:, None] / 2
    along = np.minimum(np.maximum((grid * unit[:, None]).sum(axis=2), -half), half)
    away = grid - along[:, :, None] * unit[:, None]
    cover *= np.hypot(away[:, :, 0], away[:, :, 1]) <= (1 + _MARGIN) * radii[:, None]
    total = np.maximum(cover.sum(axis=1), 1e-6)
    share = (cover / total[:, None])[:, None]
    shift = (share @ grid)[:, 0]
    apart = grid - shift[:, None]
    spread = (apart.transpose(0, 2, 1) * share) @ apart
    still = outlines.points_px - centers[:, None]
    spread -= still.transpose(0, 2, 1) @ still / (2 * RAYS)
    values, vectors = np.linalg.eigh(spread)
    length = np.sqrt(12 * np.maximum(values[:, 1] - np.maximum(values[:, 0], 0.0), 0.0))
    cell = (2 * reach / (_GRID - 1)) ** 2
    return Smears(
        centers_px=centers + shift,
        streaks_px=vectors[:, :, 1] * length[:, None],
        areas=total * cell / (np.pi * radii**2),
    )


def _unit_grid() -> Array:
    line = np.linspace(-1, 1, _GRID)
    return np.stack(np.meshgrid(line, line), axis=2).reshape(1, -1, 2)


_UNIT_GRID = _unit_grid()
