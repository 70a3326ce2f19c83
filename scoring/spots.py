"""Where potted balls of the five-ball games go back: spots in their order, then the middle of a short cushion."""

from collections.abc import Sequence

from scoring.balls import RED_1, RED_2, YELLOW, Ball
from scoring.layout import Layout
from scoring.rulings import Place, Respot
from scoring.table import Point, Spot, Table


def five_ball_rack(table: Table) -> Layout:
    """Reds on the first and third spot, the yellow on the second (RP-2, KZ-3)."""
    return Layout({RED_1: table.spot(Spot.S1), YELLOW: table.spot(Spot.S2), RED_2: table.spot(Spot.S3)})


def point_of(place: Place, table: Table) -> Point | None:
    """The table mm of a named place; None for a hand and for places that depend on the ball."""
    match place:
        case Place.S1 | Place.S2 | Place.S3:
            return table.spot(Spot(place.value))
        case Place.FRONT_MIDDLE:
            return Point(table.ball_radius_mm, 0.0)
        case _:
            return None


def rear_middle(table: Table) -> Point:
    """The middle of the rear cushion."""
    return Point(table.length_mm - table.ball_radius_mm, 0.0)


def spotted(ball: Ball, order: Sequence[Place], layout: Layout, table: Table, *, rear: bool = False) -> Respot:
    """Where a ball goes: the first free spot of its order, else a short cushion's middle (RP-42, KZ-50)."""
    for place in order:
        point = point_of(place, table)
        if place is not Place.FRONT_MIDDLE and point is not None and layout.is_free(point, table):
            return Respot(ball, place, point)
    middle = rear_middle(table) if rear else Point(table.ball_radius_mm, 0.0)
    point = layout.free_beside(middle, table)
    return Respot(ball, Place.FRONT_MIDDLE if point == middle and not rear else Place.AT, point)


def stood(ball: Ball, before: Layout | None) -> Respot:
    """Back to where the ball stood before the stroke; `at` is None when nobody saw where that was."""
    return Respot(ball, Place.WHERE_IT_STOOD, before.at(ball) if before else None)
