"""One table as the hub keeps it: its match, its balls, its audience, and what waits to be stored."""

from collections import deque
from dataclasses import dataclass, field

from scoring.commands import Command
from scoring.match import NO_MATCH, MatchState
from scoring.setup import Phase
from server.arrangement import Arrangement
from server.changes import Audience, StateChanged
from server.config import TableConfig
from server.live import LiveTable
from server.messages import Trouble
from server.records import MatchSummary, summary_of
from server.strokes import StrokeGrouper
from server.table_line import TableLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A fact that is not stored yet."""

    what: Command
    who: str | None
    why: str | None = None


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
    arrangement: Arrangement = field(default_factory=Arrangement)
    live: LiveTable = field(default_factory=LiveTable)
    line: TableLine = field(default_factory=TableLine)
    grouper: StrokeGrouper = field(default_factory=StrokeGrouper)
    audience: Audience = field(default_factory=Audience)
    waiting: deque[Waiting] = field(default_factory=deque)
    is_stroke_lost: bool = False
    corrections: int = 0  # strokes that virtual players had to correct
    version: int = 0
    shown_trouble: Trouble | None = None
    shown_detail: str = ""

    @property
    def is_match_on(self) -> bool:
        """Whether strokes count."""
        return self.match.play is not None and self.match.standing.phase is not Phase.OVER

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

    def changed(self) -> None:
        """Tell everybody to look anew."""
        self.version += 1
        self.audience.tell(StateChanged())
