"""When balls crossed the house line (C-6)."""

from collections.abc import Iterator, Mapping

import numpy as np

from scoring.balls import Ball
from scoring.events import HouseLine, TableEvent
from scoring.table import Table
from vision.whereabouts import as_placed
from vision.witness.kinks import Story

_SURE = 2.0  # standard errors
_SHIFTS_MM = 20.0  # a ball that lies still here, then there, crosses nothing if it is no farther


def house_line_crossings(
    table: Table, stories: Mapping[int, Story], names: Mapping[int, Ball], first_s: float, frame_s: float
) -> list[TableEvent]:
    """Every crossing of a ball's centre from a time on, in no order; exactly on the line is outside."""
    events: list[TableEvent] = []
    for key, story in stories.items():
        for t_s, is_in in _crossings(table, story, frame_s):
            if t_s >= first_s:
                events.append(HouseLine(t_s=t_s, ball=names[key], direction="in" if is_in else "out"))
    return events


def _crossings(table: Table, story: Story, frame_s: float) -> Iterator[tuple[float, bool]]:
    """When a ball crossed the line, and whether into the house, as soon as its place shows it beyond all error."""
    line_mm = table.house_line_x_mm
    (last_s, last_mm, _), *path = _path(table, story, frame_s)
    was_in, crossed_s = last_mm < line_mm, None
    for t_s, x_mm, error_mm in path:
        if (x_mm < line_mm) is was_in:
            crossed_s = None
        else:
            if crossed_s is None:
                crossed_s = last_s + (line_mm - last_mm) / (x_mm - last_mm) * (t_s - last_s)
            if abs(x_mm - line_mm) > error_mm:
                was_in = not was_in
                yield crossed_s, was_in
                crossed_s = None
        last_s, last_mm = t_s, x_mm


def _path(table: Table, story: Story, frame_s: float) -> Iterator[tuple[float, float, float]]:
    """Times and x along the legs, about a frame apart, with how far x may be off; a ball that lies still has one x.

    A ball on the first spot lies on the line, so that its way begins as far off that as it was measured.
    """
    off_mm, lay = 0.0, False
    for leg in story.legs:
        if leg.kind == "rest":
            measured = leg.point(leg.to_s)
            x_mm = as_placed(table, measured).x_mm
            yield leg.to_s, x_mm, _SHIFTS_MM if lay else _SURE * leg.sigma_place_mm(leg.to_s)
            off_mm, lay = abs(x_mm - measured.x_mm), True
            continue
        count = max(2, round((leg.to_s - leg.from_s) / max(frame_s, 1e-3)) + 1)
        for t_s in np.linspace(leg.from_s, leg.to_s, count):
            error_mm = off_mm + _SURE * leg.sigma_place_mm(float(t_s))
            yield float(t_s), leg.place(float(t_s))[0], error_mm
        lay = False
