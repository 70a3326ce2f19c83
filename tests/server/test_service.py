"""The service manager is told that the hall is open, lives and ends; the files that it is run by fit the program."""

import asyncio
import configparser
import re
import shlex
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from server.cli import COMMANDS
from server.service import beat_s, keep_telling, tell

ROOT = Path(__file__).parents[2]
HALL = '[server]\nport = 0\n[[tables]]\nid = "one"\nname = "One"\nsource = "events:none.jsonl"\n'


@pytest.fixture
def manager(tmp_path):
    """What systemd listens with."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(30)
        yield listening


def test_lines_reach_the_manager(manager):
    assert tell("READY=1", "STATUS=well", environment={"NOTIFY_SOCKET": manager.getsockname()})
    assert manager.recv(1000) == b"READY=1\nSTATUS=well"


def test_an_abstract_address_is_understood():
    name = f"cuemarker-test-{time.monotonic_ns()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(f"\0{name}")
        listening.settimeout(5)
        assert tell("READY=1", environment={"NOTIFY_SOCKET": f"@{name}"})
        assert listening.recv(100) == b"READY=1"


@pytest.mark.parametrize("address", ["", "no/path", "/no/such/socket"])
def test_without_a_manager_nothing_happens(address):
    assert tell("READY=1", environment={"NOTIFY_SOCKET": address} if address else {}) is False


@pytest.mark.parametrize(
    ("environment", "beat"),
    [({}, None), ({"WATCHDOG_USEC": "30000000"}, 15.0), ({"WATCHDOG_USEC": "x"}, None), ({"WATCHDOG_USEC": "0"}, None)],
)
def test_the_beat_is_half_of_the_managers_patience(environment, beat):
    assert beat_s(environment) == beat
    assert beat_s({**environment, "WATCHDOG_PID": "1"}) is None


def test_a_loop_that_is_stuck_tells_nothing(manager, monkeypatch):
    monkeypatch.setenv("NOTIFY_SOCKET", manager.getsockname())
    monkeypatch.setenv("WATCHDOG_USEC", "100000")
    monkeypatch.delenv("WATCHDOG_PID", raising=False)

    async def live():
        telling = asyncio.create_task(keep_telling(lambda: "well"))
        await asyncio.sleep(0.3)
        while manager in select_now(manager):
            manager.recv(1000)
        time.sleep(0.3)  # noqa: ASYNC251 (this is what stuck means)
        heard = select_now(manager)
        telling.cancel()
        return heard

    assert asyncio.run(live()) == []


def select_now(one):
    import select  # noqa: PLC0415

    return select.select([one], [], [], 0)[0]


def test_a_real_hall_says_when_it_is_ready_lives_and_stops(manager, tmp_path):
    (tmp_path / "hall.toml").write_text(HALL)
    (tmp_path / "none.jsonl").write_text("")
    code = f"from server.cli import main; main(['serve', '--config', {str(tmp_path / 'hall.toml')!r}])"
    environment = {"NOTIFY_SOCKET": manager.getsockname(), "WATCHDOG_USEC": "400000", "PATH": "/usr/bin:/bin"}
    process = subprocess.Popen(
        [sys.executable, "-c", code], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT
    )
    try:
        heard = [manager.recv(1000).decode() for _ in range(3)]
        assert heard[0].startswith("READY=1\nSTATUS=1 tables")
        assert all(line.startswith("WATCHDOG=1") for line in heard[1:])
        process.terminate()
        while "STOPPING=1" not in heard[-1]:
            heard.append(manager.recv(1000).decode())
        assert process.wait(15) == 0
    finally:
        process.kill()
        process.wait()


def test_the_unit_file_starts_what_there_is_and_waits_to_be_told():
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str
    unit.read(ROOT / "docs" / "cuemarker.service", encoding="utf-8")
    service = unit["Service"]
    program, command, option, hall = shlex.split(service["ExecStart"])
    assert (Path(program).name, option) == ("cuemarker", "--config")
    assert command in COMMANDS
    assert hall.startswith(f"/var/lib/{service['StateDirectory']}/")
    assert service["Type"] == "notify"
    assert 10 <= int(service["WatchdogSec"]) <= 60
    assert service["User"] != "root"
    for lock in ("NoNewPrivileges", "PrivateTmp", "ProtectKernelTunables", "RestrictSUIDSGID"):
        assert service[lock] == "yes"
    assert service["ProtectSystem"] == "strict"


def test_the_dockerfile_copies_what_there_is_runs_as_nobody_special_and_asks_how_it_is():
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    given = {}
    for line in lines:
        word, _, rest = line.partition(" ")
        given.setdefault(word, []).append(rest)
    copied = [name for rest in given["COPY"] for name in rest.split()[:-1]]
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    for name in copied:
        assert (ROOT / name).exists(), name
        assert f"!{name}" in ignored, name
    packages = re.search(r"packages = \[(.*)\]", (ROOT / "pyproject.toml").read_text(encoding="utf-8")).group(1)
    assert set(re.findall(r'"(\w+)"', packages)) <= set(copied)
    assert given["USER"] == ["cuemarker"]
    assert lines.index("USER cuemarker") > max(index for index, line in enumerate(lines) if line.startswith("RUN"))
    assert "/api/session" in given["HEALTHCHECK"][0]
    assert '"serve"' in given["CMD"][0]
