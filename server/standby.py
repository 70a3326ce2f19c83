"""A hall's other web servers: they bring their pages' connections to the one that leads, and one takes its place.

Who holds the journal on the database server leads: nobody else counts, watches cameras or tells other programs.
"""

import asyncio
import json
import logging
import re
import socket
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from server.config import HallConfig
from server.database import HOLD, engine_of
from server.errors import JournalError, JournalHeldError, Refusal
from server.hub import RETRY_S, Hub
from server.journal import Journal
from server.journal_schema import ABOUT
from server.peer_door import introduction
from server.secrets_file import SHARED, key_in
from server.service import keep_telling
from server.tasks import cancelled, stop_signal
from server.text import catalogue, choose_language

_LEADER: Final = "leader"
_LOOK_S: Final = 1.0
_CONNECT_S: Final = 2.0
_LONGEST_HEAD: Final = 65536
_IS_HELD: Final = sa.text(
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = :hold"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leader:
    """Where the server that leads is reached, and the hall's secret."""

    host: str
    port: int
    key: bytes


async def lead(hub: Hub) -> None:
    """Let the hall's other servers know that this one leads, until another one does."""
    told: Journal | None = None
    while not hub.is_superseded:
        if hub.journal is not None and hub.journal is not told:
            with suppress(JournalError):  # the hub finds out by itself, and opens the journal again
                hub.journal.note(_LEADER, hub.config.server.peer)
                told = hub.journal
        await asyncio.sleep(_LOOK_S)
    _log.error("another server leads the hall now; this one follows it")
    for table in hub.tables.values():
        if table.waiting and table.config.node is None:
            _log.error("table %s: %d entries were not stored: enter them by hand", table.config.id, len(table.waiting))


def follow(config: HallConfig, listening: socket.socket) -> Journal | None:
    """Bring connections to the hall's leader until there is none; this server leads then, with this journal.

    None: it was told to stop.
    """
    return asyncio.run(following(config, listening))


async def following(config: HallConfig, listening: socket.socket) -> Journal | None:
    """Do what `follow` does, on a loop that runs."""
    stopped, carrier = stop_signal(), Carrier(config)
    door = await asyncio.start_server(carrier.carry, sock=listening.dup(), limit=_LONGEST_HEAD)
    telling = asyncio.create_task(keep_telling(lambda: carrier.status), name="service manager")
    lookout = Lookout(config)
    try:
        while not stopped.is_set():
            journal = await asyncio.to_thread(lookout.look)
            if journal is not None:
                _log.info("this server leads the hall")
                return journal
            if carrier.leader != lookout.leader:
                carrier.leader = lookout.leader
                _log.info("%s", carrier.status)
            with suppress(TimeoutError):
                await asyncio.wait_for(stopped.wait(), _LOOK_S)
        return None
    finally:
        await cancelled(telling)
        door.close()
        await carrier.close()
        lookout.close()


class Lookout:
    """Looks who leads, and takes the place when it is free."""

    def __init__(self, config: HallConfig) -> None:
        self._server = config.server
        self.leader: Leader | None = None
        self._engine = engine_of(config.server.database)
        self._wait = 0  # looks: after the database server was away, the one that led before it comes first

    def look(self) -> Journal | None:
        """Look once; a journal when this server leads now."""
        try:
            with self._engine.connect() as connection:
                is_held = bool(connection.scalar(_IS_HELD, {"hold": HOLD}))
                rows = connection.execute(sa.select(ABOUT.c.key, ABOUT.c.value)) if is_held else ()
                said = {row.key: row.value for row in rows}
        except SQLAlchemyError as error:
            if not self._wait:
                _log.warning("the database server is away: %s", " ".join(str(error).split())[:200])
            self._wait, self.leader = round(2 * RETRY_S / _LOOK_S), None
            return None
        where, secrets = said.get(_LEADER, ""), said.get(SHARED)
        if where and secrets and where != self._server.peer:
            host, _, port = where.rpartition(":")
            self.leader = Leader(host=host.strip("[]"), port=int(port), key=key_in(secrets))
        else:
            self.leader = None
        if is_held or self._wait:
            self._wait = 0 if is_held else self._wait - 1
            return None
        try:
            return Journal.open(self._server.database)
        except JournalHeldError:
            return None  # another one was faster
        except JournalError as error:
            _log.error("%s", error)
            return None

    def close(self) -> None:
        """Let go of the database server."""
        self._engine.dispose()


@dataclass(slots=True)
class Carrier:
    """Carries connections to the leader; says in one sentence when there is none."""

    config: HallConfig
    leader: Leader | None = None
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def status(self) -> str:
        """What this server does, in a few words."""
        if self.leader is None:
            return "nobody leads the hall"
        return f"the hall is led by {self.leader.host}:{self.leader.port}; this server takes over when that is gone"

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one connection until either end has gone."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._writers.add(writer)
        try:
            await self._carry(reader, writer)
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            _log.debug("a connection has ended: %s", error)
        finally:
            self._writers.discard(writer)
            writer.close()
            self._tasks.discard(task)

    async def close(self) -> None:
        """End what is under way."""
        for writer in self._writers:
            writer.transport.abort()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        leader = self.leader
        try:
            if leader is None:
                raise ConnectionRefusedError
            opening = asyncio.open_connection(leader.host, leader.port)
            far_reader, far_writer = await asyncio.wait_for(opening, _CONNECT_S)
        except (OSError, TimeoutError):
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _CONNECT_S)
            writer.write(self._nobody(head))
            await writer.drain()
            return
        self._writers.add(far_writer)
        try:
            far_writer.write(introduction(str(writer.get_extra_info("peername")[0]), leader.key))
            ways = [asyncio.create_task(_pump(*way)) for way in ((reader, far_writer), (far_reader, writer))]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
        finally:
            self._writers.discard(far_writer)
            far_writer.close()

    def _nobody(self, head: bytes) -> bytes:
        """The answer when nobody leads: it is tried again by itself."""
        spoken = re.search(rb"(?im)^accept-language: *([^\r\n]*)", head)
        accepted = spoken[1].decode("ascii", "replace") if spoken else None
        words = catalogue(choose_language(None, self.config.server.language, accepted))
        said, kind = words.say(Refusal.NO_LEADER), b"text/plain"
        if not re.search(rb"(?im)^accept:.*text/html", head):
            said, kind = json.dumps({"detail": said}), b"application/json"
        body = said.encode()
        return (
            b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: %b; charset=utf-8\r\nRetry-After: 1\r\n"
            b"Refresh: 2\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n"
            b"Content-Length: %d\r\n\r\n%b" % (kind, len(body), body)
        )


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Carry one way until it ends; who reads slowly slows down who writes."""
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
