"""Paints the empty table once: cloth, cushions, wood, holes, marks and floor in the lamps' light."""

from itertools import product

import cv2
import numpy as np
import numpy.typing as npt

from hardware.virtual.picture.furniture import furnish
from hardware.virtual.picture.light import (
    Codes,
    Floats,
    Source,
    encode,
    irradiance,
    reversed_colour,
    smoothstep,
    sources,
)
from hardware.virtual.picture.look import Look
from hardware.virtual.picture.shape import TableShape
from hardware.virtual.picture.surface import Kind, Surface, meet

_OFFSETS_PX = (-1 / 3, 0.0, 1 / 3)  # of the rays within a pixel, in x and in y
_BATCH = 512


def paint(shape: TableShape, look: Look, center: Floats, rays: Floats, surface: Surface) -> Codes:
    """(H, W, 3) uint8 BGR of the empty table, antialiased by nine rays a pixel at edges and softened by the lens."""
    grains = _Grains(look.seed)
    picture = encode(_light(shape, look, grains, surface, rays) * np.float32(look.exposure_gain))
    rows, columns = np.nonzero(_is_edge(shape, surface))
    fill = -len(rows) % _BATCH  # whole rows, since OpenCV maps pictures, not lists
    rows, columns = np.pad(rows, (0, fill), mode="edge"), np.pad(columns, (0, fill), mode="edge")
    step_x = np.gradient(rays, axis=1)[rows, columns].reshape(-1, _BATCH, 3).astype(np.float32)
    step_y = np.gradient(rays, axis=0)[rows, columns].reshape(-1, _BATCH, 3).astype(np.float32)
    some = rays[rows, columns].reshape(-1, _BATCH, 3)
    total = np.zeros(some.shape, dtype=np.float32)
    for offset_x, offset_y in product(_OFFSETS_PX, _OFFSETS_PX):
        moved = some + step_x * np.float32(offset_x) + step_y * np.float32(offset_y)
        hit = meet(shape, center, moved)
        total += encode(_light(shape, look, grains, hit, moved) * np.float32(look.exposure_gain))
    picture[rows, columns] = total.reshape(-1, 3) / len(_OFFSETS_PX) ** 2
    softened = cv2.GaussianBlur(picture, (0, 0), max(look.blur_sigma_px * 0.9, 0.1))
    codes = np.clip(softened * vignette(look, rays.shape)[..., None] + 0.5, 0, 255)
    return np.asarray(codes, dtype=np.uint8)


def vignette(look: Look, shape: tuple[int, ...]) -> Floats:
    """(H, W) float32 factor on code values: darker towards the corners."""
    height, width = shape[:2]
    x = np.linspace(-1, 1, width, dtype=np.float32)
    y = np.linspace(-1, 1, height, dtype=np.float32) * np.float32(height / width)
    square = x[None, :] ** 2 + y[:, None] ** 2
    return np.asarray(1 - np.float32(look.vignette) * square * square / 1.6, dtype=np.float32)


def _is_edge(shape: TableShape, surface: Surface) -> npt.NDArray[np.bool_]:
    """Which pixels hold more than one surface, or a mark."""
    around = np.ones((3, 3), dtype=np.uint8)
    edge = cv2.dilate(surface.kinds, around) != cv2.erode(surface.kinds, around)
    x, y = surface.points[..., 0], surface.points[..., 1]
    on_cloth = surface.kinds == Kind.CLOTH
    edge |= on_cloth & (np.abs(x - np.float32(shape.length_mm / 4)) < 8)
    for share in (0.25, 0.5, 0.75):
        edge |= on_cloth & (np.abs(x - np.float32(shape.length_mm * share)) < 12) & (np.abs(y) < 12)
    u, v = shape.fold(x, y)
    out = shape.outside_mm(u, v)
    on_rail = surface.kinds == Kind.WOOD
    edge |= on_rail & (np.abs(out - np.float32(shape.sight_line_mm)) < 12)
    return np.asarray(edge | (on_rail & (out < shape.cushion_width_mm + 6)), dtype=np.bool_)


class _Grains:
    """Noise textures, fixed to the table: looked up by a place in mm."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng([seed, 3])
        fine = rng.normal(0, 1, (1024, 1024)).astype(np.float32)
        self._fine = _tileable(fine, 0.8) * np.float32(2)
        broad = rng.normal(0, 1, (256, 256)).astype(np.float32)
        self._broad = sum(
            (_tileable(broad, sigma) * np.float32(sigma * 2) for sigma in (2, 5, 12)),
            start=np.zeros((256, 256), dtype=np.float32),
        ) / np.float32(3)

    def fine(self, x: Floats, y: Floats) -> Floats:
        """Grain of unit spread; one unit of x or y is one grain."""
        return _wrapped(self._fine, x, y)

    def broad(self, x: Floats, y: Floats) -> Floats:
        """Patches of about unit spread over several units."""
        return _wrapped(self._broad, x, y)


def _tileable(noise: Floats, sigma: float) -> Floats:
    """Noise blurred as if it went on for ever."""
    pad = int(4 * sigma) + 1
    return np.asarray(cv2.GaussianBlur(np.pad(noise, pad, mode="wrap"), (0, 0), sigma)[pad:-pad, pad:-pad], np.float32)


def _wrapped(texture: Floats, x: Floats, y: Floats) -> Floats:
    size = texture.shape[0]
    return np.asarray(
        cv2.remap(
            texture,
            np.mod(x, size).astype(np.float32),
            np.mod(y, size).astype(np.float32),
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_WRAP,
        ),
        dtype=np.float32,
    )


def _light(shape: TableShape, look: Look, grains: _Grains, surface: Surface, rays: Floats) -> Floats:
    """(H, W, 3) light towards the camera, BGR."""
    points, kinds = surface.points, surface.kinds
    x, y = points[..., 0], points[..., 1]
    u, v = shape.fold(x, y)
    out = shape.outside_mm(u, v)
    hole = shape.hole_distance_mm(u, v)
    normals = np.zeros(points.shape, dtype=np.float32)
    normals[..., 2] = 1
    side = (kinds == Kind.FACE) | (kinds == Kind.APRON)
    normals[side] = _sideways(shape, points[side], kinds[side] == Kind.APRON)
    albedo = _albedo(shape, look, grains, surface)
    lights = sources(look)
    glow = (
        np.zeros(points.shape, dtype=np.float32)
        + reversed_colour(look.ambient) * _openness(kinds, out, hole)[..., None]
    )
    shine = np.zeros(points.shape, dtype=np.float32)
    on_wood = (kinds == Kind.WOOD) | (kinds == Kind.FITTING)
    for light in lights:
        fall = irradiance(light, points, normals) * _unshaded(shape, light, points, kinds)
        glow += fall[..., None] * light.colour
        shine[on_wood] += _gloss(light, points[on_wood], rays[on_wood])[:, None] * light.colour
    return np.asarray(albedo * glow + shine * np.float32(look.wood_gloss), dtype=np.float32)


def _sideways(shape: TableShape, points: Floats, is_outer: npt.NDArray[np.bool_]) -> Floats:
    """Normals of upright faces: cushions face the table, aprons face away."""
    u, v = shape.fold(points[:, 0], points[:, 1])
    along_x = (u - shape.length_mm / 2) > (v - shape.width_mm / 2)
    inward = np.zeros(points.shape, dtype=np.float32)
    inward[:, 0] = np.where(along_x, np.sign(shape.length_mm / 2 - points[:, 0]), 0)
    inward[:, 1] = np.where(along_x, 0, -np.sign(points[:, 1]))
    return np.asarray(np.where(is_outer[:, None], -inward, inward), dtype=np.float32)


def _openness(kinds: npt.NDArray[np.uint8], out: Floats, hole: Floats) -> Floats:
    """How much of the light from all around reaches a place."""
    open_ = np.ones(kinds.shape, dtype=np.float32)
    cloth = kinds == Kind.CLOTH
    open_[cloth] = (1 - 0.5 * np.exp(np.minimum(out, 0) / 25))[cloth]
    open_[kinds == Kind.FACE] = 0.35
    open_[kinds == Kind.LINER] = 0.6
    open_[kinds == Kind.APRON] = 0.5
    open_[kinds == Kind.HOLE] = (0.25 * np.exp(np.minimum(hole, 0) / 30))[kinds == Kind.HOLE]
    floor = kinds == Kind.FLOOR
    open_[floor] = (0.4 + 0.6 * smoothstep(150.0, 900.0, out))[floor]
    return open_


def _unshaded(shape: TableShape, light: Source, points: Floats, kinds: npt.NDArray[np.uint8]) -> Floats:
    """The share of a lamp that a place sees past the cushion noses, and past the table for the floor."""
    seen = np.ones(kinds.shape, dtype=np.float32)
    cloth = (kinds == Kind.CLOTH) | (kinds == Kind.FACE)
    reach = np.float32(shape.nose_mm / light.height_mm)
    soft = max(3.0, float(reach) * light.radius_mm)
    at_x = points[..., 0] + (light.center[0] - points[..., 0]) * reach
    at_y = points[..., 1] + (light.center[1] - points[..., 1]) * reach
    over = np.maximum(np.abs(at_x - shape.length_mm / 2) - shape.length_mm / 2, np.abs(at_y) - shape.width_mm / 2)
    seen[cloth] = (1 - smoothstep(-soft, soft, over))[cloth]
    floor = kinds == Kind.FLOOR
    rise = np.float32((shape.rail_mm - shape.floor_mm) / (light.height_mm - shape.floor_mm))
    at_x = points[..., 0] + (light.center[0] - points[..., 0]) * rise
    at_y = points[..., 1] + (light.center[1] - points[..., 1]) * rise
    over = np.maximum(np.abs(at_x - shape.length_mm / 2) - shape.length_mm / 2, np.abs(at_y) - shape.width_mm / 2)
    seen[floor] = smoothstep(shape.outer_mm - 90, shape.outer_mm + 90, over)[floor]
    seen[kinds == Kind.HOLE] = 0.02
    seen[kinds == Kind.LINER] *= 0.7
    return seen


def _gloss(light: Source, points: Floats, rays: Floats) -> Floats:
    """The lamp's blurred reflection in varnish."""
    climb = (light.height_mm - points[:, 2]) / np.maximum(-rays[:, 2], 1e-3)
    x = points[:, 0] + rays[:, 0] * climb - light.center[0]
    y = points[:, 1] + rays[:, 1] * climb - light.center[1]
    spread = np.float32(light.radius_mm + 220)
    return np.asarray(np.exp(-(x * x + y * y) / (spread * spread)), dtype=np.float32)


def _albedo(shape: TableShape, look: Look, grains: _Grains, surface: Surface) -> Floats:
    """(H, W, 3) reflectance, BGR."""
    points, kinds = surface.points, surface.kinds
    x, y = points[..., 0], points[..., 1]
    colours = np.zeros((len(Kind), 3), dtype=np.float32)
    cloth, wood = reversed_colour(look.cloth), reversed_colour(look.wood)
    colours[Kind.FLOOR] = reversed_colour(look.floor)
    colours[Kind.CLOTH], colours[Kind.CUSHION], colours[Kind.FACE] = cloth, cloth * 1.04, cloth * 0.8
    colours[Kind.WOOD], colours[Kind.APRON] = wood, wood * 0.7
    colours[Kind.FITTING], colours[Kind.LINER] = reversed_colour(look.fitting), reversed_colour(look.liner)
    colours[Kind.HOLE] = np.array([0.03, 0.035, 0.045], dtype=np.float32)
    albedo = colours[kinds]
    woolly = (kinds == Kind.CLOTH) | (kinds == Kind.CUSHION)
    texture = np.float32(look.cloth_texture) * (
        grains.fine(x / 1.8, y / 1.8) + 0.6 * grains.broad(x / 14, y / 14)
    ) + np.float32(0.05 * look.wear) * grains.broad(x / 60 + 90, y / 60)
    albedo[woolly] *= np.clip(1 + texture, 0.5, 1.6)[woolly][:, None]
    albedo += _dust(look, grains, surface)[..., None] * (np.float32(0.5) - albedo)
    holes = kinds == Kind.HOLE
    strands = np.minimum(np.abs(np.mod(x + y, 17) - 8.5), np.abs(np.mod(x - y, 17) - 8.5))
    albedo[holes] += (1 - smoothstep(1.0, 2.5, strands[holes]))[:, None] * np.float32(look.net)
    lengthwise = (np.abs(y) - shape.width_mm / 2) > (np.abs(x - shape.length_mm / 2) - shape.length_mm / 2)
    along, across = np.where(lengthwise, x, y), np.where(lengthwise, y, x)
    stripes = grains.broad(along / 130, across / 2.2) * 0.16 + grains.fine(along / 40, across / 1.1) * 0.06
    timber = (kinds == Kind.WOOD) | (kinds == Kind.APRON)
    albedo[timber] *= np.clip(1 + stripes, 0.4, 1.7)[timber][:, None]
    floor = kinds == Kind.FLOOR
    patches = 1 + 0.08 * grains.fine(x / 9, y / 9) + 0.10 * grains.broad(x / 80, y / 80)
    if look.floor_tile_mm > 0:
        tile = np.float32(look.floor_tile_mm)
        gap = np.minimum(np.abs(np.mod(x, tile) - tile / 2), np.abs(np.mod(y, tile) - tile / 2))
        patches = patches * (1 - 0.35 * (1 - smoothstep(2.0, 7.0, gap)))
        patches = patches * (1 + 0.12 * grains.fine(np.floor(x / tile + 0.5) * 7.3, np.floor(y / tile + 0.5) * 5.1))
    albedo[floor] *= np.clip(patches, 0.3, 1.8)[floor][:, None]
    if look.is_furnished:
        around = albedo[floor]
        furnish(shape, look, around, x[floor], y[floor])
        albedo[floor] = around
    _marks(shape, look, albedo, points, kinds)
    return albedo


def _dust(look: Look, grains: _Grains, surface: Surface) -> Floats:
    """(H, W) chalk dust and scuffs: pale specks, more of them on a worn cloth."""
    x, y = surface.points[..., 0], surface.points[..., 1]
    specks = smoothstep(2.6, 3.4, grains.fine(x / 6 + 400, y / 6)) * (grains.broad(x / 50, y / 50 + 31) > 0)
    return np.asarray(np.where(surface.kinds == Kind.CLOTH, specks, 0) * 0.35 * look.wear, dtype=np.float32)


def _marks(shape: TableShape, look: Look, albedo: Floats, points: Floats, kinds: npt.NDArray[np.uint8]) -> None:
    """Spots, the house line and the rails' sights."""
    x, y = points[..., 0], points[..., 1]
    cloth = kinds == Kind.CLOTH
    line = (1 - smoothstep(1.0, 2.0, np.abs(x - shape.length_mm / 4))) * np.float32(look.house_line)
    albedo += np.where(cloth, line, np.float32(0))[..., None] * (np.float32(0.65) - albedo)
    is_dark = float(np.mean(look.cloth)) > 0.1
    for share in (0.25, 0.5, 0.75):
        spot = 1 - smoothstep(4.5, 5.5, np.hypot(x - shape.length_mm * share, y))
        albedo += np.where(cloth, spot, np.float32(0))[..., None] * (np.float32(0.05 if is_dark else 0.6) - albedo)
    wood = kinds == Kind.WOOD
    apart = shape.sight_distance_mm(x[wood], y[wood])
    albedo[wood] += (1 - smoothstep(5.0, 6.5, apart))[..., None] * (np.float32(0.8) - albedo[wood])
