"""The staff's API: start and stop, calibration, settings that keep their comments, a bundle without secrets."""

import datetime as dt
import io
import json
import logging
import zipfile

import numpy as np
import pytest
import tomlkit
from argon2 import PasswordHasher
from starlette.testclient import TestClient

from calibration.camera import CameraModel
from calibration.store import save_table_file
from calibration.table_file import Certificate, TableFile
from scoring.table import Pocket, Table
from server.access import Access
from server.api import make_app
from server.config import read_hall
from server.hall_schemas import SettingsIn
from server.housekeeping import Housekeeping
from server.hub import Hub
from server.journal import Journal
from server.logs import LogTail
from server.messages import Vitals
from server.settings_file import SettingsFile

PIN = "246810"
HASH = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PIN)
HALL = f"""# The hall of Kulma street
[server]
host = "0.0.0.0"   # everybody
language = 'fi'

[access]
staff_pin_hash = "{HASH}"
[[access.keys]]
name = "league"
hash = "sha256:{"ab" * 32}"

[[tables]]   # at the window
id = "one"
name = "Table 1"
source = "rtsp://admin:h4nter2@10.0.0.9/stream"
table_file = "one.toml"
default = {{game = "kaisa", players = ["Anna", "Boris"]}}  # the usual two

[[tables]]
id = "two"
name = "Table 2"
source = "events:none"

[[webhooks]]
name = "league"
url = "https://league.example/hook"
secret = "the-signing-secret"
[mqtt]
host = "broker.lan"
username = "hall"
password = "mqtt-p4ss"
"""
SECRETS = (HASH, "ab" * 32, "h4nter2", "the-signing-secret", "mqtt-p4ss", PIN)
TABLE_FILE = TableFile(
    name="Table 1",
    table=Table(),
    camera=CameraModel(
        size_px=(1280, 720),
        matrix=np.array([[900.0, 0.0, 640.0], [0.0, 900.0, 360.0], [0.0, 0.0, 1.0]]),
        distortion=np.zeros(0),
        rotation=np.array([3.14159265, 0.0, 0.0]),
        translation=np.array([-1775.0, 0.0, 3000.0]),
    ),
    source="rtsp://admin:h4nter2@10.0.0.9/stream",
    certificate=Certificate(
        date=dt.datetime(2026, 11, 29, 12, tzinfo=dt.UTC),
        rms_px=0.4,
        pocket_error_mm=dict.fromkeys(Pocket, 1.25) | {Pocket.FR: 2.5},
        verdict="warn",
        reasons=("one pocket is in the shade",),
    ),
)


class Hall:
    def __init__(self, folder):
        self.file = folder / "hall.toml"
        self.file.write_text(HALL)
        save_table_file(TABLE_FILE, folder / "one.toml")
        self.folder = folder
        self.tail = LogTail()
        self.reopened = 0
        self.hub = Hub(read_hall(self.file), lambda: Journal.open(f"sqlite:///{folder / 'j.sqlite'}"))
        self.hub.open()
        kept = Housekeeping(hall_file=self.file, log_tail=self.tail, restart=self.reopen)
        self.app = make_app(self.hub, Access(self.hub), kept)
        self.staff = TestClient(self.app)
        assert self.staff.post("/api/staff/login", json={"pin": PIN}).status_code == 200

    def reopen(self):
        self.reopened += 1

    def settings(self):
        return self.staff.get("/api/hall/settings").json()


@pytest.fixture
def hall(tmp_path):
    hall = Hall(tmp_path)
    yield hall
    hall.hub.close()


def test_a_table_is_stopped_and_started_and_everybody_sees_it(hall):
    answer = hall.staff.post("/api/tables/one/stop?lang=en").json()
    assert answer["is_stopped"] is True
    health = hall.staff.get("/api/tables/one?lang=en").json()["health"]
    assert (health["state"], health["reasons"]) == ("degraded", ["Stopped by the staff"])
    assert hall.staff.post("/api/tables/one/start").json()["is_stopped"] is False
    assert hall.staff.post("/api/tables/none/stop").status_code == 404


def test_the_calibration_is_told_as_the_table_file_has_it_now(hall):
    one, two = hall.staff.get("/api/hall").json()["tables"]
    assert one["calibration"] == {
        "verdict": "warn",
        "date": "2026-11-29T12:00:00+00:00",
        "worst_mm": 2.5,
        "reasons": ["one pocket is in the shade"],
    }
    assert two["calibration"] is None
    (hall.folder / "one.toml").write_text("torn")
    broken = hall.staff.get("/api/hall").json()["tables"][0]["calibration"]
    assert (broken["verdict"], broken["date"]) == ("none", None)
    assert "one.toml" in broken["reasons"][0]
    (hall.folder / "one.toml").unlink()
    assert "cannot be read" in hall.staff.get("/api/hall").json()["tables"][0]["calibration"]["reasons"][0]


FOR_STAFF = [
    ("GET", "/api/hall"),
    ("GET", "/api/hall/diagnostics.zip"),
    ("GET", "/api/hall/settings"),
    ("PUT", "/api/hall/settings"),
    ("POST", "/api/hall/reopen"),
    ("POST", "/api/tables/one/stop"),
    ("POST", "/api/tables/one/start"),
]


def test_only_staff_may(hall):
    phone = TestClient(hall.app)
    phone.post("/api/tables/one/join", json={"code": Access(hall.hub).code("one")})
    for method, path in FOR_STAFF:
        body = {"version": "x", "tables": [{"id": "x", "name": "x", "source": "x"}]} if method == "PUT" else None
        assert phone.request(method, path, json=body).status_code == 403, path
    assert hall.file.read_text() == HALL
    assert hall.reopened == 0


def test_settings_are_changed_where_they_stand_and_comments_stay(hall):
    wished = hall.settings() | {"language": "ru"}
    wished["tables"][0]["name"] = "Пирамида"
    wished["tables"][0]["players"] = ["Anna", "Carl"]
    wished["tables"].append({"id": "three", "name": "Table 3", "source": "virtual:kaisa", "sensors": "/dev/ttyUSB0"})
    answer = hall.staff.put("/api/hall/settings", json=wished)
    assert answer.status_code == 200, answer.text
    text = hall.file.read_text()
    for comment in ("# The hall of Kulma street", "# everybody", "# at the window", "# the usual two"):
        assert comment in text
    found = read_hall(hall.file)
    assert (found.server.language, found.tables[0].name) == ("ru", "Пирамида")
    assert found.tables[0].default.players == ("Anna", "Carl")
    assert found.tables[0].source == "rtsp://admin:h4nter2@10.0.0.9/stream"
    assert (found.tables[2].id, found.tables[2].sensors.url) == ("three", "/dev/ttyUSB0")
    assert (hall.folder / "hall.toml.last-good").read_text() == HALL
    assert hall.settings()["version"] == answer.json()["version"] != wished["version"]


def test_saving_what_was_read_changes_not_a_byte(hall):
    assert hall.staff.put("/api/hall/settings", json=hall.settings()).status_code == 200
    assert hall.file.read_text() == HALL


INLINE = 'tables = [{id = "one", name = "One", source = "virtual:kaisa"}]  # only one\n'


@pytest.mark.parametrize("text", [INLINE, '[[tables]]\nid = "one"\nname = "One"\nsource = "virtual:kaisa"\n'])
def test_a_short_file_stays_as_it_is_written_and_may_grow(tmp_path, text):
    path = tmp_path / "hall.toml"
    path.write_text(text)
    file = SettingsFile(path)
    read = file.read()
    file.write(SettingsIn.model_validate(read.model_dump()))
    assert path.read_text() == text
    more = {"id": "two", "name": "Two", "source": "virtual:kaisa", "game": "big-pyramid"}
    wished = read.model_dump() | {"language": "fi", "tables": [*read.model_dump()["tables"], more]}
    file.write(SettingsIn.model_validate(wished))
    found = read_hall(path)
    assert (found.server.language, [table.default.game for table in found.tables]) == ("fi", ["kaisa", "big-pyramid"])


def test_a_table_is_taken_away_and_the_others_stay(hall):
    wished = hall.settings()
    del wished["tables"][0]
    assert hall.staff.put("/api/hall/settings", json=wished).status_code == 200
    assert [table.id for table in read_hall(hall.file).tables] == ["two"]


WRONG = [
    ({"id": "Table One", "source": "virtual:kaisa"}, "].id: "),
    ({"name": ""}, "tables[0].name"),
    ({"table_file": ""}, "table_file is missing"),
    ({"table_file": "../../etc/passwd"}, "beside the hall file"),
    ({"table_file": "/etc/x.toml"}, "beside the hall file"),
    ({"players": ["A", "B", "C", "D", "E"]}, "players"),
    ({"ask_below": 3}, "ask_below"),
    ({"source": "rtsp://***@10.0.0.10/stream"}, "write the password anew"),
    ({"game": "snooker"}, "game"),
    ({"staff_pin_hash": "x"}, "staff_pin_hash"),
    ({"id": "two"}, "used twice"),
]


def test_what_is_wrong_is_said_and_not_written(hall):
    for change, fault in WRONG:
        wished = hall.settings()
        wished["tables"][0] |= change
        answer = hall.staff.put("/api/hall/settings", json=wished)
        assert (answer.status_code, fault in answer.json()["detail"]) == (422, True), (change, answer.text)
        assert "\n" not in answer.json()["detail"]
    assert hall.file.read_text() == HALL
    assert sorted(path.name for path in hall.folder.iterdir() if "hall" in path.name) == ["hall.toml"]


def test_what_another_has_changed_meanwhile_is_not_overwritten(hall):
    wished = hall.settings()
    hall.file.write_text(HALL.replace("Table 2", "By the door"))
    answer = hall.staff.put("/api/hall/settings", json=wished)
    assert (answer.status_code, "somebody else" in answer.json()["detail"]) == (422, True)
    assert "By the door" in hall.file.read_text()


def test_a_broken_file_is_said_and_left_alone(hall):
    for broken in ("[[tables", HALL.replace('id = "two"', "")):
        hall.file.write_text(broken)
        assert hall.staff.get("/api/hall/settings").status_code == 422
        assert hall.staff.post("/api/hall/reopen").status_code == 422
        assert hall.file.read_text() == broken
    assert hall.reopened == 0


def test_the_hall_is_opened_again_when_staff_wants_it(hall):
    assert hall.staff.post("/api/hall/reopen").status_code == 202
    assert hall.reopened == 1


def test_what_ails_a_camera_is_told_to_everybody_without_its_password(hall):
    said = "no camera answers at rtsp://admin:h4nter2@10.0.0.9/stream"
    hall.hub.process_started("one")
    hall.hub.receive("one", Vitals(picture_ns=None, trouble="failed", detail=said))
    for path in ("/health", "/api/tables/one"):
        text = TestClient(hall.app).get(path).text
        assert "no camera answers at rtsp://***@10.0.0.9/stream" in text
        assert "h4nter2" not in text


def test_settings_do_not_reach_what_decides_over_access_and_where_things_go(hall):
    fields = set(hall.app.openapi()["components"]["schemas"]["SettingsIn"]["properties"])
    assert fields == {"version", "language", "public_url", "tables"}


def test_a_hall_without_a_file_says_so(hall):
    staff = TestClient(make_app(hall.hub, Access(hall.hub)))
    staff.post("/api/staff/login", json={"pin": PIN})
    assert staff.get("/api/hall").json()["has_settings"] is False
    assert staff.get("/api/hall/settings").status_code == 404
    assert staff.post("/api/hall/reopen").status_code == 404


def test_the_bundle_tells_everything_but_secrets(hall):
    record = logging.LogRecord("server.x", logging.INFO, "", 0, "GET /join/one/K7XQ2M", None, None)
    hall.tail.handle(record)
    hall.staff.post("/api/tables/one/match", json={"game": "kaisa", "players": ["Anna", "Boris"], "first": "Anna"})
    hall.staff.post("/api/tables/one/by-hand", json={"potted": [{"ball": "yellow", "pocket": "RL"}]})
    answer = hall.staff.get("/api/hall/diagnostics.zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    assert set(files) == {
        *("settings.json", "health.json", "metrics.txt", "machine.json", "log.txt"),
        *("strokes/one.json", "strokes/two.json", "tables/one-one.toml"),
    }
    code = Access(hall.hub).code("one")
    for name, text in files.items():
        assert not [secret for secret in (*SECRETS, code, "K7XQ2M") if secret in text], name
    assert json.loads(files["settings.json"])["tables"][0]["name"] == "Table 1"
    assert json.loads(files["strokes/one.json"])[0]["ruling"]["scores"] == {"Anna": 6, "Boris": 0}
    assert tomlkit.parse(files["tables/one-one.toml"])["certificate"]["verdict"] == "warn"
    assert json.loads(files["machine.json"])["versions"]["cuemarker"]
    assert "cuemarker_table_strokes" in files["metrics.txt"]
