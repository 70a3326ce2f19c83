"""Balls that rest against cushions tell in play whether the calibration holds."""

from collections.abc import Mapping

import numpy as np
import pytest

from calibration.cushion_check import CushionCheck
from scoring.balls import Ball
from scoring.table import Cushion, Point, Table

TABLE = Table(length_mm=2840, width_mm=1420)
RADIUS = TABLE.ball_radius_mm


EXPECTED = {Cushion.REAR: 1.5}


def at_rear(count: int, off_mm: float, *, free: int = 0, seed: int = 1) -> list[Point]:
    """Balls that touch the rear cushion as a calibration sees them that is wrong there, and some that do not touch."""
    rng = np.random.default_rng(seed)
    gaps = [*rng.normal(off_mm, 0.7, count), *(off_mm + rng.uniform(0, 60, free))]
    return [Point(TABLE.length_mm - RADIUS - gap, float(rng.uniform(-300, 300))) for gap in gaps]


def check(places: list[Point], expected_mm: Mapping[Cushion, float] = EXPECTED) -> CushionCheck:
    made = CushionCheck(table=TABLE, expected_mm=expected_mm)
    for place in places:
        made.see({Ball("yellow"): place})
    return made


def test_a_good_calibration_is_confirmed_though_many_balls_lie_close_without_touching() -> None:
    in_play = check(at_rear(20, 0.0, free=30), EXPECTED).in_play
    assert in_play is not None
    assert in_play.balls >= 15
    assert in_play.mean_mm < 1.5
    assert not in_play.doubted


@pytest.mark.parametrize("off_mm", [-9.0, 9.0])
def test_a_cushion_that_lies_elsewhere_is_told_by_how_much_and_doubted(off_mm: float) -> None:
    in_play = check(at_rear(12, off_mm, free=15), EXPECTED).in_play
    assert in_play is not None
    assert in_play.doubted == (Cushion.REAR,)
    assert dict(in_play.by_cushion_mm)[Cushion.REAR] == pytest.approx(off_mm, abs=1.5)


def test_an_error_that_the_certificate_expects_is_no_contradiction() -> None:
    in_play = check(at_rear(12, 6.0), {Cushion.REAR: 3.5}).in_play
    assert in_play is not None
    assert in_play.mean_mm > 5
    assert not in_play.doubted


def test_few_balls_those_on_the_bed_and_those_in_pockets_mouths_tell_nothing() -> None:
    assert check(at_rear(4, 9.0)).in_play is None
    bed = [Point(500.0 + 30 * step, 0.0) for step in range(30)]
    mouths = [Point(TABLE.length_mm - RADIUS, TABLE.width_mm / 2 - RADIUS - 2.0 * step) for step in range(20)]
    assert check(bed + mouths).in_play is None


def test_a_ball_that_stays_where_it_lies_counts_once() -> None:
    assert check(at_rear(1, 0.0) * 20).in_play is None


@pytest.mark.parametrize("seed", range(20))
def test_balls_that_only_lie_close_to_a_cushion_do_not_contradict_a_good_calibration(seed: int) -> None:
    in_play = check(at_rear(0, 0.0, free=60, seed=seed), EXPECTED).in_play
    assert in_play is None or not in_play.doubted
