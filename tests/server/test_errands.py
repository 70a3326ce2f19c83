"""What a hall asks of nodes: the wizard's orders, clips and second looks go over the broker and come back whole."""

import asyncio
import datetime as dt
import shutil
import socket
import subprocess
import time
from contextlib import asynccontextmanager

import pytest

from calibration.ball_check import BallCheck
from calibration.cushion_check import InPlay
from calibration.table_file import Certificate
from scoring.balls import RED_1, WHITE_1
from scoring.commands import PlayShot, StartMatch
from scoring.events import Contact, Rest, Strike
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.shots import Shot
from scoring.table import Cushion, Pocket, Spot, Table
from server.calibration_orders import (
    CalibrationState,
    CheckBall,
    LearnColours,
    Measure,
    Proposal,
    Question,
    Refused,
    Reply,
    Restore,
    Save,
    Still,
    Stored,
    TakeStill,
    TellState,
)
from server.clips import ClipStore, clip_name
from server.config import BrokerConfig, HallConfig, TableConfig
from server.errors import CommandRefusedError, Refusal, ServerError
from server.evidence import Evidence
from server.hub import Hub
from server.journal import Journal
from server.nodes.asker import NodeAsker
from server.nodes.broker import Subjects
from server.nodes.errand_runner import ErrandRunner
from server.nodes.errands import (
    Ask,
    ErrandError,
    Examine,
    Failed,
    Fetch,
    Find,
    Found,
    errand_from_bytes,
    errand_to_bytes,
    outcome_from_bytes,
    outcome_to_bytes,
)
from server.nodes.exchange import answer

BROKER = shutil.which("nats-server", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
FIND = Find(table="one", strike_s=12.345, at_ns=1_790_000_000_123_456_789)
SHOT = Shot(events=(Strike(t_s=12.345, ball=WHITE_1), Contact(t_s=13, ball=WHITE_1, other=RED_1), Rest(t_s=15)))
CERTIFICATE = Certificate(
    date=dt.datetime(2026, 11, 30, 12, 0, tzinfo=dt.UTC),
    rms_px=0.41,
    pocket_error_mm={Pocket.FL: 1.25},
    spot_error_mm={Spot.S1: 0.5},
    verdict="warn",
    reasons=("the light flickers",),
)
PROPOSAL = Proposal(
    table=Table(),
    certificate=CERTIFICATE,
    corners_px=((1.5, 2.0), (3.0, 4.0)),
    outline_px=((0.0, 0.0),),
    house_line_px=(),
    places_px={Pocket.ML: (7.0, 8.0), Spot.S3: (9.0, 10.0)},
    front="left",
    house_by="house line",
    doubts=("glare",),
    colours={"red": (0.1, 0.2, 0.3)},
)
STATE = CalibrationState(
    size_px=(1280, 720),
    age_s=0.04,
    views=2,
    doing="ball",
    proposal=PROPOSAL,
    checks=(BallCheck(place=Pocket.RL, expected_mm=(1.0, 2.0), seen_mm=(1.5, 2.5)),),
    stored=(Stored(number=0, table=Table(pockets=None), certificate=None),),
    in_play=InPlay(mean_mm=1.5, balls=12, by_cushion_mm=((Cushion.LEFT, 2.0),), doubted=(Cushion.REAR,)),
)
ORDERS = (
    TellState(),
    TakeStill(most_px=640),
    Measure(table=Table(length_mm=2840, width_mm=1420, ball_mm=60), house="top", corners_px=((1.0, 2.0),) * 4),
    LearnColours(),
    CheckBall(place=Spot.S2),
    CheckBall(place=Pocket.MR),
    Save(),
    Restore(number=3),
)


@pytest.mark.parametrize(
    "errand",
    [
        *(Ask(table="one", order=order, view=1) for order in ORDERS),
        FIND,
        Fetch(find=FIND, drawn=True),
        Examine(find=FIND, game="kaisa", shot=SHOT),
    ],
    ids=repr,
)
def test_errands_arrive_as_they_were_sent(errand):
    assert errand_from_bytes(errand_to_bytes(errand)) == errand


@pytest.mark.parametrize(
    "outcome",
    [
        STATE,
        CalibrationState(),
        Still(jpeg=b"\xff\xd8\0"),
        Refused(refusal=Refusal.NOT_MEASURED),
        Found(name="x.mp4", has_drawn=True),
        Failed(why="it saw no stroke"),
        SHOT,
        b"\0film",
    ],
    ids=lambda outcome: type(outcome).__name__,
)
def test_what_they_came_to_arrives_as_it_was_said(outcome):
    assert outcome_from_bytes(*outcome_to_bytes(outcome)) == outcome


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"kind": "ask", "table": "one", "order": "print", "value": {}}', b'{"kind": "rm"}']
)
def test_what_is_no_errand_is_refused_in_one_line(body):
    with pytest.raises(ErrandError, match="of one version"):
        errand_from_bytes(body)
    with pytest.raises(ErrandError, match="of one version"):
        outcome_from_bytes("found", body)


@pytest.fixture
def broker():
    if BROKER is None:
        pytest.skip("there is no nats-server (apt install nats-server)")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([BROKER, "-a", "127.0.0.1", "-p", str(port)], stderr=subprocess.DEVNULL)
    deadline_s = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            break
        except OSError:
            assert time.monotonic() < deadline_s
            time.sleep(0.02)
    yield f"nats://127.0.0.1:{port}"
    process.kill()
    process.wait()


@asynccontextmanager
async def hall_and_node(address, tmp_path, look_again):
    """A hall's evidence and table, and a node that runs its errands, with a real broker between them."""
    import nats  # noqa: PLC0415 (an extra)

    subjects = Subjects(BrokerConfig(url=address))
    config = TableConfig(id="one", name="One", source="node:north")
    hub = Hub(HallConfig(tables=(config,), broker=BrokerConfig(url=address)), lambda: Journal.open("sqlite://"))
    hub.open()
    setup = Setup(game="kaisa", sides=singles("Anna", "Boris"))
    hub.give("one", StartMatch(setup, Beginning(phase=Phase.OPENING, shooter="Anna")))
    hub.give("one", PlayShot(SHOT))
    stores = [ClipStore(folder=tmp_path / name, limit_mb=100, spare_mb=0) for name in ("hall", "node")]
    for store in stores:
        store.folder.mkdir()
    runner = ErrandRunner(tables={"one": config}, store=stores[1], look_again=look_again)
    hall, node = await nats.connect(address), await nats.connect(address)
    tasks = set()

    async def take(letter):
        async def do():
            await answer(node, letter, await runner.run(errand_from_bytes(letter.data)))

        tasks.add(asyncio.create_task(do()))

    await node.subscribe(subjects.errands("north"), cb=take)
    await node.flush()
    asker = NodeAsker(subjects, hall)
    asker.connect(hub.tables["one"], "north")
    try:
        yield hub.tables["one"], Evidence(store=stores[0], nodes=asker), runner, node
    finally:
        await asyncio.gather(*tasks)
        for client in (hall, node):
            await client.close()
        hub.close()


async def looked(evidence, clip):
    """A second look when it is over."""
    while evidence.look(clip).state == "running":  # noqa: ASYNC110 (soon)
        await asyncio.sleep(0.01)
    return evidence.look(clip)


def put_clip(runner, at_ns, body):
    folder = runner.store.folder / "one"
    folder.mkdir(exist_ok=True)
    path = folder / clip_name(at_ns=at_ns, strike_ms=12345, lead_ms=2000)
    path.write_bytes(body)
    return path


def test_a_nodes_clip_is_fetched_once_and_a_second_look_is_taken_where_it_lies(broker, tmp_path):
    film, drawing = bytes(range(256)) * 5000, b"drawn" * 10  # the film is more than the broker takes at once
    seen = Shot(events=(SHOT.events[0], SHOT.events[2]))

    async def look_again(work, tell):
        assert work.shot == SHOT
        tell(seen)
        work.clip.drawn.write_bytes(drawing)

    async def run():
        async with hall_and_node(broker, tmp_path, look_again) as (table, evidence, runner, node):
            assert await evidence.clip(table, 1) is None
            path = put_clip(runner, table.match.entries[-1].at_ns, film)
            kept = await evidence.clip(table, 1)
            assert (kept.has_drawn, kept.clip.lead_ms, kept.clip.path.exists()) == (False, 2000, False)
            with pytest.raises(CommandRefusedError):
                await evidence.path(table, 1, drawn=True)
            await evidence.begin(table, 1)
            look = await looked(evidence, kept.clip)
            assert (look.state, look.shot) == ("done", seen)
            while not (await evidence.clip(table, 1)).has_drawn:  # noqa: ASYNC110 (the node writes it soon)
                await asyncio.sleep(0.01)
            assert (await evidence.path(table, 1, drawn=False)).read_bytes() == film
            assert (await evidence.path(table, 1, drawn=True)).read_bytes() == drawing
            path.unlink()
            await node.drain()  # what was fetched is there when the node is not
            assert (await evidence.path(table, 1, drawn=False)).read_bytes() == film

    asyncio.run(run())


def test_a_second_look_that_fails_on_the_node_and_a_node_that_is_away_are_said(broker, tmp_path):
    async def look_again(*_):
        message = "the second look saw no stroke"
        raise ServerError(message)

    async def run():
        async with hall_and_node(broker, tmp_path, look_again) as (table, evidence, runner, node):
            put_clip(runner, table.match.entries[-1].at_ns, b"film")
            clip = (await evidence.clip(table, 1)).clip
            await evidence.begin(table, 1)
            look = await looked(evidence, clip)
            assert (look.state, look.why) == ("failed", "the second look saw no stroke")
            await node.drain()
            began_s = time.monotonic()
            with pytest.raises(CommandRefusedError) as caught:
                await table.line.ask(TellState())
            assert caught.value.refusal is Refusal.NO_ANSWER
            assert time.monotonic() - began_s < 5, "the broker knows that nobody listens"
            assert await evidence.clip(table, 1) is None

    asyncio.run(run())


def test_the_wizards_orders_reach_a_tables_process_on_its_node(broker, tmp_path):
    async def run():
        async with hall_and_node(broker, tmp_path, None) as (table, _, runner, _):
            said = []

            def process(question):
                said.append(question)
                replies = {TakeStill: Still(jpeg=b"\xff" * 900_000), Save: Refused(refusal=Refusal.NOT_MEASURED)}
                runner.lines["one"].hear(Reply(number=question.number, answer=replies.get(type(question.what), STATE)))

            runner.lines["one"].connect(process)
            assert await table.line.ask(CheckBall(place=Spot.S1), 1) == STATE
            assert said == [Question(number=1, what=CheckBall(place=Spot.S1), view=1)]
            assert (await table.line.ask(TakeStill(most_px=4000))).jpeg == b"\xff" * 900_000
            with pytest.raises(CommandRefusedError) as caught:
                await table.line.ask(Save())
            assert caught.value.refusal is Refusal.NOT_MEASURED

    asyncio.run(run())
