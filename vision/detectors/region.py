"""The part of the picture where balls can be seen: the bed and the pocket mouths, at a reduced scale."""

import math
from dataclasses import dataclass, field
from typing import cast

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Array
from calibration.table_file import TableFile
from hardware.planes import Planes, averaged
from scoring.table import Pocket, Table
from vision.detectors.outline import SphereOutline
from vision.views import View

Mask = npt.NDArray[np.uint8]
Picture = npt.NDArray[np.uint8]
Window = tuple[int, int, int, int]  # left, top, right, bottom at the reduced scale

REDUCED_RADIUS_PX = 6.5  # a ball's radius in the reduced picture: large enough to be told from noise, no larger


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WorkRegion:
    """A crop of the picture, reduced by a whole factor, with masks of where balls' outlines can be.

    Reduced pixel p lies at `origin + factor * p + (factor - 1) / 2` of the picture. `bed` and `mask` (bed and mouths)
    are 0 or 255 at the reduced scale; `radius_terms` is the ball's radius in px as a quadratic form of the place.
    """

    origin_px: tuple[int, int]
    size_px: tuple[int, int]
    factor: int
    bed: Mask
    mask: Mask
    radius_terms: Array
    _terms: tuple[float, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Keep the terms as numbers: many places are asked for one by one."""
        object.__setattr__(self, "_terms", tuple(float(term) for term in self.radius_terms))

    @classmethod
    def of(cls, table_file: TableFile, outline: SphereOutline) -> "WorkRegion":
        """Project the table's bed and mouths into the picture."""
        camera, table = table_file.camera, table_file.table
        view = View(camera, outline)
        bed_px = _hull(outline, _bed_places(table, view))
        mouths = [_mouth_places(table, pocket) for pocket in Pocket] if table.pockets else []
        mouths_px = [_hull(outline, places) for places in mouths if view.is_in_front(places).all()]
        corners = np.vstack([bed_px, *mouths_px])
        width, height = camera.size_px
        low = np.clip(np.floor(corners.min(axis=0)) - 4, 0, None).astype(int) // 2 * 2  # colour is coded in pairs
        high = np.minimum(np.ceil(corners.max(axis=0)) + 5, [width, height]).astype(int)
        terms = _radius_terms(outline, table, view)
        factor = max(1, round(middle_radius_px(outline, table, view) / REDUCED_RADIUS_PX))
        size = tuple(int(side) // factor * factor for side in high - low)
        origin = (int(low[0]), int(low[1]))
        bed = _filled([bed_px], origin, size, factor)
        return cls(
            origin_px=origin,
            size_px=(size[0], size[1]),
            factor=factor,
            bed=bed,
            mask=np.maximum(bed, _filled(mouths_px, origin, size, factor)),
            radius_terms=terms,
        )

    def brightness(self, picture: Picture | Planes) -> Mask | None:
        """How bright the reduced picture will be, where the picture comes with its brightness apart."""
        if not isinstance(picture, Planes):
            return None
        x, y = self.origin_px
        width, height = self.size_px
        return averaged(picture.luma[y : y + height, x : x + width], self.factor)

    def reduce(self, picture: Picture | Planes, brightness: Mask | None = None) -> Picture:
        """Crop a picture and reduce it; its brightness may be known already."""
        x, y = self.origin_px
        width, height = self.size_px
        if isinstance(picture, Planes):
            return picture.reduced(x, y, self.size_px, self.factor, brightness)
        return averaged(picture[y : y + height, x : x + width], self.factor)

    def to_reduced(self, points_px: npt.ArrayLike) -> Array:
        """(..., 2) px to reduced px."""
        points = np.asarray(points_px, dtype=np.float64)
        return (points - self.origin_px - (self.factor - 1) / 2) / self.factor

    def reduced_point(self, point_px: tuple[float, float]) -> tuple[float, float]:
        """One place in px to reduced px: the same, many times as quick."""
        shift = (self.factor - 1) / 2
        x, y = point_px
        return (x - self.origin_px[0] - shift) / self.factor, (y - self.origin_px[1] - shift) / self.factor

    def to_picture(self, points_reduced_px: npt.ArrayLike) -> Array:
        """(..., 2) reduced px to px."""
        points = np.asarray(points_reduced_px, dtype=np.float64)
        return points * self.factor + (self.factor - 1) / 2 + self.origin_px

    def reduced_radius(self, x_reduced_px: float, y_reduced_px: float) -> float:
        """The radius that a ball has at a reduced place, reduced px."""
        shift = (self.factor - 1) / 2
        x = (x_reduced_px * self.factor + shift + self.origin_px[0]) / 1000
        y = (y_reduced_px * self.factor + shift + self.origin_px[1]) / 1000
        one, in_x, in_y, in_xx, in_xy, in_yy = self._terms
        return (one + in_x * x + in_y * y + in_xx * x * x + in_xy * x * y + in_yy * y * y) / self.factor

    def radius_px(self, points_px: npt.ArrayLike) -> Array:
        """(N, 2) px to the (N,) radii that balls seen there have, px."""
        return _quadratic(np.asarray(points_px, dtype=np.float64)) @ self.radius_terms


def middle_radius_px(outline: SphereOutline, table: Table, view: View) -> float:
    """The radius of a ball in the middle of the table, or of the part of it that is in the picture, px."""
    middle = np.array([[table.length_mm / 2, 0.0]])
    if not view.radii_px(middle)[0]:
        places = _grid(table)
        middle = places[view.radii_px(places) > 0].mean(axis=0, keepdims=True)
    return float(outline.radius_px(middle)[0])


def _bed_places(table: Table, view: View) -> Array:
    """(N, 2) centres of balls along all four cushions, mm; of a table that is partly out of sight, all over it."""
    margin = table.ball_radius_mm
    x_mm = np.linspace(margin, table.length_mm - margin, 15)
    y_mm = np.linspace(margin - table.width_mm / 2, table.width_mm / 2 - margin, 9)
    long_sides = [(x, y) for x in x_mm for y in (y_mm[0], y_mm[-1])]
    places = np.array(long_sides + [(x, y) for y in y_mm for x in (x_mm[0], x_mm[-1])])
    if view.is_in_front(places).all():
        return places
    x_mm, y_mm = np.meshgrid(np.linspace(x_mm[0], x_mm[-1], 80), np.linspace(y_mm[0], y_mm[-1], 40))
    places = np.column_stack([x_mm.ravel(), y_mm.ravel()])
    return np.asarray(places[view.is_in_front(places)])


def _mouth_places(table: Table, pocket: Pocket) -> Array:
    """(N, 2) centres of balls that are about to fall, mm."""
    corner = table.pocket_corner(pocket)
    outward = math.copysign(1.0, corner.y_mm)
    along = {"F": -1.0, "M": 0.0, "R": 1.0}[pocket.value[0]]
    norm = math.hypot(along, outward)
    reach = table.ball_mm * (0.5 if pocket.is_middle else 0.35)
    center = np.array([corner.x_mm + along / norm * reach, corner.y_mm + outward / norm * reach])
    angles = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    return center + 0.35 * table.ball_mm * np.column_stack([np.cos(angles), np.sin(angles)])


def _hull(outline: SphereOutline, places: Array) -> Array:
    """(N, 2) px: the hull of the outlines of balls at these places."""
    points = outline.project(places).points_px.reshape(-1, 1, 2).astype(np.float32)
    return cast("Array", cv2.convexHull(points).reshape(-1, 2).astype(np.float64))


def _filled(polygons: list[Array], origin: tuple[int, int], size: tuple[int, ...], factor: int) -> Mask:
    """Draw polygons (px) at the reduced scale."""
    mask = np.zeros((size[1] // factor, size[0] // factor), np.uint8)
    for polygon in polygons:
        reduced = (polygon - origin - (factor - 1) / 2) / factor
        cv2.fillPoly(mask, [np.round(reduced * 16).astype(np.int32)], 255, shift=4)
    return mask


def _quadratic(points: Array) -> Array:
    """(N, 6) terms of a quadratic form of px, scaled to be of order one."""
    x, y = points[:, 0] / 1000, points[:, 1] / 1000
    return np.column_stack([np.ones_like(x), x, y, x * x, x * y, y * y])


def _grid(table: Table) -> Array:
    """(N, 2) places all over the bed, mm."""
    x_mm, y_mm = np.meshgrid(np.linspace(0, table.length_mm, 9), np.linspace(-0.5, 0.5, 7) * table.width_mm)
    return np.column_stack([x_mm.ravel(), y_mm.ravel()])


def _radius_terms(outline: SphereOutline, table: Table, view: View) -> Array:
    """Fit the radius a ball has in the picture over the bed, where the lens shows it."""
    places = _grid(table)
    places = places[view.is_in_front(places)]
    centers = outline.project(places).centers_px
    solution = np.linalg.lstsq(_quadratic(centers), outline.radius_px(places), rcond=None)[0]
    return np.asarray(solution, dtype=np.float64)
