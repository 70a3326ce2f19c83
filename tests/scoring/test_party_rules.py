"""Rules of Russian Party and Five Balls that players may agree on differently, one by one, by their numbers."""

import pytest

from scoring.balls import RED_1, RED_2, WHITE_1, WHITE_2, YELLOW
from scoring.commands import Entry, PlayShot, StartMatch
from scoring.games import GAMES, game_named
from scoring.layout import Layout
from scoring.match import NO_MATCH, apply
from scoring.rulings import Place
from scoring.setup import Beginning, Handicap, Phase, Setup, Streaks, singles
from scoring.table import Pocket, Point
from scoring.testing import stroke

pytestmark = pytest.mark.skipif(
    not {"russian-party", "five-balls"} <= set(GAMES), reason="a party game is not in the list of games"
)
POTTED = Streaks(potted_by=("A", "B"))


def play(*shots, game="russian-party", options=None, handicaps=(), **beginning):
    setup = Setup(game=game, sides=singles("A", "B"), options=options or {}, handicaps=handicaps)
    begin = Beginning(phase=Phase.PLAY, last=POTTED, **beginning)
    state = apply(NO_MATCH, Entry(seq=1, what=StartMatch(setup, begin)))
    for shot in shots:
        state = apply(state, Entry(seq=state.next_seq, what=PlayShot(shot)))
    return state


def told(state):
    standing = state.standing
    return standing.scores, standing.shooter


def pots(ball, pocket=Pocket.RL):
    return stroke(WHITE_1).hits(ball).pots(ball, pocket)


def called(ball, pocket=None):
    return stroke(WHITE_1).calls(ball, pocket).hits(ball).pots(ball, Pocket.RL)


MISS = stroke(WHITE_1).shot()


@pytest.mark.parametrize(("call", "asked"), [("none", None), ("ball", "call"), ("ball_pocket", "call")])
def test_rp_15_whether_a_ball_must_be_called(call, asked):
    state = play(pots(RED_1).shot(), options={"rp.call": call})
    assert (state.pending.kind if state.pending else None) == asked
    elsewhere = stroke(WHITE_1).calls(RED_1, Pocket.FR).hits(RED_1).pots(RED_1, Pocket.RL).shot()
    assert play(elsewhere, options={"rp.call": call}).standing.scores == ((0, 0) if call == "ball_pocket" else (3, 0))


@pytest.mark.parametrize(("form", "scores", "targets"), [("target", (0, 0), (60, 30)), ("credit", (0, 30), (60, 60))])
def test_rp_50_and_rp_a8_points_given_lower_the_target_or_are_credited(form, scores, targets):
    state = play(options={"handicap_form": form}, handicaps=(Handicap(), Handicap(points=30)))
    game = game_named("russian-party")
    assert state.standing.scores == scores
    assert game.targets(state.started.terms, state.standing) == targets


@pytest.mark.parametrize(("mode", "scores"), [("transfer", (-1, 1)), ("add_to_opponent", (0, 1))])
def test_rp_a1_whether_penalty_points_move_or_are_only_added(mode, scores):
    assert play(MISS, options={"rp.penalty_mode": mode}).standing.scores == scores


MIDDLE = pots(YELLOW, Pocket.ML).shot()
SAFETY = [stroke(WHITE_1).hits(RED_1).shot(), stroke(WHITE_2).hits(RED_1).shot()]


@pytest.mark.parametrize(("streak", "score"), [("consecutive_strokes", 24), ("no_score_between", 12)])
def test_rp_a3_whether_a_safety_between_breaks_the_streak(streak, score):
    state = play(MIDDLE, *SAFETY, MIDDLE, options={"yellow_middle_streak": streak})
    assert state.standing.scores[0] == score


@pytest.mark.parametrize(("where", "place"), [("spot", Place.S1), ("where_it_stood", Place.WHERE_IT_STOOD)])
def test_rp_a12_where_a_void_pot_goes(where, place):
    lying = {RED_1: Point(3000, 300), RED_2: Point(2662.5, 0), YELLOW: Point(1775, 0), WHITE_1: Point(400, 0)}
    shot = stroke(WHITE_1).hits(RED_1).pots(RED_1, Pocket.RL).scratches().shot()
    state = play(shot, layout=Layout(lying), options={"void_pot_goes_to": where})
    put = {respot.ball: respot.place for respot in state.records[0].ruling.respots}
    assert put[RED_1] is place


def test_fb_1_only_a_pot_with_a_carom_counts_and_the_rest_is_as_in_russian_party():
    assert told(play(called(RED_1).shot(), game="five-balls")) == ((0, 0), "B")
    assert told(play(called(RED_1).hits(YELLOW).shot(), game="five-balls")) == ((9, 0), "A")
    assert told(play(MISS, game="five-balls")) == ((-1, 1), "B")


def test_fb_3_the_ball_is_called_and_only_the_called_one_counts():
    assert play(pots(RED_1).hits(YELLOW).shot(), game="five-balls").pending.kind == "call"
    other = stroke(WHITE_1).calls(YELLOW).hits(RED_1).pots(RED_1, Pocket.RL).hits(YELLOW).shot()
    assert told(play(other, game="five-balls")) == ((0, 0), "B")


def test_fb_8_the_game_is_won_or_lost():
    state = play(called(RED_1).hits(YELLOW).shot(), game="five-balls", scores=(55, 40))
    assert state.standing.winners == (0,)
    assert not game_named("five-balls").has_draws


@pytest.mark.parametrize(("call", "score"), [("ball", 9), ("ball_pocket", 0), ("none", 9)])
def test_fb_a1_what_is_called(call, score):
    shot = stroke(WHITE_1).calls(RED_1, Pocket.FR).hits(RED_1).pots(RED_1, Pocket.RL).hits(YELLOW).shot()
    assert play(shot, game="five-balls", options={"fb.call": call}).standing.scores[0] == score


ERROR = called(RED_1).hits(YELLOW).scratches().shot()


@pytest.mark.parametrize(
    ("how", "scores"), [("prize_to_opponent", (0, 9)), ("prize_plus_penalty", (-3, 12)), ("transfer", (-9, 9))]
)
def test_fb_a2_what_an_error_on_a_pot_brings_the_opponent(how, scores):
    assert play(ERROR, game="five-balls", options={"fb.error_on_pot": how}).standing.scores == scores


def test_fb_a3_an_error_on_a_pot_without_carom_costs_the_penalty_of_russian_party():
    assert play(called(RED_1).scratches().shot(), game="five-balls").standing.scores == (-3, 3)


BARE_MIDDLE = stroke(WHITE_1).calls(YELLOW).hits(YELLOW).pots(YELLOW, Pocket.ML).shot()
CAROM_MIDDLE = stroke(WHITE_1).calls(YELLOW).hits(YELLOW).pots(YELLOW, Pocket.ML).hits(RED_1).shot()


@pytest.mark.parametrize(("counts", "score"), [("scored", 18), ("any", 0)])
def test_fb_a6_whether_a_pot_that_scored_nothing_counts_for_the_streak(counts, score):
    options = {"fb.yellow_middle_streak_counts": counts, "fb.bare_pot_keeps_turn": True}
    assert play(BARE_MIDDLE, CAROM_MIDDLE, game="five-balls", options=options).standing.scores[0] == score
