"""Journals of older versions: copied, brought up to date, or left as they were."""

import sqlite3
import zlib
from contextlib import closing

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from server import journal_schema
from server.errors import JournalError
from server.journal import Fact, Journal
from server.journal_schema import METADATA, SCHEMA_VERSION

VERSION_1 = """
CREATE TABLE about (key VARCHAR(32) NOT NULL, value TEXT NOT NULL, PRIMARY KEY (key));
CREATE TABLE entries (seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, table_id VARCHAR(32) NOT NULL,
  kind VARCHAR(16) NOT NULL, body TEXT NOT NULL, written_at VARCHAR(32) NOT NULL, crc BIGINT NOT NULL);
CREATE INDEX ix_entries_table_id ON entries (table_id);
CREATE TRIGGER entries_no_update BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER entries_no_delete BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
INSERT INTO about VALUES ('schema', '1');
"""
BODIES = [f'{{"number": {number}}}' for number in range(5)]


@pytest.fixture
def old(tmp_path):
    """A journal as the first version made it, before there were steps."""
    path = tmp_path / "journal.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(VERSION_1)
        for body in BODIES:
            row = ("one", "entry", body, "2026-01-01T00:00:00.000+00:00", zlib.crc32(f"one\0entry\0{body}".encode()))
            connection.execute(
                "INSERT INTO entries (table_id, kind, body, written_at, crc) VALUES (?, ?, ?, ?, ?)", row
            )
        connection.commit()
    return path


def copies(path):
    return [found for found in path.parent.iterdir() if ".version-" in found.name]


def entries_in(path):
    with closing(sqlite3.connect(path)) as connection:
        return [body for (body,) in connection.execute("SELECT body FROM entries ORDER BY seq")]


def version_of(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT value FROM about WHERE key = 'schema'").fetchone()[0]


def test_an_old_journal_is_copied_and_then_brought_up_to_date(old):
    with Journal.open(f"sqlite:///{old}") as journal:
        assert [entry.body for entry in journal.read("one")] == BODIES
        journal.append("one", [Fact(kind="entry", body="{}")])
    (copy,) = copies(old)
    assert (version_of(copy), version_of(old)) == ("1", str(SCHEMA_VERSION))
    assert entries_in(copy) == BODIES
    Journal.open(f"sqlite:///{old}").close()
    assert copies(old) == [copy]


def test_what_an_old_journal_protects_stays_protected(old):
    Journal.open(f"sqlite:///{old}").close()
    with closing(sqlite3.connect(old)) as connection, pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute("DELETE FROM entries")


def test_a_step_that_fails_leaves_the_journal_as_it_was(old, monkeypatch):
    run = journal_schema._run_steps

    def fail_after(connection, version):
        run(connection, version)
        raise sa.exc.OperationalError(None, {}, Exception("the disk is full"))

    monkeypatch.setattr(journal_schema, "_run_steps", fail_after)
    with pytest.raises(JournalError, match="full; free some space"):
        Journal.open(f"sqlite:///{old}")
    with closing(sqlite3.connect(old)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert tables == {"about", "entries", "sqlite_sequence"}
    monkeypatch.undo()
    with Journal.open(f"sqlite:///{old}") as journal:
        assert [entry.body for entry in journal.read("one")] == BODIES


def test_without_a_copy_nothing_is_changed(old, monkeypatch):
    def no_space(*_):
        message = "no space"
        raise JournalError(message)

    monkeypatch.setattr(journal_schema, "copy_sqlite", no_space)
    with pytest.raises(JournalError, match="no space"):
        Journal.open(f"sqlite:///{old}")
    assert version_of(old) == "1"


@pytest.mark.parametrize(("said", "why"), [("99", "version 99"), ("two", "none of ours"), ("", "none of ours")])
def test_a_newer_or_odd_version_is_refused_in_one_line_and_not_touched(old, said, why):
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("UPDATE about SET value = ?", (said,))
        connection.commit()
    with pytest.raises(JournalError, match=why) as caught:
        Journal.open(f"sqlite:///{old}")
    assert "\n" not in str(caught.value)
    assert version_of(old) == said
    assert copies(old) == []


def test_the_steps_lead_to_the_tables_that_the_program_uses(old, tmp_path):
    for path in (old, tmp_path / "new.sqlite"):
        Journal.open(f"sqlite:///{path}").close()
        engine = sa.create_engine(f"sqlite:///{path}")
        with engine.connect() as connection:
            context = MigrationContext.configure(connection)
            assert compare_metadata(context, METADATA) == []
            assert context.get_current_revision() == str(SCHEMA_VERSION)
        engine.dispose()
