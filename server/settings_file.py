"""The hall file as staff edits it in a browser: checked before it is written, comments kept, the last good one kept.

Who may do what, and where things are sent or kept, is changed only by whoever can edit the file itself.
"""

import hashlib
import os
import tempfile
import tomllib
from collections.abc import MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import tomlkit
from pydantic import ValidationError
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT

from server.config import HallConfig, TableConfig, faults_of
from server.errors import ConfigError
from server.hall_schemas import SettingsIn, SettingsOut, TableSettings
from server.redaction import HIDDEN, redacted

LAST_GOOD: Final = ".last-good"
_Section = MutableMapping[str, Any]


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A hall file that staff may change."""

    path: Path

    def read(self) -> SettingsOut:
        """What may be changed, as it is written; passwords in addresses are hidden.

        Raises:
            ConfigError: The file cannot be read, or is wrong already.
        """
        text, _, hall = self._content()
        return SettingsOut(
            version=_version(text),
            language=hall.server.language,
            public_url=hall.server.public_url,
            tables=[
                TableSettings(
                    id=table.id,
                    name=table.name,
                    source=redacted(table.source),
                    table_file=str(table.table_file or ""),
                    game=table.default.game,
                    players=list(table.default.players),
                    sensors=redacted(table.sensors.url) if table.sensors else "",
                    ask_below=table.ask_below,
                )
                for table in hall.tables
            ],
        )

    def write(self, wished: SettingsIn) -> None:
        """Write what staff wishes; the file as it was is kept beside it.

        Raises:
            ConfigError: Something is wrong with it, or the file has been changed meanwhile; nothing was written.
        """
        text, document, hall = self._content()
        if wished.version != _version(text):
            message = "the hall file has been changed by somebody else meanwhile: look at it again"
            raise ConfigError(message)
        ids = [table.id for table in wished.tables]
        if len(set(ids)) < len(ids):
            message = f"tables: an id is used twice ({', '.join(ids)})"
            raise ConfigError(message)
        before = {table.id: table for table in hall.tables}
        if "server" not in document and (wished.language or wished.public_url):
            document["server"] = tomlkit.table()
        server = document.get("server", {})
        _put(server, "language", wished.language)
        _put(server, "public_url", wished.public_url or None)
        tables = document["tables"]
        for index in reversed(range(len(tables))):
            if tables[index]["id"] not in ids:
                del tables[index]
        written = {table["id"]: table for table in tables}
        for table in wished.tables:
            old = before.get(table.id)
            if table.table_file and (old is None or table.table_file != str(old.table_file)):
                _check_name(table.table_file)
            _check_secrets(table, old)
            if table.id not in written:
                fresh = tomlkit.table() if isinstance(tables, AoT) else tomlkit.inline_table()
                fresh["id"] = table.id
                tables.append(fresh)
                written[table.id] = tables[len(tables) - 1]
            _put_table(written[table.id], table)
        self._store(text, document)

    def _content(self) -> tuple[str, tomlkit.TOMLDocument, HallConfig]:
        try:
            text = self.path.read_text(encoding="utf-8")
            document = tomlkit.parse(text)
            return text, document, HallConfig.model_validate(document.unwrap())
        except ValidationError as error:
            message = f"the hall file is wrong: {faults_of(error)[0]}"
            raise ConfigError(message) from error
        except (OSError, UnicodeDecodeError, TOMLKitError) as error:
            message = f"the hall file cannot be read: {error}"
            raise ConfigError(message) from error

    def _store(self, text: str, document: tomlkit.TOMLDocument) -> None:
        fresh = tomlkit.dumps(document)
        try:
            HallConfig.model_validate(tomllib.loads(fresh))  # as it will be read, whoever wrote it
        except ValidationError as error:
            raise ConfigError("; ".join(faults_of(error))) from error
        except tomllib.TOMLDecodeError as error:
            message = f"the hall file is written in a way that cannot be changed here ({error}): edit it by hand"
            raise ConfigError(message) from error
        try:
            mode = self.path.stat().st_mode & 0o777
            _replace(self.path.with_name(self.path.name + LAST_GOOD), text, mode)
            _replace(self.path, fresh, mode)
        except OSError as error:
            message = f"the hall file cannot be written ({error.strerror}); nothing is changed"
            raise ConfigError(message) from error


def _put_table(section: _Section, table: TableSettings) -> None:
    """Write one table; what has not been changed keeps its place, its quotes and its comment."""
    _put(section, "name", table.name)
    if redacted(section.get("source", "")) != table.source:
        _put(section, "source", table.source)
    _put(section, "table_file", table.table_file or None)
    if table.ask_below != section.get("ask_below", 0.8):
        _put(section, "ask_below", table.ask_below)
    default = section.get("default", {})
    if (table.game, table.players) != (default.get("game", "kaisa"), list(default.get("players", []))):
        if "default" not in section:
            section["default"] = tomlkit.inline_table()
        _put(section["default"], "game", table.game)
        _put(section["default"], "players", table.players or None)
    if redacted(section.get("sensors", {}).get("url", "")) != table.sensors:
        section.pop("sensors", None)
        if table.sensors:
            section["sensors"] = tomlkit.inline_table()
            section["sensors"]["url"] = table.sensors


def _put(section: _Section, key: str, value: object) -> None:
    """Write, change or leave out one key."""
    if value is None:
        section.pop(key, None)
    elif section.get(key) != value:
        section[key] = value


def _check_secrets(table: TableSettings, old: TableConfig | None) -> None:
    """An address whose password is hidden may stay as it is, and only so."""
    before = {} if old is None else {"source": old.source, "sensors": old.sensors.url if old.sensors else ""}
    for key, value in (("source", table.source), ("sensors", table.sensors)):
        if HIDDEN in value and redacted(before.get(key, "")) != value:
            message = f"table {table.id}: {key}: write the password anew where {HIDDEN} stands"
            raise ConfigError(message)


def _check_name(name: str) -> None:
    """A table file is one of those beside the hall file: a browser may not name others."""
    if Path(name).name != name or not name.endswith(".toml"):
        message = f"table_file {name!r}: give the name of a .toml file beside the hall file"
        raise ConfigError(message)


def _replace(path: Path, text: str, mode: int) -> None:
    """Write a file so that a power cut leaves the old one or the new one."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _version(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
