"""Tables run live from recordings: pictures dropped, CPU for each second of video, memory, and the cold start."""

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from server.bench.hall_process import HallProcess, HallTable, cpu_s, peak_mb, running_hall
from server.errors import ServerError

_FIRST_S = 120.0  # the longest that the first picture may take
_SETTLE_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTable:
    """One table's process; `cpu_share` is CPU seconds for each second of video, so load by others hardly changes it."""

    frames: int
    dropped: int
    cpu_share: float
    peak_mb: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRun:
    """Some tables at once."""

    name: str
    seconds: float
    tables: tuple[LiveTable, ...]
    hub_cpu_share: float
    hub_peak_mb: float
    cold_start_s: float


def run_live(name: str, recordings: Sequence[Path], seconds: float) -> LiveRun:
    """Serve a table for each recording, over and over, for so long.

    Raises:
        ServerError: A table shows nothing.
    """
    tables = [HallTable(id=f"table-{number}", folder=folder) for number, folder in enumerate(recordings, 1)]
    with tempfile.TemporaryDirectory(prefix="cuemarker-bench-") as folder, running_hall(tables, Path(folder)) as hall:
        cold_start_s = _wait_for_pictures(hall, len(tables))
        time.sleep(_SETTLE_S)
        pids = hall.table_pids()
        cpu_before, seen_before, lost_before = _taken(hall, pids)
        began_s = time.monotonic()
        time.sleep(seconds)
        cpu_after, seen_after, lost_after = _taken(hall, pids)
        span_s = time.monotonic() - began_s
        shares = [(late - early) / span_s for early, late in zip(cpu_before, cpu_after, strict=True)]
        return LiveRun(
            name=name,
            seconds=span_s,
            tables=tuple(
                LiveTable(
                    frames=round(seen_after[table.id] - seen_before[table.id]),
                    dropped=round(lost_after[table.id] - lost_before[table.id]),
                    cpu_share=share,
                    peak_mb=peak_mb(pid),
                )
                for table, share, pid in zip(tables, shares[1:], pids, strict=True)
            ),
            hub_cpu_share=shares[0],
            hub_peak_mb=peak_mb(hall.pid),
            cold_start_s=cold_start_s,
        )


def _wait_for_pictures(hall: HallProcess, count: int) -> float:
    """Seconds from the start of the hall's process until every table has looked at a picture."""
    while True:
        seen = hall.numbers("frames_total")
        passed_s = time.monotonic() - hall.started_s
        if len(seen) == count and all(seen.values()):
            return passed_s
        if passed_s > _FIRST_S:
            message = f"only {sum(map(bool, seen.values()))} of {count} tables show a picture after {passed_s:.0f} s"
            raise ServerError(message)
        time.sleep(0.02)


def _taken(hall: HallProcess, pids: Sequence[int]) -> tuple[list[float], dict[str, float], dict[str, float]]:
    """CPU seconds of the hub and the tables, pictures looked at, and pictures dropped."""
    numbers = hall.numbers("frames_total"), hall.numbers("dropped_frames_total")
    return [cpu_s(pid) for pid in (hall.pid, *pids)], *numbers


def live_table(runs: Sequence[LiveRun]) -> Table:
    """A row for each table and each hub."""
    shown = Table(title="tables run live")
    for heading in ("run", "process", "frames", "dropped", "CPU s per s of video", "peak MB", "cold start s"):
        shown.add_column(heading, justify="left" if heading in {"run", "process"} else "right")
    for run in runs:
        for number, one in enumerate(run.tables, 1):
            numbers = (str(one.frames), str(one.dropped), f"{one.cpu_share:.2f}", f"{one.peak_mb:.0f}")
            shown.add_row(run.name, f"table {number}", *numbers, "")
        shown.add_row(
            run.name, "hub", "", "", f"{run.hub_cpu_share:.2f}", f"{run.hub_peak_mb:.0f}", f"{run.cold_start_s:.1f}"
        )
    return shown


def live_json(runs: Sequence[LiveRun]) -> dict[str, Any]:
    """The same for programs."""
    return {
        "runs": [
            {
                "name": run.name,
                "seconds": round(run.seconds, 1),
                "cold_start_s": round(run.cold_start_s, 2),
                "hub": {"cpu_share": round(run.hub_cpu_share, 3), "peak_mb": round(run.hub_peak_mb, 1)},
                "tables": [
                    {
                        "frames": one.frames,
                        "dropped": one.dropped,
                        "cpu_share": round(one.cpu_share, 3),
                        "peak_mb": round(one.peak_mb, 1),
                    }
                    for one in run.tables
                ],
            }
            for run in runs
        ]
    }
