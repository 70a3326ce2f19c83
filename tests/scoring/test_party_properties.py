"""Russian party and Five balls under any events whatever: points are conserved, no ball is lost, all can be undone."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.balls import FIVE_BALL_SET, RED_1, RED_2, WHITE_1, WHITE_2, YELLOW, Ball
from scoring.commands import Answer, Entry, PlayShot, Retracted, StartMatch
from scoring.events import Alternative, Contact, CushionHit, HouseLine, Moved, OffTable, Potted, Rest, Strike
from scoring.match import NO_MATCH, apply, fold
from scoring.notation import shot_from_json, shot_to_json
from scoring.rulings import Place
from scoring.setup import Beginning, Handicap, Phase, Setup, Side, singles
from scoring.shots import REFEREE_KINDS, Call, RefereeInput, Shot
from scoring.table import Cushion, Pocket, Point

BALL = st.sampled_from((*FIVE_BALL_SET, *FIVE_BALL_SET, Ball("ball-?1"), Ball("7")))
POINT = st.builds(Point, st.floats(34, 3516), st.floats(-853, 853))
SPOT = st.sampled_from((Point(887.5, 0), Point(1775, 0), Point(2662.5, 0), Point(34, 0)))
POCKET = st.sampled_from(Pocket)
TIME = st.integers(1, 40).map(lambda tenths: tenths / 10)
CUE = st.sampled_from((WHITE_1, WHITE_2))
PLAIN = st.one_of(
    st.builds(Contact, t_s=TIME, ball=CUE, other=BALL),
    st.builds(Contact, t_s=TIME, ball=BALL, other=BALL, at=st.none() | POINT),
    st.builds(CushionHit, t_s=TIME, ball=BALL, cushion=st.sampled_from(Cushion), pocket=st.none() | POCKET),
    st.builds(HouseLine, t_s=TIME, ball=CUE, direction=st.sampled_from(("in", "out"))),
    st.builds(Potted, t_s=TIME, ball=BALL, pocket=POCKET),
    st.builds(Potted, t_s=TIME, ball=st.just(YELLOW), pocket=POCKET),
    st.builds(OffTable, t_s=TIME, ball=BALL, at=st.none() | POINT, returned=st.booleans(), on_rail=st.booleans()),
    st.builds(Moved, t_s=TIME, ball=BALL, origin=st.none() | POINT, target=st.none() | POINT),
)
DOUBTFUL = st.builds(
    Contact,
    t_s=TIME,
    ball=CUE,
    other=BALL,
    flagged=st.just(value=True),
    confidence=st.floats(0, 1),
    alternatives=st.lists(st.builds(Alternative, st.floats(0, 1), st.none() | PLAIN), max_size=1).map(tuple),
)
REST = st.builds(Rest, t_s=st.just(5.0), balls=st.dictionaries(BALL, POINT | SPOT, max_size=5))
STRIKE = st.builds(Strike, t_s=st.just(0.0), ball=st.sampled_from((WHITE_1, WHITE_1, WHITE_2, WHITE_2, RED_1)))
REFEREE = st.builds(
    RefereeInput,
    kind=st.sampled_from(sorted(REFEREE_KINDS - {"concede", "answer"})),
    by=st.sampled_from((None, "A", "B", "C")),
    ball=st.none() | BALL,
    when=st.sampled_from(("before", "during", "after")),
)
CALL = st.none() | st.builds(Call, ball=st.none() | BALL, pocket=st.none() | POCKET)
EVENTS = st.tuples(
    st.lists(STRIKE, max_size=1),
    st.lists(PLAIN, max_size=6),
    st.lists(DOUBTFUL, max_size=1),
    st.lists(REST, max_size=1),
).map(lambda parts: tuple(event for part in parts for event in part))
SHOT = st.builds(
    Shot,
    by=st.sampled_from((None, None, None, "A", "B", "Z")),
    before=st.none() | st.dictionaries(BALL, POINT | SPOT, max_size=5),
    from_hand=st.none() | st.booleans(),
    call=CALL,
    events=EVENTS,
    referee=st.lists(REFEREE, max_size=1).map(tuple),
)
COMMON = {
    "returned_ball": st.sampled_from(("seed", "jumped")),
    "void_pot_goes_to": st.sampled_from(("by_rule", "where_it_stood", "spot")),
    "hanging_ball": st.sampled_from(("respot", "replace_after_5s")),
    "foul_combination": st.sampled_from(("max", "sum")),
    "allow_negative": st.booleans(),
    "touch_before_stroke_passes_turn": st.booleans(),
    "rp.penalty_mode": st.sampled_from(("transfer", "add_to_opponent")),
    "rp.mandatory_ball": st.sampled_from(("both_penalty_only", "leader_penalty_only", "off")),
    "rp.rule3": st.sampled_from(("wrong_cue_ball", "combination")),
    "rp.house_ban": st.sampled_from(("in_hand_only", "always")),
    "rp.house_foul_points": st.sampled_from((0, 5)),
    "rp.target": st.sampled_from((60, 12)),
    "rp.carom_handicap": st.sampled_from(("bonus_weak_only", "strong_carom_void")),
}
OF_GAME = {
    "russian-party": {"rp.call": st.sampled_from(("none", "ball", "ball_pocket"))},
    "five-balls": {
        "fb.call": st.sampled_from(("ball", "ball_pocket", "none")),
        "fb.error_on_pot": st.sampled_from(("prize_to_opponent", "prize_plus_penalty", "transfer")),
        "fb.bare_pot_keeps_turn": st.booleans(),
        "fb.bare_pots_score": st.booleans(),
        "fb.yellow_middle_streak_counts": st.sampled_from(("scored", "any")),
    },
}
SIDES = st.sampled_from((singles("A", "B"), (Side(("A", "C")), Side(("B",)))))
HANDICAPS = st.sampled_from(((), (Handicap(), Handicap(caroms=True)), (Handicap(points=5), Handicap(credit=7))))
PHASE = st.sampled_from((Phase.LAG, Phase.OPENING, Phase.OPENING, Phase.PLAY, Phase.PLAY))


def answered(state, limit=12):
    """Answer open questions with their first choice, as far as they have one."""
    for _ in range(limit):
        question = state.pending
        if question is None or not question.choices:
            break
        answer = Answer(RefereeInput(kind="answer", to=question.kind.value, value=question.choices[0].value))
        state = apply(state, Entry(seq=state.next_seq, what=answer))
    return state


def check_record(record, terms):
    ruling, before, after = record.ruling, record.before, record.after
    if ruling is None or ruling.question is not None:
        assert after == before, "a question changes nothing"
        return
    points = [ruling.points_of(side) for side in (0, 1)]
    assert [after.scores[side] - before.scores[side] for side in (0, 1)] == points, "scores are the changes"
    shooter = next(side for side in (0, 1) if (ruling.by or before.shooter) in terms.setup.sides[side].members)
    if ruling.foul is not None and terms.options.text("penalty_mode") == "transfer":
        prize = any(change.rule == "FB-6" for change in ruling.changes)
        late = any(entry.kind == "touch" and entry.when != "during" for entry in record.shot.referee)
        assert prize or late or sum(points) == 0 or "MP-75" in ruling.rules, "a penalty moves points, it makes none"
        also_others = any(entry.by not in (None, *terms.setup.sides[shooter].members) for entry in record.shot.referee)
        assert late or also_others or points[shooter] <= 0 or "MP-75" in ruling.rules, "an offender earns nothing"
    assert after.gone == frozenset(), "no ball of these games ever leaves the game"
    assert after.in_hand <= {WHITE_1, WHITE_2}, "only whites are in hand"
    put = [respot.ball for respot in ruling.respots]
    assert len(put) == len(set(put)), "a ball is put back once"
    assert {respot.ball for respot in ruling.respots if respot.place is Place.IN_HAND} <= {WHITE_1, WHITE_2}
    fallen = {event.ball for event in record.shot.events if isinstance(event, Potted)}
    if not ruling.warnings and not any(ball.is_unknown for ball in fallen) and before.phase is not Phase.LAG:
        assert fallen & {RED_1, RED_2, YELLOW} <= set(put), "what fell is put back"
    assert after.waiting <= {RED_1, RED_2, YELLOW}
    if after.waiting and after.layout is not None:
        assert after.waiting <= after.layout.places.keys()
    assert (after.phase is Phase.OVER) == bool(after.winners)
    assert len(after.winners) <= 1, "there is no draw (RP-19)"
    if after.layout is not None:
        assert set(after.layout.places) <= set(FIVE_BALL_SET)
        assert not after.in_hand & set(after.layout.places), "a ball in a hand lies nowhere"


@pytest.mark.parametrize("game", ["russian-party", "five-balls"])
@settings(max_examples=80, deadline=None, derandomize=True)
@given(data=st.data())
def test_any_strokes_are_ruled_without_raising_and_can_all_be_undone(game, data):
    options = data.draw(st.fixed_dictionaries({}, optional=COMMON | OF_GAME[game]))
    if game == "five-balls":
        options = {name.replace("rp.", "fb."): value for name, value in options.items()}
    setup = Setup(game=game, sides=data.draw(SIDES), options=options, handicaps=data.draw(HANDICAPS))
    beginning = Beginning(phase=data.draw(PHASE))
    started = state = apply(NO_MATCH, Entry(seq=1, what=StartMatch(setup, beginning)))
    for shot in data.draw(st.lists(SHOT, min_size=1, max_size=5)):
        written = json.dumps(shot_to_json(shot))
        assert json.dumps(shot_to_json(shot_from_json(json.loads(written)))) == written
        state = answered(apply(state, Entry(seq=state.next_seq, what=PlayShot(shot))))
    for record in state.records:
        check_record(record, state.started.terms)
    assert fold(state.entries) == state, "the state is the fold of its log"
    while state.records:
        counted = [
            entry.seq
            for entry in state.entries
            if entry.seq not in state.retracted and not isinstance(entry.what, StartMatch | Retracted)
        ]
        state = apply(state, Entry(seq=state.next_seq, what=Retracted(counted[-1])))
    assert state.standing == started.standing, "with everything taken back the match stands where it began"
