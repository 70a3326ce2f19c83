"""Two cameras, half of the table in each picture: a stroke that crosses reads as with one, clocks are aligned."""

import importlib.util
import itertools
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.frame import Frame
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.physics import CueStroke, simulate
from hardware.virtual.picture import Renderer, make_end_view, make_look, true_table_file
from hardware.virtual.scene import Instant
from hardware.virtual.script import later
from scoring.balls import FIVE_BALL_SET, RED_1, RED_2, WHITE_1, WHITE_2, YELLOW
from scoring.table import Cushion, Point, Table
from server.bench.comparison import compare
from vision.alignment import ClockAlignment
from vision.detection import Cover, Detection, Sighting
from vision.fusion import Fusion, unseen_by
from vision.pipeline import Pipeline
from vision.witness import Witness

TABLE = Table(length_mm=2840, width_mm=1420)
LOOK = make_look(1, Difficulty.EASY)
FILES = [true_table_file(TABLE, make_end_view(TABLE, 1, end), LOOK) for end in (Cushion.FRONT, Cushion.REAR)]
VIEWS = Fusion.of(*FILES).views
MS = 1_000_000
LEAD_S, TAIL_S = 1.1, 1.6


def filming():
    if "filming" not in sys.modules:
        spec = importlib.util.spec_from_file_location("filming", Path(__file__).with_name("filming.py"))
        sys.modules["filming"] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules["filming"]


def sees(view, detection):
    return VIEWS[view].radii_px([(detection.place.x_mm, detection.place.y_mm)])[0] > 0


@cache
def filmed(seed, fps):
    """The truth of a random stroke, and what each of two cameras sees of it, as (view, sighting)."""
    rng = np.random.default_rng(seed)
    layout = filming().random_layout(TABLE, FIVE_BALL_SET, rng)
    stroke = filming().random_stroke(layout, TABLE, rng)
    motion, eye, phase, taken = simulate(TABLE, layout, stroke), filming().Eye(fps=fps, ghosts=0.0), rng.random(), []
    for index in range(int((LEAD_S + motion.duration_s + TAIL_S) * fps)):
        for view in (0, 1):
            seen = filming().sight(motion, stroke, eye, rng, index, (index + view * phase) / fps, LEAD_S)
            detections = tuple(detection for detection in seen.detections if sees(view, detection))
            taken.append((view, replace(seen, detections=detections)))
    return [later(event, LEAD_S, 1) for event in motion.events], taken


def film_twice(seed, *, late_s, fps=60.0, shift_mm=0.0):
    """The same by a second camera whose clock is late and whose calibration is wrong, in the order of arrival."""
    truth, taken = filmed(seed, fps)
    return truth, [(view, _late(sighting, late_s, shift_mm) if view else sighting) for view, sighting in taken]


def _late(sighting, late_s, shift_mm):
    shifted = [replace(each, place=Point(each.place.x_mm + shift_mm, each.place.y_mm)) for each in sighting.detections]
    return replace(sighting, t_ns=sighting.t_ns + round(late_s * 1e9), detections=tuple(shifted))


def read(taken):
    """What the witness tells, and the fusion that it saw through."""
    witness, fusion, events = Witness(TABLE, FIVE_BALL_SET), Fusion.of(*FILES), []
    for view, sighting in taken:
        for fused in fusion.take(view, sighting):
            events += witness.step(fused)
    for fused in fusion.finish():
        events += witness.step(fused)
    return [*events, *witness.finish()], fusion


@pytest.mark.parametrize(
    ("seed", "late_s", "fps", "shift_mm"), [(1, 0.08, 60.0, 0), (2, -0.04, 30.0, 1), (5, 0, 60.0, 1.5)]
)
def test_strokes_seen_by_halves_read_exactly_whatever_the_clocks_and_calibrations(seed, late_s, fps, shift_mm):
    truth, taken = film_twice(seed, late_s=late_s, fps=fps, shift_mm=shift_mm)
    events, _ = read(taken)
    assert [stroke.verdict for stroke in compare(truth, tuple(events)).strokes] == ["exact"]


@cache
def shared_by_both(seed):
    """What each camera sees of a random stroke where both look, as (view, time, detections)."""
    return [
        (view, sighting.t_ns * 1e-9, [each for each in sighting.detections if sees(1 - view, each)])
        for view, sighting in filmed(seed, 60.0)[1]
        if sighting.t_ns > (LEAD_S - 0.1) * 1e9
    ]


@pytest.mark.parametrize("late_ms", [0, 7, 20, 45, 80, -60])
def test_clocks_are_aligned_within_two_milliseconds_by_a_few_strokes(late_ms):
    alignment = ClockAlignment()
    for number, seed in enumerate((1, 2, 5)):
        for view, t_s, detections in shared_by_both(seed):
            alignment.see(view, t_s + 60 * number + view * late_ms / 1000, detections)
    assert alignment.offset is not None
    assert abs(alignment.offset.offset_s - late_ms / 1000) < 0.002
    assert alignment.offset.sigma_s < 0.001


def test_clocks_are_not_aligned_by_balls_that_rest_nor_by_one_that_only_one_camera_sees_move():
    _, taken = film_twice(1, late_s=0.05)
    fusion = Fusion.of(*FILES)
    for view, sighting in taken:
        if sighting.t_ns < LEAD_S * 1e9 or view == 0:
            fusion.take(view, sighting)
    assert fusion.alignment.offset is None


def detection(x_mm, y_mm=0.0, word="white", **more):
    usual = {"sigma_mm": 0.3, "sigma_along_mm": 0.3, "center_px": (0.0, 0.0), "radius_px": 14.0, "looks": {word: 1.0}}
    return Detection(place=Point(x_mm, y_mm), **(usual | more))


def fuse(first, second, *, apart_ms=5, **more):
    """The fused sighting of two still pictures, shown a few times."""
    fusion, fused = Fusion.of(*FILES), []
    for index in range(4):
        for view, detections in ((0, first), (1, second)):
            t_ns = index * 16 * MS + view * apart_ms * MS
            fused += fusion.take(view, Sighting(t_ns=t_ns, index=index, detections=tuple(detections), **more))
    assert len(fused) == 4
    return fused[-1]


def test_each_ball_comes_once_from_the_camera_that_sees_it_larger():
    fused = fuse([detection(1300, 1.0), detection(500)], [detection(1302, -1.0), detection(2300)])
    assert sorted(each.place.x_mm for each in fused.detections) == [500, 1300, 2300]
    fused = fuse([detection(1590, -500)], [detection(1591, -500)])
    larger = np.argmax([view.radii_px([(1590, -500)])[0] for view in VIEWS])
    assert [each.place.x_mm for each in fused.detections] == [(1590, 1591)[larger]]


def test_a_ball_that_is_hidden_from_the_better_camera_comes_from_the_other():
    assert [each.place.x_mm for each in fuse([], [detection(1350)]).detections] == [1350]
    merged = detection(1350, is_merged=True)
    assert [each.place.x_mm for each in fuse([merged], [detection(1352)]).detections] == [1352]


def test_detections_keep_their_own_instants():
    early = {each.place.x_mm: each.early_s for each in fuse([detection(500)], [detection(2300)], apart_ms=6).detections}
    assert early == {500: pytest.approx(0.006), 2300: pytest.approx(0.0)}


def test_two_balls_side_by_side_stay_two():
    fused = fuse([detection(1400, -34), detection(1400, 34)], [detection(1401, -34), detection(1401, 34)])
    assert len(fused.detections) == 2


def test_what_hides_a_ball_from_the_worse_camera_only_is_no_cover():
    outline = (Point(2000, 0), Point(2100, 0), Point(2100, 100))
    assert fuse([], [], covers=(Cover(outline=outline),)).covers == (Cover(outline=outline),)


def test_pictures_of_a_faster_camera_that_have_no_partner_are_passed_over():
    fusion, fused = Fusion.of(*FILES), []
    for step in range(60):
        for view, every in ((0, 1), (1, 2)):
            if step % every == 0:
                sighting = Sighting(t_ns=step * 16 * MS + view * 7 * MS, index=step, detections=())
                fused += fusion.take(view, sighting)
    assert 28 <= len(fused) <= 30
    assert all(later.t_ns - one.t_ns == 32 * MS for one, later in itertools.pairwise(fused))


def test_places_that_neither_camera_sees_are_told():
    assert unseen_by(*FILES) == ()
    assert all(place.x_mm > TABLE.length_mm / 2 for place in unseen_by(FILES[0], FILES[0]))


class Struck:
    """A cue ball struck from the front half at a yellow ball in the rear half."""

    table = TABLE

    def __init__(self):
        self.layout = {
            WHITE_1: Point(700, 150),
            YELLOW: Point(2150, 60),
            RED_1: Point(500, -400),
            RED_2: Point(1500, 500),
            WHITE_2: Point(2500, -500),
        }
        stroke = CueStroke(ball=WHITE_1, speed_mm_s=2600, direction_rad=float(np.arctan2(-80, 1450)))
        self.motion = simulate(TABLE, self.layout, stroke)
        self.duration_s = LEAD_S + self.motion.duration_s + TAIL_S

    def at(self, t_s):
        poses = [self.motion.pose(ball, t_s - LEAD_S) for ball in self.layout]
        return Instant(balls=tuple(pose for pose in poses if pose is not None))


def test_a_rendered_stroke_from_one_picture_into_the_other_reads_exactly():
    cv2.setNumThreads(1)
    struck, fps, late_s = Struck(), 30.0, 0.06
    cameras = [make_end_view(TABLE, 2, end, (640, 480)) for end in (Cushion.FRONT, Cushion.REAR)]
    renderers = [Renderer(TABLE, camera, LOOK) for camera in cameras]
    first, second = (true_table_file(TABLE, camera, LOOK) for camera in cameras)
    pipeline, events = Pipeline(first, second=second), []
    for index in range(int(struck.duration_s * fps)):
        for view in (0, 1):
            t_s = (index + 0.4 * view) / fps
            pixels = renderers[view].frame(struck, t_s)
            frame = Frame(t_ns=round((t_s + view * late_s) * 1e9), index=index, pixels=pixels, view=view)
            events += pipeline.step(frame)
    events += pipeline.finish()
    truth = [later(event, LEAD_S, 1) for event in struck.motion.events]
    (stroke,) = compare(truth, tuple(events)).strokes
    assert (stroke.verdict, stroke.difference) == ("exact", "")
    assert abs(pipeline._fusion.offset_s - late_s) < 0.002
