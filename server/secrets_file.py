"""The hall's secret and each table's round of join codes: a small file that only the server may read."""

import contextlib
import json
import logging
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

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

    @classmethod
    def open(cls, path: Path | None) -> "SecretsFile":
        """Read the file, or make it."""
        if path is None:
            return cls()
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            rounds = {
                table: Round(number=int(number), ended_match_ns=int(ended))
                for table, (number, ended) in found["rounds"].items()
            }
            return cls(path=path, key=bytes.fromhex(found["key"]), rounds=rounds)
        except FileNotFoundError:
            made = cls(path=path)
            made.save()
            return made
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            _log.warning("%s cannot be used (%s): phones must join again after every start", path, type(error).__name__)
            return cls()

    def turn(self, table_id: str, ended_match_ns: int) -> None:
        """Make the table's join code invalid; the next one is valid."""
        now = self.rounds.get(table_id, Round())
        self.rounds[table_id] = Round(number=now.number + 1, ended_match_ns=ended_match_ns or now.ended_match_ns)
        self.save()

    def save(self) -> None:
        """Write the file so that a power cut leaves the old one or the new one."""
        if self.path is None:
            return
        rounds = {table: [one.number, one.ended_match_ns] for table, one in self.rounds.items()}
        fresh = self.path.with_name(f"{self.path.name}.new")
        try:
            with contextlib.suppress(FileNotFoundError):
                fresh.unlink()
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump({"key": self.key.hex(), "rounds": rounds}, file)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self.path)
        except OSError as error:
            _log.warning("%s cannot be written (%s): phones may have to join again", self.path, error.strerror)
