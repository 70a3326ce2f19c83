"""The pyramids' parts one by one: the balls, the rack, handicaps, starts, where balls go back."""

import pytest

from scoring.balls import CUE, NUMBERED, Ball
from scoring.commands import Entry, PlayShot, StartMatch
from scoring.errors import ScoringError
from scoring.games.big_pyramid import BIG_PYRAMID
from scoring.games.small_pyramid import SMALL_PYRAMID
from scoring.layout import Layout
from scoring.match import NO_MATCH, apply
from scoring.pyramid.rack import ROWS, rack_of, respots
from scoring.pyramid.state import in_pyramid_points, points_left, value_of
from scoring.rulings import Place
from scoring.setup import Beginning, Handicap, Phase, Setup, Side, singles
from scoring.table import Pocket, Point, Table
from scoring.testing import no_stroke, stroke

TABLE = Table()
PAIR = (Side(("A",)), Side(("B", "C")))
PLAY = Beginning(phase=Phase.PLAY, shooter="A")


def ball(number):
    return Ball(str(number))


def started(beginning=PLAY, *, game="small-pyramid", sides=None, **agreed):
    setup = Setup(game=game, sides=sides or singles("A", "B"), **agreed)
    return apply(NO_MATCH, Entry(seq=1, what=StartMatch(setup, beginning)))


def played(state, *shots):
    for shot in shots:
        state = apply(state, Entry(seq=state.next_seq, what=PlayShot(shot)))
    return state


def test_mp_1_fifteen_balls_and_one_that_is_struck():
    assert SMALL_PYRAMID.cue_balls == BIG_PYRAMID.cue_balls == (CUE,)
    assert len(SMALL_PYRAMID.balls) == 16


def test_c_17_the_cue_ball_is_none_of_the_numbered_ones():
    assert set(SMALL_PYRAMID.balls) == {CUE, *NUMBERED}


def test_mp_2_the_apex_stands_on_the_third_spot_and_the_base_is_parallel_to_the_rear_cushion():
    rack = rack_of(TABLE)
    assert rack.at(ball(4)) == Point(2662.5, 0)
    base = {round(rack.at(ball(number)).x_mm, 6) for number in ROWS[-1]}
    assert len(base) == 1
    assert len(rack.frozen_pairs(TABLE)) == 30, "every ball touches its neighbours"


def test_mp_3_the_rows_from_the_apex_read_from_left_to_right():
    rack = rack_of(TABLE)
    for row in ROWS:
        places = [rack.at(ball(number)).y_mm for number in row]
        assert places == sorted(places, reverse=True)
    assert sorted(number for row in ROWS for number in row) == list(range(1, 16))


@pytest.mark.parametrize(("game", "total"), [("small-pyramid", 140), ("big-pyramid", 180)])
def test_all_balls_together_are_worth_the_whole_game(game, total):
    state = started(game=game)
    assert points_left(state.started.terms, state.standing) == total


def test_only_balls_two_to_five_count_ten_more_in_the_big_pyramid():
    small, big = started().started.terms, started(game="big-pyramid").started.terms
    assert [value_of(big, one) - value_of(small, one) for one in NUMBERED] == [0, 10, 10, 10, 10, *[0] * 10]


@pytest.mark.parametrize(("points", "there"), [(7, 9), (14, 18), (10, 13), (5, 6), (20, 26), (0, 0)])
def test_a_handicap_is_scaled_nine_to_seven_in_the_big_pyramid(points, there):
    assert in_pyramid_points(started(game="big-pyramid").started.terms, points) == there
    assert in_pyramid_points(started().started.terms, points) == points


def test_a_ball_beside_the_axis_pushes_the_place_back_only_as_far_as_it_must():
    layout = Layout({ball(4): Point(2662.5, 40.0)})
    (put,) = respots([ball(9)], layout, None, TABLE, "axis")
    assert put.place is Place.AT
    assert put.at.y_mm == 0
    assert put.at.distance_mm(Point(2662.5, 40.0)) == pytest.approx(TABLE.ball_mm + 2.0)


def test_a_void_ball_goes_to_the_spot_when_its_place_is_taken():
    before = Layout({ball(9): Point(1000, 0)})
    layout = Layout({ball(2): Point(1010, 0)})
    (put,) = respots([ball(9)], layout, before, TABLE, "where_it_stood")
    assert put.place is Place.S3


def test_two_balls_go_to_the_short_cushion_side_by_side():
    layout = Layout({ball(4): Point(2662.5, 0.0)})
    first, second = respots([ball(9), ball(2)], layout, None, TABLE, "short_cushion")
    assert (first.ball, first.at) == (ball(2), Point(3516, 0))
    assert second.at.x_mm == 3516
    assert abs(second.at.y_mm) == pytest.approx(68, abs=0.01)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (Handicap(caroms=True), "caroms"),
        (Handicap(off_table=(ball(7), ball(7))), "twice"),
        (Handicap(off_table=(CUE,)), "ball cue"),
        (Handicap(off_table=NUMBERED), "leave at least one"),
        (Handicap(not_taken_off=71), "nothing would be left"),
        (Handicap(points=80), "nothing would be left"),
    ],
)
def test_a_handicap_that_cannot_be_given_is_refused(given, named):
    with pytest.raises(ScoringError, match=named):
        started(handicaps=(Handicap(), given))


def test_a_ball_is_taken_off_for_one_side_only():
    with pytest.raises(ScoringError, match="ball 7"):
        started(handicaps=(Handicap(off_table=(ball(7),)), Handicap(off_table=(ball(7),))))


@pytest.mark.parametrize(
    ("sides", "format_", "named"),
    [
        (singles("A", "B"), "pair-1", "against a pair"),
        (singles("A", "B", "C"), "pair-2", "against a pair"),
        ((*PAIR, Side(("D",))), "singles", "each for himself"),
    ],
)
def test_sides_that_cannot_play_a_format_are_refused(sides, format_, named):
    with pytest.raises(ScoringError, match=named):
        started(sides=sides, format=format_)


@pytest.mark.parametrize(
    "odd",
    [
        {"gone": (Ball("red-1"),)},
        {"gone": (CUE,)},
        {"in_hand": (Ball("white-1"),)},
        {"in_hand": (ball(3),)},
        {"layout": Layout({Ball("yellow"): Point(1000, 0)})},
    ],
)
def test_a_beginning_with_balls_that_cannot_be_there_is_refused(odd):
    with pytest.raises(ScoringError, match=r"small-pyramid cannot begin with .* there"):
        started(Beginning(phase=Phase.PLAY, **odd))


def test_a_handicap_that_wins_at_once_is_refused():
    with pytest.raises(ScoringError, match="nothing would be left to play for"):
        started(Beginning(), handicaps=(Handicap(), Handicap(credit=71)))


def test_a_racked_ball_that_was_not_hit_is_known_to_lie_in_the_rack():
    state = played(started(Beginning()), stroke(CUE).shot())
    assert state.standing.layout.at(ball(15)) == rack_of(TABLE).at(ball(15))


def test_after_the_break_only_what_was_seen_is_known():
    state = played(started(Beginning()), stroke(CUE).hits(ball(4)).rests({ball(2): (3000, 200)}))
    assert set(state.standing.layout.places) == {ball(2)}
    assert state.standing.layout.lost >= {ball(15), ball(4)}


def test_who_knows_nothing_of_the_places_does_not_pretend_to_after_a_ball_was_put_back():
    shot = stroke(CUE).calls(ball(3), Pocket.RL).hits(ball(9)).pots(ball(9), Pocket.RL).shot()
    layout = played(started(), shot).standing.layout
    assert layout.at(ball(9)) == Point(2662.5, 0)
    assert ball(5) in layout.lost


def test_a_touched_ball_whose_place_nobody_knows_is_lost_and_not_out_of_the_way():
    beginning = Beginning(phase=Phase.PLAY, shooter="A", layout=Layout({}, frozenset((ball(7),))))
    state = played(started(beginning), no_stroke().says("touch", ball=ball(7), when="before").shot())
    assert ball(7) in state.standing.layout.lost
