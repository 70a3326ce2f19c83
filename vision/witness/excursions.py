"""Balls that left the field over a cushion and were seen again: back on the cloth, or lying on the rail."""

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.balls import Ball
from scoring.events import OffTable
from scoring.table import Point, Table
from vision.track import Look
from vision.whereabouts import nearest_pocket_mm
from vision.witness.legs import Leg

_BEYOND_MM = 10.0  # a centre so far beyond a nose is on no cloth
_POCKET_MM = 200.0  # nearer to a pocket than this it may be in its mouth
_LEAST_LOOKS = 3
_LIES_S = 0.3
_HOP = "it was seen beyond the nose and back: it may have hopped without leaving the field"


@dataclass(frozen=True, slots=True)
class Excursion:
    """When and where a ball was seen outside the field, and whether it lies there still."""

    t_s: float
    at: Point
    is_on_rail: bool

    def told(self, ball: Ball) -> OffTable:
        """The event; a return is flagged, because a high hop looks the same from above."""
        if self.is_on_rail:
            return OffTable(t_s=self.t_s, ball=ball, at=self.at, on_rail=True)
        return OffTable(t_s=self.t_s, ball=ball, at=self.at, returned=True, confidence=0.5, flagged=True, reason=_HOP)


def find_excursion(table: Table, looks: Sequence[Look], from_s: float) -> Excursion | None:
    """The first time that a ball was clearly seen beyond the noses, away from the pockets."""
    clear = [look for look in looks if look.t_s >= from_s and not (look.is_merged or look.is_near_cover)]
    outside = [look for look in clear if is_beyond_noses(table, Point(look.x_mm, look.y_mm))]
    if len(outside) < _LEAST_LOOKS:
        return None
    last = outside[-1]
    after = [look for look in clear if look.t_s > last.t_s]
    if 0 < len(after) < _LEAST_LOOKS:
        return None
    shown = outside[0] if after else last
    return Excursion(outside[0].t_s, Point(shown.x_mm, shown.y_mm), not after)


def find_lying_on_rail(table: Table, last: Leg) -> Excursion | None:
    """A ball that came to rest on the rail, however little was seen of its way there."""
    place = last.point(last.to_s)
    if last.kind != "rest" or last.to_s - last.from_s < _LIES_S or not is_beyond_noses(table, place):
        return None
    return Excursion(last.from_s, place, is_on_rail=True)


def is_beyond_noses(table: Table, place: Point) -> bool:
    """Whether a ball at this place is on no cloth and in no pocket: it flies, or lies on the rail."""
    beyond = max(-place.x_mm, place.x_mm - table.length_mm, abs(place.y_mm) - table.width_mm / 2)
    return beyond > _BEYOND_MM and nearest_pocket_mm(table, place) > _POCKET_MM
