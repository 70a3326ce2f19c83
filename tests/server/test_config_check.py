"""`cuemarker check-config`: every fault at once, each with its key, and no secret repeated."""

import pytest
from click.testing import CliRunner

from server.cli import CommandGroup
from server.config_check import faults_in

GOOD = """
[[tables]]
id = "one"
name = "Table 1"
source = "virtual:kaisa"
"""
BAD = """
[server]
prot = 8181
port = 99999
language = "sv"
[access]
staff_pin_hash = "2468"
[[access.keys]]
name = "league"
hash = "letmein"
[[tables]]
id = "Table One"
source = "rtsp://camera"
extra = 1
[[tables]]
id = "two"
name = "Two"
source = "usb:0"
ask_below = 7
[[webhooks]]
name = "league"
url = "ftp://league.example"
secret = "short"
events = ["everything"]
"""


@pytest.fixture
def check(tmp_path):
    def check(text):
        path = tmp_path / "hall.toml"
        path.write_text(text, encoding="utf-8")
        done = CliRunner().invoke(CommandGroup(name="cuemarker"), ["check-config", str(path)])
        return done.exit_code, [line.removeprefix(f"{path}: ") for line in done.output.splitlines()]

    return check


def test_a_good_file_has_no_faults(check):
    assert check(GOOD) == (0, ["0 faults"])


def test_all_faults_are_told_at_once_by_their_keys(check):
    code, said = check(BAD)
    assert code == 1
    assert sorted(line.split(":")[0] for line in said[:-1]) == [
        "access.keys[0].hash",
        "access.staff_pin_hash",
        "server.language",
        "server.port",
        "server.prot",
        "tables[0].extra",
        "tables[0].id",
        "tables[0].name",
        "tables[1].ask_below",
        "webhooks[0].events[0]",
        "webhooks[0].secret",
        "webhooks[0].url",
    ]
    assert said[-1] == "12 faults"
    assert "server.prot: no such key" in said
    assert not [line for line in said if "letmein" in line or "2468" in line or "short" in line.split()]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('source = "virtual:kaisa"', 'source = "usb:0"\ntable_file = "no.toml"', "tables[0].table_file: "),
        ('source = "virtual:kaisa"', 'source = "events:no.jsonl"', "tables[0].source: "),
        ("[[tables]]", '[server]\ndatabase = "oracle9://x"\n[[tables]]', "server.database: "),
        ("[[tables]]", '[server]\ndatabase = "sqlite:////no/such/j.sqlite"\n[[tables]]', "server.database: "),
        (
            "[[tables]]",
            f'[[access.keys]]\nname = "a"\nhash = "sha256:{"0" * 64}"\ntables = ["three"]\n[[tables]]',
            "access.keys[0].tables: there is no table three",
        ),
        (
            "[[tables]]",
            '[[webhooks]]\nname = "a"\nurl = "http://a"\nsecret = "0123456789abcdef"\ntables = ["x"]\n[[tables]]',
            "webhooks[0].tables: there is no table x",
        ),
        ("[[tables]]", "[[tables", "is no TOML"),
    ],
)
def test_what_the_file_refers_to_must_be_there(check, old, new, fault):
    code, said = check(GOOD.replace(old, new))
    assert code == 1
    assert said[0].startswith(fault)
    assert said[-1] == "1 fault"


def test_a_missing_file_is_one_fault(tmp_path):
    (fault,) = faults_in(tmp_path / "none.toml")
    assert "cannot be read" in fault


def test_two_webhooks_may_not_share_a_name(check):
    hook = '[[webhooks]]\nname = "a"\nurl = "http://a"\nsecret = "0123456789abcdef"\n'
    assert check(GOOD + hook * 2)[1][0] == "webhooks: name a is used twice"


def test_extras_that_are_missing_are_named(check, monkeypatch):
    monkeypatch.setattr("server.config_check.importlib.util.find_spec", lambda _: None)
    text = '[server]\ndatabase = "postgresql://db/hall"\n' + GOOD
    text += '[broker]\nurl = "nats://broker"\n[mqtt]\nhost = "broker"\n'
    code, faults = check(text)
    assert code == 1
    for key, extra in (("server.database", "postgres"), ("broker", "nats"), ("mqtt", "mqtt")):
        assert any(fault.startswith(f"{key}: ") and f"cuemarker[{extra}]" in fault for fault in faults)
