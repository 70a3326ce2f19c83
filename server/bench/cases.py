"""The scripted cases, rendered and seen by the real pipeline: a verdict per case, and where it differs."""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from hardware.virtual.difficulty import Difficulty
from hardware.virtual.mishaps import NO_MISHAPS
from hardware.virtual.performance import perform_case
from hardware.virtual.picture import make_look, make_view
from hardware.virtual.picture.film import Film
from hardware.virtual.recording import RecordingPlan
from scoring.table import Table
from server.bench.comparison import Comparison
from server.bench.matches import see_performance

_PLAN = RecordingPlan(fps=60.0, has_sensors=False, has_video=False)
_WORST_FIRST = ("silent", "invented", "flagged", "exact")
_WORDS = {"silent": "silently wrong"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseVerdict:
    """One case as it was read.

    `verdict` is that of its worst stroke; `differences` are in what scoring reads, `events` also in what it does not.
    """

    name: str
    difficulty: str
    seed: int
    verdict: str
    asks: bool
    differences: tuple[str, ...]
    events: tuple[str, ...]

    @property
    def line(self) -> str:
        """For people."""
        verdict = _WORDS.get(self.verdict, self.verdict)
        asks = ", asks" if self.asks and self.verdict == "exact" else ""
        told = "; ".join((*self.differences, *(f"({each})" for each in self.events)))
        return f"{self.name}, {self.difficulty}, seed {self.seed}: {verdict}{asks}{': ' if told else ''}{told}"


def see_case(
    name: str, difficulty: Difficulty, seed: int = 1, stretch_s: tuple[float, float] = (0.0, math.inf)
) -> CaseVerdict:
    """Play a case, look at it, or at a stretch of it, at 1280x720 and 60 frames per second, compare.

    Raises:
        UnknownCaseError: nobody has written it.
    """
    performance = perform_case(name, seed, difficulty)
    film = _empty_hall(performance.table, seed, difficulty).through(performance.mishaps or NO_MISHAPS)
    seen = see_performance(performance, _PLAN, film=film, stretch_s=stretch_s)
    return verdict_of(name, difficulty, seed, seen.comparison)


@lru_cache(maxsize=2)
def _empty_hall(table: Table, seed: int, difficulty: Difficulty) -> Film:
    """The hall of a seed, whose empty table is painted once for all cases."""
    look = make_look(seed, difficulty, length_mm=table.length_mm, width_mm=table.width_mm)
    return Film(table, make_view(table, seed, difficulty, _PLAN.size_px), look)


def verdict_of(name: str, difficulty: Difficulty, seed: int, comparison: Comparison) -> CaseVerdict:
    """Put the strokes of a case together."""
    strokes = comparison.strokes
    return CaseVerdict(
        name=name,
        difficulty=difficulty.value,
        seed=seed,
        verdict=min((stroke.verdict for stroke in strokes), key=_WORST_FIRST.index, default="exact"),
        asks=any(stroke.asks for stroke in strokes),
        differences=tuple(f"at {stroke.t_s:.2f} s {stroke.difference}" for stroke in strokes if stroke.difference),
        events=tuple(_miscounts(comparison)),
    )


def cases_json(verdicts: Iterable[CaseVerdict]) -> dict[str, Any]:
    """For programs."""
    return {"cases": [asdict(verdict) for verdict in verdicts]}


def cases_summary(verdicts: Iterable[CaseVerdict]) -> str:
    """How many of each verdict."""
    found = [verdict.verdict for verdict in verdicts]
    counts = ", ".join(f"{found.count(each)} {_WORDS.get(each, each)}" for each in reversed(_WORST_FIRST))
    return f"{len(found)} cases: {counts}"


def _miscounts(comparison: Comparison) -> Iterable[str]:
    for kind in comparison.kinds:
        missed, untrue = kind.true - kind.matched, kind.predicted - kind.matched
        counts = [f"{count} {word}" for count, word in ((missed, "missed"), (untrue, "untrue")) if count]
        if counts:
            yield f"{kind.kind}: {', '.join(counts)}"
