"""The table's size from its balls, and their width from their rims."""

import datetime as dt

import cv2
import numpy as np
import pytest

from calibration.ball_width import ball_width_scale
from calibration.camera import CameraModel
from calibration.errors import CalibrationError
from calibration.mapping import outline_polygons
from calibration.procedure import calibrated
from calibration.standard_sizes import nearest_size_mm
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view
from hardware.virtual.scene import BallPose, Instant
from scoring.balls import FIVE_BALL_SET
from scoring.table import Table

UNKNOWN = Table(length_mm=2840, width_mm=1420)
SIZE = (960, 540)
CAMERA = CameraModel(
    size_px=SIZE,
    matrix=np.array([[700.0, 0, 479.5], [0, 700.0, 269.5], [0, 0, 1]]),
    distortion=np.zeros(5),
    rotation=np.array([np.pi - 0.3, 0, 0]),
    translation=np.array([-1420.0, 0.0, 2900.0]),
)


@pytest.mark.parametrize(
    ("balls_tell_mm", "size_mm"),
    [(3500.0, (3550, 1775)), (2790.0, (2840, 1420)), (2600.0, (2540, 1270)), (2200.0, (2240, 1120))],
)
def test_the_nearest_usual_size_is_taken(balls_tell_mm: float, size_mm: tuple[float, float]) -> None:
    assert nearest_size_mm(balls_tell_mm) == size_mm


@pytest.mark.parametrize(
    ("balls_tell_mm", "words"),
    [(2690.0, "2540 x 1270 or 2840 x 1420|2840 x 1420 or 2540 x 1270"), (5000.0, "no usual")],
)
def test_between_two_sizes_or_far_from_all_a_person_is_asked(balls_tell_mm: float, words: str) -> None:
    with pytest.raises(CalibrationError, match=words) as caught:
        nearest_size_mm(balls_tell_mm)
    assert "--length" in str(caught.value)


@pytest.mark.parametrize("blur_px", [0.6, 2.0])
@pytest.mark.parametrize("scale", [0.85, 1.0, 1.15])
def test_a_balls_width_is_measured_in_sharp_and_soft_pictures_and_beside_its_shadow(
    scale: float, blur_px: float
) -> None:
    picture = np.full((SIZE[1] * 4, SIZE[0] * 4, 3), (60, 130, 25), dtype=np.uint8)
    place = np.array([1500.0, 200.0])
    for away, colour, size in ((np.array([25.0, -20.0]), (40, 90, 17), 1.0), (np.zeros(2), (40, 190, 240), scale)):
        outline = outline_polygons(CAMERA, (place + away)[None], 34.0 * size)[0]
        cv2.fillPoly(picture, [np.round((outline + 0.5) * 4 - 0.5).astype(np.int32)], colour)
    small = cv2.resize(picture, SIZE, interpolation=cv2.INTER_AREA)
    taken = np.asarray(cv2.GaussianBlur(small, (0, 0), blur_px), dtype=np.uint8)
    seen = ball_width_scale(taken, CAMERA, place + np.array([6.0, 4.0]), 34.0)
    assert seen == pytest.approx(scale / 0.975, rel=0.05)  # a flat disc has no dark limb


def test_a_table_of_untold_size_gets_the_size_that_its_balls_tell_with_a_warning() -> None:
    table = Table(length_mm=3550, width_mm=1775)
    look = make_look(2, Difficulty.EASY, length_mm=3550, width_mm=1775)
    places = ((700.0, 400.0), (1200.0, -500.0), (1900.0, 300.0), (2500.0, -200.0), (3100.0, 600.0))
    balls = tuple(
        BallPose(ball=ball, center_mm=(x, y, 34.0)) for ball, (x, y) in zip(FIVE_BALL_SET, places, strict=True)
    )
    renderer = Renderer(table, make_view(table, 2, Difficulty.EASY), look)
    date = dt.datetime(2026, 1, 2, tzinfo=dt.UTC)
    result = calibrated([renderer.still(Instant(balls=balls))], UNKNOWN, date=date, is_size_told=False)
    assert (result.fit.table.length_mm, result.fit.table.width_mm) == (3550, 1775)
    assert result.certificate.verdict == "warn"
    assert "measure the table" in result.certificate.reasons[-1]
    with pytest.raises(CalibrationError, match="lay out 2 or more"):
        calibrated([renderer.still(Instant(balls=()))], UNKNOWN, date=date, is_size_told=False)
