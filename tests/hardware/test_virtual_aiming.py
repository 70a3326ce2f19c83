"""Aiming geometry: ghost balls, mirrors, what is in the way."""

import math

import pytest

from hardware.virtual.aiming import Sight, distance_to_path_mm, mouth, pocket_axis_rad, turn_between
from scoring.balls import RED_1, RED_2, WHITE_1, YELLOW
from scoring.table import Cushion, Pocket, Point, Table

TABLE = Table(length_mm=2840, width_mm=1420)


def aims(layout, target=RED_1):
    return list(Sight(table=TABLE, layout=layout, cue_ball=WHITE_1).pots([target]))


def test_a_straight_pot_needs_no_cut_and_aims_along_the_line():
    hole = mouth(TABLE, Pocket.RL)
    red = Point(hole.x_mm - 300, hole.y_mm - 300)
    white = Point(hole.x_mm - 800, hole.y_mm - 800)
    (aim,) = [a for a in aims({WHITE_1: white, RED_1: red}) if a.pocket is Pocket.RL and a.is_direct]
    assert aim.direction_rad == pytest.approx(math.pi / 4)
    assert aim.cut_rad == pytest.approx(0.0, abs=1e-9)
    assert aim.to_ball_mm == pytest.approx(500 * math.sqrt(2) - TABLE.ball_mm)


def test_a_ball_in_the_way_of_either_ball_forbids_the_pot():
    hole = mouth(TABLE, Pocket.RL)
    free = {WHITE_1: Point(hole.x_mm - 800, hole.y_mm - 800), RED_1: Point(hole.x_mm - 300, hole.y_mm - 300)}
    for blocker in (Point(hole.x_mm - 150, hole.y_mm - 150), Point(hole.x_mm - 550, hole.y_mm - 550)):
        found = aims({**free, YELLOW: blocker})
        assert not [a for a in found if a.pocket is Pocket.RL and a.is_direct]


def test_a_corner_cannot_be_entered_along_the_cushion_as_easily_as_along_its_axis():
    hole = mouth(TABLE, Pocket.RL)
    ease = {}
    for degrees in (45, 70):
        angle = math.radians(degrees)
        red = Point(hole.x_mm - 400 * math.sin(angle), hole.y_mm - 400 * math.cos(angle))
        white = Point(hole.x_mm - 900 * math.sin(angle), hole.y_mm - 900 * math.cos(angle))
        found = [a for a in aims({WHITE_1: white, RED_1: red}) if a.pocket is Pocket.RL and a.is_direct]
        ease[degrees] = found[0].ease_rad if found else 0.0
    assert ease[45] > ease[70]


def test_a_bank_leaves_and_returns_at_equal_angles():
    layout = {WHITE_1: Point(1120, -150), RED_1: Point(1200, 100)}
    (aim,) = [a for a in aims(layout) if a.pocket is Pocket.MR and a.cushion is Cushion.LEFT]
    line_mm = TABLE.width_mm / 2 - TABLE.ball_radius_mm
    run_mm = (line_mm - 100) / math.tan(aim.leave_rad)
    back_mm = (line_mm + TABLE.width_mm / 2) / math.tan(aim.leave_rad)
    assert 1200 + run_mm + back_mm == pytest.approx(TABLE.length_mm / 2)
    assert aim.is_bank


def test_a_combination_goes_through_exactly_one_ball():
    hole = mouth(TABLE, Pocket.RL)
    layout = {
        WHITE_1: Point(hole.x_mm - 900, hole.y_mm - 900),
        RED_2: Point(hole.x_mm - 500, hole.y_mm - 500),
        RED_1: Point(hole.x_mm - 250, hole.y_mm - 250),
    }
    found = list(Sight(table=TABLE, layout=layout, cue_ball=WHITE_1).combinations([RED_1]))
    (aim,) = [a for a in found if a.pocket is Pocket.RL]
    assert aim.second is not None
    assert aim.second.through == RED_2
    assert aim.first_ball == RED_2
    assert aim.direction_rad == pytest.approx(math.pi / 4)


def test_pocket_axes_point_out_of_the_table():
    for pocket in Pocket:
        axis_rad, corner = pocket_axis_rad(TABLE, pocket), TABLE.pocket_corner(pocket)
        out = Point(corner.x_mm + 100 * math.cos(axis_rad), corner.y_mm + 100 * math.sin(axis_rad))
        middle = Point(TABLE.length_mm / 2, 0.0)
        assert out.distance_mm(middle) > corner.distance_mm(middle)


def test_turns_are_signed_and_within_half_a_turn():
    assert turn_between(math.radians(170), math.radians(-170)) == pytest.approx(math.radians(20))
    assert turn_between(math.radians(-170), math.radians(170)) == pytest.approx(math.radians(-20))


def test_distance_to_a_path_is_to_its_nearest_end_beyond_it():
    assert distance_to_path_mm(Point(0, 5), Point(0, 0), Point(10, 0)) == pytest.approx(5)
    assert distance_to_path_mm(Point(13, 4), Point(0, 0), Point(10, 0)) == pytest.approx(5)
