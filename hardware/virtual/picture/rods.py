"""Tapered rods in the picture: outlines, shaded windows, shadows; people and cues are made of them."""

from dataclasses import dataclass

import cv2
import numpy as np

from hardware.virtual.picture.eye import Eye, Window
from hardware.virtual.picture.light import GAMMA, Codes, Floats, encode, irradiance, reversed_colour, shares
from hardware.virtual.picture.look import Colour
from hardware.virtual.scene import Vector

_SHIFT = 4  # sub-pixel bits of OpenCV's polygons
_FAR_PX = 8000.0  # beyond this OpenCV's fixed-point polygons are not to be trusted
_ANGLES = np.linspace(0, 2 * np.pi, 24, endpoint=False)
_ROUND = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
_LOW_MM = -100.0  # what reaches deeper stands on the floor
_SHADOW_SCALE = 4  # shadows are drawn this much smaller
_SHADING_SCALE = 3  # and so is shading


@dataclass(frozen=True, slots=True, kw_only=True)
class Rod:
    """A rod with rounded ends, table mm; equal ends make a round."""

    start_mm: Vector
    end_mm: Vector
    start_radius_mm: float
    end_radius_mm: float

    @property
    def middle_mm(self) -> Vector:
        """Half way along."""
        return self.at(0.5)

    def at(self, share: float) -> Vector:
        """A place on the axis."""
        start, end = self.start_mm, self.end_mm
        return (
            start[0] + (end[0] - start[0]) * share,
            start[1] + (end[1] - start[1]) * share,
            start[2] + (end[2] - start[2]) * share,
        )

    def part(self, first: float, last: float) -> "Rod":
        """A stretch of it."""
        radius, step = self.start_radius_mm, self.end_radius_mm - self.start_radius_mm
        return Rod(
            start_mm=self.at(first),
            end_mm=self.at(last),
            start_radius_mm=radius + step * first,
            end_radius_mm=radius + step * last,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloth:
    """What a rod is covered with: reflectance, and how much it is folded (0 for skin)."""

    colour: Colour
    folds: float = 0.0
    phase: float = 0.0


def outline_px(eye: Eye, rod: Rod) -> Floats | None:
    """(N, 2) px: the hull of both rounded ends, or None when it is behind the camera or out of the picture."""
    rings = []
    for place, radius in ((rod.start_mm, rod.start_radius_mm), (rod.end_mm, rod.end_radius_mm)):
        if place[2] + radius > eye.center[2] - 200:
            return None
        rings.append(np.asarray(place) + radius * (_ROUND[:, :1] * eye.right + _ROUND[:, 1:] * eye.down))
    pixels = eye.camera.project(np.vstack(rings)).astype(np.float32)
    width, height = eye.camera.size_px
    low, high = pixels.min(axis=0), pixels.max(axis=0)
    is_out = high[0] < 0 or high[1] < 0 or low[0] > width or low[1] > height
    if is_out or not np.isfinite(pixels).all() or np.abs(pixels).max() > _FAR_PX:
        return None
    return np.asarray(cv2.convexHull(pixels).reshape(-1, 2), dtype=np.float32)


def fill(canvas: Codes, outline: Floats, colour: tuple[float, ...]) -> None:
    """A filled convex polygon with soft edges."""
    cv2.fillConvexPoly(canvas, np.round(outline * (1 << _SHIFT)).astype(np.int32), colour, cv2.LINE_AA, _SHIFT)


def draw_rod(eye: Eye, picture: Codes, rod: Rod, cloth: Cloth) -> None:
    """Lay a rod over the picture, round in the lamps' light; the table hides what is behind and below it."""
    outline = outline_px(eye, rod)
    if outline is None:
        return
    width, height = eye.camera.size_px
    left, top = (max(int(value) - 3, 0) for value in outline.min(axis=0))
    right, bottom = min(int(outline[:, 0].max()) + 4, width), min(int(outline[:, 1].max()) + 4, height)
    if right - left < 2 or bottom - top < 2:
        return
    mask = np.zeros((bottom - top, right - left), dtype=np.uint8)
    fill(mask, outline - np.array([left, top], dtype=np.float32), (255,))
    cover = cv2.GaussianBlur(mask, (0, 0), eye.look.blur_sigma_px).astype(np.float32) * np.float32(1 / 255)
    if min(rod.start_mm[2], rod.end_mm[2]) < _LOW_MM:
        nearest = min(eye.distance_mm(rod.start_mm), eye.distance_mm(rod.end_mm))
        cover *= eye.surface.distance[top:bottom, left:right] > nearest
    codes = _shading(eye, rod, cloth, (left, top, right, bottom))
    part = picture[top:bottom, left:right]
    part[...] = cv2.blendLinear(part, codes, 1 - cover, cover)


def _shading(eye: Eye, rod: Rod, cloth: Cloth, window: Window) -> Codes:
    """(h, w, 3) code values of a rod's surface over a window."""
    left, top, right, bottom = window
    wide, high = max((right - left) // _SHADING_SCALE, 2), max((bottom - top) // _SHADING_SCALE, 2)
    x = left - 0.5 + (np.arange(wide, dtype=np.float32) + 0.5) * np.float32((right - left) / wide)
    y = top - 0.5 + (np.arange(high, dtype=np.float32) + 0.5) * np.float32((bottom - top) / high)
    ends = eye.camera.project([rod.start_mm, rod.end_mm])
    radii = [
        radius * eye.scale_px_mm(place)
        for place, radius in ((rod.start_mm, rod.start_radius_mm), (rod.end_mm, rod.end_radius_mm))
    ]
    axis = (ends[1] - ends[0]).astype(np.float32)
    square = max(float(axis @ axis), 1e-6)
    from_x, from_y = x[None, :] - np.float32(ends[0][0]), y[:, None] - np.float32(ends[0][1])
    share = np.clip((from_x * axis[0] + from_y * axis[1]) / np.float32(square), 0, 1)
    radius = np.float32(radii[0]) + np.float32(radii[1] - radii[0]) * share
    aside_x, aside_y = (from_x - share * axis[0]) / radius, (from_y - share * axis[1]) / radius
    flat = np.hypot(aside_x, aside_y)
    tame = np.minimum(flat, 0.97) / np.maximum(flat, 1e-6)
    aside_x, aside_y = aside_x * tame, aside_y * tame
    toward = np.sqrt(1 - np.square(np.minimum(flat, 0.97)))
    normals = (aside_x[..., None] * eye.right + aside_y[..., None] * eye.down - toward[..., None] * eye.ahead).astype(
        np.float32
    )
    light = reversed_colour(eye.look.ambient) * (np.float32(0.55) + np.float32(0.45) * normals[..., 2:])
    middle = np.array(rod.middle_mm, dtype=np.float32)
    for source in eye.lamps:
        light = light + irradiance(source, middle, normals)[..., None] * source.colour
    if cloth.folds > 0:
        length = np.float32(np.sqrt(square) / max(radii))
        bend = np.sin(np.float32(1.9) * share * length + np.float32(cloth.phase)) + np.float32(1.6) * (
            aside_x * axis[1] - aside_y * axis[0]
        ) / np.float32(np.sqrt(square))
        light = light * (1 + np.float32(cloth.folds) * np.sin(np.float32(4.3) * share * length + 2 * bend))[..., None]
    codes = encode(light * reversed_colour(cloth.colour) * np.float32(eye.look.exposure_gain))
    small = np.clip(codes + 0.5, 0, 255).astype(np.uint8)
    return np.asarray(cv2.resize(small, (right - left, bottom - top), interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


def lay_shadows(eye: Eye, picture: Codes, rods: list[Rod]) -> None:
    """Darken the table where rods stand between it and the lamps."""
    width, height = eye.camera.size_px
    small = (width // _SHADOW_SCALE, height // _SHADOW_SCALE)
    middle = np.array([*np.mean([rod.start_mm[:2] for rod in rods], axis=0), 0.0], dtype=np.float32)
    parts, _ = shares(eye.lights, eye.look, middle)
    left_over = np.ones(small[::-1], dtype=np.float32)
    for light, part in zip(eye.lights, parts, strict=True):
        mask = np.zeros(small[::-1], dtype=np.uint8)
        height_mm = 60.0
        for rod in rods:
            outline = _shadow_outline(eye, light.center, rod)
            if outline is not None:
                fill(mask, (outline + 0.5) / _SHADOW_SCALE - 0.5, (255,))
                height_mm = max(height_mm, min(rod.start_mm[2], rod.end_mm[2]))
        if not mask.any():
            continue
        soft_mm = light.radius_mm * height_mm / light.height_mm
        sigma = soft_mm * float(eye.camera.matrix[0, 0]) / float(eye.center[2]) / _SHADOW_SCALE / 2
        soft = cv2.GaussianBlur(mask, (0, 0), min(max(sigma, 0.6), 12.0))
        left_over -= soft * np.float32(part * 0.9 / 255)
    _dim(picture, np.power(np.clip(left_over, 0.02, 1), np.float32(1 / GAMMA)))


def _dim(picture: Codes, factor: Floats) -> None:
    """Multiply the picture by a smaller factor map, only where there is something to do."""
    rows, columns = np.nonzero((factor < 0.996).any(axis=1))[0], np.nonzero((factor < 0.996).any(axis=0))[0]
    if not len(rows):
        return
    top, bottom, left, right = int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1
    part = (factor[top:bottom, left:right] * 255 + 0.5).astype(np.uint8)
    size = ((right - left) * _SHADOW_SCALE, (bottom - top) * _SHADOW_SCALE)
    scale = cv2.resize(part, size, interpolation=cv2.INTER_LINEAR)
    window = picture[top * _SHADOW_SCALE : bottom * _SHADOW_SCALE, left * _SHADOW_SCALE : right * _SHADOW_SCALE]
    cv2.multiply(window, cv2.merge([scale, scale, scale]), dst=window, scale=1 / 255)


def _shadow_outline(eye: Eye, lamp: Floats, rod: Rod) -> Floats | None:
    """(N, 2) px: the hull of a rod's shadow on the cloth plane."""
    rings = []
    for place, radius in ((rod.start_mm, rod.start_radius_mm), (rod.end_mm, rod.end_radius_mm)):
        z_mm = min(max(place[2], 0.0), 0.7 * float(lamp[2]))
        scale = float(lamp[2]) / (float(lamp[2]) - z_mm)
        ring = np.zeros((len(_ROUND), 3))
        ring[:, :2] = lamp[:2] + (np.array(place[:2]) - lamp[:2] + _ROUND * radius) * scale
        rings.append(ring)
    pixels = eye.camera.project(np.vstack(rings)).astype(np.float32)
    if not np.isfinite(pixels).all() or np.abs(pixels).max() > _FAR_PX:
        return None
    return np.asarray(cv2.convexHull(pixels).reshape(-1, 2), dtype=np.float32)
