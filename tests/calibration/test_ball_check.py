"""The check with a ball: a ball on a spot or in a pocket's mouth is seen to a millimetre, a wrong model is told."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.ball_check import check_ball, check_places
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view
from hardware.virtual.scene import BallPose, Instant
from scoring.balls import RED_1, WHITE_1, YELLOW
from scoring.table import Pocket, Spot, Table

TABLE = Table(length_mm=2840, width_mm=1420)
SIZE = (1280, 720)
CAMERA = make_view(TABLE, 5, Difficulty.NORMAL, SIZE)
OTHERS = (BallPose(ball=RED_1, center_mm=(1000.0, 300.0, 34.0)), BallPose(ball=YELLOW, center_mm=(2000.0, 0.0, 34.0)))


@pytest.fixture(scope="module")
def renderer():
    look = make_look(5, Difficulty.NORMAL, length_mm=2840, width_mm=1420)
    return Renderer(TABLE, CAMERA, replace(look, size_px=SIZE))


@pytest.fixture(scope="module")
def before(renderer):
    return renderer.still(Instant(balls=OTHERS), 0.0)


def with_ball(renderer, place_mm, ball=WHITE_1):
    put = BallPose(ball=ball, center_mm=(*place_mm, TABLE.ball_radius_mm))
    return renderer.still(Instant(balls=(*OTHERS, put)), 0.5)


@pytest.mark.parametrize("place", [Spot.S1, Spot.S3, Pocket.FL, Pocket.MR, Pocket.RR])
def test_a_ball_at_a_known_place_is_seen_there(renderer, before, place):
    seen = check_ball(with_ball(renderer, check_places(TABLE)[place]), [before], CAMERA, TABLE, place)
    assert seen is not None
    assert seen.residual_mm < 2.2


def test_a_model_that_is_wrong_by_a_centimetre_is_told(renderer, before):
    x_mm, y_mm = check_places(TABLE)[Spot.S2]
    seen = check_ball(with_ball(renderer, (x_mm + 8.0, y_mm - 6.0)), [before], CAMERA, TABLE, Spot.S2)
    assert seen is not None
    assert seen.residual_mm == pytest.approx(10.0, abs=1.5)


def test_an_older_picture_serves_when_the_ball_was_there_in_the_last(renderer, before):
    after = with_ball(renderer, check_places(TABLE)[Spot.S1])
    assert check_ball(after, [before, after], CAMERA, TABLE, Spot.S1) is not None
    assert check_ball(after, [after], CAMERA, TABLE, Spot.S1) is None


def test_a_hand_or_nothing_is_no_ball(renderer, before):
    assert check_ball(renderer.still(Instant(balls=OTHERS), 0.5), [before], CAMERA, TABLE, Spot.S2) is None
    hand = before.copy()
    x_px, y_px = CAMERA.project([(*check_places(TABLE)[Spot.S2], 60.0)])[0].astype(int)
    cv2.rectangle(hand, (int(x_px) - 40, int(y_px) - 300), (int(x_px) + 40, int(y_px) + 30), (120, 150, 200), -1)
    assert check_ball(hand, [before], CAMERA, TABLE, Spot.S2) is None


def test_a_picture_of_another_size_is_passed_over(renderer, before):
    after = with_ball(renderer, check_places(TABLE)[Spot.S1])
    assert check_ball(after, [np.zeros((90, 160, 3), np.uint8), before], CAMERA, TABLE, Spot.S1) is not None
    assert check_ball(after, [np.zeros((90, 160, 3), np.uint8)], CAMERA, TABLE, Spot.S1) is None
