"""What is printed on balls: numbers on pyramid balls, dots on the two whites; it turns with the ball.

6 and 9 are underlined, as on real balls: nothing else tells which way up they are.
"""

from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

import cv2
import numpy as np

from hardware.virtual.picture.light import Floats
from scoring.balls import Ball

Turn: TypeAlias = tuple[float, float, float, float]

_INK = np.array([0.012, 0.01, 0.01], dtype=np.float32)
_DOT_INK = np.array([0.02, 0.02, 0.5], dtype=np.float32)
_TEXTURE_PX = 96
_REACH = 0.46  # half the side of the printed square as a share of the ball's radius
_DOT_ANGLES = {"white-1": (0.0,), "white-2": (-0.35, 0.35)}
_DOT_RADIUS = 0.11
_UNDERLINED = (6, 9)


def paint_ball(ball: Ball, base: Floats, normals: Floats, turns: Sequence[Turn]) -> Floats:
    """(h, w, 3) reflectance, BGR, of a ball's surface with normals in the table frame, averaged over turns."""
    albedo = np.empty(normals.shape, dtype=np.float32)
    albedo[...] = base
    if ball.number is None and ball.name not in _DOT_ANGLES:
        return albedo
    ink = np.zeros(normals.shape[:2], dtype=np.float32)
    for turn in turns:
        own = normals @ _matrix(turn)  # table to ball: the transposed rotation from the right
        ink += _number(ball.number, own) if ball.number is not None else _dots(_DOT_ANGLES[ball.name], own)
    ink /= len(turns)
    colour = _INK if ball.number is not None else _DOT_INK
    return np.asarray(albedo + ink[..., None] * (colour - albedo), dtype=np.float32)


def _matrix(turn: Turn) -> Floats:
    """(3, 3) rotation of a unit quaternion (w, x, y, z)."""
    w, x, y, z = turn
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ],
        dtype=np.float32,
    )


def _number(number: int, own: Floats) -> Floats:
    """The number, printed on two opposite sides."""
    x = own[..., 0] * np.sign(own[..., 2])
    y = own[..., 1]
    near = np.abs(own[..., 2]) > np.sqrt(max(1 - 2 * _REACH**2, 0.0))
    scale = np.float32((_TEXTURE_PX - 1) / 2 / _REACH)
    middle = np.float32((_TEXTURE_PX - 1) / 2)
    print_ = cv2.remap(_digits(number), x * scale + middle, -y * scale + middle, cv2.INTER_LINEAR)
    return np.asarray(print_ * near, dtype=np.float32)


def _dots(angles: tuple[float, ...], own: Floats) -> Floats:
    """Dots on two opposite sides."""
    ink = np.zeros(own.shape[:2], dtype=np.float32)
    for angle in angles:
        axis = np.array([np.sin(angle), 0, np.cos(angle)], dtype=np.float32)
        apart = np.sqrt(np.maximum(1 - (own @ axis) ** 2, 0))
        ink += np.clip((np.float32(_DOT_RADIUS) - apart) / np.float32(0.04) + np.float32(0.5), 0, 1)
    return np.minimum(ink, 1)


@cache
def _digits(number: int) -> Floats:
    """(96, 96) ink of a number in a ring."""
    page = np.zeros((_TEXTURE_PX, _TEXTURE_PX), dtype=np.uint8)
    middle = _TEXTURE_PX // 2
    cv2.circle(page, (middle, middle), middle - 4, 255, 4, cv2.LINE_AA)
    text, scale = str(number), 1.7 if number < 10 else 1.25
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, scale, 6)
    cv2.putText(
        page, text, (middle - width // 2, middle + height // 2), cv2.FONT_HERSHEY_DUPLEX, scale, 255, 6, cv2.LINE_AA
    )
    if number in _UNDERLINED:
        below = middle + height // 2 + 9
        cv2.line(page, (middle - width // 2, below), (middle + width // 2, below), 255, 5, cv2.LINE_AA)
    ink = cv2.GaussianBlur(page, (0, 0), 1.5).astype(np.float32) / 255
    ink.flags.writeable = False
    return ink
