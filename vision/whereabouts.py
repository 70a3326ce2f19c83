"""Where a place lies on the table: near a pocket, inside the noses, under a cover."""

import math
from collections.abc import Sequence

from scoring.layout import SAME_PLACE_MM
from scoring.table import Point, Spot, Table
from vision.detection import Cover


def nearest_pocket_mm(table: Table, place: Point) -> float:
    """The distance to the nearest pocket's corner on the nose rectangle; infinite on a table without pockets."""
    if table.pockets is None:
        return math.inf
    across = abs(abs(place.y_mm) - table.width_mm / 2)
    along = min(abs(place.x_mm - share * table.length_mm) for share in (0.0, 0.5, 1.0))
    return math.hypot(across, along)


def as_placed(table: Table, place: Point) -> Point:
    """Where a ball lies that somebody put there: within what a hand can do of the first spot it is on the spot.

    The spot lies on the house line, and rules ask on which side of that a ball lies (C-6): no error may decide it.
    """
    spot = table.spot(Spot.S1)
    return spot if place.distance_mm(spot) <= SAME_PLACE_MM else place


def is_inside(table: Table, place: Point) -> bool:
    """Whether a place lies between the cushion noses."""
    return 0.0 <= place.x_mm <= table.length_mm and abs(place.y_mm) <= table.width_mm / 2


def is_covered(place: Point, covers: Sequence[Cover], table: Table) -> bool:
    """Whether something hides this place, or the edge of a ball that lies there."""
    return cover_over(place, covers, table) is not None


def cover_over(place: Point, covers: Sequence[Cover], table: Table) -> Cover | None:
    """What hides this place, or the edge of a ball that lies there."""
    return next((cover for cover in covers if distance_to_cover_mm(cover, place) < table.ball_radius_mm), None)


def distance_to_cover_mm(cover: Cover, place: Point) -> float:
    """The distance from a place to a cover's outline, 0 inside it."""
    outline = cover.outline
    if len(outline) < 3:
        return min((place.distance_mm(p) for p in outline), default=math.inf)
    inside, nearest = False, math.inf
    x, y = place.x_mm, place.y_mm
    for a, b in zip(outline, (*outline[1:], outline[0]), strict=True):
        if (a.y_mm > y) != (b.y_mm > y) and x < a.x_mm + (b.x_mm - a.x_mm) * (y - a.y_mm) / (b.y_mm - a.y_mm):
            inside = not inside
        nearest = min(nearest, _distance_to_edge(place, a, b))
    return 0.0 if inside else nearest


def _distance_to_edge(place: Point, a: Point, b: Point) -> float:
    dx, dy = b.x_mm - a.x_mm, b.y_mm - a.y_mm
    length = dx * dx + dy * dy
    share = 0.0 if length == 0.0 else ((place.x_mm - a.x_mm) * dx + (place.y_mm - a.y_mm) * dy) / length
    share = min(1.0, max(0.0, share))
    return place.distance_mm(Point(a.x_mm + share * dx, a.y_mm + share * dy))
