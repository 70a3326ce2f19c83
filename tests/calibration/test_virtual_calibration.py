"""Calibrating the virtual table's pictures: the true camera is known, so the error in millimetres is too."""

import datetime as dt
from dataclasses import replace

import numpy as np
import pytest

from calibration.finder import find_table
from calibration.mapping import PlaneMap
from calibration.pose import fit_pose
from calibration.quality import certify
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view
from hardware.virtual.scene import BallPose, Instant
from scoring.balls import FIVE_BALL_SET
from scoring.table import Table

KAISA = Table(length_mm=2840, width_mm=1420)
CAROM = replace(KAISA, ball_mm=61.5, pockets=None)


@pytest.mark.parametrize(("table", "difficulty", "seed"), [(CAROM, Difficulty.NORMAL, 2), (KAISA, Difficulty.HARD, 13)])
def test_balls_on_the_virtual_table_are_placed_within_the_promised_millimetres(
    table: Table, difficulty: Difficulty, seed: int
) -> None:
    true = make_view(table, seed, difficulty)
    look = make_look(seed, difficulty, length_mm=table.length_mm, width_mm=table.width_mm)
    rng = np.random.default_rng(seed)
    radius = table.ball_radius_mm
    balls = tuple(
        BallPose(ball=ball, center_mm=(rng.uniform(0.1, 0.9) * table.length_mm, rng.uniform(-500, 500), radius))
        for ball in FIVE_BALL_SET
    )
    renderer = Renderer(table, true, look)
    pictures = [renderer.still(Instant(balls=balls), 0.1 * index) for index in range(2)]

    found = find_table(pictures)
    assert found.pockets.has_pockets == (table.pockets is not None)
    # the virtual camera hangs on either side of the table: tell which way round it lies
    front, rear = true.project([(0, 0, 0), (table.length_mm, 0, 0)])
    fit = fit_pose(found, table, "left" if front[0] < rear[0] else "right")

    xs = np.linspace(radius, table.length_mm - radius, 13)
    places = np.array([(x, y) for x in xs for y in np.linspace(-1, 1, 7) * (table.width_mm / 2 - radius)])
    pixels = PlaneMap(true, radius).to_px(places)
    errors = np.linalg.norm(PlaneMap(fit.camera, radius).to_mm(pixels) - places, axis=1)
    assert np.median(errors) <= 2.0
    assert np.percentile(errors, 95) <= 4.0
    assert certify(fit, dt.datetime(2026, 1, 2, tzinfo=dt.UTC)).verdict != "refuse"
