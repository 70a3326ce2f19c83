"""What the virtual table shows at any instant: the seam between script and picture."""

from dataclasses import dataclass
from typing import Protocol

from scoring.balls import Ball
from scoring.table import Table

Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class BallPose:
    """A ball in space: centre in table mm, rotation as a unit quaternion (w, x, y, z) from ball to table."""

    ball: Ball
    center_mm: Vector
    turn: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CueStick:
    """A cue from tip to butt, table mm."""

    tip_mm: Vector
    butt_mm: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Limb:
    """Part of a person, or a thing lying about: a tapered rod or, with both ends equal, a round (head), table mm.

    A hand's fingers reach 1.6 of its radii from its middle.
    """

    start_mm: Vector
    end_mm: Vector
    start_radius_mm: float
    end_radius_mm: float
    part: str  # "hand", "arm", "body", "head", "leg", "chalk"


@dataclass(frozen=True, slots=True, kw_only=True)
class Instant:
    """Everything that can be seen at one instant; balls that have fallen or are in somebody's pocket are not in it."""

    balls: tuple[BallPose, ...]
    cues: tuple[CueStick, ...] = ()
    limbs: tuple[Limb, ...] = ()


class Scene(Protocol):
    """A scripted stretch of play; pure in t_s, which counts from 0 to duration_s."""

    @property
    def table(self) -> Table:
        """The table it is played on."""

    @property
    def duration_s(self) -> float:
        """How long it lasts, s."""

    def at(self, t_s: float) -> Instant:
        """What can be seen at an instant."""
