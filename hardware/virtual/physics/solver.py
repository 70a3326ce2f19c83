"""The event loop: from meeting to meeting, each solved for, until everything is at rest."""

import heapq
import math
from collections.abc import Mapping

from hardware.virtual.physics.body import Body, Phase
from hardware.virtual.physics.cushions import rebound
from hardware.virtual.physics.fates import beyond_noses_mm, escape, fall
from hardware.virtual.physics.forecast import TOUCH_MM, Forecast, Lapse, Meeting, Over, Topple, together_s
from hardware.virtual.physics.impacts import PART_MM_S, approach_mm_s, bounce, push_apart, rub, strike, throw
from hardware.virtual.physics.motion import Motion
from hardware.virtual.physics.parameters import CueStroke, PhysicsParameters
from hardware.virtual.physics.placing import placed
from hardware.virtual.physics.record import Record
from hardware.virtual.physics.walls import Drop, Facet, Tip, build_walls
from scoring.balls import Ball
from scoring.table import Point, Table

_MOST_MEETINGS = 200_000
_ROUNDS = 200


class _Game:
    """One stroke under way."""

    def __init__(
        self, table: Table, layout: Mapping[Ball, Point], stroke: CueStroke, parameters: PhysicsParameters
    ) -> None:
        balls = tuple(layout)
        self._table = table
        self._walls = build_walls(table, parameters)
        self._parameters = parameters
        self._bodies = [
            Body(index, x, y, table.ball_radius_mm, parameters)
            for index, (x, y) in enumerate(placed(table, layout, self._walls))
        ]
        self._record = Record(table, balls, stroke.ball)
        self._forecast = Forecast(table, self._walls)
        self._heap: list[tuple[float, int, Body, int, Body | None, int, Meeting | None]] = []
        self._order = 0
        self._now_s = 0.0
        strike(self._bodies[balls.index(stroke.ball)], stroke, parameters)
        self._go_on(self._bodies)

    def play(self) -> Motion:
        """Run until nothing is left to happen."""
        meetings = 0
        while self._heap:
            at_s, _, one, one_version, two, two_version, meeting = heapq.heappop(self._heap)
            if one.version != one_version or (two is not None and two.version != two_version):
                continue
            meetings += 1
            if meetings > _MOST_MEETINGS:
                message = f"the balls do not come to rest: {_MOST_MEETINGS} meetings by {self._now_s:.3f} s"
                raise RuntimeError(message)
            self._now_s = max(at_s, self._now_s)
            for body in self._bodies:
                body.advance(self._now_s)
            if two is not None:
                self._collide(one, two)
            else:
                self._meet(one, meeting)
        return self._record.motion(self._bodies)

    def _go_on(self, bodies: list[Body]) -> None:
        """Begin new phases for some balls and foresee what they will meet."""
        for body in bodies:
            if body.phase is Phase.GONE:
                continue
            bounce(body, self._parameters)
            body.settle()
            self._record.begin(body)
        done: set[int] = set()
        for body in bodies:
            if body.phase is Phase.GONE:
                continue
            done.add(body.index)
            ahead = self._forecast.alone(body)
            if ahead is not None:
                self._foresee(ahead[0], body, None, ahead[1])
            for other in self._bodies:
                if other.index in done or other.phase is Phase.GONE:
                    continue
                delay_s = together_s(body, other)
                if delay_s is not None:
                    self._foresee(delay_s, body, other, None)

    def _foresee(self, delay_s: float, one: Body, two: Body | None, meeting: Meeting | None) -> None:
        """Put a meeting on the heap; it is void once either ball has changed its phase."""
        self._order += 1
        entry = (
            self._now_s + delay_s,
            self._order,
            one,
            one.version,
            two,
            two.version if two is not None else 0,
            meeting,
        )
        heapq.heappush(self._heap, entry)

    def _meet(self, body: Body, meeting: Meeting | None) -> None:
        """A ball's own meeting: a wall, a pocket, or the end of a phase."""
        match meeting:
            case Facet():
                self._cushion(body, meeting.nx, meeting.ny, meeting)
            case Tip():
                dx, dy = body.x - meeting.center_mm[0], body.y - meeting.center_mm[1]
                size = math.hypot(dx, dy)
                self._cushion(body, dx / size, dy / size, meeting)
            case Drop():
                self._pot(body, meeting)
            case Topple():
                self._pot(body, meeting.drop)
            case Over():
                self._leave(body)
            case Lapse():
                self._lapse(body)
            case None:
                message = "a ball alone met nothing"
                raise AssertionError(message)

    def _lapse(self, body: Body) -> None:
        """A phase has run out: make the speeds that it brings to nought exactly nought."""
        radius = body.radius
        if body.phase is Phase.SLIDE:
            body.wx, body.wy = -body.vy / radius, body.vx / radius
        elif body.phase is Phase.ROLL:
            body.vx = body.vy = body.wx = body.wy = 0.0
        elif body.phase is Phase.SPIN:
            body.wz = 0.0
        elif body.phase is Phase.FLY:
            body.z = radius
            if beyond_noses_mm(self._table, body.x, body.y) > 0.0 and not self._is_in_a_mouth(body):
                self._leave(body)
                return
        self._go_on([body])

    def _collide(self, one: Body, two: Body) -> None:
        """Two balls meet, and with them all that touch them and close in just then. The faster comes first."""
        pairs = [(a, b) if _speed_mm_s(a) >= _speed_mm_s(b) else (b, a) for a, b in self._cluster(one, two)]
        before = [max(0.0, approach_mm_s(a, b)) for a, b in pairs]
        parts = [max(self._parameters.ball_restitution * speed, PART_MM_S) for speed in before]
        impulses = [0.0] * len(pairs)
        for _ in range(_ROUNDS):
            most = 0.0
            for i, (a, b) in enumerate(pairs):
                more = max(0.5 * (approach_mm_s(a, b) + parts[i]), -impulses[i])
                if more != 0.0:
                    impulses[i] += more
                    push_apart(a, b, more)
                    most = max(most, abs(more))
            if len(pairs) == 1 or most < 1e-9:
                break
        rubs = [rub(a, b, impulse, self._parameters) for (a, b), impulse in zip(pairs, impulses, strict=True)]
        for (a, b), push, speed in zip(pairs, rubs, before, strict=True):
            throw(a, b, push)
            self._record.contact(a, b, speed)
        self._go_on(list({body.index: body for pair in pairs for body in pair}.values()))

    def _cluster(self, one: Body, two: Body) -> list[tuple[Body, Body]]:
        """The pairs that collide together, reached from one pair through shared balls."""
        pairs = [(one, two)]
        known = {(one.index, two.index), (two.index, one.index)}
        members = [one, two]
        for member in members:
            for other in self._bodies:
                if other is member or other.phase is Phase.GONE or (member.index, other.index) in known:
                    continue
                gap = math.dist((member.x, member.y, member.z), (other.x, other.y, other.z)) - 2.0 * member.radius
                if gap > TOUCH_MM or approach_mm_s(member, other) <= TOUCH_MM:
                    continue
                known |= {(member.index, other.index), (other.index, member.index)}
                pairs.append((member, other))
                if other not in members:
                    members.append(other)
        return pairs

    def _cushion(self, body: Body, nx: float, ny: float, wall: Facet | Tip) -> None:
        """A ball meets a cushion or a jaw."""
        speed_mm_s = rebound(body, nx, ny, self._walls.nose_mm, self._parameters)
        self._record.cushion(body, wall, speed_mm_s)
        self._go_on([body])

    def _pot(self, body: Body, drop: Drop) -> None:
        """A ball has passed a drop edge: it falls, or flies on over the hole."""
        if body.phase is Phase.FLY and body.z - body.radius > self._walls.nose_mm:
            self._leave(body)
            return
        self._record.potted(body, drop.pocket, fall(body, drop, self._parameters.gravity_mm_s2))
        body.leave()

    def _leave(self, body: Body) -> None:
        """A ball passes above a nose, to the rail or the floor."""
        self._record.escaped(body, escape(body, self._table, self._walls.nose_mm, self._parameters))
        body.leave()

    def _is_in_a_mouth(self, body: Body) -> bool:
        """Whether a ball is between the jaws of a pocket."""
        return any(math.isfinite(drop.before_edge_mm(body.x, body.y)) for drop in self._walls.drops)


def _speed_mm_s(body: Body) -> float:
    """A ball's speed."""
    return math.hypot(body.vx, body.vy, body.vz)


def simulate(
    table: Table,
    layout: Mapping[Ball, Point],
    stroke: CueStroke,
    parameters: PhysicsParameters = PhysicsParameters(),  # noqa: B008 - frozen
) -> Motion:
    """Play one stroke to its end.

    Args:
        table: The table; without pockets it is a carom table.
        layout: Where the balls lie, at rest. Overlaps and cushions passed by under half a millimetre are put right.
        stroke: What the cue does.
        parameters: The physics.

    Raises:
        ValueError: The struck ball is not on the table, balls overlap, or one lies where no ball can lie.
    """
    if stroke.ball not in layout:
        message = f"{stroke.ball} is not on the table, so it cannot be struck; on it are {', '.join(map(str, layout))}"
        raise ValueError(message)
    return _Game(table, layout, stroke, parameters).play()
