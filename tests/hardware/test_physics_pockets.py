import math

import pytest

from hardware.virtual.physics import CueStroke, Motion, PhysicsParameters, PocketShape, simulate
from hardware.virtual.physics.body import Phase
from hardware.virtual.physics.walls import build_walls
from scoring.balls import WHITE_1, WHITE_2
from scoring.events import Contact, CushionHit, Potted, Rest
from scoring.table import Cushion, Pocket, PocketMouths, Point, Table

TABLE = Table()
PARAMETERS = PhysicsParameters()


def _towards(
    pocket: Pocket, aside_mm: float, speed_mm_s: float, table: Table = TABLE, away_mm: float = 800.0
) -> Motion:
    """A ball sent along a pocket's axis, or beside it."""
    drop = next(known for known in build_walls(table, PARAMETERS).drops if known.pocket is pocket)
    x = drop.mouth_mm[0] - away_mm * drop.dx - aside_mm * drop.dy
    y = drop.mouth_mm[1] - away_mm * drop.dy + aside_mm * drop.dx
    stroke = CueStroke(ball=WHITE_1, speed_mm_s=speed_mm_s, direction_rad=math.atan2(drop.dy, drop.dx))
    return simulate(table, {WHITE_1: Point(x, y)}, stroke)


def _potted(motion: Motion) -> list[Potted]:
    return [event for event in motion.events if isinstance(event, Potted)]


def _jaws(motion: Motion) -> list[CushionHit]:
    return [event for event in motion.events if isinstance(event, CushionHit) and event.is_jaw]


@pytest.mark.parametrize("pocket", list(Pocket))
@pytest.mark.parametrize("speed_mm_s", [900.0, 4000.0])
def test_a_ball_sent_down_the_middle_falls_without_touching_a_jaw(pocket: Pocket, speed_mm_s: float):
    motion = _towards(pocket, 0.0, speed_mm_s)
    assert [event.pocket for event in _potted(motion)] == [pocket]
    assert not _jaws(motion)
    assert WHITE_1 not in motion.rest


@pytest.mark.parametrize("pocket", list(Pocket))
def test_the_mouth_is_as_wide_as_the_table_says(pocket: Pocket):
    walls = build_walls(TABLE, PARAMETERS)
    assert TABLE.pockets is not None
    mouth = TABLE.pockets.middle_mm if pocket.is_middle else TABLE.pockets.corner_mm
    one, two = (tip for tip in walls.tips if tip.pocket is pocket)
    between = math.dist(one.center_mm, two.center_mm) - one.round_mm - two.round_mm
    assert between == pytest.approx(mouth)


@pytest.mark.parametrize(("pocket", "falls_mm", "stays_mm"), [(Pocket.RL, 2.0, 12.0), (Pocket.ML, 5.0, 14.0)])
@pytest.mark.parametrize("sign", [-1, 1])
def test_the_clearance_is_that_of_a_russian_pocket(pocket: Pocket, falls_mm: float, stays_mm: float, sign: int):
    assert _potted(_towards(pocket, sign * falls_mm, 2000.0))
    rattled = _towards(pocket, sign * stays_mm, 2000.0)
    assert not _potted(rattled)
    assert _jaws(rattled)


def test_a_ball_rattles_between_both_jaws_and_falls():
    motion = _towards(Pocket.RL, 4.0, 2000.0)
    jaws = _jaws(motion)
    assert len(jaws) >= 2
    assert {event.cushion for event in jaws} == {Cushion.REAR, Cushion.LEFT}
    assert all(event.pocket is Pocket.RL for event in jaws)
    assert _potted(motion)[0].t_s > jaws[-1].t_s


def test_a_jaw_hit_is_met_one_radius_from_the_jaw():
    for event in _jaws(_towards(Pocket.RL, 6.0, 2000.0)):
        assert event.at is not None
        walls = build_walls(TABLE, PARAMETERS)
        gaps = [
            math.dist(tip.center_mm, (event.at.x_mm, event.at.y_mm)) - tip.round_mm - 34.0 for tip in walls.tips
        ] + [
            facet.nx * (event.at.x_mm - facet.start_mm[0]) + facet.ny * (event.at.y_mm - facet.start_mm[1]) - 34.0
            for facet in walls.facets
            if facet.pocket is Pocket.RL
        ]
        assert min(abs(gap) for gap in gaps) < 1e-6


def test_wider_mouths_take_more():
    wide = Table(pockets=PocketMouths(corner_mm=90.0, middle_mm=100.0))
    assert not _potted(_towards(Pocket.RL, 9.0, 2000.0))
    assert _potted(_towards(Pocket.RL, 9.0, 2000.0, table=wide))


def test_a_falling_ball_sinks_at_the_pocket_and_is_gone():
    motion = _towards(Pocket.ML, 0.0, 2500.0)
    fell_s = _potted(motion)[0].t_s
    heights = []
    for count in range(20):
        pose = motion.pose(WHITE_1, fell_s + 0.01 * count)
        if pose is None:
            break
        heights.append(pose.center_mm[2])
        assert math.dist(pose.center_mm[:2], (1775.0, 887.5)) < 70.0
    assert heights[0] == pytest.approx(34.0)
    assert heights == sorted(heights, reverse=True)
    assert heights[-1] < 0.0
    assert motion.pose(WHITE_1, motion.duration_s) is None
    assert motion.velocity_mm_s(WHITE_1, motion.duration_s + 1.0) == (0.0, 0.0, 0.0)
    assert motion.duration_s > fell_s


def _stopping_at(before_edge_mm: float, pocket: Pocket = Pocket.RL) -> Motion:
    """A ball that rolls out this far before the drop edge (nearly: the speed is found by halving)."""
    drop = next(known for known in build_walls(TABLE, PARAMETERS).drops if known.pocket is pocket)
    low, high = 100.0, 1500.0
    for _ in range(60):
        middle = (low + high) / 2
        motion = _towards(pocket, 0.0, middle)
        legs = [leg for leg in motion.legs[WHITE_1] if leg.phase is Phase.REST]
        if legs and drop.before_edge_mm(*legs[-1].place_mm[:2]) > before_edge_mm:
            low = middle
        else:
            high = middle
    return _towards(pocket, 0.0, low)


def test_a_ball_can_stop_in_the_mouth_and_stay():
    motion = _stopping_at(10.0)
    assert not _potted(motion)
    assert WHITE_1 in motion.rest
    place = motion.rest[WHITE_1]
    assert place.x_mm > TABLE.length_mm - 34.0 or place.y_mm > TABLE.width_mm / 2 - 34.0


def test_a_ball_that_stops_on_the_lip_drops_late():
    motion = _stopping_at(1.5)
    stood_s = next(leg.since_s for leg in motion.legs[WHITE_1] if leg.phase is Phase.REST)
    fell = _potted(motion)[0]
    assert 0.1 < fell.t_s - stood_s < 3.0
    last = motion.events[-1]
    assert isinstance(last, Rest)
    assert WHITE_1 not in last.balls


def test_a_ball_that_hangs_in_the_mouth_is_a_layout_and_can_be_driven_in():
    hanging = _stopping_at(10.0).rest[WHITE_1]
    layout = {WHITE_2: hanging, WHITE_1: Point(2500.0, -120.0)}
    direction_rad = math.atan2(hanging.y_mm + 120.0, hanging.x_mm - 2500.0)
    motion = simulate(TABLE, layout, CueStroke(ball=WHITE_1, speed_mm_s=1500.0, direction_rad=direction_rad))
    assert any(isinstance(event, Contact) for event in motion.events)
    assert [event.ball for event in _potted(motion)][:1] == [WHITE_2]


def test_a_carom_table_swallows_nothing():
    table = Table(length_mm=2840.0, width_mm=1420.0, ball_mm=61.5, pockets=None)
    stroke = CueStroke(ball=WHITE_1, speed_mm_s=4000.0, direction_rad=math.atan2(1.0, 2.0))
    motion = simulate(table, {WHITE_1: Point(1420.0, 0.0)}, stroke)
    hits = [event for event in motion.events if isinstance(event, CushionHit)]
    assert not _potted(motion)
    assert {event.cushion for event in hits[:2]} == {Cushion.REAR, Cushion.LEFT}
    assert not any(event.is_jaw for event in hits)
    assert WHITE_1 in motion.rest


def test_an_impossible_cut_is_refused():
    with pytest.raises(ValueError, match="impossible"):
        PocketShape(shelf_mm=20.0, narrowing_rad=1.2, round_mm=8.0)
    with pytest.raises(ValueError, match="impossible"):
        PocketShape(shelf_mm=20.0, narrowing_rad=0.1, round_mm=0.0)
