"""The hall's secret and each table's round of join codes: a small file that only the server may read."""

import contextlib
import json
import logging
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from server.errors import JournalError
from server.journal import Journal

SHARED = "secrets"
"""The key under which the servers of one hall share what the file holds."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Which join code of a table is valid, and the start (ns) of the match that made the last one invalid."""

    number: int = 0
    ended_match_ns: int = 0


@dataclass(slots=True, kw_only=True)
class SecretsFile:
    """What the file holds; without a path, or when it cannot be written, it lasts as long as the server."""

    path: Path | None = None
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    rounds: dict[str, Round] = field(default_factory=dict)
    _journal: Callable[[], Journal | None] = lambda: None

    @classmethod
    def open(cls, path: Path | None) -> "SecretsFile":
        """Read the file, or make it."""
        if path is None:
            return cls()
        try:
            key, rounds = _read(path.read_text(encoding="utf-8"))
            return cls(path=path, key=key, rounds=rounds)
        except FileNotFoundError:
            made = cls(path=path)
            made.save()
            return made
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            _log.warning("%s cannot be used (%s): phones must join again after every start", path, type(error).__name__)
            return cls()

    def share(self, journal: Callable[[], Journal | None]) -> None:
        """Know what the hall's other servers know, and let them know what changes here."""
        self._journal = journal
        try:
            found = None if (opened := journal()) is None else opened.noted(SHARED)
        except JournalError as error:
            _log.warning("the codes of the hall's other servers cannot be read: phones must join again (%s)", error)
            return
        if found is not None:
            self.key, self.rounds = _read(found)
        self.save()

    def turn(self, table_id: str, ended_match_ns: int) -> None:
        """Make the table's join code invalid; the next one is valid."""
        now = self.rounds.get(table_id, Round())
        self.rounds[table_id] = Round(number=now.number + 1, ended_match_ns=ended_match_ns or now.ended_match_ns)
        self.save()

    def save(self) -> None:
        """Write the file so that a power cut leaves the old one or the new one."""
        rounds = {table: [one.number, one.ended_match_ns] for table, one in self.rounds.items()}
        text = json.dumps({"key": self.key.hex(), "rounds": rounds})
        if (journal := self._journal()) is not None:
            try:
                journal.note(SHARED, text)
            except JournalError as error:
                _log.warning(
                    "the codes cannot be shared: if another server takes over, phones must join again (%s)", error
                )
        if self.path is None:
            return
        fresh = self.path.with_name(f"{self.path.name}.new")
        try:
            with contextlib.suppress(FileNotFoundError):
                fresh.unlink()
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self.path)
        except OSError as error:
            _log.warning("%s cannot be written (%s): phones may have to join again", self.path, error.strerror)


def _read(text: str) -> tuple[bytes, dict[str, Round]]:
    """What a file holds, or the servers share."""
    found = json.loads(text)
    rounds = {
        table: Round(number=int(number), ended_match_ns=int(ended))
        for table, (number, ended) in found["rounds"].items()
    }
    return bytes.fromhex(found["key"]), rounds


def key_in(text: str) -> bytes:
    """The secret key in what the servers of a hall share."""
    return _read(text)[0]
