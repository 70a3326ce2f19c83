"""What a node has seen and the hall has not stored yet, on the node's disk: written before it is sent."""

import sqlite3
import uuid
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from server.errors import JournalError, ServerError
from server.journal import hold_journal

_VERSION = "1"
_TABLES = """
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS tables (table_id TEXT PRIMARY KEY, last INTEGER NOT NULL, strokes INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS facts (
  table_id TEXT NOT NULL, sequence INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (table_id, sequence));
"""


class OutboxError(ServerError):
    """The outbox cannot be read or written; what is seen waits in memory meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A fact that waits: its number among its table's facts and its body (JSON)."""

    sequence: int
    body: str


class Outbox:
    """An open outbox; one process at a time, one thread at a time.

    `id` names it for good: a new file counts anew from 1, and the hall can tell the two apart.
    """

    def __init__(self, connection: sqlite3.Connection, held: ExitStack, path: Path) -> None:
        self._connection, self._held, self._path = connection, held, path
        self.id = self._about("id", uuid.uuid4().hex)
        if self._about("version", _VERSION) != _VERSION:
            message = f"{path} was written by another version of cuemarker; update this one"
            raise OutboxError(message)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open or create an outbox.

        Raises:
            ServerError: It is damaged, cannot be written, or another node uses it.
        """
        with ExitStack() as stack:
            try:
                hold_journal(str(path), stack)
            except JournalError as error:
                message = f"the outbox {path} cannot be used: its folder is not writable, or another node runs on it"
                raise OutboxError(message) from error
            try:
                connection = sqlite3.connect(path, isolation_level=None)
                stack.callback(connection.close)
                for pragma in ("journal_mode = WAL", "synchronous = FULL"):
                    connection.execute(f"PRAGMA {pragma}")
                connection.executescript(_TABLES)
                opened = cls(connection, stack, path)
                opened._held = stack.pop_all()
            except sqlite3.Error as error:
                message = f"the outbox {path} cannot be used ({error}); move it away to begin a new one"
                raise OutboxError(message) from error
            return opened
        raise AssertionError  # pragma: no cover (ExitStack never swallows here)

    def put(self, table_id: str, bodies: Iterable[str], strokes: int) -> None:
        """Write facts in one transaction, and how many strokes the table's source has told; on return it is on disk.

        Raises:
            OutboxError: Nothing was written.
        """
        try:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                last = self.last(table_id)
                for last, body in enumerate(bodies, start=last + 1):  # noqa: B020 (it goes on from where it was)
                    self._connection.execute("INSERT INTO facts VALUES (?, ?, ?)", (table_id, last, body))
                self._connection.execute("INSERT OR REPLACE INTO tables VALUES (?, ?, ?)", (table_id, last, strokes))
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def last(self, table_id: str) -> int:
        """The number of a table's newest fact, 0 before the first."""
        row = self._connection.execute("SELECT last FROM tables WHERE table_id = ?", (table_id,)).fetchone()
        return 0 if row is None else int(row[0])

    def strokes(self, table_id: str) -> int:
        """How many strokes the table's source has told."""
        row = self._connection.execute("SELECT strokes FROM tables WHERE table_id = ?", (table_id,)).fetchone()
        return 0 if row is None else int(row[0])

    def after(self, table_id: str, sequence: int, most: int) -> list[Kept]:
        """A table's facts that follow one, oldest first.

        Raises:
            OutboxError: They cannot be read.
        """
        query = "SELECT sequence, body FROM facts WHERE table_id = ? AND sequence > ? ORDER BY sequence LIMIT ?"
        try:
            rows = self._connection.execute(query, (table_id, sequence, most)).fetchall()
        except sqlite3.Error as error:
            raise self._failed(error) from error
        return [Kept(sequence=number, body=body) for number, body in rows]

    def forget(self, table_id: str, sequence: int) -> None:
        """The hall has stored a table's facts up to this one.

        Raises:
            OutboxError: They stay, and are forgotten later.
        """
        try:
            self._connection.execute("DELETE FROM facts WHERE table_id = ? AND sequence <= ?", (table_id, sequence))
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def close(self) -> None:
        """Let go of the file."""
        self._held.close()

    def _about(self, key: str, value: str) -> str:
        """What the file says of itself; said now if it never was."""
        self._connection.execute("INSERT OR IGNORE INTO about VALUES (?, ?)", (key, value))
        return str(self._connection.execute("SELECT value FROM about WHERE key = ?", (key,)).fetchone()[0])

    def _failed(self, error: sqlite3.Error) -> OutboxError:
        return OutboxError(f"the outbox {self._path}: {error}; free some space and check the disk")
