"""People and cues: tapered rods and rounds with shading and shadows, laid over the table and the balls."""

from typing import TypeAlias

import cv2
import numpy as np

from hardware.virtual.picture.eye import Eye
from hardware.virtual.picture.light import GAMMA, Codes, Floats, encode, irradiance, reversed_colour, shares
from hardware.virtual.scene import CueStick, Instant, Limb, Vector

Rod: TypeAlias = tuple[Vector, Vector, float, float]  # both ends, both radii, mm
_SHIFT = 4  # sub-pixel bits of OpenCV's polygons
_ROUND = np.stack(
    [np.cos(np.linspace(0, 2 * np.pi, 24, endpoint=False)), np.sin(np.linspace(0, 2 * np.pi, 24, endpoint=False))],
    axis=1,
)
_CUE_RADII_MM = (6.0, 14.5)
# parts of a cue: up to which share of its length, reflectance (red, green, blue)
_CUE_PARTS = (
    (0.008, (0.06, 0.12, 0.3)),
    (0.022, (0.8, 0.78, 0.7)),
    (0.5, (0.62, 0.42, 0.22)),
    (0.52, (0.7, 0.66, 0.6)),
    (0.72, (0.1, 0.035, 0.02)),
    (0.92, (0.03, 0.03, 0.03)),
    (1.0, (0.12, 0.04, 0.02)),
)


def draw_people(eye: Eye, picture: Codes, instant: Instant) -> None:
    """Lay shadows, then cues and limbs from the lowest to the highest."""
    rods = [(limb.start_mm, limb.end_mm, limb.start_radius_mm, limb.end_radius_mm) for limb in instant.limbs]
    rods += [(cue.tip_mm, cue.butt_mm, *_CUE_RADII_MM) for cue in instant.cues]
    if not rods:
        return
    _lay_shadows(eye, picture, rods)
    things: list[CueStick | Limb] = [*instant.cues, *instant.limbs]
    for thing in sorted(things, key=_height_mm):
        if isinstance(thing, CueStick):
            _draw_cue(eye, picture, thing)
        else:
            _draw_limb(eye, picture, thing)


def _height_mm(thing: CueStick | Limb) -> float:
    """How high the middle of a thing is."""
    if isinstance(thing, CueStick):
        return (thing.tip_mm[2] * 3 + thing.butt_mm[2]) / 4
    return (thing.start_mm[2] + thing.end_mm[2]) / 2 + max(thing.start_radius_mm, thing.end_radius_mm)


def _outline_px(eye: Eye, rod: Rod) -> Floats | None:
    """(N, 2) px: the hull of both rounded ends, or None when it is behind the camera or out of the picture."""
    points = []
    for place, radius in ((rod[0], rod[2]), (rod[1], rod[3])):
        if place[2] + radius > eye.center[2] - 200:
            return None
        points.append(np.asarray(place) + radius * (_ROUND[:, :1] * eye.right + _ROUND[:, 1:] * eye.down))
    pixels = eye.camera.project(np.vstack(points)).astype(np.float32)
    width, height = eye.camera.size_px
    low, high = pixels.min(axis=0), pixels.max(axis=0)
    if high[0] < 0 or high[1] < 0 or low[0] > width or low[1] > height or np.abs(pixels).max() > 8000:
        return None
    return np.asarray(cv2.convexHull(pixels).reshape(-1, 2), dtype=np.float32)


def _fill(canvas: Codes, outline: Floats, colour: tuple[float, ...]) -> None:
    """A filled polygon with soft edges."""
    cv2.fillConvexPoly(canvas, np.round(outline * (1 << _SHIFT)).astype(np.int32), colour, cv2.LINE_AA, _SHIFT)


def _tone(eye: Eye, colour: tuple[float, float, float], place: Vector) -> Floats:
    """(3,) light of a level surface at a place, BGR."""
    at, up = np.array(place, dtype=np.float32), np.array([0, 0, 1], dtype=np.float32)
    light = reversed_colour(eye.look.ambient)
    for source in eye.lights:
        light = light + irradiance(source, at, up) * source.colour
    return np.asarray(light * reversed_colour(colour) * np.float32(eye.look.exposure_gain), dtype=np.float32)


def _draw_cue(eye: Eye, picture: Codes, cue: CueStick) -> None:
    """A cue in its parts, each with a lit stripe."""
    tip, butt = np.array(cue.tip_mm), np.array(cue.butt_mm)
    before = 0.0
    for share, colour in _CUE_PARTS:
        ends = [tuple(tip + (butt - tip) * part) for part in (before, share)]
        radii = [_CUE_RADII_MM[0] + (_CUE_RADII_MM[1] - _CUE_RADII_MM[0]) * part for part in (before, share)]
        tone = _tone(eye, colour, ends[0])
        for scale, gain in ((1.0, 0.55), (0.75, 0.85), (0.4, 1.05), (0.15, 1.3)):
            outline = _outline_px(eye, (ends[0], ends[1], radii[0] * scale, radii[1] * scale))
            if outline is not None:
                _fill(picture, outline, tuple(float(value) for value in encode(tone * np.float32(gain))))
        before = share


def _draw_limb(eye: Eye, picture: Codes, limb: Limb) -> None:
    """A limb as a tube that is bright in its middle, a hand with fingers."""
    look = eye.look
    colour = {"hand": look.skin, "head": look.hair}.get(limb.part, look.sleeve)
    tone = _tone(eye, colour, limb.end_mm)
    steps = np.linspace(1.0, 0.15, 9)
    for step in steps:
        radii = limb.start_radius_mm * float(step), limb.end_radius_mm * float(step)
        outline = _outline_px(eye, (limb.start_mm, limb.end_mm, *radii))
        if outline is not None:
            gain = np.float32(0.35 + 0.75 * np.sqrt(1 - float(step) ** 2))
            _fill(picture, outline, tuple(float(value) for value in encode(tone * gain)))


_SHADOW_SCALE = 4


def _lay_shadows(eye: Eye, picture: Codes, rods: list[Rod]) -> None:
    """Darken the table where rods stand between it and the lamps."""
    width, height = eye.camera.size_px
    small = (width // _SHADOW_SCALE, height // _SHADOW_SCALE)
    middle = np.array([*np.mean([rod[0][:2] for rod in rods], axis=0), 0.0], dtype=np.float32)
    parts, _ = shares(eye.lights, eye.look, middle)
    left_over = np.ones(small[::-1], dtype=np.float32)
    for light, part in zip(eye.lights, parts, strict=True):
        mask = np.zeros(small[::-1], dtype=np.uint8)
        height_mm = 60.0
        for rod in rods:
            outline = _shadow_outline(eye, light.center, rod)
            if outline is not None:
                _fill(mask, (outline + 0.5) / _SHADOW_SCALE - 0.5, (255,))
                height_mm = max(height_mm, min(rod[0][2], rod[1][2]))
        soft_mm = light.radius_mm * height_mm / light.height_mm
        sigma = max(0.6, soft_mm * float(eye.camera.matrix[0, 0]) / float(eye.center[2]) / _SHADOW_SCALE / 2)
        if not mask.any():
            continue
        soft = cv2.GaussianBlur(mask, (0, 0), min(sigma, 12.0))
        left_over -= soft * np.float32(part * 0.9 / 255)
    factor = np.power(np.clip(left_over, 0.02, 1), np.float32(1 / GAMMA))
    rows, columns = np.nonzero(factor < 0.996)
    if not len(rows):
        return
    top, bottom = int(rows.min()) * _SHADOW_SCALE, (int(rows.max()) + 1) * _SHADOW_SCALE
    left, right = int(columns.min()) * _SHADOW_SCALE, (int(columns.max()) + 1) * _SHADOW_SCALE
    part_small = factor[top // _SHADOW_SCALE : bottom // _SHADOW_SCALE, left // _SHADOW_SCALE : right // _SHADOW_SCALE]
    scale = cv2.resize(
        (part_small * 255 + 0.5).astype(np.uint8), (right - left, bottom - top), interpolation=cv2.INTER_LINEAR
    )
    window = picture[top:bottom, left:right]
    cv2.multiply(window, cv2.merge([scale, scale, scale]), dst=window, scale=1 / 255)


def _shadow_outline(eye: Eye, lamp: Floats, rod: Rod) -> Floats | None:
    """(N, 2) px: the hull of a rod's shadow on the cloth plane."""
    points = []
    for place, radius in ((rod[0], rod[2]), (rod[1], rod[3])):
        z_mm = min(max(place[2], 0.0), 0.7 * float(lamp[2]))
        scale = float(lamp[2]) / (float(lamp[2]) - z_mm)
        x_mm, y_mm = lamp[0] + (place[0] - lamp[0]) * scale, lamp[1] + (place[1] - lamp[1]) * scale
        ring = np.zeros((len(_ROUND), 3))
        ring[:, :2] = np.array([x_mm, y_mm]) + _ROUND * radius * scale
        points.append(ring)
    pixels = eye.camera.project(np.vstack(points)).astype(np.float32)
    if not np.isfinite(pixels).all() or np.abs(pixels).max() > 8000:
        return None
    return np.asarray(cv2.convexHull(pixels).reshape(-1, 2), dtype=np.float32)
