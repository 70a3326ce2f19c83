"""Events become strokes with the layout they were played from."""

from scoring.balls import RED_1, WHITE_1, YELLOW
from scoring.events import Contact, Moved, Potted, Rest, Strike
from scoring.table import Pocket, Point
from server.strokes import Interlude, Stroke, StrokeGrouper

HERE, THERE = Point(100.0, 0.0), Point(900.0, 50.0)


def test_a_stroke_runs_from_strike_to_rest_and_knows_the_layout_before_it():
    grouper = StrokeGrouper()
    assert grouper.take(Rest(t_s=0, balls={WHITE_1: HERE, RED_1: THERE})) is None
    events = [Strike(t_s=1, ball=WHITE_1), Contact(t_s=2, ball=WHITE_1, other=RED_1), Rest(t_s=3, balls={RED_1: HERE})]
    assert [grouper.take(event) for event in events[:2]] == [None, None]
    assert grouper.is_stroke_on
    assert grouper.take(events[2]) == Stroke(before={WHITE_1: HERE, RED_1: THERE}, events=tuple(events))
    assert not grouper.is_stroke_on
    assert grouper.layout == {RED_1: HERE}


def test_hands_between_strokes_change_the_layout():
    grouper = StrokeGrouper(layout={WHITE_1: HERE})
    put = Moved(t_s=1, ball=YELLOW, target=THERE)
    assert grouper.take(put) == Interlude(event=put)
    assert grouper.layout == {WHITE_1: HERE, YELLOW: THERE}
    grouper.take(Moved(t_s=2, ball=WHITE_1, origin=HERE))
    assert grouper.layout == {YELLOW: THERE}


def test_a_ball_that_falls_by_itself_is_an_interlude():
    grouper = StrokeGrouper(layout={RED_1: HERE})
    assert isinstance(grouper.take(Potted(t_s=1, ball=RED_1, pocket=Pocket.FL)), Interlude)
    assert grouper.layout == {}


def test_nobody_knows_the_layout_before_the_first_rest():
    grouper = StrokeGrouper()
    grouper.take(Strike(t_s=1, ball=WHITE_1))
    assert grouper.take(Rest(t_s=2)).before is None


def test_an_interruption_says_whether_a_stroke_is_lost():
    grouper = StrokeGrouper(layout={RED_1: HERE})
    assert not grouper.interrupt()
    grouper.take(Strike(t_s=1, ball=WHITE_1))
    assert grouper.interrupt()
    assert grouper.layout is None
