"""A node: runs its tables' processes, keeps their facts in its outbox, and sends them to the hall."""

import asyncio
import json
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from scoring.commands import StartMatch
from scoring.events import Rest, Strike
from scoring.table import Table
from server.calibration_orders import Question, Reply
from server.clips import store_of
from server.config import TableConfig
from server.evidence import LookAgain
from server.messages import Lost, Opened, Said, Seen, Started, Supposed, TableMessage, Vitals
from server.nodes import wire
from server.nodes.broker import BrokerLostError, Subjects, keep_connected, stream_of
from server.nodes.errand_runner import ErrandRunner
from server.nodes.errands import ErrandError, errand_from_bytes
from server.nodes.exchange import answer
from server.nodes.inbox import Wish, read_wishes
from server.nodes.node_file import NodeConfig
from server.nodes.outbox import Kept, Outbox, OutboxError
from server.tasks import cancelled, ended

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg

_AT_ONCE: Final = 50
_LOOK_S: Final = 0.5
_MOST_PASSING: Final = 200
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class NodeTable:
    """One table of a node."""

    config: TableConfig
    strokes: int = 0  # that the source has told in full
    sent: int = 0  # the last fact that the broker has
    wish: Wish | None = None
    looks_at: Table | None = None
    is_stroke_on: bool = False
    unwritten: deque[str] = field(default_factory=deque)  # facts that the disk did not take yet

    def count(self, message: TableMessage) -> None:
        """Count the strokes, for a source that is made up and is started again."""
        match message:
            case Seen():
                for event in message.events:
                    if isinstance(event, Strike):
                        self.is_stroke_on = True
                    elif isinstance(event, Rest):
                        self.strokes += self.is_stroke_on
                        self.is_stroke_on = False
            case Said(what=StartMatch()):
                self.strokes = 0
            case Started() | Lost():
                self.is_stroke_on = False
            case Opened():
                self.looks_at, self.is_stroke_on = message.table, False
            case _:
                pass


class Node:
    """Whom the tables' processes of this machine belong to."""

    def __init__(self, config: NodeConfig, outbox: Outbox, look_again: LookAgain | None = None) -> None:
        self.config = config
        tables = {table.id: table for table in config.tables}
        self.errands = ErrandRunner(tables=tables, store=store_of(config.evidence), look_again=look_again)
        self.tables = {table.id: NodeTable(config=table, strokes=outbox.strokes(table.id)) for table in config.tables}
        self._outbox = outbox
        self._subjects = Subjects(config.broker)
        self._passing: dict[tuple[str, object], TableMessage] = {}
        self._news, self._facts = asyncio.Event(), asyncio.Event()
        self._trouble = ""
        self._doing: set[asyncio.Task[None]] = set()

    def is_stopped(self, table_id: str) -> bool:
        """Whether the hall's staff wants a table not to be watched."""
        wish = self.tables[table_id].wish
        return wish is not None and wish.is_stopped

    def game_of(self, table_id: str) -> str:
        """The game that the hall says is played; until it is heard, the node file's."""
        table = self.tables[table_id]
        return table.config.default.game if table.wish is None else table.wish.game

    def strokes_played(self, table_id: str) -> int:
        """How many strokes a source that is made up need not tell again."""
        return self.tables[table_id].strokes

    def process_started(self, table_id: str, ask: Callable[[Question], None]) -> None:
        """A table's process has been started, which may be asked."""
        self.errands.lines[table_id].connect(ask)
        self.receive(table_id, Started())

    def process_stopped(self, table_id: str) -> None:
        """A table's process has been ended because nobody wants it: the hall knows, it said so."""
        self.errands.lines[table_id].cut()

    def process_lost(self, table_id: str) -> None:
        """A table's process has died or been killed."""
        self.errands.lines[table_id].cut()
        self.receive(table_id, Lost())

    def receive(self, table_id: str, message: TableMessage) -> None:
        """Take what a table's process says: facts to the disk, the rest to whoever listens this moment."""
        if isinstance(message, Reply):
            self.errands.lines[table_id].hear(message)
            return
        table = self.tables[table_id]
        table.count(message)
        table.unwritten.extend(json.dumps(fact, ensure_ascii=False) for fact in wire.facts(message))
        if table.unwritten:
            self._write(table)
        elif self._trouble and isinstance(message, Vitals):
            self._pass(table_id, Vitals(picture_ns=message.picture_ns, trouble="failed", detail=self._trouble))
        else:
            self._pass(table_id, message)

    async def run(self) -> None:
        """Send for ever."""
        await keep_connected(self.config.broker, f"node {self.config.node.name}", self._send)

    async def write_again(self) -> None:
        """Write what the disk did not take, for ever."""
        while True:
            await asyncio.sleep(_LOOK_S)
            for table in self.tables.values():
                if table.unwritten:
                    self._write(table)

    def _write(self, table: NodeTable) -> None:
        """Write facts to the outbox; they wait in memory while it cannot be written."""
        try:
            self._outbox.put(table.config.id, table.unwritten, table.strokes)
        except OutboxError as error:
            if not self._trouble:
                _log.error("%s", error)
            self._trouble = str(error)
            return
        self._trouble = ""
        table.unwritten.clear()
        self._facts.set()

    def _pass(self, table_id: str, message: TableMessage) -> None:
        """The newest word of a kind replaces the one that was not sent in time; what is supposed adds up."""
        if not isinstance(message, Supposed):
            self._passing[table_id, type(message)] = message
        elif len(self._passing) < _MOST_PASSING:
            self._passing[table_id, len(self._passing)] = message
        self._news.set()

    async def _send(self, client: "Client", lost: asyncio.Event) -> None:
        """Send until the connection is lost."""
        await client.subscribe(self._subjects.wishes(self.config.node.name), cb=self._take_wishes)

        async def take_errand(letter: "Msg") -> None:
            doing = asyncio.create_task(self._do_errand(client, letter), name="errand")
            self._doing.add(doing)
            doing.add_done_callback(self._doing.discard)

        await client.subscribe(self._subjects.errands(self.config.node.name), cb=take_errand)
        stream = await stream_of(client, self._subjects)
        self._passing.clear()
        works = [asyncio.create_task(work) for work in (self._send_passing(client), self._send_facts(stream))]
        over = asyncio.create_task(lost.wait())
        try:
            await asyncio.wait([*works, over], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (*works, over):
                await ended(task)
        for task in works:
            if not task.cancelled() and (error := task.exception()):
                raise error
        message = "the connection was lost"
        raise BrokerLostError(message)

    async def _send_facts(self, stream: Any) -> None:  # noqa: ANN401 (a class of an extra)
        """Send every table's facts in order; a fact counts as sent when the broker has it on its disk."""
        while True:
            self._facts.clear()
            is_more = False
            for table_id, table in self.tables.items():
                kept = self._outbox.after(table_id, table.sent, _AT_ONCE)
                await asyncio.gather(*(self._publish(stream, table_id, fact) for fact in kept))
                if kept:
                    table.sent, is_more = kept[-1].sequence, True
            if not is_more:
                await self._facts.wait()

    async def _publish(self, stream: Any, table_id: str, fact: Kept) -> None:  # noqa: ANN401 (as above)
        outbox, number = self._outbox.id, str(fact.sequence)
        headers = {"Cuemarker-Outbox": outbox, "Cuemarker-Sequence": number}
        headers["Nats-Msg-Id"] = f"{outbox}.{table_id}.{number}"
        await stream.publish(self._subjects.facts(self.config.node.name, table_id), fact.body.encode(), headers=headers)

    async def _send_passing(self, client: "Client") -> None:
        """Send what is true for a moment only."""
        while True:
            await self._news.wait()
            self._news.clear()
            passing, self._passing = self._passing, {}
            for (table_id, _), message in passing.items():
                record = wire.passing(message, self.tables[table_id].looks_at)
                if record is not None:
                    subject = self._subjects.passing(self.config.node.name, table_id)
                    await client.publish(subject, json.dumps(record).encode())

    async def _do_errand(self, client: "Client", letter: "Msg") -> None:
        """Do what the hall asks for; when the answer cannot be sent, the hall asks again."""
        from nats.errors import Error  # noqa: PLC0415 (an extra)

        try:
            await answer(client, letter, await self.errands.run(errand_from_bytes(letter.data)))
        except ErrandError as error:
            _log.warning("%s", error)
        except (Error, OSError, TimeoutError) as error:
            _log.info("an answer to the hall could not be sent: %s", error)

    async def _take_wishes(self, letter: "Msg") -> None:
        """Hear what the hall wants, and forget what it has stored."""
        try:
            wishes = read_wishes(letter.data, self.config.node.name)
        except ValueError as error:
            _log.warning("%s", error)
            return
        for table_id in wishes.keys() & self.tables.keys():
            table, wish = self.tables[table_id], wishes[table_id]
            table.wish = wish
            try:
                self._outbox.forget(table_id, wish.heard.get(self._outbox.id, 0))
            except OutboxError as error:
                _log.warning("%s", error)
            if wish.missing is not None and wish.missing.outbox == self._outbox.id:
                table.sent = min(table.sent, wish.missing.sequence - 1)  # the broker has forgotten it: sent anew
                self._facts.set()


@asynccontextmanager
async def open_node(config: NodeConfig) -> AsyncIterator[Node]:
    """Open a node: its outbox, a process per table, the connection to the hall.

    Raises:
        ServerError: The outbox cannot be used.
    """
    from server.compose import TableKeeper, look_again  # noqa: PLC0415 (it composes halls, of which we are a part)
    from server.table_process import TableTask  # noqa: PLC0415 (as above)

    async with AsyncExitStack() as stack:
        outbox = Outbox.open(config.node.outbox)
        stack.callback(outbox.close)
        node = Node(config, outbox, look_again)
        stack.push_async_callback(node.errands.close)
        for work in (node.run(), node.write_again()):
            stack.push_async_callback(cancelled, asyncio.create_task(work, name="node"))
        for table in config.tables:
            task = TableTask(config=table, evidence=config.evidence, log_format=config.node.log_format)
            keeper = TableKeeper(task=task, owner=node, whole_hall_finished=asyncio.Event())
            await stack.enter_async_context(keeper.kept())
        yield node
