"""Balls: exact outlines of spheres, their shading with the lamps mirrored in them, and their shadows."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from hardware.virtual.picture.decals import Turn, paint_ball
from hardware.virtual.picture.eye import Eye, Window
from hardware.virtual.picture.light import (
    GAMMA,
    Codes,
    Floats,
    Source,
    encode,
    irradiance,
    reversed_colour,
    shares,
    smoothstep,
)
from hardware.virtual.picture.look import BALLS_SRGB, Lamp, linear
from hardware.virtual.scene import BallPose, Vector

_PIXEL_SIGMA_PX = 0.29  # of a pixel's own square
_LAMP_DISTANCE_MM = 2500.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sprite:
    """A ball to be laid over a picture: (h, w, 3) code values already times `alpha` (h, w)."""

    window: Window
    colour: Floats
    alpha: Floats


def lay(picture: Codes, sprite: Sprite) -> None:
    """Lay a sprite over a picture."""
    left, top, right, bottom = sprite.window
    part = picture[top:bottom, left:right]
    part[...] = (part * (1 - sprite.alpha)[..., None] + sprite.colour + 0.5).astype(np.uint8)


def darken(picture: Codes, window: Window, factor: Floats) -> None:
    """Multiply a window of a picture by a factor (h, w) on code values."""
    left, top, right, bottom = window
    part = picture[top:bottom, left:right]
    part[...] = (part * factor[..., None] + 0.5).astype(np.uint8)


def extent(eye: Eye, center_mm: Vector) -> Floats:
    """(5, 3) points that bound a ball in the picture."""
    center, radius = np.array(center_mm, dtype=np.float32), np.float32(eye.shape.ball_radius_mm)
    right, down = eye.right * radius, eye.down * radius
    return np.array([center, center + right, center - right, center + down, center - down])


def ball_sprite(eye: Eye, pose: BallPose, turns: Sequence[Turn], near: Sequence[Vector] = ()) -> Sprite | None:
    """One ball as seen at one place, its surface averaged over `turns`; None when outside the picture.

    `near` are the centres of balls that may stand in its light.
    """
    window = eye.window(extent(eye, pose.center_mm), 4.0)
    if window is None:
        return None
    left, top, right, bottom = window
    rays = eye.rays[top:bottom, left:right]
    radius = eye.shape.ball_radius_mm
    center = np.array(pose.center_mm)
    toward = center - eye.camera.center_mm
    far = float(np.linalg.norm(toward))
    along = rays.astype(np.float64) @ toward
    aside = toward - along[..., None] * rays
    sine = np.sqrt(np.einsum("...i,...i->...", aside, aside)) / far
    slope = np.hypot(*np.gradient(sine)) if min(sine.shape) > 1 else np.full_like(sine, 1.0)
    inside_px = (radius / far - sine) / np.maximum(slope, 1e-9)
    sigma_px = float(np.hypot(eye.look.blur_sigma_px, _PIXEL_SIGMA_PX))
    alpha = (1 / (1 + np.exp(np.clip(-1.702 / sigma_px * inside_px, -40, 40)))).astype(np.float32)
    depth = np.sqrt(np.maximum(radius**2 - (sine * far) ** 2, 0))
    normals = -(aside + depth[..., None] * rays)
    normals = (normals / np.linalg.norm(normals, axis=-1, keepdims=True)).astype(np.float32)
    reach = (along - depth).astype(np.float32)
    behind = eye.surface.distance[top:bottom, left:right] - reach
    behind += 2 * np.maximum(sine * far - radius, 0)  # the soft edge reaches out over what touches the ball
    shown = np.clip(behind * 0.5 + 1, 0, 1).astype(np.float32)
    if shown.min() < 1:  # what hides a part of it has as soft an edge as the ball itself
        alpha *= cv2.GaussianBlur(shown, (0, 0), sigma_px)
    alpha[alpha < 0.004] = 0
    scale_mm_px = float(np.median(slope)) * far
    lamps = [_lit_share(eye, source, center.astype(np.float32), normals, near) for source in eye.lamps]
    light = _light(
        eye,
        pose,
        turns,
        center=center.astype(np.float32),
        normals=normals,
        rays=rays,
        blur_mm=scale_mm_px * sigma_px,
        lit=lamps,
    )
    codes = encode(light * np.float32(eye.look.exposure_gain))
    codes *= eye.vignette[(top + bottom) // 2, (left + right) // 2] * alpha[..., None]
    return Sprite(window=window, colour=codes, alpha=alpha)


def _light(
    eye: Eye,
    pose: BallPose,
    turns: Sequence[Turn],
    *,
    center: Floats,
    normals: Floats,
    rays: Floats,
    blur_mm: float,
    lit: Sequence[Floats | None],
) -> Floats:
    """(h, w, 3) light from the ball towards the camera, BGR."""
    look = eye.look
    base = look.balls.get(pose.ball.colour, linear(BALLS_SRGB.get(pose.ball.colour, BALLS_SRGB["unknown"])))
    albedo = paint_ball(pose.ball, reversed_colour(base), normals, turns)
    if look.dirt > 0:
        albedo *= np.float32(1 - 0.25 * look.dirt)
    up = normals[..., 2]
    ambient = reversed_colour(look.ambient)
    level = np.array([0, 0, 1], dtype=np.float32)
    glow = (np.float32(0.5) + np.float32(0.5) * up)[..., None] * ambient
    below = ambient.copy()
    for source, share in zip(eye.lamps, lit, strict=True):
        fall = irradiance(source, center, level) * source.colour
        below += fall
        toward = source.center - center
        toward /= np.linalg.norm(toward)
        lean = np.maximum((normals @ toward + np.float32(0.12)) / np.float32(1.12), 0)
        if share is not None:
            lean = lean * share
        glow += (lean / max(float(toward[2]), 0.1))[..., None] * fall
    bounce = reversed_colour(look.cloth) * below
    hidden = np.clip(np.float32(center[2] / (3 * eye.shape.ball_radius_mm) + 0.25), 0.0, 1.0)
    glow += (np.float32(0.5) - np.float32(0.5) * up)[..., None] * bounce * np.float32(0.8) * hidden
    glow *= np.clip(np.float32(1 + min(float(center[2]), 0.0) / 90), 0.05, 1)
    facing = -np.einsum("...i,...i->...", rays, normals)
    mirror = rays + (2 * facing)[..., None] * normals
    fresnel = np.float32(0.045) + np.float32(0.6) * np.clip(1 - facing, 0, 1) ** 5
    shine = np.zeros(normals.shape, dtype=np.float32) + ambient * np.clip(mirror[..., 2], 0, 1)[..., None] * np.float32(
        0.5
    )
    for lamp in look.lamps:
        shine += _mirrored(lamp, center, mirror, blur_mm / eye.shape.ball_radius_mm)
    return np.asarray(albedo * glow + (fresnel * np.float32(look.ball_gloss))[..., None] * shine, dtype=np.float32)


def _lit_share(eye: Eye, source: Source, center: Floats, normals: Floats, near: Sequence[Vector]) -> Floats | None:
    """(h, w) the share of a lamp that a ball's surface sees past other balls; None when it sees all of it."""
    radius = np.float32(eye.shape.ball_radius_mm)
    share: Floats | None = None
    for other in near:
        apart = np.array(other, dtype=np.float32) - center
        beam = source.center - center
        along = float(apart @ beam) / float(np.linalg.norm(beam))
        aside = float(np.linalg.norm(apart)) ** 2 - along**2
        soft = source.radius_mm * max(along, 0.0) / float(np.linalg.norm(beam))
        if along < -float(radius) or aside > (2 * float(radius) + soft) ** 2:
            continue
        points = center + normals * radius
        toward = np.array(other, dtype=np.float32) - points
        distance = np.sqrt(np.einsum("...i,...i->...", toward, toward))
        size = np.arcsin(np.clip(radius / distance, 0, 0.999))
        seen = 1 - _covered(source, points, toward, distance, size)
        share = seen if share is None else share * seen
    return share


def _mirrored(lamp: Lamp, center: Floats, mirror: Floats, blur: float) -> Floats:
    """(h, w, 3) a lamp's radiance along mirrored rays, softened by `blur` (radians of the ball's surface per pixel)."""
    height = np.float32(lamp.center_mm[2]) - center[2]
    climb = height / np.maximum(mirror[..., 2], 0.05)
    x = center[0] + mirror[..., 0] * climb - np.float32(lamp.center_mm[0])
    y = center[1] + mirror[..., 1] * climb - np.float32(lamp.center_mm[1])
    soft = np.maximum(2 * blur * climb, 1).astype(np.float32) / np.float32(1.702)
    cover = _between(x, lamp.half_length_mm, soft) * _between(y, lamp.half_width_mm, soft)
    area = 4 * lamp.half_length_mm * lamp.half_width_mm
    radiance = lamp.power * np.pi * _LAMP_DISTANCE_MM**2 / area
    return np.asarray(
        cover[..., None] * reversed_colour(lamp.colour) * np.float32(radiance) * (mirror[..., 2:] > 0.05),
        dtype=np.float32,
    )


def _between(value: Floats, half: float, soft: Floats) -> Floats:
    """A box from -half to half with soft flanks."""
    upper = 1 / (1 + np.exp(np.clip(-(value + np.float32(half)) / soft, -30, 30)))
    lower = 1 / (1 + np.exp(np.clip(-(value - np.float32(half)) / soft, -30, 30)))
    return np.asarray(upper - lower, dtype=np.float32)


def shadow(eye: Eye, center_mm: Vector, *, is_smeared: bool = False) -> tuple[Window, Floats] | None:
    """The window of a ball's shadows and the factor (h, w) on code values there; None when out of the picture."""
    center = np.array(center_mm, dtype=np.float32)
    radius = eye.shape.ball_radius_mm
    if center[2] < -radius:
        return None
    height = max(float(center[2]), 0.0)
    bounds = [extent(eye, center_mm)]
    for light in eye.lights:
        slope = height / max(light.height_mm - height, 200.0)
        fall = center[:2] + (center[:2] - light.center[:2]) * np.float32(slope)
        reach = min(radius * 1.15 + light.radius_mm * slope, 4 * radius)
        corners = [(fall[0] + sx * reach, fall[1] + sy * reach, 0.0) for sx in (-1, 1) for sy in (-1, 1)]
        bounds.append(np.array(corners, dtype=np.float32))
    window = eye.window(np.vstack(bounds), 2.0)
    if window is None:
        return None
    left, top, right, bottom = window
    step = 2 if is_smeared else 1  # fine detail would be lost in the smear
    points = eye.surface.points[top:bottom:step, left:right:step]
    parts, around = shares(eye.lights, eye.look, center * np.array([1, 1, 0], dtype=np.float32))
    toward = center - points
    square = np.einsum("...i,...i->...", toward, toward)
    distance = np.sqrt(square)
    size = np.arcsin(np.clip(np.float32(radius) / distance, 0, 0.999))
    taken = (
        np.float32(around)
        * np.clip(toward[..., 2], 0, None)
        / distance
        * np.float32(radius**2)
        / np.maximum(square, np.float32(radius**2))
    )
    for light, part in zip(eye.lights, parts, strict=True):
        taken += np.float32(part) * _covered(light, points, toward, distance, size)
    factor = np.power(np.clip(1 - taken, 0.02, 1), np.float32(1 / GAMMA)).astype(np.float32)
    if step > 1:
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        halved = np.array([[0.5, 0, 0], [0, 0.5, 0]])
        size = (right - left, bottom - top)
        factor = cv2.warpAffine(factor, halved, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return window, np.asarray(factor, dtype=np.float32)


def _covered(light: Source, points: Floats, toward: Floats, distance: Floats, size: Floats) -> Floats:
    """(h, w) share of a lamp's disc that the ball hides from each place."""
    beam = light.center - points
    far = np.sqrt(np.einsum("...i,...i->...", beam, beam))
    apart = np.arccos(np.clip(np.einsum("...i,...i->...", beam, toward) / (far * distance), -1, 1))
    lamp = np.float32(light.radius_mm) / far
    whole = np.minimum(1, np.square(size / lamp))
    return np.asarray(whole * (1 - smoothstep(np.abs(size - lamp), size + lamp, apart)), dtype=np.float32)
