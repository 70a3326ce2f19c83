"""Pictures of what is no whole, well-seen table of the told size: refused, with the reason that applies.

One of every kind runs always, more than two hundred of them by night.
"""

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from calibration.errors import CalibrationError
from calibration.procedure import calibrated
from calibration.targets import BoardSpecification, find_board, lens_from_views
from hardware.camera import open_camera
from hardware.errors import HardwareError
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
NIGHTS = 18


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


def _two_tables(rng: Random) -> list[Picture]:
    first, second = (_table_picture(int(seed)) for seed in rng.permutation(4)[:2])
    return [_noisy(np.hstack([first, second]), rng, 1.0)]


def _grey(rng: Random) -> list[Picture]:
    return [np.repeat(_table_picture(int(rng.integers(4))).mean(axis=2, keepdims=True), 3, axis=2).astype(np.uint8)]


def _sixteen_bits(rng: Random) -> list[Picture]:
    return [_table_picture(int(rng.integers(4))).astype(np.uint16) * 257]  # type: ignore[list-item]


def _tiny(rng: Random) -> list[Picture]:
    width = int(rng.integers(16, 320))
    return [np.asarray(cv2.resize(_table_picture(0), (width, width * 9 // 16)), dtype=np.uint8)]


def _wrong_shape(rng: Random) -> Table:
    share = float(rng.uniform(0.1, 0.3))
    return replace(TABLE, width_mm=1420 * (1 + share if rng.random() < 0.5 else 1 - share))


def _told(_: Random) -> Table:
    return TABLE


VIEW = r"goes on beyond"
# A person hides noses and marks in many ways: each of these lines says that something is in the way or not lit.
HIDDEN = r"lean over|no cushion nose|nose is seen|misses the model|lie elsewhere|may be wrong|check length"
KINDS: dict[str, tuple[Callable[[Random], list[Picture]], Callable[[Random], Table], str]] = {
    "black": (_black, _told, r"the picture is black"),
    "empty room": (_empty_room, _told, rf"four straight sides|no cushion nose|{VIEW}"),
    "blue floor": (_blue_floor, _told, r"no cushion nose"),
    "half a table": (_half_table, _told, VIEW),
    "motion blur": (_blurred, _told, r"blurred"),
    "moving camera": (_moving_camera, _told, r"camera moves|blurred"),
    "a person lying over it": (_person_over_it, _told, HIDDEN),
    "wrong size": (lambda rng: [_table_picture(int(rng.integers(4)))], _wrong_shape, r"check length"),
    "two tables": (_two_tables, _told, r"two are in view"),
    "grey": (_grey, _told, r"the picture is grey"),
    "16 bits": (_sixteen_bits, _told, r"channels of 8 bits"),
    "tiny": (_tiny, _told, r"the picture has only"),
}


def _seeds(count: int) -> list[object]:
    return [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(1, count))]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", _seeds(NIGHTS))
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
    assert "\n" not in text


@pytest.mark.parametrize("seed", _seeds(NIGHTS))
def test_a_board_of_other_squares_gives_no_lens(seed: int) -> None:
    rng = np.random.default_rng([seed, 99])
    swapped = BoardSpecification(columns=int(rng.choice([7, 8, 11])), rows=int(rng.choice([5, 7, 8])))
    page = swapped.picture()
    flat = np.array([(0, 0), (page.shape[1], 0), (page.shape[1], page.shape[0]), (0, page.shape[0])], dtype=np.float32)
    views = []
    for _ in range(10):
        middle, size = rng.uniform((300, 170), (660, 370)), float(rng.uniform(0.3, 0.5))
        corners = middle + (flat / page.shape[1] - 0.5) * 960 * size + rng.uniform(-45, 45, (4, 2))
        to_picture = cv2.getPerspectiveTransform(flat, corners.astype(np.float32))
        picture = cv2.warpPerspective(page, to_picture, SIZE, flags=cv2.INTER_AREA, borderValue=(200,))
        view = find_board(np.asarray(picture, dtype=np.uint8), BoardSpecification())
        views += [] if view is None else [view]
    with pytest.raises(CalibrationError, match=r"the lens cannot be told yet|the views miss the board"):
        lens_from_views(views, BoardSpecification(), SIZE)


@pytest.mark.parametrize("seed", _seeds(NIGHTS))
def test_a_torn_file_is_told_as_torn(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng([seed, 98])
    whole = cv2.imencode(".png", _table_picture(0))[1].tobytes()
    path = tmp_path / "torn.png"
    path.write_bytes(whole[: int(rng.integers(0, 60))] + rng.bytes(int(rng.integers(0, 400))))
    with pytest.raises(HardwareError, match="torn or no picture"):
        open_camera(str(path))


def test_the_good_picture_behind_the_bad_ones_is_not_refused() -> None:
    for seed in range(4):
        picture = _table_picture(seed)
        assert calibrated([picture], TABLE, date=DATE).certificate.verdict == "pass"
