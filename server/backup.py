"""A hall in one file: its journal and its settings; made while the hall runs, put back while it does not."""

import contextlib
import datetime as dt
import importlib.metadata
import json
import os
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from server.config import HallConfig, read_hall
from server.errors import JournalError, ServerError
from server.journal import Journal, hold_journal
from server.journal_schema import SCHEMA_VERSION, copy_sqlite

_JOURNAL, _HALL, _ABOUT, _FILES = "journal.sqlite", "hall.toml", "about.json", "files/"
_LARGEST_SETTING = 1024 * 1024


class BackupError(ServerError):
    """A backup cannot be made or put back; nothing was changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What was put back; `aside` is where the journal that stood there lies now."""

    written: tuple[Path, ...]
    kept: tuple[Path, ...]
    aside: Path | None


def back_up(hall_file: Path, target: Path) -> tuple[Path, ...]:
    """Write a backup of the hall; returns the settings that lie outside the hall file's folder and are not in it.

    Raises:
        ServerError: The hall file is wrong, or the backup cannot be written: no file is left.
    """
    config = read_hall(hall_file)
    database = _database_file(config)
    folder = hall_file.parent.resolve()
    found = [path.resolve() for path in _settings(config) if path.exists()]
    inside = [path for path in found if path.is_relative_to(folder)]
    if target.exists():
        message = f"{target} exists: give another name, or move it away"
        raise BackupError(message)
    try:
        with tempfile.TemporaryDirectory(prefix=".cuemarker-backup-", dir=target.parent) as temporary:
            copy, partial = Path(temporary) / _JOURNAL, Path(temporary) / "partial.zip"
            copy_sqlite(database, copy)
            partial.touch(mode=0o600)  # there are secrets in it
            with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.write(copy, _JOURNAL)
                archive.write(hall_file, _HALL)
                for path in inside:
                    archive.write(path, _FILES + path.relative_to(folder).as_posix())
                archive.writestr(_ABOUT, json.dumps(_about(), indent=1))
            with partial.open("rb") as file:
                os.fsync(file.fileno())
            partial.rename(target)
    except OSError as error:
        message = f"{target}: cannot be written ({error.strerror}); is there space, may the folder be written?"
        raise BackupError(message) from error
    return tuple(path for path in found if path not in inside)


def restore(source: Path, hall_file: Path) -> Restored:
    """Put a backup back. Settings that exist are kept as they are; the journal that exists is set aside.

    Raises:
        ServerError: It is no backup, it is damaged, or a hall runs on the journal: nothing was changed.
    """
    try:
        with zipfile.ZipFile(source) as archive, ExitStack() as stack:
            settings = _checked(archive, source)
            with tempfile.TemporaryDirectory(prefix=".cuemarker-restore-", dir=hall_file.parent) as temporary:
                fresh_hall = Path(temporary) / hall_file.name
                fresh_hall.write_bytes(archive.read(_HALL))
                database = _database_file(
                    read_hall(hall_file if hall_file.exists() else fresh_hall, folder=hall_file.parent)
                )
                hold_journal(str(database), stack)
                fresh = database.with_name(f"{database.name}.restoring")
                stack.callback(fresh.unlink, missing_ok=True)
                _extract(archive, _JOURNAL, fresh)
                _check_journal(fresh, source)
                aside = _set_aside(database)
                fresh.rename(database)
                written, kept = _put_settings(archive, settings, hall_file)
    except (OSError, zipfile.BadZipFile, zlib.error, RuntimeError, EOFError) as error:
        message = f"{source}: cannot be put back ({error}); is it a file that `cuemarker backup` wrote?"
        raise BackupError(message) from error
    return Restored(written=(database, *written), kept=kept, aside=aside)


def _about() -> dict[str, object]:
    return {
        "cuemarker": importlib.metadata.version("cuemarker"),
        "journal": SCHEMA_VERSION,
        "made": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
    }


def _database_file(config: HallConfig) -> Path:
    url = sa.engine.make_url(config.server.database)
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        message = "the journal is on a database server: copy it with that server's own tool (PostgreSQL: pg_dump)"
        raise BackupError(message)
    return Path(url.database)


def _settings(config: HallConfig) -> Iterator[Path]:
    """The files that a hall file names."""
    if config.access.secret_file is not None:
        yield config.access.secret_file
    for table in config.tables:
        yield from table.table_files


def _checked(archive: zipfile.ZipFile, source: Path) -> list[str]:
    """The settings in a backup, which must all belong into the hall file's folder."""
    names = archive.namelist()
    settings = [name for name in names if name.startswith(_FILES)]
    paths = [PurePosixPath(name.removeprefix(_FILES)) for name in settings]
    is_whole = {_JOURNAL, _HALL} <= set(names)
    is_safe = all(not path.is_absolute() and ".." not in path.parts and "\\" not in str(path) for path in paths)
    is_small = all(archive.getinfo(name).file_size <= _LARGEST_SETTING for name in (*settings, _HALL) if name in names)
    if not (is_whole and is_safe and is_small):
        message = f"{source}: is no backup that `cuemarker backup` wrote"
        raise BackupError(message)
    return settings


def _extract(archive: zipfile.ZipFile, name: str, target: Path) -> None:
    """Write a member of the archive; on return it is on the disk."""
    with archive.open(name) as reading, target.open("wb") as writing:
        while chunk := reading.read(1024 * 1024):
            writing.write(chunk)
        writing.flush()
        os.fsync(writing.fileno())


def _check_journal(path: Path, source: Path) -> None:
    """Read every entry of a journal that was put back, before it takes another's place."""
    try:
        with Journal.open(f"sqlite:///{path}") as journal:
            for table_id in journal.table_ids():
                for _ in journal.read(table_id):
                    pass
    except (JournalError, SQLAlchemyError, sqlite3.Error) as error:
        message = f"{source}: its journal cannot be used: {str(error).replace(str(path), 'it')}"
        raise BackupError(message) from error
    finally:
        for leftover in path.parent.glob(f"{path.name}[.-]*"):  # its lock, and its copy when it was an old one
            leftover.unlink()


def _set_aside(database: Path) -> Path | None:
    """Move a journal and what belongs to it out of the way."""
    if not database.exists():
        return None
    moment = dt.datetime.now(dt.UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    aside = database.with_name(f"{database.name}.before-restore.{moment}")
    for suffix in ("-wal", "-shm", ""):
        with contextlib.suppress(FileNotFoundError):
            Path(f"{database}{suffix}").rename(f"{aside}{suffix}")
    return aside


def _put_settings(
    archive: zipfile.ZipFile, settings: list[str], hall_file: Path
) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Write the settings that are missing; returns those written and those that were there."""
    written, kept = [], []
    for name in (*settings, _HALL):
        path = hall_file if name == _HALL else hall_file.parent / name.removeprefix(_FILES)
        if path.exists():
            kept.append(path)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        _extract(archive, name, path)
        written.append(path)
    return tuple(written), tuple(kept)
