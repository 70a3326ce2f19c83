"""Latencies as a table for a person and as JSON; the load is told beside them, for it makes them."""

from typing import Any

from rich.table import Table

from server.bench.latency import Latency, percentile
from server.bench.speed import SpeedPlan

KINDS = {"board_s": "last ball at rest to ruling on the page", "glimpse_s": "strike to first provisional event on it"}


def latency_table(latency: Latency) -> Table:
    """A row per kind, in milliseconds."""
    table = Table(title="latency (ms)")
    table.add_column("what")
    for column in ("strokes", "of", "p50", "p95", "longest"):
        table.add_column(column, justify="right")
    for kind, what in KINDS.items():
        times = latency.of(kind)
        shown = [percentile(times, 0.5), percentile(times, 0.95), times[-1] if times else None]
        numbers = ("-" if time_s is None else f"{1e3 * time_s:.0f}" for time_s in shown)
        table.add_row(what, str(len(times)), str(len(latency.strokes)), *numbers)
    return table


def latency_line(plan: SpeedPlan, latency: Latency) -> str:
    """On what it was measured."""
    before, after = latency.load
    return (
        f"{plan.game}, seed {plan.seed}, {plan.name}; load {before:.1f} before and {after:.1f} after; "
        f"{latency.frames} pictures looked at, {latency.dropped} dropped"
    )


def latency_json(plan: SpeedPlan, latency: Latency) -> dict[str, Any]:
    """The same for programs."""
    return {
        "plan": {"game": plan.game, "seed": plan.seed, "strokes": plan.strokes, "fps": plan.fps}
        | {"size_px": list(plan.size_px), "difficulty": plan.difficulty.value},
        "load": [round(load, 2) for load in latency.load],
        "frames": latency.frames,
        "dropped": latency.dropped,
        **{
            kind: {
                "p50": percentile(latency.of(kind), 0.5),
                "p95": percentile(latency.of(kind), 0.95),
                "each": [getattr(stroke, kind) for stroke in latency.strokes],
            }
            for kind in KINDS
        },
    }
