"""Figures of calibrated virtual tables and real pictures for a person and as JSON."""

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.table import Table

from server.bench.calibration import CaseResult
from server.bench.calibration_files import FileResult
from server.bench.intervals import Share

SILENT_MM = 8.0  # an error beyond this must not go with the verdict pass
_WELL_MM = (("median_mm", 2.0), ("p95_mm", 4.0), ("pocket_mean_mm", 2.5))
_RESAMPLES, _SEED = 2000, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorFigures:
    """An error over all tables that were found, mm: its median, 95th percentile and mean with 95 % intervals."""

    name: str
    median: tuple[float, float, float]  # the figure itself, then the ends of its interval
    p95: tuple[float, float, float]
    mean: tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationFigures:
    """Many virtual tables together."""

    shares: dict[str, Share]
    errors: tuple[ErrorFigures, ...]


def calibration_figures(results: Sequence[CaseResult]) -> CalibrationFigures:
    """Add the cases up; found is what neither the finder nor the certificate refused."""
    found = [result for result in results if result.verdict in {"pass", "warn"}]
    total = len(results)
    counts = {
        "found": len(found),
        "passed": sum(result.verdict == "pass" for result in results),
        "refused": sum(result.verdict == "refuse" for result in results),
        "no table": sum(result.verdict == "none" for result in results),
        f"passed, but over {SILENT_MM:g} mm off": sum(
            result.verdict == "pass" and (result.worst_mm or 0.0) > SILENT_MM for result in results
        ),
        "warned, but twice as far off as told": sum(
            result.verdict == "warn" and (result.worst_mm or 0.0) > max(SILENT_MM, 2 * (result.promised_mm or 0.0))
            for result in results
        ),
    }
    shares = {name: Share(count=count, total=total) for name, count in counts.items()}
    for name, limit_mm in _WELL_MM:
        within = sum((getattr(result, name) or 0.0) <= limit_mm for result in found)
        shares[f"{name} within {limit_mm:g}"] = Share(count=within, total=len(found))
    errors = []
    for name in ("median_mm", "p95_mm", "pocket_mean_mm", "worst_mm"):
        values = np.array([getattr(result, name) for result in found], dtype=np.float64)
        if len(values):
            errors.append(_error_figures(name, values))
    return CalibrationFigures(shares=shares, errors=tuple(errors))


def _error_figures(name: str, values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> ErrorFigures:
    """Figures with the intervals of a bootstrap over tables (Efron 1979)."""
    drawn = values[np.random.default_rng(_SEED).integers(0, len(values), (_RESAMPLES, len(values)))]
    figures = []
    for told, again in (
        (np.median(values), np.median(drawn, axis=1)),
        (np.percentile(values, 95), np.percentile(drawn, 95, axis=1)),
        (values.mean(), drawn.mean(axis=1)),
    ):
        low, high = np.percentile(again, (2.5, 97.5))
        figures.append((float(told), float(low), float(high)))
    return ErrorFigures(name=name, median=figures[0], p95=figures[1], mean=figures[2])


def shares_table(figures: CalibrationFigures) -> Table:
    """A row per count."""
    table = Table(title="virtual tables (rendered: an upper bound)")
    table.add_column("tables")
    for column in ("count", "of", "share", "95 % interval"):
        table.add_column(column, justify="right")
    for name, share in figures.shares.items():
        low, high = share.interval
        table.add_row(name, str(share.count), str(share.total), f"{share.value:.1%}", f"{low:.1%} to {high:.1%}")
    return table


def errors_table(figures: CalibrationFigures) -> Table:
    """A row per error: of a ball's centre over one table's bed, then over all tables."""
    table = Table(title="a ball's centre, mm, over the tables found (95 % interval)")
    table.add_column("of each table")
    for column in ("median", "p95", "mean"):
        table.add_column(column, justify="right")
    for row in figures.errors:
        table.add_row(row.name, *(f"{told:.2f} ({low:.2f} to {high:.2f})" for told, low, high in _columns(row)))
    return table


def case_line(result: CaseResult) -> str:
    """One table, so that somebody can look at it."""
    where = f"seed {result.seed}, {result.difficulty}: {result.verdict}"
    if result.worst_mm is None:
        return f"{where}: {result.reason}"
    errors = f"median {result.median_mm} p95 {result.p95_mm} pockets {result.pocket_mean_mm} worst {result.worst_mm} mm"
    return f"{where}: {errors}, promised {result.promised_mm}{f': {result.reason}' if result.reason else ''}"


def calibration_json(results: Sequence[CaseResult], figures: CalibrationFigures) -> dict[str, Any]:
    """The same for programs."""
    shares = {}
    for name, share in figures.shares.items():
        low, high = share.interval
        shares[name] = {"count": share.count, "of": share.total, "low": round(low, 4), "high": round(high, 4)}
    return {
        "rendered": "an upper bound of what real pictures give",
        "tables": shares,
        "errors": {
            row.name: {
                word: {"value": round(told, 3), "low": round(low, 3), "high": round(high, 3)}
                for word, (told, low, high) in zip(("median", "p95", "mean"), _columns(row), strict=True)
            }
            for row in figures.errors
        },
        "cases": [asdict(result) for result in results],
    }


def _columns(row: ErrorFigures) -> tuple[tuple[float, float, float], ...]:
    return row.median, row.p95, row.mean


def files_table(results: Sequence[FileResult]) -> Table:
    """A row per recording or picture."""
    table = Table(title="real pictures; corners: how far from where a person saw them, px (in brackets: unsure)")
    for column in ("file", "verdict", "corners TL TR BR BL", "tolerance", "why"):
        table.add_column(column)
    for result in results:
        table.add_row(result.name, result.verdict, _corners(result), _tolerance(result), result.reason)
    return table


def files_summary(results: Sequence[FileResult]) -> str:
    """All sure corners together."""
    sure = [error for result in results for error in result.sure_errors_px]
    if not sure:
        return "no corner was annotated"
    return f"corners: {len(sure)} sure ones, median {statistics.median(sure):.2f} px, worst {max(sure):.2f} px"


def files_json(results: Sequence[FileResult]) -> dict[str, Any]:
    """The same for programs."""
    sure = [error for result in results for error in result.sure_errors_px]
    return {
        "files": [asdict(result) for result in results],
        "sure_corners": len(sure),
        "median_px": round(statistics.median(sure), 2) if sure else None,
    }


def _corners(result: FileResult) -> str:
    return " ".join(
        f"({error:.1f})" if name in result.unsure else f"{error:.1f}" for name, error in result.corner_errors_px.items()
    )


def _tolerance(result: FileResult) -> str:
    return "" if result.tolerance_px is None else f"{result.tolerance_px:g}"
