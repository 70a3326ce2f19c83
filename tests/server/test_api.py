"""HTTP and WebSocket: the contract's paths, one-sentence refusals, headers, origins, sizes."""

import html
import re
import time

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from scoring.balls import WHITE_1, YELLOW
from scoring.events import Contact, Potted, Rest, Strike
from scoring.table import Pocket, Point
from server.api import make_app
from server.config import HallConfig, ServerConfig, TableConfig
from server.errors import JournalError
from server.hub import Hub
from server.journal import Journal
from server.messages import CameraFigures, Places, Seen, Vitals
from server.rulebook import rule_numbers, rule_text
from server.security import MAX_BODY

STROKE = (
    Strike(t_s=1, ball=WHITE_1),
    Contact(t_s=1.4, ball=WHITE_1, other=YELLOW),
    Potted(t_s=2, ball=YELLOW, pocket=Pocket.RL),
    Rest(t_s=3, balls={WHITE_1: Point(2000, 0)}),
)
MATCH = {"game": "kaisa", "players": ["Anna", "Boris"], "first": "Anna"}
CALL = {"ball": "yellow", "pocket": "RL", "bank": False}


@pytest.fixture
def hub(tmp_path):
    tables = (TableConfig(id="one", name="Table 1", source="events:none"),)
    hall = HallConfig(server=ServerConfig(origins=("https://hall.example",)), tables=tables)
    hub = Hub(hall, lambda: Journal.open(f"sqlite:///{tmp_path / 'journal.sqlite'}"))
    hub.open()
    hub.process_started("one")
    hub.receive("one", Vitals(picture_ns=time.monotonic_ns()))
    yield hub
    hub.close()


@pytest.fixture
def web(hub):
    with TestClient(make_app(hub)) as client:
        yield client


def start(web):
    answer = web.post("/api/tables/one/match", json=MATCH)
    assert answer.status_code == 200, answer.text
    return answer.json()


def play(hub):
    hub.receive("one", Seen(events=STROKE))


def test_a_match_is_started_called_played_and_read(web, hub):
    assert start(web)["match"]["shooter"] == "Anna"
    called = web.post("/api/tables/one/call", json=CALL).json()
    assert called["match"]["call"] == {**CALL, "text": "Called: yellow, rear left pocket"}
    play(hub)
    state = web.get("/api/tables/one").json()
    assert state["match"]["scores"] == {"Anna": 6, "Boris": 0}
    assert state["rulings"][-1]["rules"][0] == "KZ-20"
    assert state["rulings"][-1]["reasons"][0]["text"] == "Yellow, rear left pocket: 6 points"
    assert web.get("/api/tables").json()[0]["match"]["strokes"] == 1


def test_one_stroke_can_be_read(web, hub):
    start(web)
    web.post("/api/tables/one/call", json=CALL)
    play(hub)
    stroke = web.get("/api/tables/one/strokes/1").json()
    assert [event["type"] for event in stroke["shot"]["events"]] == ["strike", "contact", "pocket", "rest"]
    assert stroke["ruling"]["points"] == {"Anna": 6}
    assert web.get("/api/tables/one/strokes/7").status_code == 404


def test_undo_correct_referee_and_concede_return_the_new_state(web, hub):
    start(web)
    web.post("/api/tables/one/call", json=CALL)
    play(hub)
    assert web.post("/api/tables/one/undo").json()["match"]["scores"]["Anna"] == 0
    shot = {"call": CALL, "events": [{"type": "strike", "ball": "white-1"}, {"type": "rest"}]}
    assert web.post("/api/tables/one/correct", json={"shot": shot}).json()["match"]["shooter"] == "Boris"
    assert web.post("/api/tables/one/referee", json={"type": "push", "by": "Anna"}).status_code == 200
    assert web.post("/api/tables/one/concede", json={"by": "Boris"}).json()["match"]["winner"] == "Anna"


def test_a_question_is_answered(web, hub):
    start(web)
    play(hub)
    asked = web.get("/api/tables/one").json()["pending"]
    assert asked[0]["kind"] == "call"
    answered = web.post("/api/tables/one/answer", json={"to": "call", "value": CALL}).json()
    assert answered["pending"] == []
    assert answered["match"]["scores"]["Anna"] == 6


@pytest.mark.parametrize(
    ("path", "body", "status", "why"),
    [
        ("one/call", CALL, 409, "No match is on"),
        ("one/undo", None, 409, "No match is on"),
        ("one/concede", {"by": "Anna"}, 409, "No match is on"),
        ("one/answer", {"to": "carom", "value": True}, 409, "No question is open"),
        ("two/match", MATCH, 404, "no such table"),
        ("one/match", {**MATCH, "game": "snooker"}, 422, "game"),
        ("one/match", {**MATCH, "players": ["Anna", "Anna"]}, 409, "each name once"),
        ("one/match", {**MATCH, "handicap": {"Carl": {"points": 3}}}, 409, "Carl"),
        ("one/match", {**MATCH, "referees": 2}, 422, "referees"),
        ("one/match", {**MATCH, "options": {"kz.target": "many"}}, 409, "kz.target"),
        ("one/match", [], 422, "body"),
    ],
)
def test_refusals_are_one_sentence(web, path, body, status, why):
    answer = web.post(f"/api/tables/{path}", json=body)
    assert answer.status_code == status
    assert why in answer.json()["detail"]
    assert "\n" not in answer.json()["detail"]


@pytest.mark.parametrize(
    ("path", "body", "why"),
    [
        ("undo", None, "nothing to take back"),
        ("call", {"ball": "purple!"}, "purple!"),
        ("referee", {"type": "sneeze"}, "sneeze"),
        ("correct", {"stroke": 5, "remove": True}, "no stroke 5"),
        ("correct", {}, "give the shot"),
        ("correct", {"remove": True}, "number"),
        ("correct", {"shot": {"events": [{"type": "explosion"}]}}, "explosion"),
        ("concede", {"by": "Carl"}, "Carl"),
    ],
)
def test_impossible_commands_in_a_match_are_refused(web, path, body, why):
    start(web)
    answer = web.post(f"/api/tables/one/{path}", json=body)
    assert answer.status_code == 409
    assert why in answer.json()["detail"]


def test_refusals_speak_the_askers_language(web):
    answer = web.post("/api/tables/one/undo?lang=fi")
    assert answer.json()["detail"] == "Ottelua ei ole käynnissä: aloita se ensin."
    answer = web.post("/api/tables/one/undo", headers={"Accept-Language": "ru"})
    assert answer.json()["detail"].startswith("Матч не начат")


def test_health_is_503_with_reasons_when_a_table_is_not_fine(web, hub):
    assert web.get("/health").status_code == 200
    hub.process_lost("one")
    answer = web.get("/health")
    assert answer.status_code == 503
    assert answer.json()["status"] == "failed"
    assert answer.json()["reasons"][0].startswith("Table 1: ")


def test_a_closed_journal_refuses_commands_and_is_said(web, hub):
    hub.close()
    hub._open_journal = broken_journal
    hub.open()
    answer = web.post("/api/tables/one/match", json=MATCH)
    assert answer.status_code == 503
    assert "journal" in answer.json()["detail"]
    health = web.get("/health").json()
    assert health["journal"] == "the disk is broken"
    assert web.get("/api/tables/one").json()["health"]["state"] == "failed"


def broken_journal():
    message = "the disk is broken"
    raise JournalError(message)


def test_metrics_are_prometheus_text(web):
    text = web.get("/metrics").text
    for line in text.splitlines():
        assert re.fullmatch(r"# (HELP|TYPE) .+|[a-z_]+(\{[^}]*\})? [-+0-9.e]+", line), line
    assert 'cuemarker_table_up{table="one"} 1' in text


def test_metrics_tell_what_the_camera_achieves(hub, web):
    assert "cuemarker_table_camera_frames_per_second{" not in web.get("/metrics").text
    camera = CameraFigures(fps=29.5, torn=2, opened=3, shutter_ms=4.0)
    hub.receive("one", Vitals(picture_ns=time.monotonic_ns(), frames=9, dropped=1, camera=camera))
    text = web.get("/metrics").text
    figures = {"camera_frames_per_second": "29.5", "camera_torn_frames_total": "2", "camera_openings_total": "3"}
    figures |= {"camera_shutter_seconds": "0.004", "dropped_frames_total": "1"}
    for name, value in figures.items():
        assert f'cuemarker_table_{name}{{table="one"}} {value}\n' in text
    assert re.search(r'cuemarker_table_picture_age_seconds\{table="one"\} [0-9.e-]+\n', text)


@pytest.mark.parametrize("path", ["/display/one", "/health", "/api/tables", "/static/display.js", "/docs", "/nowhere"])
def test_every_answer_carries_the_security_headers(web, path):
    headers = web.get(path).headers
    assert "script-src 'self'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


def test_pages_have_no_inline_script_or_style_and_nothing_from_elsewhere(web):
    for path in ("/display/one", "/docs", "/rules"):
        page = web.get(path).text
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bon[a-z]+=\"|\bstyle=\"", page)
        assert not re.search(r"(src|href)=\"(https?:)?//", page)


def test_the_page_speaks_the_language_asked_for(web):
    assert 'lang="ru"' in web.get("/display/one?lang=ru").text
    assert "Последние решения" in web.get("/display/one?lang=ru").text
    assert web.get("/display/two").status_code == 404


@pytest.mark.parametrize(("language", "heading"), [("en", "Rule book"), ("ru", "Правила"), ("fi", "Sääntökirja")])
def test_the_rule_book_has_a_place_for_every_rule_in_every_language(web, language, heading):
    page = web.get(f"/rules?lang={language}").text
    assert f"<h1>{heading}</h1>" in page
    assert re.findall(r'<dt id="([^"]+)"', page) == list(rule_numbers())
    assert rule_text("KZ-8", language) in html.unescape(page)


def test_the_docs_name_every_request(web):
    page = web.get("/docs").text
    for path in ("/health", "/api/tables/{table_id}/match", "/api/tables/{table_id}/strokes/{number}"):
        assert path in page


def test_foreign_pages_may_not_give_commands(web):
    post = {"url": "/api/tables/one/match", "json": MATCH}
    assert web.post(**post, headers={"Origin": "https://evil.example"}).status_code == 403
    assert web.post(**post, headers={"Origin": "null"}).status_code == 403
    assert web.post(**post, headers={"Origin": "http://testserver"}).status_code == 200
    assert web.post(**post, headers={"Origin": "https://hall.example"}).status_code == 200


def test_long_bodies_are_refused_whatever_length_they_claim(web):
    def chunks():
        for _ in range(80):
            yield b"x" * 1024

    assert web.post("/api/tables/one/match", content=b"x" * (MAX_BODY + 1)).status_code == 413
    assert web.post("/api/tables/one/match", content=chunks()).status_code == 413


def test_the_live_connection_tells_the_state_then_every_change(web, hub):
    start(web)
    web.post("/api/tables/one/call", json=CALL)
    with web.websocket_connect("/ws/tables/one?lang=en") as live:
        assert live.receive_json()["type"] == "state"
        web.portal.call(play, hub)
        web.portal.call(hub.receive, "one", Places(t_s=3.0, balls={WHITE_1: Point(2000, 0)}))
        heard = []
        while not heard or heard[-1]["type"] != "positions":
            heard.append(live.receive_json())
    by_type = {message["type"]: message for message in heard}
    assert [m["event"]["type"] for m in heard if m["type"] == "event"] == ["strike", "contact", "pocket", "rest"]
    assert by_type["ruling"]["ruling"]["points"] == {"Anna": 6}
    assert by_type["state"]["match"]["scores"]["Anna"] == 6
    assert by_type["positions"]["balls"] == {"white-1": [2000.0, 0.0]}


def test_a_heartbeat_comes_within_two_seconds_of_silence(web):
    with web.websocket_connect("/ws/tables/one") as live:
        live.receive_json()
        began_s = time.monotonic()
        while live.receive_json()["type"] != "heartbeat":
            pass
        assert time.monotonic() - began_s < 2.0


def test_the_live_connection_is_refused_to_foreign_pages_and_for_unknown_tables(web):
    for path, origin in (("/ws/tables/one", "https://evil.example"), ("/ws/tables/two", "http://testserver")):
        with (
            pytest.raises(WebSocketDisconnect),
            web.websocket_connect(path, headers={"Origin": origin, "Host": "testserver"}),
        ):
            pass


def test_what_a_watcher_says_does_not_matter(web):
    with web.websocket_connect("/ws/tables/one") as live:
        live.receive_json()
        live.send_text("hello")
        live.send_bytes(b"\0")
        assert live.receive_json()["type"] in ("state", "heartbeat")


def test_watchers_that_leave_are_forgotten(web, hub):
    for _ in range(5):
        with web.websocket_connect("/ws/tables/one") as live:
            live.receive_json()
    deadline_s = time.monotonic() + 3
    while len(hub.table("one").audience) and time.monotonic() < deadline_s:
        time.sleep(0.02)
    assert len(hub.table("one").audience) == 0
