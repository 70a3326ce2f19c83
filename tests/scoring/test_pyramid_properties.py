"""Both pyramids under any events whatever: no exception, no lost ball, no point from nowhere, and all can be undone."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.balls import CUE, NUMBERED, PYRAMID_SET, Ball
from scoring.commands import Answer, Entry, PlayShot, Retracted, StartMatch
from scoring.events import Alternative, Contact, CushionHit, HouseLine, Moved, OffTable, Potted, Rest, Strike
from scoring.match import NO_MATCH, apply, fold
from scoring.notation import shot_from_json, shot_to_json
from scoring.pyramid.state import points_left
from scoring.setup import Beginning, Handicap, Phase, Setup, Side, singles
from scoring.shots import REFEREE_KINDS, Call, RefereeInput, Shot
from scoring.table import Cushion, Pocket, Point

FEW = tuple(Ball(name) for name in ("1", "3", "8", "12", "15"))
BALL = st.sampled_from((CUE, *FEW, *FEW, *PYRAMID_SET, Ball("ball-?1"), Ball("red-1")))
NUMBER = st.sampled_from((*FEW, *NUMBERED))
POINT = st.builds(Point, st.floats(34, 3516), st.floats(-853, 853))
POCKET = st.sampled_from(Pocket)
TIME = st.integers(1, 60).map(lambda tenths: tenths / 10)
PLAIN = st.one_of(
    st.builds(Contact, t_s=TIME, ball=st.just(CUE), other=BALL, at=st.none() | POINT),
    st.builds(Contact, t_s=TIME, ball=BALL, other=BALL),
    st.builds(CushionHit, t_s=TIME, ball=BALL, cushion=st.sampled_from(Cushion), pocket=st.none() | POCKET),
    st.builds(HouseLine, t_s=TIME, ball=st.just(CUE), direction=st.sampled_from(("in", "out"))),
    st.builds(Potted, t_s=TIME, ball=BALL, pocket=POCKET),
    st.builds(Potted, t_s=TIME, ball=NUMBER, pocket=POCKET),
    st.builds(OffTable, t_s=TIME, ball=BALL, at=st.none() | POINT, returned=st.booleans(), on_rail=st.booleans()),
    st.builds(Moved, t_s=TIME, ball=BALL, origin=st.none() | POINT, target=st.none() | POINT),
)
DOUBTFUL = st.builds(
    Contact,
    t_s=TIME,
    ball=st.just(CUE),
    other=NUMBER,
    flagged=st.just(value=True),
    confidence=st.floats(0, 1),
    alternatives=st.lists(st.builds(Alternative, st.floats(0, 1), st.none() | PLAIN), max_size=1).map(tuple),
)
REST = st.builds(Rest, t_s=st.just(8.0), balls=st.dictionaries(BALL, POINT, max_size=8))
STRIKE = st.builds(Strike, t_s=st.just(0.0), ball=st.sampled_from((CUE, CUE, CUE, CUE, Ball("3"))))
REFEREE = st.builds(
    RefereeInput,
    kind=st.sampled_from(sorted(REFEREE_KINDS - {"concede", "draw", "answer"})),
    by=st.sampled_from((None, "A", "B", "C", "Z")),
    ball=st.none() | BALL,
    number=st.none() | st.integers(0, 17),
    when=st.sampled_from(("before", "during", "after")),
)
CALL = st.none() | st.builds(Call, ball=st.none() | NUMBER, pocket=st.none() | POCKET)
EVENTS = st.tuples(
    st.lists(STRIKE, max_size=1),
    st.lists(PLAIN, max_size=7),
    st.lists(DOUBTFUL, max_size=1),
    st.lists(REST, max_size=1),
).map(lambda parts: tuple(event for part in parts for event in part))
SHOT = st.builds(
    Shot,
    by=st.sampled_from((None, None, None, "A", "B", "Z")),
    before=st.none() | st.dictionaries(BALL, POINT, max_size=8),
    from_hand=st.none() | st.booleans(),
    call=CALL,
    events=EVENTS,
    referee=st.lists(REFEREE, max_size=2).map(tuple),
)


def clean(number, pocket):
    """A pot as called, from a table whose places are known."""
    events = (
        Strike(t_s=0.0, ball=CUE),
        Contact(t_s=0.1, ball=CUE, other=number),
        Potted(t_s=0.2, ball=number, pocket=pocket),
        Rest(t_s=1.0),
    )
    places = {ball: Point(2000 + 90 * index, 300) for index, ball in enumerate(NUMBERED)}
    return Shot(call=Call(ball=number, pocket=pocket), before=places, from_hand=False, events=events)


SHOTS = st.lists(st.one_of(SHOT, st.builds(clean, NUMBER, POCKET)), min_size=1, max_size=6)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "foul_combination": st.sampled_from(("max", "sum")),
        "hanging_ball": st.sampled_from(("respot", "replace_after_5s")),
        "returned_ball": st.sampled_from(("seed", "jumped")),
        "void_pot_goes_to": st.sampled_from(("by_rule", "where_it_stood", "spot")),
        "stalemate_rule": st.sampled_from(("three_each_after_warning", "three_penalties_in_a_row")),
        "draw_handling": st.sampled_from(("record", "half_points")),
        "allow_negative": st.booleans(),
        "mp.call": st.sampled_from(("ball_pocket", "none")),
        "mp.uncalled_is_foul": st.booleans(),
        "mp.safety_rule": st.sampled_from(("none", "federation")),
        "mp.spot_rule": st.sampled_from(("axis", "short_cushion")),
        "mp.cluster_pots_count": st.booleans(),
        "mp.three_penalty": st.sampled_from(("next_player", "all_opponents", "subtract")),
        "mp.pair2_switch": st.sampled_from(("pair_inning", "single_inning", "alternate")),
    },
)
PAIR = (Side(("A",)), Side(("B", "C")))
SIDES = st.sampled_from(
    (
        (singles("A", "B"), "singles"),
        (singles("A", "B"), "singles"),
        (singles("A", "B", "C"), "singles"),
        (PAIR, "pair-1"),
        (PAIR, "pair-2"),
        ((Side(("A", "C")), Side(("B",))), "singles"),
    )
)
GAMES = ("small-pyramid", "big-pyramid")
TOTALS = {"small-pyramid": 140, "big-pyramid": 180}


def started(game, sides, options, beginning):
    setup = Setup(game=game, sides=sides[0], format=sides[1], options=options)
    return apply(NO_MATCH, Entry(seq=1, what=StartMatch(setup, beginning)))


def answered(state, limit=12):
    """Answer open questions with their first choice."""
    for _ in range(limit):
        question = state.pending
        if question is None:
            break
        assert question.choices, "a question has possible answers"
        answer = Answer(RefereeInput(kind="answer", to=question.kind.value, value=question.choices[0].value))
        state = apply(state, Entry(seq=state.next_seq, what=answer))
    return state


def check_standing(play, standing, total):
    setup = play.terms.setup
    assert standing.in_hand <= {CUE}
    assert standing.gone <= set(NUMBERED)
    shelved = [ball for shelf in standing.shelves for ball in shelf]
    assert len(shelved) == len(set(shelved)), "a ball lies on one shelf"
    assert set(shelved) <= standing.gone
    assert (standing.phase is Phase.OVER) == bool(standing.winners)
    if standing.phase is not Phase.OVER:
        assert setup.side_of(standing.shooter) in standing.active(), "who shoots still plays"
    if standing.layout is not None:
        assert not standing.gone & standing.layout.places.keys(), "a ball out of the game lies nowhere"
        assert not standing.in_hand & standing.layout.places.keys(), "a ball in a hand lies nowhere"
    if len(setup.sides) == 2:
        together = sum(standing.scores) + points_left(play.terms, standing)
        assert (together == total) if play.terms.options.text("penalty_mode") == "transfer" else (together >= total)


def check_record(record):
    ruling, before, after = record.ruling, record.before, record.after
    if ruling is None or ruling.is_undecided:
        assert after == before, "a question changes nothing"
        return
    for side in range(len(before.scores)):
        assert after.scores[side] == before.scores[side] + ruling.points_of(side)
    put = [respot.ball for respot in ruling.respots]
    assert len(put) == len(set(put)), "a ball is put back once"
    assert set(put) <= set(PYRAMID_SET)
    assert not (after.gone & set(put)), "what is put back is in the game"
    assert all(points > 0 for points in (change.points for change in ruling.changes if change.rule == "MP-4"))
    if ruling.foul is not None:
        assert ruling.foul in ruling.rules
        assert ruling.foul in ruling.fouls


@pytest.mark.parametrize("game", GAMES)
@given(shots=SHOTS, options=OPTIONS, sides=SIDES, transfer=st.booleans(), fresh=st.booleans())
@settings(max_examples=60, deadline=None)
def test_any_strokes_are_ruled_without_raising_and_keep_the_points(game, shots, options, sides, transfer, fresh):
    options = options | {"mp.penalty_mode": "transfer" if transfer else "add_to_opponent"}
    beginning = Beginning(phase=Phase.OPENING if fresh else Phase.PLAY, shooter="A")
    start = state = started(game, sides, options, beginning)
    for shot in shots:
        state = answered(apply(state, Entry(seq=state.next_seq, what=PlayShot(shot))))
    play = state.started
    for record in state.records:
        check_record(record)
        check_standing(play, record.after, TOTALS[game])
    assert fold(state.entries) == state, "the state is the fold of its log"
    for entry in reversed(state.entries[1:]):
        state = apply(state, Entry(seq=state.next_seq, what=Retracted(entry.seq)))
    assert state.standing == start.standing, "all can be undone"


@given(shots=SHOTS)
@settings(max_examples=40, deadline=None)
def test_a_log_that_was_written_down_gives_the_same_match(shots):
    beginning = Beginning(phase=Phase.PLAY, shooter="A")
    spoken = written = started("small-pyramid", (singles("A", "B"), "singles"), {}, beginning)
    for shot in shots:
        spoken = apply(spoken, Entry(seq=spoken.next_seq, what=PlayShot(shot)))
        again = shot_from_json(json.loads(json.dumps(shot_to_json(shot))))
        written = apply(written, Entry(seq=written.next_seq, what=PlayShot(again)))
    assert written.standing == spoken.standing
    assert written.pending == spoken.pending


def simple(kind, number):
    """A stroke of a match without surprises: a pot as called, a miss, or a pot with the cue ball."""
    if kind == "pot":
        return clean(number, Pocket.RL)
    events = (Strike(t_s=0.0, ball=CUE), Rest(t_s=1.0))
    if kind == "scratch":
        pots = (Contact(t_s=0.1, ball=CUE, other=number), Potted(t_s=0.2, ball=CUE, pocket=Pocket.FR))
        events = (events[0], *pots, events[1])
    return Shot(call=Call(ball=number, pocket=Pocket.RL), from_hand=False, events=events)


KINDS = st.lists(st.sampled_from(("pot", "pot", "pot", "miss", "scratch")), min_size=40, max_size=40)


@pytest.mark.parametrize("game", GAMES)
@given(kinds=KINDS, order=st.permutations(NUMBERED), options=OPTIONS, sides=SIDES, credit=st.integers(0, 20))
@settings(max_examples=30, deadline=None)
def test_whole_matches_end_with_a_winner_or_a_draw_and_every_ball_accounted_for(
    game, kinds, order, options, sides, credit
):
    setup = Setup(
        game=game,
        sides=sides[0],
        format=sides[1],
        options=options,
        handicaps=(Handicap(credit=credit), *[Handicap()] * (len(sides[0]) - 1)),
    )
    state = apply(NO_MATCH, Entry(seq=1, what=StartMatch(setup, Beginning(phase=Phase.PLAY))))
    play = state.started
    for kind in kinds:
        if state.standing.phase is Phase.OVER:
            break
        target = next(ball for ball in order if ball in state.standing.in_play)
        state = answered(apply(state, Entry(seq=state.next_seq, what=PlayShot(simple(kind, target)))))
        assert state.pending is None
        check_record(state.records[-1])
        check_standing(play, state.standing, TOTALS[game])
    if state.standing.phase is Phase.OVER and len(setup.sides) > 2:
        placed = state.standing.placings
        assert not placed or (len(placed) == 3 and state.standing.winners == placed[:1])
    if kinds.count("pot") > 35 and "mp.cluster_pots_count" not in options:
        assert state.standing.phase is Phase.OVER, "a match of pots comes to its end"
