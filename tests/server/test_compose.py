"""The composition root: processes are started, kept, started anew for another game, and leave nothing behind."""

import asyncio
import json
import time

import pytest

from scoring.commands import StartMatch
from scoring.setup import Setup, singles
from server import compose
from server.compose import open_hall
from server.config import HallConfig, ServerConfig, TableConfig

PLAY = [{"t": 0.0, "type": "rest", "balls": {"red-1": [900, 0]}}]


@pytest.fixture
def hall(tmp_path):
    path = tmp_path / "play.jsonl"
    path.write_text("\n".join(map(json.dumps, PLAY)))
    tables = tuple(TableConfig(id=name, name=name, source=f"events:{path}") for name in ("one", "two"))
    return HallConfig(server=ServerConfig(database=f"sqlite:///{tmp_path / 'j.sqlite'}"), tables=tables)


async def until(condition, limit_s=120.0):
    deadline_s = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline_s, "waited in vain"
        await asyncio.sleep(0.05)


def test_every_table_has_a_process_of_its_own_and_none_is_left(hall):
    async def play():
        async with open_hall(hall) as opened:
            await until(lambda: all(table.live.vitals for table in opened.hub.tables.values()))
            processes = [keeper.process for keeper in opened.keepers]
            assert len({process.pid for process in processes}) == 2
            await asyncio.wait_for(opened.finished.wait(), 10)
        assert [process.is_alive() for process in processes] == [False, False]

    asyncio.run(play())


def test_a_source_that_cannot_be_opened_is_said_and_tried_again_and_the_others_play_on(hall, tmp_path):
    (tmp_path / "play.jsonl").rename(tmp_path / "other.jsonl")
    two = hall.tables[1].model_copy(update={"source": f"events:{tmp_path / 'other.jsonl'}"})
    broken = hall.model_copy(update={"tables": (hall.tables[0], two)})

    async def play():
        async with open_hall(broken) as opened:
            tables = opened.hub.tables
            await until(lambda: tables["one"].live.restarts >= 2 and tables["two"].live.vitals)
            assert "cannot be read" in tables["one"].live.failure
            assert tables["one"].live.trouble(time.monotonic()) == "failed"
            assert tables["two"].live.restarts == 0

    asyncio.run(play())


def test_the_camera_looks_for_the_balls_of_the_game_that_is_played(hall, monkeypatch):
    camera = TableConfig(id="one", name="One", source="file:none.mp4", table_file="none.toml")
    monkeypatch.setattr(compose, "run_table", wait_for_ever)

    async def play():
        async with open_hall(hall.model_copy(update={"tables": (camera,)})) as opened:
            keeper = opened.keepers[0]
            await until(lambda: keeper.process is not None and keeper.process.pid)
            first = keeper.process.pid
            opened.hub.give("one", StartMatch(Setup(game="kaisa", sides=singles("A", "B"))))
            await asyncio.sleep(0.6)
            assert keeper.process.pid == first
            monkeypatch.setattr(opened.hub, "game_of", lambda _: other_balls())
            await until(lambda: keeper.process.pid != first)
            assert opened.hub.tables["one"].live.restarts == 0

    asyncio.run(play())


def other_balls():
    return "small-pyramid"


def wait_for_ever(*_):
    time.sleep(600)


def test_a_table_that_staff_stops_has_no_process_until_it_is_started_again(hall):
    async def play():
        async with open_hall(hall) as opened:
            hub, keeper = opened.hub, opened.keepers[0]
            table = hub.tables["one"]
            await until(lambda: table.live.vitals)
            first = keeper.process
            hub.switch("one", "staff 1", on=False)
            assert table.live.trouble(time.monotonic()) == "stopped"
            await until(lambda: not first.is_alive() and not table.live.is_running)
            await asyncio.sleep(0.6)
            assert keeper.process is first
            assert hub.tables["two"].live.trouble(time.monotonic()) is None
            hub.switch("one", "staff 1", on=True)
            assert table.live.trouble(time.monotonic()) == "starting"
            await until(lambda: keeper.process.is_alive() and table.live.trouble(time.monotonic()) is None)
            assert table.live.restarts == 0

    asyncio.run(play())
