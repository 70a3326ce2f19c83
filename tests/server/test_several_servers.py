"""Several web servers of one hall: each shows every board and takes commands; one that is killed is replaced."""

import json
import os
import re
import shutil
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
import sqlalchemy as sa
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from server.config import TableConfig
from server.errors import JournalHeldError
from server.folding import folded_table
from server.journal import Journal
from server.peer_door import introduction
from server.secrets_file import key_in

ROOT = Path(__file__).parents[2]
BROKER = shutil.which("nats-server", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
TABLE = TableConfig(id="one", name="one", source="node:north")
STROKES, STROKE_S = 3000, 0.4  # more than the test ever waits for
WITHIN_S = 120.0
HERE = "127.0.0.1"
pytestmark = pytest.mark.skipif(BROKER is None, reason="there is no nats-server (apt install nats-server)")


def free_port():
    with socket.socket() as probe:
        probe.bind((HERE, 0))
        return probe.getsockname()[1]


class Stage:
    """A broker, a node that plays a match, and servers that are started and killed."""

    def __init__(self, folder, database):
        self.folder, self.database = folder, database
        self.ports = {name: free_port() for name in ("a", "b", "broker")}
        self.processes = {}
        broker = f'[broker]\nurl = "nats://{HERE}:{self.ports["broker"]}"\n'
        for name in ("a", "b"):
            port = self.ports[name]
            (folder / name).mkdir()
            (folder / name / "hall.toml").write_text(
                f'[server]\nport = {port}\ndatabase = "{database}"\npeer = "{HERE}:{port}"\n'
                f'[access]\nplayers = "code"\n{broker}[[tables]]\nid = "one"\nname = "one"\nsource = "node:north"\n'
            )
        (folder / "node.toml").write_text(
            f'[node]\nname = "north"\n{broker}[[tables]]\nid = "one"\nname = "one"\nsource = "events:play.jsonl"\n'
        )
        cues = [{"t": 0.1, "type": "match", "game": "kaisa", "players": ["Anna", "Boris"]}]
        for number in range(STROKES):
            t = 1 + number * STROKE_S
            ball = f"white-{1 + number % 2}"
            cues += [
                {"t": t, "type": "strike", "ball": ball},
                {"t": t + 0.05, "type": "contact", "ball": ball, "other": "yellow"},
                {"t": t + 0.3, "type": "rest"},
            ]
        (folder / "play.jsonl").write_text("\n".join(map(json.dumps, cues)))
        self.played = [round(cue["t"], 6) for cue in cues[1:]]

    def run(self, name, *command):
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                command, stdout=log, stderr=log, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}
            )

    def run_ours(self, name, command, config):
        code = "from server.cli import main; main()"
        self.run(name, sys.executable, "-c", code, command, "--config", self.folder / config)

    def serve(self, name):
        self.run_ours(name, "serve", f"{name}/hall.toml")

    def kill(self, name):
        process = self.processes.pop(name)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def ask(self, name, path, body=None, cookie=""):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Cookie": cookie}
        request = urllib.request.Request(f"http://{HERE}:{self.ports[name]}{path}", data=data, headers=headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer), answer.headers

    def introduced(self, client):
        """What a server of the hall says of a client whose connection it brings."""
        engine = sa.create_engine(self.database.replace("postgresql:", "postgresql+psycopg:"))
        with engine.connect() as connection:
            secrets = connection.exec_driver_sql("SELECT value FROM about WHERE key = 'secrets'").scalar_one()
        engine.dispose()
        return introduction(client, key_in(secrets))

    def get(self, begin, path):
        """What the server that leads answers to a connection that begins so."""
        with socket.create_connection((HERE, self.ports["a"]), timeout=10) as link:
            link.sendall(begin + f"GET {path} HTTP/1.1\r\nHost: {HERE}\r\nConnection: close\r\n\r\n".encode())
            answer = b""
            with suppress(ConnectionError):
                while part := link.recv(65536):
                    answer += part
        return answer.decode()

    def state(self, name):
        return self.ask(name, "/api/tables/one")[0]

    def until(self, name, is_so, within_s=WITHIN_S):
        deadline_s, state = time.monotonic() + within_s, None
        while time.monotonic() < deadline_s:
            with suppress(OSError):
                state = self.state(name)
                if is_so(state):
                    return state
            time.sleep(0.1)
        logs = "\n".join(path.read_text()[-1500:] for path in self.folder.glob("*.log"))
        pytest.fail(f"waited in vain; {state and state['health']}\n{logs}")

    def seen(self):
        """The times of all events in the journal, as soon as the database server lets go of it."""
        deadline_s = time.monotonic() + WITHIN_S
        while True:
            try:
                with Journal.open(self.database) as journal:
                    records = folded_table(journal, TABLE).match.records
                    return [round(event.t_s, 6) for record in records for event in record.shot.events]
            except JournalHeldError:
                assert time.monotonic() < deadline_s
                time.sleep(0.1)

    def strokes(self, name):
        return self.until(name, lambda state: state["match"] and state["is_fresh"])["match"]["strokes"]

    def hears(self, name, strokes, within_s=WITHIN_S):
        """Whether a board of a server is told live of more strokes than so many."""
        deadline_s = time.monotonic() + within_s
        while time.monotonic() < deadline_s:
            with (
                suppress(OSError, WebSocketException, TimeoutError),
                connect(f"ws://{HERE}:{self.ports[name]}/ws/tables/one") as board,
            ):
                while time.monotonic() < deadline_s:
                    message = json.loads(board.recv(timeout=3))
                    if message["type"] == "state" and message["match"] and message["match"]["strokes"] > strokes:
                        return True
            time.sleep(0.2)
        return False


@pytest.fixture
def stage(tmp_path, postgres):
    stage = Stage(tmp_path, postgres.new_database())
    stage.run("broker", BROKER, "-a", HERE, "-p", str(stage.ports["broker"]), "-js", "-sd", tmp_path / "stream")
    yield stage
    for name in tuple(stage.processes):
        stage.kill(name)


@pytest.mark.timeout(600)
def test_two_servers_show_one_hall_and_whichever_is_killed_the_others_boards_go_on(stage):
    stage.serve("a")
    stage.run_ours("node", "node", "node.toml")
    assert stage.strokes("a") >= 0
    stage.serve("b")
    assert stage.hears("b", stage.strokes("b"))
    drawing = stage.get(stage.introduced(HERE), "/display/one/join.svg")
    code = re.search(r">([A-Z0-9]{6})</text>", drawing)[1]
    assert code not in stage.get(stage.introduced("192.0.2.7"), "/display/one/join.svg"), "only its own screen shows it"
    assert stage.get(b"CUEMARKER 127.0.0.1 00\r\n", "/display/one/join.svg") == "", "nobody says so who cannot sign it"
    joined = stage.ask("b", "/api/tables/one/join", {"code": code})[1]["Set-Cookie"].split(";")[0]
    called = stage.ask("b", "/api/tables/one/call", {"ball": "yellow", "pocket": "RL"}, joined)[0]
    assert called["match"]

    stage.kill("a")
    assert stage.hears("b", stage.strokes("b"))
    stage.serve("a")
    assert stage.hears("a", stage.strokes("a"))
    assert stage.ask("a", "/api/tables/one/call", {"ball": "yellow", "pocket": "FL"}, joined)[0]["match"]
    stage.kill("b")
    assert stage.hears("a", stage.strokes("a"))
    stage.kill("a")
    seen = stage.seen()
    assert seen == stage.played[: len(seen)]
