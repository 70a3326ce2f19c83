"""What is measured of a picture whose balls are known: edges, contrast, noise, highlights, shadows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.floating[Any]]

MEASURES: Mapping[str, str] = MappingProxyType(
    {
        "radius_px": "ball's radius, px",
        "edge_px": "edge of a ball from 90 to 10 %, px",
        "contrast": "ball against cloth, 8-bit RGB distance",
        "noise": "noise on the cloth, 8-bit standard deviation",
        "noise_fine": "share of the noise finer than 4 px",
        "highlight": "highlight of coloured balls, share of the disc",
        "highlight_gain": "brightest 1 % of coloured balls above their median, 8-bit",
        "shadow": "darkest side of the shadow, share of the cloth's brightness lost",
    }
)
_RAYS, _STEP_PX = 48, 0.1
_PATCH_PX = 32
_BRIGHT = 190.0  # balls with a brighter median are white: their highlights do not show
_APART = 3.2  # radii to the next ball for a ball to be measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Disc:
    """A ball in a picture."""

    x_px: float
    y_px: float
    radius_px: float


def measured(picture: npt.NDArray[np.uint8], discs: Sequence[Disc]) -> dict[str, float]:
    """The median of each measure over the balls of a picture that stand free; what cannot be measured is left out."""
    found: dict[str, list[float]] = {name: [] for name in MEASURES}
    colours = picture.astype(np.float32)
    for disc in discs:
        others = [math.hypot(one.x_px - disc.x_px, one.y_px - disc.y_px) for one in discs if one is not disc]
        if min(others, default=math.inf) < _APART * disc.radius_px or not _is_inside(disc, picture.shape):
            continue
        for name, value in _of_ball(colours, disc).items():
            found[name].append(value)
    found["noise"], found["noise_fine"] = _noise(picture, discs)
    return {name: float(np.median(values)) for name, values in found.items() if values}


def _is_inside(disc: Disc, shape: tuple[int, ...]) -> bool:
    reach = 3.2 * disc.radius_px
    return reach < disc.x_px < shape[1] - reach and reach < disc.y_px < shape[0] - reach


def _of_ball(colours: Floats, disc: Disc) -> dict[str, float]:
    """The measures of one ball."""
    reach = math.ceil(3 * disc.radius_px)
    left, top = round(disc.x_px) - reach, round(disc.y_px) - reach
    part = colours[top : top + 2 * reach + 1, left : left + 2 * reach + 1]
    rows, columns = np.indices(part.shape[:2], dtype=np.float32)
    dx, dy = columns + left - disc.x_px, rows + top - disc.y_px
    apart = np.hypot(dx, dy) / disc.radius_px
    inner, around = part[apart < 0.7], part[(apart > 2.0) & (apart < 2.8)]
    ball, cloth = np.median(inner, axis=0), np.median(around, axis=0)
    values = {"radius_px": disc.radius_px, "contrast": float(np.linalg.norm(ball - cloth))}
    edge = _edge_px(part, (disc.x_px - left, disc.y_px - top), disc.radius_px, ball, cloth)
    if edge is not None:
        values["edge_px"] = edge
    brightness = part @ np.array([0.114, 0.587, 0.299], dtype=np.float32)
    own, median = brightness[apart < 0.85], float(np.median(brightness[apart < 0.85]))
    if median < _BRIGHT:
        values["highlight"] = float((own > median + 0.5 * (255.0 - median)).mean())
        values["highlight_gain"] = float(np.percentile(own, 99)) - median
    sector = np.floor((np.arctan2(dy, dx) + math.pi) / (2 * math.pi) * 12).astype(int) % 12
    ring = (apart > 1.15) & (apart < 1.5)
    lights = [float(np.median(brightness[ring & (sector == index)])) for index in range(12)]
    ground = float(np.median(around @ np.array([0.114, 0.587, 0.299], dtype=np.float32)))
    if ground > 20:
        values["shadow"] = max(0.0, 1.0 - min(lights) / ground)
    return values


def _edge_px(part: Floats, middle: tuple[float, float], radius_px: float, ball: Floats, cloth: Floats) -> float | None:
    """How wide a ball's edge is: along rays, from 90 to 10 % of the way from cloth to ball."""
    axis = ball - cloth
    square = float(axis @ axis)
    if square < 30**2:
        return None
    likeness = ((part - cloth) @ axis / square).astype(np.float32)
    steps = np.arange(0.55 * radius_px, 1.6 * radius_px, _STEP_PX, dtype=np.float32)
    angles = np.linspace(0, 2 * np.pi, _RAYS, endpoint=False, dtype=np.float32)[:, None]
    profiles = cv2.remap(
        likeness, middle[0] + np.cos(angles) * steps, middle[1] + np.sin(angles) * steps, cv2.INTER_CUBIC
    )
    widths = []
    for profile in profiles:
        half = np.nonzero((profile[:-1] >= 0.5) & (profile[1:] < 0.5))[0]
        if not len(half):
            continue
        inside = np.nonzero(profile[: half[-1] + 1] >= 0.9)[0]
        outside = np.nonzero(profile[half[-1] :] <= 0.1)[0]
        if len(inside) and len(outside):
            widths.append((half[-1] + outside[0] - inside[-1]) * _STEP_PX)
    return float(np.median(widths)) if len(widths) > _RAYS // 3 else None


def _noise(picture: npt.NDArray[np.uint8], discs: Sequence[Disc]) -> tuple[list[float], list[float]]:
    """The quietest patches near the balls: the spread of the noise, and how much of it is fine."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
    height, width = grey.shape
    found = []
    for disc in discs:
        for angle in np.linspace(0, 2 * np.pi, 12, endpoint=False):
            reach = 2.5 * disc.radius_px + _PATCH_PX
            left = int(disc.x_px + math.cos(angle) * reach - _PATCH_PX / 2)
            top = int(disc.y_px + math.sin(angle) * reach - _PATCH_PX / 2)
            if not (0 <= left < width - _PATCH_PX and 0 <= top < height - _PATCH_PX):
                continue
            patch = grey[top : top + _PATCH_PX, left : left + _PATCH_PX]
            flat = patch - cv2.GaussianBlur(patch, (0, 0), 6.0)
            found.append((float(flat.std()), flat))
    if not found:
        return [], []
    quiet = sorted(found, key=lambda each: each[0])[: max(len(found) // 3, 1)]
    frequencies = np.hypot(*np.meshgrid(np.fft.fftfreq(_PATCH_PX), np.fft.fftfreq(_PATCH_PX)))
    shares = []
    for _, flat in quiet:
        power = np.abs(np.fft.fft2(flat * np.outer(np.hanning(_PATCH_PX), np.hanning(_PATCH_PX)))) ** 2
        shares.append(float(power[frequencies > 0.25].sum() / max(float(power[frequencies > 0.04].sum()), 1e-9)))
    return [spread for spread, _ in quiet], shares
