"""What stands around in a hall: another table, chairs, a bag; seen from above, drawn where it meets the floor."""

import math

import numpy as np

from hardware.virtual.picture.light import Floats, reversed_colour, smoothstep
from hardware.virtual.picture.look import Colour, Look
from hardware.virtual.picture.shape import TableShape

_FURNITURE = 19  # different things need different seeds
_SEATS: tuple[Colour, ...] = ((0.03, 0.03, 0.035), (0.18, 0.02, 0.02), (0.25, 0.16, 0.08), (0.3, 0.3, 0.32))
_RAIL_MM = 160.0
_SOFT_MM = 12.0


def furnish(shape: TableShape, look: Look, albedo: Floats, x: Floats, y: Floats) -> None:
    """Lay furniture over the floor's reflectance (N, 3) BGR at places (N,) mm."""
    rng = np.random.default_rng([look.seed, _FURNITURE])
    middle = shape.length_mm / 2
    edge = shape.width_mm / 2 + shape.outer_mm
    side = float(rng.choice((-1.0, 1.0)))
    if rng.random() < 0.7:
        half = (shape.length_mm / 2, shape.width_mm / 2)
        at = (middle + float(rng.uniform(-800, 800)), side * (edge + float(rng.uniform(1400, 2200)) + half[1]))
        turn = float(rng.normal(0, 0.03))
        rails = _box_mm(x, y, at, turn, (half[0] + _RAIL_MM, half[1] + _RAIL_MM))
        _lay(albedo, rails, look.wood)
        _lay(albedo, _box_mm(x, y, at, turn, half), look.cloth)
    seat = _SEATS[int(rng.integers(len(_SEATS)))]
    for _ in range(int(rng.integers(2, 7))):
        away = edge + float(rng.uniform(900, 1900))
        at = (float(rng.uniform(-1200, shape.length_mm + 1200)), float(rng.choice((-1.0, 1.0))) * away)
        size = (float(rng.uniform(190, 260)), float(rng.uniform(190, 260)))
        turn = float(rng.uniform(-math.pi, math.pi))
        shade = _box_mm(x - 60.0, y - 60.0, at, turn, (size[0] + 70, size[1] + 70))
        albedo *= (1 - 0.45 * (1 - smoothstep(-120.0, 60.0, shade)))[:, None]
        _lay(albedo, _box_mm(x, y, at, turn, size), seat)
        back = (at[0] + math.cos(turn) * size[0], at[1] + math.sin(turn) * size[0])
        _lay(albedo, _box_mm(x, y, back, turn, (35.0, size[1])), (seat[0] * 0.6, seat[1] * 0.6, seat[2] * 0.6))


def _box_mm(x: Floats, y: Floats, at: tuple[float, float], turn: float, half: tuple[float, float]) -> Floats:
    """The distance of places from a turned rectangle, negative inside."""
    dx, dy = x - np.float32(at[0]), y - np.float32(at[1])
    cosine, sine = np.float32(math.cos(turn)), np.float32(math.sin(turn))
    along, across = np.abs(dx * cosine + dy * sine), np.abs(dy * cosine - dx * sine)
    return np.asarray(np.maximum(along - np.float32(half[0]), across - np.float32(half[1])), dtype=np.float32)


def _lay(albedo: Floats, distance: Floats, colour: Colour) -> None:
    """Cover places within a thing."""
    cover = (1 - smoothstep(-_SOFT_MM, _SOFT_MM, distance))[:, None]
    albedo += cover * (reversed_colour(colour) - albedo)
