"""Following: names of tracks stay with balls through motion, hands and look-alikes."""

import math

from scoring.table import Point, Table
from vision.detection import Cover, Detection, Sighting
from vision.tracking import Tracker

TABLE = Table()
FRAME_NS = 16_666_667


def seen(x_mm, y_mm, colour="white", *, merged=False, score=1.0):
    return Detection(
        place=Point(x_mm, y_mm),
        sigma_mm=0.3,
        sigma_along_mm=0.3,
        center_px=(0.0, 0.0),
        radius_px=15.0,
        looks={word: 0.97 if word == colour else 0.01 for word in ("white", "red", "yellow")},
        is_merged=merged,
        score=score,
    )


def run(tracker, frames, start=0):
    for index, (detections, covers) in enumerate(frames, start):
        tracker.step(Sighting(t_ns=index * FRAME_NS, index=index, detections=tuple(detections), covers=tuple(covers)))
    return start + len(frames)


def square(x_mm, y_mm, half_mm):
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return Cover(outline=tuple(Point(x_mm + a * half_mm, y_mm + b * half_mm) for a, b in corners), what="arm")


def test_a_ball_is_born_once_it_has_lain_clear_for_some_frames():
    tracker = Tracker(TABLE)
    run(tracker, [([seen(500, 0)], [])] * 7)
    assert not tracker.tracks
    run(tracker, [([seen(500, 0)], [])], start=7)
    assert len(tracker.tracks) == 1


def test_a_hand_that_looks_like_a_ball_is_no_ball():
    tracker = Tracker(TABLE)
    run(tracker, [([seen(500, 0, merged=True)], [square(520, 0, 60)])] * 60)
    assert not tracker.tracks


def test_a_fast_ball_keeps_its_track_from_the_first_frame_on():
    tracker = Tracker(TABLE)
    end = run(tracker, [([seen(500, 0), seen(900, 400, "red")], [])] * 20)
    white = next(t for t in tracker.tracks if t.place.x_mm < 600)
    run(tracker, [([seen(500 + 100 * k, 0), seen(900, 400, "red")], []) for k in range(1, 6)], start=end)
    assert white.place.distance_mm(Point(1000, 0)) < 1
    assert white.is_moving
    assert math.isclose(white.state.vx_mm_s, 6000, rel_tol=0.05)


def test_two_reds_that_collide_head_on_are_told_apart_by_the_collision_law():
    tracker = Tracker(TABLE)
    end = run(tracker, [([seen(500, 0, "red"), seen(900, 0, "red")], [])] * 20)
    first, second = sorted(tracker.tracks, key=lambda t: t.place.x_mm)
    frames = [([seen(500 + 50 * k, 0, "red"), seen(900, 0, "red")], []) for k in range(1, 7)]  # touches at 832
    frames += [([seen(831, 0, "red"), seen(900 + 50 * (k - 6.64), 0, "red")], []) for k in range(7, 12)]
    run(tracker, frames, start=end)
    assert first.place.distance_mm(Point(831, 0)) < 2
    assert second.place.x_mm > 1100


def test_a_single_ghost_moves_no_resting_ball():
    tracker = Tracker(TABLE)
    end = run(tracker, [([seen(500, 0)], [])] * 20)
    end = run(tracker, [([seen(620, 40)], [])], start=end)
    run(tracker, [([seen(500, 0)], [])] * 3, start=end)
    (track,) = tracker.tracks
    assert not track.is_moving
    assert all(abs(look.x_mm - 500) < 1 for look in track.looks)


def test_a_ball_under_an_arm_stays_where_it_is():
    tracker = Tracker(TABLE)
    end = run(tracker, [([seen(500, 0)], [])] * 20)
    hidden = [([seen(520 + 30 * k, 10, merged=True, score=0.7)], [square(520 + 10 * k, 0, 90)]) for k in range(10)]
    end = run(tracker, hidden, start=end)
    (track,) = tracker.tracks
    assert track.place.distance_mm(Point(500, 0)) < 1
    run(tracker, [([seen(500, 0)], [])], start=end)
    assert track.is_visible


def test_a_disturbed_frame_changes_nothing():
    tracker = Tracker(TABLE)
    end = run(tracker, [([seen(500, 0)], [])] * 20)
    tracker.step(Sighting(t_ns=end * FRAME_NS, index=end, detections=(), disturbed="exposure"))
    (track,) = tracker.tracks
    assert track.is_visible


def test_a_colour_that_later_looks_do_not_name_is_soon_ruled_out():
    tracker = Tracker(TABLE, lambda colours: colours.get("red", 0.0) > 0.6)
    under_hand = Detection(
        place=Point(500, 0),
        sigma_mm=0.3,
        sigma_along_mm=0.3,
        center_px=(0.0, 0.0),
        radius_px=15.0,
        looks={"white": 0.5, "yellow": 0.01},
        is_merged=True,
    )
    clear = Detection(
        place=Point(500, 0), sigma_mm=0.3, sigma_along_mm=0.3, center_px=(0.0, 0.0), radius_px=15.0, looks={"red": 0.99}
    )
    run(tracker, [([under_hand], [])] * 2 + [([clear], [])] * 10)
    (track,) = tracker.tracks
    assert track.colours()["red"] > 0.95


def test_a_ball_put_beside_one_of_its_colour_that_a_hand_hides_is_the_new_one():
    tracker = Tracker(TABLE)
    end = run(tracker, [([seen(500, 0, "red")], [])] * 20)
    (old,) = tracker.tracks
    key = old.key
    hand = square(520, 0, 70)
    end = run(tracker, [([], [hand])] * 10, start=end)
    end = run(tracker, [([seen(640, 8, "red")], [hand])] * 5, start=end)
    run(tracker, [([seen(640, 8, "red"), seen(500, 0, "red")], [])] * 30, start=end)
    places = {track.key: track.place for track in tracker.tracks}
    assert len(places) == 2
    assert places[key].distance_mm(Point(500, 0)) < 1
    assert not any(track.is_moving for track in tracker.tracks)


def test_two_reds_that_part_after_a_time_hidden_together_may_be_mixed_up():
    tracker = Tracker(TABLE)
    end = run(tracker, [([seen(500, 0, "red"), seen(900, 0, "red")], [])] * 20)
    assert tracker.mixed_up() == ()
    frames = [([seen(500 + 10 * k, 0, "red"), seen(900 - 10 * k, 0, "red")], []) for k in range(1, 16)]
    end = run(tracker, frames, start=end)
    assert tracker.mixed_up() == ()
    arm = [square(700, 0, 150)]
    end = run(tracker, [([], arm)] * 12, start=end)
    run(tracker, [([seen(700, 150, "red"), seen(700, -150, "red")], [])] * 3, start=end)
    assert len(tracker.mixed_up()) >= 1
    assert tracker.mixed_up() == ()


def test_what_is_seen_beside_something_just_where_a_ball_fell_is_not_that_ball():
    tracker = Tracker(TABLE)
    end = run(tracker, [([seen(500, 0)], [])] * 20)
    ways = [([seen(500 + 100 * k, 87 * k)], []) for k in range(1, 10)]  # to the mouth of ML
    end = run(tracker, ways, start=end)
    (track,) = tracker.tracks
    last = track.place
    end = run(tracker, [([], [])] * 4, start=end)
    run(tracker, [([seen(last.x_mm, last.y_mm, merged=True)], [])], start=end)
    assert not track.is_visible
