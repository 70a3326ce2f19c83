"""One ball under way: its phase, where it will be, and when the phase ends by itself."""

import math
from enum import Enum

from hardware.virtual.physics.parameters import PhysicsParameters

STILL_MM_S = 0.01  # slower than this is at rest, or rolls without slip


class Phase(Enum):
    """What a ball does between two events."""

    REST = "rest"
    SPIN = "spin"
    ROLL = "roll"
    SLIDE = "slide"
    FLY = "fly"
    FALL = "fall"  # out of play and still in sight: into a pocket, off the table, or lying on the rail
    GONE = "gone"


class Body:
    """A ball's state at `since_s`; the plain attributes are the solver's hot path.

    Places are mm with z up and the cloth at z = 0, velocities mm/s, spins rad/s.
    """

    __slots__ = (
        "ax",
        "ay",
        "az",
        "bx",
        "by",
        "high_x",
        "high_y",
        "index",
        "lasts_s",
        "low_x",
        "low_y",
        "parameters",
        "phase",
        "radius",
        "since_s",
        "version",
        "vx",
        "vy",
        "vz",
        "wx",
        "wy",
        "wz",
        "x",
        "y",
        "z",
    )

    def __init__(self, index: int, x: float, y: float, radius: float, parameters: PhysicsParameters) -> None:
        self.index = index
        self.radius = radius
        self.parameters = parameters
        self.x, self.y, self.z = x, y, radius
        self.vx = self.vy = self.vz = 0.0
        self.wx = self.wy = self.wz = 0.0
        self.ax = self.ay = self.az = 0.0  # acceleration of the centre
        self.bx = self.by = 0.0  # acceleration of the spin about x and y
        self.since_s = 0.0
        self.lasts_s = math.inf
        self.version = 0
        self.phase = Phase.REST
        self.low_x = self.high_x = x  # where the centre stays during the phase
        self.low_y = self.high_y = y

    def advance(self, now_s: float) -> None:
        """Move the state to a later instant of the same phase."""
        t = now_s - self.since_s
        self.since_s = now_s
        if t <= 0.0 or self.phase is Phase.REST:
            return
        self.lasts_s -= t
        half = 0.5 * t * t
        self.x += self.vx * t + self.ax * half
        self.y += self.vy * t + self.ay * half
        self.vx += self.ax * t
        self.vy += self.ay * t
        self.wx += self.bx * t
        self.wy += self.by * t
        if self.phase is Phase.FLY:
            self.z += self.vz * t + self.az * half
            self.vz += self.az * t
            return
        self.wz = decayed(self.wz, self.parameters.spin_decay_rad_s2 * t)
        if self.phase is Phase.ROLL:
            self.wx = -self.vy / self.radius
            self.wy = self.vx / self.radius

    def settle(self) -> None:
        """Find the phase that follows from the velocities, how long it lasts and where it stays."""
        self.version += 1
        self._choose()
        self.low_x, self.high_x = _span(self.x, self.vx, self.ax, self.lasts_s)
        self.low_y, self.high_y = _span(self.y, self.vy, self.ay, self.lasts_s)

    def _choose(self) -> None:
        """Set phase, accelerations and the time until the phase ends by itself."""
        own = self.parameters
        self.ax = self.ay = self.az = self.bx = self.by = 0.0
        radius = self.radius
        if self.z > radius + 1e-9 or self.vz > own.hop_mm_s:
            self.phase = Phase.FLY
            self.az = -own.gravity_mm_s2
            fall = self.vz * self.vz + 2.0 * own.gravity_mm_s2 * (self.z - radius)
            self.lasts_s = (self.vz + math.sqrt(fall)) / own.gravity_mm_s2
            return
        self.z, self.vz = radius, 0.0
        slip_x = self.vx - radius * self.wy
        slip_y = self.vy + radius * self.wx
        slip = math.hypot(slip_x, slip_y)
        if slip > STILL_MM_S:
            self.phase = Phase.SLIDE
            pull = own.sliding_friction * own.gravity_mm_s2 / slip
            self.ax, self.ay = -pull * slip_x, -pull * slip_y
            twist = 2.5 * pull / radius
            self.bx, self.by = -twist * slip_y, twist * slip_x
            self.lasts_s = 2.0 / (7.0 * pull)
            return
        speed = math.hypot(self.vx, self.vy)
        if speed > STILL_MM_S:
            self.phase = Phase.ROLL
            pull = own.rolling_friction * own.gravity_mm_s2 / speed
            self.ax, self.ay = -pull * self.vx, -pull * self.vy
            self.wx, self.wy = -self.vy / radius, self.vx / radius
            self.lasts_s = 1.0 / pull
            return
        self.vx = self.vy = self.wx = self.wy = 0.0
        if abs(self.wz) * radius > STILL_MM_S:
            self.phase = Phase.SPIN
            self.lasts_s = abs(self.wz) / own.spin_decay_rad_s2
            return
        self.wz = 0.0
        self.phase = Phase.REST
        self.lasts_s = math.inf

    def leave(self) -> None:
        """Take the ball out of play."""
        self.version += 1
        self.phase = Phase.GONE
        self.vx = self.vy = self.vz = self.wx = self.wy = self.wz = 0.0
        self.ax = self.ay = self.az = self.bx = self.by = 0.0
        self.lasts_s = math.inf

    def energy_mm2_s2(self) -> float:
        """Kinetic and potential energy per unit of mass."""
        spin = self.wx * self.wx + self.wy * self.wy + self.wz * self.wz
        speed = self.vx * self.vx + self.vy * self.vy + self.vz * self.vz
        return (
            0.5 * speed
            + 0.2 * self.radius * self.radius * spin
            + self.parameters.gravity_mm_s2 * (self.z - self.radius)
        )


def _span(place: float, speed: float, pull: float, lasts_s: float) -> tuple[float, float]:
    """The interval that a coordinate covers during a phase."""
    if speed == 0.0 and pull == 0.0:
        return place, place
    end = place + (speed + 0.5 * pull * lasts_s) * lasts_s
    low, high = (place, end) if place < end else (end, place)
    if pull != 0.0:
        turn_s = -speed / pull
        if 0.0 < turn_s < lasts_s:
            turn = place + 0.5 * speed * turn_s
            low, high = min(low, turn), max(high, turn)
    return low, high


def decayed(spin: float, loss: float) -> float:
    """A spin brought nearer to nought by a loss, never beyond."""
    if spin > 0.0:
        return spin - loss if spin > loss else 0.0
    return spin + loss if -spin > loss else 0.0
