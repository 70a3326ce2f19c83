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
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry

from server.errors import JournalError
from server.journal_schema import ENTRIES, OUTBOX, bring_up_to_date

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
class WaitingMessage:
    """A message that has not been taken yet; `number` orders them and names them for good."""

    number: int
    message: Message
    written_at: str


class Journal:
    """An open journal; one process at a time, one thread at a time."""

    def __init__(self, engine: sa.Engine, held: ExitStack) -> None:
        self._engine = engine
        self._held = held

    @classmethod
    def open(cls, url: str) -> Self:
        """Open or create a journal and check that it is whole.

        Raises:
            JournalError: It is damaged, cannot be read, is used by another process, or is of a newer version.
        """
        with ExitStack() as stack:
            try:
                engine = sa.create_engine(url)
            except (ArgumentError, NoSuchModuleError, ImportError) as error:
                message = f"the journal's address {url!r} is not usable: {error}; see [server] database"
                raise JournalError(message) from error
            stack.callback(engine.dispose)
            if engine.dialect.name == "sqlite":
                event.listen(engine, "connect", _prepare_sqlite)
                hold_journal(engine.url.database, stack)
            try:
                _check(engine)
                bring_up_to_date(engine)
            except SQLAlchemyError as error:
                raise _translated(error, engine) from error
            return cls(engine, stack.pop_all())
        raise AssertionError  # pragma: no cover (ExitStack never swallows here)

    def append(
        self, table_id: str, facts: Sequence[Fact], messages: Sequence[Message] = ()
    ) -> tuple[JournalEntry, ...]:
        """Write facts, and the messages that tell of them, in one transaction; on return they are on the disk.

        Raises:
            JournalError: Nothing was written; the message says why (disk full, read-only, ...).
        """
        now = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
        written = []
        try:
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
        except SQLAlchemyError as error:
            raise _translated(error, self._engine) from error
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
            raise _translated(error, self._engine) from error

    def table_ids(self) -> tuple[str, ...]:
        """All tables that the journal has entries of.

        Raises:
            JournalError: The journal cannot be read.
        """
        try:
            with self._engine.connect() as connection:
                return tuple(connection.scalars(sa.select(ENTRIES.c.table_id).distinct().order_by(ENTRIES.c.table_id)))
        except SQLAlchemyError as error:
            raise _translated(error, self._engine) from error

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
            raise _translated(error, self._engine) from error
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
            raise _translated(error, self._engine) from error

    def forget_message(self, number: int) -> None:
        """A message has been taken, or is given up.

        Raises:
            JournalError: It could not be forgotten and will be sent again.
        """
        try:
            with self._engine.begin() as connection:
                connection.execute(OUTBOX.delete().where(OUTBOX.c.number == number))
        except SQLAlchemyError as error:
            raise _translated(error, self._engine) from error

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


def _translated(error: SQLAlchemyError, engine: sa.Engine) -> JournalError:
    """The database's complaint as one line that says what to do."""
    where = engine.url.render_as_string(hide_password=True).removeprefix("sqlite:///")
    text = " ".join(str(getattr(error, "orig", None) or error).split())
    advice = "see [server] database"
    for sign, known in (
        ("full", "free some space; nothing more is counted until then"),
        ("readonly", "make it writable; nothing more is counted until then"),
        ("I/O error", "check the disk; nothing more is counted until then"),
        ("malformed", "it is damaged: restore it from its copy"),
        ("not a database", "it is damaged or another file: restore it from its copy"),
    ):
        if sign in text:
            advice = known
            break
    return JournalError(f"the journal {where}: {text}; {advice}")
