"""Two machines, a broker between them, and a link that is cut: no event is lost or doubled, all are in order.

The node runs as `cuemarker node`. Its link is a TCP relay of the test, or two network namespaces where the tests may
make them; the hall's journal is a file, or on a PostgreSQL server.
"""

import asyncio
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
import uuid
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import pytest

from server.calibration_orders import TellState
from server.compose import open_hall
from server.config import HallConfig
from server.errors import CommandRefusedError, Refusal
from server.folding import folded_table
from server.journal import Journal

ROOT = Path(__file__).parents[2]
BROKER = shutil.which("nats-server", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
TABLES = ("one", "two")
STROKE_S = 0.3
pytestmark = pytest.mark.skipif(BROKER is None, reason="there is no nats-server (apt install nats-server)")


def free_port(host):
    with socket.socket() as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


class Relay:
    """A link through this process: a cut closes it, or lets nothing through while it seems to stand."""

    host, wrap = "127.0.0.1", ()

    def __init__(self):
        self.port, self.target = free_port(self.host), None
        self.is_cut, self.writers, self.carrying = False, set(), set()

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.carry, self.host, self.port)
        return self

    async def __aexit__(self, *_):
        self.server.close()
        self.drop()
        await asyncio.gather(*self.carrying)

    def drop(self):
        for writer in self.writers:
            writer.transport.abort()

    async def carry(self, reader, writer):
        self.carrying.add(asyncio.current_task())
        if self.is_cut:
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection(self.host, self.target)
        except OSError:
            writer.transport.abort()
            return
        self.writers |= {writer, far_writer}
        await asyncio.gather(self.pump(reader, far_writer), self.pump(far_reader, writer))
        self.writers -= {writer, far_writer}

    async def pump(self, reader, writer):
        try:
            while data := await reader.read(65536):
                while self.is_cut:  # noqa: ASYNC110 (a cut is short)
                    await asyncio.sleep(0.02)
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.transport.abort()

    def cut(self, chance):
        self.is_cut = True
        if chance.random() < 0.6:
            self.drop()

    def mend(self):
        self.is_cut = False


class Namespaces:
    """A link between this network namespace and another one, which a cut takes down."""

    def __init__(self, stack):
        name = uuid.uuid4().hex[:6]
        self.space, self.ours, theirs = f"cuemarker-{name}", f"cm{name}a", f"cm{name}b"
        net = random.Random(name).randrange(16, 240)
        self.host, far = f"10.203.{net}.1", f"10.203.{net}.2"
        self.wrap = ("ip", "netns", "exec", self.space)
        ip("netns", "add", self.space)
        stack.callback(ip, "netns", "del", self.space)
        ip("link", "add", self.ours, "type", "veth", "peer", "name", theirs, "netns", self.space)
        ip("addr", "add", f"{self.host}/30", "dev", self.ours)
        ip("link", "set", self.ours, "up")
        ip("-n", self.space, "addr", "add", f"{far}/30", "dev", theirs)
        ip("-n", self.space, "link", "set", theirs, "up")
        self.target = None

    @property
    def port(self):
        return self.target

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        pass

    def cut(self, _):
        ip("link", "set", self.ours, "down")

    def mend(self):
        ip("link", "set", self.ours, "up")


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Stage:
    """A broker, a hall, a node behind the link, and what its tables see."""

    def __init__(self, tmp_path, link, database, strokes):
        self.tmp_path, self.link, self.database = tmp_path, link, database
        link.target = free_port(link.host)
        self.hall, self.node, self.broker = None, None, None
        self.played = {table: self.write_play(table, strokes) for table in TABLES}
        self.config = HallConfig.model_validate(
            {
                "server": {"database": database},
                "broker": {"url": f"nats://{link.host}:{link.target}"},
                "tables": [{"id": table, "name": table, "source": "node:north"} for table in TABLES],
            }
        )
        text = f'[node]\nname = "north"\n[broker]\nurl = "nats://{link.host}:{link.port}"\n'
        for table in TABLES:
            text += f'[[tables]]\nid = "{table}"\nname = "{table}"\nsource = "events:{table}.jsonl"\n'
        (tmp_path / "node.toml").write_text(text)

    def write_play(self, table, strokes):
        cues = [{"t": 0.1, "type": "match", "game": "kaisa", "players": ["Anna", "Boris"]}]
        for number in range(strokes):
            t = 1 + number * STROKE_S
            cues += [
                {"t": t, "type": "strike", "ball": f"white-{1 + number % 2}"},
                {"t": t + 0.05, "type": "contact", "ball": f"white-{1 + number % 2}", "other": "yellow"},
                {"t": t + 0.1, "type": "cushion", "ball": "yellow", "cushion": "rear"},
                {"t": t + 0.2, "type": "rest"},
            ]
        (self.tmp_path / f"{table}.jsonl").write_text("\n".join(map(json.dumps, cues)))
        return [round(cue["t"], 6) for cue in cues[1:]]

    def start_broker(self):
        command = [BROKER, "-a", self.link.host, "-p", str(self.link.target), "-js", "-sd", self.tmp_path / "stream"]
        self.broker = subprocess.Popen(command, stderr=subprocess.DEVNULL)

    def start_node(self):
        command = [sys.executable, "-c", "from server.cli import main; main()", "node"]
        with (self.tmp_path / "node.log").open("ab") as log:
            self.node = subprocess.Popen(
                [*self.link.wrap, *command, "--config", self.tmp_path / "node.toml"],
                stdout=log,
                stderr=log,
                cwd=ROOT,
                env=os.environ | {"PYTHONPATH": str(ROOT)},
            )

    async def restart_node(self):
        self.node.send_signal(signal.SIGKILL)
        await asyncio.to_thread(self.node.wait)
        self.start_node()

    async def restart_broker(self):
        self.broker.kill()
        await asyncio.to_thread(self.broker.wait)
        self.start_broker()

    @asynccontextmanager
    async def running(self):
        self.start_broker()
        self.start_node()
        try:
            async with self.link:
                yield
        finally:
            for process in (self.node, self.broker):
                process.kill()
                process.wait()

    def seen(self):
        """The times of all events in the journal, stroke by stroke, by table; the hall is closed."""
        with Journal.open(self.database) as journal:
            tables = [folded_table(journal, table) for table in self.config.tables]
        return {
            table.config.id: [round(event.t_s, 6) for record in table.match.records for event in record.shot.events]
            for table in tables
        }

    async def until(self, strokes, most_s):
        """Wait until the hall has so many strokes of every table."""
        until_s = time.monotonic() + most_s
        while min(len(self.hall.hub.tables[table].match.records) for table in TABLES) < strokes:
            assert time.monotonic() < until_s, (self.tmp_path / "node.log").read_text()[-3000:]
            await asyncio.sleep(0.05)


async def soon(is_so):
    """Wait until something is so."""
    until_s = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < until_s
        await asyncio.sleep(0.05)


async def play(stage, cuts, chance):
    """Cut the link at random, and restart every side now and then, until everything is stored."""
    strokes = len(stage.played["one"]) // 4
    async with stage.running():
        others = [stage.restart_node, stage.restart_broker, None]
        done = 0
        while done < cuts:
            async with open_hall(stage.config) as stage.hall:  # the hall is closed and opened anew, too
                await stage.until(1, 40)
                for _ in range(min(cuts - done, 1 + cuts // 5)):
                    await asyncio.sleep(chance.uniform(0.1, 1.2))
                    stage.link.cut(chance)
                    await asyncio.sleep(chance.uniform(0.05, 4.0 if chance.random() < 0.2 else 0.8))
                    stage.link.mend()
                    done += 1
                if others and (other := others.pop(0)) is not None:
                    await other()
        async with open_hall(stage.config) as stage.hall:
            await stage.until(strokes, 60 + strokes * STROKE_S)
            await asyncio.sleep(2)  # whatever came twice would come now


@pytest.mark.timeout(200)
def test_a_link_that_is_cut_and_sides_that_are_killed_lose_and_double_nothing(tmp_path):
    stage = Stage(tmp_path, Relay(), f"sqlite:///{tmp_path / 'journal.sqlite'}", strokes=35)
    asyncio.run(play(stage, 5, random.Random(7)))
    assert stage.seen() == stage.played


@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", ["relay", "namespaces"])
def test_fifty_cuts_lose_and_double_nothing_with_postgresql(tmp_path, postgres, kind):
    with ExitStack() as stack:
        if kind == "namespaces":
            try:
                link = Namespaces(stack)
            except (OSError, subprocess.CalledProcessError) as error:
                pytest.skip(f"this machine makes no network namespaces here: {error}")
        else:
            link = Relay()
        stage = Stage(tmp_path, link, postgres.new_database(), strokes=240)
        asyncio.run(play(stage, 50, random.Random(11)))
        assert stage.seen() == stage.played


@pytest.mark.timeout(150)
def test_a_broker_that_has_lost_its_disk_is_given_everything_anew(tmp_path):
    stage = Stage(tmp_path, Relay(), f"sqlite:///{tmp_path / 'journal.sqlite'}", strokes=12)

    async def run():
        async with stage.running():
            blocks = (tmp_path / "stream").rglob
            await soon(lambda: any(block.stat().st_size > 1000 for block in blocks("*.blk")))  # no hall yet
            stage.broker.kill()
            await asyncio.to_thread(stage.broker.wait)
            shutil.rmtree(tmp_path / "stream")
            stage.start_broker()
            async with open_hall(stage.config) as stage.hall:
                await stage.until(12, 40)

    asyncio.run(run())
    assert stage.seen() == stage.played


@pytest.mark.timeout(150)
def test_a_node_that_is_silent_is_told_and_comes_back_and_the_staff_stops_its_tables(tmp_path):
    stage = Stage(tmp_path, Relay(), f"sqlite:///{tmp_path / 'journal.sqlite'}", strokes=200)

    async def becomes(trouble):
        table, until_s = stage.hall.hub.tables["one"], time.monotonic() + 60
        while (found := table.live.trouble(stage.hall.hub.clock_s())) != trouble:
            assert time.monotonic() < until_s, found
            await asyncio.sleep(0.05)
        return table.live

    async def run():
        async with stage.running(), open_hall(stage.config) as stage.hall:
            await becomes(None)
            with pytest.raises(CommandRefusedError) as caught:  # a table whose events are played back has no camera
                await stage.hall.hub.tables["one"].line.ask(TellState())
            assert caught.value.refusal is Refusal.NO_CAMERA
            stage.link.is_cut = True
            live = await becomes("no_picture")
            await soon(lambda: "node north" in live.detail)
            stage.link.mend()
            await becomes(None)
            stage.hall.hub.switch("one", "staff", on=False)
            await soon(lambda: not live.is_running)
            before, last = -1, 0
            until_s = time.monotonic() + 60
            while before != last:  # what is under way comes, and then no more
                assert time.monotonic() < until_s
                before = last
                await asyncio.sleep(4 * STROKE_S)
                last = len(stage.hall.hub.tables["one"].match.records)
            stage.hall.hub.switch("one", "staff", on=True)
            await becomes(None)
            await stage.until(last + 2, 60)

    asyncio.run(run())
