"""Cutting tracks into legs, and the short replays of what happened between them."""

import math

import numpy as np
import pytest

from scoring.table import Cushion, Pocket, Table
from vision.motion import State, replay
from vision.surroundings import Surroundings
from vision.track import Look
from vision.witness.causes import Explanation, Happening, without_repeats
from vision.witness.kinks import Story, find_kinks
from vision.witness.legs import Samples, cut

AROUND = Surroundings.of(Table())


def looks(places, *, sigma=0.4, fps=60.0, seed=1):
    rng = np.random.default_rng(seed)
    return [
        Look(k / fps, x + rng.normal(0, sigma), y + rng.normal(0, sigma), sigma, sigma)
        for k, (x, y) in enumerate(places)
    ]


def test_a_resting_ball_is_one_leg():
    legs = cut(Samples.of(looks([(500.0, 0.0)] * 300)))
    assert [leg.kind for leg in legs] == ["rest"]
    assert legs[0].place(2.0) == pytest.approx((500.0, 0.0), abs=0.15)


def test_a_rebound_is_one_joint_at_the_right_frame():
    forth = [(1000.0, 600.0 + 1500.0 * k / 60) for k in range(10)]
    back = [(1000.0, forth[-1][1] + 20.0 - 1100.0 * k / 60) for k in range(15)]
    legs = cut(Samples.of(looks(forth + back)))
    assert [(leg.first, leg.last) for leg in legs] == [(0, 9), (10, 24)]
    assert legs[0].velocity(0.15)[1] == pytest.approx(1500, abs=40)
    assert legs[1].velocity(0.18)[1] == pytest.approx(-1100, abs=40)


def test_a_ball_pushed_by_one_millimetre_is_seen_to_have_moved():
    legs = cut(Samples.of(looks([(500.0, 0.0)] * 60 + [(501.2, 0.3)] * 60)))
    assert len(legs) == 2
    assert legs[1].place(1.5)[0] - legs[0].place(0.5)[0] == pytest.approx(1.2, abs=0.2)


def test_one_wild_measurement_is_left_out():
    places = [(500.0 + 800.0 * k / 60, 0.0) for k in range(40)]
    places[20] = (300.0, 200.0)
    legs = cut(Samples.of(looks(places)))
    assert all(leg.first > 20 or leg.last < 20 for leg in legs)
    assert max(leg.last - leg.first for leg in legs) >= 18


def test_a_ball_seen_badly_for_some_frames_and_then_where_it_lay_has_not_moved():
    legs = cut(Samples.of(looks([(500.0, 0.0)] * 60 + [(503.0, 1.0)] * 8 + [(500.0, 0.0)] * 60)))
    assert [leg.kind for leg in legs] == ["rest"]


def test_a_ball_whose_place_drifts_as_a_shadow_passes_over_it_lies_still():
    places = [(536.8 + 2.7 * k / 56, 655.0) for k in range(57)]
    assert {leg.kind for leg in cut(Samples.of(looks(places, sigma=0.1)))} == {"rest"}


def test_a_ball_that_rolls_out_slowly_is_not_taken_for_one_that_lies():
    places = [(500.0 + 45.0 * k / 60 - 50.0 * (k / 60) ** 2, 0.0) for k in range(27)]
    assert next(leg.kind for leg in cut(Samples.of(looks(places, sigma=0.1)))) == "move"


def test_a_ball_struck_on_to_one_close_by_has_not_lain_where_it_met_that():
    places = [(500.0, 0.0)] * 60 + [(515.0, 0.0)] * 3 + [(515.0 + 240.0 * k / 60, 4.0 * k) for k in range(1, 30)]
    assert [leg.kind for leg in cut(Samples.of(looks(places, sigma=0.2)))] == ["rest", "move"]


def test_no_measurements_no_legs():
    assert cut(Samples.of([])) == []


@pytest.mark.parametrize(("end_mm_s", "is_met"), [(60.0, True), (0.0, False)])
def test_a_ball_that_lies_at_a_nose_has_met_it_if_it_would_have_rolled_on(end_mm_s, is_met):
    nose_mm = AROUND.table.width_mm / 2 - AROUND.radius_mm
    before_s = [(60 - k) / 60 for k in range(60)]
    run = [(1000.0, nose_mm - 1.0 - end_mm_s * t - 50.0 * t * t) for t in before_s]  # slows down by 100 mm/s2
    samples = Samples.of(looks(run + [(1000.0, nose_mm - 1.0)] * 60))
    kinks = find_kinks(1, {1: Story(samples, tuple(cut(samples)))}, AROUND)
    assert bool(kinks) is is_met


def test_a_full_hit_passes_the_speed_on():
    run = replay([State(500, 0, 2000, 0), State(700, 0)], 0.2, AROUND)
    (impact,) = run.impacts
    assert (impact.ball, impact.other) == (0, 1)
    assert impact.t_s == pytest.approx((200 - 68) / 2000)
    assert run.state_at(1, 0.2).vx_mm_s == pytest.approx(1950)
    assert run.state_at(0, 0.2).vx_mm_s == pytest.approx(50)


def test_a_cut_ball_leaves_along_the_line_of_centres():
    offset = 68 * math.sin(math.radians(30))
    run = replay([State(500, 0, 2000, 0), State(700, offset)], 0.2, AROUND)
    end = run.state_at(1, 0.2)
    assert math.degrees(math.atan2(end.vy_mm_s, end.vx_mm_s)) == pytest.approx(30, abs=0.01)


def test_a_near_miss_stays_a_miss():
    assert not replay([State(500, 0, 2000, 0), State(700, 68.2)], 0.2, AROUND).impacts


def test_a_ball_meets_a_cushion_with_its_edge_and_comes_back():
    run = replay([State(1000, 800, 0, 1000)], 0.2, AROUND)
    (impact,) = run.impacts
    assert impact.cushion is Cushion.LEFT
    assert impact.pocket is None
    assert impact.t_s == pytest.approx((887.5 - 34 - 800) / 1000)
    assert run.state_at(0, 0.2).vy_mm_s < -500


@pytest.mark.parametrize(("pocket", "x", "y", "turn"), [("FL", 0.0, 887.5, 135), ("MR", 1775.0, -887.5, -90)])
def test_a_ball_that_runs_along_a_pockets_axis_falls(pocket, x, y, turn):
    dx, dy = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    run = replay([State(x - 300 * dx, y - 300 * dy, 1500 * dx, 1500 * dy)], 0.4, AROUND)
    (impact,) = run.impacts
    assert impact.cushion is None
    assert impact.pocket is Pocket(pocket)


def test_a_table_without_pockets_has_four_whole_cushions():
    around = Surroundings.of(Table(pockets=None))
    run = replay([State(100, 800, -1000, 1000)], 0.3, around)
    assert {impact.cushion for impact in run.impacts} == {Cushion.LEFT, Cushion.FRONT}
    assert all(impact.pocket is None for impact in run.impacts)


def test_what_two_groups_tell_of_one_moment_is_told_once_and_a_rattle_in_one_of_them_stays():
    rattle = tuple(Happening(t_s, 1, cushion=Cushion.LEFT, pocket=Pocket.ML) for t_s in (1.0, 1.01))
    sure = Happening(2.0, 2, cushion=Cushion.REAR, confidence=0.9)
    again = Happening(2.004, 2, cushion=Cushion.REAR, confidence=0.6)
    groups = [Explanation(happenings=(*rattle, again), error=0.0), Explanation(happenings=(sure,), error=0.0)]
    assert [one.happenings for one in without_repeats(groups)] == [rattle, (sure,)]
