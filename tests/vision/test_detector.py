"""The contrast detector on pictures whose truth is known."""

from functools import cache

import av
import numpy as np
import pytest

from calibration.camera import CameraModel
from calibration.table_file import BallSet, TableFile
from hardware.cameras.decoding import picture_of
from hardware.frame import Frame
from hardware.planes import Planes
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view, true_table_file
from hardware.virtual.scene import BallPose, CueStick, Instant, Limb
from scoring.balls import FIVE_BALL_SET, PYRAMID_SET, RED_1, RED_2, WHITE_1, WHITE_2, YELLOW, Ball
from scoring.table import Point, Table
from vision.detection import Sighting
from vision.detectors import judging, open_detector
from vision.detectors.contrast import ContrastDetector
from vision.detectors.edges import EdgeFit
from vision.errors import VisionError

TABLE = Table(length_mm=2840, width_mm=1420)
LAYOUT = {
    WHITE_1: (600.0, 40.0),
    WHITE_2: (2310.0, -560.0),
    RED_1: (1420.0, 0.0),
    RED_2: (1488.1, 0.0),
    YELLOW: (2130.0, 640.0),
}
RADIUS = TABLE.ball_radius_mm


@cache
def renderer(difficulty, seed):
    """A hall's painter, made once: painting an empty table is slow."""
    look = make_look(seed, difficulty, length_mm=TABLE.length_mm, width_mm=TABLE.width_mm)
    return Renderer(TABLE, make_view(TABLE, seed, difficulty), look)


class Hall:
    """One rendered hall with a detector that looks at it."""

    def __init__(self, difficulty=Difficulty.EASY, seed=1, balls=FIVE_BALL_SET):
        self._renderer = renderer(difficulty, seed)
        self.table_file = true_table_file(TABLE, self._renderer.camera, self._renderer.look, balls=balls)
        self.detector = open_detector("contrast", self.table_file)
        self.index = 0

    def picture(self, layout, limbs=(), cues=()):
        poses = tuple(BallPose(ball=ball, center_mm=(x, y, RADIUS)) for ball, (x, y) in layout.items())
        return self._renderer.still(Instant(balls=poses, limbs=limbs, cues=cues), self.index / 60)

    def smeared(self, layout, ball, step_mm):
        """A picture in which one ball moves by a step during the exposure."""

        def at(share):
            places = {**layout, ball: tuple(np.add(layout[ball], np.multiply(step_mm, share)))}
            return Instant(balls=tuple(BallPose(ball=b, center_mm=(*place, RADIUS)) for b, place in places.items()))

        return self._renderer.picture(at(0.0), tuple(at(share) for share in np.linspace(-0.5, 0.5, 21)), 0.0)

    def look(self, pixels) -> Sighting:
        picture = pixels if isinstance(pixels, Planes) else np.array(pixels)
        frame = Frame(t_ns=round(self.index / 60 * 1e9), index=self.index, picture=picture)
        self.index += 1
        return self.detector.look(frame)


@pytest.fixture(scope="module")
def easy_pictures():
    """Pictures that several tests look at: drawing is slow."""
    hall = Hall()
    return {
        "layout": hall.picture(LAYOUT),
        "without yellow": hall.picture({b: p for b, p in LAYOUT.items() if b != YELLOW}),
    }


def errors_mm(sighting, layout):
    return {
        ball: min((d.place.distance_mm(Point(*place)) for d in sighting.detections), default=np.inf)
        for ball, place in layout.items()
    }


def nearest(sighting, place):
    return min(sighting.detections, key=lambda d: d.place.distance_mm(Point(*place)))


def test_each_resting_ball_is_found_once_within_a_millimetre_and_nothing_else(easy_pictures):
    sighting = Hall().look(easy_pictures["layout"])
    assert len(sighting.detections) == 5
    assert max(errors_mm(sighting, LAYOUT).values()) < 1.0


def test_colours_are_told_and_the_two_whites_look_alike(easy_pictures):
    sighting = Hall().look(easy_pictures["layout"])
    for ball, place in LAYOUT.items():
        assert nearest(sighting, place).looks[ball.colour] > 0.9


def test_touching_balls_are_two_and_say_so(easy_pictures):
    sighting = Hall().look(easy_pictures["layout"])
    pair = [nearest(sighting, LAYOUT[ball]) for ball in (RED_1, RED_2)]
    assert pair[0] is not pair[1]
    assert all(detection.is_merged for detection in pair)
    assert not nearest(sighting, LAYOUT[YELLOW]).is_merged


def test_a_still_picture_repeats_the_detections(easy_pictures):
    hall = Hall()
    first, second = hall.look(easy_pictures["layout"]), hall.look(easy_pictures["layout"])
    assert not first.is_still
    assert second.is_still
    assert second.detections == first.detections
    assert second.index == 1


@pytest.mark.parametrize("ball", [WHITE_1, RED_1, YELLOW])
def test_a_ball_that_comes_to_hang_between_the_jaws_is_seen_against_the_hole_as_it_is(ball):
    hall, start, end = Hall(Difficulty.NORMAL, seed=2), (2700.0, -566.0), (2826.0, -693.0)
    path = [tuple(np.add(start, np.multiply(np.subtract(end, start), share))) for share in np.linspace(0, 1, 7)]
    hall.look(hall.picture({**LAYOUT, ball: start}))
    for place in [*path[1:], end, end]:
        sighting = hall.look(hall.picture({**LAYOUT, ball: place}))
        found = nearest(sighting, place)
        assert found.place.distance_mm(Point(*place)) < 3.0
        assert found.looks[ball.colour] > 0.8


@pytest.mark.parametrize("ball", [WHITE_1, RED_1, YELLOW])
def test_a_ball_that_starts_to_roll_is_noticed_at_once_in_coded_pictures(ball):
    hall = Hall(Difficulty.NORMAL)
    still, moved = hall.picture(LAYOUT), hall.picture({**LAYOUT, ball: tuple(np.add(LAYOUT[ball], (6.0, 3.0)))})
    still, moved = (
        picture_of(av.VideoFrame.from_ndarray(each, format="bgr24").reformat(format="yuv420p"))
        for each in (still, moved)
    )
    assert [hall.look(still).is_still for _ in range(4)] == [False, True, True, True]
    assert not hall.look(moved).is_still


def test_a_table_at_which_nobody_was_for_an_hour_is_looked_at_as_before():
    hall = Hall()
    hall.look(hall.picture(LAYOUT))
    hall.index += 60 * 3600
    moved = LAYOUT | {RED_1: (1000.0, 300.0)}
    cue = CueStick(tip_mm=(500.0, -300.0, 60.0), butt_mm=(500.0, -1800.0, 200.0))
    assert max(errors_mm(hall.look(hall.picture(moved, cues=(cue,))), moved).values()) < 1.5


def test_a_ball_taken_away_is_gone_and_the_others_are_not_looked_at_again(easy_pictures):
    hall = Hall()
    first = hall.look(easy_pictures["layout"])
    second = hall.look(easy_pictures["without yellow"])
    assert len(second.detections) == 4
    assert not second.is_still
    assert all(detection in first.detections for detection in second.detections)


def test_oblique_view_costs_no_accuracy():
    hall = Hall(Difficulty.NORMAL, seed=2)
    sighting = hall.look(hall.picture(LAYOUT))
    assert len(sighting.detections) == 5
    assert max(errors_mm(sighting, LAYOUT).values()) < 2.0


def test_a_fast_ball_is_found_in_the_middle_of_its_streak_with_its_length_and_direction():
    hall = Hall()
    layout = {WHITE_1: (900.0, 200.0), RED_1: (2000.0, -300.0)}
    step = np.array([40.0, 22.0])
    hall.look(hall.picture({**layout, WHITE_1: (820.0, 156.0)}))
    sighting = hall.look(hall.smeared(layout, WHITE_1, step))
    ball = nearest(sighting, layout[WHITE_1])
    assert ball.place.distance_mm(Point(900.0, 200.0)) < 3.0
    assert ball.streak_mm is not None
    streak = np.array(ball.streak_mm)
    assert abs(abs(streak @ step) / (np.linalg.norm(streak) * np.linalg.norm(step)) - 1) < 0.02
    assert np.linalg.norm(streak) == pytest.approx(np.linalg.norm(step), rel=0.35)


@pytest.mark.parametrize(("ball", "smear_mm"), [(RED_1, 95.0), (YELLOW, 95.0), (YELLOW, 130.0)])
def test_the_hardest_hit_ball_is_one_blurred_ball_and_not_two(ball, smear_mm):
    hall = Hall(Difficulty.NORMAL, seed=2)
    layout = {ball: (1400.0, -300.0), RED_2: (2400.0, 100.0)}
    for _ in range(2):
        hall.look(hall.picture({**layout, ball: (1200.0, -300.0)}))
    sighting = hall.look(hall.smeared(layout, ball, (smear_mm, 0.12 * smear_mm)))
    assert len(sighting.detections) == 2
    assert errors_mm(sighting, layout)[ball] < 3.0
    streak_mm = nearest(sighting, layout[ball]).streak_mm
    assert streak_mm is not None
    assert np.hypot(*streak_mm) == pytest.approx(smear_mm, rel=0.2)


def test_an_arm_and_a_cue_are_covers_and_no_balls():
    hall = Hall()
    layout = {WHITE_1: (900.0, 200.0), RED_1: (2000.0, -300.0)}
    hand, shoulder = (700.0, -250.0, 40.0), (500.0, -1100.0, 300.0)
    arm = Limb(start_mm=hand, end_mm=shoulder, start_radius_mm=42, end_radius_mm=58, part="arm")
    cue = CueStick(tip_mm=(860.0, 160.0, 40.0), butt_mm=(200.0, -1100.0, 300.0))
    hall.look(hall.picture(layout))
    sighting = hall.look(hall.picture(layout, limbs=(arm,), cues=(cue,)))
    assert len(sighting.detections) == 2
    assert max(errors_mm(sighting, layout).values()) < 1.0
    xs = [point.x_mm for cover in sighting.covers for point in cover.outline]
    ys = [point.y_mm for cover in sighting.covers for point in cover.outline]
    assert min(xs) < 720 < max(xs)
    assert min(ys) < -600


def test_what_of_an_arm_looked_like_balls_in_one_picture_is_not_told_in_the_next(monkeypatch):
    hall, places = Hall(), [(2000.0, -300.0 + 10 * step) for step in range(3)]
    hand, shoulder = (1000.0, -420.0, 60.0), (900.0, -1100.0, 200.0)
    arm = Limb(start_mm=hand, end_mm=shoulder, start_radius_mm=34, end_radius_mm=34, part="arm")
    hall.look(hall.picture({RED_1: places[0]}))
    with monkeypatch.context() as patch:
        for limit in ("_NEW_SUPPORT", "_LOOSE_SUPPORT", "_LEAST_CONTRAST", "_KNOWN_COLOUR"):
            patch.setattr(judging, limit, 0.0)
        patch.setattr(judging, "_MOST_OPEN", 1.0)
        assert len(hall.look(hall.picture({RED_1: places[1]}, limbs=(arm,))).detections) == 3
    assert len(hall.look(hall.picture({RED_1: places[2]}, limbs=(arm,))).detections) == 1


def test_a_hidden_ball_is_not_invented_and_comes_back_at_its_place():
    hall = Hall()
    layout = {WHITE_1: (900.0, 200.0), RED_1: (700.0, -400.0)}
    arm = Limb(
        start_mm=(700.0, -250.0, 90.0), end_mm=(650.0, -1100.0, 200.0), start_radius_mm=70, end_radius_mm=80, part="arm"
    )
    clear = hall.picture(layout)
    hall.look(clear)
    covered = hall.look(hall.picture(layout, limbs=(arm,)))
    assert errors_mm(covered, layout)[RED_1] > 100
    assert max(errors_mm(hall.look(clear), layout).values()) < 1.0


def test_light_that_grows_stronger_moves_nothing_and_a_jump_of_it_is_a_disturbance(easy_pictures):
    hall = Hall()
    picture = easy_pictures["layout"]
    hall.look(picture)
    brighter = np.clip(picture.astype(np.float32) * 1.06, 0, 255).astype(np.uint8)
    assert max(errors_mm(hall.look(brighter), LAYOUT).values()) < 1.0
    darker = (picture.astype(np.float32) * 0.6).astype(np.uint8)
    jumped = hall.look(darker)
    assert "jumped" in (jumped.disturbed or "")
    assert jumped.detections == ()
    assert max(errors_mm(hall.look(darker), LAYOUT).values()) < 1.0


def test_a_black_picture_is_a_disturbance(easy_pictures):
    hall = Hall()
    hall.look(easy_pictures["layout"])
    assert "black" in (hall.look(np.zeros_like(easy_pictures["layout"])).disturbed or "")


def test_a_table_that_looks_otherwise_for_a_second_is_learnt_again_and_its_balls_are_found(easy_pictures):
    hall, other = Hall(), np.ascontiguousarray(easy_pictures["layout"][..., [1, 0, 2]])
    hall.look(easy_pictures["layout"])
    assert hall.look(other).disturbed is not None
    for _ in range(70):
        sighting = hall.look(other)
    assert sighting.disturbed is None
    errors = errors_mm(sighting, LAYOUT)
    assert max(errors[WHITE_1], errors[WHITE_2]) < 1.5


def test_after_a_black_second_the_table_is_known_as_before(easy_pictures):
    hall, black = Hall(), np.zeros_like(easy_pictures["layout"])
    hall.look(easy_pictures["layout"])
    for _ in range(70):
        sighting = hall.look(black)
    assert sighting.disturbed is not None
    for _ in range(70):
        sighting = hall.look(easy_pictures["layout"])
    assert sighting.disturbed is None
    assert max(errors_mm(sighting, LAYOUT).values()) < 1.5


def test_a_full_rack_of_touching_balls_is_found_ball_by_ball():
    rows = [(row, place) for row in range(5) for place in range(row + 1)]
    step = TABLE.ball_mm + 0.05
    layout = {
        Ball(str(number + 1)): (2000.0 + row * step * 0.8660254, (place - row / 2) * step)
        for number, (row, place) in enumerate(rows)
    }
    layout[Ball("cue")] = (700.0, 100.0)
    hall = Hall(balls=PYRAMID_SET)
    sighting = hall.look(hall.picture(layout))
    assert len(sighting.detections) == 16
    assert max(errors_mm(sighting, layout).values()) < 4.0
    assert nearest(sighting, layout[Ball("cue")]).looks["cue"] > 0.9


def test_a_ball_in_a_pocket_mouth_is_still_seen():
    hall = Hall()
    layout = {WHITE_1: (900.0, 200.0), RED_1: (12.0, 698.0)}
    hall.look(hall.picture({WHITE_1: layout[WHITE_1]}))
    assert errors_mm(hall.look(hall.picture(layout)), layout)[RED_1] < 6.0


def test_a_picture_of_another_size_is_refused_in_one_line():
    camera = CameraModel(
        size_px=(640, 360),
        matrix=np.array([[600.0, 0, 320], [0, 600, 180], [0, 0, 1]]),
        distortion=np.zeros(5),
        rotation=np.array([np.pi, 0.0, 0.0]),
        translation=np.array([-1420.0, 0.0, 3000.0]),
    )
    detector = open_detector("contrast", TableFile(name="t", table=TABLE, camera=camera, ball_set=BallSet()))
    with pytest.raises(VisionError, match=r"320x240.*640x360.*calibrate"):
        detector.look(Frame(t_ns=0, index=0, pixels=np.zeros((240, 320, 3), np.uint8)))


def test_an_unknown_detector_is_named_with_those_that_exist():
    with pytest.raises(VisionError, match="contrast"):
        open_detector("crystal-ball", Hall().table_file)


def test_a_ball_that_stays_has_no_streak_however_blurred_it_looks():
    hall = Hall()
    layout = {WHITE_1: (900.0, 200.0), RED_1: (2000.0, -300.0)}
    hall.look(hall.picture(layout))
    assert nearest(hall.look(hall.smeared(layout, WHITE_1, (40.0, 22.0))), layout[WHITE_1]).streak_mm is None


def test_a_ball_that_goes_on_as_it_went_is_placed_in_one_pass_and_one_that_turns_as_exactly(monkeypatch):
    hall, searches = Hall(), []
    search = EdgeFit.fit
    monkeypatch.setattr(EdgeFit, "fit", lambda *args, **more: searches.append(1) or search(*args, **more))
    places = [(900.0 + 9 * step, 200.0 - 5 * step) for step in range(8)]
    places += [(places[-1][0] - 9 * step, places[-1][1] - 5 * step) for step in range(1, 5)]
    counts = []
    for place in places:
        layout = {WHITE_1: place, RED_1: (2000.0, -300.0)}
        searches.clear()
        assert errors_mm(hall.look(hall.picture(layout)), layout)[WHITE_1] < 1.0
        counts.append(len(searches))
    assert counts == [1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]


def rolled(hall, places, others):
    """What is seen of a white ball that rolls, how far off it is told, and how many pictures were searched for that."""
    searched, look_anew = [], ContrastDetector._look_anew
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ContrastDetector, "_look_anew", lambda *args: searched.append(1) or look_anew(*args))
        sightings = [hall.look(hall.picture({WHITE_1: place, **others})) for place in places]
    far_mm = [errors_mm(seen, {WHITE_1: place})[WHITE_1] for seen, place in zip(sightings, places, strict=True)]
    return sightings, far_mm, len(searched)


def test_of_a_ball_that_rolls_alone_every_third_picture_is_searched_and_its_place_is_as_exact():
    places = [(900.0 + 9 * step, 200.0 - 5 * step) for step in range(16)]
    sightings, far_mm, searched = rolled(Hall(), places, {RED_1: (2000.0, -300.0)})
    assert max(far_mm) < 1.0
    assert searched == 7
    assert all(len(seen.detections) == 2 and not seen.is_still for seen in sightings)


def test_every_picture_of_a_ball_that_comes_near_another_is_searched():
    places = [(900.0 + 9 * step, 200.0) for step in range(7)]
    near = {RED_1: (963.0 + 2 * RADIUS, 200.0)}
    _, far_mm, searched = rolled(Hall(), places, near)
    assert max(far_mm) < 1.0
    assert searched == 7


def test_an_arm_is_seen_two_pictures_late_at_most_while_a_ball_rolls():
    hand, shoulder = (1700.0, -250.0, 40.0), (1500.0, -1100.0, 300.0)
    arm = Limb(start_mm=hand, end_mm=shoulder, start_radius_mm=42, end_radius_mm=58, part="arm")
    hall, came = Hall(), [False] * 8 + [True] * 3
    places = [(900.0 + 9 * step, 200.0) for step in range(len(came))]
    pictures = [
        hall.picture({WHITE_1: place}, limbs=(arm,) * has_come) for place, has_come in zip(places, came, strict=True)
    ]
    seen = [bool(hall.look(picture).covers) for picture in pictures]
    assert not any(seen[:8])
    assert seen[10]


def test_what_looked_like_a_blurred_ball_is_no_moving_one_when_it_is_where_it_was():
    hall, step = Hall(), (40.0, 22.0)
    layout = {WHITE_1: (900.0, 200.0), RED_1: (2000.0, -300.0)}
    hall.look(hall.picture({**layout, WHITE_1: (820.0, 156.0)}))
    seen = hall.smeared(layout, WHITE_1, step)
    assert nearest(hall.look(seen), layout[WHITE_1]).streak_mm is not None
    again = hall.look(hall.smeared({**layout, RED_1: (1900.0, -300.0)}, WHITE_1, step))
    assert not again.is_still
    assert all(each.streak_mm is None for each in again.detections)
