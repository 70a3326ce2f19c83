"""Webhooks: every event once or more, in order, signed, over refusals and restarts; nowhere but where the file says."""

import asyncio
import hashlib
import hmac
import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from scoring.balls import WHITE_1, YELLOW
from scoring.commands import Announce, Observe, RemoveShot, Retracted, StartMatch
from scoring.events import Contact, Potted, Rest, Strike
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.shots import Call, RefereeInput
from scoring.table import Pocket
from server.config import HallConfig, TableConfig, WebhookConfig
from server.hub import Hub
from server.journal import Journal
from server.messages import Seen
from server.metrics import metrics_text
from server.webhooks import FIRST_PAUSE_S, LONGEST_PAUSE_S, WebhookSender, signature

SECRET = "0123456789abcdef"
STROKE = (
    Strike(t_s=1, ball=WHITE_1),
    Contact(t_s=1.4, ball=WHITE_1, other=YELLOW),
    Potted(t_s=2, ball=YELLOW, pocket=Pocket.RL),
    Rest(t_s=3),
)
MATCH = StartMatch(Setup(game="kaisa", sides=singles("Anna", "Boris")), Beginning(phase=Phase.OPENING, shooter="Anna"))
CALL = Announce(Call(ball=YELLOW, pocket=Pocket.RL, bank=False))


class Receiver:
    """Takes messages; `answers` are the next statuses, 200 when there are none left."""

    def __init__(self):
        self.taken, self.tried, self.answers = [], 0, []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                receiver.tried += 1
                status = receiver.answers.pop(0) if receiver.answers else 200
                if status == 200:
                    receiver.taken.append((dict(self.headers), body))
                self.send_response(status)
                if 300 <= status < 400:
                    self.send_header("Location", f"http://127.0.0.1:{receiver.port}/elsewhere")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]

    @property
    def events(self):
        return [json.loads(body)["event"] for _, body in self.taken]


@pytest.fixture
def receiver():
    receiver = Receiver()
    serving = threading.Thread(target=receiver.server.serve_forever, args=(0.01,))
    serving.start()
    yield receiver
    receiver.server.shutdown()
    receiver.server.server_close()
    serving.join()


@pytest.fixture
def hall(database, receiver):
    @contextmanager
    def hall(**webhook):
        url = f"http://127.0.0.1:{receiver.port}/hook?league=1"
        config = WebhookConfig.model_validate({"name": "league", "url": url, "secret": SECRET} | webhook)
        tables = tuple(TableConfig(id=name, name=name.title(), source="events:none") for name in ("one", "two"))
        hub = Hub(HallConfig(tables=tables, webhooks=(config,)), lambda: Journal.open(database))
        hub.open()
        yield hub, WebhookSender(config=config, hub=hub)
        hub.close()

    return hall


def play(hub, table="one"):
    hub.give(table, MATCH, "key league")
    hub.give(table, CALL)
    hub.receive(table, Seen(events=STROKE))


def send_all(sender):
    async def send():
        while await sender.send_next():
            pass

    asyncio.run(send())


def test_a_match_is_told_event_by_event(hall, receiver):
    with hall() as (hub, sender):
        play(hub)
        hub.receive("one", Seen(events=STROKE))  # not called: asked about
        hub.give("one", RemoveShot(2))
        hub.give("one", Observe(RefereeInput(kind="concede", by="Boris")))
        send_all(sender)
    told = [json.loads(body) for _, body in receiver.taken]
    assert [one["event"] for one in told] == [
        *("match_started", "stroke", "stroke", "question", "correction", "correction", "match_over")
    ]
    assert told[1]["stroke"]["scores"] == {"Anna": 6, "Boris": 0}
    assert told[1]["match"]["scores"] == {"Anna": 6, "Boris": 0}
    assert told[3]["question"]["kind"] == "call"
    assert (told[4]["number"], told[4]["stroke"]) == (2, None)
    assert (told[-1]["match"]["winner"], told[-1]["match"]["phase"]) == ("Anna", "over")
    assert (told[0]["who"], told[0]["table"], told[0]["table_name"]) == ("key league", "one", "One")
    assert len({one["id"] for one in told}) == len(told)


def test_messages_are_signed_so_that_nobody_can_write_his_own(hall, receiver):
    with hall() as (hub, sender):
        play(hub)
        send_all(sender)
    for headers, body in receiver.taken:
        at, given = (part.split("=")[1] for part in headers["Cuemarker-Signature"].split(","))
        assert given == hmac.new(SECRET.encode(), f"{at}.{body}".encode(), hashlib.sha256).hexdigest()
        assert abs(int(at) - time.time()) < 60
        assert headers["Cuemarker-Event"] == json.loads(body)["event"]
    assert signature("another secret!!", 5, "{}") != signature(SECRET, 5, "{}")


def test_what_is_not_taken_is_sent_again_in_order_with_growing_pauses(hall, receiver):
    with hall() as (hub, sender):
        play(hub)
        receiver.answers = [500, 404, 200]
        pauses = []
        while len(receiver.taken) < 2:
            asyncio.run(sender.send_next())
            pauses.append(sender.pause_s)
        assert pauses == [FIRST_PAUSE_S, FIRST_PAUSE_S * 2, 0.0, 0.0]
        assert receiver.events == ["match_started", "stroke"]
        receiver.answers = [500] * 30
        hub.give("one", Retracted(3))
        for _ in range(15):
            asyncio.run(sender.send_next())
        assert sender.pause_s == LONGEST_PAUSE_S


def test_nothing_is_lost_by_a_restart(hall, receiver):
    with hall() as (hub, sender):
        play(hub)
        receiver.answers = [503]
        asyncio.run(sender.send_next())
    with hall() as (_, sender):
        send_all(sender)
    assert receiver.events == ["match_started", "stroke"]


def test_redirects_are_not_followed(hall, receiver):
    with hall() as (hub, sender):
        play(hub)
        receiver.answers = [307]
        assert asyncio.run(sender.send_next()) is False
        assert (receiver.tried, receiver.taken) == (1, [])


def test_nobody_there_is_a_reason_to_wait(hall, caplog):
    with hall(url="http://127.0.0.1:9/hook") as (hub, sender):
        play(hub)
        assert asyncio.run(sender.send_next()) is False
        assert hub.journal.count_messages() == {"league": 2}
        assert 'cuemarker_webhook_waiting{webhook="league"} 2' in metrics_text(hub)
    assert "no answer (ConnectionRefusedError" in caplog.text
    assert SECRET not in caplog.text


def test_after_days_a_message_is_given_up_and_that_is_said(hall, receiver, caplog):
    with hall() as (hub, sender):
        play(hub)
        receiver.answers = [500]
        sender.wall_s = lambda: time.time() + 4 * 24 * 3600
        assert asyncio.run(sender.send_next()) is True
        assert hub.journal.count_messages() == {"league": 1}
    assert "is given up: the answer was 500" in caplog.text


def test_only_the_events_and_tables_asked_for_are_told(hall, receiver):
    with hall(events=["stroke"], tables=["two"]) as (hub, sender):
        play(hub, "one")
        play(hub, "two")
        send_all(sender)
    assert [(json.loads(body)["table"], json.loads(body)["event"]) for _, body in receiver.taken] == [("two", "stroke")]


def test_a_hall_without_webhooks_stores_nothing_for_them(tmp_path):
    tables = (TableConfig(id="one", name="One", source="events:none"),)
    hub = Hub(HallConfig(tables=tables), lambda: Journal.open(f"sqlite:///{tmp_path / 'j.sqlite'}"))
    hub.open()
    play(hub)
    assert hub.journal.count_messages() == {}
    hub.close()


def test_the_open_hall_sends_by_itself(hall, receiver):
    with hall() as (hub, sender):

        async def live():
            sending = asyncio.create_task(sender.run())
            play(hub)
            deadline_s = time.monotonic() + 10
            while len(receiver.taken) < 2 and time.monotonic() < deadline_s:  # noqa: ASYNC110 (it is another thread)
                await asyncio.sleep(0.02)
            sending.cancel()

        asyncio.run(live())
    assert receiver.events == ["match_started", "stroke"]
