"""The house: balls in it may not be potted by a direct shot from hand (RP-30, RP-31, KZ-A12)."""

from scoring.balls import Ball
from scoring.layout import Layout
from scoring.questions import Facts, cushions_before_contact
from scoring.table import Cushion, Point, Table

LINE_MM = 1e-6


def is_in_house(place: Point, table: Table, *, line_is_house: bool = False) -> bool:
    """Whether a ball's centre lies in the house; whether the line belongs to it is an option (C-6)."""
    return table.is_in_house(place) or (line_is_house and place.x_mm <= table.house_line_x_mm + LINE_MM)


def is_direct(facts: Facts, target: Ball, chain: tuple[Ball, ...], *, any_cushion: bool) -> bool:
    """Whether the cue ball went straight for the target, or for the ball that drove it in.

    It did not when it first met the rear cushion (RP-30), or any cushion where that is enough (RP-31).
    """
    cue = facts.cue
    if cue is None:
        return False
    met = cushions_before_contact(facts, cue, chain[0] if chain else target)
    return not (met if any_cushion else Cushion.REAR in met)


def all_in_house(layout: Layout, balls: frozenset[Ball], table: Table, *, line_is_house: bool = False) -> bool:
    """Whether all of these balls are known to lie in the house."""
    places = [layout.at(ball) for ball in balls]
    return bool(places) and all(
        place is not None and is_in_house(place, table, line_is_house=line_is_house) for place in places
    )
