"""Database servers: how the journal's is reached, held by one hall, and how its complaints read."""

from contextlib import ExitStack
from typing import Final

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from server.errors import JournalError, JournalHeldError

_SERVER_S = 2  # a database server whose machine is silent for so long is away; the hall stands still meanwhile
_SESSION = {
    "statement_timeout": _SERVER_S * 1000,
    "lock_timeout": _SERVER_S * 1000,
    "tcp_keepalives_idle": 4,  # so that the server soon lets go of what a hall held whose link is cut
    "tcp_keepalives_interval": 2,
    "tcp_keepalives_count": 3,
}
HOLD: Final = 0x43756562  # the advisory lock of whoever runs a hall on a database server's journal


def engine_of(url: str) -> sa.Engine:
    """A database; PostgreSQL by psycopg, and never waited for without end."""
    try:
        address = sa.engine.make_url(url)
        if address.drivername == "postgresql":
            address = address.set(drivername="postgresql+psycopg")
        if address.drivername != "postgresql+psycopg":
            return sa.create_engine(address)
        patience = {
            "connect_timeout": _SERVER_S,
            "tcp_user_timeout": _SERVER_S * 1000,
            "options": " ".join(f"-c {name}={value}" for name, value in _SESSION.items()),
        }
        return sa.create_engine(address, pool_pre_ping=True, connect_args=patience)
    except ModuleNotFoundError as error:
        message = f"the journal's address needs {error.name}: for PostgreSQL pip install 'cuemarker[postgres]'"
        raise JournalError(message) from error
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        message = f"the journal's address is not usable: {error}; see [server] database"
        raise JournalError(message) from error


def hold_server(engine: sa.Engine, stack: ExitStack) -> sa.Connection:
    """Hold a PostgreSQL server's journal against a second hall; it is let go with the connection.

    Raises:
        JournalError: Another one holds it.
    """
    connection = stack.enter_context(engine.connect().execution_options(isolation_level="AUTOCOMMIT"))
    if not connection.scalar(sa.select(sa.func.pg_try_advisory_lock(HOLD))):
        message = f"the journal {engine.url.render_as_string()} is in use by another cuemarker; stop that one first"
        raise JournalHeldError(message)
    return connection


def translated(error: SQLAlchemyError, engine: sa.Engine) -> JournalError:
    """The database's complaint as one line that says what to do."""
    where = engine.url.render_as_string(hide_password=True).removeprefix("sqlite:///")
    text = " ".join(str(getattr(error, "orig", None) or error).split())
    advice = "see [server] database"
    for sign, known in (
        ("full", "free some space; nothing more is counted until then"),
        ("readonly", "make it writable; nothing more is counted until then"),
        ("i/o error", "check the disk; nothing more is counted until then"),
        ("malformed", "it is damaged: restore it from its copy"),
        ("not a database", "it is damaged or another file: restore it from its copy"),
        ("connection", "is the database server up? nothing more is counted until then"),
    ):
        if sign in text.lower():
            advice = known
            break
    return JournalError(f"the journal {where}: {text}; {advice}")
