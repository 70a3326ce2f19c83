"""What a ball can hit on an empty table: noses, their rounded ends at the pockets, and the jaws behind them.

The table file gives the mouths' widths; how the jaws are cut is that of usual pyramid tables.
"""

import math
from dataclasses import dataclass

from scoring.table import Cushion, Pocket, Point, Table

_CORNER_NARROWING_RAD = math.radians(2.0)
_MIDDLE_NARROWING_RAD = math.radians(12.0)
_CORNER_ROUND_MM = 8.0
_MIDDLE_ROUND_MM = 10.0
SHELF_MM = 20.0  # from the mouth line to the drop edge
_JAW_MM = 90.0  # how far a jaw is followed into the pocket

Vector = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Edge:
    """A straight piece of rubber from (x, y) along (tx, ty); (nx, ny) points to where balls are."""

    cushion: Cushion
    pocket: Pocket | None  # set for a jaw
    x_mm: float
    y_mm: float
    tx: float
    ty: float
    nx: float
    ny: float
    length_mm: float


@dataclass(frozen=True, slots=True)
class Tip:
    """The rounded end of a nose at a pocket: a part of its jaw."""

    cushion: Cushion
    pocket: Pocket
    x_mm: float
    y_mm: float
    round_mm: float


@dataclass(frozen=True, slots=True)
class Hole:
    """A pocket's drop edge: a ball falls when its centre is beyond (x, y) along (nx, ny), between the jaws."""

    pocket: Pocket
    x_mm: float
    y_mm: float
    nx: float
    ny: float
    half_mm: float


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Everything that stops or swallows a ball on one table."""

    table: Table
    radius_mm: float
    edges: tuple[Edge, ...]
    tips: tuple[Tip, ...]
    holes: tuple[Hole, ...]

    @classmethod
    def of(cls, table: Table) -> "Surroundings":
        """The rubber of a table (C-1, C-12)."""
        edges: list[Edge] = []
        tips: list[Tip] = []
        half, length = table.width_mm / 2, table.length_mm
        corners = {
            Pocket.FL: (0.0, half),
            Pocket.FR: (0.0, -half),
            Pocket.RL: (length, half),
            Pocket.RR: (length, -half),
        }
        runs: list[tuple[Cushion, Pocket, Pocket]] = [
            (Cushion.FRONT, Pocket.FR, Pocket.FL),
            (Cushion.REAR, Pocket.RR, Pocket.RL),
        ]
        if table.pockets is None:
            runs += [(Cushion.LEFT, Pocket.FL, Pocket.RL), (Cushion.RIGHT, Pocket.FR, Pocket.RR)]
            for cushion, first, last in runs:
                edges.append(_edge(table, cushion, None, corners[first], corners[last]))
            return cls(table, table.ball_radius_mm, tuple(edges), (), ())
        runs += [
            (Cushion.LEFT, Pocket.FL, Pocket.ML),
            (Cushion.LEFT, Pocket.ML, Pocket.RL),
            (Cushion.RIGHT, Pocket.FR, Pocket.MR),
            (Cushion.RIGHT, Pocket.MR, Pocket.RR),
        ]
        for cushion, first, last in runs:
            ends = []
            for pocket, other in ((first, last), (last, first)):
                nose, tip, jaw = _end(table, cushion, pocket, other)
                ends.append(nose)
                tips.append(tip)
                edges.append(jaw)
            edges.append(_edge(table, cushion, None, *ends))
        holes = tuple(_hole(table, pocket) for pocket in Pocket)
        return cls(table, table.ball_radius_mm, tuple(edges), tuple(tips), holes)

    def gap_mm(self, edge: Edge, place: Point) -> float:
        """The gap between a ball and an edge's line."""
        return (place.x_mm - edge.x_mm) * edge.nx + (place.y_mm - edge.y_mm) * edge.ny - self.radius_mm

    def nearest_nose(self, place: Point) -> tuple[Edge, float] | None:
        """The nose (no jaw) that a ball is nearest to, with the gap; None in front of a mouth."""
        found = None
        for edge in self.edges:
            along = (place.x_mm - edge.x_mm) * edge.tx + (place.y_mm - edge.y_mm) * edge.ty
            if edge.pocket is None and 0.0 <= along <= edge.length_mm:
                gap = self.gap_mm(edge, place)
                if found is None or gap < found[1]:
                    found = (edge, gap)
        return found

    def nearest_jaw(self, place: Point) -> tuple[Cushion, Pocket, float, Vector] | None:
        """The jaw that a ball is nearest to: its cushion, pocket, the gap and the normal towards the ball."""
        found: tuple[Cushion, Pocket, float, Vector] | None = None
        for tip in self.tips:
            dx, dy = place.x_mm - tip.x_mm, place.y_mm - tip.y_mm
            away = math.hypot(dx, dy)
            gap = away - tip.round_mm - self.radius_mm
            if away > 0.0 and (found is None or gap < found[2]):
                found = (tip.cushion, tip.pocket, gap, (dx / away, dy / away))
        for edge in self.edges:
            along = (place.x_mm - edge.x_mm) * edge.tx + (place.y_mm - edge.y_mm) * edge.ty
            if edge.pocket is not None and 0.0 <= along <= edge.length_mm:
                gap = self.gap_mm(edge, place)
                if gap > -self.radius_mm and (found is None or gap < found[2]):
                    found = (edge.cushion, edge.pocket, gap, (edge.nx, edge.ny))
        return found

    def reach_mm(self, place: Point) -> float:
        """The gap to whatever rubber is nearest."""
        nose, jaw = self.nearest_nose(place), self.nearest_jaw(place)
        return min(nose[1] if nose else math.inf, jaw[2] if jaw else math.inf)


def _edge(table: Table, cushion: Cushion, pocket: Pocket | None, start: Vector, end: Vector) -> Edge:
    size = math.dist(start, end)
    tx, ty = (end[0] - start[0]) / size, (end[1] - start[1]) / size
    inside = (-ty, tx)
    aim = _axis(table, pocket) if pocket else None
    # Balls are on the middle's side of a nose, and on the axis' side of a jaw.
    toward = (table.length_mm / 2 - start[0], -start[1]) if aim is None else (aim[0] - start[0], aim[1] - start[1])
    if inside[0] * toward[0] + inside[1] * toward[1] < 0.0:
        inside = (ty, -tx)
    return Edge(cushion, pocket, start[0], start[1], tx, ty, inside[0], inside[1], size)


def _hole(table: Table, pocket: Pocket) -> Hole:
    assert table.pockets is not None
    middle, (dx, dy) = mouth(table, pocket), outward(table, pocket)
    width = table.pockets.middle_mm if pocket.is_middle else table.pockets.corner_mm
    return Hole(pocket, middle.x_mm + SHELF_MM * dx, middle.y_mm + SHELF_MM * dy, dx, dy, width / 2)


def _axis(table: Table, pocket: Pocket) -> Vector:
    """A point on a pocket's axis, well inside the table."""
    corner = table.pocket_corner(pocket)
    dx, dy = outward(table, pocket)
    return corner.x_mm - 500.0 * dx, corner.y_mm - 500.0 * dy


def outward(table: Table, pocket: Pocket) -> Vector:
    """The direction in which a pocket opens, away from the table."""
    corner = table.pocket_corner(pocket)
    out = 1.0 if corner.y_mm > 0.0 else -1.0
    if pocket.is_middle:
        return 0.0, out
    return (1.0 if corner.x_mm > 0.0 else -1.0) * math.sqrt(0.5), out * math.sqrt(0.5)


def mouth(table: Table, pocket: Pocket) -> Point:
    """The middle of the line between a pocket's jaws."""
    assert table.pockets is not None
    corner = table.pocket_corner(pocket)
    if pocket.is_middle:
        return corner
    dx, dy = outward(table, pocket)
    half = table.pockets.corner_mm / 2
    return Point(corner.x_mm - half * dx, corner.y_mm - half * dy)


def beyond_mouth_mm(table: Table, pocket: Pocket, place: Point) -> float:
    """How far a place lies beyond a pocket's mouth line (negative: before it)."""
    middle, (dx, dy) = mouth(table, pocket), outward(table, pocket)
    return (place.x_mm - middle.x_mm) * dx + (place.y_mm - middle.y_mm) * dy


def _end(table: Table, cushion: Cushion, pocket: Pocket, other: Pocket) -> tuple[Vector, Tip, Edge]:
    """Where a nose ends at a pocket: its last straight point, the rounded tip, the jaw behind it."""
    assert table.pockets is not None
    corner, far = table.pocket_corner(pocket), table.pocket_corner(other)
    span = corner.distance_mm(far)
    ux, uy = (far.x_mm - corner.x_mm) / span, (far.y_mm - corner.y_mm) / span
    middle = pocket.is_middle
    shift = table.pockets.middle_mm / 2 if middle else table.pockets.corner_mm / math.sqrt(2)
    round_mm = _MIDDLE_ROUND_MM if middle else _CORNER_ROUND_MM
    narrowing = _MIDDLE_NARROWING_RAD if middle else _CORNER_NARROWING_RAD
    x, y = corner.x_mm + ux * shift, corner.y_mm + uy * shift
    dx, dy = outward(table, pocket)
    turn = math.copysign(narrowing, dx * -uy + dy * ux)
    jx = dx * math.cos(turn) - dy * math.sin(turn)
    jy = dy * math.cos(turn) + dx * math.sin(turn)
    half_angle = math.acos(max(-1.0, min(1.0, ux * jx + uy * jy))) / 2
    cut = round_mm / math.tan(half_angle)
    depth = round_mm / math.sin(half_angle) / math.hypot(ux + jx, uy + jy)
    tip = Tip(cushion, pocket, x + (ux + jx) * depth, y + (uy + jy) * depth, round_mm)
    jaw = _edge(table, cushion, pocket, (x + jx * cut, y + jy * cut), (x + jx * _JAW_MM, y + jy * _JAW_MM))
    return (x + ux * cut, y + uy * cut), tip, jaw
