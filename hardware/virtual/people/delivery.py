"""A player's delivery of a stroke: leans in, feathers, strikes, follows through and withdraws."""

import math
from dataclasses import dataclass

from hardware.virtual.people.bodies import (
    CLEAR_MM,
    HAND_RADIUS_MM,
    arm,
    blended,
    eased,
    legs,
    moved,
    rod,
    round_limb,
    standing_place,
)
from hardware.virtual.scene import CueStick, Limb, Vector
from scoring.table import Point, Table

CUE_LENGTH_MM = 1450.0
TIP_GAP_MM = 14.0
_BRIDGE_BEHIND_MM = (220.0, 180.0, 260.0, 300.0, 150.0)
_GRIP_BEHIND_MM = 1080.0
_HEAD_BEHIND_MM = 430.0  # how far behind the bridge hand the chin is over the cue


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a person behaves at the table: durations in s."""

    arrive_s: float = 0.5
    feathers: int = 1
    feather_s: float = 0.7
    linger_s: float = 0.1
    leave_s: float = 0.35
    shows_body: bool = False
    shows_legs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A player leans in, feathers, strikes at `strike_s` and withdraws."""

    table: Table
    cue_ball: Point
    direction_rad: float
    cue_speed_mm_s: float
    tip_height_mm: float
    follow_mm: float
    bridge_behind_mm: float
    elevation_rad: float
    strike_s: float
    manner: Manner

    @property
    def starts_s(self) -> float:
        """When the player comes into sight."""
        manner = self.manner
        return self.strike_s - self._swing_s - 0.35 - manner.feathers * manner.feather_s - manner.arrive_s

    @property
    def ends_s(self) -> float:
        """When the player is out of sight again."""
        return self.strike_s + self._follow_s + self.manner.linger_s + self.manner.leave_s

    @property
    def _back_mm(self) -> float:
        return min(60.0 + self.cue_speed_mm_s * 0.04, 0.8 * self.bridge_behind_mm)

    @property
    def _swing_s(self) -> float:
        return 2.0 * self._back_mm / self.cue_speed_mm_s

    @property
    def _follow_s(self) -> float:
        return 2.0 * self.follow_mm / self.cue_speed_mm_s

    def _stroke_mm(self, t_s: float) -> float:
        """How far the tip is before (+) or behind (-) the place where it meets the ball."""
        before_s = self.strike_s - t_s
        if before_s < 0:
            share = min(-before_s / self._follow_s, 1.0) if self._follow_s else 1.0
            return self.follow_mm * share * (2.0 - share)
        if before_s < self._swing_s:
            return -self._back_mm * (1.0 - (1.0 - before_s / self._swing_s) ** 2)
        before_s -= self._swing_s
        if before_s < 0.35:
            return -TIP_GAP_MM - (self._back_mm - TIP_GAP_MM) * eased(1.0 - before_s / 0.35)
        phase = (before_s - 0.35) / self.manner.feather_s
        return -TIP_GAP_MM - (35.0 * (1.0 - math.cos(2.0 * math.pi * phase)) if phase < self.manner.feathers else 0.0)

    def _away(self, t_s: float) -> float:
        """0 when the player is down at the ball, 1 when out of sight."""
        if t_s <= self.strike_s:
            return 1.0 - eased((t_s - self.starts_s) / self.manner.arrive_s)
        return eased((t_s - self.ends_s + self.manner.leave_s) / self.manner.leave_s)

    def _elevation_rad(self) -> float:
        """How much the butt is raised: a little, and more when a cushion is close behind the ball."""
        behind_mm = _distance_to_cushion_mm(self.table, self.cue_ball, self.direction_rad + math.pi)
        raised_rad = min(max(0.07, math.atan2(self.table.nose_height_mm + 30.0 - self.tip_height_mm, behind_mm)), 0.35)
        return max(raised_rad, self.elevation_rad)

    def _on_cue(self, behind_mm: float, stroke_mm: float) -> Vector:
        elevation_rad = self._elevation_rad()
        flat_mm = behind_mm * math.cos(elevation_rad) + self.table.ball_radius_mm - stroke_mm
        return (
            self.cue_ball.x_mm - math.cos(self.direction_rad) * flat_mm,
            self.cue_ball.y_mm - math.sin(self.direction_rad) * flat_mm,
            self.tip_height_mm + behind_mm * math.sin(elevation_rad),
        )

    def _shift(self, t_s: float) -> Vector:
        away = self._away(t_s)
        bridge, shoulder = self._bridge(), self._shoulder()
        span_mm = math.hypot(shoulder[0] - bridge[0], shoulder[1] - bridge[1])
        factor = away * (span_mm + CLEAR_MM) / span_mm
        return ((shoulder[0] - bridge[0]) * factor, (shoulder[1] - bridge[1]) * factor, 140.0 * away)

    def _bridge(self) -> Vector:
        x_mm, y_mm, z_mm = self._on_cue(self.bridge_behind_mm, 0.0)
        return (x_mm, y_mm, max(z_mm - 22.0, 24.0))

    def _shoulder(self) -> Vector:
        behind = self._on_cue(self.bridge_behind_mm + 520.0, 0.0)
        return standing_place(self.table, behind[0], behind[1], 330.0)

    def is_in_sight(self, t_s: float) -> bool:
        """Whether the player is over the table."""
        return self.starts_s < t_s < self.ends_s

    def cues(self, t_s: float) -> tuple[CueStick, ...]:
        """The player's cue."""
        if not self.is_in_sight(t_s):
            return ()
        shift, stroke_mm = self._shift(t_s), self._stroke_mm(t_s)
        tip, butt = self._on_cue(0.0, stroke_mm), self._on_cue(CUE_LENGTH_MM, stroke_mm)
        return (CueStick(tip_mm=moved(tip, shift), butt_mm=moved(butt, shift)),)

    def limbs(self, t_s: float) -> tuple[Limb, ...]:
        """Bridge hand and arm, grip hand and arm; head and trunk of somebody who leans far over."""
        if not self.is_in_sight(t_s):
            return ()
        shift = self._shift(t_s)
        bridge, shoulder = moved(self._bridge(), shift), moved(self._shoulder(), shift)
        grip = moved(self._on_cue(_GRIP_BEHIND_MM, self._stroke_mm(t_s)), shift)
        parts = [*arm(bridge, shoulder), *arm(grip, moved(shoulder, (0.0, 0.0, 60.0)))]
        if self.manner.shows_body:
            chin = moved(self._on_cue(self.bridge_behind_mm + _HEAD_BEHIND_MM, 0.0), shift)
            parts.append(round_limb((chin[0], chin[1], 430.0 + shift[2]), 105.0, "head"))
            chest = blended(chin, shoulder, 0.35)
            hips = moved(shoulder, (shoulder[0] - bridge[0], shoulder[1] - bridge[1], 0.0))
            parts.append(rod((chest[0], chest[1], 300.0), (hips[0], hips[1], 280.0), (140.0, 190.0), "body"))
            if self.manner.shows_legs:
                parts.append(legs((hips[0], hips[1], 280.0)))
        return tuple(parts)


def clear_bridge_mm(table: Table, cue_ball: Point, direction_rad: float, others: list[Point]) -> float:
    """How far behind the tip the bridge hand finds a place without lying on a ball."""
    for behind_mm in _BRIDGE_BEHIND_MM:
        reach_mm = behind_mm + table.ball_radius_mm
        hand = Point(
            cue_ball.x_mm - math.cos(direction_rad) * reach_mm, cue_ball.y_mm - math.sin(direction_rad) * reach_mm
        )
        if all(hand.distance_mm(other) > table.ball_radius_mm + HAND_RADIUS_MM for other in others):
            return behind_mm
    return _BRIDGE_BEHIND_MM[0]


def _distance_to_cushion_mm(table: Table, place: Point, direction_rad: float) -> float:
    """How far it is from a place to the cushion nose in a direction; at least 1 mm."""
    cos, sin = math.cos(direction_rad), math.sin(direction_rad)
    half_mm = table.width_mm / 2
    along_x = ((table.length_mm if cos > 0 else 0.0) - place.x_mm) / cos if abs(cos) > 1e-9 else math.inf
    along_y = ((half_mm if sin > 0 else -half_mm) - place.y_mm) / sin if abs(sin) > 1e-9 else math.inf
    return max(min(along_x, along_y), 1.0)
