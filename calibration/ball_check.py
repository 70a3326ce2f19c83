"""Checks a calibration with a ball: a person puts one where its place is known, and the camera says where it sees it.

The ball is what differs between two pictures, so that a pocket's dark mouth behind it does no harm; its outline is
fitted to the rim of that difference, so that its shadow does none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np

from calibration.camera import Array, CameraModel
from calibration.cloth import Picture
from calibration.mapping import outline_polygons
from calibration.quality import pocket_places_mm
from scoring.table import Pocket, Spot, Table

Place: TypeAlias = Spot | Pocket

_REACH_MM = 90.0  # so far from its place a ball is sought
_COARSE_MM = 6.0
_LEAST_DIFFERENCE = 14.0  # grey levels, mean over a ball
_LEAST_CLEAR = 0.45  # of the ball's difference, by which its surroundings differ less
_RIM = np.arange(0.7, 1.3001, 0.02)  # of the outline's radius, where its rim is sought
_LEAST_RIM = 0.45  # share of the rim that must be seen
_LEAST_FALL = 0.185  # of the ball's difference, per px across the rim
_FAR = 0.12  # of the radius: a rim farther off is something else's


@dataclass(frozen=True, slots=True, kw_only=True)
class BallCheck:
    """Where a ball that lies at a known place was seen, and how far that is from there, mm."""

    place: Place
    expected_mm: tuple[float, float]
    seen_mm: tuple[float, float]

    @property
    def residual_mm(self) -> float:
        """The distance."""
        return float(np.hypot(self.seen_mm[0] - self.expected_mm[0], self.seen_mm[1] - self.expected_mm[1]))


def check_places(table: Table) -> Mapping[Place, tuple[float, float]]:
    """Where a ball's centre is on each spot and in each pocket's mouth (touching the lines of both noses), mm."""
    spots: dict[Place, tuple[float, float]] = {spot: (table.spot(spot).x_mm, table.spot(spot).y_mm) for spot in Spot}
    return spots | dict(pocket_places_mm(table).items())


def check_ball(
    picture: Picture, earlier: Sequence[Picture], camera: CameraModel, table: Table, place: Place
) -> BallCheck | None:
    """Look for the ball near a place in a picture (BGR); None when nothing like a ball has come there.

    `earlier` are pictures of the same camera; the ball must be missing at the place in one of them.
    """
    expected = np.array(check_places(table)[place])
    for before in reversed(earlier):
        if before.shape != picture.shape:
            continue
        change = cv2.absdiff(picture, before).astype(np.float32).max(axis=2)
        change = np.asarray(cv2.GaussianBlur(change, (0, 0), 0.8), dtype=np.float64)
        start = _nearest(change, camera, table.ball_radius_mm, expected)
        seen = None if start is None else _refined(change, camera, table.ball_radius_mm, start)
        if seen is not None and float(np.hypot(*(seen - expected))) < _REACH_MM:
            x_mm, y_mm = expected
            return BallCheck(
                place=place, expected_mm=(float(x_mm), float(y_mm)), seen_mm=(float(seen[0]), float(seen[1]))
            )
    return None


def _nearest(change: Array, camera: CameraModel, radius_mm: float, expected: Array) -> Array | None:
    """(2,) the place around which a ball's outline holds most change and its surroundings least, to some mm."""
    steps = np.arange(-_REACH_MM, _REACH_MM + 1, _COARSE_MM)
    places = expected + np.stack(np.meshgrid(steps, steps), axis=2).reshape(-1, 2)
    outlines = outline_polygons(camera, places, radius_mm)
    middles = outlines.mean(axis=1, keepdims=True)
    inner, outer = (
        np.stack([_sampled(change, middles + share * (outlines - middles)) for share in shares]).mean(axis=(0, 2))
        for shares in ((0.3, 0.6, 0.9), (1.15, 1.3))
    )
    best = int(np.argmax(inner - outer))
    if inner[best] < _LEAST_DIFFERENCE or inner[best] - outer[best] < _LEAST_CLEAR * inner[best]:
        return None
    return np.asarray(places[best], dtype=np.float64)


def _refined(change: Array, camera: CameraModel, radius_mm: float, start: Array) -> Array | None:
    """(2,) the place whose outline lies on the rim of what has changed; None when there is no such rim."""
    place = start
    for _ in range(6):
        outline = outline_polygons(camera, place[None], radius_mm)[0]
        middle = outline.mean(axis=0)
        rays = outline - middle
        profiles = _sampled(change, middle + _RIM[None, :, None] * rays[:, None])
        falling = profiles[:, :-2] - profiles[:, 2:]
        best = falling.argmax(axis=1)
        rows = np.arange(len(rays))
        level = np.median(profiles[:, :8])
        lengths = np.linalg.norm(rays, axis=1)
        least = _LEAST_FALL * level * (_RIM[2] - _RIM[0]) * lengths
        good = (falling[rows, best] > least) & (best > 0) & (best < falling.shape[1] - 1)
        best = np.clip(best, 1, falling.shape[1] - 2)
        before, here, after = (falling[rows, best + step] for step in (-1, 0, 1))
        bend = np.minimum(before - 2 * here + after, -1e-6)
        at = _RIM[1] + (best + 0.5 * (before - after) / bend) * (_RIM[1] - _RIM[0])
        off = at - 1.0
        middle_off = float(np.median(off[good])) if good.any() else 0.0
        good &= np.abs(off - middle_off) < max(_FAR, 2.5 * 1.48 * float(np.median(np.abs(off[good] - middle_off))))
        if good.mean() < _LEAST_RIM:
            return None
        design = np.column_stack([rays / lengths[:, None], lengths])[good]
        shift = np.linalg.lstsq(design, (off * lengths)[good], rcond=None)[0][:2]
        place = place + _to_mm(camera, radius_mm, place, shift)
    return place


def _to_mm(camera: CameraModel, radius_mm: float, place: Array, shift_px: Array) -> Array:
    """(2,) the way on the table by which a ball's outline moves so many px."""
    around = place + np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)])
    middles = outline_polygons(camera, around, radius_mm).mean(axis=1)
    return np.asarray(np.linalg.solve((middles[1:] - middles[0]).T, shift_px), dtype=np.float64)


def _sampled(values: Array, points_px: Array) -> Array:
    """Values at points (N, M, 2) px, between pixels; beyond the picture 0."""
    at = np.nan_to_num(points_px, nan=-9.0).astype(np.float32)
    taken = cv2.remap(values.astype(np.float32), at[..., 0], at[..., 1], cv2.INTER_LINEAR)
    return np.asarray(taken, dtype=np.float64)
