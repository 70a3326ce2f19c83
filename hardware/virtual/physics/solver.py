"""The event loop: from meeting to meeting, each solved for, until everything is at rest."""

import heapq
import math
from collections.abc import Mapping

from hardware.virtual.physics.body import Body, Phase
from hardware.virtual.physics.fates import Flight, escape, fall
from hardware.virtual.physics.forecast import TOUCH_MM, Forecast, Lapse, Meeting, Topple, together_s
from hardware.virtual.physics.house import house_line_crossings
from hardware.virtual.physics.impacts import PART_MM_S, approach_mm_s, bounce, push_apart, rebound, rub, strike
from hardware.virtual.physics.motion import Leg, Motion
from hardware.virtual.physics.parameters import CueStroke, PhysicsParameters
from hardware.virtual.physics.placing import placed
from hardware.virtual.physics.walls import Drop, Facet, Tip, build_walls
from scoring.balls import Ball
from scoring.events import Contact, CushionHit, OffTable, Potted, Rest, Strike, TableEvent
from scoring.table import Cushion, Point, Table

_SAME_TOUCH_S = 0.05  # a pressed contact repeats in tiny hops: within this, and this slow, it is one touch
_SAME_TOUCH_MM_S = 5.0
_MOST_MEETINGS = 200_000
_ROUNDS = 200


class _Game:
    """One stroke under way."""

    def __init__(
        self, table: Table, layout: Mapping[Ball, Point], stroke: CueStroke, parameters: PhysicsParameters
    ) -> None:
        walls = build_walls(table, parameters)
        self._table = table
        self._parameters = parameters
        self._balls = tuple(layout)
        places = placed(table, layout, walls)
        radius = table.ball_radius_mm
        self._bodies = [Body(i, x, y, radius, parameters) for i, (x, y) in enumerate(places)]
        self._legs: list[list[Leg]] = [[] for _ in self._bodies]
        self._forecast = Forecast(table, walls, parameters)
        self._events: list[TableEvent] = []
        self._heap: list[tuple[float, int, Body, int, Body | None, int, Meeting | None]] = []
        self._order = 0
        self._now_s = 0.0
        self._ends_s = 0.0
        self._touched: dict[tuple[int, int | Cushion], float] = {}
        struck = self._bodies[self._balls.index(stroke.ball)]
        strike(struck, stroke, parameters)
        self._events.append(Strike(t_s=0.0, ball=stroke.ball))
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
        return self._motion()

    def _motion(self) -> Motion:
        """Close the books."""
        rest = {self._balls[body.index]: Point(body.x, body.y) for body in self._bodies if body.phase is not Phase.GONE}
        legs = {ball: tuple(own) for ball, own in zip(self._balls, self._legs, strict=True)}
        crossings = [event for ball, own in legs.items() for event in house_line_crossings(self._table, ball, own)]
        duration_s = max([self._now_s, self._ends_s, *(event.t_s for event in self._events)])
        events = sorted([*self._events, *crossings], key=lambda event: event.t_s)
        return Motion(
            table=self._table,
            duration_s=duration_s,
            events=(*events, Rest(t_s=duration_s, balls=rest)),
            rest=rest,
            legs=legs,
        )

    def _go_on(self, bodies: list[Body]) -> None:
        """Begin new phases for some balls and foresee what they will meet."""
        for body in bodies:
            if body.phase is Phase.GONE:
                continue
            bounce(body, self._parameters)
            body.settle()
            self._legs[body.index].append(_leg(body))
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
        self._go_on([body])

    def _collide(self, one: Body, two: Body) -> None:
        """Two balls meet, and with them all that touch them and close in at the same instant."""
        pairs = self._cluster(one, two)
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
        for (a, b), impulse, speed in zip(pairs, impulses, before, strict=True):
            rub(a, b, impulse, self._parameters)
            self._report_contact(a, b, speed)
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

    def _report_contact(self, one: Body, two: Body, speed_mm_s: float) -> None:
        """Note a contact, unless it is the same touch going on."""
        first, second = (one, two) if one.index < two.index else (two, one)
        if self._goes_on((first.index, second.index), speed_mm_s):
            return
        if math.hypot(two.vx, two.vy) > 0 and one.phase in (Phase.REST, Phase.SPIN) and two.phase is not one.phase:
            one, two = two, one
        self._events.append(
            Contact(
                t_s=self._now_s,
                ball=self._balls[one.index],
                other=self._balls[two.index],
                at=Point((one.x + two.x) / 2, (one.y + two.y) / 2),
            )
        )

    def _goes_on(self, key: tuple[int, int | Cushion], speed_mm_s: float) -> bool:
        """Whether a slow touch follows so soon on the last one that nothing has parted."""
        last_s = self._touched.get(key, -math.inf)
        self._touched[key] = self._now_s
        return speed_mm_s < _SAME_TOUCH_MM_S and self._now_s - last_s < _SAME_TOUCH_S

    def _cushion(self, body: Body, nx: float, ny: float, wall: Facet | Tip) -> None:
        """A ball meets a cushion or a jaw, or flies over it."""
        table = self._table
        if body.phase is Phase.FLY and body.z - body.radius > table.nose_height_mm:
            way = escape(body, table, self._parameters)
            if way is not None:
                self._retire(body, way.flights)
                self._events.append(
                    OffTable(
                        t_s=self._now_s + way.after_s, ball=self._balls[body.index], at=way.at, on_rail=way.on_rail
                    )
                )
                return
        speed_mm_s = rebound(body, nx, ny, table.nose_height_mm, self._parameters)
        if not self._goes_on((body.index, wall.cushion), speed_mm_s):
            self._events.append(
                CushionHit(
                    t_s=self._now_s,
                    ball=self._balls[body.index],
                    cushion=wall.cushion,
                    at=Point(body.x, body.y),
                    pocket=wall.pocket,
                )
            )
        self._go_on([body])

    def _pot(self, body: Body, drop: Drop) -> None:
        """A ball has passed a drop edge: it falls, or flies on over the hole."""
        table = self._table
        if body.phase is Phase.FLY and body.z - body.radius > table.nose_height_mm:
            way = escape(body, table, self._parameters)
            if way is not None:
                self._retire(body, way.flights)
                self._events.append(OffTable(t_s=self._now_s + way.after_s, ball=self._balls[body.index], at=way.at))
                return
        self._events.append(Potted(t_s=self._now_s, ball=self._balls[body.index], pocket=drop.pocket))
        self._retire(body, fall(body, drop, self._parameters.gravity_mm_s2))

    def _retire(self, body: Body, flights: tuple[Flight, ...]) -> None:
        """Take a ball out of play; it is still seen on its last way."""
        at_s = self._now_s
        for flight in flights:
            self._legs[body.index].append(
                Leg(
                    since_s=at_s,
                    phase=Phase.FALL,
                    place_mm=flight.place_mm,
                    velocity_mm_s=flight.velocity_mm_s,
                    acceleration_mm_s2=(0.0, 0.0, -self._parameters.gravity_mm_s2 if flight.falls else 0.0),
                    spin_rad_s=(body.wx, body.wy, body.wz) if flight.falls else (0.0, 0.0, 0.0),
                    spin_change_rad_s2=(0.0, 0.0),
                    spin_decay_rad_s2=0.0,
                )
            )
            if math.isinf(flight.lasts_s):
                break
            at_s += flight.lasts_s
        body.leave()
        if not math.isinf(flights[-1].lasts_s):
            self._legs[body.index].append(
                Leg(
                    since_s=at_s,
                    phase=Phase.GONE,
                    place_mm=(body.x, body.y, body.z),
                    velocity_mm_s=(0.0, 0.0, 0.0),
                    acceleration_mm_s2=(0.0, 0.0, 0.0),
                    spin_rad_s=(0.0, 0.0, 0.0),
                    spin_change_rad_s2=(0.0, 0.0),
                    spin_decay_rad_s2=0.0,
                )
            )
        self._ends_s = max(self._ends_s, at_s)


def _leg(body: Body) -> Leg:
    """A ball's new phase, written down."""
    return Leg(
        since_s=body.since_s,
        phase=body.phase,
        place_mm=(body.x, body.y, body.z),
        velocity_mm_s=(body.vx, body.vy, body.vz),
        acceleration_mm_s2=(body.ax, body.ay, body.az),
        spin_rad_s=(body.wx, body.wy, body.wz),
        spin_change_rad_s2=_spin_change(body),
        spin_decay_rad_s2=0.0 if body.phase is Phase.FLY else body.parameters.spin_decay_rad_s2,
    )


def _spin_change(body: Body) -> tuple[float, float]:
    """How the spin about the level axes changes in a phase: by slip, or with the speed of a rolling ball."""
    if body.phase is Phase.ROLL:
        return -body.ay / body.radius, body.ax / body.radius
    return body.bx, body.by


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
