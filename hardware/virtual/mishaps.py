"""What befalls the camera and the light in the middle of play: knocks, switched lamps, new exposures, lost pictures."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hardware.virtual.difficulty import Difficulty
from hardware.virtual.scene import Vector

_MISHAPS = 10  # different things need different seeds
_SETTLING_S = 0.6  # how long a knocked camera trembles
_TREMBLE_HZ = 9.0
_REEXPOSING_S = 0.4
_KNOCK_CHANCE, _SWITCH_CHANCE = 0.2, 0.25
_KNOCK_RAD = (math.radians(0.05), math.radians(0.3))


@dataclass(frozen=True, slots=True, kw_only=True)
class Knock:
    """Somebody knocks against the camera: afterwards it is turned by a rotation vector in its own axes."""

    t_s: float
    turn_rad: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """A lamp, by its place in the look's list, is switched off or on."""

    t_s: float
    lamp: int
    is_on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reexposure:
    """The camera chooses another gain, relative to that of the look."""

    t_s: float
    gain: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """The camera sends nothing for a while."""

    starts_s: float
    ends_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Mishaps:
    """All that befalls one recording; pure in time. Each kind is in the order of its times."""

    knocks: tuple[Knock, ...] = ()
    switches: tuple[Switch, ...] = ()
    reexposures: tuple[Reexposure, ...] = ()
    gaps: tuple[Gap, ...] = ()

    def turn_at(self, t_s: float) -> Vector:
        """How the camera is turned against its first pose once it has settled, a rotation vector in its axes."""
        turns = [knock.turn_rad for knock in self.knocks if knock.t_s <= t_s]
        return (sum(turn[0] for turn in turns), sum(turn[1] for turn in turns), sum(turn[2] for turn in turns))

    def tremble_at(self, t_s: float) -> Vector:
        """By how much a knocked camera is still away from where it will settle."""
        for knock in self.knocks:
            since_s = t_s - knock.t_s
            if 0 <= since_s < _SETTLING_S:
                fading = (1 - since_s / _SETTLING_S) ** 2 * math.cos(2 * math.pi * _TREMBLE_HZ * since_s)
                return (-knock.turn_rad[0] * fading, -knock.turn_rad[1] * fading, -knock.turn_rad[2] * fading)
        return (0.0, 0.0, 0.0)

    def dark_lamps_at(self, t_s: float) -> frozenset[int]:
        """The lamps that are off."""
        dark: set[int] = set()
        for switch in self.switches:
            if switch.t_s <= t_s:
                (dark.discard if switch.is_on else dark.add)(switch.lamp)
        return frozenset(dark)

    def gain_at(self, t_s: float) -> float:
        """The camera's gain, which goes to a new value within less than half a second."""
        steps = [Reexposure(t_s=-math.inf, gain=1.0), *self.reexposures]
        gain = 1.0
        for before, after in pairwise(steps):
            share = min(max((t_s - after.t_s) / _REEXPOSING_S, 0.0), 1.0)
            if share > 0:
                gain = before.gain + (after.gain - before.gain) * share
        return gain

    def is_lost(self, t_s: float) -> bool:
        """Whether a picture of this instant never arrives."""
        return any(gap.starts_s <= t_s < gap.ends_s for gap in self.gaps)


NO_MISHAPS = Mishaps()


def make_mishaps(seed: int, difficulty: Difficulty, duration_s: float, lamps: int) -> Mishaps:
    """What befalls a recording of a hall: nothing but in a bad one, where a lamp or the camera has its chance."""
    if difficulty is not Difficulty.HARD:
        return NO_MISHAPS
    rng = np.random.default_rng([seed, _MISHAPS])
    knocks: tuple[Knock, ...] = ()
    switches: tuple[Switch, ...] = ()
    reexposures: tuple[Reexposure, ...] = ()
    is_knocked, is_switched = rng.random(2) < (_KNOCK_CHANCE, _SWITCH_CHANCE)
    knock_s, switch_s, dark_s = (float(value) for value in rng.uniform((0.2, 0.2, 4.0), (0.9, 0.7, 15.0)))
    axis = rng.normal(size=3)
    if is_knocked:
        turn = axis / np.linalg.norm(axis) * rng.uniform(*_KNOCK_RAD)
        knocks = (Knock(t_s=knock_s * duration_s, turn_rad=(float(turn[0]), float(turn[1]), float(turn[2]))),)
    if is_switched:
        off_s, lamp = switch_s * duration_s, int(rng.integers(lamps))
        on_s = off_s + dark_s
        switches = (Switch(t_s=off_s, lamp=lamp, is_on=False), Switch(t_s=on_s, lamp=lamp, is_on=True))
        reexposures = (Reexposure(t_s=off_s + 0.3, gain=1.3), Reexposure(t_s=on_s + 0.3, gain=1.0))
    return Mishaps(knocks=knocks, switches=switches, reexposures=reexposures)
