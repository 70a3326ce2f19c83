"""Every night 10,000 random matches of each game go through the bodies of the property tests, invariants and all.

CUEMARKER_RANDOM_MATCHES sets another number of matches for each game.
"""

import importlib.util
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

MATCHES = int(os.environ.get("CUEMARKER_RANDOM_MATCHES", "10000"))
PARTY = ("test_party_properties", "test_any_strokes_are_ruled_without_raising_and_can_all_be_undone")
PYRAMID = ("test_pyramid_properties", "test_any_strokes_are_ruled_without_raising_and_keep_the_points")
PROPERTIES = {
    "kaisa": ("test_kaisa_properties", "test_any_strokes_are_ruled_without_raising_and_lose_no_ball"),
    "russian-party": PARTY,
    "five-balls": PARTY,
    "small-pyramid": PYRAMID,
    "big-pyramid": PYRAMID,
}


def property_of(game):
    """The property test that stands beside this file, as Hypothesis keeps it: its strategies and its bare body."""
    file, test = PROPERTIES[game]
    spec = importlib.util.spec_from_file_location(f"many_matches_{file}", Path(__file__).with_name(f"{file}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, test).hypothesis


@pytest.mark.nightly
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("game", PROPERTIES)
def test_many_random_matches_keep_every_invariant_of_their_game(game):
    wanted = property_of(game)
    which = {} if game == "kaisa" else {"game": game}
    finished = 0

    @settings(max_examples=MATCHES, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
    @given(**wanted._given_kwargs)
    def one_match(**drawn):
        nonlocal finished
        wanted.inner_test(**which, **drawn)
        finished += 1

    one_match()
    print(f"{game}: {finished} random matches")  # noqa: T201 -- the nightly log says how many were played
    assert finished >= MATCHES, "as many matches were played as were asked for"
