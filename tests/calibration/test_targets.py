"""The printed board: its page has the true size and says what it is; the lens comes back from drawn views."""

import re
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.errors import CalibrationError
from calibration.targets import (
    BoardSpecification,
    BoardView,
    find_board,
    lens_from_views,
    missing_views,
    write_board_pdf,
)

BOARD = BoardSpecification()
SIZE = (1280, 720)
MATRIX = np.array([[1000.0, 0, 640], [0, 1000.0, 360], [0, 0, 1]])
DISTORTION = np.array([-0.2, 0.03, 0.0, 0.0, 0.0])


def _views(count: int, noise_px: float = 0.1) -> list[BoardView]:
    rng = np.random.default_rng(5)
    corners = np.asarray(BOARD.board().getChessboardCorners(), dtype=np.float64)
    views = []
    while len(views) < count:
        turn = np.array([*rng.uniform(-0.6, 0.6, 2), rng.uniform(-0.4, 0.4)])
        place = np.array([*(rng.uniform(-1, 1, 2) * (280, 150) - (180, 120)), rng.uniform(550, 800)])
        pixels = cv2.projectPoints(corners, turn, place, MATRIX, DISTORTION)[0].reshape(-1, 2)
        inside = ((pixels > 0) & (pixels < SIZE)).all(axis=1)
        if inside.sum() >= 20:
            points = pixels[inside] + rng.normal(0, noise_px, (int(inside.sum()), 2))
            views.append(BoardView(ids=np.flatnonzero(inside).astype(np.float64), points_px=points))
    return views


def test_the_page_has_the_boards_true_size_and_its_specification(tmp_path: Path) -> None:
    path = tmp_path / "board.pdf"
    write_board_pdf(BOARD, path)
    content = path.read_bytes()
    assert content.startswith(b"%PDF-1.4")
    assert content.count(b"squares 40 mm, markers 30 mm") == 2  # on the page and in the description
    match = re.search(rb"q ([\d.]+) 0 0 ([\d.]+)", content)
    assert match is not None
    assert float(match[1]) / 72 * 25.4 == pytest.approx(360, abs=0.01)
    assert float(match[2]) / 72 * 25.4 == pytest.approx(240, abs=0.01)
    start = int(content.split(b"startxref\n")[1].split(b"\n")[0])
    assert content[start : start + 4] == b"xref"


def test_a_board_too_large_for_the_page_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CalibrationError, match="does not fit"):
        write_board_pdf(BoardSpecification(square_mm=60, marker_mm=45), tmp_path / "board.pdf")
    assert not list(tmp_path.iterdir())


def test_the_printed_board_is_found_and_nothing_is_found_where_it_is_not() -> None:
    page = cv2.resize(BOARD.picture(), (900, 600), interpolation=cv2.INTER_AREA)
    picture = np.full((720, 1280), 255, dtype=np.uint8)
    picture[60:660, 190:1090] = page
    view = find_board(picture, BOARD)
    assert view is not None
    assert len(view.ids) == 8 * 5
    assert view.points_px[0] == pytest.approx((189.5 + 100, 59.5 + 100), abs=0.7)
    assert find_board(np.full((720, 1280, 3), 90, dtype=np.uint8), BOARD) is None


def test_the_lens_comes_back_from_views() -> None:
    lens = lens_from_views(_views(14), BOARD, SIZE)
    assert lens.matrix[0, 0] == pytest.approx(1000, rel=0.01)
    assert lens.distortion[0] == pytest.approx(-0.2, abs=0.03)
    assert lens.rms_px < 0.3


def test_missing_views_are_named() -> None:
    assert any("more views" in line for line in missing_views([], BOARD, SIZE))
    same = _views(1) * 10
    wanted = missing_views(same, BOARD, SIZE)
    assert any("of the picture" in line for line in wanted)
    with pytest.raises(CalibrationError, match="cannot be told yet"):
        lens_from_views(same, BOARD, SIZE)


def test_views_that_disagree_are_refused() -> None:
    with pytest.raises(CalibrationError, match="miss the board"):
        lens_from_views(_views(14, noise_px=6.0), BOARD, SIZE)
