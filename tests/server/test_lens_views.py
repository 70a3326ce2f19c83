"""Views of the printed board: the lens from files, what is missing is told, and the fit of a table believes it."""

import datetime as dt
from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.errors import CalibrationError
from calibration.procedure import calibrated
from calibration.targets import BoardSpecification, Lens
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view
from hardware.virtual.scene import Instant
from scoring.table import Table
from server.lens_views import lens_from_files

BOARD = BoardSpecification()
SIZE = (960, 540)
MATRIX = np.array([[800.0, 0, 479.5], [0, 800.0, 269.5], [0, 0, 1]])
POSES = [
    ((tilt_x, tilt_y, 0.1 * number), (x, y, 620.0 + 20 * number))
    for number, (tilt_x, tilt_y, x, y) in enumerate(
        [
            (0.0, 0.0, -420, -260),
            (0.45, 0.0, 10, -250),
            (-0.4, 0.1, -420, 0),
            (0.1, 0.45, 30, 10),
            (0.1, -0.45, -180, -120),
            (0.4, 0.3, -330, -60),
            (-0.3, -0.3, -50, -200),
            (0.0, 0.1, -180, -120),
        ]
    )
]


def view(turn, place, size=SIZE):
    """The board as a camera without a bend sees it."""
    board = BOARD.picture()
    height, width = board.shape
    ends_mm = np.array([(0, 0, 0), (360, 0, 0), (360, 240, 0), (0, 240, 0)], dtype=np.float64)
    pixels = cv2.projectPoints(ends_mm, np.array(turn), np.array(place), MATRIX, np.zeros(5))[0].reshape(4, 2)
    ends_px = np.float32([(0, 0), (width, 0), (width, height), (0, height)]) - 0.5
    flat = cv2.getPerspectiveTransform(ends_px, pixels.astype(np.float32))
    seen = cv2.warpPerspective(board, flat, SIZE, flags=cv2.INTER_AREA, borderValue=[200])
    return cv2.resize(cv2.GaussianBlur(seen, (0, 0), 0.6), size)


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("views")
    made = [folder / f"view-{number}.png" for number in range(len(POSES))]
    for path, (turn, place) in zip(made, POSES, strict=True):
        cv2.imwrite(str(path), view(turn, place))
    return made


def test_pictures_of_the_board_give_the_lens(paths):
    lens = lens_from_files(paths)
    assert lens.views == len(POSES)
    assert lens.matrix[0, 0] == pytest.approx(800, rel=0.02)
    assert abs(lens.distortion[0]) < 0.05


def test_what_is_missing_is_told(paths, tmp_path):
    with pytest.raises(CalibrationError, match="show 6 more views of the board"):
        lens_from_files(paths[:2])
    empty = tmp_path / "empty.png"
    cv2.imwrite(str(empty), np.full((540, 960, 3), 90, np.uint8))
    with pytest.raises(CalibrationError, match="the board is not seen in it"):
        lens_from_files([*paths, empty])
    other = tmp_path / "other.png"
    cv2.imwrite(str(other), view(*POSES[-1], size=(1280, 720)))
    with pytest.raises(CalibrationError, match="another size"):
        lens_from_files([*paths, other])


def test_a_known_lens_enters_the_fit_and_one_of_another_mode_does_not():
    table = Table(length_mm=2840, width_mm=1420)
    camera = make_view(table, 3, Difficulty.EASY, SIZE)
    look = replace(make_look(3, Difficulty.EASY, length_mm=2840, width_mm=1420), size_px=SIZE)
    picture = Renderer(table, camera, look).still(Instant(balls=()), 0.0)
    lens = Lens(
        size_px=SIZE,
        matrix=camera.matrix,
        distortion=np.append(camera.distortion, np.zeros(5))[:5],
        sigmas=np.array([1.0, 0.5, 0.5, 0.002, 0.004]),
        rms_px=0.2,
        views=12,
    )
    date = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    alone, known = (calibrated([picture], table, date=date, lens=each) for each in (None, lens))
    assert known.fit.camera.matrix[0, 0] == pytest.approx(camera.matrix[0, 0], rel=0.005)
    worst_alone, worst_known = (max(each.certificate.pocket_error_mm.values()) for each in (alone, known))
    assert worst_known < worst_alone
    with pytest.raises(CalibrationError, match="the board was seen at 1280x720"):
        calibrated([picture], table, date=date, lens=replace(lens, size_px=(1280, 720)))
