"""The worked example of docs/add-a-game.md is a real game: one file and two lines make it playable."""

import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.alternatives import alternatives
from scoring.balls import PYRAMID_SET
from scoring.commands import Entry, PlayShot, StartMatch
from scoring.events import Contact, OffTable, Potted, Rest, Strike
from scoring.game import Verdict
from scoring.games import GAMES, game_named
from scoring.match import NO_MATCH, apply, fold
from scoring.options import INHERITED, PREFIXES
from scoring.referee import effect_of
from scoring.scoreboard import Due, scoreboard_of
from scoring.setup import Setup, singles
from scoring.shots import Shot
from scoring.table import Pocket
from server.expectations import differences, outcome_of
from server.scenarios import scenario_from_file, states_of

FOLDER = Path(__file__).parent / "added_game"
PAGE = Path(__file__).parents[2] / "docs" / "add-a-game.md"


@pytest.fixture(scope="module")
def free_pyramid():
    spec = importlib.util.spec_from_file_location("free_pyramid", FOLDER / "free_pyramid.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "free_pyramid", module)
        spec.loader.exec_module(module)
        patch.setitem(GAMES, "free-pyramid", "free_pyramid:FREE_PYRAMID")
        patch.setitem(PREFIXES, "fp", module.OPTIONS)
        patch.setitem(INHERITED, "free-pyramid", ("fp",))
        yield module
    game_named.cache_clear()


@pytest.mark.usefixtures("free_pyramid")
def test_the_added_game_plays_its_scenario():
    scenario = scenario_from_file(FOLDER / "free_pyramid.yaml")
    for expected, state in zip(scenario.expect, states_of(scenario), strict=True):
        assert differences(expected, outcome_of(state)) == ()


BALL = st.sampled_from(PYRAMID_SET)
EVENT = st.one_of(
    st.builds(Contact, t_s=st.floats(0.1, 4), ball=BALL, other=BALL),
    st.builds(Potted, t_s=st.floats(0.1, 4), ball=BALL, pocket=st.sampled_from(Pocket)),
    st.builds(OffTable, t_s=st.floats(0.1, 4), ball=BALL, returned=st.booleans()),
)
SHOT = st.builds(
    lambda ball, events: Shot(events=(Strike(t_s=0.0, ball=ball), *events, Rest(t_s=5.0))),
    BALL,
    st.lists(EVENT, max_size=5),
)


@pytest.mark.usefixtures("free_pyramid")
@settings(max_examples=15, deadline=None)
@given(st.lists(SHOT, max_size=3))
def test_the_added_game_gets_doubts_odd_events_boards_and_corrections_from_the_core(shots):
    start = StartMatch(Setup(game="free-pyramid", sides=singles("A", "B", "C")))
    state = apply(NO_MATCH, Entry(seq=1, what=start))
    for shot in shots:
        state = apply(state, Entry(seq=state.next_seq, what=PlayShot(shot)))
    assert sum(state.standing.scores) == len(state.standing.gone)
    assert scoreboard_of(state).due in (Due.STROKE, Due.ANSWER, Due.NOTHING)
    assert fold(state.entries) == state
    for record in state.records:
        now = effect_of(Verdict(record.ruling, record.after)) if record.ruling else None
        others = alternatives(state, record.number)
        assert all(effect_of(Verdict(one.ruling, one.after)) != now for one in others)


@pytest.mark.parametrize("name", ["free_pyramid.py", "free_pyramid.yaml"])
def test_the_page_shows_the_very_files_that_are_tested(name):
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert text in PAGE.read_text(encoding="utf-8"), "run: python tests/scoring/test_added_game.py"
    assert len(text.splitlines()) < 130


def _page_with_files():
    """The page with the files' text between its markers."""
    page = PAGE.read_text(encoding="utf-8")
    for name, kind in (("free_pyramid.py", "python"), ("free_pyramid.yaml", "yaml")):
        before, rest = page.split(f"<!-- {name} -->\n", 1)
        after = rest.split(f"<!-- end of {name} -->\n", 1)[1]
        text = (FOLDER / name).read_text(encoding="utf-8")
        page = f"{before}<!-- {name} -->\n```{kind}\n{text}```\n<!-- end of {name} -->\n{after}"
    return page


if __name__ == "__main__":
    PAGE.write_text(_page_with_files(), encoding="utf-8")
