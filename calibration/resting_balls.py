"""Which balls lie on the bed of a still picture: round things of the balls' size that are not cloth."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.ball_width import ball_width_scale
from calibration.camera import Array, CameraModel
from calibration.cloth import ClothArea, Picture
from calibration.mapping import PlaneMap, outline_polygons
from scoring.table import Pocket, Table

_STEP_SHARE = 1 / 16  # of the ball's diameter: the laid-out bed's samples
_AREA_RANGE = (0.55, 2.2)  # over what is expected, to be a whole ball
_LEAST_ROUND = 0.7  # of its smallest circle or ellipse is filled
_INNER = 0.55  # of a ball's outline, where its own colour is seen
_RING = (1.5, 2.2)  # in ball radii, where the cloth around is looked at
_POCKET_CLEAR = 1.6  # ball diameters


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RestingBalls:
    """N balls: `places_mm` (N, 2), mean colours `bgr` (N, 3) as they would look in the bed's usual light.

    `scales` (N,) are their apparent diameters over the expected one, NaN where a rim is not clear; `cloth_bgr` (3,) is
    the bed's median colour.
    """

    places_mm: Array
    bgr: Array
    scales: Array
    cloth_bgr: Array

    def __len__(self) -> int:
        """How many there are."""
        return len(self.places_mm)


def resting_balls(
    picture: Picture,
    camera: CameraModel,
    table: Table,
    area: ClothArea,
    covered_x_mm: tuple[float, float] | None = None,
) -> RestingBalls:
    """Find the balls in a still picture (BGR); balls of the cloth's own colour are not seen.

    `covered_x_mm` is what is in the picture, when that is not the whole table.
    """
    radius = table.ball_radius_mm
    step_mm = table.ball_mm * _STEP_SHARE
    from_mm, to_mm = covered_x_mm or (radius, table.length_mm - radius)
    if to_mm - from_mm < table.ball_mm:
        return RestingBalls(places_mm=np.empty((0, 2)), bgr=np.empty((0, 3)), scales=np.empty(0), cloth_bgr=np.zeros(3))
    bed = _laid_flat(picture, camera, table, step_mm, np.arange(from_mm, to_mm, step_mm))
    unlike = ~area.likeness(cv2.GaussianBlur(bed, (0, 0), 1.0).astype(np.float32))
    mask = cv2.morphologyEx(unlike.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, labels, stats, centers = cv2.connectedComponentsWithStats(np.asarray(mask, dtype=np.uint8))
    cloth_bgr = np.median(bed.reshape(-1, 3)[::7], axis=0).astype(np.float64)
    places, colours, scales = [], [], []
    for label in range(1, count):
        column, row = centers[label]
        place = np.array([from_mm + column * step_mm, radius - table.width_mm / 2 + row * step_mm])
        expected = _expected_area(camera, place, radius) / step_mm**2
        share = float(stats[label, cv2.CC_STAT_AREA]) / expected
        if not _AREA_RANGE[0] < share < _AREA_RANGE[1] or not _is_round(labels == label) or _in_pocket(place, table):
            continue
        look = _colour(picture, camera, place, radius, cloth_bgr)
        if look is None:
            continue
        places.append(place)
        colours.append(look)
        scales.append(ball_width_scale(picture, camera, place, radius))
    return RestingBalls(
        places_mm=np.array(places).reshape(-1, 2),
        bgr=np.array(colours).reshape(-1, 3),
        scales=np.array(scales, dtype=np.float64),
        cloth_bgr=cloth_bgr,
    )


def _laid_flat(picture: Picture, camera: CameraModel, table: Table, step_mm: float, xs: Array) -> Picture:
    """The part of the balls' plane where centres may be, from above: columns along x, rows along y."""
    radius = table.ball_radius_mm
    ys = np.arange(radius - table.width_mm / 2, table.width_mm / 2 - radius, step_mm)
    places = np.stack(np.meshgrid(xs, ys), axis=2).reshape(-1, 2)
    at = PlaneMap(camera, radius).to_px(places).reshape(len(ys), len(xs), 2).astype(np.float32)
    flat = cv2.remap(picture, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, dtype=np.uint8)


def _expected_area(camera: CameraModel, place_mm: Array, radius_mm: float) -> float:
    """The area of a ball's outline on the plane of the balls' centres, mm^2."""
    outline = outline_polygons(camera, place_mm[None], radius_mm)[0]
    return float(cv2.contourArea(PlaneMap(camera, radius_mm).to_mm(outline).astype(np.float32)))


def _is_round(blob: npt.NDArray[np.bool_]) -> bool:
    rows, columns = np.nonzero(blob)
    if len(rows) < 12:
        return False
    spread = np.linalg.eigvalsh(np.cov(np.stack([columns, rows])))
    ellipse = 4 * np.pi * float(np.sqrt(max(spread[0], 1e-6) * spread[1]))
    return len(rows) > _LEAST_ROUND * ellipse and spread[1] < 4.0 * spread[0]


def _in_pocket(place_mm: Array, table: Table) -> bool:
    if table.pockets is None:
        return False
    corners = [table.pocket_corner(pocket) for pocket in Pocket]
    return min(float(np.hypot(place_mm[0] - at.x_mm, place_mm[1] - at.y_mm)) for at in corners) < (
        _POCKET_CLEAR * table.ball_radius_mm
    )


def _colour(picture: Picture, camera: CameraModel, place_mm: Array, radius_mm: float, cloth_bgr: Array) -> Array | None:
    """A ball's median colour, evened by the light on the cloth around it."""
    outline = outline_polygons(camera, place_mm[None], radius_mm)[0]
    middle = outline.mean(axis=0)
    shares = np.linspace(0.1, _INNER, 5)[:, None, None]
    inner = _sampled(picture, middle + shares * (outline - middle))
    turns = np.linspace(0, 2 * np.pi, 36, endpoint=False)
    ways = np.column_stack([np.cos(turns), np.sin(turns)])
    ring = np.concatenate([place_mm + reach * radius_mm * ways for reach in np.linspace(*_RING, 3)])
    around = _sampled(picture, PlaneMap(camera, 0.0).to_px(ring))
    if inner is None or around is None:
        return None
    lit = float(np.median(around, axis=0) @ cloth_bgr) / float(cloth_bgr @ cloth_bgr)
    return np.asarray(np.median(inner, axis=0) / np.clip(lit, 0.2, 5.0), dtype=np.float64)


def _sampled(picture: Picture, points_px: Array) -> Array | None:
    """(P, 3) BGR at places inside the picture, None when there are few."""
    points = points_px.reshape(-1, 2)
    height, width = picture.shape[:2]
    points = points[((points >= 0) & (points <= (width - 1, height - 1))).all(axis=1)].astype(np.float32)
    if len(points) < 8:
        return None
    colours = cv2.remap(picture, points[None, :, 0], points[None, :, 1], cv2.INTER_LINEAR)
    return np.asarray(colours.reshape(-1, 3), dtype=np.float64)
