"""When balls crossed the house line (C-6)."""

from collections.abc import Mapping

import numpy as np

from scoring.balls import Ball
from scoring.events import HouseLine, TableEvent
from scoring.table import Table
from vision.witness.kinks import Story


def house_line_crossings(
    table: Table, stories: Mapping[int, Story], names: Mapping[int, Ball], first_s: float, frame_s: float
) -> list[TableEvent]:
    """Every crossing of a ball's centre from a time on, in no order; exactly on the line is outside."""
    events: list[TableEvent] = []
    for key, story in stories.items():
        before: tuple[float, float] | None = None
        for t_s, x_mm in _path(story, frame_s):
            if before is not None and (before[1] < table.house_line_x_mm) is not (x_mm < table.house_line_x_mm):
                share = (table.house_line_x_mm - before[1]) / (x_mm - before[1])
                when_s = before[0] + share * (t_s - before[0])
                if when_s >= first_s:
                    is_in = x_mm < table.house_line_x_mm
                    events.append(HouseLine(t_s=when_s, ball=names[key], direction="in" if is_in else "out"))
            before = (t_s, x_mm)
    return events


def _path(story: Story, frame_s: float) -> list[tuple[float, float]]:
    """Times and x along the legs, about a frame apart; a ball that lies still has one x."""
    points = []
    for leg in story.legs:
        if leg.kind == "rest":
            points.append((leg.to_s, leg.place(leg.to_s)[0]))
            continue
        count = max(2, round((leg.to_s - leg.from_s) / max(frame_s, 1e-3)) + 1)
        points += [(float(t), leg.place(float(t))[0]) for t in np.linspace(leg.from_s, leg.to_s, count)]
    return points
