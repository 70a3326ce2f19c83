"""Where balls lie: free places, frozen balls, places against a cushion; spots in their order; the house."""

import pytest

from scoring.balls import CUE, RED_1, RED_2, WHITE_1, WHITE_2, YELLOW, Ball, BallKind
from scoring.house import all_in_house, is_direct, is_in_house
from scoring.layout import Layout, against_cushion
from scoring.questions import facts_of
from scoring.rulings import Place
from scoring.spots import five_ball_rack, point_of, spotted
from scoring.table import Cushion, Pocket, PocketMouths, Point, Spot, Table
from scoring.testing import stroke

TABLE = Table()
S1, S2, S3 = (TABLE.spot(spot) for spot in Spot)
ORDER = (Place.S1, Place.S3, Place.FRONT_MIDDLE)


def test_a_spot_is_taken_when_a_ball_put_there_would_touch_another():
    assert not Layout({RED_1: Point(S1.x_mm + 68.0, 0)}).is_free(S1, TABLE)
    assert Layout({RED_1: Point(S1.x_mm + 68.1, 0)}).is_free(S1, TABLE)


def test_balls_that_touch_at_rest_are_frozen_pairs():
    layout = Layout({RED_1: Point(500, 0), RED_2: Point(568.5, 0), YELLOW: Point(700, 0)})
    assert layout.frozen_pairs(TABLE) == ((RED_1, RED_2),)


def test_a_ball_on_a_place_is_found_within_what_a_hand_can_do():
    layout = Layout({RED_1: Point(S1.x_mm + 4, 0)})
    assert layout.ball_on(S1) == RED_1
    assert layout.ball_on(S2) is None
    assert Layout().ball_on(S1) is None


def test_a_layout_forgets_and_learns_places():
    layout = Layout({RED_1: S1, YELLOW: S2}, frozenset({RED_2}))
    assert layout.without([WHITE_1]) is layout
    assert layout.with_places({}) is layout
    assert layout.without([RED_1, RED_2]) == Layout({YELLOW: S2})
    assert layout.with_places({RED_2: S3}) == Layout({RED_1: S1, YELLOW: S2, RED_2: S3})


@pytest.mark.parametrize(
    ("place", "tight"),
    [
        (Point(2000, 900), Point(2000, 853.5)),
        (Point(2000, -900), Point(2000, -853.5)),
        (Point(-30, 100), Point(34, 100)),
        (Point(3580, 100), Point(3516, 100)),
        (Point(2000, 840), Point(2000, 853.5)),
    ],
)
def test_a_ball_from_the_rail_lies_tight_against_the_nearest_cushion(place, tight):
    assert against_cushion(place, TABLE) == tight


def test_spots_are_tried_in_order_then_the_cushions_middle_then_beside_it():
    taken = {YELLOW: S1}
    assert spotted(RED_1, ORDER, Layout(), TABLE).place is Place.S1
    assert spotted(RED_1, ORDER, Layout(taken), TABLE).place is Place.S3
    taken |= {WHITE_2: S3}
    assert spotted(RED_1, ORDER, Layout(taken), TABLE).place is Place.FRONT_MIDDLE
    taken |= {RED_2: Point(34, 10)}
    beside = spotted(RED_1, ORDER, Layout(taken), TABLE)
    assert beside.place is Place.AT
    assert beside.at.x_mm == 34
    assert beside.at.y_mm == pytest.approx(-58)
    assert Layout(taken).is_free(beside.at, TABLE)


def test_the_rear_cushions_middle_is_a_place_of_its_own():
    full = Layout({YELLOW: S1, WHITE_2: S3})
    rear = spotted(RED_1, ORDER, full, TABLE, rear=True)
    assert (rear.place, rear.at) == (Place.AT, Point(3516, 0))


def test_a_full_line_gives_the_wanted_place_back():
    wall = Layout({Ball(str(n + 1)): Point(34, y) for n, y in enumerate(range(-850, 900, 120))})
    assert wall.free_beside(Point(34, 0), TABLE) == Point(34, 0)


def test_named_places_are_points_except_those_that_depend_on_the_ball():
    assert point_of(Place.FRONT_MIDDLE, TABLE) == Point(34, 0)
    assert point_of(Place.S2, TABLE) == S2
    assert point_of(Place.IN_HAND, TABLE) is None


def test_the_line_is_not_in_the_house_unless_agreed():
    assert not is_in_house(S1, TABLE)
    assert is_in_house(S1, TABLE, line_is_house=True)
    assert is_in_house(Point(887, 0), TABLE)
    assert all_in_house(Layout({RED_1: Point(100, 0)}), frozenset({RED_1}), TABLE)
    assert not all_in_house(Layout({RED_1: Point(100, 0)}), frozenset({RED_1, RED_2}), TABLE)
    assert not all_in_house(Layout(), frozenset(), TABLE)


def test_a_shot_is_direct_until_the_right_cushion_came_first():
    straight = facts_of(stroke(WHITE_1).hits(RED_1).shot().events)
    rear = facts_of(stroke(WHITE_1).banks(WHITE_1, Cushion.REAR).hits(RED_1).shot().events)
    side = facts_of(stroke(WHITE_1).banks(WHITE_1, Cushion.LEFT).hits(RED_1).shot().events)
    assert is_direct(straight, RED_1, (), any_cushion=False)
    assert not is_direct(rear, RED_1, (), any_cushion=False)
    assert is_direct(side, RED_1, (), any_cushion=False)
    assert not is_direct(side, RED_1, (), any_cushion=True)
    assert not is_direct(facts_of(()), RED_1, (), any_cushion=False)


def test_the_rack_stands_on_the_three_spots():
    assert five_ball_rack(TABLE).places == {RED_1: S1, YELLOW: S2, RED_2: S3}


def test_the_table_knows_its_corners_heights_and_impossible_sizes():
    assert TABLE.pocket_corner(Pocket.RL) == Point(3550, 887.5)
    assert TABLE.pocket_corner(Pocket.MR) == Point(1775, -887.5)
    assert TABLE.nose_height_mm == pytest.approx(43.18)
    assert Pocket.ML.is_middle
    assert not Pocket.FL.is_middle
    assert Cushion.REAR.is_short
    assert not Cushion.LEFT.is_short
    assert PocketMouths().corner_mm == 72.5
    with pytest.raises(ValueError, match="impossible"):
        Table(length_mm=100, width_mm=1000)


@pytest.mark.parametrize(
    ("name", "kind", "number"),
    [
        ("white-1", BallKind.WHITE, None),
        ("yellow", BallKind.YELLOW, None),
        ("cue", BallKind.CUE, None),
        ("7", BallKind.NUMBERED, 7),
        ("ball-?2", BallKind.UNKNOWN, None),
        ("green", BallKind.OTHER, None),
    ],
)
def test_a_balls_name_tells_its_kind(name, kind, number):
    assert (Ball(name).kind, Ball(name).number, str(Ball(name))) == (kind, number, name)
    assert Ball("ball-?2").is_unknown
    assert not CUE.is_unknown
