"""A hand that carries a ball."""

import math
from dataclasses import dataclass

from hardware.virtual.people.bodies import CLEAR_MM, arm, blended, eased, moved, standing, standing_place
from hardware.virtual.scene import CueStick, Limb, Vector
from scoring.table import Point, Table

_DEPTH_MM = -60.0  # where a ball lies in a pocket


@dataclass(frozen=True, slots=True, kw_only=True)
class Carry:
    """A hand brings a ball to `target` and lets go of it at `set_s`; from `origin`, or from outside when None.

    With no `target` it takes the ball away, out of sight at `set_s`. With `from_pocket` the
    `origin` is a pocket, in which the ball lies below the cloth.
    It reaches the ball (or comes into sight with it) at `start_s`, and is out of sight at `ends_s`.
    """

    table: Table
    origin: Point | None
    target: Point | None
    starts_s: float
    reach_s: float = 0.45
    carry_s: float = 0.6
    leave_s: float = 0.35
    from_pocket: bool = False
    shows_body: bool = False

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
        scale = CLEAR_MM / math.hypot(*out)
        return (body[0] + out[0] * scale, body[1] + out[1] * scale, 160.0)

    def ball_center_mm(self, t_s: float) -> Vector:
        """Where the ball is while it is carried, from `lifted_s` on."""
        radius_mm = self.table.ball_radius_mm
        end = (self.target.x_mm, self.target.y_mm, radius_mm) if self.target else self._hidden()
        start = (
            (self.origin.x_mm, self.origin.y_mm, _DEPTH_MM if self.from_pocket else radius_mm)
            if self.origin
            else self._hidden()
        )
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
        shoulder = moved(body, (hidden[0] - body[0], hidden[1] - body[1], 0.0))
        parts = arm(hand, shoulder)
        return (*parts, *standing(shoulder[0], shoulder[1])) if self.shows_body else parts
