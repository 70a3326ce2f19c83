"""Kaisa's own corners that no scenario file reaches, and the closed form of its table."""

import pytest

from scoring.balls import RED_1, RED_2, WHITE_1, WHITE_2, YELLOW, Ball
from scoring.commands import Entry, PlayShot, StartMatch
from scoring.errors import ScoringError
from scoring.games import GAMES, game_named
from scoring.lag import lag_of
from scoring.layout import Layout
from scoring.match import NO_MATCH, apply
from scoring.questions import facts_of
from scoring.rulings import Message, Place
from scoring.setup import Beginning, Handicap, Phase, Setup, singles
from scoring.shots import Shot
from scoring.standing import Stroke
from scoring.table import Cushion, Pocket, Point, Table
from scoring.testing import no_stroke, stroke
from scoring.values import value_of

LAG = stroke(WHITE_1).told.events + stroke(WHITE_2).told.events


def play(*shots, beginning=None, handicaps=(), **options):
    sides = singles("A", "B")
    setup = Setup(game="kaisa", sides=sides, options=options, handicaps=handicaps)
    start = StartMatch(setup, beginning or Beginning(phase=Phase.PLAY))
    state = apply(NO_MATCH, Entry(seq=1, what=start))
    for shot in shots:
        state = apply(state, Entry(seq=state.next_seq, what=PlayShot(shot)))
    return state


def ruled(*shots, **how):
    return play(*shots, **how).records[-1].ruling


def messages(ruling):
    return [reason.message for reason in ruling.reasons]


@pytest.mark.parametrize(
    ("target", "dear", "values"),
    [
        (RED_1, False, {"": 3, "w": 5, "r": 6, "rw": 8, "y": 9, "yw": 11, "yr": 12, "yrw": 14}),
        (WHITE_2, False, {"": 2, "r": 4, "rR": 7, "y": 7, "yr": 10, "yrR": 13}),
        (YELLOW, False, {"": 6, "w": 11, "r": 12, "rw": 14, "rR": 15, "rRw": 17}),
        (YELLOW, True, {"": 12, "w": 17, "r": 18, "rw": 20, "rR": 21, "rRw": 23}),
    ],
    ids=["red", "white", "yellow in a corner", "yellow in the middle"],
)
def test_the_values_are_the_entries_of_the_carom_table(target, dear, values):
    letters = {"w": WHITE_2, "r": RED_2, "R": RED_1, "y": YELLOW}
    for caroms, value in values.items():
        assert value_of(target, [letters[letter] for letter in caroms], dear=dear) == value


def test_a_handicap_that_kaisa_does_not_know_is_refused():
    for unknown in (Handicap(caroms=True), Handicap(off_table=(Ball("7"),)), Handicap(not_taken_off=3)):
        with pytest.raises(ScoringError, match="kaisa: a handicap can only be given in points"):
            play(handicaps=(Handicap(), unknown))


@pytest.mark.parametrize("given", [Handicap(points=60), Handicap(credit=61)])
def test_a_handicap_that_leaves_nothing_to_play_for_is_refused(given):
    with pytest.raises(ScoringError, match=r"kaisa: a handicap of 6[01] leaves nothing of 60"):
        play(handicaps=(Handicap(), given))


def test_a_credit_is_on_the_account_from_the_start():
    assert play(handicaps=(Handicap(), Handicap(credit=10))).standing.scores == (0, 10)


def test_the_needed_score_shrinks_by_the_points_given():
    red = stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(RED_1).pots(RED_1, Pocket.RL).shot()
    state = play(red, handicaps=(Handicap(points=57), Handicap()))
    assert state.standing.winners == (0,)


def test_a_foul_after_the_winning_stroke_is_not_charged():
    told = stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(RED_1).pots(RED_1, Pocket.RL).says("touch", when="after")
    state = play(told.shot(), beginning=Beginning(phase=Phase.PLAY, scores=(57, 0)), **{"kz.other_foul_points": 2})
    assert (state.standing.scores, state.standing.winners) == ((60, 0), (0,))


def test_the_other_players_offence_costs_him_and_leaves_the_stroke_alone():
    told = stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(RED_1).pots(RED_1, Pocket.RL).says("touch", by="B")
    state = play(told.shot(), **{"kz.other_foul_points": 2})
    assert (state.standing.scores, state.standing.shooter) == ((3, -2), "A")
    assert state.records[0].ruling.foul is None


def test_inputs_that_kaisa_has_no_rule_for_are_said_to_have_no_effect():
    ruling = ruled(stroke(WHITE_1).says("prompting").shot())
    assert [warning.message for warning in ruling.warnings] == [Message.HAS_NO_EFFECT]


def test_a_ball_that_hit_a_person_loses_the_turn_or_counts_as_jumped_when_agreed():
    told = stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(RED_1).pots(RED_1, Pocket.RL).says("hit_person")
    state = play(told.shot())
    assert (state.standing.scores, state.standing.shooter) == ((3, 0), "B")
    jumped = play(told.shot(), returned_ball="jumped")
    assert (jumped.standing.scores, jumped.standing.in_hand) == ((-3, 0), frozenset({WHITE_1}))


def test_the_opponents_white_off_the_table_is_in_hand_and_a_red_goes_back():
    told = stroke(WHITE_1).hits(WHITE_2).then(WHITE_2, RED_1).flies(WHITE_2).flies(RED_1)
    ruling = ruled(told.shot())
    assert {respot.ball: respot.place for respot in ruling.respots} == {WHITE_2: Place.IN_HAND, RED_1: Place.S1}
    assert messages(ruling).count(Message.BALL_OFF_TABLE) == 2


def test_a_place_on_the_rail_that_nobody_saw_is_not_invented():
    ruling = ruled(stroke(WHITE_1).hits(RED_1).flies(RED_1, on_rail=True).shot())
    assert ruling.respots == ()


def test_a_house_ball_goes_to_its_spot_when_agreed_or_where_its_place_is_taken():
    beginning = Beginning(phase=Phase.PLAY, from_hand=True, layout=Layout({RED_1: Point(355, 200)}))
    told = stroke(WHITE_1).calls(RED_1, Pocket.FL).hits(RED_1).pots(RED_1, Pocket.FL)
    assert ruled(told.shot(), beginning=beginning, void_pot_goes_to="spot").respots[0].place is Place.S1
    assert ruled(told.rests({WHITE_1: (355, 210)}), beginning=beginning).respots[0].place is Place.S1


def test_a_house_white_potted_directly_goes_back_where_it_stood():
    beginning = Beginning(phase=Phase.PLAY, from_hand=True, layout=Layout({WHITE_2: Point(355, 200)}))
    told = stroke(WHITE_1).calls(WHITE_2, Pocket.FL).hits(WHITE_2).pots(WHITE_2, Pocket.FL)
    state = play(told.shot(), beginning=beginning)
    assert (state.standing.in_hand, state.standing.layout.at(WHITE_2)) == (frozenset(), Point(355, 200))


def test_with_all_balls_in_the_house_any_cushion_will_do():
    every = {RED_1: Point(355, 200), RED_2: Point(300, -200), YELLOW: Point(200, 0), WHITE_2: Point(100, 300)}
    told = stroke(WHITE_1).calls(RED_1, Pocket.FL).banks(WHITE_1, Cushion.LEFT).hits(RED_1).pots(RED_1, Pocket.FL)
    everything = Beginning(phase=Phase.PLAY, from_hand=True, layout=Layout(every))
    assert play(told.shot(), beginning=everything).standing.scores == (3, 0)
    some = Beginning(phase=Phase.PLAY, from_hand=True, layout=Layout(every | {YELLOW: Point(2000, 0)}))
    assert play(told.shot(), beginning=some).standing.scores == (0, 0)


def test_a_ball_outside_the_house_may_drive_in_one_that_stands_inside():
    places = {RED_1: Point(355, 200), YELLOW: Point(2000, 0)}
    beginning = Beginning(phase=Phase.PLAY, from_hand=True, layout=Layout(places))
    told = stroke(WHITE_1).calls(RED_1, Pocket.FL).hits(YELLOW).then(YELLOW, RED_1).pots(RED_1, Pocket.FL)
    assert play(told.shot(), beginning=beginning).standing.scores == (3, 0)
    both = Layout(places | {YELLOW: Point(500, 0)})
    inside = Beginning(phase=Phase.PLAY, from_hand=True, layout=both)
    assert play(told.shot(), beginning=inside).standing.scores == (0, 0)


@pytest.mark.parametrize(("value", "scores"), [(True, (0, 0)), (False, (3, 0)), ({RED_2: Point(1, 1)}, (0, 0))])
def test_where_a_lost_ball_stood_is_answered_by_yes_no_or_its_place(value, scores):
    told = stroke(WHITE_1).calls(RED_1, Pocket.FL).from_hand().hits(RED_1).pots(RED_1, Pocket.FL)
    state = play(told.answers("layout", value).shot())
    assert state.standing.scores == scores
    assert (state.pending is None) == (not isinstance(value, dict))


def test_a_ball_that_moved_to_where_nobody_saw_is_asked_for_from_hand():
    first = stroke(WHITE_1).hits(RED_1).scratches().rests({RED_2: (2000, 0)})
    second = stroke(WHITE_2).rests({WHITE_2: (1000, 0)})
    third = stroke(WHITE_1).calls(RED_1, Pocket.FL).hits(RED_1).pots(RED_1, Pocket.FL).shot()
    state = play(first, second, third)
    assert (state.pending.kind, state.pending.about) == ("layout", RED_1)


def test_a_call_that_names_no_pocket_is_asked_for():
    state = play(stroke(WHITE_1).calls(RED_1).hits(RED_1).pots(RED_1, Pocket.RL).shot())
    assert state.pending.kind == "call"


def test_no_call_is_asked_for_when_no_call_could_earn_anything():
    through_two = stroke(WHITE_1).hits(RED_1).then(RED_1, RED_2).then(RED_2, YELLOW).pots(YELLOW, Pocket.RL)
    state = play(through_two.shot())
    assert (state.pending, state.standing.shooter) == (None, "B")


def test_a_carom_needs_no_call_but_a_plain_pot_does_when_agreed():
    agreed = {"kz.call_for_carom": "no_call_if_carom"}
    plain = stroke(WHITE_1).hits(RED_1).pots(RED_1, Pocket.RL)
    assert play(plain.shot(), **agreed).pending.kind == "call"
    assert play(plain.calls(RED_1, Pocket.RL).shot(), **agreed).standing.scores == (3, 0)


def test_with_no_calls_the_first_valid_pot_counts():
    told = stroke(WHITE_1).hits(RED_1).then(RED_1, RED_2).then(RED_2, YELLOW).pots(YELLOW, Pocket.RL)
    state = play(told.pots(RED_1, Pocket.RR).shot(), **{"kz.call": "none"})
    assert state.standing.scores == (3, 0)


def test_what_drove_an_untouched_ball_in_may_be_the_cue_ball_after_all():
    told = stroke(WHITE_1).calls(YELLOW, Pocket.RL).hits(RED_1).pots(YELLOW, Pocket.RL)
    state = play(told.answers("chain", WHITE_1).shot())
    assert state.standing.scores == (12, 0), "directly, so the red is a carom"
    assert play(told.answers("chain", value=False).shot()).standing.scores == (0, 0)


def test_a_ball_that_did_not_fall_by_itself_was_driven_in_by_something():
    told = stroke(WHITE_1).calls(YELLOW, Pocket.RL).pots(YELLOW, Pocket.RL).answers("fell_by_itself", value=False)
    state = play(told.shot())
    assert (state.pending.kind, [choice.value for choice in state.pending.choices]) == ("chain", [WHITE_1, False])


def test_a_ball_said_to_have_fallen_by_itself_is_put_back():
    told = (
        stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(YELLOW).pots(RED_1, Pocket.RL).says("fell_by_itself", ball=RED_1)
    )
    ruling = ruled(told.shot())
    assert (ruling.respots[0].place, ruling.points_of(0)) == (Place.S1, 0)
    between = ruled(no_stroke().says("fell_by_itself", ball=RED_2).shot())
    assert (between.respots[0].ball, between.rules) == (RED_2, ("MP-40",))


def test_a_frozen_ball_is_driven_in_through_its_neighbour():
    places = {RED_1: (2000.0, 0.0), YELLOW: (2068.0, 0.0)}
    told = stroke(WHITE_1).lying(places).calls(YELLOW, Pocket.RL).hits(RED_1).pots(YELLOW, Pocket.RL)
    state = play(told.shot())
    assert (state.standing.scores, "KZ-24" in state.records[0].ruling.rules) == ((6, 0), True)


def test_a_lag_with_one_stroke_or_unknown_places_is_decided_by_people():
    beginning = Beginning(phase=Phase.LAG)
    rear = stroke(WHITE_1).banks(WHITE_1, Cushion.REAR)
    assert play(rear.shot(), beginning=beginning).pending.kind == "who_shoots"
    both = Shot(events=(*LAG, *rear.banks(WHITE_2, Cushion.REAR).told.events[1:]))
    assert play(both, beginning=beginning).pending.kind == "who_shoots"


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (stroke(WHITE_1), "no_far_cushion"),
        (stroke(WHITE_1).banks(WHITE_1, Cushion.REAR).hits(RED_1), "touched_ball"),
        (stroke(WHITE_1).banks(WHITE_1, Cushion.REAR).banks(WHITE_1, Cushion.LEFT), "long_cushion"),
        (stroke(WHITE_1).banks(WHITE_1, Cushion.REAR).pots(WHITE_1, Pocket.FL), "potted"),
        (stroke(WHITE_1).banks(WHITE_1, Cushion.REAR).flies(WHITE_1), "off_table"),
        (stroke(WHITE_1).banks(WHITE_1, Cushion.REAR).rests({WHITE_1: (2000, 100)}), "did_not_return"),
    ],
)
def test_each_fault_of_a_lag_loses_it_and_is_named(told, why):
    events = told.events if isinstance(told, Shot) else told.told.events
    good = stroke(WHITE_2).banks(WHITE_2, Cushion.REAR).told.events
    state = play(Shot(events=(*events, *good)), beginning=Beginning(phase=Phase.LAG))
    assert state.standing.shooter == "B"
    assert state.records[0].ruling.reasons[0].parameters == ("A", why)


def test_a_lag_that_is_not_strict_asks_only_for_the_far_cushion():
    told = stroke(WHITE_1).banks(WHITE_1, Cushion.REAR).hits(RED_1).told
    made = Stroke(facts=facts_of(told.events), before=None, from_hand=True, call=None)
    assert lag_of(made, (WHITE_1, WHITE_2), Table(), strict=False).faults == (None, "no_far_cushion")


def test_a_sleeve_that_moves_the_yellow_changes_the_layout_and_nothing_else():
    state = play(no_stroke().moves(YELLOW, Point(1000, 100)).shot())
    assert (state.standing.layout.at(YELLOW), state.standing.shooter) == (Point(1000, 100), "A")


def test_a_combination_says_that_its_carom_is_void_only_when_there_was_one():
    told = stroke(WHITE_1).calls(YELLOW, Pocket.RL).hits(RED_1).then(RED_1, YELLOW).pots(YELLOW, Pocket.RL)
    assert Message.CAROM_VOID_AFTER_COMBINATION not in messages(ruled(told.shot()))
    assert Message.CAROM_VOID_AFTER_COMBINATION in messages(ruled(told.hits(WHITE_2).shot()))


def test_the_second_white_may_stand_at_the_rear_cushion_or_where_it_was_seen():
    rear = play(beginning=Beginning(phase=Phase.OPENING), **{"kz.second_white_at_start": "rear_middle"})
    assert rear.standing.layout.at(WHITE_2) == Point(3516, 0)
    seen = Beginning(phase=Phase.OPENING, layout=Layout({WHITE_2: Point(3000, 0)}))
    assert play(beginning=seen).standing.in_hand == frozenset({WHITE_1})


def test_at_the_first_shot_the_rack_is_known_even_when_only_the_cue_ball_was_seen():
    told = stroke(WHITE_1).lying({WHITE_1: (600, 0)}).calls(RED_1, Pocket.FL).hits(RED_1).pots(RED_1, Pocket.FL)
    ruling = ruled(told.shot(), beginning=Beginning(phase=Phase.OPENING))
    assert Message.FORBIDDEN_FIRST_SHOT in messages(ruling)


def test_a_stroke_of_the_each_players_ban_with_nothing_known_bans_nothing():
    beginning = Beginning(phase=Phase.PLAY)
    told = stroke(WHITE_1).calls(RED_1, Pocket.FL).hits(RED_1).pots(RED_1, Pocket.FL)
    assert play(told.shot(), beginning=beginning, **{"kz.opening_ban_scope": "each_player"}).standing.scores == (3, 0)


def test_a_penalty_below_the_target_wins_nothing_even_when_it_may():
    told = stroke(WHITE_1).hits(RED_1).scratches()
    agreed = {"kz.penalty_mode": "transfer", "kz.penalty_can_win": True}
    assert play(told.shot(), **agreed).standing.winners == ()
    assert play(told.shot(), **agreed).standing.scores == (-3, 3)


def test_nothing_is_taken_from_an_empty_account_when_scores_stay_above_nought():
    told = stroke(WHITE_1).hits(RED_1).scratches()
    for mode in ("transfer", "subtract"):
        state = play(told.shot(), allow_negative=False, **{"kz.penalty_mode": mode})
        assert state.standing.scores == (0, 0)


def test_the_players_ball_is_not_the_one_they_took_when_the_first_player_opens_with_the_other():
    ruling = ruled(stroke(WHITE_2).shot(), beginning=Beginning(phase=Phase.OPENING))
    assert ruling.foul == "KZ-47"


def test_a_red_that_was_struck_is_a_wrong_ball_and_goes_back_when_it_falls():
    ruling = ruled(stroke(RED_1).pots(RED_1, Pocket.FL).shot())
    assert (ruling.foul, ruling.respots[0].place) == ("KZ-47", Place.S1)


def test_every_game_in_the_list_is_found_under_its_own_name():
    for name in GAMES:
        game = game_named(name)
        assert game.name == name
        assert set(game.cue_balls) <= set(game.balls)
        assert game.left is not None
    with pytest.raises(ScoringError, match="no game is called 'chess'"):
        game_named("chess")
