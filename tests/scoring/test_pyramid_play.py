"""What pyramids ask and say in play: answers, numbers, free strokes, balls that left, the lag, the ends of three."""

import pytest

from scoring.balls import CUE, NUMBERED, Ball
from scoring.commands import Answer, Entry, PlayShot, StartMatch
from scoring.errors import ScoringError
from scoring.games.small_pyramid import SMALL_PYRAMID
from scoring.layout import Layout
from scoring.match import NO_MATCH, apply
from scoring.rulings import Message, Place, QuestionKind
from scoring.setup import Beginning, Handicap, Phase, Setup, Side, singles
from scoring.shots import Call, RefereeInput
from scoring.table import Pocket, Point
from scoring.testing import no_stroke, stroke

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


def answered(state, to, value):
    answer = Answer(RefereeInput(kind="answer", to=to, value=value))
    return apply(state, Entry(seq=state.next_seq, what=answer))


def messages(state):
    ruling = state.records[-1].ruling
    return [reason.message for reason in (*ruling.reasons, *ruling.warnings)]


def without(*numbers):
    return tuple(one for one in NUMBERED if one.number not in numbers)


def test_a_second_answer_serves_the_second_ball_from_hand():
    shot = stroke(CUE).from_hand().calls(ball(9), Pocket.RL).hits(ball(9)).pots(ball(9), Pocket.RL)
    shot = shot.pots(ball(5), Pocket.FL).shot()
    state = played(started(), shot)
    assert (state.pending.kind, state.pending.about) == (QuestionKind.LAYOUT, ball(9))
    state = answered(state, "layout", value=False)
    assert (state.pending.kind, state.pending.about) == (QuestionKind.LAYOUT, ball(5))
    state = answered(state, "layout", value=False)
    assert state.pending is None
    assert state.standing.scores == (14, 0)


def test_places_answer_for_all_balls_at_once():
    shot = stroke(CUE).from_hand().calls(ball(9), Pocket.RL).hits(ball(9)).pots(ball(9), Pocket.RL)
    state = played(started(), shot.pots(ball(5), Pocket.FL).shot())
    state = answered(state, "layout", {ball(9): Point(2000, 0), ball(5): Point(100, 0)})
    assert state.pending is None
    assert state.standing.scores == (9, 0)


def test_an_answer_that_leaves_the_question_open_is_refused():
    shot = stroke(CUE).hits(ball(9)).pots(ball(9), Pocket.RL).shot()
    with pytest.raises(ScoringError, match="is not possible"):
        answered(played(started(), shot), "call", 3)


def test_balls_that_do_not_suffice_are_no_answer_to_what_goes_back():
    beginning = Beginning(phase=Phase.PLAY, shooter="B", scores=(64, 32, 31), gone=without(3))
    state = played(started(beginning, sides=singles("A", "B", "C")), no_stroke().shot())
    assert state.pending.kind is QuestionKind.PUT_BACK
    assert [choice.value for choice in state.pending.choices] == [(ball(6),), (ball(2), ball(4))]
    for wrong in ((ball(2),), (ball(3),), (), 5):
        with pytest.raises(ScoringError, match="is not possible"):
            answered(state, "put_back", wrong)
    for right in (ball(7), 7, (ball(7),)):
        assert answered(state, "put_back", right).records[-1].ruling.put_back == (ball(7),)


def test_three_players_with_nothing_to_put_back_are_placed_by_score():
    taken = without(3)
    handicaps = (Handicap(), Handicap(), Handicap(off_table=taken))
    beginning = Beginning(phase=Phase.PLAY, shooter="B", scores=(60, 10, 12))
    state = started(beginning, sides=singles("A", "B", "C"), handicaps=handicaps)
    shot = stroke(CUE).calls(ball(3), Pocket.RL).hits(ball(3)).pots(ball(3), Pocket.RL).shot()
    state = played(state, shot)
    assert state.standing.placings == (0, 1, 2)
    assert state.standing.winners == (0,)


def test_three_players_pot_on_while_enough_is_left_after_the_first_has_gone():
    beginning = Beginning(phase=Phase.PLAY, shooter="B", scores=(60, 30, 12), gone=(ball(15),))
    shot = stroke(CUE).calls(ball(3), Pocket.RL).hits(ball(3)).pots(ball(3), Pocket.RL).shot()
    state = played(started(beginning, sides=singles("A", "B", "C")), shot)
    assert state.pending is None
    assert state.standing.placings == (0,)


def test_people_hear_that_balls_gathered_and_that_strokes_are_free():
    places = {ball(n): Point(3300 + 20 * n, 600 + 10 * n) for n in (7, 8, 9)} | {ball(10): Point(1000, 0)}
    beginning = Beginning(phase=Phase.PLAY, shooter="A", layout=Layout(places), gone=without(7, 8, 9, 10))
    gathered = played(started(beginning), stroke(CUE).hits(ball(10)).rests({ball(10): (3300, 500), CUE: (900, 0)}))
    assert Message.CLUSTER in messages(gathered)
    free = played(gathered, no_stroke().moves(CUE, Point(3480, 840)).shot())
    assert Message.FREE_STROKES in messages(free)
    assert not SMALL_PYRAMID.needs_call(free.started.terms, free.standing)


def test_inputs_without_effect_are_said_to_have_none():
    state = played(started(), no_stroke().says("prompting").says("hit_person").shot())
    assert messages(state).count(Message.HAS_NO_EFFECT) == 2
    odd = stroke(CUE).hits(ball(3)).says("ball_number", number=9).says("not_as_called").shot()
    assert messages(played(started(), odd)).count(Message.HAS_NO_EFFECT) == 2


def test_a_ball_put_on_the_table_that_is_out_of_the_game_is_named_as_odd():
    beginning = Beginning(phase=Phase.PLAY, shooter="A", gone=(ball(9),))
    state = played(started(beginning), no_stroke().moves(ball(9), Point(1000, 0)).shot())
    assert Message.ODD_EVENTS_IGNORED in messages(state)
    assert state.standing.gone == {ball(9)}


def test_a_ball_that_fell_by_itself_may_be_named_by_the_answer():
    shot = stroke(CUE).hits(ball(3)).calls(ball(8), Pocket.RL).pots(ball(8), Pocket.RL).shot()
    state = answered(played(started(), shot), "fell_by_itself", ball(8))
    assert state.standing.scores == (0, 0)
    assert state.standing.shooter == "B"


def test_who_fell_by_itself_needs_no_name_when_nothing_touched_it():
    shot = stroke(CUE).pots(ball(8), Pocket.RL).says("fell_by_itself").shot()
    state = played(started(), shot)
    assert state.standing.scores == (0, 0)
    assert Message.MISS_WAIVED in messages(state)


def test_the_cue_ball_that_hit_a_person_counts_as_jumped_when_agreed():
    shot = stroke(CUE).hits(ball(3)).says("hit_person").shot()
    state = played(started(options={"returned_ball": "jumped"}), shot)
    assert state.standing.scores == (0, 5)
    assert state.standing.in_hand == {CUE}


def test_an_object_ball_that_hit_a_person_goes_back_when_agreed():
    shot = stroke(CUE).hits(ball(3)).flies(ball(3), returned=True).says("hit_person", ball=ball(3)).shot()
    state = played(started(options={"returned_ball": "jumped"}), shot)
    assert [(one.ball, one.place) for one in state.records[-1].ruling.respots] == [(ball(3), Place.S3)]


def test_a_ball_on_the_rail_that_nobody_located_is_not_put_anywhere():
    state = played(started(), stroke(CUE).hits(ball(3)).flies(ball(3), on_rail=True).shot())
    assert state.records[-1].ruling.respots == ()
    assert state.standing.shooter == "B"


def test_a_drawn_game_is_replayed_with_the_handicap_given_again():
    beginning = Beginning(phase=Phase.PLAY, shooter="A", scores=(53, 70), gone=without(7))
    state = started(beginning, options={"draw_handling": "replay"}, handicaps=(Handicap(), Handicap(credit=10)))
    shot = stroke(CUE).calls(ball(7), Pocket.RL).hits(ball(7)).pots(ball(7), Pocket.RL).shot()
    state = played(state, shot)
    assert state.standing.scores == (0, 10)
    assert state.standing.phase is Phase.OPENING
    assert Message.DRAW_REPLAYED in messages(state)


def test_the_lag_is_asked_about_when_one_ball_was_struck():
    state = started(Beginning(phase=Phase.LAG))
    lag = stroke(CUE).rests({CUE: (300, 0)})
    state = played(state, lag)
    assert state.pending.kind is QuestionKind.WHO_SHOOTS
    assert answered(state, "who_shoots", "B").standing.shooter == "B"


def test_a_player_who_does_not_play_cannot_have_won_the_lag():
    state = played(started(Beginning(phase=Phase.LAG)), stroke(CUE).rests({CUE: (300, 0)}))
    with pytest.raises(ScoringError, match="is not possible"):
        answered(state, "who_shoots", "Z")


def test_a_pairs_member_begins_when_he_is_named():
    beginning = Beginning(phase=Phase.PLAY, shooter="C")
    state = started(beginning, sides=PAIR, format="pair-1")
    state = played(state, stroke(CUE).hits(ball(3)).shot(), stroke(CUE).hits(ball(3)).shot())
    assert state.standing.shooter == "B"


def test_a_call_answered_whole_counts_and_half_of_one_does_not():
    shot = stroke(CUE).hits(ball(9)).pots(ball(9), Pocket.RL).shot()
    state = played(started(), shot)
    with pytest.raises(ScoringError, match="is not possible"):
        answered(state, "call", Call(ball=ball(9)))
    assert answered(state, "call", Call(ball=ball(9), pocket=Pocket.RL)).standing.scores == (9, 0)


def test_mp_a10_the_line_belongs_to_the_house_only_when_agreed():
    shot = stroke(CUE).from_hand().lying({ball(5): (887.5, 0)}).calls(ball(5), Pocket.FL)
    shot = shot.hits(ball(5)).pots(ball(5), Pocket.FL).shot()
    assert played(started(), shot).standing.scores == (5, 0)
    assert played(started(options={"line_is_house": True}), shot).standing.scores == (0, 5)


@pytest.mark.parametrize("name", ["kz.call", "mp.no_such", "bp.target"])
def test_an_option_of_another_game_is_refused(name):
    with pytest.raises(ScoringError, match="has no option"):
        started(options={name: 1})


def test_what_people_say_was_not_as_called_goes_back():
    shot = stroke(CUE).calls(ball(9), Pocket.RL).hits(ball(9)).pots(ball(9), Pocket.RL).says("not_as_called").shot()
    state = played(started(), shot)
    assert state.standing.scores == (0, 0)
    assert state.records[-1].ruling.respots[0].place is Place.S3


def test_one_penalty_may_decide_all_places():
    beginning = Beginning(phase=Phase.PLAY, shooter="A", scores=(10, 47, 48))
    options = {"mp.three_penalty": "all_opponents"}
    state = played(started(beginning, sides=singles("A", "B", "C"), options=options), stroke(CUE).shot())
    assert state.standing.placings == (1, 2, 0)
    assert state.standing.winners == (1,)


def test_a_pot_and_a_penalty_of_another_end_the_game_of_the_last_two_at_the_pot():
    beginning = Beginning(phase=Phase.PLAY, shooter="B", scores=(51, 48, 48))
    shot = stroke(CUE).calls(ball(3), Pocket.RL).hits(ball(3)).pots(ball(3), Pocket.RL)
    shot = shot.says("touch", when="after").shot()
    state = played(started(beginning, sides=singles("A", "B", "C")), shot)
    assert state.standing.placings == (0, 1, 2)


def test_a_ball_that_rolled_unseen_before_is_asked_about_from_hand():
    places = {ball(9): Point(2000, 0), ball(6): Point(3000, 0), CUE: Point(1900, 0)}
    beginning = Beginning(phase=Phase.PLAY, shooter="A", layout=Layout(places))
    scratch = stroke(CUE).calls(ball(9), Pocket.RL).hits(ball(9)).scratches().shot()
    shot = stroke(CUE).calls(ball(9), Pocket.RL).hits(ball(9)).shot()
    assert played(started(beginning), scratch, shot).pending.kind is QuestionKind.LAYOUT


def test_a_true_number_moves_to_where_the_ball_lay():
    places = {ball(9): Point(2000, 0), ball(6): Point(3000, 0), CUE: Point(1900, 0)}
    beginning = Beginning(phase=Phase.PLAY, shooter="A", layout=Layout(places))
    shot = stroke(CUE).calls(ball(9), Pocket.RL).hits(ball(9)).pots(ball(9), Pocket.RL)
    state = played(started(beginning), shot.says("ball_number", ball=ball(9), number=6).shot())
    assert state.standing.scores == (6, 0)
    assert state.standing.gone == {ball(6)}
    assert state.standing.layout.at(ball(9)) == Point(3000, 0)


def test_a_call_by_number_stays_when_the_ball_that_fell_was_another_one():
    shot = stroke(CUE).calls(ball(6), Pocket.RL).hits(ball(9)).pots(ball(9), Pocket.RL)
    told = shot.says("ball_number", ball=ball(9), number=6).shot()
    assert played(started(), told).standing.scores == (6, 0)
    assert played(started(), shot.shot()).standing.scores == (0, 0)


def test_only_a_ball_that_fell_alone_needs_no_name_for_its_number():
    shot = stroke(CUE).calls(ball(9), Pocket.RL).hits(ball(9)).pots(ball(9), Pocket.RL)
    alone = shot.says("ball_number", number=6).shot()
    both = shot.pots(ball(3), Pocket.RR).says("ball_number", number=6).shot()
    assert played(started(), alone).standing.scores == (6, 0)
    assert played(started(), both).standing.scores == (12, 0)


def test_c_22_a_ball_that_comes_out_of_a_pocket_again_is_in_play():
    shot = stroke(CUE).calls(ball(9), Pocket.RL).hits(ball(9)).brushes_jaw(ball(9), Pocket.RL).shot()
    state = played(started(), shot)
    assert state.standing.gone == frozenset()
    assert state.records[-1].ruling.foul is None


@pytest.mark.parametrize(("told", "score"), [(7, 7), (8, 0)])
def test_a_call_answered_by_its_ball_alone_means_the_pocket_where_it_fell(told, score):
    state = played(started(), stroke(CUE).hits(ball(7)).pots(ball(7), Pocket.RL).shot())
    state = answered(state, "call", ball(told))
    assert state.pending is None
    assert state.standing.scores == (score, 0)
