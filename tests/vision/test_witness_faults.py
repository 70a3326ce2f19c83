"""Faults that the witness once had, each pinned by the few numbers that showed it."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from scoring.balls import CUE, RED_1, WHITE_1, YELLOW, Ball
from scoring.table import Cushion, Pocket, Point, Table
from vision.detection import Detection, Sighting
from vision.motion import State
from vision.surroundings import Surroundings, beyond_mouth_mm
from vision.track import Look, Track
from vision.tracking import Tracker
from vision.witness.causes import Explanation, Happening
from vision.witness.departures import tell_departures
from vision.witness.ends import fall_s, find_end
from vision.witness.kinks import Story
from vision.witness.legs import Samples, cut
from vision.witness.packs import find_packs, with_packs
from vision.witness.testimony import told

TABLE = Table(length_mm=2840, width_mm=1420)
AROUND = Surroundings.of(TABLE)
FRAME_S = 1 / 60


def story_of(places, *, sigma_mm=0.4, times=None):
    times = times or [k * FRAME_S for k in range(len(places))]
    looks = [Look(t, x, y, sigma_mm, sigma_mm) for t, (x, y) in zip(times, places, strict=True)]
    samples = Samples.of(looks)
    return Story(samples, tuple(cut(samples)))


def straight(start, velocity, count):
    return [(start[0] + velocity[0] * k * FRAME_S, start[1] + velocity[1] * k * FRAME_S) for k in range(count)]


def test_a_ball_seen_over_the_rubber_beside_a_corner_flew_off_and_did_not_fall():
    places = [*straight((2285, 715), (3720, -240), 10), (2907, 676)]
    story = story_of(places)
    end = find_end(AROUND, story.legs[-1], float(story.samples.t_s[-1]), [Point(x, y) for x, y in places])
    assert (end.fate, end.pocket) == ("off_table", Pocket.RL)
    (event,) = tell_departures({1: end}, {1: WHITE_1}, (), 0.0, heard=frozenset()).events
    assert event.flagged
    assert [other.event.pocket for other in event.alternatives] == [Pocket.RL]


def test_a_ball_that_rolls_along_the_cushion_into_the_corner_falls():
    places = straight((2500, 672), (1200, 8), 17)
    story = story_of(places)
    end = find_end(AROUND, story.legs[-1], float(story.samples.t_s[-1]), [Point(x, y) for x, y in places])
    assert (end.fate, end.pocket) == ("potted", Pocket.RL)


def test_a_ball_glimpsed_deep_in_the_pocket_fell_when_it_passed_the_edge():
    places, times = straight((2740, -620), (300, -270), 18), [k * FRAME_S for k in range(18)]
    depth = [beyond_mouth_mm(TABLE, Pocket.RR, Point(x, y)) for x, y in places]
    seen = sum(mm < 12 for mm in depth)
    places, times = [*places[:seen], (2832, -707)], [*times[:seen], times[seen - 1] + 0.12]
    fell_s = fall_s(TABLE, Pocket.RR, story_of(places, times=times), times[-1] + 0.02)
    speed = (300 + 270) / math.sqrt(2)
    assert fell_s == pytest.approx(times[seen - 1] + (20 - depth[seen - 1]) / speed, abs=0.01)


def detection(x_mm, y_mm):
    return Detection(
        place=Point(x_mm, y_mm), sigma_mm=0.4, sigma_along_mm=0.4, center_px=(0.0, 0.0), radius_px=15.0, is_merged=True
    )


@pytest.mark.parametrize(("speed_mm_s", "rests"), [(0.0, True), (9.0, False)])
def test_a_ball_whose_places_scatter_more_than_they_say_comes_to_rest_unless_it_rolls(speed_mm_s, rests):
    rng = np.random.default_rng(5)
    track = Track(1, State(500.0, 100.0, 300.0, 0.0), 0.0, Point(400.0, 100.0), is_moving=True)
    for k in range(1, 40):
        x, y = 500.0 + speed_mm_s * k * FRAME_S + rng.normal(0, 1.0), 100.0 + rng.normal(0, 1.0)
        track.follow(detection(x, y), track.state, k * FRAME_S, near_cover=False)
    assert track.is_moving is not rests


def test_a_ball_that_rattles_does_not_rest_in_between():
    there = straight((200, 0), (-900, 0), 12)
    still = [(there[-1][0], 0.0)] * 4
    story = story_of([*there, *still, *straight((there[-1][0] + 3, 0), (300, 0), 20)])
    assert [leg.kind for leg in story.legs] == ["move", "move"]


NAMES = {1: CUE, 2: Ball("3"), 3: Ball("ball-?2"), 4: RED_1, 5: YELLOW}


@pytest.mark.parametrize(("pair", "asks"), [((1, 2), True), ((2, 3), False), ((4, 5), True)])
def test_which_of_the_numbered_balls_touched_is_no_question(pair, asks):
    ball, other = pair
    assert told(Happening(1.0, ball, other=other, confidence=0.3), NAMES).flagged is asks


def test_readings_that_agree_on_an_event_are_no_alternatives_to_it():
    same, another = Happening(1.01, 5, other=4), Happening(1.0, 4, cushion=Cushion.REAR)
    event = told(Happening(1.0, 4, other=5, confidence=0.4), NAMES, ((0.4, (same,)), (0.2, (another,))))
    assert [other.probability for other in event.alternatives] == [0.2]


def test_a_hit_on_a_rack_passes_on_through_the_balls_behind_each_other_at_once():
    rows = [[(1, 0.0)], [(2, -34.1), (3, 34.1)], [(4, -68.2), (5, 0.0), (6, 68.2)]]
    stories = {}
    for row, balls in enumerate(rows):
        for key, y in balls:
            x = 1000.0 + 59.1 * row
            stories[key] = story_of([(x, y)] * 30 + straight((x + 20, y * 1.02), (1200.0, 3 * y), 20))
    hit = Happening(0.48, 9, other=1, at=Point(966.0, 0.0))
    guess = Happening(0.55, 4, other=5, confidence=0.1)
    told_twice = Happening(0.49, 2, other=1, confidence=0.9)
    explanations = with_packs([Explanation((hit, told_twice, guess), 1.0)], find_packs(stories, TABLE.ball_mm), stories)
    happenings = [one for explanation in explanations for one in explanation.happenings]
    pairs = sorted(sorted((one.ball, one.other)) for one in happenings)
    assert pairs == [[1, 2], [1, 3], [1, 9], [2, 4], [2, 5], [3, 5], [3, 6]]
    assert {one.t_s for one in happenings} == {0.48}


def test_a_picture_that_comes_twice_stops_no_ball():
    tracker = Tracker(TABLE)

    def sighting(k, x_mm):
        seen = (replace(detection(x_mm, 0.0), is_merged=False, score=1.0),)
        return Sighting(t_ns=round(k * FRAME_S * 1e9), index=k, detections=seen)

    for k in range(30):
        tracker.step(sighting(k, 500.0))
    for k in range(30, 50):
        x_mm = 500.0 + 10.0 * (k - 29)
        tracker.step(sighting(k, x_mm - 10.0 if k == 40 else x_mm))
    (track,) = tracker.tracks
    steps = [b.x_mm - a.x_mm for a, b in pairwise(track.looks) if a.x_mm > 505.0]
    assert min(steps) == pytest.approx(10.0)
    assert track.state.speed_mm_s == pytest.approx(600.0, rel=0.1)
