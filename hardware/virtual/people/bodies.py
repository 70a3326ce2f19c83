"""Bodies over the table: how movements run, where people stand, what an arm is made of."""

import math
from typing import Protocol

from hardware.virtual.scene import CueStick, Limb, Vector
from scoring.table import Table

HAND_RADIUS_MM = 42.0
CLEAR_MM = 420.0  # how much further than their place people go until they are out of sight
_FLOOR_MM = -800.0
_ARM_RADIUS_MM = 58.0
_WRIST_MM = 50.0  # from the hand's middle to the sleeve
_OUTSIDE_MM = 380.0  # how far behind the cushion nose a person's shoulder is


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


def arm(hand: Vector, shoulder: Vector) -> tuple[Limb, ...]:
    """A hand and the arm that it hangs on."""
    span_mm = math.dist(hand, shoulder)
    wrist = blended(hand, shoulder, min(_WRIST_MM / span_mm, 1.0)) if span_mm else hand
    sleeve = Limb(
        start_mm=wrist, end_mm=shoulder, start_radius_mm=HAND_RADIUS_MM * 0.8, end_radius_mm=_ARM_RADIUS_MM, part="arm"
    )
    return (round_limb(hand, HAND_RADIUS_MM, "hand"), sleeve)


def rod(start: Vector, end: Vector, radii_mm: tuple[float, float], part: str) -> Limb:
    """A tapered part of a person."""
    return Limb(start_mm=start, end_mm=end, start_radius_mm=radii_mm[0], end_radius_mm=radii_mm[1], part=part)


def round_limb(center: Vector, radius_mm: float, part: str) -> Limb:
    """A round part of a person, or a thing."""
    return Limb(start_mm=center, end_mm=center, start_radius_mm=radius_mm, end_radius_mm=radius_mm, part=part)


def standing(x_mm: float, y_mm: float) -> tuple[Limb, ...]:
    """Somebody who stands on the floor."""
    return (
        rod((x_mm, y_mm, _FLOOR_MM), (x_mm, y_mm, -60.0), (90.0, 130.0), "leg"),
        rod((x_mm, y_mm, -60.0), (x_mm, y_mm, 520.0), (165.0, 150.0), "body"),
        round_limb((x_mm, y_mm, 720.0), 105.0, "head"),
    )


def legs(hips: Vector) -> Limb:
    """The legs under somebody's hips."""
    return rod((hips[0], hips[1], _FLOOR_MM), (hips[0], hips[1], hips[2] - 100.0), (90.0, 140.0), "leg")
