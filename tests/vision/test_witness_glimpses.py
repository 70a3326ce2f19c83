"""What is supposed while balls roll: the struck ball, contacts and pots within 150 ms of their moment, each once."""

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from hardware.virtual.physics import CueStroke, simulate
from scoring.balls import FIVE_BALL_SET, RED_1, WHITE_1, YELLOW
from scoring.events import Contact, Potted, Strike
from scoring.table import Pocket, Point, Table
from vision.witness import Witness

SOON_S = 0.15
TABLE = Table()


def helper(name):
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


filming = helper("filming")


def supposed(sightings, until_s=math.inf):
    """What was told, and when, without the reading at rest."""
    witness = Witness(TABLE, FIVE_BALL_SET)
    told = []
    for sighting in sightings:
        if sighting.t_ns * 1e-9 > until_s:
            break
        witness.step(sighting)
        told += [(sighting.t_ns * 1e-9, event) for event in witness.provisional()]
    return told


def pairs(events):
    return [frozenset((event.ball.colour, event.other.colour)) for event in events if isinstance(event, Contact)]


@pytest.mark.parametrize(("seed", "fps"), [(1, 60.0), (2, 60.0), (3, 30.0), (4, 30.0)])
def test_contacts_of_a_stroke_are_supposed_in_their_order_and_soon(seed, fps):
    motion, sightings, strike_s = filming.random_case(seed, kind="pot", eye=filming.Eye(fps=fps))
    told = supposed(sightings, until_s=strike_s + motion.duration_s)
    (when_s, strike), *_ = told
    assert isinstance(strike, Strike)
    assert strike.ball.colour == WHITE_1.colour
    assert when_s - strike_s < SOON_S
    true = [event for event in motion.events if isinstance(event, Contact)]
    assert true
    once = list(dict.fromkeys(frozenset((event.ball, event.other)) for event in true))
    first_s = strike_s + true[0].t_s
    assert len(pairs([event for _, event in told])) == len(once)
    assert pairs([event for _, event in told])[0] == pairs(true)[0]
    assert next(when_s for when_s, event in told if isinstance(event, Contact)) - first_s < SOON_S


def test_a_pair_that_meets_twice_is_told_once():
    cue = CueStroke(ball=WHITE_1, speed_mm_s=2500.0, direction_rad=0.0)
    motion = simulate(TABLE, {WHITE_1: Point(600, 0), RED_1: Point(1200, 0), YELLOW: Point(3300, 300)}, cue)
    assert sum(isinstance(event, Contact) for event in motion.events) >= 2  # the red one comes back
    sightings, strike_s = filming.film(motion, cue, filming.Eye(), np.random.default_rng(5))
    told = [event for _, event in supposed(sightings, until_s=strike_s + motion.duration_s)]
    assert pairs(told) == [frozenset(("white", "red"))]


def test_a_ball_that_falls_is_supposed_to_have_fallen_before_the_others_lie_still():
    cue = CueStroke(ball=WHITE_1, speed_mm_s=1500.0, direction_rad=-math.pi / 2)
    motion = simulate(TABLE, {WHITE_1: Point(1775, 100), RED_1: Point(1775, -400), YELLOW: Point(600, 300)}, cue)
    falls = [event for event in motion.events if isinstance(event, Potted)]
    assert [event.pocket for event in falls] == [Pocket.MR]
    sightings, strike_s = filming.film(motion, cue, filming.Eye(), np.random.default_rng(6))
    told = supposed(sightings, until_s=strike_s + motion.duration_s)
    pots = [(when_s, event) for when_s, event in told if isinstance(event, Potted)]
    assert [(event.ball.colour, event.pocket) for _, event in pots] == [("red", Pocket.MR)]
    assert pots[0][0] - (strike_s + falls[0].t_s) < SOON_S


def test_balls_at_rest_are_not_supposed_to_do_anything():
    _, sightings, strike_s = filming.random_case(4, eye=filming.Eye(noise_mm=0.8))
    assert supposed(sightings, until_s=strike_s - 0.05) == []
