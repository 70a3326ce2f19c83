"""The tables of a hall as their processes know them: who is watched, what is looked for, who has come and gone."""

import logging
from collections.abc import Callable

from server.calibration_orders import Question
from server.config import HallConfig
from server.errors import CommandRefusedError, Refusal
from server.hub_table import HubTable

_log = logging.getLogger(__name__)


class HallTables:
    """The tables of a hall."""

    def __init__(self, config: HallConfig) -> None:
        self.config = config
        self.tables = {table.id: HubTable(config=table) for table in config.tables}

    def table(self, table_id: str) -> HubTable:
        """A table by its id.

        Raises:
            CommandRefusedError: There is no such table.
        """
        if table_id not in self.tables:
            raise CommandRefusedError(Refusal.NO_TABLE)
        return self.tables[table_id]

    def game_of(self, table_id: str) -> str:
        """The game that is played on a table, or is offered first."""
        table = self.table(table_id)
        return table.match.play.game.name if table.match.play is not None else table.config.default.game

    def strokes_played(self, table_id: str) -> int:
        """How many strokes the match that is on has."""
        return self.table(table_id).strokes_played

    def switch(self, table_id: str, who: str, *, on: bool) -> HubTable:
        """Have a table watched, or not, until it is switched again or the hall is opened anew."""
        table = self.table(table_id)
        if table.live.is_stopped == on:
            table.interrupt()
            table.live.switch(on=on)
            _log.info("table %s is %s by %s", table_id, "started" if on else "stopped", who)
            table.changed()
        return table

    def is_stopped(self, table_id: str) -> bool:
        """Whether staff wants a table not to be watched."""
        return self.tables[table_id].live.is_stopped

    def process_started(self, table_id: str, ask: Callable[[Question], None] | None = None) -> None:
        """A table's process has been started, which may be asked; the witness has not seen what went before."""
        table = self.tables[table_id]
        if ask is not None:
            table.line.connect(ask)
        table.live.started()
        table.interrupt()

    def process_stopped(self, table_id: str) -> None:
        """A table's process has been ended because nobody wants it."""
        self.tables[table_id].live.is_running = False

    def process_lost(self, table_id: str) -> None:
        """A table's process has died or been killed."""
        table = self.tables[table_id]
        table.interrupt()
        table.live.lost()
        table.changed()
