"""What the rules say in their worked examples the board can show in every language, and the journal keep."""

from pathlib import Path

import pytest

from scoring.match import fold
from server.board import state_out
from server.config import HallConfig, TableConfig
from server.entry_records import entry_from_text, entry_to_text
from server.hub import Hub
from server.scenarios import scenario_from_file, states_of
from server.stroke_lines import stroke_line
from server.text import LANGUAGES, catalogue

FOLDER = Path(__file__).parent.parent / "scoring" / "scenarios"
FILES = sorted(FOLDER.glob("*/*.yaml"))


@pytest.fixture(scope="module")
def hub():
    return Hub(HallConfig(tables=(TableConfig(id="one", name="One", source="events:none"),)), lambda: None)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_scenario_is_shown_without_a_missing_word(path, hub, caplog):
    table = hub.table("one")
    for state in states_of(scenario_from_file(path)):
        table.match = state
        for language in LANGUAGES:
            shown = state_out(hub, table, catalogue(language))
            assert all(reason.text for ruling in shown.rulings for reason in ruling.reasons)
            assert shown.headline
        assert all(stroke_line(state, record.number) for record in state.records)
    assert caplog.text == ""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_scenarios_log_survives_the_journal(path):
    state = list(states_of(scenario_from_file(path)))[-1]
    texts = [entry_to_text(entry) for entry in state.entries]
    again = fold(entry_from_text(text) for text in texts)
    assert [entry_to_text(entry) for entry in again.entries] == texts
    assert again.records == state.records
    assert again.pending == state.pending
