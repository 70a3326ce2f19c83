"""The pyramid's rack, and where balls go back (MP-2, MP-3, MP-50, MP-51)."""

from collections.abc import Iterable
from math import sqrt

from scoring.balls import Ball
from scoring.layout import Layout, against_cushion
from scoring.rulings import Place, Respot
from scoring.spots import rear_middle, stood
from scoring.table import Point, Spot, Table

ROWS = ((4,), (5, 6), (7, 15, 8), (9, 14, 13, 10), (2, 1, 12, 11, 3))
"""The rows from the apex, each from left to right as seen from the house (MP-3)."""

GAP_MM = 2.0
"""A ball put back beside one that lies in the way does not touch it (MP-50)."""

TOUCH_MM = 1e-6


def rack_of(table: Table) -> Layout:
    """The triangle: apex on the third spot, base parallel to the rear cushion, balls touching (MP-2, MP-3)."""
    apex = table.spot(Spot.S3)
    return Layout(
        {
            Ball(str(number)): Point(
                apex.x_mm + row * table.ball_mm * sqrt(3) / 2, apex.y_mm + (row / 2 - place) * table.ball_mm
            )
            for row, numbers in enumerate(ROWS)
            for place, number in enumerate(numbers)
        }
    )


def respots(
    balls: Iterable[Ball], layout: Layout, before: Layout | None, table: Table, rule: str
) -> tuple[Respot, ...]:
    """Where balls go back, the lowest number first (MP-51); by `rule` along the axis, to the short cushion, or home.

    `layout` are the balls that lie there. `rule` is `axis`, `short_cushion`, or `where_it_stood` for balls that go
    back to where they stood before as long as that place is free.
    """
    put: list[Respot] = []
    together: list[Ball] = []
    for ball in sorted(balls, key=lambda ball: ball.number or 0):
        home = stood(ball, before)
        if rule == "where_it_stood" and (home.at is None or layout.is_free(home.at, table)):
            respot = home
        elif rule == "short_cushion":
            respot = _at_short_cushion(ball, layout, table)
        else:
            respot = _on_axis(ball, layout, together, table)
            together.append(ball)
        put.append(respot)
        layout = layout.with_places({ball: respot.at} if respot.at else {})
    return tuple(put)


def _on_axis(ball: Ball, layout: Layout, together: list[Ball], table: Table) -> Respot:
    """The third spot, else behind it on the axis as near as possible, else in front of it (MP-50)."""
    spot = table.spot(Spot.S3)
    free = [
        x_mm for x_mm in _candidates(layout, together, table) if _is_free(Point(x_mm, 0.0), layout, together, table)
    ]
    behind = min((x_mm for x_mm in free if x_mm >= spot.x_mm), default=None)
    x_mm = behind if behind is not None else max(free, default=spot.x_mm)
    return Respot(ball, Place.S3 if x_mm == spot.x_mm else Place.AT, Point(x_mm, 0.0))


def _candidates(layout: Layout, together: list[Ball], table: Table) -> list[float]:
    """The third spot and the nearest places on the axis beside each ball that reaches it."""
    found = [table.spot(Spot.S3).x_mm]
    for ball, place in layout.places.items():
        reach_mm = table.ball_mm + (0.0 if ball in together else GAP_MM)
        if abs(place.y_mm) < reach_mm:
            along_mm = sqrt(reach_mm**2 - place.y_mm**2)
            found += [place.x_mm + along_mm, place.x_mm - along_mm]
    return [x_mm for x_mm in found if table.ball_radius_mm <= x_mm <= table.length_mm - table.ball_radius_mm]


def _is_free(place: Point, layout: Layout, together: list[Ball], table: Table) -> bool:
    """Whether a ball fits there: beside those put back with it, and clear of those that lie in the way."""
    return all(
        place.distance_mm(at) > table.ball_mm - (TOUCH_MM if ball in together else -TOUCH_MM)
        for ball, at in layout.places.items()
    )


def _at_short_cushion(ball: Ball, layout: Layout, table: Table) -> Respot:
    """The third spot, else the short cushion behind the pyramid (MP-50, `spot_rule`)."""
    spot = table.spot(Spot.S3)
    if layout.is_free(spot, table):
        return Respot(ball, Place.S3, spot)
    return Respot(ball, Place.AT, layout.free_beside(rear_middle(table), table))


def on_rail(ball: Ball, at: Point, table: Table) -> Respot:
    """A ball that lies on the rail goes tight against the cushion there (MP-42)."""
    return Respot(ball, Place.AT, against_cushion(at, table))
