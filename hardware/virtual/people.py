"""What people do over the table: a player's delivery of a stroke, a hand that carries a ball; pure in time."""

import math
from dataclasses import dataclass
from typing import Protocol

from hardware.virtual.scene import CueStick, Limb, Vector
from scoring.table import Point, Table

CUE_LENGTH_MM = 1450.0
TIP_GAP_MM = 14.0
_BRIDGE_BEHIND_MM = (220.0, 180.0, 260.0, 300.0, 150.0)
_GRIP_BEHIND_MM = 1080.0
_HAND_RADIUS_MM, _ARM_RADIUS_MM = 42.0, 58.0
_HEAD_BEHIND_MM = 430.0  # how far behind the bridge hand the chin is over the cue
_WRIST_MM = 50.0  # from the hand's middle to the sleeve
_OUTSIDE_MM = 380.0  # how far behind the cushion nose a person's shoulder is
_CLEAR_MM = 420.0  # how much further things go until they are out of sight


class Actor(Protocol):
    """Somebody who is over the table for a while."""

    def cues(self, t_s: float) -> tuple[CueStick, ...]:
        """The cues that are in sight."""

    def limbs(self, t_s: float) -> tuple[Limb, ...]:
        """The parts of people that are in sight."""


def eased(share: float) -> float:
    """A movement's progress that starts and ends gently: 0 to 1 for 0 to 1."""
    held = min(max(share, 0.0), 1.0)
    return held * held * (3.0 - 2.0 * held)


def blended(start: Vector, end: Vector, share: float) -> Vector:
    """The place between two others."""
    return (
        start[0] + (end[0] - start[0]) * share,
        start[1] + (end[1] - start[1]) * share,
        start[2] + (end[2] - start[2]) * share,
    )


def moved(place: Vector, shift: Vector) -> Vector:
    """A place after a shift."""
    return (place[0] + shift[0], place[1] + shift[1], place[2] + shift[2])


def standing_place(table: Table, x_mm: float, y_mm: float, height_mm: float) -> Vector:
    """Where somebody stands who reaches for a place: outside the nearest cushion, or just further out of the table."""
    half_mm = table.width_mm / 2
    inside_mm = {"front": x_mm, "rear": table.length_mm - x_mm, "left": half_mm - y_mm, "right": half_mm + y_mm}
    side = min(inside_mm, key=lambda name: inside_mm[name])
    step_mm = max(inside_mm[side], 0.0) + _OUTSIDE_MM
    along = {"front": (-1, 0), "rear": (1, 0), "left": (0, 1), "right": (0, -1)}[side]
    return (x_mm + along[0] * step_mm, y_mm + along[1] * step_mm, height_mm)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a person behaves at the table: durations in s."""

    arrive_s: float = 0.5
    feathers: int = 1
    feather_s: float = 0.7
    linger_s: float = 0.1
    leave_s: float = 0.35
    shows_body: bool = False


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
        factor = away * (span_mm + _CLEAR_MM) / span_mm
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
            parts.append(_round((chin[0], chin[1], 430.0 + shift[2]), 105.0, "head"))
            chest = blended(chin, shoulder, 0.35)
            hips = moved(shoulder, (shoulder[0] - bridge[0], shoulder[1] - bridge[1], 0.0))
            parts.append(_rod((chest[0], chest[1], 300.0), (hips[0], hips[1], 280.0), (140.0, 190.0), "body"))
        return tuple(parts)


def clear_bridge_mm(table: Table, cue_ball: Point, direction_rad: float, others: list[Point]) -> float:
    """How far behind the tip the bridge hand finds a place without lying on a ball."""
    for behind_mm in _BRIDGE_BEHIND_MM:
        reach_mm = behind_mm + table.ball_radius_mm
        hand = Point(
            cue_ball.x_mm - math.cos(direction_rad) * reach_mm, cue_ball.y_mm - math.sin(direction_rad) * reach_mm
        )
        if all(hand.distance_mm(other) > table.ball_radius_mm + _HAND_RADIUS_MM for other in others):
            return behind_mm
    return _BRIDGE_BEHIND_MM[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Carry:
    """A hand brings a ball to `target` and lets go of it at `set_s`; from `origin`, or out of a pocket when None.

    With no `target` it takes the ball away, out of sight at `set_s`.
    It reaches the ball (or comes into sight with it) at `start_s`, and is out of sight at `ends_s`.
    """

    table: Table
    origin: Point | None
    target: Point | None
    starts_s: float
    reach_s: float = 0.45
    carry_s: float = 0.6
    leave_s: float = 0.35

    @property
    def lifted_s(self) -> float:
        """When the hand has hold of the ball."""
        return self.starts_s + (self.reach_s if self.origin else 0.0)

    @property
    def set_s(self) -> float:
        """When the ball stands on its new place."""
        return self.lifted_s + self.carry_s

    @property
    def ends_s(self) -> float:
        """When the hand is out of sight."""
        return self.set_s + self.leave_s

    @property
    def _goal(self) -> Point:
        """The place on the table that the person leans towards."""
        goal = self.target or self.origin
        assert goal is not None
        return goal

    def _body(self) -> Vector:
        return standing_place(self.table, self._goal.x_mm, self._goal.y_mm, 300.0)

    def _hidden(self) -> Vector:
        body = self._body()
        out = (body[0] - self._goal.x_mm, body[1] - self._goal.y_mm)
        scale = _CLEAR_MM / math.hypot(*out)
        return (body[0] + out[0] * scale, body[1] + out[1] * scale, 160.0)

    def ball_center_mm(self, t_s: float) -> Vector:
        """Where the ball is while it is carried, from `lifted_s` on."""
        radius_mm = self.table.ball_radius_mm
        end = (self.target.x_mm, self.target.y_mm, radius_mm) if self.target else self._hidden()
        start = (self.origin.x_mm, self.origin.y_mm, radius_mm) if self.origin else self._hidden()
        if t_s >= self.set_s:
            return end
        share = (t_s - self.lifted_s) / self.carry_s
        x_mm, y_mm, z_mm = blended(start, end, eased(share))
        lift_mm = 90.0 * math.sin(math.pi * min(max(share, 0.0), 1.0))
        return (x_mm, y_mm, z_mm + lift_mm)

    def _hand(self, t_s: float) -> Vector:
        if t_s < self.lifted_s:
            return blended(self._hidden(), self._over(self.lifted_s), eased((t_s - self.starts_s) / self.reach_s))
        if t_s > self.set_s:
            return blended(self._over(self.set_s), self._hidden(), eased((t_s - self.set_s) / self.leave_s))
        return self._over(t_s)

    def _over(self, t_s: float) -> Vector:
        """The hand holds the ball from above and from its own side."""
        ball, body = self.ball_center_mm(t_s), self._body()
        span_mm = math.hypot(body[0] - ball[0], body[1] - ball[1]) or 1.0
        back = 38.0 / span_mm
        return (ball[0] + (body[0] - ball[0]) * back, ball[1] + (body[1] - ball[1]) * back, ball[2] + 30.0)

    def cues(self, t_s: float) -> tuple[CueStick, ...]:
        """None."""
        del t_s
        return ()

    def limbs(self, t_s: float) -> tuple[Limb, ...]:
        """The hand and its arm."""
        if not self.starts_s < t_s < self.ends_s:
            return ()
        hand, hidden, body = self._hand(t_s), self._hidden(), self._body()
        return arm(hand, moved(body, (hidden[0] - body[0], hidden[1] - body[1], 0.0)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Onlooker:
    """Somebody leans over the cushion for a moment, head first, and goes again."""

    place: Vector
    outside: Vector
    starts_s: float
    ends_s: float

    def cues(self, t_s: float) -> tuple[CueStick, ...]:
        """None."""
        del t_s
        return ()

    def limbs(self, t_s: float) -> tuple[Limb, ...]:
        """A head and shoulders."""
        if not self.starts_s < t_s < self.ends_s:
            return ()
        share = (t_s - self.starts_s) / (self.ends_s - self.starts_s)
        head = blended(self.outside, self.place, eased(min(share, 1.0 - share) * 3.0))
        body = blended(head, self.outside, 0.5)
        return (
            _round(head, 105.0, "head"),
            Limb(start_mm=body, end_mm=self.outside, start_radius_mm=130.0, end_radius_mm=190.0, part="body"),
        )


def arm(hand: Vector, shoulder: Vector) -> tuple[Limb, ...]:
    """A hand and the arm that it hangs on."""
    span_mm = math.dist(hand, shoulder)
    wrist = blended(hand, shoulder, min(_WRIST_MM / span_mm, 1.0)) if span_mm else hand
    sleeve = Limb(
        start_mm=wrist, end_mm=shoulder, start_radius_mm=_HAND_RADIUS_MM * 0.8, end_radius_mm=_ARM_RADIUS_MM, part="arm"
    )
    return (_round(hand, _HAND_RADIUS_MM, "hand"), sleeve)


def _rod(start: Vector, end: Vector, radii_mm: tuple[float, float], part: str) -> Limb:
    return Limb(start_mm=start, end_mm=end, start_radius_mm=radii_mm[0], end_radius_mm=radii_mm[1], part=part)


def _round(center: Vector, radius_mm: float, part: str) -> Limb:
    return Limb(start_mm=center, end_mm=center, start_radius_mm=radius_mm, end_radius_mm=radius_mm, part=part)


def _distance_to_cushion_mm(table: Table, place: Point, direction_rad: float) -> float:
    """How far it is from a place to the cushion nose in a direction; at least 1 mm."""
    cos, sin = math.cos(direction_rad), math.sin(direction_rad)
    half_mm = table.width_mm / 2
    along_x = ((table.length_mm if cos > 0 else 0.0) - place.x_mm) / cos if abs(cos) > 1e-9 else math.inf
    along_y = ((half_mm if sin > 0 else -half_mm) - place.y_mm) / sin if abs(sin) > 1e-9 else math.inf
    return max(min(along_x, along_y), 1.0)
