"""A wall clock that is stepped by an hour, forwards or back, changes neither scores, nor rights, nor what is old."""

import time

import pytest
from argon2 import PasswordHasher
from starlette.testclient import TestClient

from server.access import Access
from server.api import make_app
from server.config import AccessConfig, HallConfig, ServerConfig, TableConfig, WebhookConfig
from server.hub import Hub
from server.journal import Journal
from server.messages import Vitals
from server.webhooks import WebhookSender

PIN, HOUR_S = "246810", 3600.0
MATCH = {"game": "kaisa", "players": ["Anna", "Boris"], "first": "Anna", "options": {"kz.time_limit_min": 40}}
YELLOW = {"potted": [{"ball": "yellow", "pocket": "RL"}]}
HOOK = WebhookConfig(name="league", url="http://127.0.0.1:9/", secret="x" * 16)


class Hall:
    def __init__(self, folder):
        self.folder, self.step_s = folder, 0.0
        cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        self.config = HallConfig(
            server=ServerConfig(host="0.0.0.0"),
            access=AccessConfig(players="code", staff_pin_hash=cheap.hash(PIN), secret_file=folder / "s"),
            tables=(TableConfig(id="one", name="One", source="events:none"),),
            webhooks=(HOOK,),
        )
        self.open()

    def open(self):
        self.hub = Hub(
            self.config,
            lambda: Journal.open(f"sqlite:///{self.folder / 'j.sqlite'}"),
            wall_ns=lambda: int(self.wall_s() * 1e9),
        )
        self.hub.open()
        assert self.hub.journal_trouble is None
        self.access = Access(self.hub, wall_s=self.wall_s)
        self.app = make_app(self.hub, self.access)

    def wall_s(self):
        return time.time() + self.step_s

    def browser(self, **options):
        return TestClient(self.app, **options)


@pytest.fixture
def hall(tmp_path):
    hall = Hall(tmp_path)
    yield hall
    hall.hub.close()


@pytest.mark.parametrize("step_s", [HOUR_S, -HOUR_S])
def test_an_hours_step_in_the_middle_of_a_match_changes_nothing(hall, step_s):
    phone, staff = hall.browser(), hall.browser()
    assert staff.post("/api/staff/login", json={"pin": PIN}).status_code == 200
    phone.post("/api/tables/one/join", json={"code": hall.access.code("one")})
    give = lambda path, body=None: phone.post(f"/api/tables/one/{path}", json=body or {})  # noqa: E731
    assert give("match", MATCH).status_code == 200
    assert give("by-hand", YELLOW).status_code == 200
    hall.hub.process_started("one")
    hall.hub.receive("one", Vitals(picture_ns=time.monotonic_ns()))
    hall.step_s = step_s

    state = give("by-hand", {"hit": ["red-1"]}).json()
    assert (state["match"]["scores"], state["match"]["strokes"]) == ({"Anna": 6, "Boris": 0}, 2)
    assert state["is_fresh"], "age is measured by a steady clock"
    hall.hub.tick()
    assert hall.hub.table("one").is_match_on, "the time of the match is not up"
    assert staff.get("/api/matches").status_code == 200, "staff stays logged in"
    assert give("undo").json()["match"]["strokes"] == 1

    before = give("redo").json()["match"]
    hall.hub.close()
    hall.open()
    again = hall.browser(cookies=phone.cookies)
    assert again.get("/api/tables/one").json()["match"] == before
    assert again.post("/api/tables/one/by-hand", json={}).status_code == 200, "the phone is still at the table"
    hall.hub.tick()
    assert hall.hub.table("one").is_match_on, "the time is not up after a restart either"
    assert again.get("/api/tables/one").json()["clock"]["elapsed_s"] < 600
    code = hall.access.code("one")
    assert again.post("/api/tables/one/concede", json={"by": "Anna"}).status_code == 200
    hall.step_s = 0
    assert hall.access.code("one") == code, "players may go on after their match"
    log = again.get("/api/tables/one/log").json()
    assert [entry["seq"] for entry in log] == list(range(1, len(log) + 1)), "order is by number, not by time"
    assert not WebhookSender(config=HOOK, hub=hall.hub, wall_s=hall.wall_s)._is_too_old(
        hall.hub.journal.next_message("league")
    )


@pytest.mark.parametrize("step_s", [HOUR_S, -HOUR_S])
def test_too_many_wrong_pins_are_not_forgiven_by_a_step(hall, step_s):
    thief = hall.browser()
    for _ in range(5):
        thief.post("/api/staff/login", json={"pin": "000000"})
    hall.step_s = step_s
    assert thief.post("/api/staff/login", json={"pin": PIN}).status_code == 429
