"""Between pixels and millimetres for many points at once: planes of the table, and outlines of balls."""

import math
from dataclasses import dataclass, fields
from typing import cast

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Array, CameraModel

CLOTH_MM = 0.0  # the height of the cloth's plane; noses: Table.nose_height_mm; ball centres: Table.ball_radius_mm

_OUTLINE_POINTS = 48
_LENS_CRITERIA = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 40, 1e-10)


class PlaneMap:
    """One plane z = height_mm seen by one camera: px to mm and back, prepared for many calls."""

    def __init__(self, camera: CameraModel, height_mm: float) -> None:
        """Work out the plane's homography in the undistorted picture once."""
        self.camera = camera
        self.height_mm = height_mm
        rotation = camera.rotation_matrix
        origin = rotation[:, 2] * height_mm + camera.translation
        self._h_flat_from_mm = np.column_stack([rotation[:, 0], rotation[:, 1], origin])
        self._h_mm_from_flat = np.linalg.inv(self._h_flat_from_mm)

    def to_mm(self, points_px: npt.ArrayLike) -> Array:
        """(N, 2) px to (N, 2) table mm; points whose ray does not meet the plane give NaN."""
        points = np.asarray(points_px, dtype=np.float64).reshape(-1, 1, 2)
        if len(points) == 0:
            return np.empty((0, 2))
        camera = self.camera
        flat = cv2.undistortPoints(points, camera.matrix, camera.distortion, criteria=_LENS_CRITERIA).reshape(-1, 2)
        mapped = np.column_stack([flat, np.ones(len(flat))]) @ self._h_mm_from_flat.T
        depth = np.where(mapped[:, 2] > 0, mapped[:, 2], np.nan)
        return mapped[:, :2] / depth[:, None]

    def to_px(self, points_mm: npt.ArrayLike) -> Array:
        """(N, 2) table mm to (N, 2) px."""
        points = np.asarray(points_mm, dtype=np.float64).reshape(-1, 2)
        if len(points) == 0:
            return np.empty((0, 2))
        return self.camera.project(np.column_stack([points, np.full(len(points), self.height_mm)]))

    def sees(self, points_mm: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """(N, 2) table mm to (N,): whether they are in the picture, and not folded into it by the lens's model."""
        points = np.asarray(points_mm, dtype=np.float64).reshape(-1, 2)
        pixels = self.to_px(points)
        inside = ((pixels >= 0) & (pixels <= np.array(self.camera.size_px) - 1)).all(axis=1)
        return cast("npt.NDArray[np.bool_]", inside & (np.linalg.norm(self.to_mm(pixels) - points, axis=1) < 1.0))

    def mm_per_px(self, points_px: npt.ArrayLike) -> Array:
        """(N, 2) px to (N, 2): how far one pixel reaches on the plane there, mm: the longest and the shortest way."""
        points = np.asarray(points_px, dtype=np.float64).reshape(-1, 2)
        right, down = (
            self.to_mm(points + half) - self.to_mm(points - half)
            for half in (np.array([0.5, 0.0]), np.array([0.0, 0.5]))
        )
        jacobian = np.stack([right, down], axis=2)
        jacobian = np.where(np.isfinite(jacobian), jacobian, 0.0)
        singular = np.linalg.svd(jacobian, compute_uv=False)
        return cast("Array", np.where(singular > 0, singular, np.nan))


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A ball's outline in the picture: an ellipse, px; `angle_rad` from the x axis (right) to the long axis, y down."""

    center_px: tuple[float, float]
    semi_axes_px: tuple[float, float]
    angle_rad: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outlines:
    """Many balls' outlines: `centers_px` (N, 2), `semi_axes_px` (N, 2) long and short, `angles_rad` (N,)."""

    centers_px: Array
    semi_axes_px: Array
    angles_rad: Array

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        for field in fields(self):
            getattr(self, field.name).flags.writeable = False


def ball_outline(camera: CameraModel, place_mm: npt.ArrayLike, radius_mm: float) -> Outline:
    """The outline of one ball at (x, y), resting on the cloth, or at (x, y, z); its centre is that of its area."""
    outlines = ball_outlines(camera, np.asarray(place_mm, dtype=np.float64).reshape(1, -1), radius_mm)
    (x_px, y_px), (long_px, short_px) = outlines.centers_px[0], outlines.semi_axes_px[0]
    return Outline(
        center_px=(float(x_px), float(y_px)),
        semi_axes_px=(float(long_px), float(short_px)),
        angle_rad=float(outlines.angles_rad[0]),
    )


def ball_outlines(camera: CameraModel, places_mm: npt.ArrayLike, radius_mm: float) -> Outlines:
    """The outlines of balls at (N, 2) places, resting on the cloth, or at (N, 3) centres, table mm.

    A sphere touches the cone of sight in a circle; that circle is projected through the lens and the ellipse with the
    same area moments is taken. Inside or behind the camera there is no outline: NaN.
    """
    polygons = outline_polygons(camera, places_mm, radius_mm)
    if len(polygons) == 0:
        return Outlines(centers_px=np.empty((0, 2)), semi_axes_px=np.empty((0, 2)), angles_rad=np.empty(0))
    origin = polygons.mean(axis=1, keepdims=True)
    here = polygons - origin
    after = np.roll(here, -1, axis=1)
    (x, y), (u, v) = np.moveaxis(here, 2, 0), np.moveaxis(after, 2, 0)
    cross = x * v - u * y
    area = cross.sum(axis=1) / 2
    center = np.column_stack([((x + u) * cross).sum(axis=1), ((y + v) * cross).sum(axis=1)]) / (6 * area[:, None])
    xx = ((x * x + x * u + u * u) * cross).sum(axis=1) / (12 * area) - center[:, 0] ** 2
    yy = ((y * y + y * v + v * v) * cross).sum(axis=1) / (12 * area) - center[:, 1] ** 2
    xy = ((x * v + 2 * x * y + 2 * u * v + u * y) * cross).sum(axis=1) / (24 * area) - center[:, 0] * center[:, 1]
    middle, half = (xx + yy) / 2, np.hypot((xx - yy) / 2, xy)
    # a regular polygon's moment is a little less than its circle's, R^2 / 4
    scale = 12 / (2 + math.cos(2 * math.pi / _OUTLINE_POINTS))
    moments = np.column_stack([middle + half, np.maximum(middle - half, 0.0)])
    return Outlines(
        centers_px=center + origin[:, 0],
        semi_axes_px=np.sqrt(scale * moments),
        angles_rad=0.5 * np.arctan2(2 * xy, xx - yy),
    )


def outline_polygons(camera: CameraModel, places_mm: npt.ArrayLike, radius_mm: float) -> Array:
    """(N, 2) places or (N, 3) centres, table mm, to (N, 48, 2) px: points on each ball's outline, in order."""
    places = np.atleast_2d(np.asarray(places_mm, dtype=np.float64))
    if places.size == 0:
        return np.empty((0, _OUTLINE_POINTS, 2))
    if places.shape[1] == 2:
        places = np.column_stack([places, np.full(len(places), radius_mm)])
    away = places - camera.center_mm
    distance = np.linalg.norm(away, axis=1, keepdims=True)
    outside = (distance > radius_mm) & (away @ camera.rotation_matrix[2] > radius_mm)[:, None]
    distance = np.where(outside, distance, np.nan)
    axis = away / distance
    shrink = 1 - (radius_mm / distance) ** 2
    other = np.where(np.abs(axis[:, :1]) < 0.9, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    first = np.cross(axis, other)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second = np.cross(axis, first)
    turn = np.arange(_OUTLINE_POINTS) * (2 * math.pi / _OUTLINE_POINTS)
    rim = radius_mm * np.sqrt(shrink)
    circle = np.cos(turn)[None, :, None] * first[:, None] + np.sin(turn)[None, :, None] * second[:, None]
    points = camera.center_mm + (away * shrink)[:, None] + rim[:, None] * circle
    projected = camera.project(np.nan_to_num(points).reshape(-1, 3)).reshape(len(places), _OUTLINE_POINTS, 2)
    projected[~outside[:, 0]] = np.nan
    return projected


def places_from_outline_centers(camera: CameraModel, centers_px: npt.ArrayLike, radius_mm: float) -> Array:
    """(N, 2) px, centres of the outlines of resting balls, to (N, 2) table mm, places of the balls' centres.

    The inverse of `ball_outlines`: the middle of the outline is not the picture of the middle.
    """
    centers = np.asarray(centers_px, dtype=np.float64).reshape(-1, 2)
    plane = PlaneMap(camera, radius_mm)
    places = plane.to_mm(centers)
    for _ in range(3):  # each turn shrinks the error some hundred times
        shift = ball_outlines(camera, places, radius_mm).centers_px - plane.to_px(places)
        places = plane.to_mm(centers - shift)
    return places
