"""Where the balls lie at rest: free places, frozen balls, places against a cushion.

A ball that is not in a layout stands out of the way.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from scoring.balls import Ball
from scoring.table import Point, Table

FROZEN_MM = 1.0
"""Balls nearer than this count as touching."""

SAME_PLACE_MM = 5.0
"""Places nearer than this are the same place to a person with a ball in the hand."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The known places of resting balls, table mm; `lost` balls moved to where nobody saw."""

    places: Mapping[Ball, Point] = field(default_factory=dict)
    lost: frozenset[Ball] = frozenset()

    def at(self, ball: Ball) -> Point | None:
        """Where a ball lies, None when that is not known."""
        return self.places.get(ball)

    def without(self, balls: Iterable[Ball]) -> "Layout":
        """The layout with some balls taken away."""
        gone = frozenset(balls)
        if gone.isdisjoint(self.places) and gone.isdisjoint(self.lost):
            return self
        return Layout({ball: place for ball, place in self.places.items() if ball not in gone}, self.lost - gone)

    def with_places(self, places: Mapping[Ball, Point]) -> "Layout":
        """The layout with some balls put in their places."""
        if not places:
            return self
        return Layout({**self.places, **places}, self.lost.difference(places))

    def is_free(self, place: Point, table: Table) -> bool:
        """Whether a ball put there would touch no other (RP-44)."""
        return all(place.distance_mm(other) > table.ball_mm for other in self.places.values())

    def ball_on(self, place: Point) -> Ball | None:
        """The ball that stands on a place, within what a hand can do."""
        near = [(place.distance_mm(other), ball) for ball, other in self.places.items()]
        distance_mm, ball = min(near, default=(SAME_PLACE_MM + 1, None))
        return ball if distance_mm <= SAME_PLACE_MM else None

    def frozen_pairs(self, table: Table) -> tuple[tuple[Ball, Ball], ...]:
        """Pairs of balls that touch while at rest."""
        balls = sorted(self.places)
        reach_mm = table.ball_mm + FROZEN_MM
        return tuple(
            (one, other)
            for index, one in enumerate(balls)
            for other in balls[index + 1 :]
            if self.places[one].distance_mm(self.places[other]) <= reach_mm
        )

    def free_beside(self, wanted: Point, table: Table) -> Point:
        """The free place nearest to a wanted one on the line across the table through it; ties go to the left."""
        half_mm = table.width_mm / 2 - table.ball_radius_mm
        shifts = [0.0]
        for other in self.places.values():
            along_mm = table.ball_mm**2 - (other.x_mm - wanted.x_mm) ** 2
            if along_mm >= 0:
                gap_mm = along_mm**0.5 + 1e-6
                shifts += [other.y_mm - wanted.y_mm + gap_mm, other.y_mm - wanted.y_mm - gap_mm]
        for shift_mm in sorted(shifts, key=lambda shift_mm: (abs(shift_mm), -shift_mm)):
            place = Point(wanted.x_mm, wanted.y_mm + shift_mm)
            if abs(place.y_mm) <= half_mm and self.is_free(place, table):
                return place
        return wanted


def against_cushion(place: Point, table: Table) -> Point:
    """The nearest place tight against a cushion (MP-42); corners end at the jaws' line."""
    radius_mm, half_mm = table.ball_radius_mm, table.width_mm / 2
    inside = Point(
        min(max(place.x_mm, radius_mm), table.length_mm - radius_mm),
        min(max(place.y_mm, radius_mm - half_mm), half_mm - radius_mm),
    )
    tight = (
        Point(radius_mm, inside.y_mm),
        Point(table.length_mm - radius_mm, inside.y_mm),
        Point(inside.x_mm, half_mm - radius_mm),
        Point(inside.x_mm, radius_mm - half_mm),
    )
    return min(tight, key=place.distance_mm)
