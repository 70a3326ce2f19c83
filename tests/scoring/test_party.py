"""Russian party's and Five balls' own corners that no scenario file reaches."""

import pytest

from scoring.balls import RED_1, RED_2, WHITE_1, WHITE_2, YELLOW, Ball
from scoring.commands import Entry, PlayShot, StartMatch
from scoring.errors import ScoringError
from scoring.layout import Layout
from scoring.match import NO_MATCH, apply
from scoring.options import options_of
from scoring.rulings import Message, Place
from scoring.setup import Beginning, Handicap, Phase, Setup, Streaks, singles
from scoring.table import Cushion, Pocket, Point
from scoring.testing import no_stroke, stroke

PLAY = Beginning(phase=Phase.PLAY)
OPENING = Beginning(phase=Phase.OPENING)
EVERY_SPOT = {WHITE_2: Point(887.5, 0), YELLOW: Point(1775, 0), RED_2: Point(2662.5, 0)}


def play(*shots, game="russian-party", beginning=PLAY, handicaps=(), **options):
    setup = Setup(game=game, sides=singles("A", "B"), options=options, handicaps=handicaps)
    state = apply(NO_MATCH, Entry(seq=1, what=StartMatch(setup, beginning)))
    for shot in shots:
        state = apply(state, Entry(seq=state.next_seq, what=PlayShot(shot)))
    return state


def ruled(*shots, **how):
    return play(*shots, **how).records[-1].ruling


def messages(ruling):
    return [reason.message for reason in (*ruling.reasons, *ruling.warnings)]


def puts(ruling):
    return {respot.ball: respot.place for respot in ruling.respots}


@pytest.mark.parametrize("game", ["russian-party", "five-balls"])
def test_a_handicap_that_these_games_do_not_know_is_refused(game):
    for unknown in (Handicap(off_table=(Ball("7"),)), Handicap(not_taken_off=3)):
        with pytest.raises(ScoringError, match=f"{game}: a handicap can only be given in points or in caroms"):
            play(game=game, handicaps=(Handicap(), unknown))


@pytest.mark.parametrize("given", [Handicap(points=60), Handicap(credit=70)])
def test_a_handicap_that_leaves_nothing_to_play_for_is_refused(given):
    with pytest.raises(ScoringError, match="points leaves nothing of 60"):
        play(handicaps=(given, Handicap()))


def test_a_credit_is_on_the_account_from_the_start_and_is_no_penalty():
    state = play(handicaps=(Handicap(), Handicap(credit=10)), beginning=OPENING)
    assert (state.standing.scores, state.standing.potted) == ((0, 10), frozenset())


def test_an_order_of_spots_with_a_strange_word_or_the_same_twice_is_refused():
    for name in ("rp.spot_order(red)", "rp.spot_order(yellow)"):
        for value in (("S1", "S9"), ("S1", "S1"), ()):
            with pytest.raises(ScoringError, match=r"spot_order"):
                options_of("russian-party", {name: value})


@pytest.mark.parametrize(
    ("told", "begins"),
    [
        (stroke(WHITE_1).banks(WHITE_1, Cushion.REAR), True),
        (stroke(WHITE_1).hits(RED_1), True),
        (stroke(WHITE_1).hits(YELLOW), True),
        (stroke(WHITE_1).scratches(Pocket.ML), True),
        (stroke(WHITE_1).flies(WHITE_1, at=Point(2000, 900)), True),
        (stroke(WHITE_1).banks(WHITE_1, Cushion.LEFT), False),
        (stroke(WHITE_1), False),
    ],
)
def test_an_opening_has_left_the_house_when_something_beyond_its_line_says_so(told, begins):
    state = play(told.shot(), beginning=OPENING)
    assert (state.standing.phase is Phase.PLAY) is begins
    assert (state.standing.shooter == "B") is begins


def test_a_ball_that_stopped_in_the_house_behind_the_red_on_the_line_has_not_left_it():
    state = play(stroke(WHITE_1).hits(RED_1).rests({WHITE_1: (800, 0), RED_1: (1500, 0)}), beginning=OPENING)
    assert (state.standing.phase, state.standing.shooter) == (Phase.OPENING, "A")
    assert state.standing.layout.at(RED_1) == Point(887.5, 0), "the red is put back on its spot"
    far = stroke(WHITE_1).hits(YELLOW).rests({WHITE_1: (800, 0), YELLOW: (1500, 0)})
    assert play(far, beginning=OPENING).standing.phase is Phase.PLAY, "it came back from beyond the line"


def test_with_the_line_in_the_house_a_ball_on_it_has_not_left():
    told = stroke(WHITE_1).rests({WHITE_1: (887.5, 100)})
    assert play(told, beginning=OPENING).standing.phase is Phase.PLAY
    assert play(told, beginning=OPENING, line_is_house=True).standing.phase is Phase.OPENING


def test_only_what_people_saw_is_charged_for_an_opening_that_is_repeated():
    told = stroke(WHITE_1).says("touch").scratches(Pocket.FL)
    state = play(told.shot(), beginning=OPENING)
    assert (state.standing.scores, state.standing.phase, state.standing.shooter) == ((-1, 1), Phase.OPENING, "A")


def test_a_repeated_opening_may_still_end_the_game_for_the_other_side():
    beginning = Beginning(phase=Phase.OPENING, scores=(0, 59), last=Streaks(potted_by=("B",)))
    state = play(stroke(WHITE_1).says("touch").shot(), beginning=beginning)
    assert (state.standing.phase, state.standing.winners) == (Phase.OVER, (1,))


def test_a_ball_potted_at_the_opening_goes_to_another_spot_when_its_own_was_taken():
    told = stroke(WHITE_1).hits(RED_1).pots(RED_1, Pocket.RL)
    ruling = ruled(told.rests({WHITE_1: (887.5, 10)}), beginning=OPENING)
    assert puts(ruling)[RED_1] is Place.FRONT_MIDDLE, "the three spots are taken"


def test_an_opening_pot_with_the_cue_ball_cites_both_rules():
    told = stroke(WHITE_1).hits(RED_2).pots(RED_2, Pocket.RL).scratches(Pocket.RR)
    ruling = ruled(told.shot(), beginning=OPENING)
    assert (ruling.foul, puts(ruling)[RED_2]) == ("RP-26", Place.S3)
    assert {"RP-5", "RP-26"} <= set(ruling.rules)


def test_who_opens_after_the_lag_takes_the_first_white_even_as_the_second_side():
    beginning = Beginning(phase=Phase.OPENING, shooter="B")
    state = play(stroke(WHITE_1).banks(WHITE_1, Cushion.REAR).shot(), beginning=beginning)
    assert (state.standing.cue_balls, state.standing.shooter) == ((WHITE_2, WHITE_1), "A")


def test_inputs_without_a_rule_are_said_to_have_no_effect():
    for kind in ("prompting", "stalemate_warning", "ball_number", "draw"):
        ruling = ruled(no_stroke().says(kind).shot())
        assert messages(ruling) == [Message.HAS_NO_EFFECT]
        assert (ruling.changes, ruling.winners) == ((), ())


def test_a_touch_that_names_no_ball_puts_back_what_the_hand_moved():
    layout = Layout({RED_1: Point(1200, 100)})
    told = no_stroke().moves(RED_1, Point(1300, 100)).says("touch", when="before")
    state = play(told.shot(), beginning=Beginning(phase=Phase.PLAY, layout=layout))
    assert puts(state.records[0].ruling) == {RED_1: Place.WHERE_IT_STOOD}
    assert state.standing.layout.at(RED_1) == Point(1200, 100)


def test_a_sleeve_that_nobody_calls_a_touch_moves_the_ball_and_nothing_else():
    state = play(no_stroke().moves(RED_1, Point(1300, 100)).shot())
    assert (state.standing.layout.at(RED_1), state.standing.shooter) == (Point(1300, 100), "A")


def test_a_miss_is_none_when_other_balls_are_seen_to_move():
    assert ruled(stroke(WHITE_1).then(RED_1, YELLOW).shot()).foul is None
    assert ruled(stroke(WHITE_1).moves(RED_1, Point(1, 1)).shot()).foul == "RP-20", "a hand moved it"


def test_a_ball_stays_at_the_cushion_as_long_as_no_spot_is_free():
    waiting = Beginning(phase=Phase.PLAY, layout=Layout({**EVERY_SPOT, RED_1: Point(34, 0)}))
    rest = {ball: (place.x_mm, place.y_mm) for ball, place in EVERY_SPOT.items()}
    state = play(stroke(WHITE_1).hits(WHITE_2).rests({**rest, WHITE_1: (500, 300)}), beginning=waiting)
    assert (state.standing.waiting, state.records[0].ruling.respots) == (frozenset({RED_1}), ())
    freed = play(stroke(WHITE_1).hits(WHITE_2).rests({**rest, WHITE_2: (1200, 300)}), beginning=waiting)
    assert (freed.standing.waiting, puts(freed.records[0].ruling)) == (frozenset(), {RED_1: Place.S1})
    assert Message.BALL_TO_FREE_SPOT in messages(freed.records[0].ruling)


def test_a_ball_at_the_cushion_waits_for_nothing_when_a_spot_is_free():
    layout = Layout({YELLOW: Point(1775, 0), RED_1: Point(34, 0)})
    assert play(beginning=Beginning(phase=Phase.PLAY, layout=layout)).standing.waiting == frozenset()
    white = Layout({**EVERY_SPOT, WHITE_2: Point(34, 0), RED_1: Point(887.5, 0)})
    assert play(beginning=Beginning(phase=Phase.PLAY, layout=white)).standing.waiting == frozenset()


def test_beside_the_middle_of_the_cushion_when_that_is_taken_too():
    layout = Layout({**EVERY_SPOT, WHITE_1: Point(34, 0), RED_1: Point(1200, 300)})
    told = stroke(WHITE_1).hits(RED_1).pots(RED_1, Pocket.RL)
    rest = {ball: (place.x_mm, place.y_mm) for ball, place in EVERY_SPOT.items()}
    beginning = Beginning(phase=Phase.PLAY, layout=layout)
    state = play(told.rests({**rest, WHITE_1: (34, 0)}), beginning=beginning)
    respot = state.records[0].ruling.respots[0]
    assert (respot.place, state.standing.waiting) == (Place.AT, frozenset({RED_1}))
    assert respot.at.x_mm == 34
    assert abs(respot.at.y_mm) == pytest.approx(68, abs=0.01)


def test_a_house_ball_goes_to_its_spot_where_its_place_is_taken():
    beginning = Beginning(phase=Phase.PLAY, from_hand=True, layout=Layout({RED_1: Point(355, 200)}))
    told = stroke(WHITE_1).hits(RED_1).pots(RED_1, Pocket.FL)
    assert puts(ruled(told.rests({WHITE_1: (355, 210)}), beginning=beginning)) == {RED_1: Place.S1}


def test_a_house_white_potted_directly_goes_back_where_it_stood():
    beginning = Beginning(phase=Phase.PLAY, from_hand=True, layout=Layout({WHITE_2: Point(355, 200)}))
    told = stroke(WHITE_1).hits(WHITE_2).pots(WHITE_2, Pocket.FL)
    state = play(told.shot(), beginning=beginning)
    assert (state.standing.in_hand, state.standing.layout.at(WHITE_2)) == (frozenset(), Point(355, 200))
    agreed = play(told.shot(), beginning=beginning, void_pot_goes_to="spot")
    assert agreed.standing.in_hand == {WHITE_2}, "a white has no spot"


def test_the_offence_is_charged_before_the_stroke_when_the_shot_stays():
    told = stroke(WHITE_1).hits(RED_1).pots(RED_1, Pocket.RL).says("touch", when="before")
    state = play(told.shot(), touch_before_stroke_passes_turn=False)
    assert (state.standing.scores, state.standing.shooter) == ((2, 1), "A")
    assert state.records[0].ruling.foul == "RP-21"
    assert play(told.shot()).standing.scores == (-1, 1)


def test_after_the_winning_pot_there_is_no_penalty():
    beginning = Beginning(phase=Phase.PLAY, scores=(57, 59))
    told = stroke(WHITE_1).hits(RED_1).pots(RED_1, Pocket.RL).says("touch", when="after")
    state = play(told.shot(), beginning=beginning)
    assert (state.standing.scores, state.standing.winners) == ((60, 59), (0,))


@pytest.mark.parametrize(
    ("scores", "mode", "potted_by", "is_mandatory"),
    [
        ((60, -60), "transfer", None, True),
        ((60, -50), "transfer", None, False),
        ((60, -60), "transfer", ("B",), False),
        ((60, 20), "add_to_opponent", None, False),
        ((60, 20), "add_to_opponent", (), True),
        ((59, -59), "transfer", None, False),
    ],
)
def test_a_resumed_match_knows_whether_the_accounts_hold_only_penalties(scores, mode, potted_by, is_mandatory):
    beginning = Beginning(phase=Phase.PLAY, scores=scores, last=Streaks(potted_by=potted_by))
    state = play(beginning=beginning, **{"rp.penalty_mode": mode})
    assert state.standing.is_mandatory is is_mandatory


def test_a_name_that_nobody_has_has_potted_nothing():
    beginning = Beginning(phase=Phase.PLAY, scores=(60, -60), last=Streaks(potted_by=("Z",)))
    assert play(beginning=beginning).standing.is_mandatory


def test_a_prize_is_no_pot_of_the_opponent():
    beginning = Beginning(phase=Phase.PLAY, scores=(-55, 55), last=Streaks(potted_by=()))
    told = stroke(WHITE_1).calls(RED_1).hits(RED_1).pots(RED_1, Pocket.RL).hits(YELLOW).scratches()
    state = play(told.shot(), game="five-balls", beginning=beginning)
    assert (state.standing.scores, state.standing.winners, state.standing.is_mandatory) == ((-55, 64), (), True)


def test_the_opponents_offence_is_charged_beside_the_prize():
    told = stroke(WHITE_1).calls(RED_1).hits(RED_1).pots(RED_1, Pocket.RL).hits(YELLOW).scratches()
    state = play(told.says("touch", by="B").shot(), game="five-balls")
    assert state.standing.scores == (1, 8)


def test_a_foul_and_an_open_question_ask_only_where_a_prize_hangs_on_it():
    told = stroke(WHITE_1).hits(RED_2).pots(RED_1, Pocket.RL).scratches()
    assert play(told.calls(RED_1).shot(), game="five-balls").pending.kind == "chain"
    lone = stroke(WHITE_1).pots(RED_1, Pocket.RL).scratches()
    assert play(lone.shot()).pending is None
    assert play(lone.shot()).standing.scores == (-3, 3)


def test_any_yellow_in_the_middle_begins_a_streak_when_agreed_even_a_spoilt_one():
    beginning = Beginning(phase=Phase.PLAY)
    told = stroke(WHITE_1).calls(YELLOW).hits(YELLOW).pots(YELLOW, Pocket.ML)
    how = {"game": "five-balls", "beginning": beginning, "fb.yellow_middle_streak_counts": "any"}
    assert play(told.shot(), **how).standing.yellow_middle_by == "A"
    assert play(told.shot(), game="five-balls").standing.yellow_middle_by is None


def test_a_carom_void_after_a_combination_is_said_so():
    told = stroke(WHITE_1).calls(YELLOW).hits(RED_1).then(RED_1, YELLOW).pots(YELLOW, Pocket.RL)
    assert Message.CAROM_VOID_AFTER_COMBINATION in messages(ruled(told.shot(), game="five-balls"))


def test_the_chain_is_asked_for_only_where_it_matters():
    told = stroke(WHITE_1).hits(RED_2).pots(RED_1, Pocket.RL)
    assert play(told.shot()).standing.scores == (3, 0)
    assert play(told.shot(), **{"rp.rule3": "combination"}).pending.kind == "chain"
    assert play(told.answers("chain", value=False).shot()).standing.scores == (0, 0), "it fell by itself"
    assert play(told.shot(), handicaps=(Handicap(caroms=True), Handicap())).pending.kind == "chain"


def test_a_call_is_due_in_play_and_not_at_the_opening():
    opening, later = play(game="five-balls", beginning=OPENING), play(game="five-balls")
    game, terms = later.started.game, later.started.terms
    assert not game.needs_call(terms, opening.standing)
    assert game.needs_call(terms, later.standing)
    assert not play().started.game.needs_call(play().started.terms, play().standing)


def test_a_wrong_ball_is_any_other_error_where_the_third_penalty_means_combinations():
    state = play(stroke(WHITE_2).hits(RED_1).shot(), **{"rp.rule3": "combination", "rp.other_error_points": 5})
    assert (state.standing.scores, state.records[0].ruling.foul) == ((-5, 5), "RP-29")
    told = stroke(WHITE_1).hits(RED_1).says("wrong_ball")
    assert ruled(told.shot()).foul == "RP-22"


def test_the_dearest_ball_prices_the_lost_cue_ball_and_all_do_when_added_up():
    told = stroke(WHITE_1).hits(RED_1).then(RED_1, YELLOW).pots(RED_1, Pocket.RL).pots(YELLOW, Pocket.ML).scratches()
    assert play(told.shot()).standing.scores == (-12, 12)
    assert play(told.shot(), foul_combination="sum").standing.scores == (-15, 15)


def test_a_house_foul_needs_a_ball_that_is_known_to_have_stood_there():
    agreed = {"rp.house_foul_points": 5}
    told = stroke(WHITE_1).from_hand().hits(RED_1).shot()
    assert play(told, **agreed).standing.scores == (0, 0), "nobody knows where it stood"
    layout = Beginning(phase=Phase.PLAY, layout=Layout({RED_1: Point(355, 0)}))
    assert play(told, beginning=layout, **agreed).standing.scores == (-5, 5)
    bank = stroke(WHITE_1).from_hand().banks(WHITE_1, Cushion.LEFT).hits(RED_1).shot()
    assert play(bank, beginning=layout, **agreed).standing.scores == (0, 0)


@pytest.mark.parametrize("game", ["russian-party", "five-balls"])
def test_rp_1_rp_2_fb_2_the_rack_is_two_reds_and_the_yellow_and_white_2_comes_later(game):
    state = play(game=game, beginning=Beginning())
    assert dict(state.standing.layout.places) == {
        RED_1: Point(887.5, 0),
        YELLOW: Point(1775, 0),
        RED_2: Point(2662.5, 0),
    }, "RP-1, RP-2, FB-2"
    assert (state.standing.phase, state.standing.in_hand) == (Phase.OPENING, {WHITE_1, WHITE_2}), "RP-3"
    assert state.started.game.first_phase is Phase.LAG, "RP-7"


def test_no_carom_is_spoken_of_when_the_cue_ball_met_one_ball():
    assert "C-35" not in ruled(stroke(WHITE_1).hits(RED_1).shot(), game="five-balls").rules
    assert "C-35" in ruled(stroke(WHITE_1).hits(RED_1, YELLOW).shot(), game="five-balls").rules
    assert "C-35" not in ruled(stroke(WHITE_1).hits(RED_1, YELLOW).shot()).rules
