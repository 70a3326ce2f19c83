"""A table that is watched while its camera and its sensors fail in turn: delays, events lost or doubled, growth."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from scoring.events import Potted, Rest, Strike
from server.bench.soak_stage import Fault, SoakStage
from server.errors import ServerError
from server.messages import Opened, Places, Seen, TableMessage, Vitals
from server.table_process import TableTask
from server.watching import watch

SCHEDULE_S = 180.0  # in a hall where something fails every three minutes
NOTICED_S, TOLD_S, HEALED_S = 2.0, 3.0, 10.0  # what is asked for
SENSORS_NOTICED_S = 3.0  # a board speaks once a second, and two heartbeats may get lost
_WARM_UP = 5  # cycles before anything is measured
_LYING_S = 2.5  # balls are seen lying, and whoever looks has warmed up, before they are played with
_BROKEN_S = 0.6  # a fault goes on for so long after it has been told
_STROKE_S = 30.0  # a stroke that is not told by then is lost
_PATIENCE_S = 60.0
_LOG = logging.getLogger(__name__)

Teller = Callable[[TableMessage], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultDelays:
    """How long one fault took to be noticed by the process, told on the board, and healed after its end."""

    fault: Fault
    noticed_s: float
    told_s: float
    healed_s: float

    @property
    def is_late(self) -> bool:
        """Whether it was not noticed, told or healed in time."""
        noticed_s = SENSORS_NOTICED_S if self.fault.trouble == "sensors_lost" else NOTICED_S
        return self.noticed_s > noticed_s or self.told_s > TOLD_S or self.healed_s > HEALED_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """What the process holds at a moment."""

    t_s: float
    memory_kb: int
    threads: int
    handles: int


@dataclass(slots=True)
class SoakReport:
    """What came of it. `strikes`, `pots` and `rests` are those told; each cycle plays one stroke with one pot."""

    delays: list[FaultDelays] = field(default_factory=list)
    sizes: list[Size] = field(default_factory=list)
    cycles: int = 0
    strikes: int = 0
    pots: int = 0
    felt: int = 0  # pots that the sensors felt too
    rests: int = 0

    @property
    def lost_or_doubled(self) -> int:
        """Events that are missing or too many, sensors' included."""
        return sum(abs(count - self.cycles) for count in (self.strikes, self.pots, self.felt, self.rests))

    def slope(self, read: Callable[[Size], float]) -> float:
        """By how much something grows in a hundred cycles, after the warm-up."""
        values = [read(size) for size in self.sizes[_WARM_UP:]]
        return 100 * float(np.polyfit(np.arange(len(values)), values, 1)[0]) if len(values) > 1 else 0.0

    def late(self) -> tuple[FaultDelays, ...]:
        """The faults that were not noticed, told or healed in time."""
        return tuple(each for each in self.delays if each.is_late)


@dataclass(slots=True)
class Soak:
    """Runs cycles: balls lie, a stroke is played, something fails and comes back.

    `tell` takes everything that the table's process says, and answers what the board says is wrong (None: nothing).
    """

    stage: SoakStage
    tell: Teller
    report: SoakReport = field(default_factory=SoakReport)
    _messages: Iterator[TableMessage] = field(init=False)
    _trouble: str | None = None
    _board: str | None = None
    _has_fresh_eyes: bool = False
    _lying: int = 0  # balls that are seen at rest
    _missed: int = 0

    def run(self, cycles: int, progress: Callable[[int], None] = lambda _: None) -> SoakReport:
        """Run so many cycles.

        Raises:
            ServerError: A fault was never noticed, or never healed.
        """
        messages = watch(TableTask(config=self.stage.config))
        with closing(messages):  # type: ignore[type-var]
            self._messages = messages
            self._until(lambda: self._has_fresh_eyes and self._trouble is None, "the camera to be seen")
            for number in range(cycles):
                self._play()
                self._break(self.stage.faults[number % len(self.stage.faults)])
                self.report.sizes.append(size_now())
                progress(number + 1)
        return self.report

    def _play(self) -> None:
        """A stroke before fresh eyes, and wait until it has been told."""
        if not self._has_fresh_eyes:
            self.stage.cut_for_a_moment()
            self._until(lambda: self._has_fresh_eyes, "fresh eyes")
        self._until(lambda: self._trouble is None, "all to be well")
        self._until(lambda: self._lying == self.stage.balls, "all balls to be seen")
        self._look(_LYING_S)
        rests, until_s = self.report.rests, time.monotonic() + _STROKE_S
        self.stage.play()
        self._until(lambda: self.report.rests > rests or time.monotonic() > until_s, "the stroke to be told")
        self._has_fresh_eyes = False
        self.report.cycles += 1
        report, missed = self.report, self.report.lost_or_doubled
        if missed != self._missed:
            counts = (report.strikes, report.pots, report.felt, report.rests)
            _LOG.warning("after %d strokes there are %d strikes, %d pots, %d felt, %d ends", report.cycles, *counts)
        self._missed = missed

    def _break(self, fault: Fault) -> None:
        began_s = time.monotonic()
        self.stage.begin(fault)
        noticed_s = self._until(lambda: self._trouble == fault.trouble, f"{fault.name} to be noticed") - began_s
        told_s = self._until(lambda: self._board is not None, f"{fault.name} to be told") - began_s
        self._look(_BROKEN_S)
        ended_s = time.monotonic()
        self.stage.end(fault)
        well_s = self._until(lambda: self._trouble is None and self._board is None, f"{fault.name} to be healed")
        self.report.delays.append(
            FaultDelays(fault=fault, noticed_s=noticed_s, told_s=told_s, healed_s=well_s - ended_s)
        )

    def _look(self, seconds: float) -> None:
        until_s = time.monotonic() + seconds
        self._until(lambda: time.monotonic() > until_s, "time to pass")

    def _until(self, is_so: Callable[[], bool], what: str) -> float:
        """Take messages until something is so; returns when that was."""
        deadline_s = time.monotonic() + _PATIENCE_S
        while not is_so():
            self.stage.step()
            self._take(next(self._messages))
            if time.monotonic() > deadline_s:
                message = f"soak: waited {_PATIENCE_S:.0f} s in vain for {what}; the board says {self._board!r}"
                raise ServerError(message)
        return time.monotonic()

    def _take(self, message: TableMessage) -> None:
        match message:
            case Opened():
                self._has_fresh_eyes, self._lying = True, 0
            case Vitals():
                self._trouble = message.trouble
            case Places():
                self._lying = 0 if message.is_moving else len(message.balls)
            case Seen():
                for event in message.events:
                    self.report.strikes += isinstance(event, Strike)
                    self.report.rests += isinstance(event, Rest)
                    self.report.pots += isinstance(event, Potted)
                    self.report.felt += isinstance(event, Potted) and "sensor" in event.sources
            case _:
                pass
        self._board = self.tell(message)


def size_now() -> Size:
    """What this process holds."""
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    facts = dict(line.split(":", 1) for line in status)
    return Size(
        t_s=time.monotonic(),
        memory_kb=int(facts["VmRSS"].split()[0]),
        threads=int(facts["Threads"]),
        handles=len(list(Path("/proc/self/fd").iterdir())),
    )
