import dataclasses
import itertools
import math

import numpy as np
import pytest
from scipy.ndimage import map_coordinates

from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view, true_table_file
from hardware.virtual.picture.balls import ball_sprite
from hardware.virtual.picture.eye import Eye
from hardware.virtual.picture.shape import TableShape
from hardware.virtual.picture.surface import Kind, meet
from hardware.virtual.scene import BallPose, CueStick, Instant, Limb
from scoring.balls import RED_1, WHITE_1, WHITE_2, YELLOW, Ball
from scoring.table import Pocket, Table

TABLE = Table(length_mm=2840.0, width_mm=1420.0)
SIZE_PX = (640, 360)
RADIUS_MM = TABLE.ball_radius_mm
STILL = (1.0, 0.0, 0.0, 0.0)


class Rolling:
    """One ball rolls along x at a constant speed; another rests."""

    table = TABLE
    duration_s = 10.0

    def __init__(self, speed_mm_s):
        self.speed_mm_s = speed_mm_s

    def at(self, t_s):
        rolling = BallPose(ball=WHITE_1, center_mm=(600.0 + self.speed_mm_s * t_s, 150.0, RADIUS_MM))
        return Instant(balls=(rolling, pose(RED_1, 2000, -200)))


def pose(ball, x_mm, y_mm, z_mm=RADIUS_MM, turn=STILL):
    return BallPose(ball=ball, center_mm=(float(x_mm), float(y_mm), float(z_mm)), turn=turn)


def quiet(difficulty, seed=1):
    """A look without noise and flicker."""
    return dataclasses.replace(make_look(seed, difficulty), noise_sigma=0.0, flicker=0.0)


def make_renderer(difficulty, seed=1):
    return Renderer(TABLE, make_view(TABLE, seed, difficulty, SIZE_PX), quiet(difficulty, seed))


@pytest.fixture(scope="module")
def easy():
    return make_renderer(Difficulty.EASY)


@pytest.fixture(scope="module")
def hard():
    return make_renderer(Difficulty.HARD)


def sphere_outline_px(camera, center_mm, radius_mm, count=120):
    """The circle in which the camera's rays touch a sphere, projected."""
    center = np.array(center_mm)
    toward = center - camera.center_mm
    far = np.linalg.norm(toward)
    toward = toward / far
    middle = center - toward * radius_mm**2 / far
    reach = radius_mm * math.sqrt(1 - (radius_mm / far) ** 2)
    first = np.cross(toward, [0.3, 1.0, 0.2])
    first /= np.linalg.norm(first)
    second = np.cross(toward, first)
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False)[:, None]
    return camera.project(middle + reach * (np.cos(angles) * first + np.sin(angles) * second))


def edge_errors_px(alpha, window, outline):
    """How far, outwards, the half-covered place lies from each outline point."""
    corner = np.array(window[:2])
    middle = outline.mean(axis=0)
    steps = np.arange(-2.5, 2.5, 0.02)
    errors = []
    for point in outline:
        outward = (point - middle) / np.linalg.norm(point - middle)
        places = point - corner + steps[:, None] * outward
        cover = map_coordinates(alpha, [places[:, 1], places[:, 0]], order=3)
        last = np.nonzero(cover >= 0.5)[0][-1]
        errors.append(steps[last] + 0.02 * (cover[last] - 0.5) / (cover[last] - cover[last + 1]))
    return np.array(errors)


@pytest.mark.parametrize("difficulty", list(Difficulty))
def test_a_balls_outline_is_where_the_camera_model_puts_the_sphere(difficulty):
    camera = make_view(TABLE, 3, difficulty)
    eye = Eye.of(camera, TableShape.of(TABLE), quiet(difficulty, 3))
    for place in [(300, 300), (1420, 0), (2600, -500), (150, -560)]:
        ball = pose(RED_1, *place)
        sprite = ball_sprite(eye, ball, (STILL,))
        errors = edge_errors_px(sprite.alpha, sprite.window, sphere_outline_px(camera, ball.center_mm, RADIUS_MM))
        assert np.abs(errors).max() < 0.05
        assert abs(errors.mean()) < 0.01


def test_a_resting_ball_is_drawn_into_the_frame_where_its_outline_says(easy):
    ball = pose(YELLOW, 1900, 300)
    changed = easy.still(Instant(balls=(ball,))).astype(float) - easy.still(Instant(balls=())).astype(float)
    outline = sphere_outline_px(easy.camera, ball.center_mm, RADIUS_MM)
    brighter = (changed[..., 2] > 25).nonzero()  # yellow on green: the red channel tells them apart
    for axis, values in ((1, brighter[0]), (0, brighter[1])):
        assert (values.min() + values.max()) / 2 == pytest.approx(outline[:, axis].mean(), abs=0.6)
        assert values.max() - values.min() == pytest.approx(np.ptp(outline[:, axis]), abs=2.0)


def test_a_moving_balls_streak_is_centred_on_its_way_and_as_long_as_it(easy):
    scene = Rolling(4000.0)
    look = dataclasses.replace(easy.look, exposure_s=1 / 60, balls={**easy.look.balls, "white": (0.95, 0.95, 0.95)})
    renderer = Renderer(TABLE, easy.camera, look)
    frame = renderer.frame(scene, 0.1).astype(float)
    empty = renderer.picture(Instant(balls=scene.at(0.1).balls[1:]), (Instant(balls=scene.at(0.1).balls[1:]),), 0.1)
    bright = np.maximum(frame - empty, 0)[..., 2]
    bright[bright < 10] = 0
    ends = easy.camera.project([scene.at(0.1 + side / 120).balls[0].center_mm for side in (-1, 1)])
    rows, columns = np.indices(bright.shape)
    x_px, y_px = (float((grid * bright).sum() / bright.sum()) for grid in (columns, rows))
    assert math.dist((x_px, y_px), ends.mean(axis=0)) < 1.0
    length_px = float(np.linalg.norm(ends[1] - ends[0]))
    along = bright.sum(axis=0) > 40
    ball_px = np.ptp(sphere_outline_px(easy.camera, scene.at(0.1).balls[0].center_mm, RADIUS_MM)[:, 0])
    assert along.sum() == pytest.approx(length_px + ball_px, abs=4.0)


def test_a_resting_ball_is_not_blurred_by_another_ones_motion(easy):
    fast = easy.frame(Rolling(4000.0), 0.1)
    still = easy.frame(Rolling(0.0), 0.1)
    x_px, y_px = (round(value) for value in easy.camera.project([(2000.0, -200.0, RADIUS_MM)])[0])
    near = np.s_[y_px - 12 : y_px + 12, x_px - 12 : x_px + 12]
    assert np.array_equal(fast[near], still[near])


def test_frames_depend_on_their_time_only(easy):
    scene = Rolling(1500.0)
    forwards = [easy.frame(scene, t_s) for t_s in (0.1, 0.2, 0.3)]
    backwards = [easy.frame(scene, t_s) for t_s in (0.3, 0.2, 0.1)]
    for first, second in zip(forwards, backwards[::-1], strict=True):
        assert np.array_equal(first, second)


def test_the_same_seed_gives_the_same_picture_and_another_seed_another():
    instant = Instant(balls=(pose(WHITE_1, 700, 0),))

    def shot(seed):
        camera = make_view(TABLE, seed, Difficulty.NORMAL, (320, 180))
        return Renderer(TABLE, camera, make_look(seed, Difficulty.NORMAL)).still(instant, 0.5)

    first = shot(5)
    assert np.array_equal(first, shot(5))
    assert np.abs(first.astype(int) - shot(6)).mean() > 5


@pytest.mark.parametrize("sigma", [1.5, 4.0])
def test_noise_is_as_strong_as_the_look_says(easy, sigma):
    renderer = Renderer(TABLE, easy.camera, dataclasses.replace(easy.look, noise_sigma=sigma))
    instant = Instant(balls=())
    change = renderer.still(instant, 0.0).astype(float) - renderer.still(instant, 0.4)
    assert change[100:260, 200:440].std() / math.sqrt(2) == pytest.approx(sigma, rel=0.15)


def test_flicker_changes_the_whole_picture(easy):
    renderer = Renderer(TABLE, easy.camera, dataclasses.replace(easy.look, flicker=0.05, flicker_hz=100.0))
    levels = [renderer.still(Instant(balls=()), t_s).mean() for t_s in (0.0, 0.0025, 0.005, 0.0075)]
    assert max(levels) - min(levels) > 0.05 * np.mean(levels)


def test_a_camera_that_re_exposes_does_so_between_steady_stretches(easy):
    renderer = Renderer(TABLE, easy.camera, dataclasses.replace(easy.look, reexposure=0.3))
    before, after, later = (renderer.still(Instant(balls=()), t_s).mean() for t_s in (39.0, 41.0, 60.0))
    assert abs(before - after) > 2
    assert after == later


def test_every_picture_says_that_it_is_virtual(easy):
    empty, marked = easy.empty_table().astype(int), easy.still(Instant(balls=())).astype(int)
    different = (np.abs(empty - marked).max(axis=2) > 20).nonzero()
    assert len(different[0]) > 20
    assert different[0].min() > 0.9 * SIZE_PX[1]
    assert different[1].min() > 0.85 * SIZE_PX[0]


def test_a_near_cushion_hides_the_foot_of_a_ball_and_a_far_one_does_not(hard):
    side = 1.0 if hard.camera.center_mm[1] > 0 else -1.0
    against = TABLE.width_mm / 2 - RADIUS_MM
    eye = hard._eye
    far_off = dataclasses.replace(eye.surface, distance=np.full_like(eye.surface.distance, np.inf))
    nothing_before = dataclasses.replace(eye, surface=far_off)

    def seen_share(y_mm):
        ball = pose(RED_1, 900, y_mm)
        seen, whole = (ball_sprite(sight, ball, (STILL,)).alpha.sum() for sight in (eye, nothing_before))
        return float(seen / whole)

    assert seen_share(side * against) < 0.98
    assert seen_share(-side * against) == 1.0


def test_a_ball_that_has_sunk_below_the_bed_is_out_of_sight(easy):
    shape = TableShape.of(TABLE)
    y_mm = TABLE.width_mm / 2 + shape.middle.center_out_mm
    sunk = pose(WHITE_1, TABLE.length_mm / 2, y_mm, -160.0)
    falling = pose(WHITE_1, TABLE.length_mm / 2, y_mm, -20.0)
    empty = easy.still(Instant(balls=())).astype(int)
    assert np.abs(easy.still(Instant(balls=(sunk,))) - empty).max() < 12
    assert np.abs(easy.still(Instant(balls=(falling,))) - empty).max() > 60


@pytest.mark.parametrize("ball", [Ball("8"), WHITE_1, WHITE_2])
def test_what_is_printed_on_a_ball_turns_with_it(easy, ball):
    upright = easy.still(Instant(balls=(pose(ball, 1400, 300),))).astype(int)
    tilted = (math.cos(0.4), math.sin(0.4), 0.0, 0.0)
    turned = easy.still(Instant(balls=(pose(ball, 1400, 300, turn=tilted),))).astype(int)
    assert np.abs(upright - turned).max() > 40


def test_a_hand_over_a_ball_hides_it_and_a_ball_above_a_cue_does_not_vanish(easy):
    ball = pose(YELLOW, 1400, 0)
    hand = Limb(
        start_mm=(1400.0, 0.0, 120.0), end_mm=(1400.0, 0.0, 120.0), start_radius_mm=60, end_radius_mm=60, part="hand"
    )
    x_px, y_px = (round(value) for value in easy.camera.project([ball.center_mm])[0])
    bare = easy.still(Instant(balls=(ball,)))[y_px, x_px].astype(int)
    covered = easy.still(Instant(balls=(ball,), limbs=(hand,)))[y_px, x_px].astype(int)
    assert np.abs(bare - covered).max() > 30
    flying = pose(YELLOW, 1400, 0, 300.0)
    cue = CueStick(tip_mm=(1300.0, 0.0, 30.0), butt_mm=(2600.0, 0.0, 60.0))
    x_px, y_px = (round(value) for value in easy.camera.project([flying.center_mm])[0])
    alone = easy.still(Instant(balls=(flying,)))[y_px, x_px].astype(int)
    assert np.abs(alone - easy.still(Instant(balls=(flying,), cues=(cue,)))[y_px, x_px]).max() < 6


def test_arms_cast_shadows(easy):
    arm = Limb(
        start_mm=(1400.0, 0.0, 150.0), end_mm=(1400.0, -900.0, 400.0), start_radius_mm=40, end_radius_mm=60, part="arm"
    )
    darker = easy.still(Instant(balls=())).astype(int) - easy.still(Instant(balls=(), limbs=(arm,)))
    x_px, y_px = (round(value) for value in easy.camera.project([(1400.0, -150.0, 150.0)])[0])
    beside = darker[y_px, x_px - 60 : x_px + 60].max(axis=1)
    assert (beside > 4).sum() > 12


@pytest.mark.parametrize(("difficulty", "seed"), list(itertools.product(Difficulty, range(8))))
def test_every_view_holds_the_whole_table_at_a_slant_of_its_difficulty(difficulty, seed):
    camera = make_view(TABLE, seed, difficulty)
    outline = camera.project(TableShape.of(TABLE).outer_outline_mm())
    assert (outline > 0).all()
    assert (outline < np.array([1280, 720]) - 1).all()
    assert np.ptp(outline, axis=0).max() > 700
    center = camera.center_mm
    tilt_deg = math.degrees(math.atan2(math.hypot(center[0] - 1420, center[1]), center[2]))
    low, high = {"easy": (0, 4), "normal": (3, 20), "hard": (20, 45)}[difficulty]
    assert low <= round(tilt_deg, 6) <= high


@pytest.mark.parametrize("size_px", [(1280, 720), (1920, 1080), (640, 480)])
def test_a_view_fits_pictures_and_tables_of_any_size(size_px):
    table = Table()
    outline = make_view(table, 2, Difficulty.NORMAL, size_px).project(TableShape.of(table).outer_outline_mm())
    assert (outline > 0).all()
    assert (outline < np.array(size_px) - 1).all()


def test_looks_get_noisier_slower_and_darker_with_difficulty():
    looks = {difficulty: [make_look(seed, difficulty) for seed in range(20)] for difficulty in Difficulty}
    noise = [np.mean([look.noise_sigma for look in looks[difficulty]]) for difficulty in Difficulty]
    exposure = [np.mean([look.exposure_s for look in looks[difficulty]]) for difficulty in Difficulty]
    assert noise == sorted(noise)
    assert exposure == sorted(exposure)
    assert all(look.repeat_share == 0 for look in looks[Difficulty.EASY] + looks[Difficulty.NORMAL])
    assert len({look.cloth for look in looks[Difficulty.NORMAL]}) == 20


def kinds_at(places_mm):
    """What a camera straight above the table's middle meets at places (x, y, z)."""
    center = np.array([1420.0, 0.0, 30000.0], dtype=np.float32)
    rays = np.array(places_mm, dtype=np.float32) - center
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    return meet(TableShape.of(TABLE), center, rays[None]).kinds[0]


def test_noses_lie_on_the_field_s_rectangle_at_nose_height():
    nose, half = TABLE.nose_height_mm, TABLE.width_mm / 2
    outside = [(700, half + 2, nose), (700, -half - 2, nose), (-2, 300, nose), (2842, 300, nose)]
    inside = [(700, half - 2, nose), (700, -half + 2, nose), (2, 300, nose), (2838, 300, nose)]
    assert set(kinds_at(outside)) == {Kind.CUSHION}
    assert Kind.CUSHION not in set(kinds_at(inside))


@pytest.mark.parametrize("pocket", list(Pocket))
def test_a_mouth_is_open_as_wide_as_the_table_says(pocket):
    corner, nose = TABLE.pocket_corner(pocket), TABLE.nose_height_mm
    half = (82.5 if pocket.is_middle else 72.5) / 2
    inward = math.copysign(1.0, TABLE.length_mm / 2 - corner.x_mm)
    reach = half if pocket.is_middle else half * math.sqrt(2)
    out = math.copysign(4.0, corner.y_mm)
    shut, open_ = (
        [(corner.x_mm + side * (reach + gap), corner.y_mm + out, nose) for side in sides]
        for gap, sides in ((16.0, (inward,)), (-8.0, (inward,)))
    )
    assert set(kinds_at(shut)) == {Kind.CUSHION}
    assert Kind.CUSHION not in set(kinds_at(open_))


def test_a_table_without_pockets_has_no_holes():
    table = Table(length_mm=2840, width_mm=1420, ball_mm=61.5, pockets=None)
    camera = make_view(table, 1, Difficulty.EASY, (320, 180))
    eye = Eye.of(camera, TableShape.of(table), quiet(Difficulty.EASY))
    assert not np.isin(eye.surface.kinds, (Kind.HOLE, Kind.LINER, Kind.FITTING)).any()


def test_the_true_table_file_holds_the_camera_that_was_used(easy):
    file = true_table_file(TABLE, easy.camera, easy.look, source="film.mp4")
    assert file.camera is easy.camera
    assert file.table == TABLE
    assert file.source == "film.mp4"
    assert file.fps == easy.look.fps


def test_the_balls_colours_are_told_as_they_look(easy):
    red, yellow, white = (easy.colour_of(ball) for ball in (RED_1, YELLOW, WHITE_1))
    assert red[0] > 2 * red[1]
    assert yellow[0] > yellow[1] > 2 * yellow[2]
    assert min(white) > 120
