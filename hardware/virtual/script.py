"""An episode: one stroke with what people do around it, as a Scene that is pure in time."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from hardware.virtual.people import Actor, Carry, blended, eased
from hardware.virtual.physics import Motion
from hardware.virtual.scene import BallPose, Instant, Vector
from scoring.balls import Ball
from scoring.events import Moved, TableEvent
from scoring.shots import Call, Shot
from scoring.table import Point, Table

Turn = tuple[float, float, float, float]
NO_TURN: Turn = (1.0, 0.0, 0.0, 0.0)


class Mover(Protocol):
    """Something that sets the places of some balls from an instant on."""

    @property
    def moves_from_s(self) -> float:
        """From when on it does so."""

    @property
    def balls(self) -> frozenset[Ball]:
        """Whose places it sets."""

    def pose(self, ball: Ball, t_s: float) -> BallPose | None:
        """Where a ball is, or None when it is out of sight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lying:
    """Balls that lie where they are, and balls that are gone (None)."""

    poses: Mapping[Ball, BallPose | None]
    moves_from_s: float = -math.inf

    @property
    def balls(self) -> frozenset[Ball]:
        """All of them."""
        return frozenset(self.poses)

    def pose(self, ball: Ball, t_s: float) -> BallPose | None:
        """Where a ball lies."""
        del t_s
        return self.poses[ball]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rolling:
    """Balls that roll as physics says, from a strike on."""

    motion: Motion
    moves_from_s: float
    turns: Mapping[Ball, Turn]

    @property
    def balls(self) -> frozenset[Ball]:
        """All balls that lay on the table at the strike."""
        return frozenset(self.turns)

    def pose(self, ball: Ball, t_s: float) -> BallPose | None:
        """Where a ball is."""
        pose = self.motion.pose(ball, t_s - self.moves_from_s)
        return pose and dataclasses.replace(pose, turn=turned(pose.turn, self.turns[ball]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """A ball in a hand, and afterwards where the hand has put it."""

    ball: Ball
    carry: Carry
    turn: Turn = NO_TURN

    @property
    def moves_from_s(self) -> float:
        """When the hand has hold of the ball."""
        return self.carry.lifted_s

    @property
    def balls(self) -> frozenset[Ball]:
        """The one ball."""
        return frozenset((self.ball,))

    def pose(self, ball: Ball, t_s: float) -> BallPose | None:
        """Where it is."""
        if self.carry.target is None and t_s >= self.carry.set_s:
            return None
        return BallPose(ball=ball, center_mm=self.carry.ball_center_mm(t_s), turn=self.turn)

    @property
    def event(self) -> Moved:
        """The fact that the ball changed place."""
        return Moved(t_s=self.carry.set_s, ball=self.ball, origin=self.carry.origin, target=self.carry.target)


@dataclass(frozen=True, slots=True, kw_only=True)
class Nudged:
    """A resting ball that a sleeve pushes aside; it slides with the sleeve and stays where the sleeve leaves it."""

    ball: Ball
    table: Table
    origin: Point
    target: Point
    moves_from_s: float
    lasts_s: float
    turn: Turn = NO_TURN

    @property
    def balls(self) -> frozenset[Ball]:
        """The one ball."""
        return frozenset((self.ball,))

    def pose(self, ball: Ball, t_s: float) -> BallPose | None:
        """Where it is."""
        share = eased((t_s - self.moves_from_s) / self.lasts_s)
        place = Point(
            self.origin.x_mm + (self.target.x_mm - self.origin.x_mm) * share,
            self.origin.y_mm + (self.target.y_mm - self.origin.y_mm) * share,
        )
        return lying_pose(ball, place, self.table, self.turn)

    @property
    def event(self) -> Moved:
        """The fact that the ball changed place."""
        return Moved(t_s=self.moves_from_s + self.lasts_s, ball=self.ball, origin=self.origin, target=self.target)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounced:
    """A ball in the air beyond a cushion that comes back from somebody it has met: a hop from place to place."""

    ball: Ball
    start_mm: Vector
    end_mm: Vector
    moves_from_s: float
    lasts_s: float
    turn: Turn = NO_TURN
    out_mm: float = 160.0

    @property
    def balls(self) -> frozenset[Ball]:
        """The one ball."""
        return frozenset((self.ball,))

    def pose(self, ball: Ball, t_s: float) -> BallPose | None:
        """Where it is: out to the person in the first half of the time, back in the second."""
        share = min(max((t_s - self.moves_from_s) / self.lasts_s, 0.0), 1.0)
        x_mm, y_mm, z_mm = blended(self.start_mm, self.end_mm, share)
        aside_mm = math.copysign(self.out_mm * (1.0 - abs(2.0 * share - 1.0)), self.start_mm[1])
        hop_mm = 120.0 * 4.0 * share * (1.0 - share)
        return BallPose(ball=ball, center_mm=(x_mm, y_mm + aside_mm, z_mm + hop_mm), turn=self.turn)


def turned(second: Turn, first: Turn) -> Turn:
    """One rotation after another: Hamilton's product of unit quaternions."""
    a, b, c, d = second
    e, f, g, h = first
    return (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A call that a player announces at an instant."""

    t_s: float
    by: str
    call: Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One stroke (or one lag) from the first movement of a hand to stillness.

    Times of `events`, `said` and of the shot's events count from the episode's beginning; `movers` are in time order.
    """

    table: Table
    number: int
    duration_s: float
    movers: tuple[Mover, ...]
    actors: tuple[Actor, ...]
    events: tuple[TableEvent, ...]
    said: tuple[Said, ...]
    shot: Shot
    intention: str = ""

    def at(self, t_s: float) -> Instant:
        """What can be seen at an instant."""
        latest: dict[Ball, Mover] = {}
        for mover in self.movers:
            if mover.moves_from_s <= t_s:
                latest.update(dict.fromkeys(mover.balls, mover))
        poses = (mover.pose(ball, t_s) for ball, mover in sorted(latest.items()))
        return Instant(
            balls=tuple(pose for pose in poses if pose),
            cues=tuple(cue for actor in self.actors for cue in actor.cues(t_s)),
            limbs=tuple(limb for actor in self.actors for limb in actor.limbs(t_s)),
        )

    def final_poses(self) -> dict[Ball, BallPose]:
        """How the balls lie at the end."""
        return {pose.ball: pose for pose in self.at(self.duration_s).balls}


def later(event: TableEvent, by_s: float, shot: int | None = None) -> TableEvent:
    """The same event at a later time, and with a shot's number."""
    return dataclasses.replace(event, t_s=event.t_s + by_s, shot=event.shot if shot is None else shot)


def later_shot(shot: Shot, by_s: float, number: int) -> Shot:
    """The same shot at a later time."""
    return dataclasses.replace(shot, events=tuple(later(event, by_s, number) for event in shot.events))


def layout_of(poses: Mapping[Ball, BallPose]) -> dict[Ball, Point]:
    """The places of balls on the cloth."""
    return {ball: Point(pose.center_mm[0], pose.center_mm[1]) for ball, pose in poses.items()}


def lying_pose(ball: Ball, place: Point, table: Table, turn: Turn = NO_TURN) -> BallPose:
    """A ball that lies on the cloth."""
    return BallPose(ball=ball, center_mm=(place.x_mm, place.y_mm, table.ball_radius_mm), turn=turn)
