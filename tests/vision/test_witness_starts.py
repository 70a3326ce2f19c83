"""Strokes that nobody could see begin are asked about; hands that seem to be balls play none."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from hardware.virtual.difficulty import Difficulty
from hardware.virtual.idling import idle
from hardware.virtual.performance import perform_case
from scoring.events import Moved, Strike
from scoring.table import Table
from vision.witness import Witness


def _filming_scenes():
    spec = importlib.util.spec_from_file_location("filming_scenes", Path(__file__).with_name("filming_scenes.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules["filming_scenes"] = module
    spec.loader.exec_module(module)
    return module


filming_scenes = _filming_scenes()


def told_of(performance, seed, fps=60.0):
    witness = Witness(performance.table, performance.balls)
    events = []
    for sighting in filming_scenes.film_scene(performance.timeline, np.random.default_rng(seed), fps=fps):
        events += witness.step(sighting)
    return [*events, *witness.finish()]


@pytest.mark.parametrize(("name", "seed"), [("lies-on-the-rail", 3), ("leaves-and-returns", 5)])
def test_a_stroke_hidden_until_its_ball_had_left_the_table_is_asked_about(name, seed):
    performance = perform_case(name, seed, Difficulty.NORMAL)
    (true,) = (event for event in performance.timeline.events if isinstance(event, Strike))
    (told,) = (event for event in told_of(performance, seed) if isinstance(event, Strike))
    assert told.flagged
    assert isinstance(told.alternatives[0].event, Moved)
    assert told.t_s == pytest.approx(true.t_s, abs=0.6)


def test_a_hand_that_looks_like_a_ball_on_the_run_plays_no_stroke():
    performance = idle("kaisa", 2, Difficulty.NORMAL, Table(length_mm=2840.0, width_mm=1420.0), 57.0)
    told = told_of(performance, 2, fps=30.0)
    assert not [event for event in told if isinstance(event, Strike)]
    assert sum(isinstance(event, Moved) for event in told) > 4
