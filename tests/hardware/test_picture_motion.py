"""What moves or stands around in the picture: blurred cues, shaded balls, legs behind the table, furniture."""

import dataclasses

import numpy as np
import pytest

from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view
from hardware.virtual.scene import BallPose, CueStick, Instant, Limb
from scoring.balls import RED_1, WHITE_1
from scoring.table import Table

TABLE = Table(length_mm=2840.0, width_mm=1420.0)
SIZE_PX = (640, 360)


class Swing:
    """A cue that moves sideways at a constant speed over the cloth."""

    table = TABLE
    duration_s = 10.0

    def __init__(self, speed_mm_s):
        self.speed_mm_s = speed_mm_s

    def at(self, t_s):
        y_mm = -200.0 + self.speed_mm_s * (t_s - 0.5)
        return Instant(balls=(), cues=(CueStick(tip_mm=(900.0, y_mm, 60.0), butt_mm=(2300.0, y_mm, 90.0)),))


def make_renderer(difficulty=Difficulty.EASY, seed=1, **changes):
    look = dataclasses.replace(make_look(seed, difficulty), noise_sigma=0.0, flicker=0.0, **changes)
    return Renderer(TABLE, make_view(TABLE, seed, difficulty, SIZE_PX), look)


def across(renderer, frame):
    """How far a frame differs from the empty table along a line that crosses the cue."""
    x_px, y_px = (round(value) for value in renderer.camera.project([(1700.0, -200.0, 75.0)])[0])
    empty = renderer.still(Instant(balls=())).astype(int)
    return np.abs(frame.astype(int) - empty).sum(axis=2)[y_px - 40 : y_px + 40, x_px - 30 : x_px + 30].mean(axis=1)


def test_a_fast_cue_is_smeared_and_a_slow_one_is_not():
    renderer = make_renderer(exposure_s=1 / 60)
    slow, still, fast = (across(renderer, renderer.frame(Swing(speed), 0.5)) for speed in (60.0, 0.0, 3000.0))
    assert np.array_equal(slow, still)
    assert (fast > 60).sum() > (still > 60).sum() + 4
    assert fast.max() < 0.8 * still.max()


def test_a_ball_shades_its_neighbour_on_the_side_where_the_lamp_is_hidden():
    lamp = dataclasses.replace(
        make_look(1, Difficulty.HARD).lamps[0],
        center_mm=(300.0, 0.0, 1500.0),
        half_length_mm=50.0,
        half_width_mm=50.0,
        power=1.0,
    )
    renderer = make_renderer(lamps=(lamp,))
    alone = BallPose(ball=RED_1, center_mm=(2300.0, 0.0, 34.0))
    near = BallPose(ball=WHITE_1, center_mm=(2230.0, 0.0, 34.0))
    far = dataclasses.replace(near, center_mm=(1200.0, 300.0, 34.0))
    free, shaded = (renderer.still(Instant(balls=(other, alone))).astype(float) for other in (far, near))
    x_px, y_px = (round(value) for value in renderer.camera.project([alone.center_mm])[0])
    part = np.s_[y_px - 3 : y_px + 4, x_px - 6 : x_px + 7, 2]
    change = (shaded[part] - free[part]).mean(axis=0)
    toward_lamp = renderer.camera.project([(2250.0, 0.0, 34.0)])[0][0] < x_px
    side = change[:5] if toward_lamp else change[-5:]
    other = change[-4:] if toward_lamp else change[:4]
    assert side.min() < -8
    assert abs(other).max() < 4


def test_the_table_hides_the_legs_of_those_who_stand_behind_it():
    renderer = Renderer(
        TABLE,
        make_view(TABLE, 1, Difficulty.HARD, SIZE_PX, place_mm=(1420.0, -2500.0, 2700.0)),
        dataclasses.replace(
            make_look(1, Difficulty.HARD), noise_sigma=0.0, flicker=0.0, reexposure=0.0, jpeg_quality=0
        ),
    )
    leg = Limb(
        start_mm=(1420.0, 1000.0, -800.0),
        end_mm=(1420.0, 1000.0, -120.0),
        start_radius_mm=90.0,
        end_radius_mm=130.0,
        part="leg",
    )
    empty, behind = (renderer.still(Instant(balls=(), limbs=limbs)).astype(int) for limbs in ((), (leg,)))
    before = renderer.still(
        Instant(
            balls=(),
            limbs=(dataclasses.replace(leg, start_mm=(1420.0, -1100.0, -800.0), end_mm=(1420.0, -1100.0, -120.0)),),
        )
    ).astype(int)
    assert (np.abs(before - empty).sum(axis=2) > 15).sum() > 30
    edge_px = renderer.camera.project([(1420.0, 700.0, 0.0)])[0]
    cloth = np.abs(behind - empty)[round(edge_px[1]) :]
    assert cloth.max() == 0


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_furniture_stands_on_the_floor_and_changes_nothing_on_the_table(seed):
    bare, full = (make_renderer(Difficulty.HARD, seed, is_furnished=has) for has in (False, True))
    changed = np.abs(bare.empty_table().astype(int) - full.empty_table()).max(axis=2) > 0
    xs, ys = np.meshgrid(np.linspace(0, 2840, 30), np.linspace(-710, 710, 16))
    pixels = np.round(bare.camera.project(np.stack([xs, ys, np.zeros_like(xs)], axis=-1).reshape(-1, 3))).astype(int)
    assert not changed[pixels[:, 1], pixels[:, 0]].any()
    assert changed.any()
