"""Random strokes: whatever happens, balls do not pass through one another and no energy comes from nowhere."""

import math
import random

import pytest

from hardware.virtual.physics import CueStroke, Motion, simulate
from hardware.virtual.physics.body import Phase
from hardware.virtual.physics.fates import beyond_noses_mm
from scoring.balls import FIVE_BALL_SET, PYRAMID_SET, Ball
from scoring.events import Contact, OffTable, Potted
from scoring.table import Point, Table

OUT = (Phase.GONE, Phase.FALL)
TABLES = (Table(), Table(), Table(length_mm=2840.0, width_mm=1420.0, ball_mm=61.5, pockets=None))


def _layout(rng: random.Random, table: Table, balls: tuple[Ball, ...], frozen: float) -> dict[Ball, Point]:
    """Balls anywhere; a share of them frozen to another ball or to a cushion."""
    radius, half = table.ball_radius_mm, table.width_mm / 2
    layout: dict[Ball, Point] = {}
    for ball in balls:
        for _ in range(1000):
            place = Point(rng.uniform(radius, table.length_mm - radius), rng.uniform(radius - half, half - radius))
            if layout and rng.random() < frozen:
                beside, angle = rng.choice(list(layout.values())), rng.uniform(0.0, 2.0 * math.pi)
                place = Point(beside.x_mm + 2 * radius * math.cos(angle), beside.y_mm + 2 * radius * math.sin(angle))
            elif rng.random() < frozen / 2:
                place = Point(rng.choice((radius, table.length_mm - radius)), place.y_mm)
            inside = radius <= place.x_mm <= table.length_mm - radius and abs(place.y_mm) <= half - radius
            if inside and all(place.distance_mm(other) >= 2 * radius - 1e-9 for other in layout.values()):
                layout[ball] = place
                break
    return layout


def _play(seed: int) -> Motion:
    """A random stroke."""
    rng = random.Random(seed)
    table = rng.choice(TABLES)
    balls = PYRAMID_SET if rng.random() < 0.3 else FIVE_BALL_SET
    layout = _layout(rng, table, balls, rng.choice((0.0, 0.0, 0.3, 0.8)))
    offset, angle = rng.uniform(0.0, 0.6), rng.uniform(0.0, 2.0 * math.pi)
    stroke = CueStroke(
        ball=balls[0],
        speed_mm_s=rng.choice((rng.uniform(100.0, 2000.0), rng.uniform(500.0, 9000.0))),
        direction_rad=rng.uniform(-4.0, 4.0),
        side=offset * math.cos(angle),
        top=offset * math.sin(angle),
        elevation_rad=rng.choice((0.0, 0.0, 0.05, rng.uniform(0.0, 1.3))),
    )
    return simulate(table, layout, stroke)


def _check(motion: Motion, step_s: float) -> None:
    """Look at every leg's beginning and at every step between."""
    table = motion.table
    radius = table.ball_radius_mm
    times = {leg.since_s for legs in motion.legs.values() for leg in legs}
    times |= {step_s * count for count in range(int(motion.duration_s / step_s))}
    legs_at = dict.fromkeys(motion.balls, 0)
    before = math.inf
    for t_s in sorted(times):
        places: list[tuple[float, float, float]] = []
        energy = 0.0
        for ball, legs in motion.legs.items():
            while legs_at[ball] + 1 < len(legs) and legs[legs_at[ball] + 1].since_s <= t_s:
                legs_at[ball] += 1
            leg = legs[legs_at[ball]]
            if leg.phase in OUT:
                continue
            place = leg.place_at(t_s)
            places.append(place)
            energy += 0.5 * sum(v * v for v in leg.velocity_at(t_s)) + 9810.0 * (place[2] - radius)
            energy += 0.2 * radius * radius * sum(w * w for w in leg.spin_at(t_s))
            assert beyond_noses_mm(table, place[0], place[1]) < 60.1
            assert place[2] > radius - 1e-6
        assert energy <= before + 4.0  # the least parting speed, 1 mm/s, at most a few times at one instant
        before = energy
        for i, one in enumerate(places):
            for two in places[:i]:
                if abs(one[0] - two[0]) < 2 * radius:
                    assert math.dist(one, two) > 2 * radius - 1e-6
    gone = {event.ball for event in motion.events if isinstance(event, Potted | OffTable)}
    assert gone | set(motion.rest) == set(motion.balls)
    assert not gone & set(motion.rest)
    for event in motion.events:
        if isinstance(event, Contact):
            one_pose, two_pose = motion.pose(event.ball, event.t_s), motion.pose(event.other, event.t_s)
            assert one_pose is not None
            assert two_pose is not None
            assert math.dist(one_pose.center_mm, two_pose.center_mm) == pytest.approx(2 * radius, abs=1e-5)


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_random_strokes_keep_balls_apart_and_make_no_energy(first: int):
    for seed in range(first, first + 10):
        _check(_play(seed), 0.05)


@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.parametrize("first", range(1000, 3000, 100))
def test_two_thousand_random_strokes_keep_balls_apart_and_make_no_energy(first: int):
    for seed in range(first, first + 100):
        _check(_play(seed), 0.02)


def test_the_end_of_a_stroke_is_a_layout_for_the_next():
    rng = random.Random(7)
    table = Table()
    layout = _layout(rng, table, PYRAMID_SET, 0.3)
    for _ in range(40):
        ball, target = rng.sample(sorted(layout), 2)
        direction_rad = math.atan2(layout[target].y_mm - layout[ball].y_mm, layout[target].x_mm - layout[ball].x_mm)
        speed_mm_s = rng.choice((200.0, 1000.0, 3000.0, 6000.0))
        motion = simulate(table, layout, CueStroke(ball=ball, speed_mm_s=speed_mm_s, direction_rad=direction_rad))
        layout = {known: Point(round(at.x_mm, 1), round(at.y_mm, 1)) for known, at in motion.rest.items()}
        if len(layout) < 2:
            break
    assert len(layout) <= len(PYRAMID_SET)
