"""All matches of a hall: those of its tables, and those that were brought from elsewhere."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from scoring.match import MatchState, fold
from server.entry_records import entry_from_text, entry_to_text
from server.errors import CommandRefusedError, JournalError, Refusal
from server.hub import Hub
from server.journal import Fact, Journal
from server.records import MatchSummary, summary_of
from server.statistics import MatchPart

IMPORTED: Final = "_imported"
"""The table under which imported matches are listed; no table of the hall file can be called so."""
_RECORD: Final = "record"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A match, and where it is found."""

    table_id: str
    number: int
    summary: MatchSummary


@dataclass(frozen=True, slots=True)
class _Import:
    """An imported match, and where the journal keeps it."""

    seq: int
    summary: MatchSummary


@dataclass(slots=True)
class Archive:
    """Finds matches, and takes in others."""

    hub: Hub
    _imports: list[_Import] = field(default_factory=list)
    _journal: Journal | None = None  # that the imports were read from

    def matches(self) -> Iterator[Listed]:
        """All matches, by table, the oldest first.

        Raises:
            CommandRefusedError: The journal cannot be read.
        """
        for table_id in self.hub.tables:
            for number, summary in enumerate(self.hub.summaries(table_id), start=1):
                yield Listed(table_id=table_id, number=number, summary=summary)
        for number, found in enumerate(self._read_imports(), start=1):
            yield Listed(table_id=IMPORTED, number=number, summary=found.summary)

    def match(self, table_id: str, number: int) -> MatchState:
        """One match.

        Raises:
            CommandRefusedError: There is none, or the journal cannot be read.
        """
        if table_id != IMPORTED:
            return self.hub.match(table_id, number)
        imports = self._read_imports()
        if not 1 <= number <= len(imports):
            raise CommandRefusedError(Refusal.NO_RECORD)
        seq = imports[number - 1].seq
        try:
            for stored in self._open_journal().read(IMPORTED, seq, seq):
                return _match(stored.body)
        except JournalError as error:
            raise CommandRefusedError(Refusal.JOURNAL) from error
        raise CommandRefusedError(Refusal.NO_RECORD)

    def parts(self, game: str | None = None) -> Iterator[MatchPart]:
        """Everybody's part in every match that is over, of one game or of all."""
        for listed in self.matches():
            summary = listed.summary
            if not summary.is_over or game not in (None, summary.game):
                continue
            for side in summary.sides:
                has_won = summary.winners == (side.name,)
                yield from (MatchPart(name=name, has_won=has_won, tally=tally) for name, tally in side.members.items())

    def find(self, match: MatchState) -> Listed | None:
        """The same match, or a longer record of it, where the hall has it already."""
        entries, summary = match.entries, summary_of(match)
        names = [side.name for side in summary.sides]
        for listed in self.matches():
            known = listed.summary
            if (known.started_ns, known.game, [side.name for side in known.sides]) != (
                summary.started_ns,
                summary.game,
                names,
            ):
                continue
            if self.match(listed.table_id, listed.number).entries[: len(entries)] == entries:
                return listed
        return None

    def add(self, match: MatchState, who: str) -> Listed:
        """Store a match that was played elsewhere.

        Raises:
            CommandRefusedError: It could not be stored.
        """
        self._read_imports()
        body = json.dumps({"who": who, "entries": [json.loads(entry_to_text(entry)) for entry in match.entries]})
        try:
            written = self._open_journal().append(IMPORTED, [Fact(kind=_RECORD, body=body)])
        except JournalError as error:
            raise CommandRefusedError(Refusal.JOURNAL) from error
        summary = summary_of(match)
        self._imports.append(_Import(written[0].seq, summary))
        return Listed(table_id=IMPORTED, number=len(self._imports), summary=summary)

    def _open_journal(self) -> Journal:
        if self.hub.journal is None:
            raise CommandRefusedError(Refusal.JOURNAL)
        return self.hub.journal

    def _read_imports(self) -> list[_Import]:
        """The imported matches; read once from each journal that the hub opens."""
        journal = self.hub.journal
        if journal is not None and journal is not self._journal:
            try:
                found = [_Import(stored.seq, summary_of(_match(stored.body))) for stored in journal.read(IMPORTED)]
            except JournalError as error:
                raise CommandRefusedError(Refusal.JOURNAL) from error
            self._imports, self._journal = found, journal
        return self._imports


def _match(body: str) -> MatchState:
    return fold(entry_from_text(json.dumps(entry)) for entry in json.loads(body)["entries"])
