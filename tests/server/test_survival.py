"""Whatever is killed, and however: afterwards the score is what the last stroke made it."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds child processes in Linux's /proc")

LAYOUT = {"white-1": [600, 200], "red-1": [887.5, 0], "red-2": [2662.5, 0], "yellow": [1775, 0]}
MATCH = {"t": 0.1, "type": "match", "game": "kaisa", "players": ["Anna", "Boris"]}


def stroke(t_s, ball, pocket):
    left = {name: place for name, place in LAYOUT.items() if name != ball}
    return [
        {"t": t_s, "type": "call", "call": {"ball": ball, "pocket": pocket, "bank": False}},
        {"t": t_s + 0.1, "type": "strike", "ball": "white-1"},
        {"t": t_s + 0.2, "type": "contact", "ball": "white-1", "other": ball},
        {"t": t_s + 0.3, "type": "pocket", "ball": ball, "pocket": pocket},
        {"t": t_s + 0.4, "type": "rest", "balls": left},
    ]


PLAY = [
    {"t": 0.0, "type": "rest", "balls": LAYOUT},
    MATCH,
    *stroke(0.5, "yellow", "RL"),
    *stroke(4.0, "red-2", "RR"),
    *stroke(5.0, "red-2", "RR"),
]


class Server:
    def __init__(self, folder):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.hall = folder / "hall.toml"
        (folder / "play.jsonl").write_text("\n".join(map(json.dumps, PLAY)))
        self.hall.write_text(
            f'[server]\nport = {self.port}\n[[tables]]\nid = "one"\nname = "One"\nsource = "events:play.jsonl"\n'
        )
        self.process = None

    def start(self):
        code = f"from server.cli import main; main(['serve', '--config', {str(self.hall)!r}])"
        self.process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)

    def state(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/tables/one", timeout=5) as answer:
            return json.load(answer)

    def wait_for(self, condition, *, limit_s=120.0):
        deadline_s = time.monotonic() + limit_s
        state = None
        while time.monotonic() < deadline_s:
            with suppress(urllib.error.URLError, ConnectionError):
                state = self.state()
                if condition(state):
                    return state
            time.sleep(0.05)
        pytest.fail(f"waited in vain; the last state was {state}")

    def table_process(self):
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        spawned = [pid for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        return int(spawned[0]) if spawned else None

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(60)


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path)
    server.start()
    yield server
    server.stop()


def score(state):
    return state["match"] and state["match"]["scores"]["Anna"]


def is_alive(pid):
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return b"Z" not in Path(f"/proc/{pid}/stat").read_bytes().split(b")")[-1].split()[:1]
    return False


def test_a_killed_hub_comes_back_with_the_score_and_play_goes_on(server):
    server.wait_for(lambda state: score(state) == 6)
    child = server.table_process()
    server.kill()
    deadline_s = time.monotonic() + 5
    while is_alive(child) and time.monotonic() < deadline_s:
        time.sleep(0.05)
    assert not is_alive(child), "the table's process outlived the hub"
    server.start()
    assert score(server.wait_for(lambda state: state["match"])) == 6
    server.wait_for(lambda state: score(state) == 9)
    assert score(server.wait_for(lambda state: state["match"]["strokes"] == 3)) == 12


def test_a_killed_table_process_is_started_again_and_the_score_stands(server):
    server.wait_for(lambda state: score(state) == 6)
    first = server.table_process()
    os.kill(first, signal.SIGKILL)
    states = [server.wait_for(lambda state: not state["is_fresh"])]
    server.wait_for(lambda state: states.append(state) or (state["is_fresh"] and server.table_process() != first))
    assert {score(state) for state in states} <= {6, 9}
    assert score(server.wait_for(lambda state: state["match"]["strokes"] == 3)) == 12


def test_a_stuck_table_process_is_killed_and_started_again(server):
    server.wait_for(lambda state: score(state) == 6)
    first = server.table_process()
    os.kill(first, signal.SIGSTOP)
    server.wait_for(lambda state: not state["is_fresh"], limit_s=5)
    server.wait_for(lambda state: state["is_fresh"])
    assert server.table_process() != first
    assert score(server.wait_for(lambda state: state["match"]["strokes"] == 3)) == 12


def test_stopping_leaves_nothing_behind(server):
    server.wait_for(lambda state: score(state) == 6)
    child = server.table_process()
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(60) == 0
    assert not is_alive(child)


def test_a_torn_journal_is_said_on_the_board_and_nothing_is_counted(server):
    server.wait_for(lambda state: score(state) == 6)
    server.kill()
    journal = server.hall.parent / "cuemarker.sqlite"
    for leftover in server.hall.parent.glob("cuemarker.sqlite-*"):
        leftover.unlink()
    journal.write_bytes(b"\0" * 100 + journal.read_bytes()[100:])
    server.start()
    state = server.wait_for(lambda state: state["health"]["state"] == "failed" and state["is_fresh"])
    assert state["match"] is None
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"http://127.0.0.1:{server.port}/health", timeout=5)
    assert caught.value.code == 503
    assert "restore it from its copy" in json.load(caught.value)["journal"]
    order = urllib.request.Request(f"http://127.0.0.1:{server.port}/api/tables/one/undo", method="POST")
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(order, timeout=5)
    assert caught.value.code == 503
    caught.value.close()
