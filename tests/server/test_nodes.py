"""Nodes: what a node's table sees is in the hall's journal once and in order, whatever is cut or killed."""

import json
import sqlite3
from dataclasses import replace

import pytest

from scoring.balls import RED_1, WHITE_1, YELLOW
from scoring.commands import Announce, StartMatch
from scoring.events import Alternative, Contact, Potted, Rest, Strike
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.shots import Call, Shot
from scoring.table import Pocket, Point, Table
from server.config import HallConfig, TableConfig
from server.errors import ConfigError, JournalError, ServerError
from server.hub import RETRY_S, Hub
from server.journal import Journal, Mark
from server.messages import (
    CameraFigures,
    Finished,
    Known,
    Lost,
    Noted,
    Opened,
    Places,
    Said,
    Seen,
    Started,
    Supposed,
    Vitals,
)
from server.nodes import wire
from server.nodes.inbox import MISSED_S, Inbox, Turn, Wish, read_wishes
from server.nodes.node import Node
from server.nodes.node_file import read_node
from server.nodes.outbox import Outbox, OutboxError

MATCH = StartMatch(Setup(game="kaisa", sides=singles("Anna", "Boris")), Beginning(phase=Phase.OPENING, shooter="Anna"))
CONTACT = Contact(t_s=1.4, ball=WHITE_1, other=YELLOW, at=Point(5.25, 1))
DOUBTED = replace(CONTACT, confidence=0.5, alternatives=(Alternative(0.4, replace(CONTACT, other=RED_1)),))
STROKE = (Strike(t_s=1, ball=WHITE_1), DOUBTED, Potted(t_s=2, ball=YELLOW, pocket=Pocket.RL), Rest(t_s=3))
FACTS = (
    Opened(table=Table(length_mm=2840, width_mm=1420, ball_mm=60)),
    Opened(table=Table(pockets=None)),
    *(Seen(events=(event,)) for event in STROKE),
    Said(what=MATCH),
    Said(what=Announce(Call(ball=YELLOW, pocket=Pocket.RL, bank=False))),
    Known(number=3, shot=Shot(events=STROKE)),
    Started(),
    Lost(),
)
NODE = """
[node]
name = "north"
[broker]
url = "nats://127.0.0.1:4222"
[[tables]]
id = "one"
name = "One"
source = "events:play.jsonl"
"""


@pytest.mark.parametrize("message", FACTS, ids=lambda message: type(message).__name__)
def test_facts_arrive_as_they_were_told(message):
    (fact,) = wire.facts(message)
    assert wire.read(json.dumps(fact).encode()) == (message, None)
    assert wire.passing(message, None) is None


def test_every_event_is_a_fact_of_its_own():
    assert [fact["event"]["type"] for fact in wire.facts(Seen(events=STROKE))] == [
        *("strike", "contact", "pocket", "rest")
    ]


@pytest.mark.parametrize(
    "message",
    [
        Places(t_s=3.5, balls={WHITE_1: Point(1, 2.5)}, is_moving=True),
        Supposed(events=STROKE[:2]),
        Vitals(picture_ns=None, trouble="starting", detail="soon"),
    ],
    ids=lambda message: type(message).__name__,
)
def test_what_is_true_for_a_moment_arrives_as_it_was_told(message):
    assert wire.read(json.dumps(wire.passing(message, None)).encode())[0] == message
    assert list(wire.facts(message)) == []


def test_the_age_of_a_picture_is_told_by_the_clock_of_who_reads_it(monkeypatch):
    clock_ns = [50_000_000_000]
    monkeypatch.setattr(wire.time, "monotonic_ns", lambda: clock_ns[0])
    figures = CameraFigures(fps=50, torn=1, opened=2)
    body = json.dumps(wire.passing(Vitals(picture_ns=49_000_000_000, camera=figures), Table())).encode()
    clock_ns[0] = 7_000_000_000  # another machine
    vitals, table = wire.read(body)
    assert (vitals.picture_ns, vitals.camera, table) == (6_000_000_000, figures, Table())


@pytest.mark.parametrize("message", [Noted("hello"), Finished()])
def test_what_stays_on_the_node_is_not_sent(message):
    assert (list(wire.facts(message)), wire.passing(message, None)) == ([], None)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff",
        b"[]",
        b"7",
        b'{"kind": "shout"}',
        b'{"kind": "seen", "event": {"type": "strike"}}',
        b'{"kind": "said", "entry": "{}"}',
        b'{"kind": "places", "t_s": 1, "balls": [], "is_moving": false}',
        b'{"kind": "opened", "table": {"length_mm": -1}}',
        b'{"kind": "vitals", "vitals": {"trouble": "bored", "camera": null, "picture_ns": null}}',
    ],
)
def test_a_message_of_somebody_else_is_one_line(body):
    with pytest.raises(wire.WireError) as caught:
        wire.read(body)
    assert "\n" not in str(caught.value)


class Letter:
    async def ack(self):
        raise NotImplementedError


def mark(sequence, outbox="a"):
    return Mark(node="north", outbox=outbox, sequence=sequence)


def test_facts_are_taken_once_and_in_order():
    inbox, letters = Inbox(heard={"a": 4}), [Letter() for _ in range(9)]
    turns = [inbox.turn(mark(number), letters[number], 0) for number in (3, 5, 7, 6, 5, 7, 8)]
    assert turns == [Turn.STORED, Turn.TAKE, Turn.EARLY, Turn.TAKE, Turn.TAKEN, Turn.TAKE, Turn.TAKE]


def test_a_fact_is_acknowledged_when_it_is_stored_and_by_its_newest_letter():
    inbox, first, again = Inbox(heard={}), Letter(), Letter()
    inbox.turn(mark(1), first, 0)
    assert inbox.stored_letters() == []
    inbox.turn(mark(1), again, 0)
    inbox.turn(mark(2), Letter(), 0)
    inbox.heard["a"] = 1
    assert inbox.stored_letters() == [again]
    assert inbox.stored_letters() == []


def test_a_new_outbox_counts_from_one():
    inbox = Inbox(heard={"a": 400})
    assert inbox.turn(mark(1, "b"), Letter(), 0) is Turn.TAKE
    assert inbox.turn(mark(401), Letter(), 0) is Turn.TAKE


def test_what_is_missing_is_asked_for_and_given_up_only_while_others_arrive():
    inbox = Inbox(heard={"a": 4})
    assert inbox.turn(mark(9), Letter(), 100) is Turn.EARLY
    assert inbox.missing == mark(5)
    assert inbox.turn(mark(9), Letter(), 100 + 10 * MISSED_S) is Turn.EARLY  # the link was cut meanwhile
    now_s = 1000.0
    while inbox.turn(mark(9), Letter(), now_s) is Turn.EARLY:
        now_s += 1
    assert MISSED_S - 5 < now_s - 1000 < MISSED_S + 5
    assert inbox.missing is None
    assert inbox.turn(mark(10), Letter(), now_s) is Turn.TAKE


def test_wishes_arrive_as_they_were_told():
    wishes = {
        "one": Wish(game="kaisa", is_stopped=False, heard={"a": 7}, missing=mark(8)),
        "two": Wish(game="small-pyramid", is_stopped=True, heard={}),
    }
    body = json.dumps({name: wish.to_json() for name, wish in wishes.items()}).encode()
    assert read_wishes(body, "north") == wishes
    for odd in (b"", b"[]", b'{"one": 1}', b'{"one": {"game": "kaisa"}}'):
        with pytest.raises(ValueError, match=r"."):
            read_wishes(odd, "north")


def test_an_outbox_keeps_what_is_not_stored_elsewhere(tmp_path):
    outbox = Outbox.open(tmp_path / "o.sqlite")
    outbox.put("one", ["a", "b", "c"], 0)
    outbox.put("two", ["x"], 0)
    outbox.put("one", ["d"], 5)
    outbox.forget("one", 2)
    name = outbox.id
    outbox.close()
    outbox = Outbox.open(tmp_path / "o.sqlite")
    assert outbox.id == name
    assert [(kept.sequence, kept.body) for kept in outbox.after("one", 0, 10)] == [(3, "c"), (4, "d")]
    assert [kept.sequence for kept in outbox.after("one", 0, 1)] == [3]
    assert (outbox.strokes("one"), outbox.strokes("two"), outbox.strokes("none")) == (5, 0, 0)
    outbox.forget("one", 4)
    outbox.put("one", ["e"], 6)
    assert [kept.sequence for kept in outbox.after("one", 0, 10)] == [5]  # numbers are never given twice
    outbox.close()


def test_an_outbox_belongs_to_one_node_and_must_be_one(tmp_path):
    outbox = Outbox.open(tmp_path / "o.sqlite")
    with pytest.raises(OutboxError, match="another node"):
        Outbox.open(tmp_path / "o.sqlite")
    outbox.close()
    (tmp_path / "photo.sqlite").write_bytes(b"holiday" * 1000)
    with pytest.raises(OutboxError, match="move it away"):
        Outbox.open(tmp_path / "photo.sqlite")


def test_facts_wait_in_memory_while_the_outbox_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "node.toml").write_text(NODE)
    outbox = Outbox.open(tmp_path / "o.sqlite")
    node, put = Node(read_node(tmp_path / "node.toml"), outbox), outbox.put

    def full(*_):
        message = "the disk is full"
        raise OutboxError(message)

    monkeypatch.setattr(outbox, "put", full)
    node.receive("one", Seen(events=STROKE[:1]))
    node.receive("one", Seen(events=STROKE[1:]))
    monkeypatch.setattr(outbox, "put", put)
    node.receive("one", Lost())
    assert [json.loads(kept.body)["kind"] for kept in outbox.after("one", 0, 10)] == [*["seen"] * 4, "lost"]
    assert outbox.strokes("one") == 1
    outbox.close()


@pytest.fixture
def hub(tmp_path):
    url = f"sqlite:///{tmp_path / 'j.sqlite'}"
    table = TableConfig(id="one", name="One", source="events:none")
    clock_s = [100.0]
    hub = Hub(HallConfig(tables=(table,)), lambda: Journal.open(url), clock_s=lambda: clock_s[0])
    hub.open()
    hub.clock = clock_s
    yield hub
    hub.close()


def send(hub, events, first):
    for number, event in enumerate(events, start=first):
        hub.receive("one", Seen(events=(event,)), mark(number))


def test_an_open_stroke_is_not_counted_as_heard_until_it_is_stored(hub):
    hub.receive("one", Said(what=MATCH), mark(1))
    assert hub.journal.heard("one") == {"a": 1}
    send(hub, STROKE[:3], 2)
    hub.give("one", Announce(Call(ball=YELLOW, pocket=Pocket.RL, bank=False)))  # meanwhile somebody says something
    assert hub.journal.heard("one") == {"a": 1}
    send(hub, STROKE[3:], 5)
    assert hub.journal.heard("one") == {"a": 5}


def test_a_stroke_while_no_match_is_on_is_heard_too_and_never_counted_later(hub):
    send(hub, STROKE, 1)
    assert hub.journal.heard("one") == {"a": 4}
    hub.receive("one", Said(what=MATCH), mark(5))
    assert hub.tables["one"].match.records == ()


def test_what_could_not_be_stored_is_heard_only_when_it_is(hub, monkeypatch):
    hub.receive("one", Said(what=MATCH), mark(1))
    append = hub.journal.append

    def full(*_):
        message = "the disk is full"
        raise JournalError(message)

    monkeypatch.setattr(hub.journal, "append", full)
    send(hub, STROKE, 2)
    assert hub.tables["one"].heard == {"a": 1}
    monkeypatch.setattr(hub.journal, "append", append)
    hub.clock[0] += RETRY_S
    hub.tick()
    assert hub.tables["one"].heard == hub.journal.heard("one") == {"a": 5}
    assert len(hub.tables["one"].match.records) == 1


def test_stroke_and_mark_are_stored_together_or_not_at_all(hub):
    hub.receive("one", Said(what=MATCH), mark(1))
    with hub.journal._engine.begin() as connection:
        connection.exec_driver_sql("CREATE TRIGGER no_mark BEFORE UPDATE ON heard BEGIN SELECT RAISE(ABORT, 'no'); END")
    send(hub, STROKE, 2)
    assert len(list(hub.journal.read("one"))) == 1
    with sqlite3.connect(hub.journal._engine.url.database) as connection:
        assert connection.execute("SELECT sequence FROM heard").fetchall() == [(1,)]
    connection.close()


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('name = "north"', 'name = "North Pole"', "node.name"),
        ("nats://127.0.0.1:4222", "http://here", "broker.url"),
        ('id = "one"', 'id = "one"\ncolour = "green"', r"tables\[0\].colour: no such key"),
        ("events:play.jsonl", "node:south", "not another node"),
        ("events:play.jsonl", "rtsp://camera", "table_file is missing"),
        ('[broker]\nurl = "nats://127.0.0.1:4222"', "", "broker: is missing"),
    ],
)
def test_a_wrong_node_file_is_one_line_with_its_key(tmp_path, old, new, why):
    (tmp_path / "node.toml").write_text(NODE.replace(old, new))
    with pytest.raises(ConfigError, match=why) as caught:
        read_node(tmp_path / "node.toml")
    assert "\n" not in str(caught.value)


def test_a_node_files_paths_are_taken_from_its_folder(tmp_path):
    (tmp_path / "node.toml").write_text(NODE)
    node = read_node(tmp_path / "node.toml")
    assert node.node.outbox == tmp_path / "cuemarker-node.sqlite"
    assert node.tables[0].source == f"events:{tmp_path / 'play.jsonl'}"


@pytest.mark.parametrize(("source", "why"), [("node:north", "broker is missing"), ("node:No rth", "names no node")])
def test_a_hall_says_what_its_nodes_lack(source, why):
    with pytest.raises(ValueError, match=why):
        HallConfig(tables=(TableConfig(id="one", name="One", source=source),))


def test_without_the_client_the_extra_is_named(monkeypatch):
    from server.nodes.broker import check_client  # noqa: PLC0415

    monkeypatch.setitem(__import__("sys").modules, "nats", None)
    with pytest.raises(ServerError, match=r"cuemarker\[nats\]"):
        check_client()


def test_what_is_supposed_adds_up_and_what_is_newer_replaces(tmp_path):
    (tmp_path / "node.toml").write_text(NODE)
    outbox = Outbox.open(tmp_path / "o.sqlite")
    node = Node(read_node(tmp_path / "node.toml"), outbox)
    supposed, places = [Supposed(events=(event,)) for event in STROKE[:2]], [Places(t_s=t) for t in (1.0, 2.0)]
    for message in (supposed[0], places[0], supposed[1], places[1]):
        node.receive("one", message)
    assert list(node._passing.values()) == [supposed[0], places[1], supposed[1]]
    for _ in range(1000):  # nobody hears it
        node.receive("one", supposed[0])
    assert len(node._passing) < 300
    outbox.close()
