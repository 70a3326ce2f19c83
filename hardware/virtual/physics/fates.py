"""How a ball leaves play: into a pocket, over a cushion to the floor, or onto the rail."""

import math
from dataclasses import dataclass

from hardware.virtual.physics.body import Body
from hardware.virtual.physics.parameters import PhysicsParameters
from hardware.virtual.physics.walls import Drop
from scoring.table import Point, Table

_FLOOR_MM = 800.0  # the cloth's height above the floor
_HOLE_SLACK_MM = 10.0  # a pocket's hole is longer than a ball by this
_TIP_OVER_MM_S = 150.0  # what the edge gives a ball that topples over it


@dataclass(frozen=True, slots=True, kw_only=True)
class Flight:
    """One stretch of a ball that is out of play: from a place with a velocity, pulled by gravity or not."""

    lasts_s: float
    place_mm: tuple[float, float, float]
    velocity_mm_s: tuple[float, float, float]
    falls: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Escape:
    """What becomes of a ball that passes above a cushion: when and where it leaves, or lies on the rail."""

    flights: tuple[Flight, ...]
    after_s: float
    at: Point
    on_rail: bool


def beyond_noses_mm(table: Table, x: float, y: float) -> float:
    """How far a place lies outside the rectangle between the noses; negative inside."""
    return max(-x, x - table.length_mm, abs(y) - table.width_mm / 2)


def fall(body: Body, drop: Drop, gravity_mm_s2: float) -> tuple[Flight, ...]:
    """A ball sinks beyond the drop edge until it is out of sight; the pocket's back stops it sideways."""
    vx, vy = body.vx, body.vy
    onward = vx * drop.dx + vy * drop.dy
    if onward < _TIP_OVER_MM_S:
        vx += (_TIP_OVER_MM_S - onward) * drop.dx
        vy += (_TIP_OVER_MM_S - onward) * drop.dy
    depth = body.z + body.radius
    total_s = (body.vz + math.sqrt(body.vz * body.vz + 2.0 * gravity_mm_s2 * depth)) / gravity_mm_s2
    free_s = min(total_s, (body.radius + _HOLE_SLACK_MM) / math.hypot(vx, vy))
    flights = [Flight(lasts_s=free_s, place_mm=(body.x, body.y, body.z), velocity_mm_s=(vx, vy, body.vz), falls=True)]
    if free_s < total_s:
        low = body.z + body.vz * free_s - 0.5 * gravity_mm_s2 * free_s**2
        flights.append(
            Flight(
                lasts_s=total_s - free_s,
                place_mm=(body.x + vx * free_s, body.y + vy * free_s, low),
                velocity_mm_s=(0.0, 0.0, body.vz - gravity_mm_s2 * free_s),
                falls=True,
            )
        )
    return tuple(flights)


def escape(body: Body, table: Table, nose_mm: float, parameters: PhysicsParameters) -> Escape:
    """Follow a ball that flies above a nose: to the rail, where a slow one stays, or over it to the floor."""
    gravity = parameters.gravity_mm_s2
    rest_mm = min(body.z, nose_mm + parameters.rail_above_nose_mm + body.radius)
    down_s = (body.vz + math.sqrt(max(0.0, body.vz**2 + 2.0 * gravity * (body.z - rest_mm)))) / gravity
    down_s = max(down_s, 0.0)
    x, y = body.x + body.vx * down_s, body.y + body.vy * down_s
    beyond = beyond_noses_mm(table, x, y)
    start = (body.x, body.y, body.z)
    speed = math.hypot(body.vx, body.vy)
    if beyond >= parameters.rail_width_mm:
        floor_s = (body.vz + math.sqrt(body.vz**2 + 2.0 * gravity * (body.z + _FLOOR_MM))) / gravity
        flight = Flight(lasts_s=floor_s, place_mm=start, velocity_mm_s=(body.vx, body.vy, body.vz), falls=True)
        return Escape(flights=(flight,), after_s=down_s, at=Point(x, y), on_rail=False)
    hop = Flight(lasts_s=down_s, place_mm=start, velocity_mm_s=(body.vx, body.vy, body.vz), falls=True)
    if speed <= parameters.rail_hold_mm_s:
        lie = Flight(lasts_s=math.inf, place_mm=(x, y, rest_mm), velocity_mm_s=(0.0, 0.0, 0.0), falls=False)
        return Escape(flights=(hop, lie), after_s=down_s, at=Point(x, y), on_rail=True)
    roll_s = (parameters.rail_width_mm - beyond + body.radius) / speed
    off_x, off_y = x + body.vx * roll_s, y + body.vy * roll_s
    roll = Flight(lasts_s=roll_s, place_mm=(x, y, rest_mm), velocity_mm_s=(body.vx, body.vy, 0.0), falls=False)
    drop_s = math.sqrt(2.0 * (rest_mm + _FLOOR_MM) / gravity)
    plunge = Flight(lasts_s=drop_s, place_mm=(off_x, off_y, rest_mm), velocity_mm_s=(body.vx, body.vy, 0.0), falls=True)
    return Escape(flights=(hop, roll, plunge), after_s=down_s + roll_s, at=Point(off_x, off_y), on_rail=False)
