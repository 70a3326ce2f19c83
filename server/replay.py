"""Recorded table events played back in their own time, for teaching staff and for tests; the board says so.

A line is a table event (contract, section 2), or what people say: `{"t": …, "type": "call", "call": {…}}`,
`{"t": …, "type": "match", "game": "kaisa", "players": ["Anna", "Boris"]}`. An event with `"provisional": true` is one
that was only supposed while the balls rolled.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scoring.balls import Ball
from scoring.commands import Announce, StartMatch
from scoring.errors import ScoringError
from scoring.events import Contact, CushionHit, Moved, OffTable, Potted, Rest, Strike, TableEvent
from scoring.fields import listed, number, text
from scoring.notation import call_from_json, event_from_json
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.table import Point
from server.errors import ServerError
from server.messages import Finished, Places, Said, Seen, Supposed, TableMessage, Vitals

_TICK_S = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """What happens at an instant of the recording."""

    t_s: float
    what: TableEvent | Announce | StartMatch
    is_provisional: bool = False


def read_replay(path: Path) -> tuple[Cue, ...]:
    """Read a recording.

    Raises:
        ServerError: It cannot be read; the message names the line.
    """
    cues = []
    try:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if line.strip():
                cues.append(_cue(json.loads(line), f"{path}, line {number}"))
    except OSError as error:
        message = f"{path}: cannot be read ({error.strerror}); see the table's source in the hall file"
        raise ServerError(message) from error
    except (ValueError, ScoringError) as error:
        message = f"{path}: {error}"
        raise ServerError(message) from error
    return tuple(sorted(cues, key=lambda cue: cue.t_s))


def _cue(record: object, where: str) -> Cue:
    if not isinstance(record, dict):
        message = f"{where}: must be an object, not {record!r}"
        raise ScoringError(message)
    match record.get("type"):
        case "call":
            return Cue(
                t_s=number(record.get("t"), f"{where}: t"), what=Announce(call_from_json(record.get("call"), where))
            )
        case "match":
            players = [text(name, f"{where}: players") for name in listed(record.get("players"), f"{where}: players")]
            setup = Setup(game=text(record.get("game"), f"{where}: game"), sides=singles(*players))
            beginning = Beginning(phase=Phase.OPENING, shooter=players[0])
            return Cue(t_s=number(record.get("t"), f"{where}: t"), what=StartMatch(setup, beginning))
        case _:
            pass
    is_provisional = record.pop("provisional", False) is True
    event = event_from_json(record, where=where)
    return Cue(t_s=event.t_s, what=event, is_provisional=is_provisional)


@dataclass(slots=True)
class Replay:
    """Tells the hub what was recorded, at its time."""

    cues: tuple[Cue, ...]
    speed: float = 1.0
    skip: int = 0  # strokes that have been told before
    sleep: Callable[[float], None] = time.sleep
    clock_ns: Callable[[], int] = time.monotonic_ns

    def messages(self) -> Iterator[TableMessage]:
        """Everything that the recording holds, then vitals for ever: the board stays as it is."""
        cues = after_strokes(self.cues, self.skip)
        start_ns, balls, is_moving = self.clock_ns(), dict[Ball, Point](), False
        first_s = cues[0].t_s if cues else 0.0
        yield self._vitals()
        for cue in cues:
            yield from self._wait_until(start_ns + int((cue.t_s - first_s) / self.speed * 1e9))
            if isinstance(cue.what, StartMatch | Announce):
                yield Said(what=cue.what)
                continue
            if cue.is_provisional:
                yield Supposed(events=(cue.what,))
                continue
            yield Seen(events=(cue.what,))
            is_moving = isinstance(cue.what, Strike) or (is_moving and not isinstance(cue.what, Rest))
            if _put(balls, cue.what) or isinstance(cue.what, Strike):
                yield Places(t_s=self.clock_ns() / 1e9, balls=dict(balls), is_moving=is_moving)
        yield Finished()
        while True:
            self.sleep(_TICK_S)
            yield self._vitals()

    def _wait_until(self, t_ns: int) -> Iterator[TableMessage]:
        while (left_s := (t_ns - self.clock_ns()) / 1e9) > 0:
            self.sleep(min(left_s, _TICK_S))
            yield self._vitals()

    def _vitals(self) -> Vitals:
        return Vitals(picture_ns=self.clock_ns())


def after_strokes(cues: tuple[Cue, ...], count: int) -> tuple[Cue, ...]:
    """What follows the first `count` strokes."""
    rests = [index for index, cue in enumerate(cues) if isinstance(cue.what, Rest) and _ends_stroke(cues[:index])]
    return cues if count == 0 else cues[rests[min(count, len(rests)) - 1] + 1 :] if rests else ()


def _ends_stroke(before: tuple[Cue, ...]) -> bool:
    """Whether a stroke is on after these."""
    for cue in reversed(before):
        if isinstance(cue.what, Strike):
            return True
        if isinstance(cue.what, Rest):
            return False
    return False


def _put(balls: dict[Ball, Point], event: TableEvent) -> bool:
    """Note where an event shows a ball to be; False when it shows nothing."""
    match event:
        case Rest(balls=places) if places:
            balls.clear()
            balls.update(places)
        case CushionHit(ball=ball, at=Point() as place) | Moved(ball=ball, target=Point() as place):
            balls[ball] = place
        case Contact(ball=ball, at=Point() as place):
            balls[ball] = place
        case Potted(ball=ball) | OffTable(ball=ball, returned=False):
            balls.pop(ball, None)
        case _:
            return False
    return True
