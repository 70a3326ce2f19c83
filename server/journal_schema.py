"""The journal's tables, and how an older journal is brought up to date when it is opened."""

import datetime as dt
import logging
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from server.errors import JournalError

SCHEMA_VERSION: Final = 3
_STEPS = Path(__file__).parent / "migrations"
_log = logging.getLogger(__name__)

METADATA: Final = sa.MetaData()
ABOUT: Final = sa.Table(
    "about", METADATA, sa.Column("key", sa.String(32), primary_key=True), sa.Column("value", sa.Text, nullable=False)
)
ENTRIES: Final = sa.Table(
    "entries",
    METADATA,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("table_id", sa.String(32), nullable=False, index=True),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("written_at", sa.String(32), nullable=False),
    sa.Column("crc", sa.BigInteger, nullable=False),
    sqlite_autoincrement=True,
)
OUTBOX: Final = sa.Table(
    "outbox",
    METADATA,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("webhook", sa.String(40), nullable=False, index=True),
    sa.Column("event", sa.String(32), nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("written_at", sa.String(32), nullable=False),
    sqlite_autoincrement=True,
)
HEARD: Final = sa.Table(
    "heard",
    METADATA,
    sa.Column("outbox", sa.String(32), primary_key=True),
    sa.Column("table_id", sa.String(32), primary_key=True),
    sa.Column("node", sa.String(32), nullable=False),
    sa.Column("sequence", sa.BigInteger, nullable=False),
)


def bring_up_to_date(engine: sa.Engine) -> None:
    """Make a new journal, or turn an older one into today's after copying it; all in one transaction.

    Raises:
        JournalError: It is of a newer version, or the copy cannot be made: nothing was changed.
    """
    with engine.connect() as connection:
        version = version_in(connection)
    if version == SCHEMA_VERSION:
        return
    if version > SCHEMA_VERSION:
        message = f"the journal has version {version}, this program knows {SCHEMA_VERSION}; update cuemarker"
        raise JournalError(message)
    if version > 0:
        _copy_first(engine, version)
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")  # or every CREATE TABLE would stand for itself
        _run_steps(connection, version)
        connection.execute(ABOUT.delete().where(ABOUT.c.key == "schema"))
        connection.execute(ABOUT.insert().values(key="schema", value=str(SCHEMA_VERSION)))
        connection.commit()


def version_in(connection: sa.Connection) -> int:
    """The version of a journal; 0 for a database that holds none yet.

    Raises:
        JournalError: It says something that is no version.
    """
    if not sa.inspect(connection).has_table("about"):
        return 0
    said = connection.scalar(sa.select(ABOUT.c.value).where(ABOUT.c.key == "schema"))
    if said is None or not said.isdecimal():
        message = f"the journal's version is {said!r}, which is none of ours; restore it from its copy"
        raise JournalError(message)
    return int(said)


def copy_sqlite(source: Path, target: Path) -> None:
    """Copy a journal, as it is this moment, while others may write to it; whatever fails leaves no copy.

    Raises:
        JournalError: It cannot be read, or the copy cannot be written.
    """
    try:
        with (
            closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as reading,
            closing(sqlite3.connect(target)) as writing,
        ):
            reading.backup(writing)
    except sqlite3.Error as error:
        target.unlink(missing_ok=True)
        message = f"the journal {source} cannot be copied to {target}: {error}; is there space, may it be read?"
        raise JournalError(message) from error


def _copy_first(engine: sa.Engine, version: int) -> None:
    """Keep the journal as it was, beside it."""
    database = engine.url.database
    if engine.dialect.name != "sqlite" or not database or database == ":memory:":
        _log.warning(
            "the journal is brought from version %d to %d; its server keeps its copies", version, SCHEMA_VERSION
        )
        return
    moment = dt.datetime.now(dt.UTC).strftime("%Y%m%dT%H%M%SZ")
    copy = Path(f"{database}.version-{version}.{moment}")
    copy_sqlite(Path(database), copy)
    _log.info(
        "the journal is brought from version %d to %d; as it was, it is kept in %s", version, SCHEMA_VERSION, copy
    )


def _run_steps(connection: sa.Connection, version: int) -> None:
    """Run what leads from a version to ours."""
    from alembic import command  # noqa: PLC0415 (most starts need no step)
    from alembic.config import Config  # noqa: PLC0415 (as above)

    steps = Config(attributes={"connection": connection})
    steps.set_main_option("script_location", str(_STEPS))
    steps.set_main_option("path_separator", "os")
    if version > 0 and not sa.inspect(connection).has_table("alembic_version"):  # made before there were steps
        command.stamp(steps, str(version))
    command.upgrade(steps, str(SCHEMA_VERSION))
