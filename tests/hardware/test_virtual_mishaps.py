"""What befalls the camera and the lamps: when, how much, and that a recording and a live camera agree about it."""

import dataclasses
import itertools
import math

import numpy as np
import pytest

from hardware.errors import DeviceMisconfiguredError
from hardware.virtual.camera import VirtualCamera
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.mishaps import NO_MISHAPS, Gap, Knock, Mishaps, Reexposure, Switch, make_mishaps
from hardware.virtual.picture import Renderer, make_look, make_view
from hardware.virtual.picture.film import Film
from hardware.virtual.scene import BallPose, Instant
from hardware.virtual.shutter import Shutter
from scoring.balls import RED_1
from scoring.table import Table

TABLE = Table(length_mm=2840.0, width_mm=1420.0)
SIZE_PX = (320, 180)


class Still:
    """One ball that rests."""

    table = TABLE
    duration_s = 4.0

    def at(self, _t_s):
        return Instant(balls=(BallPose(ball=RED_1, center_mm=(1500.0, 100.0, 34.0)),))


def film(mishaps, **changes):
    look = dataclasses.replace(make_look(1, Difficulty.NORMAL), noise_sigma=0.0, flicker=0.0, **changes)
    return Film(TABLE, make_view(TABLE, 1, Difficulty.NORMAL, SIZE_PX), look, mishaps)


def test_only_bad_halls_have_mishaps_and_the_same_seed_the_same_ones():
    for seed in range(20):
        for difficulty in (Difficulty.EASY, Difficulty.NORMAL):
            assert make_mishaps(seed, difficulty, 60.0, 3) == NO_MISHAPS
    hard = [make_mishaps(seed, Difficulty.HARD, 60.0, 2) for seed in range(100)]
    assert hard == [make_mishaps(seed, Difficulty.HARD, 60.0, 2) for seed in range(100)]
    assert 8 < sum(bool(each.knocks) for each in hard) < 35
    assert 12 < sum(bool(each.switches) for each in hard) < 40


def test_without_mishaps_a_film_is_what_the_renderer_draws():
    plain = film(NO_MISHAPS)
    renderer = Renderer(TABLE, plain.camera, plain.look)
    assert np.array_equal(plain.frame(Still(), 1.0), renderer.frame(Still(), 1.0))


def test_a_knocked_camera_sees_the_ball_where_its_new_pose_says():
    knocked = film(Mishaps(knocks=(Knock(t_s=1.0, turn_rad=(0.02, -0.01, 0.01)),)))
    before, after = knocked.camera_at(0.9), knocked.camera_at(2.5)
    assert after.center_mm == pytest.approx(before.center_mm)
    pixels = [camera.project([(1500.0, 100.0, 34.0)])[0] for camera in (before, after)]
    assert math.dist(*pixels) > 4.0
    for t_s, at_px in ((0.9, pixels[0]), (2.5, pixels[1])):
        picture = knocked.frame(Still(), t_s).astype(float)
        x_px, y_px = np.round(at_px).astype(int)
        near = picture[y_px - 6 : y_px + 7, x_px - 6 : x_px + 7]
        redness = np.clip(near[..., 2] - near[..., :2].max(axis=2), 0, None)
        rows, columns = np.indices(redness.shape)
        seen = [(grid * redness).sum() / redness.sum() - 6 for grid in (columns, rows)]
        assert np.add(seen, (x_px, y_px)) == pytest.approx(at_px, abs=0.7)


def test_a_knocked_camera_trembles_and_settles():
    knocked = film(Mishaps(knocks=(Knock(t_s=1.0, turn_rad=(0.02, 0.0, 0.0)),)))
    pictures = [knocked.frame(Still(), t_s) for t_s in (1.05, 1.11, 1.8, 2.5)]
    changes = [float(np.abs(one.astype(int) - two).mean()) for one, two in itertools.pairwise(pictures)]
    assert changes[0] > 0.5
    assert changes[2] == 0.0


def test_a_lamp_that_is_off_gives_no_light_until_it_is_on_again():
    mishaps = Mishaps(switches=(Switch(t_s=1.0, lamp=0, is_on=False), Switch(t_s=2.0, lamp=0, is_on=True)))
    light, dark, again = (float(film(mishaps).frame(Still(), t_s).mean()) for t_s in (0.5, 1.5, 2.5))
    assert dark < 0.95 * light
    assert again == light


def test_a_new_exposure_is_reached_within_half_a_second():
    mishaps = Mishaps(reexposures=(Reexposure(t_s=1.0, gain=0.5), Reexposure(t_s=3.0, gain=1.2)))
    gains = [mishaps.gain_at(t_s) for t_s in (0.9, 1.2, 1.5, 2.9, 3.5)]
    assert gains[0] == 1.0
    assert 0.5 < gains[1] < 1.0
    assert gains[2:] == [0.5, 0.5, 1.2]
    bright, dark = (float(film(mishaps).frame(Still(), t_s).mean()) for t_s in (0.5, 2.0))
    assert dark == pytest.approx(0.5 * bright, rel=0.05)


def test_a_live_camera_gives_and_loses_the_frames_that_the_shutter_says():
    own = film(NO_MISHAPS, drop_share=0.2, repeat_share=0.2)
    camera = VirtualCamera(own, Still(), fps=20.0)
    shutter = Shutter.of(own.look, 20.0)
    got = []
    while (frame := camera.read()) is not None:
        got.append(frame.index)
        assert frame.t_ns == round(frame.index / 20.0 * 1e9)
    assert got == [index for index in range(80) if not shutter.is_dropped(index)]
    assert 50 < len(got) < 75
    repeated = [index for index in range(80) if shutter.seen_s(index) < index / 20.0]
    assert 5 < len(repeated) < 30


def test_a_gap_loses_the_pictures_in_it_and_no_others():
    gaps = Mishaps(gaps=(Gap(starts_s=1.0, ends_s=1.5),))
    assert [gaps.is_lost(t_s) for t_s in (0.99, 1.0, 1.49, 1.5)] == [False, True, True, False]


def test_a_camera_that_sends_jpeg_leaves_its_marks():
    clean, jpeg = (film(NO_MISHAPS, jpeg_quality=quality).frame(Still(), 0.5) for quality in (0, 55))
    difference = np.abs(clean.astype(int) - jpeg)
    assert 0 < difference.mean() < 6


@pytest.mark.parametrize("place", [(1420.0, 0.0, 300.0), (1420.0, 200.0, 40.0), (9000.0, 0.0, 1500.0), (0.0, 0.0, 1e6)])
def test_a_camera_in_the_table_or_far_from_it_is_refused(place):
    with pytest.raises(DeviceMisconfiguredError, match="a camera at"):
        make_view(TABLE, 1, Difficulty.EASY, place_mm=place)


def test_a_camera_stands_where_it_is_put_and_sees_the_whole_table():
    for place in [(1420.0, 0.0, 2600.0), (1420.0, -2000.0, 2500.0), (-1200.0, 900.0, 3000.0)]:
        camera = make_view(TABLE, 1, Difficulty.NORMAL, place_mm=place)
        assert camera.center_mm == pytest.approx(place, abs=1e-6)
        corners = camera.project([(x, y, 40.0) for x in (0, 2840) for y in (-710, 710)])
        assert corners.min() > 0
        assert (corners < np.array([1280, 720])).all()
