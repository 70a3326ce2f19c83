"""How far balls moved during the exposure: the moments of their blurred pictures."""

from dataclasses import dataclass

import numpy as np

from calibration.camera import Array
from hardware.planes import Planes
from vision.detectors.outline import RAYS, Outlines
from vision.detectors.paint import Paint, sampled_at
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


def unsmeared(centers_px: Array) -> Smears:
    """What is known of balls that move too little to be blurred, (N, 2)."""
    return Smears(centers_px=centers_px, streaks_px=np.zeros_like(centers_px), areas=np.ones(len(centers_px)))


def measure_smears(pixels: Picture | Planes, outlines: Outlines, paint: Paint, guesses_px: Array) -> Smears:
    """Moments of balls that stand alone; `guesses_px` (N, 2) are rough streaks, outlines lie mid-way on them."""
    centers, radii = outlines.centers_px, outlines.radii_px
    lengths = np.hypot(guesses_px[:, 0], guesses_px[:, 1])
    reach = (1 + _MARGIN) * radii + lengths / 2
    x, y = _GRID_X * reach[:, None], _GRID_Y * reach[:, None]
    cover = paint.cover(sampled_at(pixels, centers[:, 0, None] + x, centers[:, 1, None] + y))
    cover = np.minimum(np.where(cover < _NOISE_FLOOR, 0.0, cover), 1.0)
    away_x, away_y = x, y
    if lengths.any():
        unit = guesses_px / np.maximum(lengths, 1e-6)[:, None]
        half = lengths[:, None] / 2
        along = np.minimum(np.maximum(x * unit[:, :1] + y * unit[:, 1:], -half), half)
        away_x, away_y = x - along * unit[:, :1], y - along * unit[:, 1:]
    cover *= away_x * away_x + away_y * away_y <= (((1 + _MARGIN) * radii) ** 2)[:, None]
    total, in_x, in_y, in_xx, in_xy, in_yy = (cover @ _MOMENTS).T
    total = np.maximum(total, 1e-6)
    shift_x, shift_y = in_x / total, in_y / total
    outline_x, outline_y = (
        (outlines.points_px[:, :, axis] - centers[:, axis, None]) / reach[:, None] for axis in (0, 1)
    )
    spread_xx = in_xx / total - shift_x**2 - (outline_x * outline_x).sum(axis=1) / (2 * RAYS)
    spread_xy = in_xy / total - shift_x * shift_y - (outline_x * outline_y).sum(axis=1) / (2 * RAYS)
    spread_yy = in_yy / total - shift_y**2 - (outline_y * outline_y).sum(axis=1) / (2 * RAYS)
    middle, half_gap = (spread_xx + spread_yy) / 2, np.hypot((spread_xx - spread_yy) / 2, spread_xy)
    turn = np.arctan2(2 * spread_xy, spread_xx - spread_yy) / 2
    most, least = middle + half_gap, middle - half_gap
    length = np.sqrt(12 * np.maximum(most - np.maximum(least, 0.0), 0.0)) * reach
    cell = (2 * reach / (_GRID - 1)) ** 2
    return Smears(
        centers_px=centers + np.column_stack([shift_x, shift_y]) * reach[:, None],
        streaks_px=np.column_stack([np.cos(turn), np.sin(turn)]) * length[:, None],
        areas=total * cell / (np.pi * radii**2),
    )


_LINE = np.linspace(-1, 1, _GRID)
_GRID_X, _GRID_Y = (each.reshape(1, -1) for each in np.meshgrid(_LINE, _LINE))
_MOMENTS = np.vstack(
    [np.ones_like(_GRID_X), _GRID_X, _GRID_Y, _GRID_X * _GRID_X, _GRID_X * _GRID_Y, _GRID_Y * _GRID_Y]
).T.copy()
