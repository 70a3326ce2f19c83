"""The four sides of an area: straight, or bowed a little by the lens."""

from dataclasses import dataclass
from typing import cast

import cv2
import numpy as np

from calibration.camera import Array
from calibration.cloth import Mask

_LEAST_FILL = 0.86  # shared area of a table's cloth and its quadrilateral, over their joint area
_BORDER_SHARE = 0.5  # a side of which more than this lies on the picture's border is cut off


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Quadrilateral:
    """Four corners (4, 2) px, clockwise in the picture from its top left; side i runs from corner i to corner i + 1.

    `bows_px` (4,) is how far the middle of each side lies outside its chord.
    """

    corners_px: Array
    bows_px: Array

    def side(self, index: int) -> "Side":
        """One side."""
        return Side(
            start_px=self.corners_px[index], end_px=self.corners_px[(index + 1) % 4], bow_px=float(self.bows_px[index])
        )

    def scaled(self, factor: float) -> "Quadrilateral":
        """The same in a picture of another size; pixel centres lie at whole numbers in both."""
        return Quadrilateral(corners_px=(self.corners_px + 0.5) * factor - 0.5, bows_px=self.bows_px * factor)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Side:
    """A bowed line between two corners; distances across it are positive towards the inside of the table."""

    start_px: Array
    end_px: Array
    bow_px: float = 0.0

    @property
    def length_px(self) -> float:
        """The chord's length."""
        return float(np.linalg.norm(self.end_px - self.start_px))

    @property
    def along(self) -> Array:
        """(2,) unit vector from start to end."""
        return (self.end_px - self.start_px) / self.length_px

    @property
    def inward(self) -> Array:
        """(2,) unit vector across the side to the inside: clockwise corners have it on their right, y down."""
        x, y = self.along
        return np.array([-y, x])

    def points(self, shares: Array) -> Array:
        """(N,) shares of the way, 0 to 1, to (N, 2) px on the side."""
        chord = self.start_px + shares[:, None] * (self.end_px - self.start_px)
        return chord - (4 * self.bow_px * shares * (1 - shares))[:, None] * self.inward

    def measured(self, points_px: Array) -> tuple[Array, Array]:
        """(N, 2) px to shares of the way along the chord and distances across the bowed side, px."""
        away = points_px - self.start_px
        shares = away @ self.along / self.length_px
        return shares, away @ self.inward + 4 * self.bow_px * shares * (1 - shares)


def quadrilateral_of(mask: Mask) -> Quadrilateral | None:
    """The quadrilateral that an area fills, or None when its shape is another."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    contour = max(contours, key=cv2.contourArea).reshape(-1, 2).astype(np.float64)
    corners = _smallest_around(cv2.convexHull(contour.astype(np.float32)).reshape(-1, 2).astype(np.float64))
    if corners is None:
        return None
    quadrilateral = Quadrilateral(corners_px=clockwise(corners), bows_px=np.zeros(4))
    for tolerance in (0.04, 0.02, 0.012):
        refined = _refined(quadrilateral, contour, tolerance)
        if refined is None:
            return None
        quadrilateral = refined
    return quadrilateral if _fill(quadrilateral, mask) >= _LEAST_FILL else None


def cut_off_sides(quadrilateral: Quadrilateral, size_px: tuple[int, int]) -> list[int]:
    """The sides that lie on the picture's border: the area goes on outside."""
    width, height = size_px
    margin = max(1.5, 0.004 * max(size_px))
    cut = []
    for index in range(4):
        points = quadrilateral.side(index).points(np.linspace(0.1, 0.9, 33))
        inside = (points > margin).all(axis=1) & (points < np.array([width, height]) - 1 - margin).all(axis=1)
        if 1 - inside.mean() > _BORDER_SHARE:
            cut.append(index)
    return cut


def _smallest_around(hull: Array) -> Array | None:
    """Four corners around a convex polygon, by leaving out the edge that costs least area until four remain."""
    points = hull.astype(np.float32)
    outline = cv2.approxPolyDP(points, 0.004 * cv2.arcLength(points, closed=True), closed=True)
    polygon = [point.astype(np.float64) for point in outline.reshape(-1, 2)]
    while len(polygon) > 4:
        best: tuple[float, int, Array] | None = None
        for index in range(len(polygon)):
            before, start, end, after = (polygon[(index + step) % len(polygon)] for step in (-1, 0, 1, 2))
            meeting = crossing(before, start, after, end)
            if meeting is None or (meeting - start) @ (start - before) <= 0 or (meeting - end) @ (end - after) <= 0:
                continue
            edge, reach = end - start, meeting - start
            cost = abs(float(edge[0] * reach[1] - edge[1] * reach[0])) / 2
            if best is None or cost < best[0]:
                best = (cost, index, meeting)
        if best is None:
            return None
        _, index, meeting = best
        polygon[index] = meeting
        del polygon[(index + 1) % len(polygon)]
    return np.array(polygon) if len(polygon) == 4 else None


def crossing(a: Array, b: Array, c: Array, d: Array) -> Array | None:
    """Where the line through a and b meets the line through c and d, or None when they are parallel."""
    first, second = b - a, d - c
    cross = first[0] * second[1] - first[1] * second[0]
    if abs(cross) < 1e-6 * float(np.linalg.norm(first) * np.linalg.norm(second)) or cross == 0:
        return None
    share = ((c - a)[0] * second[1] - (c - a)[1] * second[0]) / cross
    return cast("Array", a + share * first)


def clockwise(corners: Array) -> Array:
    """Clockwise as seen in the picture, beginning with the corner nearest its top left."""
    middle = corners.mean(axis=0)
    ordered = corners[np.argsort(np.arctan2(*(corners - middle).T[::-1]))]
    first = int(np.argmin(ordered.sum(axis=1)))
    return np.roll(ordered, -first, axis=0)


def _refined(quadrilateral: Quadrilateral, contour: Array, tolerance: float) -> Quadrilateral | None:
    """Fit each side to the contour near it, robustly; corners are where the sides meet."""
    size = float(np.sqrt(cv2.contourArea(quadrilateral.corners_px.astype(np.float32))))
    if size < 8:
        return None
    lines, bows = [], []
    for index in range(4):
        side = quadrilateral.side(index)
        shares, across = side.measured(contour)
        near = (shares > 0.06) & (shares < 0.94) & (np.abs(across) < tolerance * size + 1)
        if np.count_nonzero(near) < 8 or np.ptp(shares[near]) < 0.5:
            return None
        curve = robust_curve(shares[near], across[near], degree=2)
        at = np.array([0.0, 0.5, 1.0])
        start, middle, end = np.polynomial.polynomial.polyval(at, curve)
        lines.append((side.start_px + start * side.inward, side.end_px + end * side.inward))
        bows.append(side.bow_px - (middle - (start + end) / 2))
    corners = [crossing(*lines[index - 1], *lines[index]) for index in range(4)]
    if any(corner is None for corner in corners):
        return None
    limit = 0.04 * size
    return Quadrilateral(corners_px=np.array(corners), bows_px=np.clip(bows, -limit, limit))


def robust_curve(x: Array, y: Array, degree: int, scale_floor: float = 0.25) -> Array:
    """Coefficients, lowest power first, of a polynomial through most points; outliers lose their weight (Tukey)."""
    weights = np.ones_like(y)
    coefficients = np.zeros(degree + 1)
    for turn in range(8):
        powers = np.vander(x, (1 if turn < 2 else degree) + 1, increasing=True)
        root = np.sqrt(weights)[:, None]
        solution = np.linalg.lstsq(powers * root, y * root[:, 0], rcond=None)[0]
        coefficients = np.zeros(degree + 1)
        coefficients[: len(solution)] = solution
        residuals = y - powers @ solution
        scale = max(scale_floor, 1.48 * float(np.median(np.abs(residuals))))
        weights = np.maximum(1e-6, np.clip(1 - (residuals / (4.7 * scale)) ** 2, 0, None) ** 2)
    return coefficients


def _fill(quadrilateral: Quadrilateral, mask: Mask) -> float:
    drawn = np.zeros_like(mask)
    outline = np.concatenate([quadrilateral.side(index).points(np.linspace(0, 1, 17)[:-1]) for index in range(4)])
    cv2.fillPoly(drawn, [np.round(outline).astype(np.int32)], [255])
    both, either = (drawn > 0) & (mask > 0), (drawn > 0) | (mask > 0)
    return float(both.sum()) / max(1.0, float(either.sum()))
