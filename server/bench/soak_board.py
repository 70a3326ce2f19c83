"""The hub behind a soak: what the table's process says reaches the journal and the board, as in a hall."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from server.bench.soak import Teller
from server.board import health_out
from server.config import HallConfig, ServerConfig, TableConfig
from server.hub import Hub
from server.journal import Journal
from server.messages import TableMessage
from server.text import catalogue


@contextmanager
def hub_teller(config: TableConfig, folder: Path) -> Iterator[Teller]:
    """What takes a table's messages and answers what its board says is wrong."""
    database = f"sqlite:///{folder / 'soak.sqlite'}"
    hall = HallConfig(server=ServerConfig(database=database), tables=(config,))
    hub = Hub(hall, lambda: Journal.open(database))
    words = catalogue("en")
    with closing(hub):
        hub.open()
        hub.process_started(config.id)

        def tell(message: TableMessage) -> str | None:
            hub.receive(config.id, message)
            health = health_out(hub, hub.table(config.id), words)
            return None if health.state == "ok" else health.text

        yield tell
