"""What can be seen where: boxes and visible shares of balls, people, cues and pockets, by the renderer's own rules."""

import math
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
import numpy.typing as npt

from hardware.virtual.picture.eye import Eye, Window
from hardware.virtual.picture.light import Floats
from hardware.virtual.picture.people import balls_before, things
from hardware.virtual.picture.rods import outline_px
from hardware.virtual.scene import BallPose, Instant
from scoring.balls import Ball
from scoring.table import Pocket

_ANGLES = np.linspace(0, 2 * np.pi, 32, endpoint=False)
_SHIFT = 4  # sub-pixel bits of OpenCV's polygons
_FIRST_THING = 100  # balls have smaller numbers in the map of owners
Owners = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """One thing in the picture: `box_px` (left, top, right, bottom) holds all of it, hidden parts and blur included.

    `visible` is the share of its outline in the middle of the exposure that nothing hides and the picture holds.
    """

    what: str  # "ball", "pocket", "cue", "hand", "arm", "body", "head", "chalk"
    box_px: tuple[float, float, float, float]
    visible: float
    ball: Ball | None = None
    pocket: Pocket | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sights:
    """All that could be seen in one picture."""

    balls: tuple[Sight, ...]
    things: tuple[Sight, ...]
    pockets: tuple[Sight, ...]


def sights(eye: Eye, middle: Instant, exposure: tuple[Instant, ...], *, has_pockets: bool = True) -> Sights:
    """What of an exposure can be seen where; without `has_pockets` only what moves."""
    width, height = eye.camera.size_px
    owners = np.zeros((height, width), dtype=np.uint8)
    order = sorted(middle.balls, key=lambda pose: -eye.distance_mm(pose.center_mm))
    discs = {pose.ball: _disc(eye, pose) for pose in order}
    numbers = {pose.ball: index + 1 for index, pose in enumerate(order)}
    for pose in order:
        _own(owners, discs[pose.ball], numbers[pose.ball])
    seen = [thing for thing in things(eye, middle) if thing.part != "leg"]  # which stand lower than all of the table
    outlines = [[line for rod in thing.rods if (line := outline_px(eye, rod)) is not None] for thing in seen]
    for index, (thing, lines) in enumerate(zip(seen, outlines, strict=True)):
        for line in lines:
            _fill(owners, line, _FIRST_THING + index)
        for pose in balls_before(eye, thing, middle.balls):
            _own(owners, discs[pose.ball], numbers[pose.ball])
    ways = {pose.ball: _way_box(eye, pose, exposure) for pose in order}
    return Sights(
        balls=tuple(
            Sight(
                what="ball",
                box_px=ways[pose.ball],
                visible=_share(owners, discs[pose.ball], numbers[pose.ball]),
                ball=pose.ball,
            )
            for pose in sorted(middle.balls, key=lambda pose: pose.ball)
        ),
        things=tuple(
            Sight(what=thing.part, box_px=_box(lines), visible=_thing_share(owners, lines, _FIRST_THING + index))
            for index, (thing, lines) in enumerate(zip(seen, outlines, strict=True))
            if lines
        ),
        pockets=_pockets(eye, owners) if has_pockets else (),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Disc:
    """A ball's outline: all its pixels, and those of them that the table does not hide."""

    window: Window | None
    shown: npt.NDArray[np.bool_]
    outline: Floats
    pixels: float  # what all of it would cover


def _ring(eye: Eye, pose: BallPose) -> Floats:
    """(N, 2) px: the circle in which the camera's rays touch a ball."""
    center, radius = np.array(pose.center_mm), eye.shape.ball_radius_mm
    toward = center - eye.camera.center_mm
    far = float(np.linalg.norm(toward))
    toward = toward / far
    first = np.cross(toward, eye.down)
    first /= np.linalg.norm(first)
    second = np.cross(toward, first)
    reach = radius * math.sqrt(1 - (radius / far) ** 2)
    ring = np.cos(_ANGLES)[:, None] * first + np.sin(_ANGLES)[:, None] * second
    return np.asarray(eye.camera.project(center - toward * radius**2 / far + reach * ring), dtype=np.float32)


def _disc(eye: Eye, pose: BallPose) -> _Disc:
    outline = _ring(eye, pose)
    following = np.roll(outline, -1, axis=0)
    pixels = float(np.abs(np.sum(outline[:, 0] * following[:, 1] - outline[:, 1] * following[:, 0]))) / 2
    width, height = eye.camera.size_px
    left, top = (max(int(value), 0) for value in np.floor(outline.min(axis=0)))
    right, bottom = (int(value) + 1 for value in np.ceil(outline.max(axis=0)))
    right, bottom = min(right, width), min(bottom, height)
    if left >= right or top >= bottom:
        return _Disc(window=None, shown=np.zeros((0, 0), dtype=np.bool_), outline=outline, pixels=pixels)
    mask = np.zeros((bottom - top, right - left), dtype=np.uint8)
    _fill(mask, outline - np.array([left, top], dtype=np.float32), 1)
    # The nearest point of a cushion or a jaw before the ball's front hides it, as in the picture.
    front = eye.distance_mm(pose.center_mm) - 0.5 * eye.shape.ball_radius_mm
    is_before_table = eye.surface.distance[top:bottom, left:right] > front
    return _Disc(
        window=(left, top, right, bottom), shown=(mask > 0) & is_before_table, outline=outline, pixels=max(pixels, 1.0)
    )


def _own(owners: Owners, disc: _Disc, number: int) -> None:
    """A ball covers what lies behind it."""
    if disc.window is not None:
        left, top, right, bottom = disc.window
        owners[top:bottom, left:right][disc.shown] = number


def _fill(mask: Owners, outline: Floats, number: int) -> None:
    cv2.fillConvexPoly(mask, np.round(outline * (1 << _SHIFT)).astype(np.int32), (number,), cv2.LINE_8, _SHIFT)


def _share(owners: Owners, disc: _Disc, number: int) -> float:
    """The visible share of a ball."""
    if disc.window is None:
        return 0.0
    left, top, right, bottom = disc.window
    mask = np.zeros((bottom - top, right - left), dtype=np.uint8)
    _fill(mask, disc.outline - np.array([left, top], dtype=np.float32), 1)
    inside = max(int(mask.sum()), 1)
    held = min(inside / max(disc.pixels, 1.0), 1.0)  # what the picture's border leaves of it
    held = 1.0 if _is_whole(disc, owners.shape) else held
    return float(held * (owners[top:bottom, left:right] == number).sum() / inside)


def _is_whole(disc: _Disc, shape: tuple[int, ...]) -> bool:
    """Whether the picture holds all of an outline."""
    low, high = disc.outline.min(axis=0), disc.outline.max(axis=0)
    return bool(low.min() >= 0 and high[0] <= shape[1] - 1 and high[1] <= shape[0] - 1)


def _way_box(eye: Eye, pose: BallPose, exposure: tuple[Instant, ...]) -> tuple[float, float, float, float]:
    """The box of a ball's whole outline from the first to the last instant of the exposure."""
    rings = [_ring(eye, pose)]
    for instant in {id(exposure[0]): exposure[0], id(exposure[-1]): exposure[-1]}.values():
        rings += [
            _ring(eye, other)
            for other in instant.balls
            if other.ball == pose.ball and other.center_mm != pose.center_mm
        ]
    return _box(rings)


def _box(outlines: list[Floats]) -> tuple[float, float, float, float]:
    low = np.min([line.min(axis=0) for line in outlines], axis=0)
    high = np.max([line.max(axis=0) for line in outlines], axis=0)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def _thing_share(owners: Owners, lines: list[Floats], number: int) -> float:
    """The visible share of a thing; what lies outside the picture counts as hidden."""
    left, top, right, bottom = (int(value) for value in _box(lines))
    high, wide = owners.shape
    margin = (max(-left, 0), max(-top, 0))
    size = (max(right + 2, wide) + margin[0], max(bottom + 2, high) + margin[1])
    scale = max(1, max(size) // 2000 + 1)
    mask = np.zeros((size[1] // scale + 1, size[0] // scale + 1), dtype=np.uint8)
    for line in lines:
        _fill(mask, (line + np.array(margin, dtype=np.float32)) / scale, 1)
    whole = float(mask.sum()) * scale * scale
    return float(min(float((owners == number).sum()) / max(whole, 1.0), 1.0))


def _pockets(eye: Eye, owners: Owners) -> tuple[Sight, ...]:
    """The pockets' holes at the height of the cloth."""
    shape = eye.shape
    if shape.corner is None or shape.middle is None:
        return ()
    found = []
    middle = (shape.length_mm / 2, 0.0)
    for pocket in Pocket:
        cut = shape.middle if pocket.is_middle else shape.corner
        x_sign = {"F": -1.0, "M": 0.0, "R": 1.0}[pocket.value[0]]
        y_sign = 1.0 if pocket.value[1] == "L" else -1.0
        out = cut.center_out_mm * (1.0 if pocket.is_middle else math.sqrt(0.5))
        x = middle[0] + x_sign * (shape.length_mm / 2 + out)
        y = y_sign * (shape.width_mm / 2 + out)
        ring = np.stack(
            [x + cut.radius_mm * np.cos(_ANGLES), y + cut.radius_mm * np.sin(_ANGLES), np.zeros(len(_ANGLES))], axis=1
        )
        outline = np.asarray(eye.camera.project(ring), dtype=np.float32)
        left, top = (max(int(value), 0) for value in outline.min(axis=0))
        part = owners[top : int(outline[:, 1].max()) + 2, left : int(outline[:, 0].max()) + 2]
        mask = np.zeros(part.shape, dtype=np.uint8)
        if mask.size:
            _fill(mask, outline - np.array([left, top], dtype=np.float32), 1)
        whole = sum(float(one[0] * two[1] - one[1] * two[0]) for one, two in pairwise([*outline, outline[0]]))
        free = float(((mask > 0) & (part < _FIRST_THING)).sum())
        visible = min(free / max(abs(whole) / 2, 1.0), 1.0)
        found.append(Sight(what="pocket", box_px=_box([outline]), visible=visible, pocket=pocket))
    return tuple(found)
