"""What is written down while a stroke is played: the legs of every ball and the table events."""

import math
from collections.abc import Iterable

from hardware.virtual.physics.body import Body, Phase
from hardware.virtual.physics.fates import Escape, Flight
from hardware.virtual.physics.house import house_line_crossings
from hardware.virtual.physics.motion import Leg, Motion
from hardware.virtual.physics.walls import Facet, Tip
from scoring.balls import Ball
from scoring.events import Contact, CushionHit, OffTable, Potted, Rest, Strike, TableEvent
from scoring.table import Cushion, Pocket, Point, Table

_SAME_TOUCH_S = 0.05  # a pressed contact repeats in tiny hops: within this, and this slow, it is one touch
_SAME_TOUCH_MM_S = 5.0
_NOWHERE = (0.0, 0.0, 0.0)


class Record:
    """The books of one stroke."""

    def __init__(self, table: Table, balls: tuple[Ball, ...], struck: Ball) -> None:
        self._table = table
        self._balls = balls
        self._legs: list[list[Leg]] = [[] for _ in balls]
        self._events: list[TableEvent] = [Strike(t_s=0.0, ball=struck)]
        self._touched: dict[tuple[int, int | Cushion], float] = {}
        self._ends_s = 0.0

    def begin(self, body: Body) -> None:
        """A ball begins a new phase."""
        self._ends_s = max(self._ends_s, body.since_s)
        spin_change = (body.bx, body.by)
        if body.phase is Phase.ROLL:
            spin_change = (-body.ay / body.radius, body.ax / body.radius)
        self._legs[body.index].append(
            Leg(
                since_s=body.since_s,
                phase=body.phase,
                place_mm=(body.x, body.y, body.z),
                velocity_mm_s=(body.vx, body.vy, body.vz),
                acceleration_mm_s2=(body.ax, body.ay, body.az),
                spin_rad_s=(body.wx, body.wy, body.wz),
                spin_change_rad_s2=spin_change,
                spin_decay_rad_s2=0.0 if body.phase is Phase.FLY else body.parameters.spin_decay_rad_s2,
            )
        )

    def contact(self, one: Body, two: Body, speed_mm_s: float) -> None:
        """Two balls have touched, unless it is the same touch going on."""
        key = (min(one.index, two.index), max(one.index, two.index))
        if self._goes_on(key, speed_mm_s, one.since_s):
            return
        self._events.append(
            Contact(
                t_s=one.since_s,
                ball=self._balls[one.index],
                other=self._balls[two.index],
                at=Point((one.x + two.x) / 2, (one.y + two.y) / 2),
            )
        )

    def cushion(self, body: Body, wall: Facet | Tip, speed_mm_s: float) -> None:
        """A ball has met a cushion or a jaw, unless it is the same touch going on."""
        if self._goes_on((body.index, wall.cushion), speed_mm_s, body.since_s):
            return
        self._events.append(
            CushionHit(
                t_s=body.since_s,
                ball=self._balls[body.index],
                cushion=wall.cushion,
                at=Point(body.x, body.y),
                pocket=wall.pocket,
            )
        )

    def potted(self, body: Body, pocket: Pocket, flights: tuple[Flight, ...]) -> None:
        """A ball has fallen into a pocket."""
        self._events.append(Potted(t_s=body.since_s, ball=self._balls[body.index], pocket=pocket))
        self._retire(body, flights)

    def escaped(self, body: Body, way: Escape) -> None:
        """A ball has left the field."""
        self._events.append(
            OffTable(t_s=body.since_s + way.after_s, ball=self._balls[body.index], at=way.at, on_rail=way.on_rail)
        )
        self._retire(body, way.flights)

    def motion(self, bodies: Iterable[Body]) -> Motion:
        """Close the books."""
        rest = {self._balls[body.index]: Point(body.x, body.y) for body in bodies if body.phase is not Phase.GONE}
        legs = {ball: tuple(own) for ball, own in zip(self._balls, self._legs, strict=True)}
        crossings = [event for ball, own in legs.items() for event in house_line_crossings(self._table, ball, own)]
        events = sorted([*self._events, *crossings], key=lambda event: event.t_s)
        duration_s = max(self._ends_s, events[-1].t_s)
        return Motion(
            table=self._table,
            duration_s=duration_s,
            events=(*events, Rest(t_s=duration_s, balls=rest)),
            rest=rest,
            legs=legs,
        )

    def _goes_on(self, key: tuple[int, int | Cushion], speed_mm_s: float, now_s: float) -> bool:
        """Whether a slow touch follows so soon on the last one that nothing has parted."""
        last_s = self._touched.get(key, -math.inf)
        self._touched[key] = now_s
        return speed_mm_s < _SAME_TOUCH_MM_S and now_s - last_s < _SAME_TOUCH_S

    def _retire(self, body: Body, flights: tuple[Flight, ...]) -> None:
        """Write down the last way of a ball that is out of play, until it is out of sight."""
        at_s = body.since_s
        spin = (body.wx, body.wy, body.wz)
        for flight in flights:
            pull = (0.0, 0.0, -body.parameters.gravity_mm_s2 if flight.falls else 0.0)
            self._legs[body.index].append(
                _last_leg(at_s, Phase.FALL, flight, acceleration=pull, spin=spin if flight.falls else _NOWHERE)
            )
            if math.isinf(flight.lasts_s):
                self._ends_s = max(self._ends_s, at_s)
                return
            at_s += flight.lasts_s
        self._legs[body.index].append(_last_leg(at_s, Phase.GONE, flights[-1], acceleration=_NOWHERE, spin=_NOWHERE))
        self._ends_s = max(self._ends_s, at_s)


def _last_leg(
    since_s: float,
    phase: Phase,
    flight: Flight,
    *,
    acceleration: tuple[float, float, float],
    spin: tuple[float, float, float],
) -> Leg:
    """A leg of a ball that is out of play; one that is gone does not move."""
    return Leg(
        since_s=since_s,
        phase=phase,
        place_mm=flight.place_mm,
        velocity_mm_s=_NOWHERE if phase is Phase.GONE else flight.velocity_mm_s,
        acceleration_mm_s2=acceleration,
        spin_rad_s=spin,
        spin_change_rad_s2=(0.0, 0.0),
        spin_decay_rad_s2=0.0,
    )
