"""The network's proposals and contrast's places put together; a stand-in finds what each test wants found."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.camera import CameraModel
from calibration.table_file import BallSet, TableFile
from hardware.frame import Frame
from scoring.table import Point, Table
from vision.detection import Cover, FinderSettings, Sighting
from vision.detectors import fused, open_detector
from vision.detectors.outline import SphereOutline
from vision.detectors.yolo import Found
from vision.errors import VisionError

TABLE = Table(length_mm=2840, width_mm=1420)
PX_PER_MM = 0.42
CAMERA = CameraModel(
    size_px=(1280, 680),
    matrix=np.array([[1260.0, 0, 640], [0, 1260.0, 340], [0, 0, 1]]),
    distortion=np.zeros(5),
    rotation=np.array([np.pi, 0.0, 0.0]),
    translation=np.array([-1420.0, 0.0, 3000.0]),
)
CLOTH, WHITE = (70, 120, 30), (210, 230, 235)
FAINT = (78, 128, 38)  # a ball that contrast does not tell from the cloth
OUTLINE = SphereOutline(CAMERA, TABLE.ball_radius_mm)
RADIUS_PX = float(OUTLINE.radius_px(np.array([[1420.0, 0.0]]))[0])
SEEN, UNSEEN = Point(700.0, 100.0), Point(2000.0, -300.0)


def px(place):
    x, y = OUTLINE.project(np.array([[place.x_mm, place.y_mm]])).centers_px[0]
    return float(x), float(y)


def picture(balls):
    pixels = np.full((CAMERA.size_px[1], CAMERA.size_px[0], 3), CLOTH, np.uint8)
    for place, colour in balls:
        x, y = px(place)
        left, top = int(x) - 20, int(y) - 20
        rows, columns = np.mgrid[top : top + 41, left : left + 41]
        share = np.clip(RADIUS_PX + 0.5 - np.hypot(columns - x, rows - y), 0, 1)[..., None]
        part = pixels[top : top + 41, left : left + 41]
        part[...] = part * (1 - share) + np.array(colour) * share
    return pixels


class StandIn:
    """A finder that finds what it is told to."""

    def __init__(self, places):
        self.places, self.calls, self.fails, self.score = list(places), 0, False, 0.6
        self.people, self.view_px = np.empty((0, 4)), 300_000

    def find(self, pixels, least_score=0.4):
        del pixels, least_score
        self.calls += 1
        if self.fails:
            message = "it has broken"
            raise VisionError(message)
        centers = np.array([px(place) for place in self.places]).reshape(-1, 2)
        return Found(
            centers_px=centers,
            places_mm=np.array([[place.x_mm, place.y_mm] for place in self.places]).reshape(-1, 2),
            radii_px=np.full(len(centers), RADIUS_PX),
            scores=np.full(len(centers), self.score),
            people_px=self.people,
        )


class Table60:
    """A table looked at 60 times a second by both."""

    def __init__(self, monkeypatch, finds, rate_hz=2.0):
        self.finder = StandIn(finds)
        monkeypatch.setattr(fused, "BallFinder", lambda *_: self.finder)
        file = TableFile(name="t", table=TABLE, camera=CAMERA, ball_set=BallSet())
        self.detector = open_detector("fused", file, FinderSettings(rate_hz=rate_hz))
        self.index = 0

    def look(self, pixels, frames=1):
        for _ in range(frames):
            frame = Frame(t_ns=round(self.index / 60 * 1e9), index=self.index, pixels=pixels.copy())
            self.index += 1
            sighting = self.detector.look(frame)
        return sighting


def at(sighting, place):
    return [each for each in sighting.detections if each.place.distance_mm(place) < 10]


def test_a_ball_that_contrast_does_not_see_is_in_doubt_until_the_network_has_seen_it_twice(monkeypatch):
    table, third = Table60(monkeypatch, [SEEN]), Point(300.0, 400.0)
    table.look(picture([(SEEN, WHITE)]))
    table.finder.places = [SEEN, third, UNSEEN]
    table.index += 60
    all_three = picture([(SEEN, WHITE), (third, WHITE), (UNSEEN, FAINT)])
    first = table.look(all_three)
    assert (len(at(first, SEEN)), len(at(first, UNSEEN))) == (1, 0)
    assert [place.distance_mm(UNSEEN) < 10 for place in first.doubts] == [True]
    later = table.look(all_three, 60)
    assert (len(at(later, SEEN)), len(at(later, UNSEEN)), later.doubts) == (1, 1, ())


def test_what_the_first_look_shows_is_told_until_the_second_denies_it(monkeypatch):
    table, both = Table60(monkeypatch, [SEEN, UNSEEN]), picture([(SEEN, WHITE), (UNSEEN, FAINT)])
    assert at(table.look(both), UNSEEN)
    table.finder.places = [SEEN]
    assert not at(table.look(both, 60), UNSEEN)


def test_a_ball_of_which_the_network_is_quite_sure_is_told_at_once(monkeypatch):
    table = Table60(monkeypatch, [SEEN, UNSEEN])
    table.finder.score = 0.8
    assert at(table.look(picture([(SEEN, WHITE), (UNSEEN, FAINT)])), UNSEEN)


def test_a_ball_that_both_see_is_one_ball(monkeypatch):
    table = Table60(monkeypatch, [Point(SEEN.x_mm + 4, SEEN.y_mm)])
    assert len(table.look(picture([(SEEN, WHITE)]), 60).detections) == 1


def test_balls_that_only_the_network_sees_hide_nothing_and_do_not_become_table(monkeypatch):
    """Contrast takes what it cannot tell apart for something that lies over the table."""
    heap = [Point(1400.0 + along, across) for along in (0.0, 68.0) for across in (0.0, 68.0)]
    (left, bottom), (right, top) = px(heap[0]), px(heap[3])
    pixels, empty = picture([]), picture([])
    pixels[int(top - RADIUS_PX) : int(bottom + RADIUS_PX), int(left - RADIUS_PX) : int(right + RADIUS_PX)] = WHITE
    contrast, both = Table60(monkeypatch, [], rate_hz=0.0), Table60(monkeypatch, heap)
    assert contrast.look(pixels).covers
    assert both.look(pixels).covers == ()
    for turn in range(70):  # something else changes, so that the table is learnt again: for 14 s
        pixels[300:310, 100:110] = WHITE if turn % 2 else CLOTH
        for table in (contrast, both):
            table.index += 11
            sighting = table.look(pixels)
    assert [len(at(sighting, place)) for place in heap] == [1, 1, 1, 1]
    assert contrast.look(empty).covers
    assert both.look(empty).covers == ()


def test_balls_that_touch_are_two_however_near_an_oblique_picture_shows_them(monkeypatch):
    tilt = np.deg2rad(50)
    turn = np.array([[1.0, 0, 0], [0, -np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), -np.cos(tilt)]])
    camera = replace(CAMERA, rotation=cv2.Rodrigues(turn)[0].ravel(), translation=turn @ [-1420.0, 2400.0, -2000.0])
    outline = SphereOutline(camera, TABLE.ball_radius_mm)
    for name, value in (("CAMERA", camera), ("OUTLINE", outline)):
        monkeypatch.setitem(globals(), name, value)
    near, far = Point(1420.0, 0.0), Point(1420.0, 69.0)
    radius_px = float(outline.radius_px(np.array([[1420.0, 0.0]]))[0])
    monkeypatch.setitem(globals(), "RADIUS_PX", radius_px)
    assert np.hypot(*np.subtract(px(near), px(far))) < 1.5 * radius_px
    sighting = Table60(monkeypatch, [near, far]).look(picture([(far, FAINT), (near, WHITE)]))
    assert [len(at(sighting, place)) for place in (near, far)] == [1, 1]


def test_contrast_says_where_a_ball_is_and_not_the_networks_box(monkeypatch):
    table = Table60(monkeypatch, [Point(SEEN.x_mm + 6, SEEN.y_mm)])
    (ball,) = table.look(picture([(SEEN, WHITE)]), 60).detections
    assert ball.place.distance_mm(SEEN) < 1.0


def test_a_ball_that_both_saw_stays_told_while_contrast_loses_it_and_nothing_has_changed(monkeypatch):
    table, still = Table60(monkeypatch, [SEEN]), picture([(SEEN, WHITE)])
    table.look(still, 60)
    monkeypatch.setattr(
        table.detector._contrast, "look", lambda frame: Sighting(t_ns=frame.t_ns, index=frame.index, detections=())
    )
    (ball,) = at(table.look(still), SEEN)
    assert ball.place.distance_mm(SEEN) < 1.0
    table.finder.places = []
    assert not at(table.look(picture([])), SEEN)


def test_a_ball_that_only_the_network_sees_is_followed_while_it_rolls_slowly(monkeypatch):
    table = Table60(monkeypatch, [UNSEEN])
    table.finder.score = 0.8
    monkeypatch.setattr(
        table.detector._contrast, "look", lambda frame: Sighting(t_ns=frame.t_ns, index=frame.index, detections=())
    )
    table.look(picture([(UNSEEN, WHITE)]))
    places = [Point(UNSEEN.x_mm + 7 * step, UNSEEN.y_mm) for step in range(8)]
    assert all(at(table.look(picture([(place, WHITE)])), place) for place in places)
    assert table.finder.calls == 1
    assert not table.look(picture([])).detections


def test_a_ball_that_hardly_differs_from_the_cloth_is_not_told_when_it_has_gone(monkeypatch):
    table = Table60(monkeypatch, [SEEN, UNSEEN])
    table.finder.score = 0.8
    assert at(table.look(picture([(SEEN, WHITE), (UNSEEN, FAINT)])), UNSEEN)
    assert not at(table.look(picture([(SEEN, WHITE)])), UNSEEN)


def test_a_ball_that_only_the_network_saw_is_looked_for_again_when_it_has_rolled_away(monkeypatch):
    table, moved = Table60(monkeypatch, [SEEN, UNSEEN]), Point(UNSEEN.x_mm + 300, UNSEEN.y_mm)
    table.look(picture([(SEEN, WHITE), (UNSEEN, FAINT)]), 60)
    looks = table.finder.calls
    table.finder.places = [SEEN, moved]
    assert at(table.look(picture([(SEEN, WHITE), (moved, FAINT)]), 61), moved)
    assert table.finder.calls > looks


def test_a_proposal_goes_when_its_part_of_the_picture_changes(monkeypatch):
    table, both = Table60(monkeypatch, [SEEN, UNSEEN]), picture([(SEEN, WHITE), (UNSEEN, FAINT)])
    assert at(table.look(both, 60), UNSEEN)
    table.finder.places = [SEEN]
    assert not at(table.look(picture([(SEEN, WHITE), (UNSEEN, (20, 40, 0))])), UNSEEN)


@pytest.mark.parametrize("rate_hz", [1.0, 4.0])
def test_the_network_looks_no_more_often_than_is_set(monkeypatch, rate_hz):
    table = Table60(monkeypatch, [SEEN], rate_hz)
    pictures = picture([(SEEN, WHITE)]), picture([])
    for step in range(90):
        table.look(pictures[step % 2])
    assert 2 <= table.finder.calls <= 1.5 * rate_hz + 1


@pytest.mark.parametrize(("view_px", "looks"), [(300_000, 3), (700_000, 1)])
def test_only_short_looks_are_taken_while_a_ball_rolls_and_any_when_it_lies(monkeypatch, view_px, looks):
    table = Table60(monkeypatch, [SEEN])
    table.finder.view_px = view_px
    for step in range(90):
        table.look(
            picture([(Point(SEEN.x_mm + 10 * step, SEEN.y_mm), WHITE), *([(UNSEEN, WHITE)] if step % 2 else [])])
        )
    assert table.finder.calls == looks
    table.look(picture([(Point(SEEN.x_mm + 890, SEEN.y_mm), WHITE)]), 40)
    assert table.finder.calls > looks


def test_what_looks_blurred_but_stays_where_it_is_does_not_keep_the_network_waiting(monkeypatch):
    table, still = Table60(monkeypatch, [SEEN]), picture([(SEEN, WHITE)])
    table.finder.view_px = 700_000
    (ball,) = table.look(still).detections
    streak = replace(ball, streak_mm=(60.0, 0.0))
    monkeypatch.setattr(
        table.detector._contrast,
        "look",
        lambda frame: Sighting(t_ns=frame.t_ns, index=frame.index, detections=(streak,)),
    )
    for _ in range(8):
        table.index += 60
        table.look(still)
    assert table.finder.calls == 2


def test_nothing_is_looked_at_while_nothing_changes_and_both_agree(monkeypatch):
    table, still = Table60(monkeypatch, [SEEN]), picture([(SEEN, WHITE)])
    table.look(still, 60)
    before = table.finder.calls
    table.look(still, 200)
    assert table.finder.calls == before


def test_a_ball_that_both_see_is_left_to_contrast_while_it_rolls_and_looked_at_when_it_lies(monkeypatch):
    table = Table60(monkeypatch, [SEEN])
    table.look(picture([(SEEN, WHITE)]), 60)
    looks = table.finder.calls
    places = [Point(SEEN.x_mm + 8 * step, SEEN.y_mm) for step in range(1, 90)]
    assert all(at(table.look(picture([(place, WHITE)])), place) for place in places)
    assert table.finder.calls == looks
    table.look(picture([(places[-1], WHITE)]), 30)
    assert table.finder.calls == looks + 1


def test_a_speck_on_a_table_where_no_ball_has_rolled_calls_for_no_look(monkeypatch):
    table, still = Table60(monkeypatch, [SEEN]), picture([(SEEN, WHITE)])
    table.look(still, 60)
    looks = table.finder.calls
    for step in range(5):
        speck = still.copy()
        speck[300:306, 500 + 40 * step : 506 + 40 * step] += 60
        assert not table.look(speck).is_still
        table.look(still, 40)
    assert table.finder.calls == looks


def test_a_network_that_fails_is_told_of_and_contrast_goes_on(monkeypatch):
    table = Table60(monkeypatch, [SEEN])
    table.finder.fails = True
    sighting = table.look(picture([(SEEN, WHITE)]))
    assert len(at(sighting, SEEN)) == 1
    assert "it has broken" in table.detector.ailment.detail
    table.look(picture([(SEEN, WHITE)]), 60)
    assert table.finder.calls == 1


@pytest.mark.parametrize(("colour", "kind"), [(WHITE, None), (FAINT, "faint_ball")])
def test_a_ball_that_only_the_network_sees_is_told_of_as_long_as_it_lies_there(monkeypatch, colour, kind):
    table = Table60(monkeypatch, [SEEN, UNSEEN])
    table.look(picture([(SEEN, WHITE), (UNSEEN, colour)]))
    table.index += 540  # nine seconds
    table.look(picture([(SEEN, WHITE), (UNSEEN, colour)]), 2)
    assert getattr(table.detector.ailment, "kind", None) == kind
    table.finder.places = [SEEN]
    table.look(picture([(SEEN, WHITE)]))
    table.index += 9000
    table.look(picture([(SEEN, WHITE)]))
    assert table.detector.ailment is None


def test_balls_that_touch_do_not_pass_for_one_that_cannot_be_seen(monkeypatch):
    beside = Point(SEEN.x_mm + TABLE.ball_mm, SEEN.y_mm)
    table = Table60(monkeypatch, [SEEN, beside])
    table.look(picture([(SEEN, WHITE), (beside, FAINT)]))
    table.index += 540
    sighting = table.look(picture([(SEEN, WHITE), (beside, FAINT)]), 2)
    assert (len(sighting.detections), table.detector.ailment) == (2, None)


def test_a_model_that_is_not_there_leaves_contrast_alone_with_a_reason(tmp_path):
    file = TableFile(name="t", table=TABLE, camera=CAMERA, ball_set=BallSet())
    detector = open_detector("fused", file, FinderSettings(model=tmp_path / "gone.onnx"))
    frame = Frame(t_ns=0, index=0, pixels=picture([(SEEN, WHITE)]))
    assert len(detector.look(frame).detections) == 1
    assert "gone.onnx" in detector.ailment.detail


def test_a_rate_of_nought_opens_no_network(monkeypatch):
    table = Table60(monkeypatch, [SEEN, UNSEEN], rate_hz=0.0)
    table.look(picture([(SEEN, WHITE), (UNSEEN, FAINT)]), 60)
    assert (table.finder.calls, table.detector.ailment) == (0, None)


@pytest.mark.parametrize(("score", "count"), [(0.6, 0), (0.8, 1)])
def test_what_looks_like_a_ball_on_a_hand_has_to_be_plain(monkeypatch, score, count):
    table, (x, y) = Table60(monkeypatch, [UNSEEN]), px(UNSEEN)
    table.finder.score, table.finder.people = score, np.array([[x - 60, y - 60, x + 60, y + 60]])
    assert len(at(table.look(picture([(UNSEEN, FAINT)]), 60), UNSEEN)) == count


@pytest.mark.parametrize(
    ("from_y_mm", "score", "count"),
    [(-900.0, 0.6, 0), (-900.0, 0.8, 1), (-500.0, 0.6, 1)],
    ids=["on an arm", "plain on an arm", "in a heap on the cloth"],
)
def test_what_looks_like_a_ball_on_an_arm_that_contrast_sees_has_to_be_plain(monkeypatch, from_y_mm, score, count):
    table = Table60(monkeypatch, [SEEN, UNSEEN])
    table.finder.score = score
    corners = ((1900.0, from_y_mm), (2100.0, from_y_mm), (2100.0, -200.0), (1900.0, -200.0))
    cover = Cover(outline=tuple(Point(*corner) for corner in corners), what="arm")
    look = table.detector._contrast.look
    monkeypatch.setattr(table.detector._contrast, "look", lambda frame: replace(look(frame), covers=(cover,)))
    assert len(at(table.look(picture([(SEEN, WHITE), (UNSEEN, FAINT)]), 120), UNSEEN)) == count
