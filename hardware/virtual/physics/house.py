"""Crossings of the house line, read off a ball's finished motion (C-6)."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hardware.virtual.physics.body import Phase
from hardware.virtual.physics.motion import Leg
from scoring.balls import Ball
from scoring.events import HouseLine
from scoring.table import Table

_HALVINGS = 60
_OUT_OF_PLAY = (Phase.FALL, Phase.GONE)


def house_line_crossings(table: Table, ball: Ball, legs: Sequence[Leg]) -> Iterator[HouseLine]:
    """Every crossing of a ball's centre; a ball exactly on the line is outside."""
    line = table.house_line_x_mm
    inside = legs[0].place_mm[0] < line
    for leg, later in pairwise(legs):
        if leg.phase in _OUT_OF_PLAY:
            return
        speed, pull = leg.velocity_mm_s[0], leg.acceleration_mm_s2[0]
        turn_s = leg.since_s - speed / pull if pull else leg.since_s
        stops = (
            [leg.since_s, turn_s, later.since_s]
            if leg.since_s < turn_s < later.since_s
            else [leg.since_s, later.since_s]
        )
        for start_s, end_s in pairwise(stops):
            if (leg.place_at(end_s)[0] < line) is inside:
                continue
            low_s, high_s = start_s, end_s
            for _ in range(_HALVINGS):
                half_s = (low_s + high_s) / 2
                if (leg.place_at(half_s)[0] < line) is inside:
                    low_s = half_s
                else:
                    high_s = half_s
            inside = not inside
            yield HouseLine(t_s=high_s, ball=ball, direction="in" if inside else "out")
