"""Who may give commands: join codes, staff's PIN, keys; guessing, forging and foreign pages get nowhere."""

import hashlib
import json
import stat
import time
import tomllib

import pytest
from argon2 import PasswordHasher
from click.testing import CliRunner
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from scoring.commands import Observe
from scoring.shots import RefereeInput
from server.access import CODE_LENGTH, CODE_LETTERS, TURN_AFTER_S, Access
from server.api import make_app
from server.commands.secret import secret
from server.config import AccessConfig, HallConfig, KeyConfig, ServerConfig, TableConfig
from server.hub import Hub
from server.journal import Journal
from server.secrets_file import SecretsFile
from server.tokens import Token, read, sign

MATCH = {"game": "kaisa", "players": ["Anna", "Boris"], "first": "Anna"}
PIN, KEY, KEY_OF_TWO = "246810", "k" * 43, "t" * 43
CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)  # what is tested is not how dear it is
TABLES = tuple(TableConfig(id=name, name=name, source="events:none") for name in ("one", "two"))


def hashed(key):
    return f"sha256:{hashlib.sha256(key.encode()).hexdigest()}"


class Hall:
    def __init__(self, folder, **access):
        given = {
            "players": "code",
            "staff_pin_hash": CHEAP.hash(PIN),
            "keys": (
                KeyConfig(name="league", hash=hashed(KEY)),
                KeyConfig(name="table two", hash=hashed(KEY_OF_TWO), tables=("two",)),
            ),
            "secret_file": folder / "cuemarker.secret",
        } | access
        server = ServerConfig(host="0.0.0.0", public_url="http://hall.example:8080")
        config = HallConfig(server=server, tables=TABLES, access=AccessConfig(**given))
        self.wall_s, self.clock_s = time.time(), 0.0
        self.hub = Hub(
            config,
            lambda: Journal.open(f"sqlite:///{folder / 'journal.sqlite'}"),
            clock_s=lambda: self.clock_s,
            wall_ns=lambda: int(self.wall_s * 1e9),
        )
        self.hub.open()
        self.access = Access(self.hub, wall_s=lambda: self.wall_s, clock_s=lambda: self.clock_s)
        self.app = make_app(self.hub, self.access)

    def browser(self, address="192.0.2.7"):
        return TestClient(self.app, client=(address, 4711), follow_redirects=False)


@pytest.fixture
def hall(tmp_path):
    hall = Hall(tmp_path)
    yield hall
    hall.hub.close()


def join(browser, table, code):
    return browser.post(f"/api/tables/{table}/join", json={"code": code})


def start(browser, table="one", **options):
    return browser.post(f"/api/tables/{table}/match", json=MATCH, **options)


def test_a_spectator_sees_everything_and_changes_nothing(hall):
    phone = hall.browser()
    for path in ("/display/one", "/table/one", "/api/tables", "/api/tables/one", "/api/tables/one/strokes"):
        assert phone.get(path).status_code == 200
    commands = [path for path in hall.app.openapi()["paths"] if path.startswith("/api/tables/{table_id}/")]
    posts = ["match", "rematch", "lag", "call", "answer", "correct", "by-hand", "undo", "redo", "referee", "concede"]
    assert {f"/api/tables/{{table_id}}/{name}" for name in posts} <= set(commands)
    bodies = {"match": MATCH, "lag": {"winner": "A"}, "concede": {"by": "A"}, "referee": {"type": "push"}}
    for name in posts:
        body = bodies.get(name, {"to": "call", "value": 1} if name == "answer" else {})
        assert phone.post(f"/api/tables/one/{name}", json=body).status_code == 403, name
    assert hall.hub.table("one").match.play is None


def test_the_code_opens_its_own_table_only(hall):
    phone = hall.browser()
    assert join(phone, "one", hall.access.code("one").lower()).json()["tables"] == ["one"]
    assert start(phone).status_code == 200
    refused = start(phone, "two")
    assert refused.status_code == 403
    assert "only watch" in refused.json()["detail"]
    assert join(phone, "two", hall.access.code("one")).status_code == 403
    assert join(phone, "none", "x").status_code == 404


def test_two_tables_may_be_joined_one_after_the_other(hall):
    phone = hall.browser()
    join(phone, "one", hall.access.code("one"))
    assert join(phone, "two", hall.access.code("two")).json()["tables"] == ["one", "two"]


def test_the_qr_codes_link_joins_and_an_old_one_leads_to_the_panel(hall):
    phone = hall.browser()
    answer = phone.get(f"/join/one/{hall.access.code('one')}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/table/one")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=lax" in cookie.lower()
    assert start(phone).status_code == 200
    stranger = hall.browser()
    assert stranger.get("/join/one/WRONG2").headers["location"] == "/table/one"
    assert start(stranger).status_code == 403
    assert stranger.get("/join/none/WRONG2").status_code == 404


def test_a_code_cannot_be_guessed(hall):
    thief = hall.browser()
    answers = [join(thief, "one", f"AAAA{number:02}").status_code for number in range(12)]
    assert answers == [403] * 10 + [429] * 2
    assert join(thief, "one", hall.access.code("one")).status_code == 429
    assert join(hall.browser("192.0.2.8"), "one", hall.access.code("one")).status_code == 200
    hall.clock_s += 301
    assert join(thief, "one", hall.access.code("one")).status_code == 200


def test_many_addresses_guess_no_better_than_few(hall):
    for number in range(200):
        join(hall.browser(f"198.51.100.{number}"), "one", "AAAAAA")
    assert join(hall.browser("203.0.113.1"), "one", "AAAAAA").status_code == 429
    assert join(hall.browser("203.0.113.1"), "two", hall.access.code("two")).status_code == 200


def test_the_pin_cannot_be_tried_for_long(hall):
    thief = hall.browser()
    answers = [thief.post("/api/staff/login", json={"pin": f"{number:06}"}).status_code for number in range(7)]
    assert answers == [403] * 5 + [429] * 2
    assert thief.post("/api/staff/login", json={"pin": PIN}).status_code == 429
    hall.clock_s += 301
    assert thief.post("/api/staff/login", json={"pin": PIN}).status_code == 200


def test_addresses_of_one_ipv6_network_count_as_one(hall):
    answers = [
        hall.browser(f"2001:db8::{number}").post("/api/staff/login", json={"pin": "000000"}).status_code
        for number in range(7)
    ]
    assert answers == [403] * 5 + [429] * 2


def test_staff_commands_every_table_until_logged_out(hall):
    staff = hall.browser()
    session = staff.post("/api/staff/login", json={"pin": PIN}).json()
    assert (session["is_staff"], session["tables"]) == (True, ["one", "two"])
    assert start(staff, "two").status_code == 200
    assert staff.get("/api/tables/one/code").json()["code"] == hall.access.code("one")
    assert hall.hub.table("two").match.entries[0].who.startswith("staff ")
    assert staff.post("/api/staff/logout").json()["is_staff"] is False
    assert start(staff, "two").status_code == 403


def test_a_days_work_ends_and_another_pin_ends_it_at_once(hall):
    staff = hall.browser()
    staff.post("/api/staff/login", json={"pin": PIN})
    hall.wall_s += 12 * 3600 + 1
    assert start(staff).status_code == 403
    staff.post("/api/staff/login", json={"pin": PIN})
    hall.access._config = hall.access._config.model_copy(update={"staff_pin_hash": CHEAP.hash("135790")})
    assert start(staff).status_code == 403


def test_players_are_no_staff(hall):
    phone = hall.browser()
    join(phone, "one", hall.access.code("one"))
    for method, path in (
        ("GET", "/api/tables/one/code"),
        ("POST", "/api/tables/one/code"),
        ("GET", "/api/matches"),
        ("GET", "/api/matches.csv"),
        ("POST", "/api/matches/import"),
        ("GET", "/api/players"),
        ("GET", "/api/players.csv"),
    ):
        assert phone.request(method, path).status_code == 403, path


def test_a_new_code_sends_everybody_away(hall):
    phone, staff = hall.browser(), hall.browser("192.0.2.9")
    old = hall.access.code("one")
    join(phone, "one", old)
    staff.post("/api/staff/login", json={"pin": PIN})
    fresh = staff.post("/api/tables/one/code").json()["code"]
    assert fresh != old
    assert start(phone).status_code == 403
    assert join(phone, "one", fresh).status_code == 200


def test_players_keep_their_table_for_a_while_after_the_match(hall):
    phone = hall.browser()
    join(phone, "one", hall.access.code("one"))
    start(phone)
    hall.hub.give("one", Observe(RefereeInput(kind="concede", by="Anna")))
    old = hall.access.code("one")
    hall.clock_s += TURN_AFTER_S - 1
    assert phone.post("/api/tables/one/undo").status_code == 200
    hall.hub.give("one", Observe(RefereeInput(kind="concede", by="Anna")))
    hall.clock_s += TURN_AFTER_S
    assert phone.post("/api/tables/one/rematch").status_code == 403
    assert hall.access.code("one") != old
    assert hall.access.code("one") == hall.access.code("one")


def test_who_puts_a_match_aside_may_go_on_with_it_days_later(hall):
    phone = hall.browser()
    join(phone, "one", hall.access.code("one"))
    start(phone)
    code = hall.access.code("one")
    assert phone.post("/api/tables/one/aside").status_code == 200
    hall.clock_s, hall.wall_s = hall.clock_s + 2 * 86400, hall.wall_s + 2 * 86400
    assert hall.access.code("one") == code
    assert phone.post("/api/tables/one/resume").status_code == 200
    assert phone.post("/api/tables/one/by-hand", json={}).status_code == 200


def test_keys_command_what_they_are_for(hall):
    program = hall.browser()
    assert start(program, headers={"Authorization": f"Bearer {KEY}"}).status_code == 200
    assert hall.hub.table("one").match.entries[0].who == "key league"
    of_two = {"Authorization": f"Bearer {KEY_OF_TWO}"}
    assert start(program, "two", headers=of_two).status_code == 200
    assert start(program, "one", headers=of_two).status_code == 403
    assert program.get("/api/matches", headers=of_two).status_code == 403
    assert start(program, headers={"Authorization": "Bearer wrong"}).status_code == 403


def test_forged_cookies_are_worth_nothing(hall):
    token = Token(device="evil", tables={"one": 0}, staff_until_s=2**40, pin=hall.access._pin_mark())
    genuine = sign(token, hall.access._file.key)
    body, mac = genuine.split(".")
    for cookie in (
        sign(token, b"another key"),
        f"{body}.",
        f"{body}.{mac[:-2]}AA",
        "x",
        "",
        "." * 9,
        "é.ü",
        "a" * 5000,
    ):
        assert read(cookie, hall.access._file.key) is None
    phone = hall.browser()
    phone.cookies.set("cuemarker", sign(token, b"another key"))
    assert start(phone).status_code == 403


def test_phones_stay_joined_over_a_restart(tmp_path):
    first = Hall(tmp_path)
    phone = first.browser()
    join(phone, "one", first.access.code("one"))
    first.hub.close()
    second = Hall(tmp_path)
    again = second.browser()
    again.cookies = phone.cookies
    assert start(again).status_code == 200
    second.hub.close()


def test_the_secret_file_is_for_the_server_alone_and_a_broken_one_stops_nothing(tmp_path, caplog):
    path = tmp_path / "s"
    made = SecretsFile.open(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    made.turn("one", 5)
    assert SecretsFile.open(path).rounds["one"].number == 1
    for broken in ("", "{}", "[]", json.dumps({"key": "zz", "rounds": {}})):
        path.write_text(broken)
        assert SecretsFile.open(path).rounds == {}
    assert "join again" in caplog.text
    SecretsFile.open(tmp_path / "no" / "such" / "folder")
    assert "cannot be written" in caplog.text


def test_the_code_is_shown_by_this_machines_screen_or_one_that_staff_opened(hall):
    def qr(address, query=""):
        return hall.browser(address).get(f"/display/one/join.svg{query}").content

    plain = qr("192.0.2.7")
    assert hall.access.code("one").encode() in qr("127.0.0.1")
    assert hall.access.code("one").encode() not in plain
    assert qr("192.0.2.7", f"?key={hall.access.display_key('one')}") == qr("127.0.0.1")
    assert qr("192.0.2.7", f"?key={hall.access.display_key('two')}") == plain
    assert hall.access.code("one") not in hall.browser().get("/display/one").text
    assert hall.browser().get("/display/none/join.svg").status_code == 404


def test_a_code_has_no_letter_that_looks_like_another(hall):
    assert len(hall.access.code("one")) == CODE_LENGTH
    assert not set("01OIL") & set(CODE_LETTERS)
    assert hall.access.code("one") != hall.access.code("two")


@pytest.mark.parametrize(("host", "is_open"), [("127.0.0.1", True), ("::1", True), ("0.0.0.0", False)])
def test_a_server_for_this_machine_only_is_open(tmp_path, host, is_open):
    config = HallConfig(server=ServerConfig(host=host), tables=TABLES)
    hub = Hub(config, lambda: Journal.open(f"sqlite:///{tmp_path / 'j.sqlite'}"))
    hub.open()
    with TestClient(make_app(hub)) as browser:
        assert browser.get("/api/session").json()["is_open"] is is_open
        assert start(browser).status_code == (200 if is_open else 403)
        assert browser.get("/api/tables/one/code").status_code == (200 if is_open else 403)
    hub.close()


def test_an_open_server_with_a_pin_still_keeps_staffs_things_for_staff(tmp_path):
    hall = Hall(tmp_path, players="open")
    phone = hall.browser()
    assert start(phone).status_code == 200
    assert phone.get("/api/tables/one/code").status_code == 403
    hall.hub.close()


def test_without_a_pin_nobody_is_staff(tmp_path):
    hall = Hall(tmp_path, staff_pin_hash="")
    answer = hall.browser().post("/api/staff/login", json={"pin": ""})
    assert answer.status_code == 403
    assert "cuemarker secret pin" in answer.json()["detail"]
    hall.hub.close()


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Host": "evil.example"},
        {"Host": "evil.example", "Origin": "http://evil.example"},
    ],
)
def test_foreign_pages_and_names_get_nowhere(hall, headers):
    staff = hall.browser()
    staff.post("/api/staff/login", json={"pin": PIN})
    assert start(staff, headers=headers).status_code == 403
    assert hall.hub.table("one").match.play is None
    if "Sec-Fetch-Site" not in headers:
        with pytest.raises(WebSocketDisconnect), staff.websocket_connect("/ws/tables/one", headers=headers):
            pass


@pytest.mark.parametrize(
    "host", ["hall.example:8080", "hall", "192.0.2.1:8080", "[2001:db8::1]:8080", "hall.lan", "cm.local"]
)
def test_the_halls_own_names_are_heard(hall, host):
    staff = hall.browser()
    staff.post("/api/staff/login", json={"pin": PIN})
    assert start(staff, headers={"Host": host, "Origin": f"http://{host}"}).status_code == 200


def test_the_command_prints_what_the_hall_file_needs_and_never_the_pin():
    said = CliRunner().invoke(secret, ["pin"], input=f"{PIN}\n{PIN}\n")
    found = tomllib.loads(said.stdout)["access"]["staff_pin_hash"]
    assert PasswordHasher().verify(found, PIN)
    assert PIN not in said.output
    assert CliRunner().invoke(secret, ["pin"], input="12345\n12345\n").exit_code == 2


def test_the_command_makes_keys_that_work(tmp_path):
    said = CliRunner().invoke(secret, ["key"])
    key = said.stderr.split()[-1]
    given = KeyConfig.model_validate(tomllib.loads(said.stdout)["access"]["keys"][0])
    assert key not in said.stdout
    hall = Hall(tmp_path, keys=(given,))
    assert start(hall.browser(), headers={"Authorization": f"Bearer {key}"}).status_code == 200
    hall.hub.close()


def test_secrets_are_never_logged(hall, caplog):
    caplog.set_level("DEBUG")
    phone = hall.browser()
    code = hall.access.code("one")
    phone.get(f"/join/one/{code}")
    start(phone)
    phone.post("/api/staff/login", json={"pin": PIN})
    hall.app.openapi()
    own = [record.getMessage() for record in caplog.records if record.name.startswith(("server", "uvicorn"))]
    assert not [said for said in own if code in said or PIN in said]
