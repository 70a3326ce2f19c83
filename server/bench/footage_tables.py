"""Figures of real recordings as tables for a person and as JSON."""

import statistics
from collections.abc import Iterator, Sequence
from typing import Any

from rich.table import Table

from server.bench.footage_check import FootageCheck, KindCheck, SpreadCheck


def footage_table(checks: Sequence[FootageCheck]) -> Table:
    """A row a recording: found / of those that surely happened, + those told that nobody saw."""
    table = Table(title="real recordings: found of sure events, + told but not seen")
    columns = ("corners px", "balls at start", "balls px", "tracks px", "strikes", "contacts", "cushions", "pots")
    table.add_column("recording")
    for column in (*columns, "near misses", "asks"):
        table.add_column(column, justify="right")
    for check in checks:
        if check.refused and not check.kinds:
            table.add_row(check.name, _corners(check), "refused")
            continue
        table.add_row(
            check.name,
            _corners(check),
            _start(check.spreads),
            _median([error for spread in check.spreads for error in spread.errors_px]),
            _tracks(check),
            *(_kind(kind) for kind in check.kinds),
            f"{check.near_misses - check.near_misses_told_as_contacts}/{check.near_misses}"
            if check.near_misses
            else "",
            str(check.asks),
        )
    return table


def footage_lines(check: FootageCheck) -> Iterator[str]:
    """Everything that was missed, or told without having been seen."""
    if check.refused:
        yield f"{check.name}: not analysed: {check.refused}"
    for kind in check.kinds:
        yield from (f"{check.name}: missed {one}" for one in kind.missed)
        yield from (f"{check.name}: told but not seen: {one}" for one in kind.unseen)
    for spread in check.spreads:
        if (spread.told, spread.found, spread.named) != (spread.true, spread.marked, spread.marked):
            yield (
                f"{check.name}: frame {spread.frame}: {spread.told} balls followed of {spread.true}, "
                f"{spread.found} of {spread.marked} marked ones found, {spread.named} with the right colour"
            )


def footage_json(check: FootageCheck) -> dict[str, Any]:
    """The same for programs."""
    return {
        "name": check.name,
        "refused": check.refused or None,
        "corner_errors_px": {name: round(error, 2) for name, error in check.corner_errors_px.items()},
        "events": {
            kind.kind: {
                "sure": kind.sure,
                "found": kind.found,
                "missed": [str(one) for one in kind.missed],
                "told_but_not_seen": [str(one) for one in kind.unseen],
            }
            for kind in check.kinds
        },
        "balls": [
            {
                "frame": spread.frame,
                "true": spread.true,
                "told": spread.told,
                "marked": spread.marked,
                "found": spread.found,
                "named_right": spread.named,
                "errors_px": [round(error, 2) for error in spread.errors_px],
            }
            for spread in check.spreads
        ],
        "near_misses": check.near_misses,
        "near_misses_told_as_contacts": check.near_misses_told_as_contacts,
        "track_median_px": None if check.track_median_px is None else round(check.track_median_px, 2),
        "track_compared": len(check.track_errors_px),
        "track_marked": check.track_frames,
        "flagged": check.asks,
    }


def _corners(check: FootageCheck) -> str:
    errors = list(check.corner_errors_px.values())
    return f"{statistics.median(errors):.1f} / {max(errors):.1f}" if errors else ""


def _start(spreads: Sequence[SpreadCheck]) -> str:
    return f"{spreads[0].told} of {spreads[0].true}" if spreads else ""


def _median(errors: Sequence[float]) -> str:
    return f"{statistics.median(errors):.1f} / {max(errors):.1f}" if errors else ""


def _tracks(check: FootageCheck) -> str:
    if not check.track_frames:
        return ""
    median = check.track_median_px
    return f"{'' if median is None else f'{median:.1f}, '}{len(check.track_errors_px)} of {check.track_frames}"


def _kind(kind: KindCheck) -> str:
    if not kind.sure and not kind.unseen:
        return ""
    return f"{kind.found}/{kind.sure}{f' +{len(kind.unseen)}' if kind.unseen else ''}"
