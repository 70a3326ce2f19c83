"""People and cues made of rods: sleeves with folds, hands with fingers, cues in their woods."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from hardware.virtual.picture.eye import Eye
from hardware.virtual.picture.light import Codes, encode, irradiance, reversed_colour
from hardware.virtual.picture.look import Colour
from hardware.virtual.picture.rods import Cloth, Rod, draw_rod, fill, lay_shadows, outline_px
from hardware.virtual.scene import BallPose, CueStick, Instant, Limb, Vector

_CUE_RADII_MM = (6.0, 14.5)
# The parts of a cue: up to which share of its length, and what they reflect.
_CUE_PARTS: tuple[tuple[float, Colour], ...] = (
    (0.008, (0.06, 0.12, 0.3)),
    (0.022, (0.8, 0.78, 0.7)),
    (0.5, (0.62, 0.42, 0.22)),
    (0.52, (0.7, 0.66, 0.6)),
    (0.72, (0.1, 0.035, 0.02)),
    (0.92, (0.03, 0.03, 0.03)),
    (1.0, (0.12, 0.04, 0.02)),
)
_CUE_STRIPES = ((1.0, 0.55), (0.75, 0.85), (0.4, 1.05), (0.15, 1.3))  # share of the width, brightness
_FINGERS_RAD = (-0.5, -0.17, 0.15, 0.45)
_FINGER_REACH = (1.25, 1.42, 1.38, 1.12)  # in radii of the hand
_CHALK: Colour = (0.05, 0.16, 0.5)
_TROUSERS: Colour = (0.02, 0.022, 0.03)
_WRIST = 0.22  # the share of an arm that no sleeve covers


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """Something that may hide balls: its main rod for order and shadow, what it is made of, and how it is drawn."""

    part: str  # "cue", "hand", "arm", "body", "head", "leg", "chalk"
    rod: Rod
    rods: tuple[Rod, ...]
    draw: Callable[[Eye, Codes], None]


def things(eye: Eye, instant: Instant) -> list[Thing]:
    """What is over the table, the farthest from the camera first."""
    found = [_cue(cue) for cue in instant.cues]
    found += [_limb(eye, limb, instant.limbs, index) for index, limb in enumerate(instant.limbs)]
    return sorted(found, key=lambda thing: -eye.distance_mm(thing.rod.middle_mm))


def lay_their_shadows(eye: Eye, picture: Codes, seen: Iterable[Thing]) -> None:
    """The shadows of all things at once."""
    rods = [thing.rod for thing in seen if thing.part != "leg"]
    if rods:
        lay_shadows(eye, picture, rods)


def _cue(cue: CueStick) -> Thing:
    rod = Rod(start_mm=cue.tip_mm, end_mm=cue.butt_mm, start_radius_mm=_CUE_RADII_MM[0], end_radius_mm=_CUE_RADII_MM[1])
    return Thing(part="cue", rod=rod, rods=(rod,), draw=lambda eye, picture: _draw_cue(eye, picture, rod))


def balls_before(eye: Eye, thing: Thing, balls: tuple[BallPose, ...]) -> list[BallPose]:
    """The balls that stand between the camera and a thing."""
    rod, radius_mm = thing.rod, eye.shape.ball_radius_mm
    start, end = eye.camera.project([rod.start_mm, rod.end_mm])
    axis = end - start
    places = eye.camera.project([pose.center_mm for pose in balls]) if balls else np.zeros((0, 2))
    found = []
    for pose, place in zip(balls, places, strict=True):
        share = float(np.clip((place - start) @ axis / max(float(axis @ axis), 1e-6), 0, 1))
        nearest = rod.at(share)
        wide_mm = rod.start_radius_mm + (rod.end_radius_mm - rod.start_radius_mm) * share
        reach_px = (wide_mm * 1.5 + radius_mm) * eye.scale_px_mm(nearest) + 2
        is_apart = float(np.linalg.norm(place - start - share * axis)) > reach_px
        if not is_apart and eye.distance_mm(pose.center_mm) <= eye.distance_mm(nearest):
            found.append(pose)
    return found


def _draw_cue(eye: Eye, picture: Codes, rod: Rod) -> None:
    """A cue in its parts, each with a lit stripe."""
    before = 0.0
    up = np.array([0, 0, 1], dtype=np.float32)
    for share, colour in _CUE_PARTS:
        part = rod.part(before, share)
        place = np.array(part.start_mm, dtype=np.float32)
        light = reversed_colour(eye.look.ambient)
        for source in eye.lamps:
            light = light + irradiance(source, place, up) * source.colour
        tone = light * reversed_colour(colour) * np.float32(eye.look.exposure_gain)
        for width, gain in _CUE_STRIPES:
            stripe = Rod(
                start_mm=part.start_mm,
                end_mm=part.end_mm,
                start_radius_mm=part.start_radius_mm * width,
                end_radius_mm=part.end_radius_mm * width,
            )
            outline = outline_px(eye, stripe)
            if outline is not None:
                fill(picture, outline, tuple(float(value) for value in encode(tone * np.float32(gain))))
        before = share


def _limb(eye: Eye, limb: Limb, others: tuple[Limb, ...], index: int) -> Thing:
    rod = Rod(
        start_mm=limb.start_mm,
        end_mm=limb.end_mm,
        start_radius_mm=limb.start_radius_mm,
        end_radius_mm=limb.end_radius_mm,
    )
    look = eye.look
    skin, sleeve = Cloth(colour=look.skin), Cloth(colour=look.sleeve, folds=0.16, phase=float(index))
    dressed: list[tuple[Rod, Cloth]]
    match limb.part:
        case "hand":
            dressed = [(part, skin) for part in _hand(rod, _toward_arm(limb, others))]
        case "arm":
            bare = rod.part(0.0, _WRIST)
            narrow = Rod(
                start_mm=bare.start_mm,
                end_mm=bare.end_mm,
                start_radius_mm=bare.start_radius_mm * 0.72,
                end_radius_mm=bare.end_radius_mm * 0.78,
            )
            dressed = [(narrow, skin), (rod.part(_WRIST * 0.8, 1.0), sleeve)]
        case "head":
            dressed = [(rod, Cloth(colour=look.hair, folds=0.25, phase=1.0))]
        case "leg":
            dressed = [(rod, Cloth(colour=_TROUSERS, folds=0.12))]
        case "chalk":
            dressed = [(rod, Cloth(colour=_CHALK))]
        case _:
            dressed = [(rod, sleeve)]
    return Thing(
        part=limb.part,
        rod=rod,
        rods=tuple(part for part, _ in dressed),
        draw=lambda eye, picture: _draw_all(eye, picture, dressed),
    )


def _draw_all(eye: Eye, picture: Codes, dressed: list[tuple[Rod, Cloth]]) -> None:
    for rod, cloth in dressed:
        draw_rod(eye, picture, rod, cloth)


def _toward_arm(hand: Limb, others: tuple[Limb, ...]) -> tuple[float, float]:
    """The level direction from a hand to its arm; along the hand itself when it has a length, or +x when alone."""
    dx, dy = hand.end_mm[0] - hand.start_mm[0], hand.end_mm[1] - hand.start_mm[1]
    for limb in others:
        if limb.part == "arm" and math.dist(limb.start_mm, hand.end_mm) <= hand.end_radius_mm:
            dx, dy = limb.end_mm[0] - limb.start_mm[0], limb.end_mm[1] - limb.start_mm[1]
            break
    length = math.hypot(dx, dy)
    return (dx / length, dy / length) if length > 1e-6 else (1.0, 0.0)


def _hand(rod: Rod, toward_arm: tuple[float, float]) -> list[Rod]:
    """Four fingers, a thumb and a palm; all of it within about one and a half radii of the hand's middle."""
    radius = rod.start_radius_mm
    x, y, z = rod.start_mm
    ahead = math.atan2(-toward_arm[1], -toward_arm[0])

    def place(angle: float, reach: float, rise_mm: float) -> Vector:
        return (x + math.cos(ahead + angle) * reach * radius, y + math.sin(ahead + angle) * reach * radius, z + rise_mm)

    fingers = [
        Rod(
            start_mm=place(angle * 0.8, 0.5, 4.0),
            end_mm=place(angle, reach, -6.0),
            start_radius_mm=radius * 0.2,
            end_radius_mm=radius * 0.15,
        )
        for angle, reach in zip(_FINGERS_RAD, _FINGER_REACH, strict=True)
    ]
    thumb = Rod(
        start_mm=place(1.6, 0.3, 0.0),
        end_mm=place(0.95, 1.05, -4.0),
        start_radius_mm=radius * 0.26,
        end_radius_mm=radius * 0.18,
    )
    palm = Rod(
        start_mm=place(0.0, 0.35, 8.0),
        end_mm=place(math.pi, 0.55, 10.0),
        start_radius_mm=radius * 0.66,
        end_radius_mm=radius * 0.5,
    )
    return [*fingers, thumb, palm]
