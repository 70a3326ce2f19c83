"""How a ball turns: unit quaternions (w, x, y, z) from ball to table, integrated from its spin."""

import math
from typing import Protocol, TypeAlias

from hardware.virtual.scene import Vector

Quaternion: TypeAlias = tuple[float, float, float, float]
IDENTITY: Quaternion = (1.0, 0.0, 0.0, 0.0)
_ROOT = math.sqrt(3.0) / 6.0


class Spinning(Protocol):
    """Anything whose spin is known at any instant."""

    def spin_at(self, t_s: float) -> Vector:
        """The angular velocity, rad/s in table axes."""


def turned(turn: Quaternion, body: Spinning, since_s: float, until_s: float) -> Quaternion:
    """The turn after a short stretch: a Magnus step of the fourth order (Iserles and Norsett 1999)."""
    span = until_s - since_s
    if span <= 0.0:
        return turn
    middle = since_s + 0.5 * span
    ax, ay, az = body.spin_at(middle - _ROOT * span)
    bx, by, bz = body.spin_at(middle + _ROOT * span)
    half = 0.5 * span
    cross = math.sqrt(3.0) / 12.0 * span * span
    rx = half * (ax + bx) - cross * (ay * bz - az * by)
    ry = half * (ay + by) - cross * (az * bx - ax * bz)
    rz = half * (az + bz) - cross * (ax * by - ay * bx)
    angle = math.sqrt(rx * rx + ry * ry + rz * rz)
    if angle == 0.0:
        return turn
    share = math.sin(0.5 * angle) / angle
    pw, px, py, pz = math.cos(0.5 * angle), share * rx, share * ry, share * rz
    qw, qx, qy, qz = turn
    w = pw * qw - px * qx - py * qy - pz * qz
    x = pw * qx + px * qw + py * qz - pz * qy
    y = pw * qy - px * qz + py * qw + pz * qx
    z = pw * qz + px * qy - py * qx + pz * qw
    size = math.sqrt(w * w + x * x + y * y + z * z)
    return w / size, x / size, y / size, z / size
