"""Figures of virtual matches as tables for a person and as JSON; rendered figures are an upper bound of real ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from server.bench.comparison import KINDS, NOSE, KindFigures, StrokeVerdict
from server.bench.intervals import Share
from server.bench.matches import SeenMatch

VERDICTS = ("exact", "flagged", "silent", "invented")


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFigures:
    """Many matches together."""

    kinds: tuple[KindFigures, ...]
    shares: dict[str, Share]
    ms_per_frame: float
    frames: int


def figures_of(matches: Sequence[SeenMatch]) -> EventFigures:
    """Add the matches up."""
    kinds = []
    for kind in (*KINDS, NOSE):
        parts = [one for match in matches for one in match.comparison.kinds if one.kind == kind]
        gaps_ms = tuple(gap for part in parts for gap in part.gaps_ms)
        true, predicted = sum(part.true for part in parts), sum(part.predicted for part in parts)
        if true or predicted:
            kinds.append(KindFigures(kind=kind, true=true, predicted=predicted, gaps_ms=gaps_ms))
    strokes = [stroke for match in matches for stroke in match.comparison.strokes]
    played = [stroke for stroke in strokes if stroke.verdict != "invented"]
    shares = {name: Share(count=_count(strokes, name), total=len(played)) for name in VERDICTS}
    shares["first ball right"] = Share(count=sum(stroke.first_is_right for stroke in played), total=len(played))
    shares["asks"] = Share(count=sum(stroke.asks for stroke in strokes), total=len(played))
    frames = sum(match.frames for match in matches)
    look_s = sum(match.look_s for match in matches)
    return EventFigures(kinds=tuple(kinds), shares=shares, ms_per_frame=1e3 * look_s / max(1, frames), frames=frames)


def kinds_table(figures: EventFigures) -> Table:
    """A row per kind of event."""
    table = Table(title="events (rendered: an upper bound)")
    table.add_column("event")
    for column in ("true", "told", "matched", "precision", "recall", "F1", "median ms", "p95 ms"):
        table.add_column(column, justify="right")
    for row in figures.kinds:
        table.add_row(
            row.kind,
            *(str(count) for count in (row.true, row.predicted, row.matched)),
            *(f"{share:.3f}" for share in (row.precision, row.recall, row.f1)),
            *("-" if time is None else f"{time:.1f}" for time in (row.median_ms, row.p95_ms)),
        )
    return table


def strokes_table(figures: EventFigures) -> Table:
    """A row per verdict."""
    table = Table(title="strokes")
    table.add_column("strokes")
    for column in ("count", "of", "share", "95 % interval"):
        table.add_column(column, justify="right")
    for name, share in figures.shares.items():
        low, high = share.interval
        interval = f"{low:.1%} to {high:.1%}" if share.count <= share.total else "-"
        table.add_row(name, str(share.count), str(share.total), f"{share.value:.1%}", interval)
    return table


def stroke_line(seed: int, stroke: StrokeVerdict) -> str:
    """A stroke that was not exact, so that somebody can look at it."""
    return f"seed {seed}, {stroke.t_s:.2f} s: {stroke.verdict}: {stroke.difference}"


def events_json(matches: Sequence[SeenMatch], figures: EventFigures) -> dict[str, Any]:
    """The same for programs."""
    return {
        "rendered": "an upper bound of what real pictures give",
        "events": {row.kind: _kind_json(row) for row in figures.kinds},
        "strokes": {name: _share_json(share) for name, share in figures.shares.items()},
        "not_exact": [
            {"seed": match.seed, "t_s": round(stroke.t_s, 3), "verdict": stroke.verdict, "what": stroke.difference}
            for match in matches
            for stroke in match.comparison.strokes
            if stroke.verdict != "exact"
        ],
        "frames": figures.frames,
        "ms_per_frame": round(figures.ms_per_frame, 3),
        "fps": sorted({match.fps for match in matches}),
        "seeds": [match.seed for match in matches],
    }


def _kind_json(row: KindFigures) -> dict[str, Any]:
    return {
        "true": row.true,
        "predicted": row.predicted,
        "matched": row.matched,
        "precision": round(row.precision, 4),
        "recall": round(row.recall, 4),
        "f1": round(row.f1, 4),
        "median_ms": None if row.median_ms is None else round(row.median_ms, 1),
        "p95_ms": None if row.p95_ms is None else round(row.p95_ms, 1),
    }


def _share_json(share: Share) -> dict[str, Any]:
    low, high = share.interval
    return {"count": share.count, "of": share.total, "low": round(low, 4), "high": round(high, 4)}


def _count(strokes: Sequence[StrokeVerdict], verdict: str) -> int:
    return sum(stroke.verdict == verdict for stroke in strokes)
