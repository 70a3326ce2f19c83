"""Soft touches of a nose: told where the path turns at it, a doubt where the ball ran within the errors of it."""

import numpy as np
import pytest

from scoring.balls import FIVE_BALL_SET, RED_1, WHITE_1
from scoring.events import CushionHit, Potted
from scoring.table import Cushion, Point, Table
from vision.detection import Detection, Sighting
from vision.surroundings import Surroundings
from vision.track import Look
from vision.witness import Witness
from vision.witness.brushes import find_brush
from vision.witness.kinks import Story
from vision.witness.legs import Samples, cut

TABLE = Table()
AROUND = Surroundings.of(TABLE)
AT_NOSE_MM = TABLE.width_mm / 2 - TABLE.ball_radius_mm
SIGMA_MM = 0.3


def story(gap_mm, seed=0):
    """A ball that runs for a second along the left cushion at 800 mm/s with the given gaps over time."""
    rng = np.random.default_rng(seed)
    looks = [
        Look(
            k / 60,
            2000 + 800 * k / 60 + rng.normal(0, SIGMA_MM),
            AT_NOSE_MM - gap_mm(k / 60) + rng.normal(0, SIGMA_MM),
            SIGMA_MM,
            SIGMA_MM,
        )
        for k in range(60)
    ]
    samples = Samples.of(looks)
    return Story(samples, tuple(cut(samples)))


@pytest.mark.parametrize("seed", range(4))
def test_a_path_that_turns_at_the_nose_is_a_touch(seed):
    brush = find_brush(story(lambda t: 20 * abs(t - 0.5), seed), AROUND, 0.0, 1.0)
    assert brush.cushion is Cushion.LEFT
    assert brush.is_sure
    assert abs(brush.t_s - 0.5) < 0.06


@pytest.mark.parametrize("seed", range(4))
def test_a_path_along_the_nose_is_a_possible_touch(seed):
    brush = find_brush(story(lambda t: 0.4 + 0.1 * t, seed), AROUND, 0.0, 1.0)
    assert not brush.is_seen
    assert 0.02 < brush.probability < 0.5


@pytest.mark.parametrize("gap_mm", [lambda t: 4 + 0 * t, lambda t: 4 + 20 * abs(t - 0.5), lambda t: 40 * t + 3])
def test_a_path_that_keeps_off_the_nose_is_no_touch(gap_mm):
    assert find_brush(story(gap_mm), AROUND, 0.0, 1.0) is None


def seen(x_mm, y_mm, colour):
    return Detection(
        place=Point(float(x_mm), float(y_mm)),
        sigma_mm=SIGMA_MM,
        sigma_along_mm=SIGMA_MM,
        center_px=(0.0, 0.0),
        radius_px=15.0,
        looks={colour: 0.97},
    )


@pytest.mark.parametrize(("gap_mm", "is_doubtful"), [(0.3, True), (6.0, False)])
def test_a_ball_that_falls_after_it_ran_along_a_nose_raises_the_doubt_of_a_bank(gap_mm, is_doubtful):
    rng = np.random.default_rng(1)
    row = AT_NOSE_MM - gap_mm
    witness, events = Witness(TABLE, FIVE_BALL_SET), []
    for k in range(260):
        t_s = k / 60 - 1.5
        white = 2000 + 900 * np.clip(t_s, 0.0, 0.3)  # stops dead beside the red
        red = 2338 + 900 * max(0.0, t_s - 0.3)
        balls = [(white, "white"), (red, "red")] if red < TABLE.length_mm + 15 else [(white, "white")]
        detections = tuple(
            seen(x + rng.normal(0, SIGMA_MM), row + rng.normal(0, SIGMA_MM), colour) for x, colour in balls
        )
        events += witness.step(Sighting(t_ns=round((t_s + 1.5) * 1e9), index=k, detections=detections))
    potted = next(e for e in events if isinstance(e, Potted))
    assert potted.ball == RED_1
    assert WHITE_1 in witness.positions
    assert potted.flagged is is_doubtful
    hits = [a.event for a in potted.alternatives]
    assert bool(hits) is is_doubtful
    assert all(isinstance(hit, CushionHit) and hit.cushion is Cushion.LEFT for hit in hits)
