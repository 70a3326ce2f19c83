"""What changes in an instant: cue on ball, ball on ball, ball on cushion, ball on cloth."""

import math

from hardware.virtual.physics.body import Body
from hardware.virtual.physics.parameters import CueStroke, PhysicsParameters

PART_MM_S = 1.0  # the least speed at which two bodies part: without it a pressed contact would repeat without end


def strike(body: Body, stroke: CueStroke, parameters: PhysicsParameters) -> None:
    """Set a ball in motion with a point tip that does not slip (Alciatore TP A.30).

    Side makes the ball squirt to the other side (TP A.31): that turns its path, not the axis of its spin.
    """
    radius = body.radius
    side, top = stroke.side * radius, stroke.top * radius
    depth = math.sqrt(radius * radius - side * side - top * top)
    rise, level = math.sin(stroke.elevation_rad), math.cos(stroke.elevation_rad)
    lever = side * side + (top * level - depth * rise) ** 2
    ratio = parameters.ball_mass_g / parameters.cue_mass_g
    push = 2.0 * stroke.speed_mm_s / (1.0 + ratio + 2.5 * lever / (radius * radius))
    off = 1.0 - stroke.side * stroke.side
    end = parameters.ball_mass_g / parameters.cue_end_mass_g
    squirt = math.atan2(2.5 * stroke.side * math.sqrt(off), 1.0 + end + 2.5 * off)
    heading = stroke.direction_rad - squirt
    body.vx, body.vy = push * level * math.cos(heading), push * level * math.sin(heading)
    body.vz = -push * rise
    forth_x, forth_y = math.cos(stroke.direction_rad), math.sin(stroke.direction_rad)
    twist = 2.5 * push / (radius * radius)
    over = twist * (top * level - depth * rise)  # about the axis to the left: positive is forward roll
    along = -twist * side * rise  # about the axis forward: a raised cue curves the ball to the side it hits
    body.wx = along * forth_x - over * forth_y
    body.wy = along * forth_y + over * forth_x
    body.wz = -twist * side * level


def bounce(body: Body, parameters: PhysicsParameters) -> None:
    """Let a ball that moves down onto the cloth bounce, and the cloth grip it (Coulomb friction in the impact)."""
    if body.vz >= 0.0 or body.z > body.radius + 1e-9:
        return
    radius = body.radius
    fall = -body.vz
    body.z = radius
    body.vz = parameters.cloth_restitution * fall
    if body.vz <= parameters.hop_mm_s:
        body.vz = 0.0
    slip_x = body.vx - radius * body.wy
    slip_y = body.vy + radius * body.wx
    slip = math.hypot(slip_x, slip_y)
    if slip <= 0.0:
        return
    grip = min(parameters.sliding_friction * (fall + body.vz), 2.0 / 7.0 * slip) / slip
    body.vx -= grip * slip_x
    body.vy -= grip * slip_y
    body.wx -= 2.5 * grip * slip_y / radius
    body.wy += 2.5 * grip * slip_x / radius


def approach_mm_s(one: Body, two: Body) -> float:
    """How fast two touching balls close in on each other."""
    nx, ny, nz = two.x - one.x, two.y - one.y, two.z - one.z
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    return ((one.vx - two.vx) * nx + (one.vy - two.vy) * ny + (one.vz - two.vz) * nz) / size


def push_apart(one: Body, two: Body, impulse: float) -> None:
    """Apply an impulse per unit of mass along the line of centres."""
    nx, ny, nz = two.x - one.x, two.y - one.y, two.z - one.z
    share = impulse / math.sqrt(nx * nx + ny * ny + nz * nz)
    one.vx -= share * nx
    one.vy -= share * ny
    one.vz -= share * nz
    two.vx += share * nx
    two.vy += share * ny
    two.vz += share * nz


def slip_mm_s(one: Body, two: Body) -> tuple[float, float, float]:
    """How the surfaces of two touching balls slip past each other (the first against the second)."""
    nx, ny, nz = two.x - one.x, two.y - one.y, two.z - one.z
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    nx, ny, nz = nx / size, ny / size, nz / size
    dx, dy, dz = one.vx - two.vx, one.vy - two.vy, one.vz - two.vz
    normal = dx * nx + dy * ny + dz * nz
    wx, wy, wz = one.wx + two.wx, one.wy + two.wy, one.wz + two.wz
    radius = one.radius
    return (
        dx - normal * nx + radius * (wy * nz - wz * ny),
        dy - normal * ny + radius * (wz * nx - wx * nz),
        dz - normal * nz + radius * (wx * ny - wy * nx),
    )


def rub(one: Body, two: Body, impulse: float, parameters: PhysicsParameters) -> tuple[float, float, float]:
    """The friction impulse on the first of two colliding balls, per unit of mass (Alciatore TP A.14).

    It follows Coulomb's law and never turns the slip round.
    """
    sx, sy, sz = slip_mm_s(one, two)
    slip = math.sqrt(sx * sx + sy * sy + sz * sz)
    if slip <= 0.0:
        return 0.0, 0.0, 0.0
    least, more, fade = parameters.ball_friction
    friction = least + more * math.exp(-fade * slip * 1e-3)
    share = -min(friction * impulse, slip / 7.0) / slip
    return share * sx, share * sy, share * sz


def throw(one: Body, two: Body, push: tuple[float, float, float]) -> None:
    """Let the friction between two colliding balls throw them and pass spin on."""
    fx, fy, fz = push
    one.vx += fx
    one.vy += fy
    one.vz += fz
    two.vx -= fx
    two.vy -= fy
    two.vz -= fz
    nx, ny, nz = two.x - one.x, two.y - one.y, two.z - one.z
    lever = 2.5 / (one.radius * math.sqrt(nx * nx + ny * ny + nz * nz))
    tx, ty, tz = lever * (ny * fz - nz * fy), lever * (nz * fx - nx * fz), lever * (nx * fy - ny * fx)
    for body in (one, two):
        body.wx += tx
        body.wy += ty
        body.wz += tz
