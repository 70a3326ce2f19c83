"""Numbers that were misread or are not known: asked for with the right one among the choices, never silently wrong."""

from dataclasses import replace

import pytest

from scoring.balls import CUE, NUMBERED, Ball
from scoring.commands import Answer, Entry, PlayShot, StartMatch
from scoring.doubts import doubts_of
from scoring.events import Alternative, Contact, Potted, Rest, Strike
from scoring.match import NO_MATCH, apply
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.shots import Call, RefereeInput, Shot
from scoring.table import Pocket, Point

UNKNOWN = Ball("ball-?3")
FELL = Potted(t_s=0.9, ball=UNKNOWN, pocket=Pocket.RL)
PLACES = {CUE: Point(500.0, 100.0)}


def ball(number):
    return Ball(str(number))


def called(number, fell, lying=PLACES):
    """A stroke in which a ball was called into rear left, and another event told of the ball that fell."""
    events = (Strike(t_s=0.0, ball=CUE), Contact(t_s=0.2, ball=CUE, other=fell.ball), fell, Rest(t_s=2.0, balls=lying))
    return Shot(call=Call(ball=ball(number), pocket=Pocket.RL), events=events)


def play(*shots, gone=()):
    beginning = Beginning(phase=Phase.PLAY, gone=gone)
    state = apply(
        NO_MATCH, Entry(seq=1, what=StartMatch(Setup(game="small-pyramid", sides=singles("A", "B")), beginning))
    )
    for shot in shots:
        state = apply(state, Entry(seq=state.next_seq, what=PlayShot(shot)))
    return state


def answered(state, number):
    what = Answer(RefereeInput(kind="answer", to="ball_number", value=ball(number)))
    return apply(state, Entry(seq=state.next_seq, what=what))


def choices(state):
    return [choice.value.number for choice in state.pending.choices]


def misread(number, chances):
    """The fall of a ball that was named, with the chances of other names."""
    fell = replace(FELL, ball=ball(number))
    others = tuple(Alternative(chance, replace(fell, ball=ball(other))) for other, chance in chances.items())
    return replace(fell, alternatives=others)


def test_an_unknown_ball_that_fell_may_have_any_number_that_is_left():
    state = play(called(4, replace(FELL, candidates={ball(1): 0.94, ball(7): 0.06})), gone=(ball(2), ball(9)))
    assert state.pending.kind == "ball_number"
    assert choices(state)[:2] == [1, 4]
    assert sorted(choices(state)) == [1, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15]
    assert answered(state, 4).standing.scores == (4, 0)


def test_an_unknown_ball_that_fell_where_one_was_called_is_likely_that_one():
    state = play(called(4, replace(FELL, candidates={ball(1): 0.7, ball(4): 0.3})))
    assert choices(state)[0] == 4


def test_a_number_that_belies_the_call_is_asked_for_though_it_is_almost_sure():
    state = play(called(4, misread(7, {4: 0.004})))
    assert (state.pending.kind, choices(state)) == ("ball_number", [7, 4])
    assert answered(state, 7).standing.scores == (0, 0)
    assert answered(state, 4).standing.scores == (4, 0)


def test_balls_taken_for_each_other_change_places():
    state = answered(play(called(4, misread(7, {4: 0.004}), PLACES | {ball(4): Point(900.0, 0.0)})), 4)
    assert state.standing.gone == {ball(4)}
    assert state.standing.layout.places[ball(7)] == Point(900.0, 0.0)


@pytest.mark.parametrize(("number", "chances"), [(4, {7: 0.05}), (7, {}), (7, {4: 1e-5}), (7, {8: 0.004})])
def test_a_number_that_is_sure_beside_the_call_is_not_asked_for(number, chances):
    assert play(called(4, misread(number, chances))).pending is None


def test_a_ball_that_bears_the_number_of_one_that_is_gone_was_misread():
    state = play(called(4, replace(FELL, ball=ball(9))), gone=(ball(9), ball(2)))
    assert state.pending.kind == "ball_number"
    assert choices(state)[0] == 4
    assert not {9, 2} & set(choices(state))
    assert answered(state, 4).standing.gone == {ball(9), ball(2), ball(4)}


def test_numbers_of_several_balls_that_fell_are_all_asked_for():
    pots = [Potted(t_s=0.5 + number / 10, ball=Ball(f"ball-?{number}"), pocket=Pocket.RR) for number in range(1, 5)]
    doubts = doubts_of(tuple(pots), frozenset(NUMBERED))
    assert [len(doubt.readings) for doubt in doubts] == [15] * 4
    begun = (Strike(t_s=0.0, ball=CUE), Contact(t_s=0.2, ball=CUE, other=pots[0].ball))
    state = play(Shot(call=Call(ball=ball(1), pocket=Pocket.RR), events=(*begun, *pots)))
    for number in (1, 2, 3, 4):
        assert state.pending.kind == "ball_number"
        state = answered(state, number)
    assert state.pending is None
    assert state.standing.gone >= {ball(1)}
