"""The append-only log of facts: what was seen and what was said. Rulings are never in it, they follow from it.

An entry is acknowledged only after its transaction is on the disk (SQLite: WAL, synchronous FULL). Whoever reopens
the journal after a power cut folds the same entries to the same state.
"""

import datetime as dt
import sys
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from server.database import engine_of, hold_server, translated
from server.errors import JournalError
from server.journal_schema import ABOUT, ENTRIES, HEARD, OUTBOX, bring_up_to_date

if sys.platform != "win32":
    import fcntl

_BUSY_MS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One fact: `kind` says how to read `body` (JSON); `seq` orders all tables' entries."""

    seq: int
    table_id: str
    kind: str
    body: str
    written_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What is to be written."""

    kind: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What a webhook is to be told: an event's kind and its body (JSON)."""

    webhook: str
    event: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A node's fact: the outbox that it comes from, and its number among its table's facts there."""

    node: str
    outbox: str
    sequence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingMessage:
    """A message that has not been taken yet; `number` orders them and names them for good."""

    number: int
    message: Message
    written_at: str


class Journal:
    """An open journal; one process at a time, one thread at a time."""

    def __init__(self, engine: sa.Engine, held: ExitStack, guard: sa.Connection | None) -> None:
        self._engine = engine
        self._held = held
        self._guard = guard  # holds a database server's journal for us for as long as it lasts

    @classmethod
    def open(cls, url: str) -> Self:
        """Open or create a journal and check that it is whole.

        Raises:
            JournalError: It is damaged, cannot be read, is used by another process, or is of a newer version.
        """
        with ExitStack() as stack:
            engine = engine_of(url)
            stack.callback(engine.dispose)
            if engine.dialect.name == "sqlite":
                event.listen(engine, "connect", _prepare_sqlite)
                hold_journal(engine.url.database, stack)
            try:
                guard = hold_server(engine, stack) if engine.dialect.name == "postgresql" else None
                _check(engine)
                bring_up_to_date(engine)
            except SQLAlchemyError as error:
                raise translated(error, engine) from error
            return cls(engine, stack.pop_all(), guard)
        raise AssertionError  # pragma: no cover (ExitStack never swallows here)

    @property
    def is_served(self) -> bool:
        """Whether it is on a database server: then a failure may have come after the commit."""
        return self._engine.dialect.name != "sqlite"

    def append(
        self, table_id: str, facts: Sequence[Fact], messages: Sequence[Message] = (), mark: Mark | None = None
    ) -> tuple[JournalEntry, ...]:
        """Write facts, and the messages that tell of them, in one transaction; on return they are on the disk.

        `mark` is the node's fact from which they follow.

        Raises:
            JournalError: Nothing was written; the message says why (disk full, read-only, ...).
        """
        now = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
        written = []
        try:
            if self._guard is not None:
                self._guard.exec_driver_sql("SELECT 1")
            with self._engine.begin() as connection:
                for fact in facts:
                    row = {"table_id": table_id, "kind": fact.kind, "body": fact.body, "written_at": now}
                    result = connection.execute(
                        ENTRIES.insert().values(crc=_crc(table_id, fact.kind, fact.body), **row)
                    )
                    key = result.inserted_primary_key
                    assert key is not None
                    written.append(JournalEntry(seq=int(key[0]), **row))
                for message in messages:
                    connection.execute(
                        OUTBOX.insert().values(
                            webhook=message.webhook, event=message.event, body=message.body, written_at=now
                        )
                    )
                if mark is not None:
                    _note(connection, table_id, mark)
        except SQLAlchemyError as error:
            raise translated(error, self._engine) from error
        return tuple(written)

    def read(self, table_id: str, first: int = 0, last: int | None = None) -> Iterable[JournalEntry]:
        """A table's entries in order, as far as their `seq` lies between first and last.

        Raises:
            JournalError: The journal cannot be read, or an entry is not what was written.
        """
        query = sa.select(ENTRIES).where(ENTRIES.c.table_id == table_id, ENTRIES.c.seq >= first)
        query = (query if last is None else query.where(ENTRIES.c.seq <= last)).order_by(ENTRIES.c.seq)
        try:
            with self._engine.connect() as connection:
                for row in connection.execute(query):
                    if row.crc != _crc(row.table_id, row.kind, row.body):
                        message = f"entry {row.seq} of the journal is damaged; restore the journal from its copy"
                        raise JournalError(message)
                    yield JournalEntry(
                        seq=row.seq, table_id=row.table_id, kind=row.kind, body=row.body, written_at=row.written_at
                    )
        except SQLAlchemyError as error:
            raise translated(error, self._engine) from error

    def note_heard(self, table_id: str, mark: Mark) -> None:
        """A node's facts up to this one are dealt with, and nothing followed from them.

        Raises:
            JournalError: It could not be noted.
        """
        try:
            with self._engine.begin() as connection:
                _note(connection, table_id, mark)
        except SQLAlchemyError as error:
            raise translated(error, self._engine) from error

    def heard(self, table_id: str) -> dict[str, int]:
        """How far the facts of each outbox are dealt with.

        Raises:
            JournalError: The journal cannot be read.
        """
        query = sa.select(HEARD.c.outbox, HEARD.c.sequence).where(HEARD.c.table_id == table_id)
        try:
            with self._engine.connect() as connection:
                return {row.outbox: row.sequence for row in connection.execute(query)}
        except SQLAlchemyError as error:
            raise translated(error, self._engine) from error

    def table_ids(self) -> tuple[str, ...]:
        """All tables that the journal has entries of.

        Raises:
            JournalError: The journal cannot be read.
        """
        try:
            with self._engine.connect() as connection:
                return tuple(connection.scalars(sa.select(ENTRIES.c.table_id).distinct().order_by(ENTRIES.c.table_id)))
        except SQLAlchemyError as error:
            raise translated(error, self._engine) from error

    def next_message(self, webhook: str) -> WaitingMessage | None:
        """The oldest message that a webhook has not taken.

        Raises:
            JournalError: The journal cannot be read.
        """
        query = sa.select(OUTBOX).where(OUTBOX.c.webhook == webhook).order_by(OUTBOX.c.number).limit(1)
        try:
            with self._engine.connect() as connection:
                row = connection.execute(query).first()
        except SQLAlchemyError as error:
            raise translated(error, self._engine) from error
        if row is None:
            return None
        message = Message(webhook=row.webhook, event=row.event, body=row.body)
        return WaitingMessage(number=row.number, message=message, written_at=row.written_at)

    def count_messages(self) -> Mapping[str, int]:
        """How many messages wait for each webhook.

        Raises:
            JournalError: The journal cannot be read.
        """
        query = sa.select(OUTBOX.c.webhook, sa.func.count().label("waiting")).group_by(OUTBOX.c.webhook)
        try:
            with self._engine.connect() as connection:
                return {row.webhook: row.waiting for row in connection.execute(query)}
        except SQLAlchemyError as error:
            raise translated(error, self._engine) from error

    def forget_message(self, number: int) -> None:
        """A message has been taken, or is given up.

        Raises:
            JournalError: It could not be forgotten and will be sent again.
        """
        try:
            with self._engine.begin() as connection:
                connection.execute(OUTBOX.delete().where(OUTBOX.c.number == number))
        except SQLAlchemyError as error:
            raise translated(error, self._engine) from error

    def noted(self, key: str) -> str | None:
        """What the hall's servers tell one another under a key.

        Raises:
            JournalError: The journal cannot be read.
        """
        try:
            with self._engine.connect() as connection:
                return connection.scalar(sa.select(ABOUT.c.value).where(ABOUT.c.key == key))
        except SQLAlchemyError as error:
            raise translated(error, self._engine) from error

    def note(self, key: str, value: str) -> None:
        """Tell the hall's other servers something; it replaces what was told under this key before.

        Raises:
            JournalError: It could not be stored.
        """
        try:
            with self._engine.begin() as connection:
                connection.execute(ABOUT.delete().where(ABOUT.c.key == key))
                connection.execute(ABOUT.insert().values(key=key, value=value))
        except SQLAlchemyError as error:
            raise translated(error, self._engine) from error

    def close(self) -> None:
        """Let go of the database."""
        self._held.close()

    def __enter__(self) -> Self:
        """Use as a context manager."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close."""
        del kind, error, traceback
        self.close()


def _note(connection: sa.Connection, table_id: str, mark: Mark) -> None:
    """Write how far an outbox is dealt with."""
    here = (HEARD.c.outbox == mark.outbox) & (HEARD.c.table_id == table_id)
    if connection.execute(HEARD.update().where(here).values(sequence=mark.sequence)).rowcount == 0:
        connection.execute(
            HEARD.insert().values(outbox=mark.outbox, table_id=table_id, node=mark.node, sequence=mark.sequence)
        )


def _prepare_sqlite(connection: DBAPIConnection, record: ConnectionPoolEntry) -> None:
    """Set what makes a commit survive a power cut."""
    del record
    cursor = connection.cursor()
    for pragma in (f"busy_timeout = {_BUSY_MS}", "journal_mode = WAL", "synchronous = FULL"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def hold_journal(database: str | None, stack: ExitStack) -> None:
    """Hold the journal against a second server; the system lets go when the process dies, however it dies.

    Raises:
        JournalError: Another one holds it, or its folder cannot be written.
    """
    if not database or database == ":memory:" or database.startswith("file:"):
        return
    path = Path(f"{database}.lock")
    try:
        handle: IO[bytes] = stack.enter_context(path.open("ab"))
    except OSError as error:
        message = f"the journal's folder {path.parent} cannot be written ({error.strerror}); see [server] database"
        raise JournalError(message) from error
    try:
        if sys.platform != "win32":  # there the port alone guards the journal
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        message = f"the journal {database} is in use by another cuemarker; stop that one first"
        raise JournalError(message) from error


def _check(engine: sa.Engine) -> None:
    """Refuse a file that is torn."""
    if engine.dialect.name != "sqlite":
        return
    with engine.connect() as connection:
        found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
    if found != "ok":
        message = f"the journal {engine.url.database} is damaged ({found}); restore it from its copy"
        raise JournalError(message)


def _crc(table_id: str, kind: str, body: str) -> int:
    return zlib.crc32(f"{table_id}\0{kind}\0{body}".encode())
