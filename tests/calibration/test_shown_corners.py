"""Corners that a person has dragged: the finder refines them, and refuses those that make no table."""

import datetime as dt
from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.errors import NoTableError
from calibration.finder import find_table
from calibration.pose import fit_pose
from calibration.quality import certify
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view
from hardware.virtual.scene import Instant
from scoring.table import Table

TABLE = Table(length_mm=2840, width_mm=1420)
SIZE = (960, 540)
CAMERA = make_view(TABLE, 3, Difficulty.EASY, SIZE)
NOSES = [(x, y, TABLE.nose_height_mm) for x, y in ((0, 710), (2840, 710), (2840, -710), (0, -710))]
TRUE_PX = CAMERA.project(NOSES)
DRAGGED_PX = TRUE_PX + np.array([[5, -4], [-6, 4], [4, 5], [-3, -5]])


@pytest.fixture(scope="module")
def picture():
    look = replace(make_look(3, Difficulty.EASY, length_mm=2840, width_mm=1420), size_px=SIZE)
    return Renderer(TABLE, CAMERA, look).still(Instant(balls=()), 0.0)


def test_dragged_corners_are_refined_to_less_than_a_pixel(picture):
    found = find_table([picture], DRAGGED_PX[[2, 0, 3, 1]])
    fit = fit_pose(found, TABLE)
    assert certify(fit, dt.datetime.now(dt.UTC)).verdict == "pass"
    assert np.abs(fit.camera.project(NOSES) - TRUE_PX).max() < 1.0


def _with_false_noses(picture):
    """Cloth of the table's colour lies over both long rails, with a rim that looks like a cushion farther out."""
    cloth = picture[300, 480].astype(float)
    for inner_mm, outer_mm, share in ((750, 900, 1.0), (888, 900, 0.45), (900, 950, 1.12)):
        for way in (1, -1):
            strip = [
                (x, way * y, 40.0) for x, y in ((-60, inner_mm), (2900, inner_mm), (2900, outer_mm), (-60, outer_mm))
            ]
            colour = np.clip(cloth * share, 0, 255).tolist()
            cv2.fillPoly(picture, [np.round(CAMERA.project(strip)).astype(np.int32)], colour)
    return picture


def test_a_wrong_guess_is_put_right_by_corners_that_a_person_drags(picture):
    fooling = _with_false_noses(picture.copy())
    guess = fit_pose(find_table([fooling]), TABLE)
    assert certify(guess, dt.datetime.now(dt.UTC)).verdict == "refuse"
    assert np.abs(guess.camera.project(NOSES) - TRUE_PX).max() > 50
    shown = fit_pose(find_table([fooling], DRAGGED_PX), TABLE)
    assert certify(shown, dt.datetime.now(dt.UTC)).verdict == "pass"
    assert np.abs(shown.camera.project(NOSES) - TRUE_PX).max() < 1.0


@pytest.mark.parametrize(
    "corners",
    [
        np.array([(10.0, 10.0), (12.0, 10.0), (12.0, 12.0), (10.0, 12.0)]),
        np.array([(100.0, 100.0), (800.0, 100.0), (300.0, 200.0), (100.0, 450.0)]),
    ],
)
def test_corners_that_make_no_table_are_refused(picture, corners):
    with pytest.raises(NoTableError, match="make no table"):
        find_table([picture], corners)


def test_corners_put_beside_the_table_are_refused_with_a_reason(picture):
    with pytest.raises(NoTableError, match="no table"):
        find_table([picture], TRUE_PX.mean(axis=0) + 0.5 * (TRUE_PX - TRUE_PX.mean(axis=0)))
