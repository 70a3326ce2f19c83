"""A match of 300 strokes folds in 50 ms and an early correction takes 100 ms on an idle machine."""

import itertools

import pytest

from scoring.benchmark import benchmark
from scoring.errors import ScoringError
from scoring.games import GAMES

SLACK = 4
"""Room for coverage, slow runners and busy machines."""


def test_three_hundred_strokes_and_a_correction_stay_within_their_time():
    timing = benchmark()
    assert timing.fold_s < 0.050 * SLACK
    assert timing.correction_s < 0.100 * SLACK


@pytest.mark.parametrize("game", GAMES)
def test_every_game_can_be_timed(game):
    ticks = itertools.count()
    timing = benchmark(game, strokes=10, rounds=2, clock=lambda: float(next(ticks)))
    assert (timing.game, timing.strokes, timing.fold_s, timing.correction_s) == (game, 10, 1.0, 1.0)
    assert timing.stroke_s == pytest.approx(0.1)


@pytest.mark.parametrize("wrong", [{"strokes": 0}, {"rounds": 0}])
def test_there_is_nothing_to_time_without_strokes_or_rounds(wrong):
    with pytest.raises(ScoringError, match="at least one"):
        benchmark(**wrong)


def test_an_unknown_game_is_refused():
    with pytest.raises(ScoringError, match="no game is called"):
        benchmark("whist")
