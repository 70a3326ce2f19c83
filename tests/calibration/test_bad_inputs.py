"""Pictures of what is no whole, well-seen table of the told size: refused, with the reason that applies.

A few of every kind run always, two hundred of them by night.
"""

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from calibration.errors import CalibrationError
from calibration.procedure import calibrated
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view
from hardware.virtual.scene import BallPose, Instant
from scoring.balls import FIVE_BALL_SET
from scoring.table import Table

Picture = npt.NDArray[np.uint8]
Random = np.random.Generator
TABLE = Table(length_mm=2840, width_mm=1420)
SIZE = (960, 540)
DATE = dt.datetime(2026, 1, 2, tzinfo=dt.UTC)
NO_TABLE = r"no table: "
VIEW = r"in view|four straight sides|no cushion nose"


@cache
def _table_picture(seed: int) -> Picture:
    """A good picture of a virtual table with five balls."""
    camera = make_view(TABLE, seed, Difficulty.NORMAL, SIZE)
    look = replace(make_look(seed, Difficulty.NORMAL, length_mm=2840, width_mm=1420), size_px=SIZE)
    places = ((500.0, 200.0), (900.0, -300.0), (1500.0, 400.0), (2000.0, -100.0), (2500.0, 300.0))
    balls = tuple(
        BallPose(ball=ball, center_mm=(x, y, 34.0)) for ball, (x, y) in zip(FIVE_BALL_SET, places, strict=True)
    )
    return Renderer(TABLE, camera, look).still(Instant(balls=balls))


def _noisy(picture: npt.NDArray[np.uint8], rng: Random, sigma: float = 3.0) -> Picture:
    return np.clip(picture + rng.normal(0, sigma, picture.shape), 0, 255).astype(np.uint8)


def _black(rng: Random) -> list[Picture]:
    return [_noisy(np.zeros((540, 960, 3), np.uint8), rng, rng.uniform(0.2, 4))]


def _empty_room(rng: Random) -> list[Picture]:
    picture = np.full((540, 960, 3), rng.integers(90, 200, 3), dtype=np.uint8)
    skirting = int(rng.integers(200, 380))
    picture[skirting:] = rng.integers(40, 150, 3)
    for _ in range(int(rng.integers(2, 6))):
        left, top = (int(value) for value in rng.integers(0, (880, 440)))
        colour = [int(value) for value in rng.integers(30, 220, 3)]
        cv2.rectangle(
            picture, (left, top), (left + int(rng.integers(20, 90)), top + int(rng.integers(60, 260))), colour, -1
        )
    return [_noisy(picture, rng)]


def _blue_floor(rng: Random) -> list[Picture]:
    picture = np.full((540, 960, 3), (180, 180, 185), dtype=np.uint8)
    corners = np.array([(260, 120), (700, 120), (920, 500), (60, 500)]) + rng.integers(-40, 40, (4, 2))
    cv2.fillPoly(picture, [corners.astype(np.int32)], (int(rng.integers(140, 200)), 90, 40))
    return [_noisy(picture, rng)]


def _half_table(rng: Random) -> list[Picture]:
    whole = _table_picture(int(rng.integers(4)))
    share = float(rng.uniform(0.4, 0.62))
    cut = whole[:, : int(960 * share)] if rng.random() < 0.5 else whole[:, int(960 * (1 - share)) :]
    return [np.asarray(cv2.resize(cut, SIZE), dtype=np.uint8)]


def _blurred(rng: Random) -> list[Picture]:
    whole = _table_picture(int(rng.integers(4)))
    length = int(rng.integers(45, 80))
    kernel = np.zeros((length, length), np.float32)
    angle = rng.uniform(0.3, 1.2)
    way = np.array([np.cos(angle), np.sin(angle)]) * length / 2
    start, end = (np.array([length / 2] * 2) - way).astype(int), (np.array([length / 2] * 2) + way).astype(int)
    cv2.line(kernel, [int(v) for v in start], [int(v) for v in end], 1.0)
    return [np.asarray(cv2.filter2D(whole, -1, kernel / kernel.sum()), dtype=np.uint8)]


def _moving_camera(rng: Random) -> list[Picture]:
    whole = _table_picture(int(rng.integers(4)))
    step = float(rng.uniform(5, 9))
    pictures = []
    for index in range(5):
        move = np.array([[1, 0, step * (index - 2)], [0, 1, 0.5 * step * (index - 2)]])
        pictures.append(np.asarray(cv2.warpAffine(whole, move, SIZE, borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8))
    return pictures


def _person_over_it(rng: Random) -> list[Picture]:
    picture = _table_picture(int(rng.integers(4))).copy()
    middle = (int(rng.integers(400, 560)), int(rng.integers(230, 310)))
    dark = [int(value) for value in rng.integers(15, 60, 3)]
    cv2.ellipse(
        picture,
        middle,
        (int(rng.integers(330, 420)), int(rng.integers(130, 190))),
        float(rng.uniform(-25, 25)),
        0,
        360,
        dark,
        -1,
    )
    cv2.ellipse(picture, (middle[0] + 240, middle[1] - 60), (70, 90), 0, 0, 360, (120, 150, 190), -1)
    return [_noisy(picture, rng)]


def _only_whole_table(rng: Random) -> list[Picture]:
    return [_table_picture(int(rng.integers(4)))]


def _wrong_shape(rng: Random) -> Table:
    return replace(TABLE, width_mm=1420 * float(rng.choice([0.7, 0.75, 1.35, 1.45])))


def _told(_: Random) -> Table:
    return TABLE


KINDS: dict[str, tuple[Callable[[Random], list[Picture]], Callable[[Random], Table], str]] = {
    "black": (_black, _told, NO_TABLE),
    "empty room": (_empty_room, _told, NO_TABLE),
    "blue floor": (_blue_floor, _told, NO_TABLE),
    "half a table": (_half_table, _told, VIEW),
    "motion blur": (_blurred, _told, r"no table|misses|miss the model|may be wrong"),
    "moving camera": (_moving_camera, _told, r"camera moves|no table|misses"),
    "a person lying over it": (_person_over_it, _told, r"no table|misses|may be wrong|lie elsewhere"),
    "wrong size": (_only_whole_table, _wrong_shape, r"check length|misses|may be wrong|lie elsewhere"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(1, 25))])
def test_bad_input_is_refused_with_its_reason(kind: str, seed: int) -> None:
    make, told, reason = KINDS[kind]
    rng = np.random.default_rng([seed, list(KINDS).index(kind)])
    pictures = make(rng)
    try:
        certificate = calibrated(pictures, told(rng), date=DATE, house="left").certificate
    except CalibrationError as error:
        text = str(error)
    else:
        assert certificate.verdict == "refuse", f"{certificate.verdict}: {certificate.reasons}"
        text = "; ".join(certificate.reasons)

    assert re.search(reason, text), text


def test_the_good_picture_behind_the_bad_ones_is_not_refused() -> None:
    for seed in range(4):
        picture = _table_picture(seed)
        assert calibrated([picture], TABLE, date=DATE).certificate.verdict == "pass"
