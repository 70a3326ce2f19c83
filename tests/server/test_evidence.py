"""The evidence of a stroke over HTTP: its clip, byte ranges, a second look that changes nothing."""

import time

import pytest
from starlette.testclient import TestClient

from scoring.balls import RED_1, WHITE_1, YELLOW
from scoring.commands import CorrectShot, StartMatch
from scoring.events import Contact, Potted, Rest, Strike
from scoring.games import game_named
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.shots import Shot
from scoring.table import Pocket, Point, Table
from server.api import make_app
from server.clips import ClipStore, clip_name
from server.config import HallConfig, TableConfig
from server.errors import ServerError
from server.evidence import Evidence
from server.hub import Hub
from server.journal import Journal
from server.messages import Seen
from server.second_look import names_of

RACK = game_named("kaisa").rack(Table()).places
BEFORE = {WHITE_1: Point(500.0, 200.0), **RACK}
POT = (
    Strike(t_s=81.0, ball=WHITE_1),
    Contact(t_s=81.1, ball=WHITE_1, other=YELLOW),
    Potted(t_s=81.2, ball=YELLOW, pocket=Pocket.RL),
    Rest(t_s=83.0, balls={}),
)
VIDEO = bytes(range(256)) * 40
STROKE = "/api/tables/one/strokes/1"


@pytest.fixture
def hub(tmp_path):
    hub = Hub(
        HallConfig(tables=(TableConfig(id="one", name="One", source="events:none"),)),
        lambda: Journal.open(f"sqlite:///{tmp_path / 'j.sqlite'}"),
    )
    hub.open()
    setup = Setup(game="kaisa", sides=singles("Anna", "Boris"), options={"kz.call": "none"})
    hub.give("one", StartMatch(setup, Beginning(phase=Phase.OPENING, shooter="Anna")))
    hub.receive("one", Seen(events=(Rest(t_s=80.0, balls=BEFORE), *POT)))
    yield hub
    hub.close()


def clip(tmp_path):
    folder = tmp_path / "clips" / "one"
    folder.mkdir(parents=True)
    path = folder / clip_name(at_ns=time.time_ns(), strike_ms=81_000, lead_ms=2100)
    path.write_bytes(VIDEO)
    return path


def store(tmp_path):
    return ClipStore(folder=tmp_path / "clips", limit_mb=10, spare_mb=0)


@pytest.fixture
def browser(hub, tmp_path):
    with TestClient(make_app(hub, evidence=Evidence(store=store(tmp_path))), base_url="http://127.0.0.1") as client:
        yield client


def test_a_strokes_clip_can_be_played_from_anywhere_and_stays_when_the_stroke_is_corrected(hub, browser, tmp_path):
    clip(tmp_path)
    whole = browser.get(f"{STROKE}/clip")
    assert (whole.status_code, whole.headers["content-type"], whole.content) == (200, "video/mp4", VIDEO)
    part = browser.get(f"{STROKE}/clip", headers={"Range": "bytes=100-199"})
    assert (part.status_code, part.content) == (206, VIDEO[100:200])
    assert part.headers["content-range"] == f"bytes 100-199/{len(VIDEO)}"
    assert browser.get(f"{STROKE}/clip", headers={"Range": "bytes=999999-"}).status_code == 416
    hub.give("one", CorrectShot(1, Shot(events=(Strike(t_s=0.0, ball=WHITE_1), Rest(t_s=1.0)))))
    assert browser.get(f"{STROKE}/clip").status_code == 200
    about = browser.get(f"{STROKE}/evidence").json()
    assert about == {"has_clip": True, "has_drawn": False, "strike_s": 2.1, "look": None}


def test_there_is_no_clip_without_a_file_a_stroke_or_a_store(hub, browser):
    for path in (f"{STROKE}/clip", f"{STROKE}/clip?overlay=1", "/api/tables/one/strokes/2/clip"):
        answer = browser.get(path)
        assert (answer.status_code, answer.json()) == (404, {"detail": "There is no clip of this stroke."})
    assert browser.get("/api/tables/two/strokes/1/clip").status_code == 404
    assert browser.get(f"{STROKE}/evidence").json()["has_clip"] is False
    assert browser.post(f"{STROKE}/examine").status_code == 404
    assert TestClient(make_app(hub), base_url="http://127.0.0.1").get(f"{STROKE}/clip").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/api/tables/..%2f..%2fetc/strokes/1/clip",
        "/api/tables/one/strokes/..%2f1/clip",
        "/api/tables/one/strokes/%2e%2e/clip",
        "/api/tables/one/strokes/1%00/clip",
        "/api/tables/one/strokes/-1/clip",
        "/api/tables/one/strokes/99999999999999999999/clip",
    ],
)
def test_addresses_lead_to_clips_only(browser, tmp_path, path):
    clip(tmp_path)
    assert browser.get(path).status_code in (404, 422)


def looked(hub, tmp_path, look_again):
    """What a browser sees of a second look when it is over."""
    with TestClient(
        make_app(hub, evidence=Evidence(store=store(tmp_path), look_again=look_again)), base_url="http://127.0.0.1"
    ) as browser:
        assert browser.post(f"{STROKE}/examine").json()["look"]["state"] == "running"
        for _ in range(100):
            look = browser.get(f"{STROKE}/evidence").json()["look"]
            if look["state"] != "running":
                break
            time.sleep(0.02)
        return look, browser


def test_a_second_look_is_offered_and_changes_nothing_until_somebody_chooses_it(hub, tmp_path):
    clip(tmp_path)
    works = []

    async def look_again(work, tell):
        works.append(work)
        missed = tuple(event for event in POT if not isinstance(event, Potted))
        tell(Shot(before=BEFORE, events=missed))
        message = "what it saw could not be drawn"
        raise ServerError(message)

    look, browser = looked(hub, tmp_path, look_again)
    assert works[0].shot.events == POT
    assert (look["state"], look["agrees"]) == ("done", False)
    assert look["outcome"].endswith("Boris to play")
    assert len(look["events"]) == 3
    assert browser.get("/api/tables/one").json()["match"]["scores"] == {"Anna": 6, "Boris": 0}
    state = browser.post("/api/tables/one/correct", json={"stroke": 1, "shot": look["shot"]}).json()
    assert state["match"]["scores"] == {"Anna": 0, "Boris": 0}
    assert browser.get(f"{STROKE}/evidence").json()["look"]["agrees"] is True


def test_a_second_look_that_fails_says_so_and_may_be_tried_again(hub, tmp_path):
    clip(tmp_path)
    tries = []

    async def look_again(_, tell):
        tries.append(tell)
        message = "the second look saw no stroke"
        raise ServerError(message)

    look, browser = looked(hub, tmp_path, look_again)
    assert (look["state"], look["why"]) == ("failed", "the second look saw no stroke")
    assert browser.post(f"{STROKE}/examine").json()["look"]["state"] == "running"


def test_balls_that_are_alike_get_the_first_looks_names():
    red_2 = next(ball for ball in RACK if ball.name == "red-2")
    swapped = {RED_1: RACK[red_2], red_2: RACK[RED_1], YELLOW: RACK[YELLOW]}
    assert names_of(swapped, RACK) == {RED_1: red_2, red_2: RED_1}
    assert names_of(RACK, RACK) == {}
    elsewhere = {RED_1: RACK[red_2], red_2: Point(100.0, 700.0)}
    assert names_of(elsewhere, RACK) == {}
