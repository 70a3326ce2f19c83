"""How people behave around a stroke at each difficulty: paces, deliveries, hands that put balls back, onlookers."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from hardware.virtual.difficulty import Difficulty
from hardware.virtual.people import Actor, Carry, Delivery, Manner, Onlooker, Walker, clear_bridge_mm, standing_place
from hardware.virtual.physics import CueStroke, Motion
from hardware.virtual.scene import Instant, Vector
from scoring.balls import Ball
from scoring.events import Contact
from scoring.table import Point, Table

Range = tuple[float, float]
_LOOK_EVERY_S = 0.02
_ROLLING_MM_S = 2.0
_HIDING_MARGIN_MM = 25.0
_PARALLAX = 0.75  # how far a thing's image may lie aside per height, for a camera over the middle of the table


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long things last, in s, and what may happen besides."""

    still_s: Range
    arrive_s: Range
    feathers: tuple[int, int]
    linger_s: Range
    leave_s: Range
    body_chance: float
    reach_s: Range
    carry_s: Range
    onlooker_chance: float
    may_hide_rolling: bool
    walker_chance: float = 0.0
    accident_chance: float = 0.0
    shows_all: bool = False  # whether everybody is seen from head to foot


PACES = {
    Difficulty.EASY: Pace(
        still_s=(1.1, 1.8),
        arrive_s=(0.35, 0.5),
        feathers=(0, 1),
        linger_s=(0.0, 0.03),
        leave_s=(0.25, 0.35),
        body_chance=0.0,
        reach_s=(0.4, 0.5),
        carry_s=(0.5, 0.7),
        onlooker_chance=0.0,
        may_hide_rolling=False,
    ),
    Difficulty.NORMAL: Pace(
        still_s=(0.7, 2.0),
        arrive_s=(0.4, 0.8),
        feathers=(1, 3),
        linger_s=(0.1, 0.6),
        leave_s=(0.35, 0.7),
        body_chance=0.5,
        reach_s=(0.4, 0.7),
        carry_s=(0.5, 1.0),
        onlooker_chance=0.08,
        may_hide_rolling=True,
    ),
    Difficulty.HARD: Pace(
        still_s=(0.4, 2.5),
        arrive_s=(0.35, 1.0),
        feathers=(1, 4),
        linger_s=(0.3, 2.0),
        leave_s=(0.4, 0.9),
        body_chance=1.0,
        reach_s=(0.35, 0.9),
        carry_s=(0.45, 1.2),
        onlooker_chance=0.4,
        may_hide_rolling=True,
        walker_chance=0.3,
        accident_chance=0.06,
        shows_all=True,
    ),
}


def drawn(generator: np.random.Generator, limits: Range) -> float:
    """A duration from its range."""
    return float(generator.uniform(*limits))


def make_delivery(
    table: Table,
    layout: Mapping[Ball, Point],
    stroke: CueStroke,
    motion: Motion,
    *,
    pace: Pace,
    generator: np.random.Generator,
) -> Delivery:
    """How a player plays a stroke whose strike is at 0 s."""
    manner = Manner(
        arrive_s=drawn(generator, pace.arrive_s),
        feathers=int(generator.integers(pace.feathers[0], pace.feathers[1] + 1)),
        feather_s=drawn(generator, (0.6, 0.9)),
        linger_s=drawn(generator, pace.linger_s),
        leave_s=drawn(generator, pace.leave_s),
        shows_body=bool(generator.random() < pace.body_chance),
        shows_legs=pace.shows_all,
    )
    place = layout[stroke.ball]
    others = [at for ball, at in layout.items() if ball != stroke.ball]
    return Delivery(
        table=table,
        cue_ball=place,
        direction_rad=stroke.direction_rad,
        cue_speed_mm_s=stroke.speed_mm_s,
        tip_height_mm=table.ball_radius_mm * (1.0 + stroke.top),
        follow_mm=_follow_mm(motion, stroke.ball, place, stroke.speed_mm_s),
        bridge_behind_mm=clear_bridge_mm(table, place, stroke.direction_rad, others),
        elevation_rad=stroke.elevation_rad,
        strike_s=0.0,
        manner=manner,
    )


def _follow_mm(motion: Motion, ball: Ball, start: Point, cue_speed_mm_s: float) -> float:
    """How far the cue follows: not into a ball that has been stopped by another one."""
    wanted_mm = min(max(cue_speed_mm_s * 0.05, 8.0), 80.0)
    for event in motion.events:
        if isinstance(event, Contact) and ball in (event.ball, event.other):
            pose = motion.pose(ball, event.t_s)
            run_mm = start.distance_mm(Point(pose.center_mm[0], pose.center_mm[1])) if pose else 0.0
            return max(min(wanted_mm, 0.6 * run_mm), 2.0)
    return wanted_mm


def make_carry(
    table: Table,
    origin: Point | None,
    target: Point | None,
    starts_s: float,
    *,
    pace: Pace,
    generator: np.random.Generator,
) -> Carry:
    """A hand that puts a ball down, or takes it away."""
    return Carry(
        table=table,
        origin=origin,
        target=target,
        starts_s=starts_s,
        reach_s=drawn(generator, pace.reach_s),
        carry_s=drawn(generator, pace.carry_s) + (0.25 if origin is None else 0.0),
        leave_s=drawn(generator, pace.leave_s),
        shows_body=pace.shows_all,
    )


def make_onlookers(
    table: Table, from_s: float, until_s: float, *, pace: Pace, generator: np.random.Generator
) -> tuple[Onlooker, ...]:
    """People who lean over a cushion while balls roll."""
    if until_s - from_s < 1.5 or generator.random() >= pace.onlooker_chance:
        return ()
    x_mm = float(generator.uniform(0.1, 0.9)) * table.length_mm
    y_mm = float(generator.choice((-1.0, 1.0))) * table.width_mm * float(generator.uniform(0.3, 0.5))
    place: Vector = (x_mm, y_mm, 420.0)
    starts_s = drawn(generator, (from_s, until_s - 1.2))
    outside = standing_place(table, x_mm, y_mm * 2.0, 420.0)
    return (Onlooker(place=place, outside=outside, starts_s=starts_s, ends_s=starts_s + drawn(generator, (1.2, 3.0))),)


def make_walkers(
    table: Table, from_s: float, until_s: float, *, pace: Pace, generator: np.random.Generator
) -> tuple[Walker, ...]:
    """People who walk past a long side while balls roll."""
    if pace.walker_chance <= 0 or until_s - from_s < 2.0 or generator.random() >= pace.walker_chance:
        return ()
    starts_s = drawn(generator, (from_s, until_s - 1.5))
    y_mm = float(generator.choice((-1.0, 1.0))) * (table.width_mm / 2 + drawn(generator, (260.0, 600.0)))
    ends = (-800.0, table.length_mm + 800.0)
    first, last = ends if generator.random() < 0.5 else ends[::-1]
    lasts_s = drawn(generator, (2.5, 4.5))
    height_mm = drawn(generator, (650.0, 900.0))
    start, end = (first, y_mm, height_mm), (last, y_mm, height_mm)
    return (Walker(start=start, end=end, starts_s=starts_s, ends_s=starts_s + lasts_s),)


def hides_rolling(table: Table, motion: Motion, balls: Iterable[Ball], actors: Iterable[Actor], until_s: float) -> bool:
    """Whether somebody would hide one of the balls while it moves; the strike is at 0 s."""
    rolling = tuple(balls)
    people = tuple(actors)
    for step in range(1, math.ceil(until_s / _LOOK_EVERY_S)):
        t_s = step * _LOOK_EVERY_S
        seen = Instant(
            balls=(),
            cues=tuple(cue for actor in people for cue in actor.cues(t_s)),
            limbs=tuple(limb for actor in people for limb in actor.limbs(t_s)),
        )
        for ball in rolling:
            pose = motion.pose(ball, t_s)
            is_rolling = math.hypot(*motion.velocity_mm_s(ball, t_s)) > _ROLLING_MM_S
            if pose and is_rolling and is_hidden(pose.center_mm, seen, table.ball_radius_mm):
                return True
    return False


def is_hidden(center_mm: Vector, seen: Instant, radius_mm: float) -> bool:
    """Whether a person or a cue may lie between a ball and a camera above the table."""
    for cue in seen.cues:
        gap_mm, share = _gap(center_mm, cue.tip_mm, cue.butt_mm)
        if gap_mm < radius_mm * 0.4 + 6.0 + 9.0 * share + _lean_mm(cue.tip_mm, cue.butt_mm, share, radius_mm):
            return True
    for limb in seen.limbs:
        gap_mm, share = _gap(center_mm, limb.start_mm, limb.end_mm)
        width_mm = limb.start_radius_mm + (limb.end_radius_mm - limb.start_radius_mm) * share
        lean_mm = _lean_mm(limb.start_mm, limb.end_mm, share, radius_mm)
        if gap_mm < width_mm + radius_mm + _HIDING_MARGIN_MM + lean_mm:
            return True
    return False


def _gap(place: Vector, start: Vector, end: Vector) -> tuple[float, float]:
    """How far a place is from a rod, seen from above, and where along the rod that is."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = dx * dx + dy * dy
    along = ((place[0] - start[0]) * dx + (place[1] - start[1]) * dy) / length if length else 0.0
    share = min(max(along, 0.0), 1.0)
    return math.hypot(place[0] - start[0] - dx * share, place[1] - start[1] - dy * share), share


def _lean_mm(start: Vector, end: Vector, share: float, radius_mm: float) -> float:
    """How far aside a point of a rod may seem to lie, for its height."""
    return _PARALLAX * max(start[2] + (end[2] - start[2]) * share - radius_mm, 0.0)
