"""A soak's report for people and for machines."""

import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from server.bench.soak import SCHEDULE_S, FaultDelays, Soak, SoakReport
from server.bench.soak_board import hub_teller
from server.bench.soak_stage import SoakStage

_DELAYS: dict[str, Callable[[FaultDelays], float]] = {
    "noticed_s": lambda each: each.noticed_s,
    "told_s": lambda each: each.told_s,
    "healed_s": lambda each: each.healed_s,
}


def soaked(cycles: int, progress: Callable[[int], None] = lambda _: None) -> SoakReport:
    """Run a soak with a hub and its journal behind it; nothing is left of them."""
    with TemporaryDirectory(prefix="cuemarker-soak-") as name:
        folder = Path(name)
        with SoakStage(folder) as stage, hub_teller(stage.config, folder) as tell:
            return Soak(stage, tell).run(cycles, progress)


def soak_figures(report: SoakReport) -> dict[str, Any]:
    """The report as numbers."""
    delays = {
        name: {
            "p50": round(statistics.median(read(each) for each in report.delays), 3),
            "max": round(max(read(each) for each in report.delays), 3),
        }
        for name, read in _DELAYS.items()
    }
    return {
        "cycles": report.cycles,
        "hours_of_schedule": round(report.cycles * SCHEDULE_S / 3600, 2),
        "delays": delays,
        "late": [
            f"{each.fault.name}: {each.noticed_s:.1f} {each.told_s:.1f} {each.healed_s:.1f} s" for each in report.late()
        ],
        "strikes": report.strikes,
        "pots": report.pots,
        "pots_felt_by_sensors": report.felt,
        "rests": report.rests,
        "memory_kb": report.sizes[-1].memory_kb,
        "memory_kb_in_100_cycles": round(report.slope(lambda size: size.memory_kb), 1),
        "threads_in_100_cycles": round(report.slope(lambda size: size.threads), 2),
        "handles_in_100_cycles": round(report.slope(lambda size: size.handles), 2),
    }


def soak_lines(report: SoakReport) -> Iterator[str]:
    """The report in words."""
    figures = soak_figures(report)
    hours = figures["hours_of_schedule"]
    yield f"{report.cycles} faults, {hours:g} hours of a hall where something fails every 3 minutes"
    for name, delay in figures["delays"].items():
        yield f"{name.removesuffix('_s')} after {delay['p50']:.2f} s in the middle, {delay['max']:.2f} s at most"
    for late in figures["late"]:
        yield f"late: {late}"
    told = f"{report.strikes} strikes, {report.pots} pots ({report.felt} felt by the sensors), {report.rests} ends"
    yield f"of {report.cycles} strokes were told: {told}"
    growth = f"{figures['memory_kb_in_100_cycles']:+.0f} kB, {figures['threads_in_100_cycles']:+.2f} threads"
    yield f"growth in 100 faults: {growth}, {figures['handles_in_100_cycles']:+.2f} handles"
