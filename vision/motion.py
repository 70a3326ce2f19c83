"""How balls move for some hundredths of a second: straight on, off each other and off the cushions.

Friction and spin hardly act in so short a time, so a replay of what must have happened between two pictures needs only
equal masses, the line of centres and a restitution (Coriolis 1835).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from scoring.table import Cushion, Pocket
from vision.surroundings import Surroundings

BALL_RESTITUTION = 0.95
CUSHION_RESTITUTION = 0.75
CUSHION_GRIP = 0.9  # share of the speed along the cushion that a rebound keeps
FASTEST_MM_S = 14_000.0  # nobody plays harder
ROLLING_MM_S2 = 100.0  # what a rolling ball loses, typical of a cloth
SLIDING_MM_S2 = 2500.0  # the most that a sliding ball may lose
_NEVER = math.inf
_MOST_EVENTS = 60


@dataclass(frozen=True, slots=True)
class State:
    """A ball at an instant: place in mm and velocity in mm/s."""

    x_mm: float
    y_mm: float
    vx_mm_s: float = 0.0
    vy_mm_s: float = 0.0

    @property
    def speed_mm_s(self) -> float:
        """The speed, mm/s."""
        return math.hypot(self.vx_mm_s, self.vy_mm_s)


@dataclass(frozen=True, slots=True)
class Impact:
    """What a replay saw: `ball` met the ball numbered `other`, a cushion, a jaw, or (no cushion) fell."""

    t_s: float
    ball: int
    other: int | None = None
    cushion: Cushion | None = None
    pocket: Pocket | None = None


@dataclass(slots=True)
class Replay:
    """Balls on their way through a short time; `nodes[i]` are ball i's turning points (t, x, y, vx, vy)."""

    impacts: list[Impact] = field(default_factory=list)
    nodes: list[list[tuple[float, float, float, float, float]]] = field(default_factory=list)

    def state_at(self, ball: int, t_s: float) -> State:
        """Where a ball is and how it moves at a time."""
        nodes = self.nodes[ball]
        k = len(nodes) - 1
        while k > 0 and nodes[k][0] > t_s:
            k -= 1
        t0, x, y, vx, vy = nodes[k]
        dt = t_s - t0
        return State(x + vx * dt, y + vy * dt, vx, vy)


@dataclass(frozen=True, slots=True)
class Bounce:
    """How lively things are in a replay: what a rebound keeps of the speed into and along a cushion, and balls."""

    ball: float = BALL_RESTITUTION
    cushion: float = CUSHION_RESTITUTION
    grip: float = CUSHION_GRIP


USUAL_BOUNCE = Bounce()


def replay(states: Sequence[State], duration_s: float, around: Surroundings, bounce: Bounce = USUAL_BOUNCE) -> Replay:
    """Let balls run from their states for a while, and tell what they met, in order."""
    run = _Run(states, around, bounce)
    result = Replay(nodes=[[(0.0, *ball)] for ball in run.balls])
    now = 0.0
    for _ in range(_MOST_EVENTS):
        impact = run.next_impact(duration_s - now)
        if impact is None:
            break
        run.advance(impact.t_s)
        now += impact.t_s
        for ball in run.collide(impact):
            result.nodes[ball].append((now, *run.balls[ball]))
        result.impacts.append(Impact(now, impact.ball, impact.other, impact.cushion, impact.pocket))
    return result


class _Run:
    """The moving parts of a replay: each ball is (x, y, vx, vy)."""

    def __init__(self, states: Sequence[State], around: Surroundings, bounce: Bounce) -> None:
        self.balls = [(s.x_mm, s.y_mm, s.vx_mm_s, s.vy_mm_s) for s in states]
        self.around = around
        self.bounce = bounce
        self.gone: set[int] = set()
        self.normals: dict[int, tuple[float, float]] = {}  # of the cushion that a ball meets next

    def advance(self, dt: float) -> None:
        self.balls = [(x + vx * dt, y + vy * dt, vx, vy) for x, y, vx, vy in self.balls]

    def next_impact(self, within_s: float) -> Impact | None:
        best, best_t = None, within_s
        balls = self.balls
        reach = 2 * self.around.radius_mm
        moving = [i for i, ball in enumerate(balls) if ball[2] or ball[3]]
        for i in moving:
            for j, other in enumerate(balls):
                if j == i or j in self.gone or (j < i and (other[2] or other[3])):
                    continue
                t = _time_to_touch(balls[i], other, reach)
                if t < best_t:
                    best, best_t = Impact(t, i, j), t
            impact = self._next_wall(i, best_t)
            if impact is not None:
                best, best_t = impact, impact.t_s
        return best

    def _next_wall(self, i: int, within_s: float) -> Impact | None:
        best = self._next_edge(i, within_s)
        for find in (self._next_tip, self._next_hole):
            best = find(i, best.t_s if best else within_s) or best
        return best

    def _next_edge(self, i: int, within_s: float) -> Impact | None:
        x, y, vx, vy = self.balls[i]
        radius = self.around.radius_mm
        best = None
        for edge in self.around.edges:
            into = -(vx * edge.nx + vy * edge.ny)
            if into <= 0.0:
                continue
            gap = (x - edge.x_mm) * edge.nx + (y - edge.y_mm) * edge.ny - radius
            t = max(0.0, gap / into)
            if gap >= -radius and t < within_s:
                along = (x + vx * t - edge.x_mm) * edge.tx + (y + vy * t - edge.y_mm) * edge.ty
                if 0.0 <= along <= edge.length_mm:
                    best, within_s = Impact(t, i, cushion=edge.cushion, pocket=edge.pocket), t
                    self.normals[i] = (edge.nx, edge.ny)
        return best

    def _next_tip(self, i: int, within_s: float) -> Impact | None:
        x, y, vx, vy = self.balls[i]
        radius = self.around.radius_mm
        reach = radius + (abs(vx) + abs(vy)) * within_s
        best = None
        for tip in self.around.tips:
            if abs(tip.x_mm - x) + abs(tip.y_mm - y) > 2 * reach:
                continue
            t = _time_to_touch(self.balls[i], (tip.x_mm, tip.y_mm, 0.0, 0.0), radius + tip.round_mm)
            if t < within_s:
                best, within_s = Impact(t, i, cushion=tip.cushion, pocket=tip.pocket), t
                away_x, away_y = x + vx * t - tip.x_mm, y + vy * t - tip.y_mm
                size = math.hypot(away_x, away_y)
                self.normals[i] = (away_x / size, away_y / size)
        return best

    def _next_hole(self, i: int, within_s: float) -> Impact | None:
        x, y, vx, vy = self.balls[i]
        best = None
        for hole in self.around.holes:
            onward = vx * hole.nx + vy * hole.ny
            depth = (x - hole.x_mm) * hole.nx + (y - hole.y_mm) * hole.ny
            if onward > 0.0 and -depth < onward * within_s:
                t = max(0.0, -depth / onward)
                aside = (x + vx * t - hole.x_mm) * hole.ny - (y + vy * t - hole.y_mm) * hole.nx
                if abs(aside) < hole.half_mm:
                    best, within_s = Impact(t, i, pocket=hole.pocket), t
        return best

    def collide(self, impact: Impact) -> tuple[int, ...]:
        if impact.other is not None:
            self._strike_balls(impact.ball, impact.other)
            return (impact.ball, impact.other)
        x, y, vx, vy = self.balls[impact.ball]
        if impact.cushion is None:
            self.gone.add(impact.ball)
            self.balls[impact.ball] = (x, y, 0.0, 0.0)
            return (impact.ball,)
        nx, ny = self.normals[impact.ball]
        into = vx * nx + vy * ny
        along_x, along_y = vx - into * nx, vy - into * ny
        out = max(-self.bounce.cushion * into, 1.0)
        grip = self.bounce.grip
        self.balls[impact.ball] = (x, y, out * nx + grip * along_x, out * ny + grip * along_y)
        return (impact.ball,)

    def _strike_balls(self, i: int, j: int) -> None:
        xi, yi, vxi, vyi = self.balls[i]
        xj, yj, vxj, vyj = self.balls[j]
        gap = math.hypot(xj - xi, yj - yi) or 1.0
        nx, ny = (xj - xi) / gap, (yj - yi) / gap
        push = (1 + self.bounce.ball) / 2 * ((vxi - vxj) * nx + (vyi - vyj) * ny)
        self.balls[i] = (xi, yi, vxi - push * nx, vyi - push * ny)
        self.balls[j] = (xj, yj, vxj + push * nx, vyj + push * ny)


def _time_to_touch(
    a: tuple[float, float, float, float], b: tuple[float, float, float, float], reach_mm: float
) -> float:
    """When two places that move straight on come within reach; now, if they are and close in; else never."""
    dx, dy, dvx, dvy = b[0] - a[0], b[1] - a[1], b[2] - a[2], b[3] - a[3]
    closing = dx * dvx + dy * dvy
    if closing >= 0.0:
        return _NEVER
    gap = dx * dx + dy * dy - reach_mm * reach_mm
    if gap <= 0.0:
        return 0.0
    speed = dvx * dvx + dvy * dvy
    inside = closing * closing - speed * gap
    if inside < 0.0:
        return _NEVER
    return (-closing - math.sqrt(inside)) / speed
