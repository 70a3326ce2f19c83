"""Balls at rest whose places err: they cross no line, and nothing set them in motion."""

import numpy as np
import pytest

from scoring.balls import CUE, RED_1, WHITE_1, YELLOW, Ball
from scoring.events import Contact, Potted, Strike
from scoring.table import Pocket, Table
from vision.track import Look
from vision.witness.crossings import house_line_crossings
from vision.witness.doubts import soft_touches, unexplained_starts, unseen_touches, with_unmoved_doubts
from vision.witness.kinks import Story
from vision.witness.legs import Samples, cut

TABLE = Table()
FRAME_S = 1 / 60
LINE_MM = TABLE.house_line_x_mm


def story_of(*stretches, sigma_mm=0.4):
    """A ball that lies, or rolls evenly: each stretch has a place, a velocity and how many frames it lasts."""
    rng, looks = np.random.default_rng(4), []
    for (x_mm, y_mm), (vx, vy), frames in stretches:
        for k in range(frames):
            off_x, off_y = rng.normal(0.0, sigma_mm, 2).tolist()
            at = (x_mm + vx * k * FRAME_S + off_x, y_mm + vy * k * FRAME_S + off_y)
            looks.append(Look(len(looks) * FRAME_S, *at, sigma_mm, sigma_mm))
    samples = Samples.of(looks)
    return Story(samples, tuple(cut(samples)))


def lying(x_mm, y_mm, frames=60):
    return (x_mm, y_mm), (0.0, 0.0), frames


def crossings(story):
    return [event.direction for event in house_line_crossings(TABLE, {1: story}, {1: RED_1}, 0.0, FRAME_S)]


def test_a_ball_on_the_first_spot_lies_on_the_line_wherever_it_is_measured():
    rolls_off = story_of(lying(LINE_MM - 2.5, 1.0), ((LINE_MM - 2.5, 1.0), (500.0, 100.0), 40))
    assert crossings(rolls_off) == []


def test_a_ball_that_rolls_from_the_first_spot_into_the_house_crosses_the_line():
    rolls_in = story_of(lying(LINE_MM + 2.5, 1.0), ((LINE_MM + 2.5, 1.0), (-500.0, 100.0), 40))
    assert crossings(rolls_in) == ["in"]


def test_a_resting_ball_that_is_measured_on_the_other_side_of_the_line_has_not_crossed_it():
    assert crossings(story_of(lying(LINE_MM + 4.0, 300.0), lying(LINE_MM - 4.0, 302.0))) == []


@pytest.mark.parametrize("start_mm", [-2.0, -100.0])
def test_a_ball_that_rolls_out_of_the_house_crosses_the_line_when_it_is_there(start_mm):
    speed_mm_s = 600.0
    story = story_of(lying(LINE_MM + start_mm, 300.0), ((LINE_MM + start_mm, 300.0), (speed_mm_s, 0.0), 40))
    (event,) = house_line_crossings(TABLE, {1: story}, {1: RED_1}, 0.0, FRAME_S)
    assert event.direction == "out"
    assert event.t_s == pytest.approx(1.0 - start_mm / speed_mm_s, abs=0.01)


def knocked_then_struck(knock_mm):
    """A ball that seems to jump and to swing back when the camera is knocked, and is hit a second later."""
    lies = (1000.0, knock_mm)
    swings = ((1000.0, 1.5 * knock_mm), (0.0, -224.0), 5), ((1000.0, knock_mm - 5.0), (0.0, 222.0), 5)
    return story_of(lying(1000.0, 0.0), *swings, lying(*lies, 70), (lies, (400.0, 0.0), 60))


def doubts(story, *events):
    return unexplained_starts({1: story}, {1: YELLOW}, events)


def test_a_ball_that_a_knock_to_the_camera_shifted_before_it_was_hit_was_set_in_motion_once():
    story = knocked_then_struck(15.0)
    kinds = [(before.kind, after.kind) for before, after in zip(story.legs, story.legs[1:], strict=False)]
    assert kinds.count(("rest", "move")) == 2
    hit_s = story.legs[-1].from_s
    hit = (Strike(t_s=0.5, ball=WHITE_1), Contact(t_s=hit_s, ball=WHITE_1, other=YELLOW))
    assert doubts(story, *hit) == []
    assert doubts(story, hit[0]) == ["what set yellow in motion was not seen"]


def test_a_ball_that_rolled_away_and_came_back_to_its_place_was_set_in_motion():
    out, back = ((1000.0, 0.0), (400.0, 0.0), 60), ((1400.0, 0.0), (-400.0, 0.0), 60)
    assert doubts(story_of(lying(1000.0, 0.0), out, back, lying(1000.0, 0.0)))


BALL_MM = TABLE.ball_mm
STRUCK = Strike(t_s=0.1, ball=WHITE_1)


def passed_and_went(names, gap_mm):
    """A ball that rolls by another one that goes off at that moment, though nothing tells that they met."""
    passing = story_of(((400.0, 500.0), (800.0, 0.0), 90))
    going = story_of(
        lying(1000.0, 500.0 + BALL_MM + gap_mm, 45), ((1000.0, 500.0 + BALL_MM + gap_mm), (0.0, 300.0), 45)
    )
    return unseen_touches({1: passing, 2: going}, dict(zip((1, 2), names, strict=True)), [STRUCK], BALL_MM, FRAME_S)


def test_a_ball_that_went_off_as_another_passed_close_by_may_have_been_touched():
    (touch,) = passed_and_went((WHITE_1, RED_1), 0.0)
    assert (touch.ball, touch.other, touch.flagged, touch.confidence) == (WHITE_1, RED_1, True, 0.5)
    assert touch.t_s == pytest.approx(0.75, abs=0.05)


@pytest.mark.parametrize(
    ("names", "gap_mm"), [((WHITE_1, RED_1), 60.0), ((Ball("3"), Ball("4")), 0.0), ((Ball("3"), Ball("ball-?1")), 0.0)]
)
def test_what_passed_far_off_and_what_no_rule_minds_is_no_touch(names, gap_mm):
    assert passed_and_went(names, gap_mm) == []


def test_a_ball_that_fell_unseen_as_another_passed_may_have_been_touched():
    passing = story_of(((400.0, 500.0), (800.0, 0.0), 90))
    fell = Potted(t_s=0.95, ball=RED_1, pocket=Pocket.ML)
    stories = {1: passing, 2: story_of(lying(1000.0, 500.0 + BALL_MM, 45))}
    (touch,) = unseen_touches(stories, {1: WHITE_1, 2: RED_1}, [STRUCK, fell], BALL_MM, FRAME_S)
    assert (touch.ball, touch.other, touch.flagged) == (WHITE_1, RED_1, True)
    assert touch.t_s < fell.t_s


def left_beside(direction):
    """What is told of a cue ball that lay at another one and was struck in a direction."""
    struck = story_of(lying(1000.0, 500.0), ((1000.0, 500.0), (300.0 * direction[0], 300.0 * direction[1]), 60))
    other = story_of(lying(1000.0, 500.0 + BALL_MM + 0.5, 120))
    return soft_touches({1: struck, 2: other}, {1: CUE, 2: Ball("13")}, [Strike(t_s=0.99, ball=CUE)], BALL_MM)


def test_a_cue_ball_that_leaves_along_a_ball_beside_it_may_have_touched_it():
    (touch,) = left_beside((1.0, 0.05))
    assert (touch.ball, touch.other, touch.flagged) == (CUE, Ball("13"), True)
    assert touch.t_s > 0.99


def test_a_cue_ball_that_leaves_the_ball_beside_it_has_not_touched_it():
    assert left_beside((0.3, -0.95)) == []


@pytest.mark.parametrize(
    ("names", "shift_mm", "is_doubtful"),
    [((WHITE_1, RED_1), 0.2, True), ((WHITE_1, RED_1), 3.0, False), ((Ball("3"), Ball("4")), 0.2, False)],
)
def test_a_ball_that_lies_where_it_lay_may_not_have_been_touched(names, shift_mm, is_doubtful):
    passing = story_of(((400.0, 500.0), (800.0, 0.0), 90))
    resting = story_of(lying(1000.0, 560.0, 45), lying(1000.0 + shift_mm, 560.0, 45))
    contact = Contact(t_s=0.75, ball=names[0], other=names[1])
    (told,) = with_unmoved_doubts({1: passing, 2: resting}, dict(zip((1, 2), names, strict=True)), [contact])
    assert (told.flagged, told.confidence < 1.0) == (is_doubtful, is_doubtful)
