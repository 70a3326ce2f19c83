"""Matches from elsewhere: every exported file comes back as the same match, once; whatever is wrong is one line."""

import csv
import io
import json
import random

import pytest
from starlette.testclient import TestClient

from server.api import make_app
from server.config import HallConfig, TableConfig
from server.hub import Hub
from server.journal import Journal
from server.record_reading import read_match
from server.security import MAX_IMPORT

MATCH = {"game": "kaisa", "players": ["Anna", "=Boris"], "first": "Anna"}
CAROM = {"hit": ["red-1", "yellow"], "potted": [{"ball": "yellow", "pocket": "RL"}]}


class Hall:
    def __init__(self, folder):
        folder.mkdir(exist_ok=True)
        tables = tuple(TableConfig(id=name, name=name.title(), source="events:none") for name in ("one", "two"))
        self.hub = Hub(HallConfig(tables=tables), lambda: Journal.open(f"sqlite:///{folder / 'j.sqlite'}"))
        self.hub.open()
        self.web = TestClient(make_app(self.hub), raise_server_exceptions=False)

    def give(self, table, path, body=None):
        self.web.post(f"/api/tables/{table}/{path}", json=body or {}).raise_for_status()

    def play(self, table="one", match=MATCH):
        self.give(table, "match", match)
        self.give(table, "by-hand", {"potted": [{"ball": "yellow", "pocket": "RL"}]})
        self.give(table, "by-hand", CAROM)
        self.give(table, "undo")
        self.give(table, "redo")
        self.give(table, "by-hand", {"hit": ["red-1"]})
        self.give(table, "by-hand", {"stroke": 3, "hit": ["red-2"], "cue_ball": "potted"})
        self.give(table, "concede", {"by": "=Boris"})

    def take_in(self, content):
        return self.web.post("/api/matches/import", content=content)

    def listed(self):
        return {(one["table"], one["number"]): one for one in self.web.get("/api/matches").json()}


@pytest.fixture
def halls(tmp_path):
    opened = []

    def hall(name):
        opened.append(Hall(tmp_path / name))
        return opened[-1]

    yield hall
    for one in opened:
        one.hub.close()


@pytest.fixture
def home(halls):
    hall = halls("home")
    hall.play()
    return hall


def files(hall, table="one", number=1):
    return {kind: hall.web.get(f"/api/matches/{table}/{number}.{kind}").content for kind in ("txt", "json", "csv")}


def test_every_file_that_is_exported_comes_back_as_the_same_match(home, halls):
    exported = files(home)
    away = halls("away")
    for kind, content in exported.items():
        answer = away.take_in(content).json()
        assert answer["is_new"] is (kind == "txt")
        assert answer["match"]["table"] == "_imported"
        assert answer["match"]["scores"] == home.listed()["one", 1]["scores"]
    assert files(away, "_imported") == exported
    assert list(away.listed()) == [("_imported", 1)]


def test_an_imported_match_survives_a_restart_and_no_table_plays_it(home, halls):
    away = halls("away")
    away.take_in(files(home)["json"])
    away.hub.close()
    again = halls("away")
    assert again.listed()["_imported", 1]["winner"] == "Anna"
    assert again.take_in(files(home)["csv"]).json()["is_new"] is False
    assert again.web.get("/api/tables/one").json()["match"] is None
    assert again.web.get("/api/matches/_imported/2.txt").status_code == 404


def test_a_match_of_this_hall_is_not_taken_in_again_nor_an_early_part_of_it(home):
    lines = files(home)["txt"].decode().splitlines()
    for part in (lines, lines[: len(lines) // 2]):
        answer = home.take_in("\n".join(part)).json()
        assert (answer["is_new"], answer["match"]["table"], answer["match"]["number"]) == (False, "one", 1)


def test_another_match_of_the_same_players_is_another_match(home):
    other = files(home)["txt"].decode().replace('"at_ns": 1', '"at_ns": 2')
    assert home.take_in(other).json()["is_new"] is True


WRONG = [
    (b"", "no match that the hall exported"),
    (b"\xff\xfe", "no text"),
    (b"holiday photographs", "no match that the hall exported"),
    (b"{", "no match"),
    (b"{}", "no match"),
    (b'{"entries": 5}', "no match"),
    (b'{"entries": []}', "no entries"),
    (b"[" * 100_000, "no match that the hall exported"),
    (b'{"entries":' + b"[" * 100_000, "no match"),
    (b"Cuemarker game record 1\n{}", "line 2"),
    (b"stroke,by,entries\n1,Anna,nonsense", "row 2, entry 1"),
    (b"stroke,by,entries\n1,Anna,\n", "no entries"),
    (b"stroke,by\n1,Anna\n", "no match that the hall exported"),
]


def test_what_is_no_match_is_said_in_one_line_and_not_stored(home):
    for content, why in WRONG:
        answer = home.take_in(content)
        assert (answer.status_code, why in answer.json()["detail"]) == (422, True), (content[:40], answer.text)
        assert "\n" not in answer.json()["detail"]
    assert list(home.listed()) == [("one", 1)]


def test_a_match_that_was_tampered_with_never_breaks_the_hall(home):
    """Every value of an export is replaced by odd ones: it is refused, or stored and can be shown."""
    record = json.loads(files(home)["json"])
    chance, answers = random.Random(9), set()
    for _ in range(80):
        tampered = json.loads(json.dumps(record))
        for _ in range(chance.choice([1, 1, 2])):
            tamper(tampered["entries"], chance)
        answers.add(home.take_in(json.dumps(tampered)).status_code)
    assert answers == {200, 422}
    assert home.web.get("/api/matches").status_code == 200
    assert home.web.get("/api/players").status_code == 200
    for table, number in home.listed():
        for kind in ("txt", "json", "csv"):
            assert home.web.get(f"/api/matches/{table}/{number}.{kind}").status_code == 200


ODD = [None, True, -1, 0, 7, 10**30, 1e308, "", "Carl", "yellow", "\n", "\ud800", "x" * 500, [], [1], {}, {"a": 1}]


def tamper(value, chance):
    """Walk down at random and put something odd there."""
    while True:
        keys = list(value) if isinstance(value, dict) else range(len(value))
        if not keys:
            return
        key = chance.choice(list(keys))
        if isinstance(value[key], dict | list) and value[key] and chance.random() < 0.8:
            value = value[key]
            continue
        value[key] = chance.choice(ODD)
        return


def test_too_much_is_refused_while_it_comes(home):
    def endless():
        for _ in range(MAX_IMPORT // 65536 + 2):
            yield b"x" * 65536

    assert home.take_in(endless()).status_code == 413


def test_names_must_be_names(home):
    text = files(home)["txt"].decode()
    for name in ("", "x" * 100, "a\\u0007b"):
        assert home.take_in(text.replace("Anna", name)).status_code == 422


def test_players_have_their_statistics(home):
    home.give("two", "match", {**MATCH, "players": ["Carl", "Anna"], "first": "Carl"})  # is on: does not count yet
    found = {one["name"]: one for one in home.web.get("/api/players").json()}
    assert set(found) == {"Anna", "=Boris"}
    anna = found["Anna"]
    assert (anna["matches"], anna["won"], anna["strokes"], anna["fouls"]) == (1, 1, 3, 1)
    strokes = home.web.get("/api/matches/one/1.json").json()["strokes"]
    assert anna["highest_series"] == strokes[1]["scores"]["Anna"] == 18
    assert [reason["message"] for reason in strokes[1]["reasons"]] == ["potted_with_carom"]
    assert anna["carom_rate"] == round(1 / 3, 3)
    assert found["=Boris"] == {
        "name": "=Boris",
        "matches": 1,
        "won": 0,
        "strokes": 0,
        "points": 0,
        "points_per_stroke": 0.0,
        "highest_series": 0,
        "fouls": 0,
        "carom_rate": 0.0,
    }
    assert home.web.get("/api/players?game=small-pyramid").json() == []
    rows = list(csv.reader(io.StringIO(home.web.get("/api/players.csv").text)))
    assert rows[0][0] == "player"
    assert {row[0] for row in rows[1:]} == {"Anna", "'=Boris"}


def test_members_of_a_pair_have_their_own_statistics(home):
    home.give("two", "match", {"game": "kaisa", "players": [["Carl", "Dora"], ["Eino", "Fanni"]], "first": "Carl"})
    home.give("two", "by-hand", {"potted": [{"ball": "yellow", "pocket": "RL"}]})
    home.give("two", "by-hand", {"hit": ["red-1"]})
    home.give("two", "by-hand", {"hit": ["red-1"]})
    home.give("two", "concede", {"by": "Fanni"})
    found = {one["name"]: (one["strokes"], one["points"], one["won"]) for one in home.web.get("/api/players").json()}
    assert found["Carl"] == (2, 6, 1)
    assert found["Dora"] == (0, 0, 1)
    assert found["Eino"] == (1, 0, 0)


def test_reading_says_what_the_match_was(home):
    assert read_match(files(home)["csv"].decode()).standing.strokes == 3
