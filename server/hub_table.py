"""One table as the hub keeps it: its match, its balls, its audience, and what waits to be stored."""

import logging
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from scoring.commands import Command, CorrectShot, PlayShot
from scoring.events import Moved, Potted, Rest, Strike, TableEvent
from scoring.match import NO_MATCH, MatchState
from scoring.setup import Phase
from scoring.shots import Shot
from server.arrangement import Arrangement
from server.changes import Audience, EventSeen, PlacesSeen, StateChanged
from server.config import TableConfig
from server.journal import Mark
from server.live import LiveTable
from server.match_clock import ClockReading
from server.messages import Places, Trouble
from server.records import MatchSummary, summary_of
from server.strokes import Interlude, Stroke, StrokeGrouper, doubted
from server.table_line import TableLine
from server.whites import Whites

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A fact that is not stored yet."""

    what: Command
    who: str | None
    why: str | None = None
    mark: Mark | None = None  # the node's fact that it follows from


@dataclass(frozen=True, slots=True, kw_only=True)
class PastMatch:
    """A match that another one has followed or that was put aside, and where the journal keeps it."""

    summary: MatchSummary
    first: int
    last: int


@dataclass(slots=True)
class HubTable:
    """One table: its match, its balls, its audience, and what waits to be stored."""

    config: TableConfig
    match: MatchState = NO_MATCH
    match_first: int = 0  # where the journal keeps its first entry
    past: list[PastMatch] = field(default_factory=list)
    is_put_aside: bool = False  # the last of the past ones, which may go on
    began_s: float = 0.0  # when the match began, and when something last happened, on the hub's steady clock
    active_s: float = 0.0
    entry_s: float = 0.0  # when its last entry was stored, on the same clock
    played_s: float = 0.0  # how long the match had been on when its last entry was stored, or it was put aside
    reading: ClockReading | None = None  # what the journal says of that, when it is folded
    arrangement: Arrangement = field(default_factory=Arrangement)
    live: LiveTable = field(default_factory=LiveTable)
    line: TableLine = field(default_factory=TableLine)
    grouper: StrokeGrouper = field(default_factory=StrokeGrouper)
    audience: Audience = field(default_factory=Audience)
    waiting: deque[Waiting] = field(default_factory=deque)
    heard: dict[str, int] = field(default_factory=dict)  # how far each outbox's facts are stored
    whites: Whites = field(default_factory=Whites)
    is_stroke_lost: bool = False
    corrections: int = 0  # strokes that virtual players had to correct
    version: int = 0
    shown_trouble: Trouble | None = None
    shown_detail: str = ""

    @property
    def is_match_on(self) -> bool:
        """Whether strokes count."""
        return self.match.play is not None and self.match.standing.phase is not Phase.OVER

    @property
    def strokes_played(self) -> int:
        """How many strokes the match that is on has, those that wait included."""
        if not self.is_match_on:
            return 0
        shots = [record.shot for record in self.match.records]
        shots += [one.what.shot for one in self.waiting if isinstance(one.what, PlayShot)]
        return sum(any(isinstance(event, Strike) for event in shot.events) for shot in shots)

    def drop_stored(self) -> None:
        """Forget what waited in vain: it had been stored, only nobody was told so."""
        while self.waiting:
            mark, entries = self.waiting[0].mark, self.match.entries
            is_heard = mark is not None and self.heard.get(mark.outbox, 0) >= mark.sequence
            if not is_heard and not (entries and entries[-1].what == self.waiting[0].what):
                return
            self.waiting.popleft()

    def interrupt(self) -> None:
        """The witness was blind for a while: a stroke that was under way is not counted by itself."""
        is_stroke_on, self.whites = self.live.is_moving, Whites()
        if self.grouper.interrupt() or is_stroke_on:
            self.is_stroke_lost = self.is_match_on
            _log.error("table %s: a stroke was not seen to its end; its score must be entered by hand", self.config.id)
        self.changed()

    def show_trouble(self, now_s: float) -> None:
        """Tell what is wrong with the witness, when it is news."""
        trouble, detail = self.live.trouble(now_s), self.live.detail
        if trouble != self.shown_trouble:
            _log.info("table %s: %s", self.config.id, f"{trouble} {detail}".strip() if trouble else "all is well")
        if (trouble, detail) != (self.shown_trouble, self.shown_detail):
            self.shown_trouble, self.shown_detail = trouble, detail
            self.changed()

    def begin(self, first: int) -> None:
        """Another match follows: what the one before came to is remembered."""
        self.put_away(first - 1)
        self.match_first, self.is_put_aside = first, False

    def put_away(self, last: int) -> None:
        """The match is none any more; `last` is where the journal keeps its last entry."""
        if self.match.play is not None:
            self.past.append(PastMatch(summary=summary_of(self.match), first=self.match_first, last=last))
        self.match = NO_MATCH

    def go_on(self, match: MatchState) -> None:
        """The match that was put aside goes on."""
        self.match, self.match_first, self.is_put_aside = match, self.past.pop().first, False

    def hear(self, what: Command) -> None:
        """What is entered may show that the witness has the names of the whites the wrong way round."""
        if self.whites.hear(self.match, what) and self.grouper.layout is not None:
            self.grouper.layout = self.whites.named(self.grouper.layout)

    def see(self, event: TableEvent) -> None:
        """A fact: tell the audience, and whether it corrects what was supposed."""
        self.live.see_event(event)
        self.audience.tell(EventSeen(event=event, corrects=self.live.supposing.corrects(event)))

    def completed_by(self, event: TableEvent) -> PlayShot | CorrectShot | None:
        """What is to be entered now that this has been seen: a stroke that is over, or one that potted a ball yet."""
        if isinstance(event, Strike) and self.grouper.layout is None and self.live.before_motion:
            self.grouper.layout = self.live.before_motion
        match self.grouper.take(event):
            case Stroke() as stroke:
                self.is_stroke_lost = False
                events = tuple(doubted(event, self.config.ask_below) for event in stroke.events)
                return PlayShot(Shot(before=stroke.before, events=self.whites.doubted(events, self.match)))
            case Interlude(event=alone) if not isinstance(alone, Moved):
                alone = doubted(alone, self.config.ask_below)
                return self._amended(alone) or PlayShot(Shot(before=self.grouper.layout, events=(alone,)))
            case _:
                return None

    def _amended(self, late: TableEvent) -> CorrectShot | None:
        """The last stroke with a ball that fell after rest, if the witness tells it with that stroke."""
        if not isinstance(late, Potted) or late.shot is None or self.waiting or not self.match.records:
            return None
        record = self.match.records[-1]
        *events, rest = record.shot.events or (late,)
        if not isinstance(rest, Rest) or rest.shot != late.shot:
            return None
        places = {ball: at for ball, at in rest.balls.items() if ball != late.ball}
        rest = replace(rest, t_s=max(rest.t_s, late.t_s), balls=places)
        return CorrectShot(record.number, replace(record.shot, events=(*events, late, rest)))

    def suppose(self, events: Iterable[TableEvent]) -> None:
        """What seems to have happened is shown, and goes nowhere else."""
        for event in events:
            self.live.supposing.suppose(event)
            self.audience.tell(EventSeen(event=event, is_provisional=True))

    def see_places(self, places: Places, now_s: float) -> None:
        """The balls are elsewhere."""
        was_moving = self.live.is_moving
        if self.live.see_places(places, now_s):
            self.audience.tell(PlacesSeen(places=places))
        if self.live.is_moving != was_moving:
            self.changed()

    def changed(self) -> None:
        """Tell everybody to look anew."""
        self.version += 1
        self.audience.tell(StateChanged())
