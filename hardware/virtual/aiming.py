"""The geometry of aiming: ghost balls, mirrored pockets, clear paths; which strokes could pot a ball, how easily."""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from scoring.balls import Ball
from scoring.table import Cushion, Pocket, Point, Table

MAX_CUT_RAD = math.radians(72)
_JAW_HELP_MM = 2.0  # by how much a ball may miss the mouth on either side and still be drawn in by a jaw
_CLEARANCE_MM = 2.0
_MAX_INNER_CUT_RAD = math.radians(45)  # of the second contact of a combination
_BANK_EASE = 0.3  # cushions are less sure than eyes


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondContact:
    """In a combination: the ball that drives the target, which way the target must go, how errors grow up to there."""

    through: Ball
    leave_rad: float
    gain: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """A way to pot a ball: the cue ball's direction, the direction in which the target must leave, and how easy it is.

    `gain` is by how much an error of that direction grows in the first ball's, `ease_rad` the permitted error.
    """

    target: Ball
    pocket: Pocket
    direction_rad: float
    leave_rad: float
    cut_rad: float
    to_ball_mm: float
    to_pocket_mm: float
    gain: float
    ease_rad: float
    cushion: Cushion | None = None
    second: "SecondContact | None" = None

    @property
    def first_ball(self) -> Ball:
        """The ball that the cue ball must meet first."""
        return self.second.through if self.second else self.target

    @property
    def is_direct(self) -> bool:
        """Whether nothing lies between the cue ball's first contact and the pocket."""
        return self.cushion is None and self.second is None

    @property
    def is_bank(self) -> bool:
        """Whether the target meets a cushion on its way."""
        return self.cushion is not None


def mouth(table: Table, pocket: Pocket) -> Point:
    """The middle of a pocket's mouth, between its jaws."""
    corner = table.pocket_corner(pocket)
    if table.pockets is None or pocket.is_middle:
        return corner
    inset_mm = table.pockets.corner_mm / (2 * math.sqrt(2))
    return Point(
        corner.x_mm + math.copysign(inset_mm, table.length_mm / 2 - corner.x_mm),
        corner.y_mm - math.copysign(inset_mm, corner.y_mm),
    )


def pocket_axis_rad(table: Table, pocket: Pocket) -> float:
    """The direction in which a ball runs straight into a pocket."""
    corner = table.pocket_corner(pocket)
    if pocket.is_middle:
        return math.copysign(math.pi / 2, corner.y_mm)
    return math.atan2(math.copysign(1.0, corner.y_mm), math.copysign(1.0, corner.x_mm - table.length_mm / 2))


def mouth_width_mm(table: Table, pocket: Pocket) -> float:
    """How wide a pocket's mouth is; 0 on a carom table."""
    if table.pockets is None:
        return 0.0
    return table.pockets.middle_mm if pocket.is_middle else table.pockets.corner_mm


def direction_to(start: Point, end: Point) -> float:
    """The direction from one place to another, rad."""
    return math.atan2(end.y_mm - start.y_mm, end.x_mm - start.x_mm)


def turn_between(first_rad: float, second_rad: float) -> float:
    """The signed angle from one direction to another, within a half turn."""
    return (second_rad - first_rad + math.pi) % (2 * math.pi) - math.pi


def stepped(start: Point, direction_rad: float, distance_mm: float) -> Point:
    """A place some way off in a direction."""
    return Point(start.x_mm + math.cos(direction_rad) * distance_mm, start.y_mm + math.sin(direction_rad) * distance_mm)


def distance_to_path_mm(place: Point, start: Point, end: Point) -> float:
    """How far a place is from a straight path."""
    dx, dy = end.x_mm - start.x_mm, end.y_mm - start.y_mm
    length = dx * dx + dy * dy
    along = ((place.x_mm - start.x_mm) * dx + (place.y_mm - start.y_mm) * dy) / length if length else 0.0
    held = min(max(along, 0.0), 1.0)
    return place.distance_mm(Point(start.x_mm + dx * held, start.y_mm + dy * held))


def is_clear(table: Table, start: Point, end: Point, others: Iterable[Point]) -> bool:
    """Whether a ball can run from one place to the other without touching the others."""
    gap_mm = table.ball_mm + _CLEARANCE_MM
    return all(distance_to_path_mm(other, start, end) > gap_mm for other in others)


def is_on_table(table: Table, place: Point) -> bool:
    """Whether a ball can lie there without pressing into a cushion."""
    radius_mm = table.ball_radius_mm
    return radius_mm <= place.x_mm <= table.length_mm - radius_mm and abs(place.y_mm) <= table.width_mm / 2 - radius_mm


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What somebody who aims looks at."""

    table: Table
    layout: Mapping[Ball, Point]
    cue_ball: Ball

    @property
    def start(self) -> Point:
        """Where the cue ball is."""
        return self.layout[self.cue_ball]

    def others(self, target: Ball) -> list[Point]:
        """The balls that could be in the way."""
        return [place for ball, place in self.layout.items() if ball not in (self.cue_ball, target)]

    def pots(self, targets: Iterable[Ball]) -> Iterator[Aim]:
        """Every direct pot and every bank off one cushion that geometry allows."""
        for target, pocket, cushion in itertools.product(targets, Pocket, (None, *Cushion)):
            aim = self._pot(target, pocket, cushion)
            if aim:
                yield aim

    def combinations(self, targets: Iterable[Ball]) -> Iterator[Aim]:
        """Every pot by way of one ball between that geometry allows: the cue ball drives a ball onto the target."""
        without = {ball: place for ball, place in self.layout.items() if ball != self.cue_ball}
        for target, pocket, through in itertools.product(targets, Pocket, without):
            if through == target:
                continue
            sight = Sight(table=self.table, layout=without, cue_ball=through)
            inner = sight._pot(target, pocket, None)
            outer = inner and inner.cut_rad < _MAX_INNER_CUT_RAD and self._approach(through, inner.direction_rad)
            if inner and outer:
                gain = outer.gain(self.table)
                yield Aim(
                    target=target,
                    pocket=pocket,
                    direction_rad=outer.direction_rad,
                    leave_rad=inner.direction_rad,
                    cut_rad=outer.cut_rad,
                    to_ball_mm=outer.to_ball_mm,
                    to_pocket_mm=inner.to_pocket_mm,
                    gain=gain,
                    ease_rad=inner.ease_rad / gain,
                    second=SecondContact(through=through, leave_rad=inner.leave_rad, gain=gain * inner.gain),
                )

    def _pot(self, target: Ball, pocket: Pocket, cushion: Cushion | None) -> Aim | None:
        table = self.table
        route = _route(table, self.layout[target], mouth(table, pocket), cushion)
        others = self.others(target)
        if route is None or not all(is_clear(table, a, b, others) for a, b in itertools.pairwise(route)):
            return None
        off_axis_rad = abs(turn_between(pocket_axis_rad(table, pocket), direction_to(route[-2], route[-1])))
        open_mm = mouth_width_mm(table, pocket) * math.cos(off_axis_rad) - table.ball_mm + 2 * _JAW_HELP_MM
        leave_rad = direction_to(route[0], route[1])
        approach = self._approach(target, leave_rad)
        if open_mm <= 0 or off_axis_rad > math.pi / 3 or approach is None:
            return None
        to_pocket_mm = sum(a.distance_mm(b) for a, b in itertools.pairwise(route))
        ease_rad = open_mm / 2 / (to_pocket_mm * approach.gain(table))
        return Aim(
            target=target,
            pocket=pocket,
            direction_rad=approach.direction_rad,
            leave_rad=leave_rad,
            cut_rad=approach.cut_rad,
            to_ball_mm=approach.to_ball_mm,
            to_pocket_mm=to_pocket_mm,
            gain=approach.gain(table),
            ease_rad=ease_rad * (_BANK_EASE if cushion else 1.0),
            cushion=cushion,
        )

    def _approach(self, target: Ball, leave_rad: float) -> "_Approach | None":
        """The cue ball's way to where it must meet the target, or None when there is none."""
        table, start = self.table, self.start
        ghost = stepped(self.layout[target], leave_rad, -table.ball_mm)
        if not is_on_table(table, ghost) or start.distance_mm(self.layout[target]) < table.ball_mm + 1.0:
            return None
        direction_rad = direction_to(start, ghost)
        cut_rad = abs(turn_between(direction_rad, leave_rad))
        if cut_rad > MAX_CUT_RAD or not is_clear(table, start, ghost, self.others(target)):
            return None
        return _Approach(direction_rad=direction_rad, cut_rad=cut_rad, to_ball_mm=start.distance_mm(ghost))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Approach:
    """The cue ball's way to the ghost ball."""

    direction_rad: float
    cut_rad: float
    to_ball_mm: float

    def gain(self, table: Table) -> float:
        """By how much an error of the cue ball's direction grows in that of the ball it meets."""
        return (self.to_ball_mm + 1.0) / (table.ball_mm * math.cos(self.cut_rad))


def _route(table: Table, place: Point, hole: Point, cushion: Cushion | None) -> list[Point] | None:
    """The target's way: straight, or by a mirror in the line on which ball centres meet the cushion."""
    if cushion is None:
        return [place, hole]
    radius_mm, half_mm = table.ball_radius_mm, table.width_mm / 2
    if cushion.is_short:
        line = radius_mm if cushion is Cushion.FRONT else table.length_mm - radius_mm
        mirrored = Point(2 * line - hole.x_mm, hole.y_mm)
        if abs(hole.x_mm - line) < table.ball_mm * 2 or abs(place.x_mm - line) < table.ball_mm:
            return None
        share = (line - place.x_mm) / (mirrored.x_mm - place.x_mm)
    else:
        line = half_mm - radius_mm if cushion is Cushion.LEFT else radius_mm - half_mm
        mirrored = Point(hole.x_mm, 2 * line - hole.y_mm)
        if abs(hole.y_mm - line) < table.ball_mm * 2 or abs(place.y_mm - line) < table.ball_mm:
            return None
        share = (line - place.y_mm) / (mirrored.y_mm - place.y_mm)
    bounce = Point(place.x_mm + (mirrored.x_mm - place.x_mm) * share, place.y_mm + (mirrored.y_mm - place.y_mm) * share)
    if not is_on_table(table, bounce) or any(bounce.distance_mm(table.pocket_corner(each)) < 150 for each in Pocket):
        return None
    return [place, bounce, hole]
