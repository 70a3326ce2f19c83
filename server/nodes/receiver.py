"""The hall's side: takes what nodes send, and lets the broker forget a fact when what follows from it is stored."""

import asyncio
import json
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from server.config import BrokerConfig
from server.hub import Hub
from server.journal import Mark
from server.messages import Vitals
from server.nodes import wire
from server.nodes.asker import NodeAsker
from server.nodes.broker import BrokerLostError, Subjects, keep_connected, stream_of
from server.nodes.inbox import Inbox, Turn, Wish

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg

_SILENT_S: Final = 3.0
_WISH_S: Final = 1.0
_LOOK_S: Final = 0.25
_BATCH: Final = 200
_AGAIN_S: Final = 5.0  # a fact that is not acknowledged comes again after so long
_MOST_OPEN: Final = 20_000
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class NodeReceiver:
    """Hears the nodes of a hall."""

    config: BrokerConfig
    hub: Hub
    asker: NodeAsker = field(init=False)
    _subjects: Subjects = field(init=False)
    _inboxes: dict[str, Inbox] = field(default_factory=dict)
    _newest: dict[tuple[str, str], Mark] = field(default_factory=dict)
    _heard_s: dict[str, float] = field(default_factory=dict)
    _strangers: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Derive the subjects."""
        self._subjects = Subjects(self.config)
        self.asker = NodeAsker(self._subjects)

    async def run(self) -> None:
        """Hear for ever."""
        for table_id, node in self._tables().items():
            self.asker.connect(self.hub.tables[table_id], node)
        await keep_connected(self.config, "hall", self._hear)

    async def watch_silence(self) -> None:
        """Tell of nodes that are not heard of, for ever."""
        self._heard_s = dict.fromkeys(self._tables(), self.hub.clock_s())
        while True:
            await asyncio.sleep(_LOOK_S)
            for table_id, node in self._tables().items():
                if self.hub.clock_s() - self._heard_s[table_id] > _SILENT_S:
                    self.hub.process_stopped(table_id)
                    detail = f"node {node} is not heard of: does it run, and is the network well?"
                    self.hub.receive(table_id, Vitals(picture_ns=None, trouble="no_picture", detail=detail))

    def _tables(self) -> dict[str, str]:
        """The tables that nodes watch, each with its node."""
        return {table.id: table.node for table in self.hub.config.tables if table.node is not None}

    async def _hear(self, client: "Client", lost: asyncio.Event) -> None:
        """Hear until the connection is lost."""
        from nats.js.api import ConsumerConfig  # noqa: PLC0415 (an extra)

        stream = await stream_of(client, self._subjects)
        for table_id, node in self._tables().items():
            await client.subscribe(self._subjects.passing(node, table_id), cb=self._take_passing)
        letters = await stream.pull_subscribe(
            self._subjects.all_facts,
            durable="hall",
            stream=self._subjects.stream,
            config=ConsumerConfig(ack_wait=_AGAIN_S, max_ack_pending=_MOST_OPEN, max_deliver=-1),
        )
        self.asker.client, wished_s = client, 0.0
        while not lost.is_set():
            if self.hub.journal is None:
                await asyncio.sleep(_LOOK_S)
            else:
                try:
                    for letter in await letters.fetch(_BATCH, timeout=_LOOK_S):
                        await self._take(letter)
                except TimeoutError:
                    pass  # there was none
            await self._acknowledge()
            if self.hub.clock_s() - wished_s >= _WISH_S:
                wished_s = self.hub.clock_s()
                await self._wish(client)
        message = "the connection was lost"
        raise BrokerLostError(message)

    async def _take(self, letter: "Msg") -> None:
        """Take a fact, or leave it with the broker until its turn comes."""
        node, table_id = letter.subject.split(".")[-2:]
        headers = letter.headers or {}
        try:
            mark = Mark(node=node, outbox=headers["Cuemarker-Outbox"], sequence=int(headers["Cuemarker-Sequence"]))
            message, _ = wire.read(letter.data)
        except (wire.WireError, KeyError, ValueError) as error:
            _log.error("node %s, table %s: a fact cannot be read and is left out: %s", node, table_id, error)
            await letter.term()
            return
        if self._tables().get(table_id) != node:
            if letter.subject not in self._strangers:
                _log.error("node %s sends facts of table %s, which the hall file gives to another", node, table_id)
            self._strangers.add(letter.subject)
            await letter.term()
            return
        inbox = self._inbox(table_id)
        expected = inbox.missing
        match inbox.turn(mark, letter, self.hub.clock_s()):
            case Turn.TAKE:
                if expected is not None and expected.outbox == mark.outbox and expected.sequence < mark.sequence:
                    _log.error("table %s: facts %d to %d are lost", table_id, expected.sequence, mark.sequence - 1)
                    self.hub.process_started(table_id)
                self._newest[table_id, mark.outbox] = mark
                self.hub.receive(table_id, message, mark)
            case Turn.EARLY:
                await letter.nak(delay=1)
            case Turn.TAKEN | Turn.STORED:
                pass

    async def _acknowledge(self) -> None:
        """Let the broker forget what is dealt with."""
        for (table_id, _), mark in self._newest.items():
            self.hub.note_heard(table_id, mark)  # where that failed before
        for inbox in self._inboxes.values():
            for letter in inbox.stored_letters():
                await letter.ack()

    async def _take_passing(self, letter: "Msg") -> None:
        """Take what is true for a moment only."""
        node, table_id = letter.subject.split(".")[-2:]
        try:
            message, looks_at = wire.read(letter.data)
        except wire.WireError as error:
            _log.warning("node %s, table %s: %s", node, table_id, error)
            return
        live = self.hub.tables[table_id].live
        self._heard_s[table_id], live.is_running = self.hub.clock_s(), True
        if live.table is None:  # the hall has been opened anew since the camera was
            live.table = looks_at
        self.hub.receive(table_id, message)

    def _inbox(self, table_id: str) -> Inbox:
        """A table's inbox; the hub's opening of its journal replaces what is heard."""
        inbox = self._inboxes.setdefault(table_id, Inbox(heard={}))
        inbox.heard = self.hub.tables[table_id].heard
        return inbox

    async def _wish(self, client: "Client") -> None:
        """Tell every node what is wanted and what is stored."""
        wishes: dict[str, dict[str, Any]] = {}
        for table_id, node in self._tables().items():
            inbox = self._inbox(table_id)
            wishes.setdefault(node, {})[table_id] = Wish(
                game=self.hub.game_of(table_id),
                is_stopped=self.hub.is_stopped(table_id),
                heard=inbox.heard if self.hub.journal is not None else {},
                missing=inbox.missing,
            ).to_json()
        for node, wish in wishes.items():
            await client.publish(self._subjects.wishes(node), json.dumps(wish).encode())
