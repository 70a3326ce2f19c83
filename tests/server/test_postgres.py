"""The journal on a PostgreSQL server: protected, held by one hall, and right again after the server was away."""

import time
from contextlib import contextmanager

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from scoring.balls import WHITE_1, YELLOW
from scoring.commands import StartMatch
from scoring.events import Contact, Rest, Strike
from scoring.setup import Beginning, Phase, Setup, singles
from server import journal_schema
from server.config import HallConfig, TableConfig
from server.errors import CommandRefusedError, JournalError
from server.folding import folded_table
from server.hub import RETRY_S, Hub
from server.journal import Fact, Journal, Mark
from server.journal_schema import METADATA, SCHEMA_VERSION
from server.messages import Seen

TABLE = TableConfig(id="one", name="One", source="events:none")
MATCH = StartMatch(Setup(game="kaisa", sides=singles("Anna", "Boris")), Beginning(phase=Phase.OPENING, shooter="Anna"))
FACT = Fact(kind="entry", body="{}")


@pytest.fixture
def url(postgres):
    return postgres.new_database()


def stroke(t_s):
    return Seen(
        events=(Strike(t_s=t_s, ball=WHITE_1), Contact(t_s=t_s + 0.4, ball=WHITE_1, other=YELLOW), Rest(t_s=t_s + 3))
    )


class Clock:
    now_s = 100.0

    def __call__(self):
        return self.now_s


@contextmanager
def open_hub(url, clock):
    hub = Hub(HallConfig(tables=(TABLE,)), lambda: Journal.open(url), clock_s=clock)
    hub.open()
    try:
        yield hub
    finally:
        hub.close()


def strokes_in(url):
    with Journal.open(url) as journal:
        return [record.shot.events[0].t_s for record in folded_table(journal, TABLE).match.records]


@pytest.mark.parametrize("statement", ["UPDATE entries SET body = ''", "DELETE FROM entries", "TRUNCATE entries"])
def test_postgresql_lets_nobody_change_or_erase(url, statement):
    with Journal.open(url) as journal:
        journal.append("one", [FACT])
        with journal._engine.connect() as connection, pytest.raises(sa.exc.DBAPIError, match="append-only"):
            connection.exec_driver_sql(statement)


def test_a_link_that_is_cut_is_noticed_on_both_sides_within_seconds(url):
    with Journal.open(url) as journal:
        for connection in (journal._guard, journal._engine.connect()):
            said = [
                connection.exec_driver_sql(f"SHOW {name}").scalar_one()
                for name in ("tcp_keepalives_idle", "statement_timeout")
            ]
            assert said == ["4", "2s"]
            assert connection.connection.driver_connection.info.get_parameters()["tcp_user_timeout"] == "2000"
            connection.close()


def test_an_older_journal_on_a_server_is_brought_up_to_date(url, monkeypatch):
    monkeypatch.setattr(journal_schema, "SCHEMA_VERSION", 2)
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    journal_schema.bring_up_to_date(engine)
    monkeypatch.undo()
    with Journal.open(url) as journal:
        journal.append("one", [FACT], mark=Mark(node="north", outbox="a", sequence=2**40))
        assert journal.heard("one") == {"a": 2**40}
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, METADATA) == []
        assert context.get_current_revision() == str(SCHEMA_VERSION)
    engine.dispose()


def test_a_step_that_fails_leaves_nothing_on_the_server(url, monkeypatch):
    run = journal_schema._run_steps

    def fail_after(connection, version):
        run(connection, version)
        raise sa.exc.OperationalError(None, {}, Exception("the disk is full"))

    monkeypatch.setattr(journal_schema, "_run_steps", fail_after)
    with pytest.raises(JournalError, match="full; free some space"):
        Journal.open(url)
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    assert sa.inspect(engine).get_table_names() == []
    engine.dispose()


def test_a_stroke_that_is_played_while_the_server_is_away_is_stored_once(postgres, url):
    clock = Clock()
    with open_hub(url, clock) as hub:
        hub.give("one", MATCH)
        hub.receive("one", stroke(1))
        postgres.stop()
        began_s = time.monotonic()
        hub.receive("one", stroke(10))
        assert time.monotonic() - began_s < 6
        assert "is the database server up?" in hub.journal_trouble
        with pytest.raises(CommandRefusedError):
            hub.give("one", MATCH)
        clock.now_s += RETRY_S
        hub.tick()  # still away
        hub.receive("one", stroke(20))
        postgres.start()
        clock.now_s += RETRY_S
        hub.tick()
        assert hub.journal_trouble is None
        hub.receive("one", stroke(30))
    assert strokes_in(url) == [1, 10, 20, 30]


def test_a_commit_whose_answer_was_lost_is_not_repeated(url):
    clock = Clock()
    with open_hub(url, clock) as hub:
        hub.give("one", MATCH)
        append = hub.journal.append

        def append_and_fail(*arguments):
            append(*arguments)
            message = "the connection was lost"
            raise JournalError(message)

        hub.journal.append = append_and_fail
        hub.receive("one", stroke(1))
        hub.receive("one", stroke(10))
        clock.now_s += RETRY_S
        hub.tick()
        assert not hub.tables["one"].waiting
        assert len(hub.tables["one"].match.records) == 2
    assert strokes_in(url) == [1, 10]


def test_a_hall_whose_hold_was_lost_stores_nothing_beside_another(url):
    with Journal.open(url) as journal:
        journal.append("one", [FACT])
        journal._guard.connection.driver_connection.close()  # as when the server was restarted
        with Journal.open(url) as other:
            with pytest.raises(JournalError):
                journal.append("one", [FACT])
            assert len(list(other.read("one"))) == 1


@pytest.mark.parametrize("place", ["127.0.0.1:1", "127.0.0.1:{port}"])
def test_an_address_that_does_not_work_is_one_line_without_its_password(postgres, place):
    url = f"postgresql://hall:secret@{place.format(port=postgres.port)}/nothing"
    with pytest.raises(JournalError) as caught:
        Journal.open(url)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_without_the_driver_the_extra_is_named(url, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(JournalError, match=r"cuemarker\[postgres\]"):
        Journal.open(url)
