"""The table's walls as a ball's centre meets them: noses, rounded tips, jaws and the pockets' drop edges."""

import math
from dataclasses import dataclass
from itertools import pairwise

from hardware.virtual.physics.parameters import PhysicsParameters, PocketShape
from scoring.table import Cushion, Pocket, Table

Place = tuple[float, float]

_REACH = 3.0  # jaws go on beyond the drop edge by this many radii


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """A straight piece of cushion from `start` along (tx, ty); (nx, ny) points to the side where balls are."""

    cushion: Cushion
    pocket: Pocket | None
    start_mm: Place
    tx: float
    ty: float
    nx: float
    ny: float
    length_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tip:
    """A rounded end of a nose."""

    cushion: Cushion
    pocket: Pocket
    center_mm: Place
    round_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """A pocket's drop edge: a ball has fallen when (x, y) . (dx, dy) of its centre is beyond `edge_mm`."""

    pocket: Pocket
    mouth_mm: Place  # the middle of the mouth line
    dx: float
    dy: float
    shelf_mm: float
    half_mm: float
    lip_mm: float
    creep_1_s: float

    def before_edge_mm(self, x: float, y: float) -> float:
        """How far a place lies before the drop edge; infinite when it does not lie in the pocket's channel."""
        rx, ry = x - self.mouth_mm[0], y - self.mouth_mm[1]
        if abs(rx * self.dy - ry * self.dx) > self.half_mm:
            return math.inf
        return self.shelf_mm - (rx * self.dx + ry * self.dy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Walls:
    """Everything that stops or swallows a ball on one table."""

    facets: tuple[Facet, ...]
    tips: tuple[Tip, ...]
    drops: tuple[Drop, ...]
    nose_mm: float


def build_walls(table: Table, parameters: PhysicsParameters) -> Walls:
    """The walls of a table; without pockets, four plain cushions."""
    half = table.width_mm / 2
    length = table.length_mm
    nose_mm = table.nose_height_mm if parameters.nose_height_mm is None else parameters.nose_height_mm
    if table.pockets is None:
        corners: list[Place] = [(0, -half), (length, -half), (length, half), (0, half), (0, -half)]
        sides = (Cushion.RIGHT, Cushion.REAR, Cushion.LEFT, Cushion.FRONT)
        return Walls(
            facets=tuple(_facet(side, None, *ends) for side, ends in zip(sides, pairwise(corners), strict=True)),
            tips=(),
            drops=(),
            nose_mm=nose_mm,
        )
    facets: list[Facet] = []
    tips: list[Tip] = []
    drops = {pocket: _drop(table, pocket, parameters) for pocket in Pocket}
    # Counter-clockwise round the bed: each run of nose goes from one pocket to the next.
    around = (
        (Cushion.RIGHT, Pocket.FR, Pocket.MR),
        (Cushion.RIGHT, Pocket.MR, Pocket.RR),
        (Cushion.REAR, Pocket.RR, Pocket.RL),
        (Cushion.LEFT, Pocket.RL, Pocket.ML),
        (Cushion.LEFT, Pocket.ML, Pocket.FL),
        (Cushion.FRONT, Pocket.FL, Pocket.FR),
    )
    for cushion, first, last in around:
        ends: list[Place] = []
        for pocket, other in ((first, last), (last, first)):
            shape = parameters.middle if pocket.is_middle else parameters.corner
            nose, tip, jaw = _end(table, cushion, drops[pocket], other, shape)
            ends.append(nose)
            tips.append(tip)
            facets.append(jaw)
        facets.append(_facet(cushion, None, ends[0], ends[1]))
    return Walls(facets=tuple(facets), tips=tuple(tips), drops=tuple(drops.values()), nose_mm=nose_mm)


def _facet(cushion: Cushion, pocket: Pocket | None, start: Place, end: Place) -> Facet:
    """A facet whose playing side lies to the left of its run."""
    length = math.dist(start, end)
    tx, ty = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    return Facet(cushion=cushion, pocket=pocket, start_mm=start, tx=tx, ty=ty, nx=-ty, ny=tx, length_mm=length)


def _drop(table: Table, pocket: Pocket, parameters: PhysicsParameters) -> Drop:
    """The drop edge of a pocket, square to its axis."""
    assert table.pockets is not None
    corner = table.pocket_corner(pocket)
    out = 1.0 if corner.y_mm > 0 else -1.0
    if pocket.is_middle:
        shape, dx, dy, mouth = parameters.middle, 0.0, out, table.pockets.middle_mm
        middle = (corner.x_mm, corner.y_mm)
    else:
        shape, mouth = parameters.corner, table.pockets.corner_mm
        dx = (1.0 if corner.x_mm > 0 else -1.0) * math.sqrt(0.5)
        dy = out * math.sqrt(0.5)
        middle = (corner.x_mm - dx * mouth / 2, corner.y_mm - dy * mouth / 2)
    return Drop(
        pocket=pocket,
        mouth_mm=middle,
        dx=dx,
        dy=dy,
        shelf_mm=shape.shelf_mm,
        half_mm=mouth / 2,
        lip_mm=shape.lip_mm,
        creep_1_s=shape.creep_1_s,
    )


def _cross(x: float, y: float, drop: Drop) -> float:
    """How far a vector leads away from a pocket's axis."""
    return x * drop.dy - y * drop.dx


def _end(table: Table, cushion: Cushion, drop: Drop, other: Pocket, shape: PocketShape) -> tuple[Place, Tip, Facet]:
    """Where a nose ends at a pocket: its last straight point, the rounded tip and the jaw behind it."""
    corner, far = table.pocket_corner(drop.pocket), table.pocket_corner(other)
    span = corner.distance_mm(far)
    ux, uy = (far.x_mm - corner.x_mm) / span, (far.y_mm - corner.y_mm) / span  # back along the nose
    # The jaw leaves the tip along the pocket's axis, turned towards that axis by the narrowing.
    turn = math.copysign(shape.narrowing_rad, drop.dx * -uy + drop.dy * ux)
    jx = drop.dx * math.cos(turn) - drop.dy * math.sin(turn)
    jy = drop.dy * math.cos(turn) + drop.dx * math.sin(turn)
    left = ux * jy - uy * jx  # > 0: the jaw lies counter-clockwise of the nose, seen from the tip
    half_angle = math.acos(max(-1.0, min(1.0, ux * jx + uy * jy))) / 2
    cut = shape.round_mm / math.tan(half_angle)
    reach = shape.round_mm / math.sin(half_angle) / math.hypot(ux + jx, uy + jy)
    # The mouth's width lies between the rounded tips: put the tip's centre half of it, and its radius, from the axis.
    aside, spread = abs(_cross(ux + jx, uy + jy, drop) * reach), abs(_cross(ux, uy, drop))
    shift = (drop.half_mm + shape.round_mm - aside) / spread
    edge = (corner.x_mm + ux * shift, corner.y_mm + uy * shift)
    tip = Tip(
        cushion=cushion,
        pocket=drop.pocket,
        center_mm=(edge[0] + (ux + jx) * reach, edge[1] + (uy + jy) * reach),
        round_mm=shape.round_mm,
    )
    depth = drop.shelf_mm + _REACH * table.ball_radius_mm
    near = (edge[0] + jx * cut, edge[1] + jy * cut)
    deep = (edge[0] + jx * depth, edge[1] + jy * depth)
    jaw = _facet(cushion, drop.pocket, deep, near) if left < 0 else _facet(cushion, drop.pocket, near, deep)
    return (edge[0] + ux * cut, edge[1] + uy * cut), tip, jaw
