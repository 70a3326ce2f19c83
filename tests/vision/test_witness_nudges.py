"""Balls that seem to shift a little: nobody has touched one for that alone, and a soft touch is not passed over."""

import numpy as np
import pytest

from scoring.balls import FIVE_BALL_SET, RED_2, WHITE_1, YELLOW
from scoring.events import Contact, CushionHit
from scoring.table import Cushion, Point, Table
from vision.detection import Detection, Sighting
from vision.surroundings import Surroundings
from vision.track import Look
from vision.witness import Witness
from vision.witness.kinks import Story, find_kinks
from vision.witness.legs import Samples, cut
from vision.witness.nudges import nudges

TABLE = Table()
FRAME_S = 1 / 60
TOLD_AGAIN_MM = 0.86  # the error of a place that is told again while the picture stays as it is


def story_of(place_at, *, sigma_mm, seconds=2.0, noise_mm=0.0):
    rng = np.random.default_rng(3)
    times = np.arange(0.0, seconds, FRAME_S).tolist()
    places = [np.array(place_at(t_s)) + rng.normal(0.0, 1.0, 2) * noise_mm for t_s in times]
    samples = Samples.of(
        [Look(t_s, float(x), float(y), sigma_mm, sigma_mm) for t_s, (x, y) in zip(times, places, strict=True)]
    )
    return Story(samples, tuple(cut(samples)))


def shifted_at(t_s, shift_mm, *, sigma_mm=TOLD_AGAIN_MM):
    """A ball at (1000, 0) that from a time on is told to lie farther along y."""
    return story_of(lambda now_s: (1000.0, 0.0 if now_s < t_s else shift_mm), sigma_mm=sigma_mm)


def passing(gap_mm, speed_mm_s):
    """A ball that is beside that one, so far from touching it, after one second."""
    place = lambda t_s: (1000.0 + speed_mm_s * (t_s - 1.0), -TABLE.ball_mm - gap_mm)  # noqa: E731
    return story_of(place, sigma_mm=0.3, noise_mm=0.3)


def touches(mover, other):
    found = nudges({1: mover, 2: other}, (), TABLE.ball_mm, FRAME_S)
    return [happening.confidence for explanation in found for happening in explanation.happenings]


@pytest.mark.parametrize(("gap_mm", "speed_mm_s"), [(10.0, 2000.0), (10.0, 60.0), (5.0, 400.0)])
def test_a_ball_told_to_lie_elsewhere_while_another_passes_was_not_touched(gap_mm, speed_mm_s):
    assert touches(passing(gap_mm, speed_mm_s), shifted_at(1.0, 1.4)) == []


def test_a_slow_ball_that_came_up_to_one_that_shifted_has_touched_it():
    (confidence,) = touches(passing(0.0, 40.0), shifted_at(1.02, 2.0))
    assert confidence > 0.75


def test_a_shift_beyond_doubt_that_shows_late_is_a_touch_by_the_ball_that_stopped_there():
    stopping = story_of(lambda t_s: (1000.0, -TABLE.ball_mm + min(71.0 * (t_s - 1.0), 0.0)), sigma_mm=0.3, noise_mm=0.1)
    (confidence,) = touches(stopping, shifted_at(1.1, 5.2, sigma_mm=0.4))
    assert confidence > 0.75


def test_whether_a_fast_ball_touched_one_that_shifted_is_doubtful():
    (confidence,) = touches(passing(0.0, 2000.0), shifted_at(1.01, 2.0))
    assert 0.02 < confidence < 0.5


def test_a_ball_that_shifted_towards_the_one_that_passed_was_not_pushed_by_it():
    assert touches(passing(0.0, 40.0), shifted_at(1.02, -2.0)) == []


@pytest.mark.parametrize(
    ("shift_mm", "sigma_mm", "is_doubtful"), [(1.4, 0.86, True), (1.8, 0.2, False), (4.0, 1.5, False)]
)
def test_a_place_that_is_told_again_shows_a_shift_no_better_than_one_measurement(shift_mm, sigma_mm, is_doubtful):
    stories = {1: shifted_at(1.0, shift_mm, sigma_mm=sigma_mm)}
    assert (find_kinks(1, stories, Surroundings.of(TABLE)) == []) is is_doubtful


def slowing(start, velocity, since_s, seconds):
    """Where a ball is that slows down evenly till it lies."""
    share = min(since_s, seconds)
    way_s = share - share**2 / (2 * seconds)
    return start[0] + velocity[0] * way_s, start[1] + velocity[1] * way_s


def carom_that_was_none(t_s):
    """The white meets the yellow and a cushion, and passes the red by 11 mm; whose place is then measured anew."""
    met_s, bounced_s = 1.2, 1.2 + 181.7 / 3047
    white = (215.7 + 3452 * 0.2, -455.9 - 430 * 0.2)
    if t_s > bounced_s:
        white = slowing((34.0, -378.3), (2239.0, 900.0), t_s - bounced_s, 1.2)
    elif t_s > met_s:
        white = (215.7 - 3047 * (t_s - met_s), -455.9 + 1302 * (t_s - met_s))
    elif t_s > 1.0:
        white = (white[0] - 3452 * (t_s - 1.0), white[1] + 430 * (t_s - 1.0))
    yellow = slowing((186.6, -517.2), (-434.0, -914.0), max(0.0, t_s - met_s), 0.5)
    red = (34.6, -299.9) if t_s < bounced_s - 0.015 else (35.3, -298.7)
    return {WHITE_1: white, YELLOW: yellow, RED_2: red}


def test_a_ball_that_passed_one_whose_place_was_known_too_early_has_not_touched_it():
    rng, witness, events = np.random.default_rng(1), Witness(TABLE, FIVE_BALL_SET), []
    for index in range(220):
        t_s = index * FRAME_S
        detections = []
        for ball, (x, y) in carom_that_was_none(t_s).items():
            noise = (0.0, 0.0) if ball == RED_2 else rng.normal(0.0, 0.3, 2).tolist()
            sigma_mm = TOLD_AGAIN_MM if ball == RED_2 else 0.4
            place = Point(x + noise[0], y + noise[1])
            detections.append(
                Detection(
                    place=place,
                    sigma_mm=sigma_mm,
                    sigma_along_mm=sigma_mm,
                    center_px=(0.0, 0.0),
                    radius_px=15.0,
                    looks={ball.colour: 0.97},
                )
            )
        events += witness.step(Sighting(t_ns=round(t_s * 1e9), index=index, detections=tuple(detections)))
    told = [*events, *witness.finish()]
    met = [{event.ball.colour, event.other.colour} for event in told if isinstance(event, Contact)]
    assert met == [{"white", "yellow"}]
    assert [event.cushion for event in told if isinstance(event, CushionHit)] == [Cushion.FRONT]
