"""Looks for the table's marks where a first fit expects them: sights on the rails, spots and house line on the cloth.

They are evidence of their own: a shadow that was taken for a nose puts them in the wrong place.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import cast

import cv2
import numpy as np

from calibration.camera import Array, CameraModel
from calibration.cloth import Picture
from calibration.mapping import CLOTH_MM, PlaneMap
from scoring.table import Spot, Table

WIDE_MM, NARROW_MM = 55.0, 22.0  # how far from its place a mark is sought: after a first fit and after a good one
_DOT_MM = 5.0  # radius of a sight or a spot
_SIGHT_ROWS_MM = (8.0, 95.0)  # behind the rail's inner edge
_CLEAR = 2.5  # how much stronger a sight is than what lies between sights
_SURE = 7.0  # spreads of the surroundings
_LEAST_SIGHTS = 0.6  # share of a rail's sights that must be there
_LINE_STEP_MM = 8.0
_AROUND_MM = 45.0  # so much more is looked at, to tell a mark from what is everywhere


class MarkKind(StrEnum):
    """What a mark is."""

    SIGHT = "sight"
    SPOT = "spot"
    HOUSE_LINE = "house line"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mark:
    """A mark as seen: `point_px` (2,); of its place in table mm only what is known by the table's rules."""

    kind: MarkKind
    point_px: Array
    x_mm: float | None = None
    y_mm: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoundMarks:
    """All marks, and how clearly a line across the cloth is seen at L/4 and at 3 L/4, in spreads of what is around."""

    marks: tuple[Mark, ...]
    line_strengths: tuple[float, float]

    @property
    def house_is_at_rear(self) -> bool | None:
        """Whether the only line across the cloth lies at what was taken for the rear; None when that is not sure."""
        near, far = self.line_strengths
        if max(near, far) < _SURE or min(near, far) > 0.5 * max(near, far):
            return None
        return far > near


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Expectation:
    """Where marks are expected: by a camera fitted so far, with the cushion's width and the rail's height found so far.

    They are sought `reach_mm` around.
    """

    camera: CameraModel
    table: Table
    cushion_mm: float
    rail_mm: float
    reach_mm: float = WIDE_MM


def look_for_marks(picture: Picture, expected: Expectation) -> FoundMarks:
    """Look for marks in a still picture (BGR)."""
    table = expected.table
    marks = [mark for side in range(4) for mark in _sights(picture, expected, side)]
    marks += [mark for spot in Spot if (mark := _spot(picture, expected, spot)) is not None]
    strengths = []
    for share in (0.25, 0.75):
        strength, points = _line(picture, expected, share * table.length_mm)
        strengths.append(strength)
        if strength >= _SURE:
            marks += [Mark(kind=MarkKind.HOUSE_LINE, point_px=point, x_mm=share * table.length_mm) for point in points]
    return FoundMarks(marks=tuple(marks), line_strengths=(strengths[0], strengths[1]))


@dataclass(frozen=True, slots=True, eq=False)
class _Patch:
    """A part of a plane laid flat: grey values (H, W) at places `origin + column * right + row * down`, table mm."""

    values: Array
    origin_mm: Array
    right_mm: Array
    down_mm: Array
    plane: PlaneMap

    def px(self, column: float, row: float) -> Array:
        """A place of the patch in the picture."""
        place = self.origin_mm + column * self.right_mm + row * self.down_mm
        return cast("Array", self.plane.to_px(place[None])[0])


def _patch(
    picture: Picture, plane: PlaneMap, *, origin_mm: Array, right_mm: Array, down_mm: Array, shape: tuple[int, int]
) -> _Patch | None:
    """Lay a part of a plane flat, or None when it is not wholly in the picture."""
    rows, columns = np.mgrid[0 : shape[0], 0 : shape[1]]
    places = origin_mm + columns.reshape(-1, 1) * right_mm + rows.reshape(-1, 1) * down_mm
    pixels = plane.to_px(places)
    height, width = picture.shape[:2]
    if not (np.isfinite(pixels).all() and (pixels >= 0).all() and (pixels <= (width - 1, height - 1)).all()):
        return None
    at = pixels.reshape(*shape, 2).astype(np.float32)
    colours = cv2.remap(picture, at[..., 0], at[..., 1], cv2.INTER_LINEAR).astype(np.float64)
    return _Patch(colours.mean(axis=2), origin_mm, right_mm, down_mm, plane)


def _dots(values: Array, radius: float) -> Array:
    """How much brighter (or darker, negative) a dot of a radius in samples is than its surroundings."""
    inner = cv2.GaussianBlur(values, (0, 0), max(0.7 * radius, 0.6))
    outer = cv2.GaussianBlur(values, (0, 0), max(1.8 * radius, 1.5))
    return np.asarray(inner - outer, dtype=np.float64)


def _rail_frame(table: Table, side: int) -> tuple[Array, Array, Array, float, int]:
    """Where a rail's nose line begins, the ways along and outward, its length, its parts between sights.

    Sides are front, left, rear, right.
    """
    length, half = table.length_mm, table.width_mm / 2
    return (
        (np.array([0.0, -half]), np.array([0.0, 1.0]), np.array([-1.0, 0.0]), table.width_mm, 4),
        (np.array([0.0, half]), np.array([1.0, 0.0]), np.array([0.0, 1.0]), length, 8),
        (np.array([length, -half]), np.array([0.0, 1.0]), np.array([1.0, 0.0]), table.width_mm, 4),
        (np.array([0.0, -half]), np.array([1.0, 0.0]), np.array([0.0, -1.0]), length, 8),
    )[side]


def _sights(picture: Picture, expected: Expectation, side: int) -> list[Mark]:
    """The sights of one rail: dots in one row at equal distances, and nothing like them halfway between."""
    table = expected.table
    start, along, outward, length_mm, parts = _rail_frame(table, side)
    plane = PlaneMap(expected.camera, expected.rail_mm)
    step_mm = _step_mm(plane, start + along * length_mm / 2)
    reach, rows = round(expected.reach_mm / step_mm), round((_SIGHT_ROWS_MM[1] - _SIGHT_ROWS_MM[0]) / step_mm)
    has_middle = table.pockets is not None and parts == 8
    numbers = [number for number in range(1, parts) if not (has_middle and number == parts // 2)]
    patches: list[_Patch | None] = []
    between: list[_Patch | None] = []
    for places, into in ((numbers, patches), ([number + 0.5 for number in numbers], between)):
        for number in places:
            origin = start + along * (number * length_mm / parts - reach * step_mm)
            origin = origin + outward * (expected.cushion_mm + _SIGHT_ROWS_MM[0])
            into.append(
                _patch(
                    picture,
                    plane,
                    origin_mm=origin,
                    right_mm=along * step_mm,
                    down_mm=outward * step_mm,
                    shape=(rows, 2 * reach + 1),
                )
            )
    return _row_of_dots(patches, between, numbers, (side, step_mm, length_mm / parts), table)


def _row_of_dots(
    patches: list["_Patch | None"],
    between: list["_Patch | None"],
    numbers: list[int],
    frame: tuple[int, float, float],
    table: Table,
) -> list[Mark]:
    """Dots in the row on which most patches show one, if what lies between shows none."""
    side, step_mm, spacing_mm = frame
    seen = [(number, patch) for number, patch in zip(numbers, patches, strict=True) if patch is not None]
    other = [patch for patch in between if patch is not None]
    if len(seen) < 2 or not other:
        return []
    radius = _DOT_MM / step_mm
    best: tuple[float, list[Mark]] = (0.0, [])
    for way in (1.0, -1.0):
        dots = [way * _dots(patch.values, radius) for _, patch in seen]
        empty = [way * _dots(patch.values, radius).max(axis=1) for patch in other]
        peaks = np.array([dot.max(axis=1) for dot in dots])  # (sights, rows)
        background = np.median(np.array(empty), axis=0)
        row = int(np.argmax(np.median(peaks, axis=0) - background))
        level = max(float(background[row]), 1.0)
        slack = max(2, round(4.0 / step_mm))
        marks = []
        total = 0.0
        for (number, patch), dot in zip(seen, dots, strict=True):
            low = max(0, row - slack)
            part = dot[low : row + slack + 1]
            peak_row, peak_column = np.unravel_index(int(part.argmax()), part.shape)
            value = float(part[peak_row, peak_column])
            at_row = int(peak_row) + low
            if value < _CLEAR * level or not 2 <= peak_column < dot.shape[1] - 2 or not 0 < at_row < len(dot) - 1:
                continue
            column, row_exact = _sub_pixel(dot, at_row, int(peak_column))
            total += min(value / level, 10.0)
            place = number * spacing_mm
            point = patch.px(column, row_exact)
            is_short = side % 2 == 0
            marks.append(
                Mark(kind=MarkKind.SIGHT, point_px=point, y_mm=place - table.width_mm / 2)
                if is_short
                else Mark(kind=MarkKind.SIGHT, point_px=point, x_mm=place)
            )
        if len(marks) >= max(2, _LEAST_SIGHTS * len(seen)) and total > best[0]:
            best = (total, marks)
    return best[1]


def _spot(picture: Picture, expected: Expectation, spot: Spot) -> Mark | None:
    """A spot on the cloth: the one dot near its place, much clearer than anything around, and no larger thing there."""
    place = expected.table.spot(spot)
    plane = PlaneMap(expected.camera, CLOTH_MM)
    middle = np.array([place.x_mm, place.y_mm])
    step_mm = _step_mm(plane, middle)
    reach = round((expected.reach_mm + _AROUND_MM) / step_mm)
    patch = _patch(
        picture,
        plane,
        origin_mm=middle - reach * step_mm,
        right_mm=np.array([step_mm, 0.0]),
        down_mm=np.array([0.0, step_mm]),
        shape=(2 * reach + 1, 2 * reach + 1),
    )
    if patch is None:
        return None
    dots = np.abs(_dots(patch.values, _DOT_MM / step_mm))
    within = round(expected.reach_mm / step_mm)
    near = slice(reach - within, reach + within + 1)
    inner = dots[near, near]
    row, column = (int(value) + near.start for value in np.unravel_index(int(inner.argmax()), inner.shape))
    away = np.hypot(*(np.mgrid[0 : len(dots), 0 : len(dots)] - np.array([row, column])[:, None, None])) * step_mm
    spread = 1.48 * float(np.median(dots[away > 4 * _DOT_MM]))
    rival = float(dots[(away > 4 * _DOT_MM)].max())
    if dots[row, column] < max(_SURE * max(spread, 0.3), 1.6 * rival) or not _is_inside(dots, row, column):
        return None
    exact_column, exact_row = _sub_pixel(dots, row, column)
    return Mark(kind=MarkKind.SPOT, point_px=patch.px(exact_column, exact_row), x_mm=place.x_mm, y_mm=place.y_mm)


def _line(picture: Picture, expected: Expectation, x_mm: float) -> tuple[float, Array]:
    """How clearly a thin line across the cloth is seen near an x, and (N, 2) px points on it."""
    plane = PlaneMap(expected.camera, CLOTH_MM)
    step_mm = _step_mm(plane, np.array([x_mm, 0.0]))
    reach = round((expected.reach_mm + _AROUND_MM) / step_mm)
    half = expected.table.width_mm / 2 - 60.0
    rows = int(2 * half / _LINE_STEP_MM)
    patch = _patch(
        picture,
        plane,
        origin_mm=np.array([x_mm - reach * step_mm, -half]),
        right_mm=np.array([step_mm, 0.0]),
        down_mm=np.array([0.0, _LINE_STEP_MM]),
        shape=(rows, 2 * reach + 1),
    )
    if patch is None:
        return 0.0, np.empty((0, 2))
    narrow = cv2.GaussianBlur(patch.values, (0, 0), sigmaX=1.0, sigmaY=2.0)
    wide = cv2.GaussianBlur(patch.values, (0, 0), sigmaX=4.0, sigmaY=2.0)
    ridge = np.clip(narrow - wide, -12, 12)
    window = round(expected.reach_mm / step_mm)
    best = (0.0, 0.0, 0.0)
    share = np.linspace(-0.5, 0.5, rows)[:, None]
    columns = np.arange(2 * reach + 1)[None]
    for lean in range(-6, 7):
        sheared = np.take_along_axis(ridge, np.clip(columns + np.round(lean * share).astype(int), 0, 2 * reach), axis=1)
        means = sheared[:, 3:-3].mean(axis=0)
        spread = 1.48 * float(np.median(np.abs(means - np.median(means)))) + 0.02
        scores = np.abs(means) / spread
        column = int(scores.argmax())
        if scores[column] > best[0]:
            best = (float(scores[column]), column + 3.0, float(lean))
    strength, middle, slope = best
    if abs(middle - reach) > window:  # the clearest line is another one
        return 0.0, np.empty((0, 2))
    points = _points_on_line(patch, ridge, middle, slope) if strength >= _SURE else np.empty((0, 2))
    if strength >= _SURE and len(points) < 4:
        return 0.0, np.empty((0, 2))
    return strength, points


def _points_on_line(patch: _Patch, ridge: Array, column: float, lean: float) -> Array:
    """Where the line crosses eight bands of the patch."""
    rows = len(ridge)
    way = float(np.sign(ridge[np.arange(rows), _columns(rows, column, lean)].mean()))
    points = []
    for band in np.array_split(np.arange(rows), 8):
        center = column + lean * ((band.mean() / max(rows - 1, 1)) - 0.5)
        low = max(1, round(center) - 3)
        mean = (way * ridge[band]).mean(axis=0)
        at = low + int(mean[low : round(center) + 4].argmax())
        if not 1 <= at < len(mean) - 1 or mean[at] < 0.25 or not mean[at - 1] < mean[at] >= mean[at + 1]:
            continue
        bend = mean[at - 1] - 2 * mean[at] + mean[at + 1]
        points.append(patch.px(at + 0.5 * float((mean[at - 1] - mean[at + 1]) / bend), float(band.mean())))
    return np.array(points).reshape(-1, 2)


def _columns(rows: int, column: float, lean: float) -> "np.ndarray[tuple[int], np.dtype[np.intp]]":
    return np.round(column + lean * np.linspace(-0.5, 0.5, rows)).astype(np.intp)


def _step_mm(plane: PlaneMap, place_mm: Array) -> float:
    """A step of about two thirds of a pixel, mm."""
    return float(np.clip(plane.mm_per_px(plane.to_px(place_mm[None]))[0, 1] / 1.5, 0.7, 4.0))


def _is_inside(values: Array, row: int, column: int) -> bool:
    height, width = values.shape
    return 0 < row < int(height) - 1 and 0 < column < int(width) - 1


def _sub_pixel(values: Array, row: int, column: int) -> tuple[float, float]:
    """Column and row of a peak, by a parabola each way."""
    exact = []
    for before, here, after in (
        (values[row, column - 1], values[row, column], values[row, column + 1]),
        (values[row - 1, column], values[row, column], values[row + 1, column]),
    ):
        bend = before - 2 * here + after
        exact.append(float(np.clip(0.5 * (before - after) / bend, -0.5, 0.5)) if bend < 0 else 0.0)
    return column + exact[0], row + exact[1]
