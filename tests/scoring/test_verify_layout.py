"""What is wrong on the table before the next stroke, ball by ball."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.balls import CUE, FIVE_BALL_SET, NUMBERED, RED_1, RED_2, WHITE_1, WHITE_2, YELLOW, Ball
from scoring.commands import Entry, PlayShot, StartMatch
from scoring.layout import Layout
from scoring.match import NO_MATCH, apply
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.table import Pocket, Point, Spot, Table
from scoring.testing import no_stroke, stroke
from scoring.verify_layout import Fault, Wrong, verify_layout

TABLE = Table()
S1, S2, S3 = (TABLE.spot(spot) for spot in Spot)
LYING = {WHITE_1: Point(600, 300), WHITE_2: Point(2000, -500), RED_1: S1, RED_2: S3, YELLOW: Point(1500, 200)}


def playing(*shots, game="kaisa", layout=LYING, phase=Phase.PLAY, **beginning):
    begin = Beginning(phase=phase, layout=Layout(layout) if layout else None, **beginning)
    state = apply(NO_MATCH, Entry(seq=1, what=StartMatch(Setup(game=game, sides=singles("A", "B")), begin)))
    for shot in shots:
        state = apply(state, Entry(seq=state.next_seq, what=PlayShot(shot)))
    return state


def wrongs(state, seen, **tolerance):
    return {fault.ball: fault.wrong for fault in verify_layout(state, seen, **tolerance)}


POTTED = stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(RED_1).pots(RED_1, Pocket.RL)
REST = {WHITE_1: (2500, 400), WHITE_2: (2000, -500), RED_2: (2662.5, 0), YELLOW: (1500, 200)}
DUE = {ball: Point(*at) for ball, at in REST.items()} | {RED_1: S1}


def test_all_in_place_is_nothing_wrong():
    assert verify_layout(playing(POTTED.rests(REST)), DUE) == ()


def test_a_potted_ball_that_nobody_put_back_is_missing_at_its_spot():
    seen = {ball: at for ball, at in DUE.items() if ball != RED_1}
    assert verify_layout(playing(POTTED.rests(REST)), seen) == (Fault(ball=RED_1, wrong=Wrong.MISSING, due=S1),)


def test_a_ball_put_back_beside_its_spot_says_how_far_off_it_is():
    (fault,) = verify_layout(playing(POTTED.rests(REST)), DUE | {RED_1: Point(S1.x_mm + 30, 40)})
    assert (fault.ball, fault.wrong, fault.due, fault.distance_mm) == (RED_1, Wrong.NOT_IN_PLACE, S1, 50)


def test_a_ball_that_should_have_stayed_says_how_far_it_moved():
    (fault,) = verify_layout(playing(POTTED.rests(REST)), DUE | {YELLOW: Point(1500, 212)})
    assert (fault.ball, fault.wrong, fault.distance_mm) == (YELLOW, Wrong.MOVED, 12)


def test_a_hand_is_allowed_a_few_millimetres_or_what_the_caller_says():
    moved = DUE | {YELLOW: Point(1500, 204)}
    assert verify_layout(playing(POTTED.rests(REST)), moved) == ()
    assert wrongs(playing(POTTED.rests(REST)), moved, tolerance_mm=2) == {YELLOW: Wrong.MOVED}


def test_balls_of_one_colour_stand_for_each_other():
    swapped = DUE | {RED_1: DUE[RED_2], RED_2: DUE[RED_1]}
    assert verify_layout(playing(POTTED.rests(REST)), swapped) == ()
    one = {ball: at for ball, at in swapped.items() if ball != RED_1}
    assert wrongs(playing(POTTED.rests(REST)), one) == {RED_2: Wrong.MISSING}


def test_a_ball_without_a_name_stands_for_the_missing_one():
    ghost = Ball("ball-?1")
    seen = {ball: at for ball, at in DUE.items() if ball != YELLOW} | {ghost: Point(1500, 220)}
    (fault,) = verify_layout(playing(POTTED.rests(REST)), seen)
    assert (fault.ball, fault.wrong, fault.distance_mm) == (YELLOW, Wrong.MOVED, 20)
    assert wrongs(playing(POTTED.rests(REST)), DUE | {ghost: Point(100, 100)}) == {ghost: Wrong.EXTRA}


def test_a_ball_of_another_game_is_one_too_many():
    assert wrongs(playing(), LYING | {Ball("7"): Point(100, 0)}) == {Ball("7"): Wrong.EXTRA}


SCRATCH = stroke(WHITE_1).hits(RED_1).scratches().rests({RED_1: (887.5, 0)})


def test_a_white_in_hand_stays_off_the_table_until_its_owners_turn():
    state = playing(SCRATCH)
    others = {ball: at for ball, at in LYING.items() if ball != WHITE_1}
    assert verify_layout(state, others) == ()
    assert wrongs(state, LYING) == {WHITE_1: Wrong.EXTRA}


def test_a_cue_ball_in_hand_may_be_held_or_lie_anywhere_in_the_house():
    state = playing(in_hand=(WHITE_1,))
    others = {ball: at for ball, at in LYING.items() if ball != WHITE_1}
    assert verify_layout(state, others) == ()
    assert verify_layout(state, LYING) == ()


def test_c_9_a_cue_ball_in_hand_lies_in_the_house_not_on_the_line_and_touches_no_ball():
    state = playing(in_hand=(WHITE_1,))
    (far,) = verify_layout(state, LYING | {WHITE_1: Point(1000, 300)})
    assert (far.wrong, far.distance_mm) == (Wrong.NOT_IN_HOUSE, 112.5)
    assert wrongs(state, LYING | {WHITE_1: Point(887.5, 300)}) == {WHITE_1: Wrong.NOT_IN_HOUSE}
    assert wrongs(state, LYING | {WHITE_1: Point(820, 0)}) == {WHITE_1: Wrong.TOUCHES_A_BALL}


def test_in_a_lag_both_whites_may_be_in_the_house():
    rack = {RED_1: S1, YELLOW: S2, RED_2: S3}
    state = playing(phase=Phase.LAG, layout=None)
    assert verify_layout(state, rack | {WHITE_1: Point(400, 300), WHITE_2: Point(400, -300)}) == ()
    assert wrongs(state, rack | {WHITE_1: Point(3000, 300)}) == {WHITE_1: Wrong.NOT_IN_HOUSE}


def test_balls_out_of_the_game_are_extra_and_untold_places_only_need_their_balls():
    state = playing(game="small-pyramid", layout={CUE: Point(500, 0)}, gone=(NUMBERED[6],))
    rest = {ball: Point(1000 + 100 * (ball.number or 0), 300) for ball in NUMBERED}
    assert wrongs(state, rest | {CUE: Point(500, 0)}) == {NUMBERED[6]: Wrong.EXTRA}
    del rest[NUMBERED[6]], rest[NUMBERED[2]]
    assert wrongs(state, rest | {CUE: Point(500, 0)}) == {NUMBERED[2]: Wrong.MISSING}


def test_mp_48_with_all_balls_in_the_house_the_cue_ball_belongs_behind_the_third_spot():
    left = {NUMBERED[0]: Point(300, 0), NUMBERED[1]: Point(500, 200)}
    gone = tuple(ball for ball in NUMBERED if ball not in left)
    state = playing(game="small-pyramid", layout=left, gone=gone, in_hand=(CUE,))
    assert verify_layout(state, left | {CUE: Point(3000, 0)}) == ()
    (fault,) = verify_layout(state, left | {CUE: Point(400, -300)})
    assert (fault.wrong, fault.distance_mm) == (Wrong.NOT_IN_TEMPORARY_HOUSE, S3.x_mm - 400)
    wide = left | {NUMBERED[0]: Point(1000, 0)}
    assert wrongs(state, wide | {CUE: Point(400, -300)}) == {NUMBERED[0]: Wrong.MOVED}


def test_nothing_is_said_while_a_question_is_open_or_when_the_match_is_over():
    open_question = playing(stroke(WHITE_1).hits(RED_1).pots(RED_1, Pocket.RL).shot())
    assert open_question.pending is not None
    assert verify_layout(open_question, {}) == ()
    assert verify_layout(playing(no_stroke().says("draw").shot()), {}) == ()


def test_without_known_places_every_ball_in_play_must_be_there():
    assert wrongs(playing(layout=None), {}) == dict.fromkeys(FIVE_BALL_SET, Wrong.MISSING)


@given(st.sampled_from(sorted(DUE)), st.floats(-300, 300), st.floats(-300, 300), st.sampled_from((1.0, 5.0, 20.0)))
def test_one_ball_out_of_place_is_the_only_fault_and_its_distance_is_told(ball, dx_mm, dy_mm, tolerance_mm):
    at = Point(DUE[ball].x_mm + dx_mm, DUE[ball].y_mm + dy_mm)
    faults = verify_layout(playing(POTTED.rests(REST)), DUE | {ball: at}, tolerance_mm=tolerance_mm)
    off_mm = DUE[ball].distance_mm(at)
    assert [fault.ball for fault in faults] == ([ball] if off_mm > tolerance_mm else [])
    assert [fault.distance_mm for fault in faults] == pytest.approx([off_mm] if off_mm > tolerance_mm else [])


@given(st.sets(st.sampled_from(sorted(DUE))))
def test_each_ball_that_is_not_there_is_missing_once(absent):
    seen = {ball: at for ball, at in DUE.items() if ball not in absent}
    faults = verify_layout(playing(POTTED.rests(REST)), seen)
    missing = [fault.ball.colour for fault in faults]
    assert sorted(missing) == sorted(ball.colour for ball in absent)
    assert {fault.wrong for fault in faults} <= {Wrong.MISSING}
