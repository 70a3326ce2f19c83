"""Matches of the past: the list, exports, and a game record that plays again to the same score."""

import csv
import io

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from scoring.errors import CuemarkerError
from server.api import make_app
from server.commands.replay import replay
from server.config import HallConfig, TableConfig
from server.hub import Hub
from server.journal import Journal
from server.records import csv_text, match_from_record

MATCH = {"game": "kaisa", "players": ["Anna", "=Boris"], "first": "Anna"}
YELLOW = {"potted": [{"ball": "yellow", "pocket": "RL"}]}
RED = {"potted": [{"ball": "red-1", "pocket": "FL"}]}


@pytest.fixture
def open_hub(tmp_path):
    tables = tuple(TableConfig(id=name, name=name.title(), source="events:none") for name in ("one", "two"))
    opened = []

    def open_hub():
        for hub in opened:
            hub.close()
        hub = Hub(HallConfig(tables=tables), lambda: Journal.open(f"sqlite:///{tmp_path / 'journal.sqlite'}"))
        hub.open()
        opened.append(hub)
        return hub

    yield open_hub
    opened[-1].close()


def play(web):
    """A match that Anna wins, one that is on, and one on another table in between."""
    give = lambda table, path, body=None: web.post(f"/api/tables/{table}/{path}", json=body or {}).raise_for_status()  # noqa: E731
    give("one", "match", MATCH)
    give("one", "by-hand", YELLOW)
    give("two", "match", {**MATCH, "game": "small-pyramid"})
    give("one", "by-hand", RED)
    give("one", "undo")
    give("one", "by-hand", {"hit": ["red-1"], "cue_ball": "potted"})
    give("one", "concede", {"by": "=Boris"})
    give("one", "rematch")
    give("one", "by-hand", {})


@pytest.fixture
def web(open_hub):
    with TestClient(make_app(open_hub())) as client:
        play(client)
        yield client


def test_the_list_tells_what_every_match_came_to(web):
    matches = {(match["table"], match["number"]): match for match in web.get("/api/matches").json()}
    assert set(matches) == {("one", 1), ("one", 2), ("two", 1)}
    first = matches["one", 1]
    assert (first["winner"], first["is_over"], first["strokes"], first["game_name"]) == ("Anna", True, 2, "Kaisa")
    anna, boris = first["sides"]
    assert (anna["strokes"], anna["highest_series"], anna["fouls"]) == (2, 6, 1)
    assert anna["score"] == first["scores"]["Anna"]
    assert boris["strokes"] == 0
    assert (matches["one", 2]["is_over"], matches["two", 1]["game"]) == (False, "small-pyramid")


def test_the_list_is_the_same_after_a_restart(web, open_hub):
    before = web.get("/api/matches").json()
    with TestClient(make_app(open_hub())) as again:
        assert again.get("/api/matches").json() == before


@pytest.mark.parametrize("number", [1, 2])
def test_a_game_record_plays_again_to_the_same_score(web, number):
    record = web.get(f"/api/matches/one/{number}.txt")
    assert record.headers["content-disposition"] == f'attachment; filename="one-{number}.txt"'
    state = match_from_record(record.text)
    listed = next(one for one in web.get("/api/matches").json() if (one["table"], one["number"]) == ("one", number))
    names = [side.name for side in state.started.terms.setup.sides]
    assert dict(zip(names, state.standing.scores, strict=True)) == listed["scores"]
    assert state.standing.strokes == listed["strokes"]


def test_a_game_record_can_be_read_aloud(web):
    text = web.get("/api/matches/one/1.txt").text
    assert text.startswith("Cuemarker game record 1\n")
    assert "# stroke 1 by Anna: Yellow, rear left pocket: 6 points. Score: Anna 6, =Boris 0\n" in text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "first line"),
        ("something else\n", "first line"),
        ("Cuemarker game record 1\n", "no entries"),
        ("Cuemarker game record 1\n{]\n", "line 2"),
        ("Cuemarker game record 1\n# a comment\n{}\n", "line 3"),
        ('Cuemarker game record 1\n{"seq": 7, "kind": "removed", "body": {}}\n', "line 2"),
        ('Cuemarker game record 1\n{"seq": 1, "kind": "shot", "body": {"shot": {"events": []}}}\n', "start one first"),
    ],
)
def test_a_text_that_is_no_game_record_is_refused_in_one_line(text, why):
    with pytest.raises(CuemarkerError, match=why) as caught:
        match_from_record(text)
    assert "\n" not in str(caught.value)


def test_the_command_plays_a_record_again_and_tells_every_stroke(web, tmp_path):
    path = tmp_path / "one-1.txt"
    path.write_text(web.get("/api/matches/one/1.txt").text)
    said = CliRunner().invoke(replay, [str(path)]).output.splitlines()
    assert said[0] == "stroke 1 by Anna: Yellow, rear left pocket: 6 points. Score: Anna 6, =Boris 0"
    assert said[-1].startswith("2 strokes; Anna ")
    assert said[-1].endswith("; won by Anna")


def test_the_command_refuses_what_it_cannot_read(tmp_path):
    for name, content in (("none.txt", None), ("empty.txt", b""), ("picture.txt", b"\xff\xfe")):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(CuemarkerError, match=r"record"):
            CliRunner().invoke(replay, [str(tmp_path / name)], standalone_mode=False, catch_exceptions=False)


def test_a_match_as_json_has_its_rulings_and_entries(web):
    record = web.get("/api/matches/one/1.json").json()
    assert record["sides"] == ["Anna", "=Boris"]
    assert record["strokes"][0]["scores"] == {"Anna": 6, "=Boris": 0}
    assert [entry["kind"] for entry in record["entries"]][:3] == ["start", "shot", "shot"]


def test_tables_of_strokes_and_matches_open_in_a_spreadsheet_and_run_nothing(web):
    strokes = list(csv.reader(io.StringIO(web.get("/api/matches/one/1.csv").text)))
    assert strokes[0] == ["stroke", "by", "foul", "rules", "score Anna", "score =Boris", "entries"]
    assert strokes[1][:3] == ["1", "Anna", ""]
    matches = list(csv.DictReader(io.StringIO(web.get("/api/matches.csv").text)))
    assert len(matches) == 6
    assert {row["side"] for row in matches} == {"Anna", "'=Boris"}
    assert [row["won"] for row in matches if row["table"] == "one" and row["match"] == "1"] == ["1", "0"]


def test_numbers_of_a_spreadsheet_stay_numbers():
    assert csv_text([["-5", -5, "+x"]]) == "'-5,-5,'+x\r\n"


@pytest.mark.parametrize(
    ("path", "status"),
    [("one/3.txt", 404), ("one/0.txt", 404), ("none/1.txt", 404), ("one/1.exe", 422), ("one/x.txt", 422)],
)
def test_matches_that_are_not_there_are_refused(web, path, status):
    assert web.get(f"/api/matches/{path}").status_code == status
