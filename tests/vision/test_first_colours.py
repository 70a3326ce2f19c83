"""Who is who in a light that nobody has measured: all balls of a set at once."""

import numpy as np
import pytest

from calibration.table_file import BallSet
from calibration.usual_colours import USUAL_SRGB
from scoring.balls import FIVE_BALL_SET, Ball
from vision.colours import Colours

CAROM = tuple(map(Ball, ("white", "yellow", "red")))
SNOOKER = tuple(map(Ball, ("white", "yellow", "green", "brown", "blue", "pink", "black", "red-1", "red-2", "red-3")))
BLUE_CLOTH = np.array([220.0, 120.0, 80.0])
GREEN_CLOTH = np.array([0.0, 120.0, 20.0])


def best(colours, bgr):
    return [max(look, key=look.get) for look in colours.looks(np.array(bgr, dtype=np.float64))]


def bled(words, cloth, share):
    """The usual colours with some of the cloth's hue."""
    luma = np.array([0.114, 0.587, 0.299])
    bgr = np.array([USUAL_SRGB[word][::-1] for word in words])
    own, its = (bgr @ luma)[:, None], cloth @ luma
    return np.clip(own + (1 - share) * (bgr - own) + share * (cloth - its), 0, 255)


def test_a_salmon_ball_beside_a_white_one_is_the_yellow_one():
    """Alone it would be taken for white."""
    pale, salmon, red = (210.0, 249.0, 248.0), (137.0, 186.0, 246.0), (102.0, 64.0, 220.0)
    colours = Colours(BallSet(balls=CAROM))
    assert best(Colours(BallSet(balls=CAROM)), [salmon]) == ["white"]
    assert colours.settle(np.array([pale, salmon, red]), BLUE_CLOTH)
    assert best(colours, [pale, salmon, red]) == ["white", "yellow", "red"]


@pytest.mark.parametrize("share", [0.0, 0.15, 0.3])
def test_small_balls_into_which_the_cloth_bleeds_keep_their_names(share):
    words = [ball.colour for ball in SNOOKER]
    seen = bled(words, GREEN_CLOTH, share)
    colours = Colours(BallSet(balls=SNOOKER))
    assert colours.settle(seen, GREEN_CLOTH)
    assert best(colours, seen) == words


def test_what_no_ball_looks_like_is_not_learnt():
    usual = bled(["white", "yellow"], BLUE_CLOTH, 0.0)
    green = np.array([[40.0, 220.0, 10.0]])
    colours = Colours(BallSet(balls=CAROM))
    colours.settle(np.vstack([usual, green]), BLUE_CLOTH)
    assert best(colours, bled(["white", "yellow", "red"], BLUE_CLOTH, 0.0)) == ["white", "yellow", "red"]
    assert sum(colours.looks(green)[0].values()) < 0.2


def test_a_picture_with_fewer_balls_teaches_nothing_more():
    colours = Colours(BallSet(balls=CAROM))
    assert colours.settle(bled(["white", "yellow"], BLUE_CLOTH, 0.0), BLUE_CLOTH)
    assert not colours.settle(bled(["white", "yellow"], BLUE_CLOTH, 0.2), BLUE_CLOTH)
    assert colours.settle(bled(["white", "yellow", "red"], BLUE_CLOTH, 0.0), BLUE_CLOTH)


def test_colours_learnt_at_the_table_are_left_alone():
    learnt = BallSet(balls=FIVE_BALL_SET, colours={word: USUAL_SRGB[word] for word in ("white", "red", "yellow")})
    assert not Colours(learnt).settle(bled(["white", "red", "red"], GREEN_CLOTH, 0.0), GREEN_CLOTH)


def test_balls_of_an_unknown_set_are_not_learnt():
    assert not Colours(BallSet(balls=())).settle(bled(["white", "red"], GREEN_CLOTH, 0.0), GREEN_CLOTH)


def test_words_that_were_learnt_keep_their_colour_while_others_are_found():
    pale, salmon, red = (210.0, 249.0, 248.0), (137.0, 186.0, 246.0), (102.0, 64.0, 220.0)
    colours = Colours(BallSet(balls=CAROM, colours={"red": (230.0, 70.0, 100.0)}))
    assert colours.settle(np.array([pale, salmon, red]), BLUE_CLOTH)
    assert best(colours, [pale, salmon, red]) == ["white", "yellow", "red"]


def test_a_ball_that_was_blurred_in_the_first_picture_is_known_when_it_is_sharp():
    white, blurred, sharp, red = (250.0, 252.0, 251.0), (165.0, 235.0, 240.0), (82.0, 249.0, 250.0), (60.0, 40.0, 230.0)
    colours = Colours(BallSet(balls=CAROM))
    assert colours.settle(np.array([white, blurred, red]), BLUE_CLOTH)
    (look,) = colours.looks(np.array([sharp]))
    assert look["yellow"] > 0.8
    for _ in range(70):
        colours.follow(np.array([sharp]), colours.looks(np.array([sharp])))
    assert colours.looks(np.array([sharp]))[0]["yellow"] > 0.95


def test_a_picture_with_more_balls_than_there_are_teaches_nothing():
    colours = Colours(BallSet(balls=CAROM))
    assert colours.settle(bled(["white", "yellow"], BLUE_CLOTH, 0.0), BLUE_CLOTH)
    assert not colours.settle(bled(["white", "yellow", "red", "red"], BLUE_CLOTH, 0.0), BLUE_CLOTH)


def test_a_ball_that_is_gone_keeps_its_colour_when_others_teach_theirs():
    """Its place may be taken by whatever looks like it to somebody who has forgotten it."""
    colours = Colours(BallSet(balls=SNOOKER))
    dark = np.array([[0.0, 42.0, 0.0]])
    few = bled(["white", "blue", "red"], GREEN_CLOTH, 0.15)
    assert colours.settle(np.vstack([few, dark]), GREEN_CLOTH)
    assert colours.settle(bled(["white", "blue", "red", "green", "pink"], GREEN_CLOTH, 0.15), GREEN_CLOTH)
    assert colours.looks(dark)[0]["black"] > 0.9
