import math

import pytest

from hardware.virtual.physics import CueStroke, Motion, PhysicsParameters, simulate
from hardware.virtual.physics.body import Body, Phase
from hardware.virtual.physics.cushions import rebound
from hardware.virtual.physics.impacts import rub, throw
from scoring.balls import CUE, NUMBERED, RED_1, RED_2, WHITE_1, WHITE_2, Ball
from scoring.events import Contact, CushionHit
from scoring.table import Cushion, Point, Table

TABLE = Table()
CAROM = Table(length_mm=2840.0, width_mm=1420.0, ball_mm=61.5, pockets=None)
SMOOTH = PhysicsParameters(ball_friction=(0.0, 0.0, 1.0))
PERFECT = PhysicsParameters(ball_friction=(0.0, 0.0, 1.0), ball_restitution=1.0)
D = 68.0


def _play(
    layout: dict[Ball, Point],
    speed_mm_s: float,
    direction_rad: float = 0.0,
    parameters: PhysicsParameters = PhysicsParameters(),  # noqa: B008 - frozen
    ball: Ball = WHITE_1,
    **more: float,
) -> Motion:
    stroke = CueStroke(ball=ball, speed_mm_s=speed_mm_s, direction_rad=direction_rad, **more)
    return simulate(TABLE, layout, stroke, parameters)


def _contacts(motion: Motion) -> list[Contact]:
    return [event for event in motion.events if isinstance(event, Contact)]


def test_a_contact_happens_when_the_centres_are_one_diameter_apart_and_at_their_middle():
    motion = _play({WHITE_1: Point(600.0, 0.0), WHITE_2: Point(1200.0, 31.0)}, 2000.0)
    contact = _contacts(motion)[0]
    one, two = motion.pose(WHITE_1, contact.t_s), motion.pose(WHITE_2, contact.t_s)
    assert one is not None
    assert two is not None
    assert math.dist(one.center_mm, two.center_mm) == pytest.approx(D, abs=1e-7)
    assert contact.at == Point((one.center_mm[0] + two.center_mm[0]) / 2, (one.center_mm[1] + two.center_mm[1]) / 2)
    assert (contact.ball, contact.other) == (WHITE_1, WHITE_2)


def test_a_struck_ball_leaves_along_the_line_of_centres_and_momentum_is_kept():
    motion = _play({WHITE_1: Point(600.0, 0.0), WHITE_2: Point(1200.0, 31.0)}, 2000.0, parameters=SMOOTH)
    t_s = _contacts(motion)[0].t_s
    before = motion.velocity_mm_s(WHITE_1, t_s - 1e-9)
    one, two = motion.velocity_mm_s(WHITE_1, t_s), motion.velocity_mm_s(WHITE_2, t_s)
    first, second = motion.pose(WHITE_1, t_s), motion.pose(WHITE_2, t_s)
    assert first is not None
    assert second is not None
    line = math.atan2(second.center_mm[1] - first.center_mm[1], second.center_mm[0] - first.center_mm[0])
    assert math.atan2(two[1], two[0]) == pytest.approx(line)
    assert (one[0] + two[0], one[1] + two[1]) == pytest.approx((before[0], before[1]), abs=1e-4)
    closing = before[0] * math.cos(line) + before[1] * math.sin(line)
    parting = (two[0] - one[0]) * math.cos(line) + (two[1] - one[1]) * math.sin(line)
    assert parting == pytest.approx(0.95 * closing, rel=1e-6)


def test_a_stun_shot_leaves_at_right_angles():
    motion = _play({WHITE_1: Point(600.0, 0.0), WHITE_2: Point(680.0, 31.0)}, 2500.0, parameters=PERFECT)
    t_s = _contacts(motion)[0].t_s
    one, two = motion.velocity_mm_s(WHITE_1, t_s), motion.velocity_mm_s(WHITE_2, t_s)
    assert one[0] * two[0] + one[1] * two[1] == pytest.approx(0.0, abs=1.0)


def test_friction_throws_the_struck_ball_along_the_slip():
    def leaves_rad(parameters: PhysicsParameters) -> float:
        motion = _play({WHITE_1: Point(600.0, 0.0), WHITE_2: Point(680.0, 34.0)}, 1500.0, parameters=parameters)
        vx, vy, _ = motion.velocity_mm_s(WHITE_2, _contacts(motion)[0].t_s)
        return math.atan2(vy, vx)

    thrown = math.degrees(leaves_rad(SMOOTH) - leaves_rad(PhysicsParameters()))
    assert 0.5 < thrown < 5.0  # half-ball cut-induced throw, Alciatore TP A.14


def test_friction_stops_the_slip_and_never_turns_it_round():
    one, two = (Body(i, i * D, 0.0, D / 2, PhysicsParameters()) for i in range(2))
    one.wz = 1.0
    throw(one, two, rub(one, two, 1e6, PhysicsParameters()))
    assert one.vy - two.vy + D / 2 * (one.wz + two.wz) == pytest.approx(0.0, abs=1e-9)
    assert one.vy < 0.0 < two.vy
    assert one.wz == pytest.approx(1 - 5 / 14)


def test_frozen_balls_touch_when_one_is_struck_towards_the_other():
    layout = {WHITE_1: Point(1000.0, 0.0), WHITE_2: Point(1000.0 + D, 0.0)}
    contact = _contacts(_play(layout, 1000.0, 0.3))[0]
    assert contact.t_s == pytest.approx(0.0, abs=1e-9)
    assert {contact.ball, contact.other} == {WHITE_1, WHITE_2}


def test_frozen_balls_do_not_touch_when_one_is_struck_away():
    layout = {WHITE_1: Point(1000.0, 0.0), WHITE_2: Point(1000.0 + D, 0.0)}
    assert not _contacts(_play(layout, 400.0, math.pi))
    assert not _contacts(_play(layout, 400.0, math.pi / 2 + 0.01))


def test_balls_in_a_row_pass_the_push_on_to_the_last():
    layout = {WHITE_1: Point(600.0, 0.0)} | {
        ball: Point(1200.0 + D * i, 0.0) for i, ball in enumerate((WHITE_2, RED_1, RED_2))
    }
    motion = _play(layout, 2000.0, parameters=PERFECT)
    contacts = _contacts(motion)[:3]
    assert [(c.ball, c.other) for c in contacts] == [(WHITE_1, WHITE_2), (WHITE_2, RED_1), (RED_1, RED_2)]
    t_s = contacts[2].t_s + 1e-6
    assert motion.velocity_mm_s(RED_2, t_s)[0] > 2000.0
    assert all(abs(motion.velocity_mm_s(ball, t_s)[0]) < 5.0 for ball in (WHITE_1, WHITE_2, RED_1))


def test_two_balls_hit_at_once_leave_as_mirror_images():
    half = D / 2 * (1 + 1e-12)
    layout = {WHITE_1: Point(600.0, 0.0), RED_1: Point(1200.0, half), RED_2: Point(1200.0, -half)}
    motion = _play(layout, 2000.0)
    first, second = _contacts(motion)[:2]
    assert first.t_s == pytest.approx(second.t_s, abs=1e-9)
    assert {first.other, second.other} == {RED_1, RED_2}
    one, two = motion.velocity_mm_s(RED_1, first.t_s + 1e-6), motion.velocity_mm_s(RED_2, first.t_s + 1e-6)
    assert one[0] == pytest.approx(two[0], rel=1e-3)
    assert one[1] == pytest.approx(-two[1], rel=1e-3)
    assert motion.velocity_mm_s(WHITE_1, first.t_s + 1e-6)[1] == pytest.approx(0.0, abs=1.0)


def test_a_ball_that_follows_through_a_frozen_one_is_one_touch():
    layout = {WHITE_1: Point(1000.0, 0.0), WHITE_2: Point(1000.0 + D, 0.0)}
    motion = _play(layout, 500.0, top=0.5)
    assert len([c for c in _contacts(motion) if c.t_s < 0.3]) <= 2


def test_a_full_pyramid_breaks_and_everything_comes_to_rest():
    places: list[Point] = [
        Point(2662.5 + row * D * math.sqrt(3) / 2, (column - row / 2) * D)
        for row in range(5)
        for column in range(row + 1)
    ]
    layout = {CUE: Point(887.5, 0.0), **dict(zip(NUMBERED, places, strict=True))}
    motion = _play(layout, 7000.0, ball=CUE)
    assert _contacts(motion)[0].other == NUMBERED[0]
    touched = {c.ball for c in _contacts(motion)} | {c.other for c in _contacts(motion)}
    assert touched == set(layout)
    gone = set(layout) - set(motion.rest)
    assert all(motion.pose(ball, motion.duration_s + 1.0) is None for ball in gone)
    # Struck in the middle, the pyramid opens as its own mirror image.
    t_s = _contacts(motion)[0].t_s + 0.1
    for i, j in ((1, 2), (3, 5), (6, 9), (10, 14)):
        one, two = motion.pose(NUMBERED[i], t_s), motion.pose(NUMBERED[j], t_s)
        assert one is not None
        assert two is not None
        assert one.center_mm[:2] == pytest.approx((two.center_mm[0], -two.center_mm[1]), abs=0.5)


@pytest.mark.parametrize(
    ("direction_rad", "cushion"),
    [(0.0, Cushion.REAR), (math.pi, Cushion.FRONT), (math.pi / 2, Cushion.LEFT), (-math.pi / 2, Cushion.RIGHT)],
)
@pytest.mark.parametrize("table", [TABLE, CAROM])
def test_each_cushion_is_met_one_radius_from_its_nose(table: Table, direction_rad: float, cushion: Cushion):
    stroke = CueStroke(ball=WHITE_1, speed_mm_s=2500.0, direction_rad=direction_rad + 0.05)
    motion = simulate(table, {WHITE_1: Point(table.length_mm * 0.4, 0.0)}, stroke)
    hit = next(event for event in motion.events if isinstance(event, CushionHit))
    assert hit.cushion is cushion
    assert not hit.is_jaw
    assert hit.at is not None
    radius = table.ball_radius_mm
    gap = {
        Cushion.REAR: table.length_mm - hit.at.x_mm,
        Cushion.FRONT: hit.at.x_mm,
        Cushion.LEFT: table.width_mm / 2 - hit.at.y_mm,
        Cushion.RIGHT: hit.at.y_mm + table.width_mm / 2,
    }[cushion]
    assert gap == pytest.approx(radius, abs=1e-6)


def _rolling(inward_mm_s: float, along_mm_s: float, spin_rad_s: float = 0.0, **more: float) -> Body:
    """A ball that has met the rear cushion (its normal is -x)."""
    body = Body(0, 3516.0, 0.0, 34.0, PhysicsParameters(**more))
    body.vx, body.vy, body.wz = inward_mm_s, along_mm_s, spin_rad_s
    body.wx, body.wy = -along_mm_s / 34.0, inward_mm_s / 34.0
    return body


def _energy(body: Body) -> float:
    return body.energy_mm2_s2()


def test_a_rolling_ball_comes_back_at_about_three_quarters_of_its_speed():
    body = _rolling(1500.0, 0.0)
    assert rebound(body, -1.0, 0.0, TABLE.nose_height_mm, body.parameters) == 1500.0
    assert -0.78 < body.vx / 1500.0 < -0.68
    assert body.vy == 0.0
    assert body.wz == 0.0


def test_side_spin_bends_the_rebound_and_is_used_up():
    left = _rolling(1500.0, 0.0, -60.0)
    rebound(left, -1.0, 0.0, TABLE.nose_height_mm, left.parameters)
    right = _rolling(1500.0, 0.0, 60.0)
    rebound(right, -1.0, 0.0, TABLE.nose_height_mm, right.parameters)
    assert left.vy == pytest.approx(-right.vy)
    assert abs(left.vy) > 100.0
    assert abs(left.wz) < 60.0
    # Counter-clockwise spin drags the ball to -y at the rear cushion: its surface there moves to +y.
    assert right.vy < 0.0


def test_a_gripping_rebound_turns_the_slip_round_by_the_rubber_s_share():
    body = _rolling(3000.0, 100.0, cushion_tangential_restitution=0.5)
    body.wx = body.wy = 0.0  # it slides in
    rebound(body, -1.0, 0.0, TABLE.nose_height_mm, body.parameters)
    assert body.vy == pytest.approx(100.0 * (1 - 2 / 7 * 1.5), rel=1e-6)


@pytest.mark.parametrize("inward", [1.5, 50.0, 900.0, 6000.0])
@pytest.mark.parametrize("along", [-4000.0, 0.0, 700.0])
@pytest.mark.parametrize("spin", [-150.0, 0.0, 40.0])
@pytest.mark.parametrize("roll", [-2.0, 0.0, 1.0, 3.0])
def test_a_cushion_never_gives_energy(inward: float, along: float, spin: float, roll: float):
    body = _rolling(inward, along, spin)
    body.wx *= roll
    body.wy *= roll
    before = _energy(body)
    rebound(body, -1.0, 0.0, TABLE.nose_height_mm, body.parameters)
    assert _energy(body) <= before + 2.0  # the least parting speed, 1 mm/s
    assert body.vx < 0.0


def test_a_ball_frozen_to_a_cushion_and_struck_into_it_leaves_it():
    motion = _play({WHITE_1: Point(34.0, 100.0)}, 1500.0, math.pi - 0.3)
    hits = [event for event in motion.events if isinstance(event, CushionHit)]
    assert hits[0].t_s == pytest.approx(0.0, abs=1e-9)
    assert hits[0].cushion is Cushion.FRONT
    assert motion.velocity_mm_s(WHITE_1, 1e-6)[0] > 500.0


def test_a_ball_struck_along_its_cushion_rolls_along_it():
    motion = _play({WHITE_1: Point(34.0, -500.0)}, 250.0, math.pi / 2)
    assert motion.rest[WHITE_1].x_mm == pytest.approx(34.0, abs=1e-6)
    assert motion.rest[WHITE_1].y_mm > -300.0
    assert not any(isinstance(event, CushionHit) and not event.is_jaw for event in motion.events)


def test_a_ball_pressed_against_a_cushion_by_its_spin_meets_it_once():
    motion = _play({WHITE_1: Point(200.0, -500.0)}, 1200.0, math.pi, top=0.5)
    hits = [event.t_s for event in motion.events if isinstance(event, CushionHit)]
    assert len(hits) <= 3
    assert motion.legs[WHITE_1][-1].phase is Phase.REST
