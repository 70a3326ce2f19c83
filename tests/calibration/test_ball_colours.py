"""Learning the balls' colours: on this table, in this light, and never for balls that cannot be told apart."""

import numpy as np
import pytest

from calibration.ball_colours import ColoursError, learn_colours
from calibration.cloth import cloth_areas
from calibration.resting_balls import RestingBalls, resting_balls
from calibration.table_file import BallSet
from calibration.usual_colours import USUAL_SRGB
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view
from hardware.virtual.scene import BallPose, Instant
from scoring.balls import FIVE_BALL_SET, Ball
from scoring.table import Table

FIVE = BallSet()
WORDS = ("white", "white", "red", "red", "yellow")


def _balls(words: tuple[str, ...], light: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> RestingBalls:
    """Balls of usual colours in a light (red, green, blue), each a little off."""
    rng = np.random.default_rng(3)
    srgb = (
        np.array([USUAL_SRGB[word] for word in words]).reshape(-1, 3)
        * np.array(light)
        * rng.uniform(0.97, 1.03, (len(words), 3))
    )
    places = np.column_stack([np.linspace(400, 2400, len(words)), np.zeros(len(words))])
    return RestingBalls(
        places_mm=places, bgr=srgb[:, ::-1], scales=np.ones(len(words)), cloth_bgr=np.array([60.0, 130.0, 25.0])
    )


@pytest.mark.parametrize("light", [(1.0, 1.0, 1.0), (1.0, 0.86, 0.62), (0.55, 0.55, 0.6), (0.8, 0.95, 1.0)])
def test_colours_are_learnt_in_any_light(light: tuple[float, float, float]) -> None:
    learnt = learn_colours(_balls(WORDS, light), FIVE)
    assert set(learnt.srgb) == {"white", "red", "yellow"}
    assert not learnt.unseen
    for word, colour in learnt.srgb.items():
        assert colour == pytest.approx(np.array(USUAL_SRGB[word]) * light, rel=0.05, abs=2)


def test_a_word_of_which_no_ball_lies_there_is_told_and_not_made_up() -> None:
    learnt = learn_colours(_balls(("white", "red")), FIVE)
    assert set(learnt.srgb) == {"white", "red"}
    assert learnt.unseen == ("yellow",)
    assert learn_colours(_balls(()), FIVE).unseen == ("white", "red", "yellow")


def test_few_balls_of_a_set_do_not_tell_the_light_and_so_not_who_they_are() -> None:
    """Small balls take on some of the cloth's colour: seven reds then seem to show a light in which yellow is brown."""
    snooker = ("white", "yellow", "green", "brown", "blue", "pink", "black", *(f"red-{i}" for i in range(1, 16)))
    balls = _balls(("red",) * 7 + ("yellow",))
    bled = np.array([[30.0, 72.0, 165.0]] * 7 + [[47.0, 236.0, 255.0]])
    few = RestingBalls(places_mm=balls.places_mm, bgr=bled, scales=balls.scales, cloth_bgr=np.array([5.0, 130.0, 15.0]))
    learnt = learn_colours(few, BallSet(balls=tuple(map(Ball, snooker))))
    assert "brown" not in learnt.srgb
    assert "brown" in learnt.unseen


def test_balls_that_look_alike_are_refused_by_name() -> None:
    alike = _balls(("white", "numbered", "red"))
    with pytest.raises(ColoursError, match=r"white and numbered look alike|numbered and white look alike"):
        learn_colours(alike, BallSet(balls=(Ball("white"), Ball("3"), Ball("red"))))


def test_a_ball_of_no_word_and_a_ball_too_many_are_refused() -> None:
    with pytest.raises(ColoursError, match="the colour of none of white, red, yellow"):
        learn_colours(_balls(("white", "white", "red", "green")), FIVE)
    with pytest.raises(ColoursError, match="6 balls lie on the table, but the set has 5"):
        learn_colours(_balls((*WORDS, "red")), FIVE)
    with pytest.raises(ColoursError, match="usually looks like"):
        learn_colours(_balls(("white",)), BallSet(balls=(Ball("mauve"),)))


def test_balls_of_a_virtual_table_are_found_with_their_places_and_colours() -> None:
    table = Table(length_mm=2840, width_mm=1420)
    camera = make_view(table, 3, Difficulty.NORMAL)
    renderer = Renderer(table, camera, make_look(3, Difficulty.NORMAL, length_mm=2840, width_mm=1420))
    places = ((500.0, 200.0), (900.0, -300.0), (1500.0, 400.0), (2000.0, -100.0), (2500.0, 300.0))
    poses = tuple(
        BallPose(ball=ball, center_mm=(x, y, table.ball_radius_mm))
        for ball, (x, y) in zip(FIVE_BALL_SET, places, strict=True)
    )
    picture = renderer.still(Instant(balls=poses))
    seen = resting_balls(picture, camera, table, cloth_areas(picture)[0])
    assert len(seen) == 5
    for place in places:
        assert np.linalg.norm(seen.places_mm - place, axis=1).min() < 15
    assert np.median(seen.scales) == pytest.approx(1.0, abs=0.2)
    learnt = learn_colours(seen, FIVE)
    for ball in FIVE_BALL_SET:
        assert learnt.srgb[ball.colour] == pytest.approx(renderer.colour_of(ball), abs=45)
