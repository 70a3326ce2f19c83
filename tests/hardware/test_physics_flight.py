import math
from itertools import pairwise

import pytest

from hardware.virtual.physics import CueStroke, Motion, simulate
from hardware.virtual.physics.body import Phase
from scoring.balls import RED_1, WHITE_1
from scoring.events import Contact, CushionHit, OffTable
from scoring.table import Point, Table

TABLE = Table()
RAIL_MM = TABLE.nose_height_mm + 5.0


def _stroke(speed_mm_s: float, direction_rad: float, elevation_rad: float, top: float = 0.0) -> CueStroke:
    return CueStroke(
        ball=WHITE_1, speed_mm_s=speed_mm_s, direction_rad=direction_rad, elevation_rad=elevation_rad, top=top
    )


def _off(motion: Motion) -> list[OffTable]:
    return [event for event in motion.events if isinstance(event, OffTable)]


def _highest_mm(motion: Motion) -> float:
    poses = [motion.pose(WHITE_1, 0.005 * count) for count in range(200)]
    return max(pose.center_mm[2] for pose in poses if pose is not None)


def test_a_level_cue_keeps_the_ball_on_the_cloth():
    motion = simulate(TABLE, {WHITE_1: Point(600.0, 0.0)}, _stroke(5000.0, 0.3, 0.0))
    assert all(leg.phase is not Phase.FLY for leg in motion.legs[WHITE_1])


def test_a_raised_cue_makes_the_ball_hop_under_gravity():
    motion = simulate(TABLE, {WHITE_1: Point(600.0, 0.0)}, _stroke(3000.0, 0.1, 0.6))
    flight = next(leg for leg in motion.legs[WHITE_1] if leg.phase is Phase.FLY)
    assert flight.since_s == 0.0
    assert flight.acceleration_mm_s2 == (0.0, 0.0, -9810.0)
    assert _highest_mm(motion) == pytest.approx(34.0 + flight.velocity_mm_s[2] ** 2 / (2 * 9810.0), abs=1.0)
    assert motion.legs[WHITE_1][-1].phase is Phase.REST


def test_a_ball_can_jump_over_another():
    layout = {WHITE_1: Point(600.0, 0.0), RED_1: Point(900.0, 0.0)}
    low = simulate(TABLE, layout, _stroke(4000.0, 0.0, 0.05))
    high = simulate(TABLE, layout, _stroke(5500.0, 0.0, 0.7))
    assert any(isinstance(event, Contact) and event.t_s < 0.2 for event in low.events)
    assert not any(isinstance(event, Contact) and event.t_s < 0.2 for event in high.events)


def test_a_ball_that_lands_on_another_touches_it_above_its_equator():
    layout = {WHITE_1: Point(600.0, 0.0), RED_1: Point(900.0, 0.0)}
    for milli in range(300, 700, 20):
        motion = simulate(TABLE, layout, _stroke(4000.0, 0.0, milli / 1000.0))
        contact = next((event for event in motion.events if isinstance(event, Contact)), None)
        if contact is None:
            continue
        one, two = motion.pose(WHITE_1, contact.t_s), motion.pose(RED_1, contact.t_s)
        assert one is not None
        assert two is not None
        assert math.dist(one.center_mm, two.center_mm) == pytest.approx(68.0, abs=1e-6)
        if one.center_mm[2] > 50.0:
            return
    pytest.fail("no stroke landed on the ball")


def test_a_ball_that_flies_over_the_nose_leaves_and_is_gone():
    motion = simulate(TABLE, {WHITE_1: Point(3350.0, 100.0)}, _stroke(6000.0, 0.0, 0.7))
    (off,) = _off(motion)
    assert not off.on_rail
    assert off.at is not None
    assert off.at.x_mm > TABLE.length_mm
    assert WHITE_1 not in motion.rest
    assert motion.pose(WHITE_1, motion.duration_s) is None
    lowest = [motion.pose(WHITE_1, off.t_s + 0.02 * count) for count in range(1, 60)]
    assert min(pose.center_mm[2] for pose in lowest if pose is not None) < -400.0


def test_a_ball_that_comes_down_slowly_stays_on_the_rail():
    found = None
    for speed in range(3000, 7000, 100):
        for milli in range(1100, 1350, 25):
            motion = simulate(TABLE, {WHITE_1: Point(3500.0, 100.0)}, _stroke(float(speed), 0.0, milli / 1000.0, 0.4))
            if any(event.on_rail for event in _off(motion)):
                found = motion
    assert found is not None
    (off,) = _off(found)
    assert off.at is not None
    assert TABLE.length_mm <= off.at.x_mm <= TABLE.length_mm + 130.0
    assert WHITE_1 not in found.rest
    pose = found.pose(WHITE_1, found.duration_s + 1.0)
    assert pose is not None
    assert pose.center_mm[:2] == pytest.approx((off.at.x_mm, off.at.y_mm))
    assert pose.center_mm[2] == pytest.approx(RAIL_MM + 34.0, abs=6.0)


def test_a_low_flying_ball_meets_the_nose_and_comes_back():
    motion = simulate(TABLE, {WHITE_1: Point(3000.0, 0.0)}, _stroke(5000.0, 0.0, 0.25))
    hit = next(event for event in motion.events if isinstance(event, CushionHit))
    assert not _off(motion)
    assert hit.at is not None
    assert 3500.0 < hit.at.x_mm < 3550.0
    assert motion.velocity_mm_s(WHITE_1, hit.t_s + 0.01)[0] < 0.0


def test_the_last_way_of_a_leaving_ball_has_no_gap():
    motion = simulate(TABLE, {WHITE_1: Point(3350.0, 100.0)}, _stroke(6000.0, 0.0, 0.7))
    for leg, later in pairwise(motion.legs[WHITE_1][:-1]):
        assert math.dist(leg.place_at(later.since_s), later.place_mm) < 1e-6
