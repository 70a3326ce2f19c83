"""What will happen next to one ball alone, or to two balls, if nothing else does."""

import math
from dataclasses import dataclass

from hardware.virtual.physics.body import Body, Phase
from hardware.virtual.physics.crossings import Quartic, first_descent, parabola_descent
from hardware.virtual.physics.walls import Drop, Facet, Tip, Walls
from scoring.table import Table

TOUCH_MM = 1e-7  # gaps below this are contacts
_OUTSIDE_MM = 60.0  # a flying ball this far outside the noses has left, through whichever gap
_STILL = (Phase.REST, Phase.SPIN)


@dataclass(frozen=True, slots=True)
class Lapse:
    """A phase ends by itself: slip has stopped, the ball stands, or it comes down on the cloth."""


@dataclass(frozen=True, slots=True)
class Topple:
    """A standing ball tips over a pocket's edge."""

    drop: Drop


@dataclass(frozen=True, slots=True)
class Over:
    """A flying ball's centre passes above a nose."""


Meeting = Facet | Tip | Drop | Topple | Over | Lapse


class Forecast:
    """Finds the next meeting of a ball with the walls and pockets of one table."""

    def __init__(self, table: Table, walls: Walls) -> None:
        radius = table.ball_radius_mm
        self._radius = radius
        self._nose_mm = walls.nose_mm
        # A ball on the cloth meets a cushion when its centre is one radius away; a flying one meets an edge.
        self._front_mm = radius - math.sqrt(max(0.0, radius**2 - (walls.nose_mm - radius) ** 2))
        reach = radius + self._front_mm
        self._inner = (reach, table.length_mm - reach, reach - table.width_mm / 2, table.width_mm / 2 - reach)
        half, far = table.width_mm / 2 + _OUTSIDE_MM, table.length_mm + _OUTSIDE_MM
        self._outer = (-_OUTSIDE_MM, far, -half, half)
        self._drops = walls.drops
        self._facets = [(f, f.nx * f.start_mm[0] + f.ny * f.start_mm[1] + radius) for f in walls.facets]
        self._tips = [(t, *t.center_mm, t.round_mm + radius) for t in walls.tips]

    def alone(self, body: Body) -> tuple[float, Meeting] | None:
        """The delay until, and the kind of, a ball's next meeting without other balls."""
        if body.phase is Phase.REST:
            return self._topple(body)
        low_x, high_x, low_y, high_y = self._inner
        if body.low_x > low_x and body.high_x < high_x and body.low_y > low_y and body.high_y < high_y:
            return body.lasts_s, Lapse()
        if body.phase is Phase.SPIN:
            return body.lasts_s, Lapse()
        return self._at_the_edge(body)

    def _at_the_edge(self, body: Body) -> tuple[float, Meeting]:
        """The next meeting of a ball that may reach a wall or a pocket in this phase."""
        best_s: float = body.lasts_s
        meeting: Meeting = Lapse()
        flies = body.phase is Phase.FLY
        if flies and (outside_s := self._outside_s(body)) < best_s:
            best_s, meeting = outside_s, Over()
        for facet, offset in self._facets:
            if flies:
                best_s, meeting = self._edge(body, facet, best_s, meeting)
                continue
            t = self._facet_s(body, facet, offset, best_s)
            if t is not None and t < best_s:
                best_s, meeting = t, facet
        for tip, x, y, reach in self._tips:
            if body.low_x - reach > x or body.high_x + reach < x or body.low_y - reach > y or body.high_y + reach < y:
                continue
            t = _round_s(body, x, y, reach, best_s)
            if t is not None and t < best_s and not self._is_high(body, t):
                best_s, meeting = t, tip
        for drop in self._drops:
            t = _drop_s(body, drop, best_s)
            if t is not None and t < best_s:
                best_s, meeting = t, drop
        return best_s, meeting

    def _facet_s(self, body: Body, facet: Facet, offset: float, until: float) -> float | None:
        """When a ball meets a facet within its length."""
        nx, ny = facet.nx, facet.ny
        nearest = (nx * body.low_x if nx > 0.0 else nx * body.high_x) + (
            ny * body.low_y if ny > 0.0 else ny * body.high_y
        )
        if nearest > offset + TOUCH_MM:
            return None
        t = parabola_descent(
            nx * body.x + ny * body.y - offset,
            nx * body.vx + ny * body.vy,
            0.5 * (nx * body.ax + ny * body.ay),
            until,
            TOUCH_MM,
        )
        return t if t is not None and _is_beside(body, facet, t) else None

    def _edge(self, body: Body, facet: Facet, best_s: float, meeting: Meeting) -> tuple[float, Meeting]:
        """When a flying ball meets a nose, or its centre passes above it, if that comes before `best_s`."""
        away = facet.nx * (body.x - facet.start_mm[0]) + facet.ny * (body.y - facet.start_mm[1]) - self._front_mm
        speed = facet.nx * body.vx + facet.ny * body.vy
        above = body.z - self._nose_mm
        if away < 0.0 or away + min(0.0, speed * best_s) > self._radius:
            return best_s, meeting
        t = _closing_s(
            (
                away * away + above * above - self._radius**2,
                2.0 * (away * speed + above * body.vz),
                speed * speed + body.vz * body.vz + above * body.az,
                body.vz * body.az,
                0.25 * body.az * body.az,
            ),
            2.0 * self._radius * TOUCH_MM,
            best_s,
        )
        if t is not None and t < best_s and _is_beside(body, facet, t):
            best_s, meeting = t, facet
        if speed < 0.0 and -away / speed < best_s and _is_beside(body, facet, -away / speed):
            best_s, meeting = -away / speed, Over()
        return best_s, meeting

    def _outside_s(self, body: Body) -> float:
        """When a flying ball is well outside the noses, wherever it has crossed them."""
        soonest = math.inf
        for place, speed, low, high in (
            (body.x, body.vx, self._outer[0], self._outer[1]),
            (body.y, body.vy, self._outer[2], self._outer[3]),
        ):
            if speed > 0.0:
                soonest = min(soonest, (high - place) / speed)
            elif speed < 0.0:
                soonest = min(soonest, (low - place) / speed)
        return max(0.0, soonest)

    def _is_high(self, body: Body, t: float) -> bool:
        """Whether a ball will fly above the noses."""
        return body.phase is Phase.FLY and body.z + (body.vz + 0.5 * body.az * t) * t - self._radius > self._nose_mm

    def _topple(self, body: Body) -> tuple[float, Meeting] | None:
        """When a standing ball tips over a rounded edge: it creeps away from an unstable balance, x'' = k^2 x."""
        for drop in self._drops:
            beyond = drop.lip_mm - drop.before_edge_mm(body.x, body.y)
            if beyond > 0.0:
                return math.acosh(max(1.0, drop.lip_mm / beyond)) / drop.creep_1_s, Topple(drop)
        return None


def _is_beside(body: Body, facet: Facet, t: float) -> bool:
    """Whether a ball will be beside a facet, not past its ends."""
    half = 0.5 * t * t
    along = facet.tx * (body.x + body.vx * t + body.ax * half - facet.start_mm[0])
    along += facet.ty * (body.y + body.vy * t + body.ay * half - facet.start_mm[1])
    return -TOUCH_MM <= along <= facet.length_mm + TOUCH_MM


def _drop_s(body: Body, drop: Drop, until: float) -> float | None:
    """When a ball's centre passes a drop edge within the pocket's width."""
    nearest = (drop.dx * body.high_x if drop.dx > 0.0 else drop.dx * body.low_x) + (
        drop.dy * body.high_y if drop.dy > 0.0 else drop.dy * body.low_y
    )
    edge = drop.dx * drop.mouth_mm[0] + drop.dy * drop.mouth_mm[1] + drop.shelf_mm
    if nearest < edge:
        return None
    t = parabola_descent(
        edge - drop.dx * body.x - drop.dy * body.y,
        -drop.dx * body.vx - drop.dy * body.vy,
        -0.5 * (drop.dx * body.ax + drop.dy * body.ay),
        until,
        0.0,
    )
    if t is None:
        return None
    half = 0.5 * t * t
    x, y = body.x + body.vx * t + body.ax * half, body.y + body.vy * t + body.ay * half
    return t if math.isfinite(drop.before_edge_mm(x, y)) else None


def _round_s(body: Body, x: float, y: float, reach: float, until: float) -> float | None:
    """When a ball meets an upright round."""
    dx, dy = body.x - x, body.y - y
    return _closing_s(
        (
            dx * dx + dy * dy - reach * reach,
            2.0 * (dx * body.vx + dy * body.vy),
            body.vx * body.vx + body.vy * body.vy + dx * body.ax + dy * body.ay,
            body.vx * body.ax + body.vy * body.ay,
            0.25 * (body.ax * body.ax + body.ay * body.ay),
        ),
        2.0 * reach * TOUCH_MM,
        until,
    )


def together_s(one: Body, two: Body) -> float | None:
    """The delay until two balls touch, or None when their present phases keep them apart."""
    if one.phase in _STILL and two.phase in _STILL:
        return None
    reach = 2.0 * one.radius
    if (
        one.low_x - two.high_x > reach
        or two.low_x - one.high_x > reach
        or one.low_y - two.high_y > reach
        or two.low_y - one.high_y > reach
    ):
        return None
    dx, dy, dz = one.x - two.x, one.y - two.y, one.z - two.z
    vx, vy, vz = one.vx - two.vx, one.vy - two.vy, one.vz - two.vz
    ax, ay, az = one.ax - two.ax, one.ay - two.ay, one.az - two.az
    return _closing_s(
        (
            dx * dx + dy * dy + dz * dz - reach * reach,
            2.0 * (dx * vx + dy * vy + dz * vz),
            vx * vx + vy * vy + vz * vz + dx * ax + dy * ay + dz * az,
            vx * ax + vy * ay + vz * az,
            0.25 * (ax * ax + ay * ay + az * az),
        ),
        2.0 * reach * TOUCH_MM,
        min(one.lasts_s, two.lasts_s),
    )


def _closing_s(gap: Quartic, touch: float, until: float) -> float | None:
    """When a squared gap closes; a gap within `touch` of nothing is a contact, at once if it is closing."""
    c0, c1, c2, c3, c4 = gap
    if c0 > touch:
        return first_descent(gap, until)
    if c1 < -touch or (c1 <= touch and c2 < -touch):
        return 0.0
    # It opens now: divide by t, and look for the next time.
    return first_descent((max(c1, 0.0), c2, c3, c4, 0.0), until)
