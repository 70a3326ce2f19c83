"""The rules that all games share, one by one, by their numbers."""

import pytest

from scoring.balls import CUE, FIVE_BALL_SET, NUMBERED, RED_1, RED_2, WHITE_1, WHITE_2, YELLOW, Ball
from scoring.commands import Entry, PlayShot, StartMatch
from scoring.games import GAMES, game_named
from scoring.house import is_in_house
from scoring.match import NO_MATCH, apply
from scoring.questions import carom_balls, facts_of
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.table import Cushion, Pocket, PocketMouths, Point, Spot, Table
from scoring.testing import stroke
from scoring.values import value_of

TABLE = Table()


def play(*shots, game="kaisa", options=None):
    start = StartMatch(Setup(game=game, sides=singles("A", "B"), options=options or {}), Beginning(phase=Phase.PLAY))
    state = apply(NO_MATCH, Entry(seq=1, what=start))
    for shot in shots:
        state = apply(state, Entry(seq=state.next_seq, what=PlayShot(shot)))
    return state


def test_c_1_there_are_four_corner_pockets_and_two_in_the_middle_of_the_long_sides():
    assert [pocket.is_middle for pocket in Pocket].count(True) == 2
    corners = [TABLE.pocket_corner(pocket) for pocket in Pocket if not pocket.is_middle]
    assert {(at.x_mm, abs(at.y_mm)) for at in corners} == {(0, 887.5), (3550, 887.5)}
    assert {TABLE.pocket_corner(pocket).x_mm for pocket in Pocket if pocket.is_middle} == {1775}


def test_c_2_the_length_runs_from_the_front_cushion_at_the_house_to_the_rear_one():
    assert TABLE.length_mm == 2 * TABLE.width_mm
    assert TABLE.is_in_house(Point(1, 0))
    assert not TABLE.is_in_house(Point(TABLE.length_mm - 1, 0))


def test_c_3_c_4_and_c_5_the_spots_lie_on_the_long_axis_at_its_quarters():
    assert [TABLE.spot(spot) for spot in Spot] == [Point(887.5, 0), Point(1775, 0), Point(2662.5, 0)]


@pytest.mark.parametrize(
    ("x_mm", "outside", "inside"), [(887.4, True, True), (887.5, False, True), (888, False, False)]
)
def test_c_6_and_rp_a7_the_line_is_outside_the_house_unless_agreed_otherwise(x_mm, outside, inside):
    place = Point(x_mm, 0)
    assert is_in_house(place, TABLE) is outside
    assert is_in_house(place, TABLE, line_is_house=True) is inside


def test_c_8_a_ball_lies_where_its_centre_lies():
    assert TABLE.is_in_house(Point(TABLE.house_line_x_mm - 0.1, 0)), "though most of the ball is beyond the line"


def test_c_12_pocket_mouths_are_those_of_the_pyramid_when_nobody_measured():
    assert PocketMouths() == TABLE.pockets
    assert 72 <= PocketMouths().corner_mm <= 73 < 82 <= PocketMouths().middle_mm <= 83


@pytest.mark.parametrize("game", sorted({"kaisa", "russian-party", "five-balls"} & set(GAMES)))
def test_c_16_rp_1_and_fb_2_five_ball_games_have_two_whites_two_reds_and_a_yellow(game):
    assert set(game_named(game).balls) == set(FIVE_BALL_SET) == {WHITE_1, WHITE_2, RED_1, RED_2, YELLOW}
    assert set(game_named(game).cue_balls) == {WHITE_1, WHITE_2}


@pytest.mark.parametrize("game", sorted({"small-pyramid", "big-pyramid"} & set(GAMES)))
def test_c_17_pyramids_have_fifteen_numbered_balls_and_one_cue_ball(game):
    assert set(game_named(game).balls) == {CUE, *NUMBERED}
    assert [ball.number for ball in NUMBERED] == list(range(1, 16))


def test_c_30_and_c_31_cushions_between_do_not_matter_and_each_ball_counts_once():
    told = stroke(WHITE_1).hits(RED_1).banks(WHITE_1, Cushion.REAR).hits(YELLOW).hits(YELLOW)
    assert carom_balls(facts_of(told.shot().events), RED_1) == (YELLOW,)


@pytest.mark.parametrize(("order", "score"), [("any", 9), ("after_target", 3)])
def test_c_32_and_fb_a4_whether_a_carom_before_the_target_counts(order, score):
    shot = stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(YELLOW, RED_1).pots(RED_1, Pocket.RL).shot()
    assert play(shot, options={"carom_order": order}).standing.scores == (score, 0)


def test_c_33_a_ball_driven_in_by_another_one_has_no_caroms():
    shot = stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(RED_2).then(RED_2, RED_1).pots(RED_1, Pocket.RL).hits(YELLOW)
    assert play(shot.shot()).standing.scores == (3, 0)


def test_c_34_a_carom_ball_that_falls_too_still_counts_as_carom():
    shot = stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(RED_1).pots(RED_1, Pocket.RL).hits(YELLOW)
    assert play(shot.pots(YELLOW, Pocket.FR).shot()).standing.scores == (9, 0)


def test_c_35_a_carom_without_a_pot_scores_nothing():
    assert play(stroke(WHITE_1).hits(RED_1, YELLOW).shot()).standing.scores == (0, 0)
    assert value_of(RED_1, (YELLOW,)) == 9


@pytest.mark.parametrize(("how", "score"), [("max", -3), ("sum", -5)])
def test_c_25_and_rp_a11_several_offences_cost_one_penalty_unless_they_add_up(how, score):
    shot = stroke(WHITE_1).hits(RED_1).scratches().says("push").shot()
    options = {"foul_combination": how, "kz.other_foul_points": 2}
    assert play(shot, options=options).standing.scores == (score, 0)


def test_c_21_touching_the_ball_twice_is_a_foul_that_people_enter():
    shot = stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(RED_1).pots(RED_1, Pocket.RL).says("double_hit").shot()
    assert (play(shot).standing.scores, play(shot).standing.shooter) == ((0, 0), "B")


def test_c_22_a_ball_that_jumped_back_out_of_a_pocket_was_never_potted():
    shot = stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(RED_1).brushes_jaw(RED_1, Pocket.RL)
    state = play(shot.rests({RED_1: (3400, 700)}))
    assert state.standing.scores == (0, 0)
    assert state.records[0].ruling.respots == ()


def test_c_26_a_valid_pot_keeps_the_turn_and_anything_else_passes_it():
    assert play(stroke(WHITE_1).hits(RED_1).shot()).standing.shooter == "B"
    potted = stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(RED_1).pots(RED_1, Pocket.RL).shot()
    assert play(potted).standing.shooter == "A"


def test_an_unknown_name_is_no_ball_of_any_game():
    assert Ball("ball-?1") not in {ball for name in GAMES for ball in game_named(name).balls}
