"""Groups a table's events into strokes, and knows how the balls lie in between."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from scoring.balls import Ball
from scoring.events import Moved, OffTable, Potted, Rest, Strike, TableEvent
from scoring.table import Point


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """Everything from a strike to rest, and how the balls lay before it (None: nobody knows)."""

    before: Mapping[Ball, Point] | None
    events: tuple[TableEvent, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interlude:
    """Something that happened while no stroke was on: a hand, a ball that fell by itself."""

    event: TableEvent


@dataclass(slots=True)
class StrokeGrouper:
    """Takes events one by one; a stroke comes out with the `rest` that ends it."""

    layout: Mapping[Ball, Point] | None = None
    _open: list[TableEvent] = field(default_factory=list)
    _before: Mapping[Ball, Point] | None = None

    @property
    def is_stroke_on(self) -> bool:
        """Whether balls are rolling."""
        return bool(self._open)

    def take(self, event: TableEvent) -> Stroke | Interlude | None:
        """Add an event; say what it completes."""
        if self._open:
            self._open.append(event)
            if not isinstance(event, Rest):
                return None
            done = Stroke(before=self._before, events=tuple(self._open))
            self._open = []
            self.layout = dict(event.balls)
            return done
        match event:
            case Strike():
                self._before = self.layout
                self._open = [event]
                return None
            case Rest():
                self.layout = dict(event.balls)
                return None
            case _:
                self.layout = _changed(self.layout, event)
                return Interlude(event=event)

    def interrupt(self) -> bool:
        """Forget what is open and how the balls lie: the witness was blind for a while. True if a stroke is lost."""
        lost = bool(self._open)
        self._open, self._before, self.layout = [], None, None
        return lost


def _changed(layout: Mapping[Ball, Point] | None, event: TableEvent) -> Mapping[Ball, Point] | None:
    """The layout after something that is no stroke."""
    if layout is None:
        return None
    changed = dict(layout)
    match event:
        case Moved(ball=ball, target=Point() as target):
            changed[ball] = target
        case Moved(ball=ball) | Potted(ball=ball) | OffTable(ball=ball, returned=False):
            changed.pop(ball, None)
        case _:
            pass
    return changed


def doubted(event: TableEvent, ask_below: float) -> TableEvent:
    """An event that is not sure enough for this table is flagged, so that people are asked where it matters."""
    if event.confidence >= ask_below or event.flagged:
        return event
    return replace(event, flagged=True, reason=f"only {event.confidence:.0%} sure")
