"""The layout as a stroke begins: checked, and put right where rounding has made balls overlap."""

import math
from collections.abc import Mapping

from hardware.virtual.physics.walls import Facet, Tip, Walls
from scoring.balls import Ball
from scoring.table import Point, Table

_SLACK_MM = 0.5  # what rounding and measuring may have added
_ROUNDS = 500
_CLEAR_MM = 1e-9


def placed(table: Table, layout: Mapping[Ball, Point], walls: Walls) -> list[tuple[float, float]]:
    """The balls' places, no two overlapping and none in a cushion.

    Raises:
        ValueError: A ball would have to be moved by more than half a millimetre.
    """
    places = [[point.x_mm, point.y_mm] for point in layout.values()]
    for ball, point in layout.items():
        if not (math.isfinite(point.x_mm) and math.isfinite(point.y_mm)):
            message = f"{ball} has no place"
            raise ValueError(message)
        if all(drop.before_edge_mm(point.x_mm, point.y_mm) == math.inf for drop in walls.drops) and (
            max(-point.x_mm, point.x_mm - table.length_mm, abs(point.y_mm) - table.width_mm / 2) > 0.0
        ):
            message = f"{ball} at ({point.x_mm:g}, {point.y_mm:g}) does not lie on the table"
            raise ValueError(message)
        if any(drop.before_edge_mm(point.x_mm, point.y_mm) <= 0.0 for drop in walls.drops):
            message = f"{ball} at ({point.x_mm:g}, {point.y_mm:g}) would have fallen into a pocket"
            raise ValueError(message)
    for _ in range(_ROUNDS):
        moved = _part(places, 2.0 * table.ball_radius_mm)
        moved = _leave_walls(places, walls, table.ball_radius_mm) or moved
        if not moved:
            break
    for (ball, point), (x, y) in zip(layout.items(), places, strict=True):
        if math.hypot(x - point.x_mm, y - point.y_mm) > _SLACK_MM:
            message = f"{ball} at ({point.x_mm:g}, {point.y_mm:g}) overlaps another ball or a cushion"
            raise ValueError(message)
    return [(x, y) for x, y in places]


def _part(places: list[list[float]], reach: float) -> bool:
    """Push overlapping balls apart, half the way each."""
    moved = False
    for i, one in enumerate(places):
        for two in places[:i]:
            dx, dy = one[0] - two[0], one[1] - two[1]
            if abs(dx) >= reach or abs(dy) >= reach:
                continue
            gap = math.hypot(dx, dy)
            if gap >= reach - _CLEAR_MM:
                continue
            nx, ny = (dx / gap, dy / gap) if gap > 0.0 else (1.0, 0.0)
            push = 0.5 * (reach - gap)
            one[0] += push * nx
            one[1] += push * ny
            two[0] -= push * nx
            two[1] -= push * ny
            moved = True
    return moved


def _leave_walls(places: list[list[float]], walls: Walls, radius: float) -> bool:
    """Push balls out of cushions and jaws."""
    moved = False
    every: tuple[Facet | Tip, ...] = (*walls.facets, *walls.tips)
    for place in places:
        for wall in every:
            if isinstance(wall, Facet):
                rx, ry = place[0] - wall.start_mm[0], place[1] - wall.start_mm[1]
                along = rx * wall.tx + ry * wall.ty
                nx, ny = wall.nx, wall.ny
                lack = radius - (rx * nx + ry * ny)
                if not 0.0 <= along <= wall.length_mm or lack >= 2.0 * radius:
                    continue
            else:
                rx, ry = place[0] - wall.center_mm[0], place[1] - wall.center_mm[1]
                size = math.hypot(rx, ry)
                lack = radius + wall.round_mm - size
                nx, ny = (rx / size, ry / size) if size > 0.0 else (1.0, 0.0)
            if lack > _CLEAR_MM:
                place[0] += lack * nx
                place[1] += lack * ny
                moved = True
    return moved
