"""Learns what the balls of a set look like on this table in this light; refuses sets that cannot be told apart."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from calibration.camera import Array
from calibration.errors import CalibrationError
from calibration.resting_balls import RestingBalls
from calibration.table_file import BallSet
from calibration.usual_colours import USUAL_SRGB

Indices: TypeAlias = npt.NDArray[np.intp]

_DARK = 14.0  # keeps ratios of dark colours from shouting
_SPREAD = np.array([0.32, 0.32, 0.5])  # by how much a word's balls stray from the usual, see `colour_ratios`
_LIGHTS = 3  # rounds in which the hall's light and who is who are found together
_FARTHEST = 4.0  # spreads from what is usual, light allowed for, beyond which a ball is none of the set
_SURE = 2.0  # within which one is, if not all words' balls are there to tell the light
_APART = np.array([0.09, 0.09, 0.36])  # two words nearer than twice this are one colour to a camera
_LEAST_APART = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LearntColours:
    """Mean colours by word, 8-bit sRGB (red, green, blue), and of which words no ball was surely on the table."""

    srgb: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    unseen: tuple[str, ...] = ()


class ColoursError(CalibrationError):
    """The balls on the table cannot be told apart, or are not those of the set; the message says which."""


def learn_colours(balls: RestingBalls, ball_set: BallSet) -> LearntColours:
    """Learn a set's colours from the balls that lie on the table; each ball of the set lies there once at most.

    Raises:
        ColoursError: two words look alike, or balls lie there that belong to no word.
    """
    words = [ball.colour for ball in ball_set.balls]
    names = tuple(dict.fromkeys(words))
    strange = [word for word in names if word not in USUAL_SRGB]
    if strange:
        message = f"nobody knows what {', '.join(strange)} usually looks like: name the balls by a colour word"
        raise ColoursError(message)
    if len(balls) > len(words):
        message = f"{len(balls)} balls lie on the table, but the set has {len(words)}: take the others away"
        raise ColoursError(message)
    if not len(balls):
        return LearntColours(unseen=names)
    seen = colour_ratios(balls.bgr)
    usual = colour_ratios(np.array([USUAL_SRGB[word][::-1] for word in words], dtype=np.float64))
    rows, columns, distances = _who_is_who(seen, usual)
    if (distances > _FARTHEST).any():
        worst = int(distances.argmax())
        x_mm, y_mm = balls.places_mm[rows[worst]]
        message = (
            f"the ball at x {x_mm:.0f}, y {y_mm:.0f} mm has the colour of none of {', '.join(names)}: is it yours?"
        )
        raise ColoursError(message)
    own: dict[str, list[int]] = {word: [] for word in names}
    for row, column in zip(rows, columns, strict=True):
        own[words[column]].append(int(row))
    if not all(own.values()):
        plain = _in_white_light(seen, usual, words)
        own = {word: [row for row in indices if plain[row] == word] for word, indices in own.items()}
    _refuse_alike({word: seen[indices] for word, indices in own.items() if indices}, Counter(words))
    srgb = {}
    for word, indices in own.items():
        if indices:
            blue, green, red = (float(value) for value in np.clip(np.median(balls.bgr[indices], axis=0), 0, 255))
            srgb[word] = (round(red, 1), round(green, 1), round(blue, 1))
    return LearntColours(srgb=srgb, unseen=tuple(word for word in names if not own[word]))


def colour_ratios(bgr: Array) -> Array:
    """(N, 3) BGR to (N, 3): log red/green, log blue/green, log brightness."""
    blue, green, red = (bgr[:, channel] + _DARK for channel in range(3))
    return np.column_stack([np.log(red / green), np.log(blue / green), np.log((blue + green + red) / 3)])


def _who_is_who(seen: Array, usual: Array) -> tuple[Indices, Indices, Array]:
    """Balls (rows), their names (columns) and distances in spreads, in whatever light fits all of them best."""
    light = np.zeros(3)
    rows = columns = np.empty(0, dtype=np.intp)
    distances: Array = np.empty(0)
    for _ in range(_LIGHTS):
        away = ((seen - light)[:, None] - usual[None]) / _SPREAD
        cost = np.sqrt((away**2).sum(axis=2))
        chosen = linear_sum_assignment(np.minimum(cost, 2 * _FARTHEST) ** 2)
        rows, columns = (np.asarray(each, dtype=np.intp) for each in chosen)
        distances = cost[rows, columns]
        light = np.clip(np.median(seen[rows] - usual[columns], axis=0), -1.0, 1.0)
    return rows, columns, distances


def _in_white_light(seen: Array, usual: Array, words: Sequence[str]) -> list[str]:
    """What N balls may surely be called with no regard to the hall's light, which few balls of a set do not tell."""
    distances = np.sqrt((((seen[:, None] - usual[None]) / _SPREAD) ** 2).sum(axis=2))
    return [words[int(row.argmin())] if row.min() < _SURE else "" for row in distances]


def _refuse_alike(own: Mapping[str, Array], counts: Counter[str]) -> None:
    """Refuse words whose balls look alike, or balls of one word that differ more than words do."""
    for first, second in combinations(own, 2):
        away = (own[first][:, None] - own[second][None]) / _APART
        apart = float(np.sqrt((away**2).sum(axis=2)).min())
        if apart < _LEAST_APART:
            message = f"{first} and {second} look alike in this light: use other balls or whiter light"
            raise ColoursError(message)
    for word, features in own.items():
        if counts[word] < 2 or len(features) < 2:
            continue
        within = float(np.sqrt((((features[:, None] - features[None]) / _SPREAD) ** 2).sum(axis=2)).max())
        if within > _FARTHEST:
            message = f"the balls called {word} do not look alike: light the table evenly or check the set"
            raise ColoursError(message)
