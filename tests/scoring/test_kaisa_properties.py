"""Kaisa under any events whatever: it never raises, never loses a ball, never gives a point that no rule gives."""

from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.balls import FIVE_BALL_SET, RED_1, RED_2, WHITE_1, WHITE_2, YELLOW, Ball
from scoring.commands import Answer, Entry, PlayShot, StartMatch
from scoring.events import Alternative, Contact, CushionHit, HouseLine, Moved, OffTable, Potted, Rest, Strike
from scoring.match import NO_MATCH, apply, fold
from scoring.rulings import Place
from scoring.setup import Phase, Setup, singles
from scoring.shots import Call, RefereeInput, Shot
from scoring.table import Cushion, Pocket, Point

BALL = st.sampled_from((*FIVE_BALL_SET, *FIVE_BALL_SET, Ball("ball-?1"), Ball("7")))
POINT = st.builds(Point, st.floats(34, 3516), st.floats(-853, 853))
POCKET = st.sampled_from(Pocket)
YES = st.sampled_from((True,))
TIME = st.integers(1, 40).map(lambda tenths: tenths / 10)
PLAIN = st.one_of(
    st.builds(Contact, t_s=TIME, ball=BALL, other=BALL),
    st.builds(Contact, t_s=TIME, ball=st.just(WHITE_1), other=BALL),
    st.builds(CushionHit, t_s=TIME, ball=BALL, cushion=st.sampled_from(Cushion), pocket=st.none() | POCKET),
    st.builds(HouseLine, t_s=TIME, ball=BALL, direction=st.sampled_from(("in", "out"))),
    st.builds(Potted, t_s=TIME, ball=BALL, pocket=POCKET),
    st.builds(OffTable, t_s=TIME, ball=BALL, at=st.none() | POINT, returned=st.booleans(), on_rail=st.booleans()),
    st.builds(Moved, t_s=TIME, ball=BALL, origin=st.none() | POINT, target=st.none() | POINT),
)
DOUBTFUL = st.one_of(
    st.builds(
        Contact,
        t_s=TIME,
        ball=st.just(WHITE_1),
        other=BALL,
        flagged=YES,
        confidence=st.floats(0, 1),
        alternatives=st.lists(st.builds(Alternative, st.floats(0, 1), st.none() | PLAIN), max_size=2).map(tuple),
    ),
    st.builds(Potted, t_s=TIME, ball=BALL, pocket=POCKET, flagged=YES),
)
REST = st.builds(Rest, t_s=st.just(5.0), balls=st.dictionaries(BALL, POINT, max_size=5))
STRIKE = st.builds(Strike, t_s=st.just(0.0), ball=st.sampled_from((WHITE_1, WHITE_1, WHITE_2, WHITE_2, RED_1)))
REFEREE = st.builds(
    RefereeInput,
    kind=st.sampled_from(("touch", "push", "feet", "fell_by_itself", "hit_person", "not_as_called", "prompting")),
    by=st.sampled_from((None, "A", "B", "C")),
    ball=st.none() | BALL,
    when=st.sampled_from(("before", "during", "after")),
)
CALL = st.none() | st.builds(Call, ball=BALL, pocket=st.none() | POCKET, bank=st.none() | st.booleans())
EVENTS = st.tuples(
    st.lists(STRIKE, max_size=2),
    st.lists(PLAIN, max_size=6),
    st.lists(DOUBTFUL, max_size=2),
    st.lists(REST, max_size=1),
).map(lambda parts: tuple(event for part in parts for event in part))
SHOT = st.builds(
    Shot,
    by=st.sampled_from((None, None, None, "A", "B", "Z")),
    before=st.none() | st.dictionaries(BALL, POINT, max_size=5),
    from_hand=st.none() | st.booleans(),
    call=CALL,
    events=EVENTS,
    referee=st.lists(REFEREE, max_size=1).map(tuple),
)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "kz.call": st.sampled_from(("ball_pocket_bank", "ball_pocket", "ball", "none")),
        "kz.bank_rule": st.sampled_from(("yellow_corner_ok", "middle_only", "any")),
        "kz.call_for_carom": st.sampled_from(("pot_called_carom_not", "no_call_if_carom")),
        "kz.opening_ban_scope": st.sampled_from(("game", "each_player")),
        "returned_ball": st.sampled_from(("seed", "jumped")),
        "void_pot_goes_to": st.sampled_from(("by_rule", "where_it_stood", "spot")),
    },
)
MOST_OF_A_STROKE = 23


def started(options):
    setup = Setup(game="kaisa", sides=singles("A", "B"), options=options)
    return apply(NO_MATCH, Entry(seq=1, what=StartMatch(setup)))


def answered(state, limit=12):
    """Answer open questions with their first choice, as far as they have one."""
    for _ in range(limit):
        question = state.pending
        if question is None or not question.choices:
            break
        value = question.choices[0].value
        answer = Answer(RefereeInput(kind="answer", to=question.kind.value, value=value))
        state = apply(state, Entry(seq=state.next_seq, what=answer))
    return state


def check_record(record):
    ruling, before, after = record.ruling, record.before, record.after
    if ruling is None or ruling.question is not None:
        assert after == before, "a question changes nothing"
        return
    for side in (0, 1):
        points = ruling.points_of(side)
        assert after.scores[side] == before.scores[side] + points
        assert points <= MOST_OF_A_STROKE, "no stroke is worth more than 23"
    assert not after.gone, "no ball of Kaisa ever leaves the game"
    assert after.in_hand <= {WHITE_1, WHITE_2}, "only whites are in hand"
    put = [respot.ball for respot in ruling.respots]
    assert len(put) == len(set(put)), "a ball is put back once"
    assert set(put) <= set(FIVE_BALL_SET)
    in_hand = {respot.ball for respot in ruling.respots if respot.place is Place.IN_HAND}
    assert in_hand <= {WHITE_1, WHITE_2}
    fallen = {event.ball for event in record.shot.events if isinstance(event, Potted) and not event.flagged}
    if not ruling.warnings and not any(ball.is_unknown for ball in fallen):
        assert fallen & {RED_1, RED_2, YELLOW} <= set(put) | before.in_hand, "what fell is put back"
    if ruling.foul is not None and not any(entry.when == "after" for entry in record.shot.referee):
        assert all(change.points < 0 for change in ruling.changes), "a foul earns nothing"
    assert (after.phase is Phase.OVER) == bool(after.winners)
    if after.layout is not None:
        assert set(after.layout.places) <= set(FIVE_BALL_SET)
        assert not after.in_hand & set(after.layout.places), "a ball in a hand lies nowhere"


@given(shots=st.lists(SHOT, min_size=1, max_size=5), options=OPTIONS)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_any_strokes_are_ruled_without_raising_and_lose_no_ball(shots, options):
    state = started(options)
    for shot in shots:
        state = answered(apply(state, Entry(seq=state.next_seq, what=PlayShot(shot))))
    for record in state.records:
        check_record(record)
    assert fold(state.entries) == state, "the state is the fold of its log"
