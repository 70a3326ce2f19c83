"""Hands and sleeves that have nothing to do with a stroke: who reaches over the table, and who touches a ball."""

import math
from collections.abc import Mapping

import numpy as np

from hardware.virtual.people import Reach, standing_place
from hardware.virtual.scene import BallPose
from hardware.virtual.script import Nudged
from scoring.balls import Ball
from scoring.table import Point, Table

_ARM_HEIGHT_MM, _SLEEVE_HEIGHT_MM = 110.0, 80.0
_SHOULDER_MM = 330.0
_NUDGING_S = 2.4
_HAND_BEYOND_MM = 290.0  # how far beyond the ball that the sleeve touches the hand is
_SLEEVE_MM = 45.0  # half of its width
_NUDGE_MM = (8.0, 45.0)
_TRIES = 12


def make_reach(
    table: Table, places: tuple[Point, ...], starts_s: float, lasts_s: float, *, height_mm: float = _ARM_HEIGHT_MM
) -> Reach:
    """Somebody who reaches over the table, along some places at a height."""
    first = places[0]
    x_mm, y_mm, _ = standing_place(table, first.x_mm, first.y_mm, 0.0)
    out = (x_mm - first.x_mm, y_mm - first.y_mm)
    far = 1.0 + 330.0 / math.hypot(*out)
    return Reach(
        shoulder=(first.x_mm + out[0] * far, first.y_mm + out[1] * far, 330.0),
        places=tuple((place.x_mm, place.y_mm, height_mm) for place in places),
        starts_s=starts_s,
        ends_s=starts_s + lasts_s,
    )


def make_nudge(table: Table, pose: BallPose, target: Point, starts_s: float) -> tuple[Reach, Nudged]:
    """An arm whose sleeve pushes a resting ball to a place while the hand is further in."""
    origin = Point(pose.center_mm[0], pose.center_mm[1])
    body = standing_place(table, origin.x_mm, origin.y_mm, 0.0)
    out_mm = math.dist(body[:2], (origin.x_mm, origin.y_mm))
    inward = ((origin.x_mm - body[0]) / out_mm, (origin.y_mm - body[1]) / out_mm)
    way_mm = max(origin.distance_mm(target), 1.0)
    push = ((target.x_mm - origin.x_mm) / way_mm, (target.y_mm - origin.y_mm) / way_mm)
    behind_mm = table.ball_radius_mm + _SLEEVE_MM
    places = tuple(
        Point(
            place.x_mm + inward[0] * _HAND_BEYOND_MM - push[0] * behind_mm,
            place.y_mm + inward[1] * _HAND_BEYOND_MM - push[1] * behind_mm,
        )
        for place in (origin, target)
    )
    reach = make_reach(table, places, starts_s, _NUDGING_S, height_mm=_SLEEVE_HEIGHT_MM)
    nudged = Nudged(
        ball=pose.ball,
        table=table,
        origin=origin,
        target=target,
        moves_from_s=reach.starts_s + reach.come_s,
        lasts_s=reach.ends_s - reach.starts_s - 2 * reach.come_s,
        turn=pose.turn,
    )
    return reach, nudged


def accident(
    table: Table, poses: Mapping[Ball, BallPose], starts_s: float, generator: np.random.Generator
) -> tuple[Reach, Nudged] | None:
    """A sleeve touches one of the balls and leaves it a little further on; None when there is no room for that."""
    balls = sorted(poses)
    for _ in range(_TRIES):
        pose = poses[balls[int(generator.integers(len(balls)))]]
        angle, way_mm = float(generator.uniform(-math.pi, math.pi)), float(generator.uniform(*_NUDGE_MM))
        x_mm = round(pose.center_mm[0] + way_mm * math.cos(angle), 1)
        y_mm = round(pose.center_mm[1] + way_mm * math.sin(angle), 1)
        others = [other.center_mm for other in poses.values() if other.ball != pose.ball]
        is_free = all(math.dist(other[:2], (x_mm, y_mm)) > table.ball_mm + 1.0 for other in others)
        margin_mm = 2.0 * table.ball_mm
        is_inside = margin_mm < x_mm < table.length_mm - margin_mm and abs(y_mm) < table.width_mm / 2 - margin_mm
        if is_free and is_inside:
            return make_nudge(table, pose, Point(x_mm, y_mm), starts_s)
    return None
