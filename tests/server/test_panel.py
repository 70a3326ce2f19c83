"""The players' panel over HTTP: starting, lag, calls, by hand, other readings, undo and redo, rematch, drawings."""

import re
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import server
from scoring.balls import RED_1, WHITE_1, YELLOW
from scoring.events import Contact, Potted, Rest, Strike
from scoring.table import Pocket, Point
from server.api import make_app
from server.config import HallConfig, TableConfig
from server.hub import Hub
from server.journal import Journal
from server.messages import Seen, Vitals
from server.text import LANGUAGES, catalogue

MATCH = {"game": "kaisa", "players": ["Anna", "Boris"], "first": "Anna"}
YELLOW_BY_HAND = {"potted": [{"ball": "yellow", "pocket": "RL"}]}
CALL = {"ball": "yellow", "pocket": "RL", "bank": False}
LAYOUT = {WHITE_1: Point(600, 200), YELLOW: Point(1775, 0), RED_1: Point(887.5, 0)}
YELLOW_POT = (
    Strike(t_s=1, ball=WHITE_1),
    Contact(t_s=1.4, ball=WHITE_1, other=YELLOW, at=Point(1745, 5)),
    Potted(t_s=2, ball=YELLOW, pocket=Pocket.RL),
    Rest(t_s=3, balls={WHITE_1: Point(2000, 0), RED_1: Point(887.5, 0)}),
)


@pytest.fixture
def hub(tmp_path):
    tables = (TableConfig(id="one", name="Table 1", source="events:none"),)
    hub = Hub(HallConfig(tables=tables), lambda: Journal.open(f"sqlite:///{tmp_path / 'journal.sqlite'}"))
    hub.open()
    hub.process_started("one")
    hub.receive("one", Vitals(picture_ns=time.monotonic_ns()))
    yield hub
    hub.close()


@pytest.fixture
def web(hub):
    with TestClient(make_app(hub)) as client:
        yield client


def give(web, path, body=None, status=200):
    answer = web.post(f"/api/tables/one/{path}", json=body if body is not None else {})
    assert answer.status_code == status, answer.text
    return answer.json()


def play_yellow(web, hub):
    give(web, "match", MATCH)
    give(web, "call", CALL)
    hub.receive("one", Seen(events=(Rest(t_s=0, balls=LAYOUT), *YELLOW_POT)))


def test_a_match_begins_with_a_lag_whose_winner_is_tapped(web):
    begun = give(web, "match", {**MATCH, "first": None, "lag": True})
    assert begun["controls"]["due"] == "lag"
    won = give(web, "lag", {"winner": "Boris"})
    assert won["match"]["shooter"] == "Boris"
    assert [reason["text"] for reason in won["rulings"][-1]["reasons"]] == ["Boris opens"]
    assert give(web, "undo")["controls"]["due"] == "lag"
    assert "Carl" in give(web, "lag", {"winner": "Carl"}, 409)["detail"]


def test_a_lag_is_not_won_when_none_is_on(web):
    give(web, "match", MATCH)
    assert give(web, "lag", {"winner": "Anna"}, 409)["detail"] == "No lag is on."


def test_the_panel_knows_what_may_be_done(web):
    assert web.get("/api/tables/one").json()["controls"]["due"] == "start"
    controls = give(web, "match", MATCH)["controls"]
    assert (controls["due"], controls["call"], controls["cue_ball"]) == ("call", "ball_pocket_bank", "white-1")
    assert controls["balls"] == ["white-2", "red-1", "red-2", "yellow"]
    assert (controls["can_undo"], controls["can_redo"]) == (False, False)
    give(web, "call", CALL)
    controls = web.get("/api/tables/one").json()["controls"]
    assert (controls["due"], controls["undo_text"]) == ("stroke", "Called: yellow, rear left pocket")


def test_undo_and_redo_go_back_and_forth(web, hub):
    play_yellow(web, hub)
    undone = give(web, "undo")
    assert undone["match"]["scores"]["Anna"] == 0
    assert undone["controls"]["can_redo"]
    assert give(web, "redo")["match"]["scores"]["Anna"] == 6
    assert give(web, "redo", status=409)["detail"] == "There is nothing to bring back."


def test_a_second_tap_undoes_nothing_that_was_not_seen(web, hub):
    play_yellow(web, hub)
    seen = web.get("/api/tables/one").json()["controls"]["entries"]
    assert give(web, "undo", {"after": seen})["match"]["call"] == {**CALL, "text": "Called: yellow, rear left pocket"}
    assert give(web, "undo", {"after": seen}, 409)["detail"].startswith("Somebody was faster")
    assert web.get("/api/tables/one").json()["match"]["call"] is not None


def test_a_late_answer_is_not_given_to_the_next_question(web, hub):
    give(web, "match", MATCH)
    hub.receive("one", Seen(events=YELLOW_POT))
    hub.receive("one", Seen(events=YELLOW_POT))
    answer = {"to": "call", "value": CALL, "stroke": 1}
    assert give(web, "answer", answer)["pending"][0]["stroke"] == 2
    assert give(web, "answer", answer, 409)["detail"].startswith("Somebody was faster")


def test_an_undo_after_the_end_opens_the_match_again(web, hub):
    play_yellow(web, hub)
    assert give(web, "concede", {"by": "Boris"})["match"]["winner"] == "Anna"
    undone = give(web, "undo", {"why": "he changed his mind"})
    assert (undone["match"]["winner"], undone["match"]["scores"]["Anna"]) == (None, 6)


def test_another_reading_of_a_stroke_is_one_command(web, hub):
    play_yellow(web, hub)
    stroke = web.get("/api/tables/one/strokes/1").json()
    readings = {other["text"]: other for other in stroke["alternatives"]}
    assert "Yellow: did not fall" in readings
    corrected = give(web, "correct", {"stroke": 1, "shot": readings["Yellow: did not fall"]["shot"]})
    assert (corrected["match"]["scores"]["Anna"], corrected["match"]["shooter"]) == (0, "Boris")
    assert corrected["controls"]["undo_text"] == "stroke 1 corrected"


def test_a_stroke_by_hand_counts_like_a_seen_one(web):
    give(web, "match", MATCH)
    state = give(web, "by-hand", YELLOW_BY_HAND)
    assert state["match"]["scores"]["Anna"] == 6
    state = give(web, "by-hand", {})
    assert state["match"]["shooter"] == "Boris"


def test_a_stroke_by_hand_replaces_or_precedes_another(web, hub):
    play_yellow(web, hub)
    red = {"potted": [{"ball": "red-1", "pocket": "FL"}]}
    assert give(web, "by-hand", {**YELLOW_BY_HAND, "before": 1})["match"]["scores"]["Anna"] == 12
    assert give(web, "by-hand", {**red, "stroke": 1})["match"]["scores"]["Anna"] == 9
    assert "not both" in give(web, "by-hand", {**red, "stroke": 1, "before": 1}, 409)["detail"]


def test_a_carom_and_a_bank_are_entered_by_hand(web):
    give(web, "match", MATCH)
    give(web, "by-hand", YELLOW_BY_HAND)
    pot = {"ball": "red-1", "pocket": "ML", "bank": True}
    with_carom = give(web, "by-hand", {"hit": ["red-1", "yellow"], "potted": [pot]})
    assert with_carom["match"]["scores"]["Anna"] > 9
    assert with_carom["pending"] == []


def test_a_fallen_cue_ball_by_hand_is_a_foul(web):
    give(web, "match", MATCH)
    fell = give(web, "by-hand", {"hit": ["yellow"], "cue_ball": "potted"})
    assert fell["rulings"][-1]["foul"] is not None
    assert fell["match"]["shooter"] == "Boris"


def test_what_fell_but_was_not_called_does_not_count(web):
    give(web, "match", MATCH)
    state = give(web, "by-hand", {"potted": [{"ball": "red-1", "pocket": "FL"}], "called": False})
    assert state["match"]["scores"]["Anna"] == 0


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"hit": ["purple!"]}, "purple!"),
        ({"hit": ["white-1"]}, "cue ball not at all"),
        ({"hit": ["red-1", "red-1"]}, "once"),
        ({"potted": [{"ball": "red-1", "pocket": "XX"}]}, "XX"),
        ({"stroke": 7}, "no stroke 7"),
    ],
)
def test_impossible_strokes_by_hand_are_refused(web, body, why):
    give(web, "match", MATCH)
    assert why in give(web, "by-hand", body, 409)["detail"]


def test_a_rematch_keeps_what_was_agreed_and_the_other_side_opens(web):
    give(web, "match", {**MATCH, "options": {"kz.target": 30}})
    give(web, "concede", {"by": "Anna"})
    again = give(web, "rematch")
    assert (again["match"]["shooter"], again["match"]["target"]["Anna"]) == ("Boris", 30)
    assert again["match"]["scores"] == {"Anna": 0, "Boris": 0}


def test_a_rematch_after_a_lag_is_lagged_for(web):
    give(web, "match", {**MATCH, "first": None, "lag": True})
    assert give(web, "rematch")["controls"]["due"] == "lag"
    assert give(web, "match", {**MATCH, "lag": True}, 409)["detail"] == "match: give either first or lag"


def test_the_journal_tells_who_when_and_why(web, hub):
    play_yellow(web, hub)
    give(web, "undo", {"why": "wrong table"})
    log = web.get("/api/tables/one/log").json()
    assert [entry["what"] for entry in log] == [
        "start of the match",
        "Called: yellow, rear left pocket",
        "a stroke",
        "undo",
    ]
    assert (log[-1]["who"], log[-1]["why"], log[2]["who"], log[2]["is_taken_back"]) == (
        "phone",
        "wrong table",
        "witness",
        True,
    )
    assert re.match(r"\d{4}-\d\d-\d\dT", log[-1]["at"])
    assert web.post("/api/tables/one/undo", json={"why": "x" * 201}).status_code == 422


def test_a_question_names_its_stroke_and_its_odds(web, hub):
    give(web, "match", MATCH)
    hub.receive("one", Seen(events=YELLOW_POT))
    question = web.get("/api/tables/one").json()["pending"][0]
    assert (question["kind"], question["stroke"], question["is_open"]) == ("call", 1, True)
    assert question["choices"][0]["value"]["ball"] == "yellow"


def test_a_stroke_is_drawn_from_its_events(web, hub):
    play_yellow(web, hub)
    answer = web.get("/api/tables/one/strokes/1/diagram.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    drawing = answer.text
    assert '<polyline points="600,-200' in drawing
    assert "1775,0 3550,-888" in drawing
    assert "<script" not in drawing
    assert web.get("/api/tables/one/strokes/9/diagram.svg").status_code == 404


def test_the_events_of_a_stroke_are_told_in_words(web, hub):
    play_yellow(web, hub)
    events = web.get("/api/tables/one/strokes/1").json()["events"]
    assert events[0] == "0.00 s  white with one dot: struck"
    assert events[2] == "1.00 s  yellow falls: rear left pocket"
    assert len(web.get("/api/tables/one/strokes").json()) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_game_option_and_value_is_said_in_every_language(web, language, caplog):
    games = web.get(f"/api/games?lang={language}").json()
    assert [game["name"] for game in games] == ["russian-party", "five-balls", "kaisa", "small-pyramid", "big-pyramid"]
    for game in games:
        assert game["line_ups"][0]["sides"] == [1, 1]
        for option in game["options"]:
            said = [option["text"], *(choice["text"] for choice in option["choices"])]
            assert not [text for text in said if text.startswith(("option.", "choice."))]
    assert "no " + language not in caplog.text


def test_every_default_of_the_book_is_accepted_back(web):
    for game in web.get("/api/games").json():
        options = {option["name"]: option["default"] for option in game["options"]}
        assert give(web, "match", {**MATCH, "game": game["name"], "options": options})["match"]["game"] == game["name"]


def test_names_are_never_markup(web):
    evil = "<img src=x onerror=alert(1)>"
    state = give(web, "match", {**MATCH, "players": [evil, '"><script>'], "first": evil})
    assert state["match"]["shooter"] == evil
    give(web, "by-hand", {})
    for path in ("/table/one", "/display/one", "/hall", "/api/tables/one/strokes/1/diagram.svg"):
        page = web.get(path).text
        assert "<img src=x" not in page
        assert '"><script>' not in page
    assert web.get("/api/tables/one").headers["content-type"] == "application/json"


def test_a_name_has_an_end(web):
    assert web.post("/api/tables/one/match", json={**MATCH, "players": ["x" * 41, "B"]}).status_code == 422


def test_scripts_never_make_markup_of_words():
    for path in (Path(server.__file__).parent / "web" / "static").glob("*.js"):
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", path.read_text()), path


def test_the_words_of_the_scripts_exist():
    static = Path(server.__file__).parent / "web" / "static"
    known = set(catalogue("en").sentences)
    for name, prefix in (("panel", "panel."), ("hall", "hall.")):
        for path in static.glob(f"{name}*.js"):
            used = set(re.findall(r"""(?<!words\.)\bsay\(\s*["']([a-z_]+)["']""", path.read_text()))
            assert {f"{prefix}{word}" for word in used} <= known, path
