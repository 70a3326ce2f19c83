"""What a virtual hall looks like: cloth, wood, lamps, sensor; one look per seed and difficulty.

The mixes:

- `easy`: a camera straight above (at most 4° off), two long or four compact even lamps, green or blue cloth, 1280x720
  at 60 fps, exposure 1/250 s, noise of 1 to 2 of 255, mild lens distortion, a clean cloth.
- `normal`: up to 20° oblique, k1 from -0.25 to 0.1, exposure 1/120 s, noise 2 to 4, worn cloth of any colour, two to
  six lamps of unlike strength, slight flicker and vignetting.
- `hard`: 20° to 45° oblique, one or two small lamps with hard shadows, coloured light, flicker, a camera that changes
  its gain, noise 4 to 8, exposure 1/60 to 1/100 s, a soft lens, strong compression (`crf`), in half of the halls a
  camera that sends JPEG pictures (`jpeg_quality`), other tables and chairs on the floor, and now and then a frame that
  the camera gives twice (`repeat_share`) or not at all (`drop_share`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from hardware.virtual.difficulty import Difficulty

Colour: TypeAlias = tuple[float, float, float]  # reflectance or light, linear red, green, blue; 1 is white

REEXPOSURE_S = 40.0

_CLOTHS_SRGB: Mapping[str, tuple[int, int, int]] = {
    "green": (22, 132, 62),
    "yellow-green": (42, 140, 20),
    "blue": (70, 118, 205),
    "blue-green": (20, 165, 150),
    "grey-blue": (86, 120, 150),
    "burgundy": (128, 28, 48),
    "navy": (40, 62, 96),
    "olive": (112, 122, 58),
}
_WOODS_SRGB = ((158, 98, 62), (84, 34, 26), (60, 34, 24), (176, 124, 78), (44, 38, 36), (120, 66, 34))
_FLOORS_SRGB = ((58, 57, 55), (96, 82, 68), (150, 132, 108), (44, 40, 38), (88, 92, 96))
BALLS_SRGB: Mapping[str, tuple[int, int, int]] = {
    "white": (238, 232, 210),
    "red": (200, 24, 30),
    "yellow": (246, 186, 26),
    "cue": (150, 34, 30),
    "numbered": (238, 230, 206),
    "unknown": (120, 120, 120),
    "blue": (30, 70, 170),
    "green": (20, 110, 60),
    "brown": (120, 70, 40),
    "pink": (240, 140, 150),
    "black": (24, 24, 26),
    "orange": (240, 120, 30),
    "purple": (90, 40, 130),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lamp:
    """A level rectangle that shines downwards; `power` 1 lights white paper 2.5 m below it to full exposure."""

    center_mm: tuple[float, float, float]
    half_length_mm: float  # along x
    half_width_mm: float  # along y
    colour: Colour
    power: float

    def points(self) -> tuple[tuple[float, float, float], ...]:
        """The places that stand for the lamp in shadows and light."""
        x_mm, y_mm, z_mm = self.center_mm
        count = 1 if self.half_length_mm < 250 else 3
        offsets = [0.0] if count == 1 else [-0.66, 0.0, 0.66]
        return tuple((x_mm + self.half_length_mm * offset, y_mm, z_mm) for offset in offsets)

    @property
    def radius_mm(self) -> float:
        """The half size of the part that one of `points` stands for."""
        return max(self.half_width_mm, self.half_length_mm / len(self.points()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One hall as a camera sees it; colours are linear, noise and blur are those of the finished 8-bit picture."""

    difficulty: Difficulty
    seed: int
    size_px: tuple[int, int] = (1280, 720)
    fps: float = 60.0
    exposure_s: float = 1 / 250
    lamps: tuple[Lamp, ...] = ()
    ambient: Colour = (0.2, 0.2, 0.2)
    exposure_gain: float = 1.0
    cloth: Colour = (0.02, 0.2, 0.06)
    cloth_texture: float = 0.03
    wear: float = 0.0
    wood: Colour = (0.3, 0.12, 0.06)
    wood_gloss: float = 0.3
    floor: Colour = (0.04, 0.04, 0.04)
    floor_tile_mm: float = 0.0  # 0: no tiles
    liner: Colour = (0.02, 0.02, 0.02)
    fitting: Colour = (0.03, 0.03, 0.03)  # corner and middle castings on the rails
    net: float = 0.3  # how bright the pockets' nets are
    balls: Mapping[str, Colour]
    ball_gloss: float = 1.0
    dirt: float = 0.0
    house_line: float = 0.5  # how visible, 0 to 1
    noise_sigma: float = 1.5
    blur_sigma_px: float = 0.55
    vignette: float = 0.05
    flicker: float = 0.0
    flicker_hz: float = 100.0
    reexposure: float = 0.0  # by how much the camera changes its gain, once in `REEXPOSURE_S`
    crf: int = 18
    repeat_share: float = 0.0
    drop_share: float = 0.0
    jpeg_quality: int = 0  # of a camera that sends JPEG pictures, 1 to 100; 0: it sends them as they are
    is_furnished: bool = False  # whether other tables and chairs stand around
    sleeve: Colour = (0.02, 0.02, 0.03)
    skin: Colour = (0.6, 0.35, 0.25)
    hair: Colour = (0.03, 0.02, 0.015)


def linear(srgb: tuple[float, float, float]) -> Colour:
    """8-bit sRGB to linear light."""
    red, green, blue = (float((value / 255) ** 2.2) for value in srgb)
    return red, green, blue


def make_look(seed: int, difficulty: Difficulty, *, length_mm: float = 2840.0, width_mm: float = 1420.0) -> Look:
    """A hall drawn at random: the same seed, difficulty and field give the same hall."""
    rng = np.random.default_rng([seed, list(Difficulty).index(difficulty), 1])
    names = (
        list(_CLOTHS_SRGB)
        if difficulty != Difficulty.EASY
        else ["green", "blue", "blue-green", "grey-blue", "yellow-green"]
    )
    cloth = _jitter(rng, linear(_CLOTHS_SRGB[str(rng.choice(names))]), 0.12)
    wood = _jitter(rng, linear(_WOODS_SRGB[rng.integers(len(_WOODS_SRGB))]), 0.1)
    floor = _jitter(rng, linear(_FLOORS_SRGB[rng.integers(len(_FLOORS_SRGB))]), 0.1)
    fittings = ((0.03, 0.03, 0.03), (0.5, 0.5, 0.52), (0.35, 0.2, 0.08), (0.6, 0.4, 0.3), wood, wood)
    spread = {"easy": 0.03, "normal": 0.07, "hard": 0.12}[difficulty]
    balls = {name: _jitter(rng, linear(srgb), spread) for name, srgb in BALLS_SRGB.items()}
    lamps = _lamps(rng, difficulty, length_mm, width_mm)
    ambient_level = {"easy": (0.2, 0.35), "normal": (0.12, 0.35), "hard": (0.05, 0.2)}[difficulty]
    dull = _between(rng, *ambient_level)
    own: dict[Difficulty, dict[str, float]] = {
        Difficulty.EASY: {
            "exposure_s": 1 / 250,
            "noise_sigma": _between(rng, 1.0, 2.0),
            "blur_sigma_px": _between(rng, 0.5, 0.65),
        },
        Difficulty.NORMAL: {
            "exposure_s": 1 / 120,
            "noise_sigma": _between(rng, 2.0, 4.0),
            "blur_sigma_px": _between(rng, 0.5, 0.9),
            "wear": _between(rng, 0.1, 0.6),
            "dirt": _between(rng, 0.0, 0.3),
            "flicker": _between(rng, 0.0, 0.01),
            "vignette": _between(rng, 0.05, 0.2),
        },
        Difficulty.HARD: {
            "exposure_s": 1 / _between(rng, 60, 100),
            "noise_sigma": _between(rng, 4.0, 8.0),
            "blur_sigma_px": _between(rng, 0.6, 1.2),
            "wear": _between(rng, 0.3, 1.0),
            "dirt": _between(rng, 0.1, 0.6),
            "flicker": _between(rng, 0.01, 0.05),
            "vignette": _between(rng, 0.1, 0.4),
            "reexposure": _between(rng, 0.02, 0.08),
            "repeat_share": 0.01,
            "drop_share": 0.005,
            "jpeg_quality": _jpeg_quality(seed),
            "is_furnished": True,
        },
    }
    return Look(
        difficulty=difficulty,
        seed=seed,
        lamps=lamps,
        ambient=(dull, dull, dull * _between(rng, 0.9, 1.1)),
        cloth=cloth,
        cloth_texture=_between(rng, 0.015, 0.05),
        wood=wood,
        wood_gloss=_between(rng, 0.1, 0.9),
        floor=floor,
        floor_tile_mm=float(rng.choice([0.0, 0.0, 300.0, 500.0])),
        fitting=fittings[rng.integers(len(fittings))],
        net=float(rng.choice([0.05, 0.3, 0.8])),
        ball_gloss=_between(rng, 0.9, 2.0),
        balls=balls,
        house_line=max(_between(rng, -0.25 if difficulty != Difficulty.EASY else 0.15, 0.6), 0.0),
        flicker_hz=float(rng.choice([100.0, 120.0])),
        crf={"easy": 18, "normal": 23, "hard": 30}[difficulty],
        exposure_gain=_between(rng, 0.85, 1.3) if difficulty != Difficulty.HARD else _between(rng, 0.55, 1.1),
        sleeve=_jitter(
            rng, [(0.015, 0.015, 0.018), (0.5, 0.5, 0.52), (0.03, 0.05, 0.15), (0.2, 0.02, 0.03)][rng.integers(4)], 0.2
        ),
        skin=_jitter(rng, [(0.6, 0.35, 0.25), (0.3, 0.16, 0.1)][rng.integers(2)], 0.15),
        hair=_jitter(rng, [(0.02, 0.015, 0.01), (0.15, 0.09, 0.04), (0.3, 0.3, 0.3)][rng.integers(3)], 0.2),
        **own[difficulty],  # type: ignore[arg-type] # a table of numbers for float fields
    )


def _jpeg_quality(seed: int) -> int:
    """Half of the bad halls have a camera that sends JPEG pictures."""
    rng = np.random.default_rng([seed, 8])
    return int(rng.integers(55, 86)) if rng.random() < 0.5 else 0


def _between(rng: np.random.Generator, low: float, high: float) -> float:
    return float(rng.uniform(low, high))


def _jitter(rng: np.random.Generator, colour: Colour, spread: float) -> Colour:
    """A colour a little off: in brightness by `spread`, in hue by a third of it."""
    bright = rng.normal(0, spread)
    steps = rng.normal(bright, spread / 3, 3)
    red, green, blue = (
        min(0.95, max(0.004, value * float(np.exp(step)))) for value, step in zip(colour, steps, strict=True)
    )
    return red, green, blue


def _lamps(rng: np.random.Generator, difficulty: Difficulty, length_mm: float, width_mm: float) -> tuple[Lamp, ...]:
    """Where the light comes from; the sum of the powers is about one over the whole table."""
    half_x_mm, half_y_mm = length_mm / 2, width_mm / 2
    warmth = _between(rng, -0.06, 0.06) if difficulty != Difficulty.HARD else _between(rng, -0.25, 0.25)
    colour = (1 + warmth, 1.0, 1 - warmth)
    if difficulty == Difficulty.HARD:
        count = int(rng.integers(1, 3))
        return tuple(
            Lamp(
                center_mm=(
                    half_x_mm + _between(rng, -0.7, 0.7) * half_x_mm,
                    _between(rng, -1.6, 1.6) * half_y_mm,
                    _between(rng, 1500, 2800),
                ),
                half_length_mm=_between(rng, 30, 150),
                half_width_mm=_between(rng, 30, 100),
                colour=colour if index == 0 else (1.0, 1 + _between(rng, -0.15, 0.15), 1 - warmth),
                power=_between(rng, 0.7, 1.2) / count,
            )
            for index in range(count)
        )
    spread = 0.08 if difficulty == Difficulty.EASY else 0.35
    height_mm = _between(rng, 2000, 3000)
    reach_mm = half_y_mm * _between(rng, 0.7, 1.35)
    sides = (-1.0, 1.0) if difficulty == Difficulty.EASY or rng.random() < 0.7 else (-1.0, 0.05, 1.0)
    is_compact = rng.random() < 0.4
    shares = (-0.5, 0.5) if is_compact else (0.0,)  # where along the table, in halves of its length
    return tuple(
        Lamp(
            center_mm=(half_x_mm * (1 + share + _between(rng, -0.1, 0.1)), side * reach_mm, height_mm),
            half_length_mm=_between(rng, 70, 200) if is_compact else half_x_mm * _between(rng, 0.45, 0.8),
            half_width_mm=_between(rng, 60, 160),
            colour=colour,
            power=(1 + _between(rng, -spread, spread)) / len(sides) / len(shares) * (height_mm / 2500) ** 2,
        )
        for side in sides
        for share in shares
    )
