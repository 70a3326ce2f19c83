import math
from itertools import pairwise

import pytest

from hardware.virtual.physics import CueStroke, Motion, PhysicsParameters, simulate
from hardware.virtual.physics.body import Body, Phase
from scoring.balls import RED_1, WHITE_1, WHITE_2, Ball
from scoring.events import Contact, CushionHit, HouseLine, Rest, Strike
from scoring.table import Point, Table

TABLE = Table()
LONG = Table(length_mm=30_000.0, width_mm=10_000.0, pockets=None)
RADIUS = TABLE.ball_radius_mm


def _stroke(speed_mm_s: float, direction_rad: float = 0.0, **more: float) -> CueStroke:
    return CueStroke(ball=WHITE_1, speed_mm_s=speed_mm_s, direction_rad=direction_rad, **more)


def _alone(speed_mm_s: float, **more: float) -> Motion:
    return simulate(LONG, {WHITE_1: Point(100.0, 0.0)}, _stroke(speed_mm_s, **more))


def test_a_centre_hit_sends_the_ball_off_with_the_impulse_of_the_cue():
    vx, vy, vz = _alone(1000.0).velocity_mm_s(WHITE_1, 0.0)
    assert vx == pytest.approx(2 * 1000.0 / (1 + 225 / 567))
    assert vy == vz == 0.0


def test_a_sliding_ball_rolls_at_five_sevenths_of_its_speed():
    motion = _alone(3000.0)
    start = motion.velocity_mm_s(WHITE_1, 0.0)[0]
    rolling = next(leg for leg in motion.legs[WHITE_1] if leg.phase is Phase.ROLL)
    assert rolling.velocity_mm_s[0] == pytest.approx(start * 5 / 7)
    assert rolling.since_s == pytest.approx(2 * start / (7 * 0.2 * 9810))


def test_a_rolling_ball_loses_about_a_tenth_of_a_metre_per_second_each_second():
    motion = _alone(1000.0)
    rolling = next(leg for leg in motion.legs[WHITE_1] if leg.phase is Phase.ROLL)
    assert math.hypot(*rolling.acceleration_mm_s2) == pytest.approx(117.7, abs=0.1)
    assert motion.duration_s == pytest.approx(rolling.since_s + rolling.velocity_mm_s[0] / 117.72, abs=1e-6)


def test_draw_takes_longer_to_roll_than_follow():
    def slides_s(top: float) -> float:
        return next(leg.since_s for leg in _alone(3000.0, top=top).legs[WHITE_1] if leg.phase is Phase.ROLL)

    assert slides_s(-0.4) > slides_s(0.0) > slides_s(0.3)


def test_side_spin_outlives_the_roll_and_the_ball_spins_on_the_spot():
    motion = simulate(LONG, {WHITE_1: Point(100.0, 0.0)}, _stroke(1500.0, side=0.5))
    phases = [leg.phase for leg in motion.legs[WHITE_1]]
    assert phases == [Phase.SLIDE, Phase.ROLL, Phase.REST]
    body = Body(0, 0.0, 0.0, RADIUS, PhysicsParameters())
    body.wz = 20.0
    body.settle()
    assert body.phase is Phase.SPIN
    assert body.lasts_s == pytest.approx(20.0 / 10.9)


def test_left_side_makes_the_ball_squirt_to_the_right():
    def leaves_rad(side: float) -> float:
        vx, vy, _ = _alone(2000.0, side=side).velocity_mm_s(WHITE_1, 0.0)
        return math.atan2(vy, vx)

    assert math.degrees(leaves_rad(0.465)) == pytest.approx(-1.4, abs=0.1)
    assert leaves_rad(-0.465) == pytest.approx(-leaves_rad(0.465))
    assert leaves_rad(0.0) == 0.0


def test_a_raised_cue_with_side_makes_the_ball_curve():
    motion = simulate(LONG, {WHITE_1: Point(100.0, 0.0)}, _stroke(1500.0, side=0.4, elevation_rad=0.5))
    first, last = motion.velocity_mm_s(WHITE_1, 0.0), motion.velocity_mm_s(WHITE_1, 1.5)
    assert math.atan2(last[1], last[0]) > math.atan2(first[1], first[0]) + 0.02  # left side curves to the left


def test_a_rolling_ball_turns_once_in_its_circumference():
    motion = _alone(1000.0)
    rolling = next(leg for leg in motion.legs[WHITE_1] if leg.phase is Phase.ROLL)
    start_s = rolling.since_s + 0.1
    start = motion.pose(WHITE_1, start_s)
    assert start is not None
    low, high = start_s, motion.duration_s
    for _ in range(60):
        middle = (low + high) / 2
        pose = motion.pose(WHITE_1, middle)
        assert pose is not None
        if pose.center_mm[0] - start.center_mm[0] < 2 * math.pi * RADIUS:
            low = middle
        else:
            high = middle
    end = motion.pose(WHITE_1, low)
    assert end is not None
    same = abs(sum(a * b for a, b in zip(start.turn, end.turn, strict=True)))
    assert same == pytest.approx(1.0, abs=1e-6)


def test_a_ball_that_rolls_forward_turns_its_top_forward():
    motion = _alone(1000.0, top=0.4)
    pose = motion.pose(WHITE_1, 0.01)
    assert pose is not None
    w, x, y, z = pose.turn
    # Where the ball's north pole (0, 0, 1) has gone.
    assert 2 * (x * z + w * y) > 0.1
    assert w * w + x * x + y * y + z * z == pytest.approx(1.0)


def test_the_turn_is_continuous_and_follows_the_spin_through_a_cushion():
    motion = simulate(TABLE, {WHITE_1: Point(3000.0, 100.0)}, _stroke(2500.0, 0.3, side=0.4, top=0.2))
    assert any(isinstance(event, CushionHit) for event in motion.events)
    step_s = 1e-3
    for count in range(1500):
        one, two = motion.pose(WHITE_1, count * step_s), motion.pose(WHITE_1, (count + 1) * step_s)
        assert one is not None
        assert two is not None
        angle = 2 * math.acos(min(1.0, abs(sum(a * b for a, b in zip(one.turn, two.turn, strict=True)))))
        legs = motion.legs[WHITE_1]
        leg = [known for known in legs if known.since_s <= (count + 0.5) * step_s][-1]
        if any(abs(known.since_s - (count + 0.5) * step_s) < step_s for known in legs):
            continue
        assert angle == pytest.approx(math.hypot(*leg.spin_at((count + 0.5) * step_s)) * step_s, abs=1e-5)


def test_places_and_velocities_are_continuous_within_legs_and_places_between_them():
    layout = {WHITE_1: Point(600.0, 0.0), WHITE_2: Point(1200.0, 20.0), RED_1: Point(2500.0, -300.0)}
    motion = simulate(TABLE, layout, _stroke(3500.0, 0.02))
    for ball, legs in motion.legs.items():
        assert [leg.since_s for leg in legs] == sorted(leg.since_s for leg in legs)
        for leg, later in pairwise(legs):
            assert math.dist(leg.place_at(later.since_s), later.place_mm) < 1e-6, ball


def test_before_the_stroke_and_after_the_rest_the_balls_stand():
    layout = {WHITE_1: Point(600.0, 0.0), WHITE_2: Point(1200.0, 20.0)}
    motion = simulate(TABLE, layout, _stroke(1500.0, 0.02))
    for ball, place in layout.items():
        pose, late = motion.pose(ball, -1.0), motion.pose(ball, motion.duration_s + 5.0)
        assert pose is not None
        assert late is not None
        assert pose.center_mm == (place.x_mm, place.y_mm, RADIUS)
        assert late.center_mm == pytest.approx((motion.rest[ball].x_mm, motion.rest[ball].y_mm, RADIUS))
        assert motion.velocity_mm_s(ball, motion.duration_s + 5.0) == (0.0, 0.0, 0.0)


def test_events_run_from_strike_to_rest_in_order_of_time():
    layout = {WHITE_1: Point(600.0, 0.0), WHITE_2: Point(1200.0, 20.0)}
    motion = simulate(TABLE, layout, _stroke(2500.0, 0.02))
    assert motion.events[0] == Strike(t_s=0.0, ball=WHITE_1)
    last = motion.events[-1]
    assert isinstance(last, Rest)
    assert last.t_s == motion.duration_s
    assert dict(last.balls) == dict(motion.rest)
    assert [event.t_s for event in motion.events] == sorted(event.t_s for event in motion.events)
    assert any(isinstance(event, Contact) for event in motion.events)


def test_crossings_of_the_house_line_alternate_and_lie_on_it():
    motion = simulate(TABLE, {WHITE_1: Point(600.0, 40.0)}, _stroke(2800.0, 0.05))
    crossings = [event for event in motion.events if isinstance(event, HouseLine)]
    assert [event.direction for event in crossings] == ["out", "in", "out"]
    for event in crossings:
        pose = motion.pose(WHITE_1, event.t_s)
        assert pose is not None
        assert pose.center_mm[0] == pytest.approx(TABLE.house_line_x_mm, abs=1e-6)


def test_a_ball_on_the_house_line_is_outside():
    on_the_line = {WHITE_1: Point(TABLE.house_line_x_mm, 0.0)}
    inward = simulate(TABLE, on_the_line, _stroke(300.0, math.pi))
    onward = simulate(TABLE, on_the_line, _stroke(300.0, 0.0))
    assert [event.direction for event in inward.events if isinstance(event, HouseLine)] == ["in"]
    assert not any(isinstance(event, HouseLine) for event in onward.events)


def test_the_same_stroke_gives_the_same_motion():
    layout = {WHITE_1: Point(600.0, 0.0), WHITE_2: Point(1200.0, 20.0)}
    one, two = (simulate(TABLE, layout, _stroke(4500.0, 0.02)) for _ in range(2))
    assert one == two


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        ({WHITE_2: Point(500.0, 0.0)}, "white-1 is not on the table"),
        ({WHITE_1: Point(500.0, 0.0), WHITE_2: Point(530.0, 0.0)}, "overlaps"),
        ({WHITE_1: Point(-10.0, 0.0)}, "does not lie on the table"),
        ({WHITE_1: Point(20.0, 0.0)}, "overlaps"),
        ({WHITE_1: Point(math.nan, 0.0)}, "has no place"),
        ({WHITE_1: Point(-30.0, 917.0)}, "fallen into a pocket"),
    ],
)
def test_impossible_layouts_are_refused(layout: dict[Ball, Point], message: str):
    with pytest.raises(ValueError, match=message):
        simulate(TABLE, layout, _stroke(1000.0))


@pytest.mark.parametrize(
    "wrong",
    [
        {"speed_mm_s": 0.0},
        {"speed_mm_s": math.nan},
        {"side": 0.6, "top": 0.5},
        {"elevation_rad": 2.0},
        {"top": math.nan},
    ],
)
def test_impossible_strokes_are_refused(wrong: dict[str, float]):
    with pytest.raises(ValueError, match=r"cue|tip"):
        CueStroke(**{"ball": WHITE_1, "speed_mm_s": 1000.0, "direction_rad": 0.0, **wrong})


def test_impossible_physics_is_refused():
    with pytest.raises(ValueError, match="restitutions"):
        PhysicsParameters(ball_restitution=1.1)
    with pytest.raises(ValueError, match="restitutions"):
        PhysicsParameters(rolling_friction=0.0)


def test_rounding_that_makes_balls_overlap_a_little_is_put_right():
    layout = {WHITE_1: Point(500.0, 0.0), WHITE_2: Point(567.9, 0.0), RED_1: Point(33.9, 0.0)}
    motion = simulate(TABLE, layout, _stroke(1000.0))
    one, two = motion.pose(WHITE_1, 0.0), motion.pose(WHITE_2, 0.0)
    assert one is not None
    assert two is not None
    assert math.dist(one.center_mm, two.center_mm) >= 68.0 - 1e-8


def test_no_instant_is_refused():
    motion = _alone(1000.0)
    with pytest.raises(ValueError, match="no instant"):
        motion.pose(WHITE_1, math.nan)
