"""Light: what the lamps give to a place, which share of it a shadow takes, and how light becomes 8-bit code values."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hardware.virtual.picture.look import Look

Floats: TypeAlias = npt.NDArray[np.floating[Any]]
Codes: TypeAlias = npt.NDArray[np.uint8]

GAMMA = 2.2
_LAMP_DISTANCE_MM = 2500.0  # at which power 1 gives irradiance 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Source:
    """A place that light comes from: one point of a lamp, with the size that softens its shadows."""

    center: Floats  # (3,) table mm
    radius_mm: float
    colour: Floats  # (3,) blue, green, red, times power

    @property
    def height_mm(self) -> float:
        """Above the cloth."""
        return float(self.center[2])


def sources(look: Look) -> tuple[Source, ...]:
    """The lamps as points."""
    found = []
    for lamp in look.lamps:
        points = lamp.points()
        colour = np.array(lamp.colour[::-1], dtype=np.float32) * np.float32(lamp.power / len(points))
        found += [
            Source(center=np.array(point, dtype=np.float32), radius_mm=lamp.radius_mm, colour=colour)
            for point in points
        ]
    return tuple(found)


def lamp_middles(look: Look) -> tuple[Source, ...]:
    """Each lamp as one point, for things so small or so round that its length does not matter."""
    return tuple(
        Source(
            center=np.array(lamp.center_mm, dtype=np.float32),
            radius_mm=max(lamp.half_length_mm, lamp.half_width_mm),
            colour=reversed_colour(lamp.colour) * np.float32(lamp.power),
        )
        for lamp in look.lamps
    )


def irradiance(source: Source, places: Floats, normals: Floats) -> Floats:
    """(..., 3) places and normals to (...) light that falls there, in units of `source.colour`."""
    toward = source.center - places
    square = np.einsum("...i,...i->...", toward, toward)
    lean = np.einsum("...i,...i->...", toward, normals)
    return np.asarray(
        np.float32(_LAMP_DISTANCE_MM**2) * np.maximum(lean, 0) / (square * np.sqrt(square)), dtype=np.float32
    )


def shares(lights: tuple[Source, ...], look: Look, place: Floats) -> tuple[list[float], float]:
    """How much of the light on a level place comes from each source, and how much from all around."""
    up = np.array([0, 0, 1], dtype=np.float32)
    parts = [float(irradiance(light, place, up) * light.colour[1]) for light in lights]
    total = sum(parts) + look.ambient[1]
    return [part / total for part in parts], look.ambient[1] / total


def encode(light: Floats) -> Floats:
    """Linear light to code values 0 to 255, with a soft shoulder instead of a hard end."""
    knee = np.float32(0.8)
    over = np.maximum(light - knee, 0)
    soft = np.minimum(light, knee) + over / (1 + over / (1 - knee)) * np.float32(1.0)
    return np.asarray(255 * np.power(np.maximum(soft, 0), np.float32(1 / GAMMA)), dtype=np.float32)


def smoothstep(low: float | Floats, high: float | Floats, value: Floats) -> Floats:
    """0 below `low`, 1 above `high`, smooth between."""
    share = np.clip((value - low) / (high - low), 0, 1)
    return np.asarray(share * share * (3 - 2 * share), dtype=np.float32)


def reversed_colour(colour: tuple[float, float, float]) -> Floats:
    """Red, green, blue to (3,) blue, green, red."""
    return np.array(colour[::-1], dtype=np.float32)
