"""The hub: the live matches of a hall. Facts come in from tables and people, are journalled, and folded to states.

Nothing is acknowledged before it is stored: a command that cannot be stored is refused, a stroke that cannot be stored
waits, and the board says so. The hub lives on one thread and never waits for anything but the journal.
"""

import json
import logging
import time
from collections.abc import Callable
from contextlib import suppress

from scoring.commands import Command, Entry, Observe, StartMatch
from scoring.errors import ScoringError
from scoring.events import TableEvent
from scoring.match import NO_MATCH, MatchState, apply, fold
from scoring.shots import RefereeInput
from scoring.timed import TIME_UP
from server.arrangement import wished_game
from server.calibration_orders import Reply
from server.changes import Ruled
from server.config import HallConfig
from server.entry_records import entry_to_text
from server.errors import CommandRefusedError, JournalError, JournalHeldError, Refusal
from server.folding import ASIDE, ENTRY, RESUMED, STARTED, STOPPED, folded_table, match_entries
from server.hall_tables import HallTables
from server.hub_table import HubTable, Waiting
from server.journal import Fact, Journal, Mark
from server.match_clock import ClockReading, age_s, boot_id, is_time_up, with_clock
from server.messages import Known, Lost, Opened, Places, Said, Seen, Started, Supposed, TableMessage, Vitals
from server.records import MatchSummary, summary_of
from server.stroke_lines import stroke_line
from server.virtual_players import corrections
from server.webhook_messages import messages_of

RETRY_S = 5.0
_WITNESS, _PLAYERS, _CLOCK = "witness", "players", "clock"
_log = logging.getLogger(__name__)


class Hub(HallTables):
    """The live matches of a hall."""

    def __init__(
        self,
        config: HallConfig,
        open_journal: Callable[[], Journal],
        *,
        clock_s: Callable[[], float] = time.monotonic,
        wall_ns: Callable[[], int] = time.time_ns,
        boot: str | None = None,
    ) -> None:
        super().__init__(config)
        self.clock_s = clock_s
        self.journal_trouble: str | None = "the journal has not been opened yet"
        self._open_journal = open_journal
        self._wall_ns = wall_ns
        self._boot = boot_id() if boot is None else boot
        self._is_fresh = True
        self.is_superseded = False  # another server holds the journal
        self.journal: Journal | None = None  # may be open and still refuse to be written
        self._tried_s = 0.0

    def open(self) -> None:
        """Open the journal and fold it; what is wrong with it is kept in `journal_trouble` and tried again later."""
        self._tried_s = self.clock_s()
        try:
            journal = self._open_journal()
        except JournalError as error:
            self.is_superseded = isinstance(error, JournalHeldError)
            self._note_trouble(error)
            return
        try:
            folded = {table.id: folded_table(journal, table) for table in self.config.tables}
        except JournalError as error:
            journal.close()
            self._note_trouble(error)
            return
        self.journal, self.journal_trouble = journal, None
        for table_id, found in folded.items():
            table = self.tables[table_id]
            table.match, table.match_first = found.match, found.match_first
            table.past, table.is_put_aside, table.heard = found.past, found.is_put_aside, found.heard
            table.drop_stored()
            table.active_s = self.clock_s()
            self._set_clock(table, found.reading)
            if self._is_fresh:
                table.live.is_stopped = found.live.is_stopped
            table.changed()
        self._is_fresh = False

    def close(self) -> None:
        """Close the journal."""
        if self.journal is not None:
            self.journal.close()
            self.journal = None

    def ready_table(self, table_id: str) -> HubTable:
        """A table that can take commands.

        Raises:
            CommandRefusedError: There is no such table, or nothing can be stored.
        """
        table = self.table(table_id)
        if self.journal is None:
            raise CommandRefusedError(Refusal.JOURNAL)
        return table

    def give(self, table_id: str, what: Command, who: str | None = None, why: str | None = None) -> HubTable:
        """Carry out what a person said, and keep who said it and why; on return it is stored.

        Raises:
            CommandRefusedError: It could not be stored.
            ScoringError: It cannot be done in this match; the message says why.
        """
        table = self.ready_table(table_id)
        self._store_waiting(table)
        if table.waiting:
            raise CommandRefusedError(Refusal.JOURNAL)
        try:
            self._do(table, Waiting(what=what, who=who, why=why))
        except JournalError as error:
            self._note_trouble(error)
            table.changed()
            raise CommandRefusedError(Refusal.JOURNAL) from error
        return table

    def receive(  # noqa: C901 (a line for each kind of message)
        self, table_id: str, message: TableMessage, mark: Mark | None = None
    ) -> None:
        """Take what a table's process says; `mark` is where it stands among a node's facts."""
        table = self.tables[table_id]
        message = table.whites.told(message)
        match message:
            case Seen():
                for event in message.events:
                    self._see(table, event, mark)
            case Supposed():
                table.suppose(message.events)
            case Places():
                table.see_places(message, self.clock_s())
            case Vitals():
                table.live.feel(message)
                table.show_trouble(self.clock_s())
            case Opened():
                table.interrupt()
                table.live.open(message)
                table.changed()
            case Said():
                self._fact(table, message.what, _PLAYERS, mark)
            case Known():
                self._hear_truth(table, message)
            case Started():
                self.process_started(table_id)
            case Lost():
                self.process_lost(table_id)
            case Reply():
                table.line.hear(message)
        if mark is not None:
            self.note_heard(table_id, mark)

    def note_heard(self, table_id: str, mark: Mark) -> None:
        """Remember how far a node's facts are dealt with, unless a stroke is open or waits: it does that itself."""
        table = self.tables[table_id]
        is_open = table.grouper.is_stroke_on or bool(table.waiting)
        if self.journal is None or is_open or table.heard.get(mark.outbox, 0) >= mark.sequence:
            return
        try:
            self.journal.note_heard(table_id, mark)
        except JournalError as error:
            self._note_trouble(error)
            return
        table.heard[mark.outbox] = mark.sequence

    def summaries(self, table_id: str) -> list[MatchSummary]:
        """What the matches of a table came to, the oldest first; the last may still be on."""
        table = self.table(table_id)
        found = [past.summary for past in table.past]
        return found if table.match.play is None else [*found, summary_of(table.match)]

    def match(self, table_id: str, number: int) -> MatchState:
        """The n-th match of a table, counted from 1.

        Raises:
            CommandRefusedError: There is no such match, or the journal cannot be read.
        """
        table = self.table(table_id)
        if number == len(table.past) + 1 and table.match.play is not None:
            return table.match
        if not 1 <= number <= len(table.past):
            raise CommandRefusedError(Refusal.NO_RECORD)
        if self.journal is None:
            raise CommandRefusedError(Refusal.JOURNAL)
        past = table.past[number - 1]
        try:
            return fold(match_entries(self.journal, table_id, past.first, past.last))
        except JournalError as error:
            raise CommandRefusedError(Refusal.JOURNAL) from error

    def put_aside(self, table_id: str, who: str | None = None) -> HubTable:
        """Put the match that is on aside: another one may begin, or this one go on later.

        Raises:
            CommandRefusedError: There is no match, or it could not be stored.
        """
        table = self.ready_table(table_id)
        if not table.is_match_on:
            raise CommandRefusedError(Refusal.NO_MATCH)
        table.played_s = self.played_s(table)
        table.put_away(self._note(table, ASIDE, who, played_s=table.played_s) - 1)
        table.is_put_aside, table.is_stroke_lost = True, False
        table.changed()
        return table

    def resume(self, table_id: str, who: str | None = None) -> HubTable:
        """Go on with the match that was put aside.

        Raises:
            CommandRefusedError: There is none, or it could not be stored.
        """
        table = self.ready_table(table_id)
        if not table.is_put_aside:
            raise CommandRefusedError(Refusal.NO_MATCH)
        match = self.match(table_id, len(table.past))
        self._note(table, RESUMED, who, played_s=table.played_s)
        table.go_on(match)
        table.active_s = self.clock_s()
        table.began_s = table.active_s - table.played_s
        table.changed()
        return table

    def switch(self, table_id: str, who: str, *, on: bool) -> HubTable:
        """Have a table watched, or not, until it is switched again; a hall that is opened anew remembers it."""
        is_news = self.table(table_id).live.is_stopped == on
        table = super().switch(table_id, who, on=on)
        if is_news:
            try:
                self._note(table, STARTED if on else STOPPED, who)
            except CommandRefusedError:
                _log.warning("table %s: the switch could not be stored; a hall opened anew forgets it", table_id)
        return table

    def played_s(self, table: HubTable) -> float:
        """How long the match has been on, or was."""
        return max(0.0, self.clock_s() - table.began_s) if table.is_match_on else table.played_s

    def tick(self) -> None:
        """Notice that time passes: silent witnesses, a journal that may work again."""
        if self.clock_s() - self._tried_s >= RETRY_S:
            self._tried_s = self.clock_s()
            if self.journal is None:
                self.open()
            for table in self.tables.values():
                self._store_waiting(table)
        for table in self.tables.values():
            table.show_trouble(self.clock_s())
            self._look_after(table)

    def _look_after(self, table: HubTable) -> None:
        """Do what nobody says: verify how the balls lie, end the time, put a match aside that everybody has left."""
        matches, now_s = self.config.matches, self.clock_s()
        wished = wished_game(table.match, table.config.default.game) if matches.offer else None
        if table.arrangement.look(table.match, table.live, wished, now_s):
            table.changed()
        if not table.is_match_on or table.live.is_moving or table.grouper.is_stroke_on or table.waiting:
            return
        if is_time_up(table.match, self.played_s(table)):
            self._fact(table, Observe(RefereeInput(kind=TIME_UP)), _CLOCK)
        elif matches.close_after_min and now_s - table.active_s > matches.close_after_min * 60 and self.journal:
            table.active_s = now_s  # a journal that refuses is not asked again at once
            with suppress(CommandRefusedError):
                self.put_aside(table.config.id, _CLOCK)
                _log.info("table %s: nothing has happened for long; its match is put aside", table.config.id)

    def _note(self, table: HubTable, kind: str, who: str | None, *, played_s: float | None = None) -> int:
        """Store something that is no entry of a match; returns its place in the journal."""
        if self.journal is None or table.waiting:
            raise CommandRefusedError(Refusal.JOURNAL)
        body = json.dumps({"who": who, "at_ns": self._wall_ns()})
        if played_s is not None:
            body = with_clock(body, self._reading(played_s))
        try:
            return self.journal.append(table.config.id, [Fact(kind=kind, body=body)])[0].seq
        except JournalError as error:
            self._note_trouble(error)
            table.changed()
            raise CommandRefusedError(Refusal.JOURNAL) from error

    def _reading(self, played_s: float) -> ClockReading:
        """A match's clock now."""
        return ClockReading(self._boot, self.clock_s(), played_s)

    def _set_clock(self, table: HubTable, reading: ClockReading | None) -> None:
        """Set a match's clock by the journal's last reading; by the wall clock where an older version left none."""
        now_s, wall_ns = self.clock_s(), self._wall_ns()
        table.entry_s = now_s - age_s(table.match.entries[-1:], wall_ns)
        if reading is None:
            table.played_s = age_s(table.match.entries[:1], wall_ns)
            table.began_s = now_s - table.played_s
            return
        table.played_s, table.began_s = reading.played_s, now_s - reading.played_at(self._boot, now_s)
        if reading.is_of(self._boot):
            table.entry_s = reading.steady_s

    def _see(self, table: HubTable, event: TableEvent, mark: Mark | None) -> None:
        table.active_s = self.clock_s()
        table.see(event)
        entry = table.completed_by(event)
        if entry is not None and (table.is_match_on or table.waiting):
            self._fact(table, entry, _WITNESS, mark)

    def _hear_truth(self, table: HubTable, message: Known) -> None:
        """Let virtual players correct what was seen wrongly; a stroke that still waits is not compared."""
        if table.match.play is None or table.waiting:
            return
        entered = corrections(table.match, message.number, message.shot)
        if entered:
            table.corrections += 1
            _log.warning(
                "table %s: stroke %d was seen wrongly; its players correct it", table.config.id, message.number
            )
        for what in entered:
            self._fact(table, what, _PLAYERS)

    def _fact(self, table: HubTable, what: Command, who: str, mark: Mark | None = None) -> None:
        """Store and count something that has happened whether we like it or not: it waits if it must."""
        table.waiting.append(Waiting(what=what, who=who, mark=mark))
        self._store_waiting(table)

    def _store_waiting(self, table: HubTable) -> None:
        """Store what waits, oldest first, as far as the journal lets us."""
        while table.waiting:
            try:
                self._do(table, table.waiting[0])
            except JournalError as error:
                self._note_trouble(error)
                table.changed()
                return
            except ScoringError:
                _log.exception("table %s: what was seen cannot be counted: %s", table.config.id, table.waiting[0])
            table.waiting.popleft()
        if self.journal is not None and self.journal_trouble is not None:
            self._trouble_over()

    def _do(self, table: HubTable, given: Waiting) -> None:
        """Fold a command into the match, store it, and only then believe in the new state."""
        if self.journal is None:
            raise JournalError(self.journal_trouble or "the journal is closed")
        state = NO_MATCH if isinstance(given.what, StartMatch) else table.match
        entry = Entry(seq=state.next_seq, what=given.what, who=given.who, at_ns=self._wall_ns(), why=given.why)
        state = apply(state, entry)
        told = messages_of(self.config.webhooks, table.config, table.match, state, entry)
        played_s = 0.0 if isinstance(given.what, StartMatch) else self.played_s(table)
        body = with_clock(entry_to_text(entry), self._reading(played_s))
        fact, mark = Fact(kind=ENTRY, body=body), given.mark
        written = self.journal.append(table.config.id, [fact], told, *([] if mark is None else [mark]))
        if mark is not None:
            table.heard[mark.outbox] = mark.sequence
        if isinstance(given.what, StartMatch):
            table.begin(written[0].seq)
            table.began_s = self.clock_s()
        table.played_s = played_s
        table.hear(given.what)
        table.match, table.is_stroke_lost = state, False
        table.active_s = table.entry_s = self.clock_s()
        for stroke in state.concerns:
            _log.info("%s: %s", table.config.name, stroke_line(state, stroke))
            table.audience.tell(Ruled(stroke=stroke))
        table.changed()

    def _note_trouble(self, error: JournalError) -> None:
        if self.journal_trouble != str(error):
            _log.error("%s", error)
        self.journal_trouble = str(error)
        if (
            self.journal is not None and self.journal.is_served
        ):  # was it stored all the same? what is there is read anew
            self.close()

    def _trouble_over(self) -> None:
        _log.info("the journal can be written again")
        self.journal_trouble = None
        for table in self.tables.values():
            table.changed()
