"""Formats beside two players who enter their calls: several members to a side, trusted calls, the clock."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.alternatives import alternatives
from scoring.balls import CUE, RED_1, WHITE_1, WHITE_2, YELLOW, Ball
from scoring.commands import Entry, PlayShot, Retracted, StartMatch
from scoring.errors import ScoringError
from scoring.games import GAMES
from scoring.match import NO_MATCH, apply, undo_target
from scoring.notation import shot_from_json, shot_to_json
from scoring.options import options_of
from scoring.readings import Change
from scoring.rulings import Message
from scoring.scoreboard import Due, scoreboard_of
from scoring.setup import Beginning, Handicap, Phase, Setup, Side, singles
from scoring.shoot_out import ShootOut
from scoring.standing import Terms
from scoring.table import Pocket
from scoring.testing import no_stroke, stroke
from scoring.timed import time_left_s
from scoring.verify_layout import verify_layout

IN_PLAY = Beginning(phase=Phase.PLAY)
PAIRS = (Side(("A", "B")), Side(("C", "D")))
TIMED = {"kz.time_limit_min": 40}


def match(*shots, game="kaisa", beginning=IN_PLAY, sides=None, **setup):
    begun = StartMatch(Setup(game=game, sides=sides or singles("A", "B"), **setup), beginning)
    return play(apply(NO_MATCH, Entry(seq=1, what=begun)), *shots)


def play(state, *shots):
    for shot in shots:
        state = apply(state, Entry(seq=state.next_seq, what=PlayShot(shot)))
    return state


def miss(cue):
    return stroke(cue).shot()


def said(state):
    return [(reason.message, reason.parameters) for reason in state.records[-1].ruling.reasons]


@pytest.mark.parametrize("game", ["five-balls", "kaisa", "russian-party"])
def test_rp_49_members_of_two_sides_take_turns_by_series(game):
    state = match(game=game, sides=PAIRS)
    shooters = [state.standing.shooter]
    for number in range(8):
        state = play(state, miss((WHITE_1, WHITE_2)[number % 2]))
        shooters.append(state.standing.shooter)
    assert "".join(shooters) == "ACBDACBDA"


def test_rp_49_a_series_is_one_members_and_points_go_to_the_sides_account():
    red = stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(RED_1).pots(RED_1, Pocket.RL).shot()
    state = match(red, red, sides=PAIRS)
    assert (state.standing.shooter, state.standing.scores) == ("A", (6, 0))
    assert scoreboard_of(state).sides[0].name == "A+B"


def test_rp_49_a_partner_who_shoots_out_of_turn_is_asked_about_and_then_followed():
    state = play(match(sides=PAIRS), stroke(WHITE_1).by("B").shot())
    assert state.pending.kind == "who_shoots"
    state = play(state, no_stroke().answers("who_shoots", "B").shot(), miss(WHITE_2))
    assert state.standing.shooter == "A"


UNCALLED = stroke(WHITE_1).hits(YELLOW).pots(YELLOW, Pocket.RL).shot()
TRUSTED = {"call_entry": "trusted"}


def test_kz_15_a_trusted_pot_counts_as_called_and_the_ruling_says_what_was_assumed():
    state = match(UNCALLED, options=TRUSTED)
    assert (state.pending, state.standing.scores) == (None, (6, 0))
    assert (Message.CALL_ASSUMED, ("yellow", "RL")) in said(state)
    assert "KZ-15" in state.records[0].ruling.rules


def test_a_call_that_was_entered_is_not_assumed_even_where_calls_are_trusted():
    called = stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(YELLOW).pots(YELLOW, Pocket.RL).shot()
    state = match(called, options=TRUSTED)
    assert state.standing.scores == (0, 0)
    assert Message.CALL_ASSUMED not in [message for message, _ in said(state)]


def test_a_trusted_call_can_be_taken_back_by_one_tap():
    state = match(UNCALLED, options=TRUSTED)
    (refused,) = [one for one in alternatives(state, 1) if one.change is Change.NOT_AS_CALLED]
    state = apply(state, Entry(seq=state.next_seq, what=refused.correction(1)))
    assert (state.standing.scores, state.standing.shooter) == ((0, 0), "B")


def test_where_calls_are_trusted_nobody_is_told_to_call():
    assert scoreboard_of(match()).due is Due.CALL
    assert scoreboard_of(match(options=TRUSTED)).due is Due.STROKE


def test_other_questions_are_still_asked_where_calls_are_trusted():
    state = match(stroke(WHITE_1).pots(RED_1, Pocket.RL).shot(), options=TRUSTED)
    assert state.pending.kind == "fell_by_itself"


def test_mp_10_a_trusted_pyramid_pot_counts_with_all_that_fell():
    seven, nine = Ball("7"), Ball("9")
    shot = stroke(CUE).hits(seven).pots(seven, Pocket.RR).pots(nine, Pocket.RL).shot()
    assert match(shot, game="small-pyramid").pending.kind == "call"
    state = match(shot, game="small-pyramid", options=TRUSTED)
    assert state.standing.scores == (16, 0)
    assert (Message.CALL_ASSUMED, ("7", "RR")) in said(state)


def test_a_trusted_stroke_that_potted_nothing_assumes_nothing():
    options = TRUSTED | {"mp.uncalled_is_foul": True}
    state = match(stroke(CUE).hits(Ball("7")).shot(), game="small-pyramid", options=options)
    assert state.pending is None
    assert state.records[0].ruling.foul is None


UP = no_stroke().says("time_up").shot()


def test_kz_36_when_time_is_up_the_side_that_needs_fewer_points_wins():
    state = match(UNCALLED, UP, options=TIMED | TRUSTED)
    assert (state.standing.phase, state.standing.winners) == (Phase.OVER, (0,))
    assert "KZ-36" in state.records[-1].ruling.rules
    given = match(UNCALLED, UP, options=TIMED | TRUSTED, handicaps=(Handicap(), Handicap(points=30)))
    assert given.standing.winners == (1,), "B needs 30, A still 54"


def shoot_out(made="", **options):
    state = match(UP, options=TIMED | options)
    for number, hit in enumerate(made):
        cue = (WHITE_1, WHITE_2)[number % 2]
        told = stroke(cue).hits(YELLOW)
        state = play(state, told.pots(YELLOW, Pocket.RL).shot() if hit == "x" else told.shot())
    return state


def test_kz_36_level_sides_play_a_shoot_out_shot_by_shot():
    state = shoot_out()
    assert (state.standing.phase, state.standing.shooter) == (Phase.PLAY, "A")
    assert scoreboard_of(state).shoot_out == ShootOut(3, (0, 0), (0, 0))
    assert scoreboard_of(state).due is Due.STROKE
    assert verify_layout(state, {}) == ()
    state = shoot_out("x-")
    assert (state.standing.shooter, state.standing.shoot_out.made, state.pending) == ("A", (1, 0), None)
    assert said(state) == [(Message.SHOOT_OUT_MISSED, ("B", "1:0"))]


def test_kz_36_a_shoot_out_ends_when_nobody_can_catch_up_and_goes_on_while_level():
    assert shoot_out("x-x-").standing.winners == (0,)
    level = shoot_out("xx--xx")
    assert level.standing.winners == ()
    assert play(level, miss(WHITE_1)).standing.winners == ()
    decided = play(level, miss(WHITE_1), stroke(WHITE_2).hits(RED_1).pots(RED_1, Pocket.FL).shot())
    assert decided.standing.winners == (1,)


def test_kz_36_a_shot_with_the_cue_ball_lost_or_a_foul_is_not_made():
    potted = stroke(WHITE_1).hits(YELLOW).pots(YELLOW, Pocket.RL)
    assert play(shoot_out(), potted.scratches().shot()).standing.shoot_out.made == (0, 0)
    assert play(shoot_out(), potted.flies(WHITE_1).shot()).standing.shoot_out.made == (0, 0)
    assert play(shoot_out(), potted.says("push").shot()).standing.shoot_out.made == (0, 0)
    assert play(shoot_out(), potted.flies(WHITE_1, returned=True).shot()).standing.shoot_out.made == (1, 0)


def test_an_entry_without_a_stroke_is_no_shot_of_a_shoot_out_and_a_second_end_of_time_changes_nothing():
    state = play(shoot_out("x"), no_stroke().shot(), UP)
    assert state.standing.shoot_out == ShootOut(3, (1, 0), (1, 0))


def test_a_shoot_out_can_be_agreed_for_all_or_for_none():
    always = match(UNCALLED, UP, options=TIMED | TRUSTED | {"kz.shoot_out_when": "always"})
    assert (always.standing.scores, always.standing.winners) == ((6, 0), ())
    never = match(UP, options=TIMED | {"kz.shoot_out_shots": 0})
    assert never.standing.winners == (0, 1)
    assert (Message.DRAW, ()) in said(never)


def test_without_a_time_limit_the_end_of_time_says_nothing():
    state = match(UP)
    assert state.standing.phase is Phase.PLAY
    assert [reason.message for reason in state.records[0].ruling.warnings] == [Message.HAS_NO_EFFECT]


def test_the_end_of_time_can_be_undone():
    state = match(UNCALLED, UP, options=TIMED | TRUSTED)
    state = apply(state, Entry(seq=state.next_seq, what=Retracted(undo_target(state))))
    assert state.standing.phase is Phase.PLAY


def test_the_clock_counts_down_from_the_start_and_stops_at_nothing():
    terms = Terms(Setup(game="kaisa", sides=singles("A", "B")), options_of("kaisa", TIMED))
    assert time_left_s(terms, 0, 0) == 2400
    assert time_left_s(terms, 10**9, 61 * 10**9) == 2340
    assert time_left_s(terms, 0, 10**13) == 0
    for options in (options_of("kaisa", {}), options_of("small-pyramid", {})):
        assert time_left_s(Terms(terms.setup, options), 0, 5) is None


def test_a_limit_is_a_whole_number_of_minutes():
    with pytest.raises(ScoringError, match="time_limit_min"):
        match(options={"kz.time_limit_min": "40"})


@given(st.lists(st.booleans(), max_size=20))
def test_a_shoot_out_has_a_winner_exactly_when_the_others_cannot_reach_him(shots):
    state = ShootOut(3, (0, 0), (0, 0))
    for number, made in enumerate(shots):
        if state.winner is not None:
            break
        state = state.with_shot(number % 2, made=made)
    left = [max(3, *state.taken) - taken for taken in state.taken]
    beaten = [state.made[side] + left[side] < state.made[1 - side] for side in (0, 1)]
    assert (state.winner is not None) == any(beaten)
    assert state.winner is None or beaten[1 - state.winner]


def test_a_shot_of_a_shoot_out_can_be_read_otherwise():
    state = shoot_out("x")
    (missed,) = [one for one in alternatives(state, 2) if one.change is Change.NOT_POTTED]
    assert missed.after.shoot_out.made == (0, 0)


def test_the_end_of_time_is_journalled_like_any_input():
    assert shot_from_json(shot_to_json(UP)) == UP


GAME = st.sampled_from(sorted(GAMES))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_where_calls_are_trusted_no_stroke_of_any_game_waits_for_a_call(data):
    game = data.draw(GAME)
    state = match(game=game, options=TRUSTED)
    ball = st.sampled_from(state.started.game.balls)
    for _ in range(3):
        cue = state.standing.cue_balls[state.started.terms.setup.side_of(state.standing.shooter)]
        told = stroke(cue)
        for hit in data.draw(st.lists(ball, max_size=3)):
            told = told.hits(hit) if hit != cue else told
        for fallen in data.draw(st.lists(ball, max_size=2, unique=True)):
            told = told.pots(fallen, data.draw(st.sampled_from(Pocket)))
        state = play(state, told.shot())
        assert state.pending is None or state.pending.kind != "call"
