"""Colour words and their probabilities."""

import numpy as np
import pytest

from calibration.table_file import BallSet
from calibration.usual_colours import USUAL_SRGB
from scoring.balls import FIVE_BALL_SET, PYRAMID_SET, Ball
from vision.colours import GENERIC_WORDS, Colours


def bgr(word, gain=1.0):
    return np.array([USUAL_SRGB[word][::-1]], dtype=np.float64) * gain


@pytest.mark.parametrize("word", ["white", "red", "yellow"])
@pytest.mark.parametrize("gain", [0.7, 1.0, 1.1])
def test_a_word_is_sure_of_its_own_colour_in_dim_and_bright_light(word, gain):
    look = Colours(BallSet(balls=FIVE_BALL_SET)).looks(bgr(word, gain))[0]
    assert look[word] > 0.9
    assert sum(look.values()) <= 1.0


def test_a_colour_that_no_ball_has_belongs_to_no_word():
    look = Colours(BallSet(balls=FIVE_BALL_SET)).looks(np.array([[190.0, 60.0, 30.0]]))[0]
    assert sum(look.values()) < 0.1


def test_learnt_colours_come_before_usual_ones():
    learnt = BallSet(balls=FIVE_BALL_SET, colours={"red": (120.0, 20.0, 110.0)})
    look = Colours(learnt).looks(np.array([[110.0, 20.0, 120.0]]))[0]
    assert look["red"] > 0.9


def test_pyramid_balls_are_told_from_the_cue_ball():
    colours = Colours(BallSet(balls=PYRAMID_SET))
    assert colours.words == ("cue", "numbered")
    assert colours.looks(bgr("numbered"))[0]["numbered"] > 0.9
    assert colours.looks(bgr("cue"))[0]["cue"] > 0.9


def test_balls_of_an_unknown_set_get_everyday_colour_words():
    assert Colours(BallSet(balls=(Ball("ball-?1"),))).words == GENERIC_WORDS


def test_a_light_that_changes_slowly_is_followed():
    colours = Colours(BallSet(balls=FIVE_BALL_SET))
    warm = np.array([1.0, 1.0, 1.0])
    for _ in range(400):
        warm = warm * [0.9995, 1.0, 1.0005]
        seen = bgr("white") * warm
        colours.follow(seen, colours.looks(seen))
    assert colours.looks(bgr("white") * warm)[0]["white"] > 0.95


def test_nothing_seen_looks_like_nothing():
    assert Colours(BallSet()).looks(np.zeros((0, 3))) == []
