"""Every scenario file of the rules plays as it expects."""

from pathlib import Path

import pytest

from scoring.games import GAMES
from server.expectations import differences, outcome_of
from server.scenarios import scenario_from_file, states_of

FOLDER = Path(__file__).parent / "scenarios"
FILES = sorted(FOLDER.glob("*/*.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_scenario_comes_out_as_it_expects(path):
    scenario = scenario_from_file(path)
    for expected, state in zip(scenario.expect, states_of(scenario), strict=True):
        assert differences(expected, outcome_of(state)) == ()


def test_scenarios_lie_in_their_games_folder_under_their_own_id():
    for path in FILES:
        scenario = scenario_from_file(path)
        assert scenario.setup.game == path.parent.name
        assert scenario.id.lower() == path.stem


def test_every_game_has_its_worked_examples():
    assert {path.parent.name for path in FILES} == set(GAMES)
