"""The outcome of a stroke: where every ball is at any instant, and what happened."""

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

from hardware.virtual.physics.body import Phase, decayed
from hardware.virtual.physics.turning import IDENTITY, Quaternion, turned
from hardware.virtual.scene import BallPose, Vector
from scoring.balls import Ball
from scoring.events import TableEvent
from scoring.table import Point, Table

_STEP_S = 0.02  # turns are integrated in steps of this


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """A stretch of one ball's motion with constant accelerations, from `since_s` until the next leg."""

    since_s: float
    phase: Phase
    place_mm: Vector
    velocity_mm_s: Vector
    acceleration_mm_s2: Vector
    spin_rad_s: Vector
    spin_change_rad_s2: tuple[float, float]
    spin_decay_rad_s2: float

    def place_at(self, t_s: float) -> Vector:
        """Where the centre is at an instant, table mm."""
        t = t_s - self.since_s
        (x, y, z), (vx, vy, vz), (ax, ay, az) = self.place_mm, self.velocity_mm_s, self.acceleration_mm_s2
        return x + (vx + 0.5 * ax * t) * t, y + (vy + 0.5 * ay * t) * t, z + (vz + 0.5 * az * t) * t

    def velocity_at(self, t_s: float) -> Vector:
        """The centre's velocity at an instant, mm/s."""
        t = t_s - self.since_s
        (vx, vy, vz), (ax, ay, az) = self.velocity_mm_s, self.acceleration_mm_s2
        return vx + ax * t, vy + ay * t, vz + az * t

    def spin_at(self, t_s: float) -> Vector:
        """The angular velocity at an instant, rad/s in table axes."""
        t = t_s - self.since_s
        wx, wy, wz = self.spin_rad_s
        bx, by = self.spin_change_rad_s2
        return wx + bx * t, wy + by * t, decayed(wz, self.spin_decay_rad_s2 * t)


@dataclass(frozen=True, slots=True, kw_only=True)
class Motion:
    """One stroke from the cue's touch (t = 0) to rest.

    `rest` holds the balls that lie on the bed at the end: no potted ball, none on the floor or the rail.
    """

    table: Table
    duration_s: float
    events: tuple[TableEvent, ...]
    rest: Mapping[Ball, Point]
    legs: Mapping[Ball, tuple[Leg, ...]]
    _turns: dict[Ball, list[list[Quaternion]]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def balls(self) -> tuple[Ball, ...]:
        """The balls that the stroke began with."""
        return tuple(self.legs)

    def pose(self, ball: Ball, t_s: float) -> BallPose | None:
        """A ball's pose, or None once it is out of sight; before 0 and after the end it stands still."""
        index = self._leg_index(ball, t_s)
        leg = self.legs[ball][index]
        if leg.phase is Phase.GONE:
            return None
        t_s = max(t_s, 0.0)
        turns = self._turns_of(ball)[index]
        step = min(int((t_s - leg.since_s) / _STEP_S), len(turns) - 1)
        turn = turned(turns[step], leg, leg.since_s + step * _STEP_S, t_s)
        return BallPose(ball=ball, center_mm=leg.place_at(t_s), turn=turn)

    def velocity_mm_s(self, ball: Ball, t_s: float) -> Vector:
        """A ball's velocity; nothing for a ball that has left."""
        leg = self.legs[ball][self._leg_index(ball, t_s)]
        return leg.velocity_at(max(t_s, 0.0))

    def _leg_index(self, ball: Ball, t_s: float) -> int:
        """The leg in which an instant lies."""
        if not math.isfinite(t_s):
            message = f"{t_s} is no instant"
            raise ValueError(message)
        return max(0, bisect_right(self.legs[ball], t_s, key=lambda leg: leg.since_s) - 1)

    def _turns_of(self, ball: Ball) -> list[list[Quaternion]]:
        """A ball's turn at every step of every leg, worked out once."""
        known = self._turns.get(ball)
        if known is not None:
            return known
        legs = self.legs[ball]
        turn = IDENTITY
        every: list[list[Quaternion]] = []
        for leg, end_s in zip(legs, [*(later.since_s for later in legs[1:]), self.duration_s], strict=True):
            turns = [turn]
            if leg.phase not in (Phase.REST, Phase.GONE):
                steps = max(0, math.ceil((end_s - leg.since_s) / _STEP_S) - 1)
                for step in range(steps):
                    since_s = leg.since_s + step * _STEP_S
                    turns.append(turned(turns[-1], leg, since_s, since_s + _STEP_S))
                turn = turned(turns[-1], leg, leg.since_s + steps * _STEP_S, end_s)
            every.append(turns)
        self._turns[ball] = every
        return every
