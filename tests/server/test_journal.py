"""The journal: what is acknowledged is on the disk, what cannot be written says why."""

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap

import pytest
import sqlalchemy as sa

from server.errors import JournalError
from server.journal import Fact, Journal


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.sqlite"


@pytest.fixture
def url(path):
    return f"sqlite:///{path}"


def fact(number):
    return Fact(kind="stroke", body=f'{{"number": {number}}}')


def bodies(journal, table="one"):
    return [entry.body for entry in journal.read(table)]


def test_entries_come_back_in_order_and_by_table(database):
    with Journal.open(database) as journal:
        journal.append("one", [fact(1), fact(2)])
        journal.append("two", [fact(3)])
        journal.append("one", [fact(4)])
    with Journal.open(database) as journal:
        assert bodies(journal) == [fact(1).body, fact(2).body, fact(4).body]
        assert [entry.seq for entry in journal.read("one")] == [1, 2, 4]


def test_commits_are_made_to_survive_a_power_cut(url):
    with Journal.open(url) as journal, journal._engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar_one() == 2


def test_what_was_acknowledged_survives_a_kill(database):
    writer = textwrap.dedent(f"""
        import sys
        from server.journal import Fact, Journal
        journal = Journal.open({database!r})
        for number in range(1000000):
            journal.append("one", [Fact(kind="stroke", body=str(number))])
            sys.stdout.write(f"{{number}}\\n")
            sys.stdout.flush()
    """)
    process = subprocess.Popen([sys.executable, "-c", writer], stdout=subprocess.PIPE, text=True)
    acknowledged = [process.stdout.readline() for _ in range(25)]
    os.kill(process.pid, signal.SIGKILL)
    acknowledged += process.stdout.readlines()
    process.wait()
    process.stdout.close()
    last = int(acknowledged[-1] if acknowledged[-1].endswith("\n") else acknowledged[-2])
    with Journal.open(database) as journal:
        assert [int(body) for body in bodies(journal)][: last + 1] == list(range(last + 1))


def test_a_failed_transaction_leaves_nothing_of_itself(database):
    with Journal.open(database) as journal:
        journal.append("one", [fact(1)])
        with pytest.raises(JournalError):
            journal.append("one", [fact(2), Fact(kind="stroke", body=None)])
        assert bodies(journal) == [fact(1).body]


def test_a_full_disk_is_said_and_nothing_is_acknowledged(url):
    with Journal.open(url) as journal:
        journal.append("one", [fact(1)])
        with journal._engine.connect() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        sa.event.listen(
            journal._engine, "checkout", lambda raw, *_: raw.execute(f"PRAGMA max_page_count = {pages}").close()
        )
        with pytest.raises(JournalError, match="full; free some space"):
            journal.append("one", [Fact(kind="stroke", body="x" * 100_000)])
        assert bodies(journal) == [fact(1).body]


def test_a_read_only_journal_is_said(url):
    with Journal.open(url) as journal:
        journal.append("one", [fact(1)])
        sa.event.listen(journal._engine, "checkout", lambda raw, *_: raw.execute("PRAGMA query_only = 1").close())
        with pytest.raises(JournalError, match="readonly database; make it writable"):
            journal.append("one", [fact(2)])
        assert bodies(journal) == [fact(1).body]


def test_a_torn_file_is_refused_when_opened(url, path):
    with Journal.open(url) as journal:
        for number in range(200):
            journal.append("one", [Fact(kind="stroke", body=f"{number} " * 200)])
    content = bytearray(path.read_bytes())
    content[len(content) // 3 : len(content) // 2] = bytes(len(content) // 2 - len(content) // 3)
    path.write_bytes(content)
    with pytest.raises(JournalError, match="damaged"):
        Journal.open(url)


def test_a_file_that_is_no_journal_is_refused(url, path):
    path.write_bytes(b"holiday photographs" * 100)
    with pytest.raises(JournalError, match="restore it from its copy"):
        Journal.open(url)


def test_a_changed_entry_is_noticed(url, path):
    with Journal.open(url) as journal:
        journal.append("one", [fact(1), fact(2)])
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TRIGGER entries_no_update")
        connection.execute("UPDATE entries SET body = '{}' WHERE seq = 2")
    connection.close()
    with Journal.open(url) as journal, pytest.raises(JournalError, match="entry 2 of the journal is damaged"):
        list(journal.read("one"))


@pytest.mark.parametrize("statement", ["UPDATE entries SET body = ''", "DELETE FROM entries"])
def test_nothing_is_ever_changed_or_erased(url, path, statement):
    with Journal.open(url) as journal:
        journal.append("one", [fact(1)])
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)
    connection.close()


def test_two_servers_cannot_share_a_journal(database):
    with Journal.open(database), pytest.raises(JournalError, match="in use by another"):
        Journal.open(database)


def test_a_newer_journal_is_not_touched(url, path):
    Journal.open(url).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE about SET value = '99'")
    connection.close()
    with pytest.raises(JournalError, match="version 99"):
        Journal.open(url)


@pytest.mark.parametrize("bad", ["nonsense", "oracle9://x", "sqlite:////no/such/folder/j.sqlite"])
def test_an_unusable_address_is_one_line(bad):
    with pytest.raises(JournalError) as caught:
        Journal.open(bad)
    assert "[server] database" in str(caught.value)
    assert "\n" not in str(caught.value)
