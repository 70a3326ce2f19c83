"""The bench of hands: what its rates mean."""

import pytest

from server.bench.hands import IdleMinutes, hands_json, rate_interval


def test_nothing_in_two_hours_still_leaves_almost_two_an_hour_possible():
    assert rate_interval(0, 2.0) == (0.0, pytest.approx(1.844, abs=0.001))


def test_a_count_has_the_exact_poisson_interval():
    assert rate_interval(3, 1.0) == (pytest.approx(0.619, abs=0.001), pytest.approx(8.767, abs=0.001))


def test_stretches_are_added_up():
    stretches = [
        IdleMinutes(game="kaisa", seed=seed, duration_s=1800.0, frames=10, strokes_s=strokes, asked=1, pots=0)
        for seed, strokes in ((1, (4.0, 5.0)), (2, ()))
    ]
    figures = hands_json(stretches)
    assert (figures["invented"], figures["hours"], figures["an_hour"]["value"]) == (2, 1.0, 2.0)
