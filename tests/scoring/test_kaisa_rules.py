"""Kaisa's rules one by one, by their numbers: those that no scenario file names, and the options that change them."""

import pytest

from scoring.balls import FIVE_BALL_SET, RED_1, RED_2, WHITE_1, WHITE_2, YELLOW, BallKind
from scoring.commands import Entry, PlayShot, StartMatch
from scoring.events import Rest, Strike
from scoring.games import game_named
from scoring.layout import Layout
from scoring.match import NO_MATCH, apply
from scoring.rulings import Place
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.shots import Shot
from scoring.table import Cushion, Pocket, Point, Spot, Table
from scoring.testing import stroke

TABLE = Table()
S1, S2, S3 = (TABLE.spot(spot) for spot in Spot)


def play(*shots, phase=Phase.PLAY, options=None, **beginning):
    setup = Setup(game="kaisa", sides=singles("A", "B"), options=options or {})
    state = apply(NO_MATCH, Entry(seq=1, what=StartMatch(setup, Beginning(phase=phase, **beginning))))
    for shot in shots:
        state = apply(state, Entry(seq=state.next_seq, what=PlayShot(shot)))
    return state


def told(state):
    standing = state.standing
    return standing.scores, standing.shooter, standing.winners


def pots(ball, pocket=Pocket.RL, cue=WHITE_1, **call):
    return stroke(cue).calls(ball, pocket, **call).hits(ball).pots(ball, pocket)


def put(state):
    return {respot.ball: respot.place for respot in state.records[-1].ruling.respots}


def test_kz_1_the_balls_are_two_white_two_red_and_one_yellow():
    kinds = sorted(ball.kind.value for ball in game_named("kaisa").balls)
    assert kinds == sorted([BallKind.WHITE] * 2 + [BallKind.RED] * 2 + [BallKind.YELLOW])
    assert set(game_named("kaisa").balls) == set(FIVE_BALL_SET)


def test_kz_3_reds_begin_on_the_first_and_third_spot_and_the_yellow_on_the_second():
    assert play(phase=Phase.OPENING).standing.layout.places == {RED_1: S1, YELLOW: S2, RED_2: S3}


def lag(winner_x_mm):
    events = [*stroke(WHITE_1).banks(WHITE_1, Cushion.REAR).told.events]
    events += stroke(WHITE_2).banks(WHITE_2, Cushion.REAR).told.events
    return Shot(events=(*events, Rest(t_s=9.0, balls={WHITE_1: Point(300, 200), WHITE_2: Point(winner_x_mm, -200)})))


def test_kz_6_the_winner_of_the_lag_shoots_first_with_the_one_dot_ball():
    state = play(lag(100), phase=Phase.LAG)
    assert (state.standing.shooter, state.standing.phase) == ("B", Phase.OPENING)
    state = apply(state, Entry(seq=state.next_seq, what=PlayShot(stroke(WHITE_1).hits(RED_2).shot())))
    assert state.standing.cue_balls == (WHITE_2, WHITE_1)


def test_kz_6_the_winner_of_the_lag_may_be_given_the_choice():
    state = play(lag(100), phase=Phase.LAG, options={"kz.lag_choice": "winner_chooses"})
    assert [choice.value for choice in state.pending.choices] == ["B", "A"]


def test_kz_7_the_first_shot_is_played_from_the_house():
    ruling = play(stroke(WHITE_1).hits(RED_1).shot(), phase=Phase.OPENING).records[0]
    assert WHITE_1 in ruling.before.in_hand
    assert WHITE_1 not in ruling.after.in_hand


@pytest.mark.parametrize(("where", "at"), [("S3", None), ("rear_middle", Point(3516, 0)), ("in_hand", None)])
def test_kz_10_the_second_white_waits_in_hand_or_on_an_agreed_place(where, at):
    standing = play(phase=Phase.OPENING, options={"kz.second_white_at_start": where}).standing
    assert (WHITE_2 in standing.in_hand) == (where == "in_hand")
    assert at is None or standing.layout.at(WHITE_2) == at


def test_kz_17_caroms_after_the_object_ball_need_no_call():
    assert told(play(pots(RED_1).hits(YELLOW).shot()))[0] == (9, 0)


@pytest.mark.parametrize(("ball", "wins"), [(RED_1, True), (YELLOW, True), (WHITE_2, False)])
def test_kz_30_and_kz_34_sixty_points_win_by_a_closing_shot_only(ball, wins):
    state = play(pots(ball).shot(), scores=(58, 0))
    assert state.standing.winners == ((0,) if wins else ())
    assert state.standing.scores[0] >= 60
    assert {"KZ-33"} <= set(state.records[0].ruling.rules)


def test_kz_34_the_winner_may_have_fewer_points_than_the_loser():
    state = play(pots(RED_1, cue=WHITE_2).shot(), scores=(62, 57), shooter="B")
    assert told(state) == ((62, 60), "B", (1,))


def test_kz_35_the_target_may_be_overshot():
    assert told(play(pots(YELLOW, Pocket.ML).shot(), scores=(55, 0))) == ((67, 0), "A", (0,))


SCRATCH = stroke(WHITE_1).hits(RED_1).scratches().shot()


def test_kz_43_the_offender_loses_the_points():
    state = play(SCRATCH)
    assert state.standing.scores == (-3, 0)
    assert "KZ-43" in state.records[0].ruling.rules


def test_kz_44_a_lost_white_comes_back_from_the_house_after_the_opponents_series():
    state = play(SCRATCH, pots(RED_2, cue=WHITE_2).shot())
    assert (state.standing.shooter, WHITE_1 in state.standing.in_hand) == ("B", True)
    state = apply(state, Entry(seq=state.next_seq, what=PlayShot(stroke(WHITE_2).shot())))
    assert (state.standing.shooter, WHITE_1 in state.standing.in_hand) == ("A", True)
    assert "KZ-44" in state.records[0].ruling.rules


def test_kz_48_both_feet_off_the_floor_make_the_pot_void():
    state = play(pots(RED_1).says("feet").shot())
    assert told(state) == ((0, 0), "B", ())
    assert {"KZ-47", "KZ-48"} <= set(state.records[0].ruling.rules)


@pytest.mark.parametrize(
    ("taken", "place"),
    [((), Place.S2), ((S2,), Place.S1), ((S2, S1), Place.S3), ((S2, S1, S3), Place.FRONT_MIDDLE)],
    ids=["none", "S2", "S2 and S1", "all"],
)
def test_kz_51_and_kz_53_the_yellow_takes_the_first_free_spot_of_its_order(taken, place):
    lying = dict(zip((RED_1, RED_2, WHITE_2), taken, strict=False)) | {WHITE_1: Point(300, 300)}
    assert put(play(pots(YELLOW).shot(), layout=Layout(lying)))[YELLOW] is place


def test_kz_54_the_opponents_white_that_fell_is_in_his_hand():
    state = play(pots(WHITE_2).shot())
    assert (put(state), state.standing.in_hand) == ({WHITE_2: Place.IN_HAND}, {WHITE_2})


def test_kz_55_balls_are_back_on_their_spots_before_the_next_stroke():
    lying = {WHITE_1: Point(300, 300), WHITE_2: Point(2000, 300), RED_1: Point(3000, 0), RED_2: S3, YELLOW: S2}
    state = play(pots(RED_1).rests({WHITE_1: (2900, 100)}), layout=Layout(lying))
    assert state.standing.layout.at(RED_1) == S1


BANKED_RED = stroke(WHITE_1).calls(RED_1, Pocket.FL, bank=True).hits(RED_1).banks(RED_1, Cushion.RIGHT)
BANKED_RED = BANKED_RED.pots(RED_1, Pocket.FL).shot()
BANKED_YELLOW = stroke(WHITE_1).calls(YELLOW, Pocket.FL, bank=True).hits(YELLOW).banks(YELLOW, Cushion.RIGHT)
BANKED_YELLOW = BANKED_YELLOW.pots(YELLOW, Pocket.FL).shot()


@pytest.mark.parametrize(
    ("rule", "red", "yellow"), [("yellow_corner_ok", 0, 12), ("middle_only", 0, 0), ("any", 3, 12)]
)
def test_kz_a1_what_counts_when_banked_into_a_corner(rule, red, yellow):
    options = {"kz.bank_rule": rule}
    assert play(BANKED_RED, options=options).standing.scores[0] == red
    assert play(BANKED_YELLOW, options=options).standing.scores[0] == yellow


def test_kz_a2_a_pot_with_a_carom_may_need_no_call():
    uncalled = stroke(WHITE_1).hits(RED_1).pots(RED_1, Pocket.RL).hits(YELLOW).shot()
    assert play(uncalled).pending.kind == "call"
    assert told(play(uncalled, options={"kz.call_for_carom": "no_call_if_carom"}))[0] == (9, 0)


MIDDLE = pots(YELLOW, Pocket.ML).shot()


@pytest.mark.parametrize(("counts", "score"), [(False, 12), (True, 24)])
def test_kz_a3_whether_the_second_yellow_in_the_middle_counts(counts, score):
    state = play(MIDDLE, MIDDLE, options={"kz.second_yellow_counts": counts})
    assert told(state) == ((score, 0), "B", ())


@pytest.mark.parametrize(("how", "score"), [("first_ball_hit", -3), ("rp_list", -6), ("flat2", -2)])
def test_kz_a4_what_a_lost_cue_ball_costs(how, score):
    shot = stroke(WHITE_1).hits(RED_1).then(RED_1, YELLOW).pots(YELLOW, Pocket.RL).scratches().shot()
    assert play(shot, options={"kz.scratch": how}).standing.scores == (score, 0)


@pytest.mark.parametrize(
    ("mode", "scores"), [("subtract", (-3, 0)), ("add_to_opponent", (0, 3)), ("transfer", (-3, 3))]
)
def test_kz_a5_who_pays_and_who_is_paid(mode, scores):
    assert play(SCRATCH, options={"kz.penalty_mode": mode}).standing.scores == scores


@pytest.mark.parametrize(("how", "score"), [("count", 61), ("clip60", 60), ("none", 59)])
def test_kz_a6_what_a_white_is_worth_that_cannot_end_the_game(how, score):
    state = play(pots(WHITE_2).shot(), scores=(59, 0), options={"kz.nonclosing_points": how})
    assert told(state) == ((score, 0), "B", ())


@pytest.mark.parametrize(("how", "shooter"), [("as59", "B"), ("as58", "A")])
def test_kz_a7_whether_a_white_beyond_the_target_keeps_the_turn(how, shooter):
    state = play(pots(WHITE_2).shot(), scores=(61, 0), options={"kz.nonclosing_over60": how})
    assert told(state) == ((63, 0), shooter, ())


@pytest.mark.parametrize(("can", "winners"), [(False, ()), (True, (1,))])
def test_kz_a8_whether_penalty_points_can_win(can, winners):
    options = {"kz.penalty_can_win": can, "kz.penalty_mode": "transfer"}
    standing = play(SCRATCH, scores=(0, 58), options=options).standing
    assert (standing.scores, standing.winners) == ((-3, 61), winners)


@pytest.mark.parametrize(("how", "place"), [("if_unmoved", None), ("always", Place.S2)])
def test_kz_a9_whether_a_yellow_that_was_hit_returns_to_its_spot(how, place):
    lying = Layout({RED_1: S2, WHITE_1: Point(300, 300), RED_2: S3})
    gone = stroke(WHITE_1).hits(RED_1).then(RED_1, YELLOW).rests({RED_1: (3000, 0), YELLOW: (1000, 0)})
    state = play(pots(YELLOW).shot(), gone, layout=lying, options={"kz.yellow_return": how})
    assert put(state).get(YELLOW) is place


@pytest.mark.parametrize(("how", "x_mm"), [("front", 34), ("nearest_to_cue_ball", 3516)])
def test_kz_a10_which_cushion_a_ball_without_a_free_spot_goes_to(how, x_mm):
    lying = Layout({WHITE_1: Point(3000, 300), WHITE_2: S1, RED_2: S3, YELLOW: S2, RED_1: Point(3200, 300)})
    shot = pots(RED_1).rests({WHITE_1: (3300, 300)})
    respots = play(shot, layout=lying, options={"kz.cushion_spot": how}).records[0].ruling.respots
    assert [respot.at.x_mm for respot in respots] == [x_mm]


@pytest.mark.parametrize(("scope", "score"), [("game", 3), ("each_player", 0)])
def test_kz_a11_whose_first_shot_the_bans_are_for(scope, score):
    opening = stroke(WHITE_1).hits(RED_2).rests({RED_2: (3000, 300), WHITE_1: (2600, 300)})
    red = stroke(WHITE_2).calls(RED_1, Pocket.FL).from_hand(yes=False).hits(RED_1).pots(RED_1, Pocket.FL).shot()
    state = play(opening, red, phase=Phase.OPENING, options={"kz.opening_ban_scope": scope})
    assert state.standing.scores == (0, score)


@pytest.mark.parametrize(("how", "score"), [("ball_chain", 6), ("cue_path", 0)])
def test_kz_a13_whether_two_balls_hit_before_the_target_make_the_chain_too_long(how, score):
    shot = stroke(WHITE_1).calls(YELLOW, Pocket.RL).hits(RED_1, RED_2).then(RED_2, YELLOW).pots(YELLOW, Pocket.RL)
    assert play(shot.shot(), options={"kz.chain_meaning": how}).standing.scores[0] == score


@pytest.mark.parametrize(("how", "shooter"), [("same", "B"), ("keeps_turn", "A")])
def test_kz_a14_whether_a_plain_pot_keeps_the_turn_with_a_ball_on_the_floor(how, shooter):
    state = play(pots(RED_1).flies(RED_2).shot(), options={"kz.offtable_plain_pot": how})
    assert told(state) == ((3, 0), shooter, ())


@pytest.mark.parametrize(("must", "score"), [(True, 0), (False, 12)])
def test_kz_a15_whether_a_bank_must_match_its_call(must, score):
    shot = stroke(WHITE_1).calls(YELLOW, Pocket.FL).hits(YELLOW).banks(YELLOW, Cushion.RIGHT).pots(YELLOW, Pocket.FL)
    assert play(shot.shot(), options={"kz.bank_must_match": must}).standing.scores[0] == score


@pytest.mark.parametrize(("how", "score"), [("cheaper", -2), ("dearer", -6)])
def test_kz_a16_which_of_two_balls_hit_at_once_sets_the_price(how, score):
    shot = stroke(WHITE_1).hits(WHITE_2).at_once().hits(YELLOW)
    at_once = Shot(events=(*shot.told.events, *stroke(WHITE_1).scratches().told.events[1:]))
    events = tuple(event for event in at_once.events if not isinstance(event, Strike)) + shot.told.events[:1]
    assert play(Shot(events=events), options={"first_contact_tie": how}).standing.scores == (score, 0)
