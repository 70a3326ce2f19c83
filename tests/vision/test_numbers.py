"""Numbers of pyramid balls: each is there once, what is not sure is not told, and what was read is put together."""

import itertools

import numpy as np
import pytest
from watching import Watching, looking_like

from scoring.balls import CUE, PYRAMID_SET, Ball
from scoring.events import Moved, Potted, Rest
from scoring.pyramid.rack import ROWS, rack_of
from scoring.table import Point, Table
from vision.numbers.evidence import NumberEvidence, mix_up
from vision.numbers.naming import Numbers
from vision.numbers.who import in_order, shares

TABLE = Table()
ORDER = tuple(number for row in ROWS for number in row)
BLANK = (1 / 15,) * 15


def reading(number, chance):
    rest = (1 - chance) / 14
    return tuple(chance if number == other else rest for other in range(1, 16))


def test_shares_are_those_of_all_ways_to_give_out_numbers():
    chances = np.random.default_rng(4).random((3, 15))
    whole, expected = 0.0, np.zeros((3, 15))
    for way in itertools.permutations(range(15), 3):
        weight = np.prod([chances[row, number] for row, number in enumerate(way)])
        whole += weight
        for row, number in enumerate(way):
            expected[row, number] += weight
    found, together = shares(chances)
    assert found == pytest.approx(expected / whole)
    assert together == pytest.approx(whole / (15 * 14 * 13))


def test_the_last_ball_is_known_when_all_others_are():
    chances = np.array([reading(number, 0.999) for number in range(1, 15)] + [BLANK])
    found, _ = shares(chances)
    assert found[14, 14] > 0.98


def test_two_balls_read_as_one_number_are_both_in_doubt():
    found, _ = shares(np.array([reading(7, 0.9), reading(7, 0.9)]))
    assert found[0, 6] == pytest.approx(found[1, 6])
    assert 0.4 < found[0, 6] < 0.5


def test_some_balls_read_in_the_usual_order_tell_the_others():
    chances = np.array([reading(number, 0.9) if row < 4 else BLANK for row, number in enumerate(ORDER)])
    found = in_order(chances, ORDER, 0.5)
    assert found[np.arange(15), np.array(ORDER) - 1].min() > 0.99


def test_a_rack_of_which_nothing_is_read_tells_nothing_for_sure():
    found = in_order(np.array([BLANK] * 15), ORDER, 0.5)
    assert found.max() < 0.6


def test_balls_read_out_of_the_usual_order_are_what_was_read():
    chances = np.array([reading(ORDER[-1 - row], 0.95) if row < 4 else BLANK for row in range(15)])
    found = in_order(chances, ORDER, 0.5)
    assert [int(row.argmax()) + 1 for row in found[:4]] == list(ORDER[:-5:-1])
    assert found[4:].max() < 0.2


def test_only_a_rack_that_lies_as_a_rack_is_taken_for_one():
    rack = rack_of(TABLE).places
    lying = [(rack[Ball(str(number))], NumberEvidence()) for number in range(1, 16)]
    assert Numbers(TABLE).take_rack(lying)
    moved = [(Point(place.x_mm + 200, place.y_mm), its) if row == 3 else (place, its)
             for row, (place, its) in enumerate(lying)]  # fmt: skip
    assert not Numbers(TABLE).take_rack(moved)


def test_balls_that_may_have_been_taken_for_each_other_share_what_was_known():
    one, other = NumberEvidence(), NumberEvidence()
    one.become(np.array(reading(3, 0.99)))
    other.become(np.array(reading(8, 0.99)))
    mix_up(one, other, 0.5)
    assert one.chances == pytest.approx(other.chances)
    assert one.chances[2] == pytest.approx(0.5, abs=0.01)


def lying(*numbers):
    numbered = [((900 + 150 * row, -200), looking_like("numbered"), its) for row, its in enumerate(numbers)]
    return [((600, 300), looking_like("cue")), *numbered]


def test_a_ball_is_named_when_its_number_is_sure_and_not_before():
    watching = Watching(PYRAMID_SET)
    watching.show(lying(reading(5, 0.9), BLANK), seconds=0.2)
    assert Ball("5") not in watching.witness.positions
    watching.show(lying(reading(5, 0.94), BLANK), seconds=0.2)
    watching.show(lying(reading(5, 0.94), BLANK), seconds=0.2)
    watching.show(lying(reading(5, 0.94), BLANK), seconds=0.2)
    named = watching.witness.positions
    assert named[Ball("5")].x_mm == pytest.approx(900)
    assert CUE in named
    assert sum(ball.is_unknown for ball in named) == 1


def test_a_number_that_is_contradicted_is_taken_back():
    watching = Watching(PYRAMID_SET)
    sure = lying(reading(5, 0.94))
    for _ in range(4):
        watching.show(sure, seconds=0.2)
    assert Ball("5") in watching.witness.positions
    events = [event for _ in range(4) for event in watching.show(lying(reading(11, 0.94)), seconds=0.2)]
    assert Ball("5") not in watching.witness.positions
    assert [event.ball.is_unknown for event in events if isinstance(event, Moved)] == [False, True]


def test_events_of_a_ball_without_a_sure_number_say_which_it_may_be():
    watching = Watching(PYRAMID_SET)
    balls = lying(tuple(0.45 if number in (6, 9) else 0.1 / 13 for number in range(1, 16)))
    watching.show(balls, seconds=1)
    rolling = [replace_place(balls[0], 600 + 8 * step) for step in range(40)]
    events = [event for ball in rolling for event in watching.show([ball, balls[1]], seconds=1 / 60)]
    events += watching.show([rolling[-1], balls[1]], seconds=2)
    rest = next(event for event in events if isinstance(event, Rest))
    assert {ball.name for ball, chance in rest.candidates.items() if chance > 0.2} == {"6", "9"}
    assert not any(ball.number for ball in rest.balls)


def test_many_sides_on_which_hardly_anything_is_read_say_no_more_than_one_that_is_read():
    hardly = tuple({1: 0.10, 4: 0.035}.get(number, 0.865 / 13) for number in range(1, 16))
    its = NumberEvidence()
    for _ in range(300):
        its.add(hardly)
    assert its.chances[0] < 0.5
    assert its.chances[3] > 0.01
    for _ in range(2):
        its.add(reading(4, 0.9))
    assert its.chances[3] > 0.8


def renamed_after_rolling(numbers, read):
    """What is told of their names when balls of known numbers roll on, other numbers being read on them on the way."""
    watching = Watching(PYRAMID_SET)
    for _ in range(4):
        watching.show(lying(*(reading(number, 0.94) for number in numbers)), seconds=0.3)
    balls = lying(*(reading(number, 0.94) for number in read))
    ways = [[balls[0], *(replace_place(ball, ball[0][0] + 8 * step) for ball in balls[1:])] for step in range(10)]
    events = [event for way in ways for event in watching.show(way, seconds=1 / 60)]
    events += watching.show(ways[-1], seconds=2)
    return [event for event in events if isinstance(event, Moved) and None in (event.origin, event.target)]


def test_a_ball_whose_number_is_found_wrong_after_a_stroke_lay_where_the_other_was_said_to_lie():
    before, after = renamed_after_rolling([5], [11])
    assert (before.ball.name, after.ball.name) == ("5", "11")
    assert before.target is None
    assert after.target.x_mm == pytest.approx(900, abs=1)


def test_two_balls_whose_numbers_are_found_changed_over_both_lie_there():
    told = renamed_after_rolling([5, 11], [11, 5])
    lies = {event.ball.name: event.target and event.target.x_mm for event in told}
    assert lies == {"5": pytest.approx(1050, abs=1), "11": pytest.approx(900, abs=1)}


def test_a_fall_says_which_other_numbers_the_ball_may_have():
    watching = Watching(PYRAMID_SET)
    likely = tuple({5: 0.9, 6: 0.06}.get(number, 0.04 / 13) for number in range(1, 16))
    cue, _ = lying(BLANK)
    for _ in range(3):
        watching.show(
            [cue, ((TABLE.length_mm - 5, TABLE.width_mm / 2 - 5), looking_like("numbered"), likely)], seconds=0.3
        )
    fell = next(event for event in watching.show([cue], seconds=2) if isinstance(event, Potted))
    assert fell.ball == Ball("5")
    others = [other.event.ball.name for other in fell.alternatives if isinstance(other.event, Potted)]
    assert others == ["6"]


def replace_place(ball, x_mm):
    return ((x_mm, ball[0][1]), *ball[1:])
