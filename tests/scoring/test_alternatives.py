"""The other rulings of a stroke: each changes something, can be journalled, and gives what it promised."""

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.alternatives import alternatives
from scoring.balls import CUE, FIVE_BALL_SET, RED_1, RED_2, WHITE_1, WHITE_2, YELLOW, Ball
from scoring.commands import Entry, PlayShot, StartMatch
from scoring.events import Alternative, Contact, CushionHit, OffTable, Potted, Rest, Strike
from scoring.game import Verdict
from scoring.match import NO_MATCH, apply
from scoring.readings import Change
from scoring.referee import effect_of
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.shots import Call, RefereeInput, Shot
from scoring.table import Cushion, Pocket
from scoring.testing import no_stroke, stroke

IN_PLAY = Beginning(phase=Phase.PLAY)


def after(*shots, game="kaisa", beginning=IN_PLAY, **setup):
    state = apply(
        NO_MATCH, Entry(seq=1, what=StartMatch(Setup(game=game, sides=singles("A", "B"), **setup), beginning))
    )
    for shot in shots:
        state = apply(state, Entry(seq=state.next_seq, what=PlayShot(shot)))
    return state


def offered(state, number=1):
    return {(one.change, one.ball, one.pocket, one.word): one for one in alternatives(state, number)}


def said(state, change, **about):
    return [
        one
        for one in alternatives(state, 1)
        if one.change is change and all(getattr(one, name) == value for name, value in about.items())
    ]


RED = stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(RED_1).pots(RED_1, Pocket.RL)


def test_a_pot_may_not_have_been_one_or_not_as_called():
    state = after(RED.shot())
    (not_potted,) = said(state, Change.NOT_POTTED)
    assert (not_potted.ball, not_potted.after.scores, not_potted.after.shooter) == (RED_1, (0, 0), "B")
    (not_as_called,) = said(state, Change.NOT_AS_CALLED)
    assert [respot.ball for respot in not_as_called.ruling.respots] == [RED_1]


def test_a_ball_that_was_not_as_called_may_have_been_as_called():
    wrong = stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(RED_1).pots(RED_1, Pocket.RR).shot()
    (as_called,) = said(after(wrong), Change.AS_CALLED)
    assert as_called.pocket is Pocket.RR
    assert as_called.after.scores == (3, 0)


def test_the_yellow_may_have_fallen_in_the_middle():
    state = after(stroke(WHITE_1).hits(YELLOW).pots(YELLOW, Pocket.RL).shot(), options={"kz.call": "none"})
    (middle,) = said(state, Change.POTTED_IN)
    assert (middle.pocket, middle.after.scores) == (Pocket.ML, (12, 0))


def test_a_missed_carom_is_one_tap_away_and_pockets_of_one_worth_are_not_offered():
    state = after(RED.shot())
    caroms = {one.ball: one.after.scores[0] for one in said(state, Change.TOUCHED)}
    assert caroms == {RED_2: 6, WHITE_2: 5, YELLOW: 9}
    assert said(state, Change.POTTED_IN, pocket=Pocket.FL) == []


def test_a_seen_carom_may_not_have_been():
    state = after(stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(RED_1, YELLOW).pots(RED_1, Pocket.RL).shot())
    (without,) = said(state, Change.NOT_TOUCHED, ball=YELLOW)
    assert without.after.scores == (3, 0)


def test_the_price_of_a_scratch_hangs_on_the_ball_hit_first():
    state = after(stroke(WHITE_1).hits(RED_1, YELLOW).scratches().shot())
    assert state.standing.scores == (-3, 0)
    assert {one.ball: one.after.scores[0] for one in said(state, Change.FIRST_HIT)} == {YELLOW: -6, WHITE_2: -2}


def test_the_cue_ball_may_have_stayed_fallen_or_flown():
    (stayed,) = said(after(stroke(WHITE_1).hits(RED_1).scratches().shot()), Change.CUE_BALL_STAYED)
    assert (stayed.ruling.foul, stayed.after.scores) == (None, (0, 0))
    (fell,) = said(after(stroke(WHITE_1).hits(RED_1).shot()), Change.CUE_BALL_POTTED)
    assert (fell.ruling.foul, fell.after.scores) == ("KZ-41", (-3, 0))


def test_a_bank_may_have_been_or_not():
    plain = stroke(WHITE_1).calls(YELLOW, Pocket.FL, bank=True).hits(YELLOW).pots(YELLOW, Pocket.FL).shot()
    assert [one.after.scores for one in said(after(plain), Change.BANK)] == [(12, 0)]
    bank = stroke(WHITE_1).calls(YELLOW, Pocket.FL).hits(YELLOW).banks(YELLOW, Cushion.LEFT).pots(YELLOW, Pocket.FL)
    assert [one.after.scores for one in said(after(bank.shot()), Change.NO_BANK)] == [(6, 0)]


def test_a_foul_may_be_entered_or_taken_back():
    state = after(RED.shot())
    assert {one.word for one in said(state, Change.FOUL)} == {"touch"}, "kaisa's fouls all cost the same"
    (innocent,) = said(after(RED.says("push").shot()), Change.NO_FOUL)
    assert (innocent.word, innocent.after.scores) == ("push", (3, 0))


def test_the_other_white_may_have_been_struck():
    state = after(stroke(WHITE_2).calls(RED_1, Pocket.RL).hits(RED_1).pots(RED_1, Pocket.RL).shot())
    assert state.standing.scores == (0, 0)
    (own,) = said(state, Change.STRUCK)
    assert (own.ball, own.after.scores) == (WHITE_1, (3, 0))


def test_what_the_witness_doubted_comes_first_and_by_its_probability():
    doubtful = stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(RED_1).pots(RED_1, Pocket.RL)
    doubtful = doubtful.hits(YELLOW).flagged(confidence=0.7).answers("carom", value=True)
    state = after(doubtful.shot())
    assert state.standing.scores == (9, 0)
    first = alternatives(state, 1)[0]
    assert (first.change, first.ball, round(first.probability, 3)) == (Change.NOT_TOUCHED, YELLOW, 0.3)
    assert first.after.scores == (3, 0)


def test_one_of_two_answered_doubts_can_be_turned_without_the_other():
    shot = stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(RED_1).pots(RED_1, Pocket.RL)
    shot = (
        shot.hits(YELLOW)
        .flagged()
        .answers("carom", value=True)
        .hits(WHITE_2)
        .flagged()
        .answers("carom", value=False)
        .shot()
    )
    state = after(shot)
    assert state.standing.scores == (9, 0)
    found = offered(state)
    assert found[Change.NOT_TOUCHED, YELLOW, None, None].after.scores == (3, 0)
    assert found[Change.TOUCHED, WHITE_2, None, None].after.scores == (11, 0)


def test_an_unknown_ball_may_have_been_another_one():
    ghost = Ball("ball-?1")
    events = (
        Strike(t_s=0.0, ball=WHITE_1),
        Contact(t_s=0.1, ball=WHITE_1, other=ghost, candidates={RED_1: 0.6, YELLOW: 0.4}),
        Potted(t_s=0.5, ball=ghost, pocket=Pocket.RL, candidates={RED_1: 0.6, YELLOW: 0.4}),
        Rest(t_s=1.0),
    )
    shot = no_stroke().answers("ball_number", RED_1).shot()
    state = after(Shot(events=events, referee=shot.referee), options={"kz.call": "none"})
    assert state.standing.scores == (3, 0)
    (yellow,) = said(state, Change.WAS_BALL)
    assert (yellow.ball, yellow.probability, yellow.after.scores) == (YELLOW, 0.4, (6, 0))


def test_doubtful_cushions_pots_strikes_and_balls_on_the_floor_are_offered_as_what_they_are():
    shot = stroke(WHITE_1).flagged(confidence=0.8, alternatives=(Alternative(0.2, Strike(t_s=0, ball=WHITE_2)),))
    shot = shot.calls(YELLOW, Pocket.RL).hits(YELLOW).then(YELLOW, RED_2).flagged()
    shot = shot.banks(YELLOW, Cushion.LEFT).flagged()
    other = Alternative(0.3, Potted(t_s=0.5, ball=YELLOW, pocket=Pocket.ML))
    shot = shot.pots(YELLOW, Pocket.RL).flagged(confidence=0.7, alternatives=(other, Alternative(0.1))).flies(RED_2)
    shot = shot.flagged(confidence=0.9)
    for to, value in (("which_white", WHITE_1), ("bank", False), ("pocket_or_hand", Pocket.RL), ("off_table", True)):
        shot = shot.answers(to, value)
    state = after(shot.shot())
    assert state.pending is None
    assert state.standing.scores == (6, 0)
    assert {Change.STAYED_ON_TABLE, Change.BANK, Change.NOT_POTTED} <= {one.change for one in alternatives(state, 1)}


def test_a_lag_may_have_gone_to_the_other():
    lag = Beginning(phase=Phase.LAG)
    both = (Strike(t_s=0.0, ball=WHITE_1), Strike(t_s=0.1, ball=WHITE_2), Rest(t_s=5.0))
    asked = no_stroke().answers("who_shoots", "A").shot()
    state = after(Shot(events=both, referee=asked.referee), beginning=lag)
    assert state.standing.shooter == "A"
    (other,) = alternatives(state, 1)
    assert (other.change, other.word, other.after.shooter) == (Change.OPENS, "B", "B")


def test_nothing_is_offered_while_a_question_is_open_or_the_match_is_over():
    waiting = after(stroke(WHITE_1).hits(RED_1).pots(RED_1, Pocket.RL).shot(), RED.shot())
    assert alternatives(waiting, 1) == ()
    assert alternatives(waiting, 2) == ()
    over = after(no_stroke().says("draw").shot(), RED.shot())
    assert alternatives(over, 2) == ()


def test_a_pyramid_offers_the_value_of_each_reading():
    shot = stroke(CUE).calls(Ball("7"), Pocket.RR).hits(Ball("7")).pots(Ball("7"), Pocket.RR).shot()
    state = after(shot, game="small-pyramid")
    assert state.standing.scores == (7, 0)
    changes = {one.change for one in alternatives(state, 1)}
    assert {Change.NOT_POTTED, Change.NOT_AS_CALLED, Change.CUE_BALL_POTTED, Change.FOUL} <= changes
    assert Change.STRUCK not in changes


BALL = st.sampled_from(FIVE_BALL_SET)
POCKET = st.sampled_from(Pocket)
EVENT = st.one_of(
    st.builds(Contact, t_s=st.floats(0.1, 4), ball=st.just(WHITE_1), other=BALL, confidence=st.floats(0.5, 1)),
    st.builds(Contact, t_s=st.floats(0.1, 4), ball=st.just(WHITE_1), other=BALL, flagged=st.booleans()),
    st.builds(Potted, t_s=st.floats(1, 4), ball=BALL, pocket=POCKET, flagged=st.booleans()),
    st.builds(CushionHit, t_s=st.floats(0.1, 4), ball=BALL, cushion=st.sampled_from(Cushion)),
    st.builds(OffTable, t_s=st.floats(1, 4), ball=BALL, returned=st.booleans()),
)
SHOT = st.builds(
    lambda cue, events, call, said: Shot(
        events=(Strike(t_s=0.0, ball=cue), *events, Rest(t_s=5.0)), call=call, referee=said
    ),
    st.sampled_from((WHITE_1, WHITE_1, WHITE_2)),
    st.lists(EVENT, max_size=6).map(tuple),
    st.builds(Call, ball=BALL, pocket=POCKET, bank=st.booleans()),
    st.lists(st.builds(RefereeInput, kind=st.sampled_from(("push", "touch"))), max_size=1).map(tuple),
)


@settings(max_examples=60, deadline=None)
@given(SHOT)
def test_each_alternative_differs_from_the_ruling_and_from_the_others_and_can_be_journalled(shot):
    state = after(shot)
    effects = [effect_of(Verdict(state.records[0].ruling, state.records[0].after))]
    chances = []
    for one in alternatives(state, 1):
        effects.append(effect_of(Verdict(one.ruling, one.after)))
        chances.append(one.probability or 0.0)
        corrected = apply(state, Entry(seq=state.next_seq, what=one.correction(1)))
        assert corrected.standing == one.after
        assert corrected.pending is None or not corrected.asking.ruling.is_undecided
    assert all(effect not in effects[:index] for index, effect in enumerate(effects))
    assert chances == sorted(chances, reverse=True)


def test_a_full_pyramid_rack_is_read_otherwise_in_little_time():
    shot = stroke(CUE).calls(Ball("7"), Pocket.RR)
    for number in range(1, 16):
        shot = shot.hits(Ball(str(number)))
    state = after(shot.pots(Ball("7"), Pocket.RR).pots(Ball("4"), Pocket.RL).shot(), game="small-pyramid")
    started = time.process_time()
    assert len(alternatives(state, 1)) > 4
    assert time.process_time() - started < 0.5


def test_a_ball_that_fell_by_itself_may_not_have_fallen():
    fell = no_stroke().pots(RED_1, Pocket.RL).says("fell_by_itself", ball=RED_1).told
    (stayed,) = said(after(fell), Change.NOT_POTTED)
    assert stayed.ruling.respots == ()


def test_a_doubtful_strike_offers_the_other_white_and_a_doubtful_meeting_of_two_balls_both_ways():
    other = Alternative(0.4, Strike(t_s=0.0, ball=WHITE_2))
    struck = stroke(WHITE_1).flagged(confidence=0.6, alternatives=(other,)).calls(RED_1, Pocket.RL).hits(RED_1)
    told = struck.pots(RED_1, Pocket.RL).answers("which_white", WHITE_1).shot()
    (white,) = said(after(told), Change.STRUCK)
    assert (white.ball, white.probability, white.after.scores) == (WHITE_2, 0.4, (0, 0))
    chain = stroke(WHITE_1).calls(YELLOW, Pocket.RL).hits(RED_1).then(RED_1, RED_2).then(RED_2, YELLOW)
    apart = chain.then(RED_1, YELLOW).flagged().pots(YELLOW, Pocket.RL).answers("chain", RED_1).shot()
    state = after(apart)
    assert state.standing.scores == (6, 0)
    (met,) = said(state, Change.BALLS_DID_NOT_MEET)
    assert (met.ball, met.after.scores) == (YELLOW, (0, 0))


def test_a_doubt_about_a_hand_or_a_crossing_is_nothing_that_anybody_would_correct():
    moved = stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(RED_1).pots(RED_1, Pocket.RL).moves(YELLOW).flagged().shot()
    state = after(moved)
    assert state.pending is None
    assert YELLOW not in {one.ball for one in alternatives(state, 1) if one.probability}


def test_two_touches_of_one_ball_are_taken_away_together():
    told = stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(RED_1).pots(RED_1, Pocket.RL).hits(YELLOW, YELLOW).shot()
    (without,) = said(after(told), Change.NOT_TOUCHED, ball=YELLOW)
    assert without.after.scores == (3, 0)
