"""The house: what lies in it, and what is hit there from hand (C-6, RP-30, RP-31, KZ-A12, MP-47)."""

from scoring.balls import Ball
from scoring.layout import Layout
from scoring.questions import Facts, cushions_before_contact, partner
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


def is_met_in_house(facts: Facts, ball: Ball, table: Table) -> bool | None:
    """Whether a ball's first contact was in the house, by its place or by the line that the cue ball had crossed.

    None when neither tells.
    """
    contact = next((one for one in facts.contacts if ball in (one.ball, one.other)), None)
    if contact is None or facts.cue is None:
        return None
    if contact.at is not None and abs(contact.at.x_mm - table.house_line_x_mm) > table.ball_radius_mm:
        return contact.at.x_mm < table.house_line_x_mm
    lines = [line for line in facts.lines if line.ball == facts.cue]
    if not lines or partner(contact, facts.cue) is None:
        return None
    crossed = [line for line in lines if line.t_s <= contact.t_s]
    return not crossed or crossed[-1].direction == "in"
