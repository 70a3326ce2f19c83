"""Reading a journal: what each kind of fact does to a table. State is a fold of its facts."""

from collections.abc import Iterator

from scoring.commands import Entry, StartMatch
from scoring.errors import ScoringError
from scoring.match import apply, fold
from server.config import TableConfig
from server.entry_records import entry_from_text
from server.errors import JournalError
from server.hub_table import HubTable
from server.journal import Journal
from server.match_clock import clock_in

ENTRY, ASIDE, RESUMED, STOPPED, STARTED = "entry", "aside", "resumed", "stopped", "started"


def folded_table(journal: Journal, config: TableConfig) -> HubTable:
    """A table as its journal has it: the match that it ends with, and those before."""
    table, newest = HubTable(config=config, heard=journal.heard(config.id)), None
    for stored in journal.read(config.id):
        if stored.kind in (STOPPED, STARTED):
            table.live.is_stopped = stored.kind == STOPPED
            continue
        newest = stored
        if stored.kind == ASIDE:
            table.put_away(stored.seq - 1)
            table.is_put_aside = True
        elif stored.kind == RESUMED:
            past = table.past[-1]
            table.go_on(fold(match_entries(journal, config.id, past.first, past.last)))
        if stored.kind != ENTRY:
            continue
        entry = entry_from_text(stored.body)
        if isinstance(entry.what, StartMatch):
            table.begin(stored.seq)
        try:
            table.match = apply(table.match, entry)
        except ScoringError as error:
            message = f"table {config.id}: entry {entry.seq} of the journal cannot be played again ({error})"
            raise JournalError(message) from error
    table.reading = None if newest is None else clock_in(newest.body)
    return table


def match_entries(journal: Journal, table_id: str, first: int, last: int) -> Iterator[Entry]:
    """The entries of one match, by where the journal keeps its first and its last."""
    for stored in journal.read(table_id, first, last):
        if stored.kind == ENTRY:
            yield entry_from_text(stored.body)
