"""The append-only log of facts: what was seen and what was said. Rulings are never in it, they follow from it.

An entry is acknowledged only after its transaction is on the disk (SQLite: WAL, synchronous FULL). Whoever reopens
the journal after a power cut folds the same entries to the same state.
"""

import datetime as dt
import sys
import zlib
from collections.abc import Iterable, Sequence
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

if sys.platform != "win32":
    import fcntl

SCHEMA_VERSION = 1
_BUSY_MS = 2000

_metadata = sa.MetaData()
_about = sa.Table(
    "about", _metadata, sa.Column("key", sa.String(32), primary_key=True), sa.Column("value", sa.Text, nullable=False)
)
_entries = sa.Table(
    "entries",
    _metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("table_id", sa.String(32), nullable=False, index=True),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("written_at", sa.String(32), nullable=False),
    sa.Column("crc", sa.BigInteger, nullable=False),
    sqlite_autoincrement=True,
)


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
                _lock(engine.url.database, stack)
            try:
                _check_and_create(engine)
            except SQLAlchemyError as error:
                raise _translated(error, engine) from error
            return cls(engine, stack.pop_all())
        raise AssertionError  # pragma: no cover (ExitStack never swallows here)

    def append(self, table_id: str, facts: Sequence[Fact]) -> tuple[JournalEntry, ...]:
        """Write facts in one transaction; on return they are on the disk.

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
                        _entries.insert().values(crc=_crc(table_id, fact.kind, fact.body), **row)
                    )
                    key = result.inserted_primary_key
                    assert key is not None
                    written.append(JournalEntry(seq=int(key[0]), **row))
        except SQLAlchemyError as error:
            raise _translated(error, self._engine) from error
        return tuple(written)

    def read(self, table_id: str, first: int = 0, last: int | None = None) -> Iterable[JournalEntry]:
        """A table's entries in order, as far as their `seq` lies between first and last.

        Raises:
            JournalError: The journal cannot be read, or an entry is not what was written.
        """
        query = sa.select(_entries).where(_entries.c.table_id == table_id, _entries.c.seq >= first)
        query = (query if last is None else query.where(_entries.c.seq <= last)).order_by(_entries.c.seq)
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


def _lock(database: str | None, stack: ExitStack) -> None:
    """Hold the journal against a second server; the system lets go when the process dies, however it dies."""
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


def _check_and_create(engine: sa.Engine) -> None:
    """Make a new journal, or check an old one: whole, and of a version that we know."""
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
            if found != "ok":
                message = f"the journal {engine.url.database} is damaged ({found}); restore it from its copy"
                raise JournalError(message)
        known = sa.inspect(connection).has_table("about")
        version = connection.scalar(sa.select(_about.c.value).where(_about.c.key == "schema")) if known else None
    if version is None:
        with engine.begin() as connection:
            _metadata.create_all(connection)
            if engine.dialect.name == "sqlite":
                for action in ("UPDATE", "DELETE"):
                    connection.exec_driver_sql(
                        f"CREATE TRIGGER entries_no_{action.lower()} BEFORE {action} ON entries "
                        "BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END"
                    )
            connection.execute(_about.insert().values(key="schema", value=str(SCHEMA_VERSION)))
    elif version != str(SCHEMA_VERSION):
        message = f"the journal has version {version}, this program knows {SCHEMA_VERSION}; update cuemarker"
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
