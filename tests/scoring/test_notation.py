"""The contract's spelling: round trips, and every wrong word refused by name."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.balls import FIVE_BALL_SET, PYRAMID_SET, Ball
from scoring.errors import ScoringError
from scoring.events import (
    Alternative,
    Contact,
    CushionHit,
    HouseLine,
    Moved,
    OffTable,
    Potted,
    Rest,
    Strike,
    TableEvent,
)
from scoring.notation import answer_from_json, event_from_json, event_to_json, shot_from_json, shot_to_json
from scoring.shots import REFEREE_KINDS, REFEREE_TIMES, Call, RefereeInput, Shot
from scoring.table import Cushion, Pocket, Point

NUMBER = st.floats(allow_nan=False, allow_infinity=False, width=32)
SHARE = st.floats(0, 1)
BALL = st.sampled_from((*FIVE_BALL_SET, *PYRAMID_SET, Ball("ball-?1"), Ball("ball-?12")))
POINT = st.builds(Point, NUMBER, NUMBER)
MAYBE_POINT = st.none() | POINT
PLACES = st.dictionaries(BALL, POINT, max_size=3)
POCKET = st.sampled_from(Pocket)


def events(doubt):
    side = st.none() | st.sampled_from(Cushion)
    return st.one_of(
        st.builds(Strike, ball=BALL, **doubt),
        st.builds(Contact, ball=BALL, other=BALL, at=MAYBE_POINT, **doubt),
        st.builds(CushionHit, ball=BALL, cushion=side, at=MAYBE_POINT, pocket=st.none() | POCKET, **doubt),
        st.builds(HouseLine, ball=BALL, direction=st.sampled_from(("out", "in")), **doubt),
        st.builds(Potted, ball=BALL, pocket=POCKET, **doubt),
        st.builds(OffTable, ball=BALL, at=MAYBE_POINT, returned=st.booleans(), on_rail=st.booleans(), **doubt),
        st.builds(Moved, ball=BALL, origin=MAYBE_POINT, target=MAYBE_POINT, **doubt),
        st.builds(Rest, balls=PLACES, **doubt),
    )


TIME = st.floats(0, 1e6)
PLAIN = events({"t_s": TIME})
DOUBTFUL = events(
    {
        "t_s": TIME,
        "shot": st.none() | st.integers(0, 999),
        "confidence": SHARE,
        "sources": st.sampled_from((("camera",), ("sensor",), ("camera", "sensor"), ())),
        "alternatives": st.lists(st.builds(Alternative, SHARE, st.none() | PLAIN), max_size=2).map(tuple),
        "candidates": st.dictionaries(BALL, SHARE, max_size=2),
        "flagged": st.booleans(),
        "reason": st.none() | st.text(min_size=1, max_size=5),
    }
)
CALL = st.builds(Call, ball=st.none() | BALL, pocket=st.none() | POCKET, bank=st.none() | st.booleans())
ANSWER = st.one_of(
    BALL, CALL, POCKET, st.integers(0, 99), st.booleans(), st.just("no one"), st.lists(BALL, max_size=2).map(tuple)
)
REFEREE = st.builds(
    RefereeInput,
    kind=st.sampled_from(sorted(REFEREE_KINDS)),
    by=st.none() | st.just("A"),
    ball=st.none() | BALL,
    number=st.none() | st.integers(0, 20),
    when=st.sampled_from(sorted(REFEREE_TIMES)),
    to=st.just("chain"),
    value=st.none() | ANSWER,
)
SHOT = st.builds(
    Shot,
    by=st.none() | st.just("A"),
    before=st.none() | PLACES,
    from_hand=st.none() | st.booleans(),
    call=st.none() | CALL,
    events=st.lists(PLAIN, max_size=4).map(tuple),
    referee=st.lists(REFEREE, max_size=2).map(tuple),
)


@given(event=DOUBTFUL)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_every_event_survives_the_way_through_json_text(event: TableEvent):
    assert event_from_json(json.loads(json.dumps(event_to_json(event)))) == event


@given(shot=SHOT)
@settings(max_examples=80, deadline=None, derandomize=True)
def test_every_shot_survives_the_way_through_json_text(shot: Shot):
    assert shot_from_json(json.loads(json.dumps(shot_to_json(shot)))) == shot


def test_the_contracts_example_is_read_and_written_as_it_stands():
    written = {
        "by": "A",
        "before": {"white-1": [600, 40], "red-1": [887.5, 0]},
        "from_hand": False,
        "call": {"ball": "yellow", "pocket": "RL", "bank": False},
        "events": [
            {"t": 0.0, "type": "strike", "ball": "white-1"},
            {"t": 0.41, "type": "contact", "ball": "white-1", "other": "yellow", "at": [1775, 0]},
            {"t": 2.1, "type": "pocket", "ball": "yellow", "pocket": "RL"},
            {"t": 4.0, "type": "rest", "balls": {"white-1": [2100, -300]}},
        ],
        "referee": [{"type": "touch", "ball": "red-2", "by": "A"}],
    }
    assert shot_to_json(shot_from_json(written)) == written


def test_what_says_nothing_is_left_out():
    assert event_to_json(Strike(t_s=1.5, ball=Ball("cue"))) == {"t": 1.5, "type": "strike", "ball": "cue"}


def test_moved_says_from_and_to_and_jaw_comes_with_its_pocket():
    moved = {"t": 0.0, "type": "moved", "ball": "7", "from": [1.0, 2.0], "to": [3.0, 4.0]}
    jaw = {"t": 0.0, "type": "cushion", "ball": "7", "jaw": True, "pocket": "RL"}
    assert event_from_json(moved) == Moved(t_s=0.0, ball=Ball("7"), origin=Point(1.0, 2.0), target=Point(3.0, 4.0))
    assert event_to_json(event_from_json(jaw)) == jaw


def test_events_without_times_keep_their_order_and_equal_times_stay_equal():
    spelled = [{"type": "strike", "ball": "cue"}]
    spelled += [{"t": 1, "type": "contact", "ball": "cue", "other": name} for name in ("1", "2")]
    times = [event.t_s for event in shot_from_json({"events": [*spelled, {"type": "rest"}]}).events]
    assert times[0] < times[1] == times[2] < times[3]


def test_an_alternative_may_say_only_what_differs_or_that_nothing_happened():
    spelled = {"t": 2.0, "type": "contact", "ball": "cue", "other": "1", "flagged": True}
    spelled["alternatives"] = [
        {"probability": 0.3, "other": "2"},
        {"probability": 0.1},
        {"probability": 0, "event": None},
    ]
    read = event_from_json(spelled).alternatives
    assert read == (
        Alternative(0.3, Contact(t_s=2.0, ball=Ball("cue"), other=Ball("2"))),
        Alternative(0.1),
        Alternative(0),
    )


def test_a_player_called_like_a_ball_can_be_the_one_who_shoots():
    spelled = {"type": "answer", "to": "who_shoots", "value": "yellow"}
    assert shot_from_json({"referee": [spelled]}).referee[0].value == "yellow"
    hand = {"type": "answer", "to": "pocket_or_hand", "value": "hand"}
    assert shot_from_json({"referee": [hand]}).referee[0].value == "hand"
    layout = {"type": "answer", "to": "layout", "value": {"cue": [1, 2]}}
    assert shot_from_json({"referee": [layout]}).referee[0].value == {Ball("cue"): Point(1, 2)}
    assert shot_to_json(shot_from_json({"referee": [layout]}))["referee"] == [layout]


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        (Ball("red-1"), "red-1"),
        (Call(ball=Ball("7"), pocket=Pocket.RL, bank=True), {"ball": "7", "pocket": "RL", "bank": True}),
        (Call(), {}),
        (Pocket.FL, "FL"),
        ((Ball("6"), Ball("9")), ["6", "9"]),
        (9, 9),
        (False, False),
        ("no one", "no one"),
    ],
)
def test_an_answer_is_spelled_and_read_by_its_kind(value, spelled):
    shot = Shot(referee=(RefereeInput(kind="answer", to="put_back", value=value),))
    assert shot_to_json(shot)["referee"][0]["value"] == spelled
    assert shot_from_json(shot_to_json(shot)) == shot


STRIKE = {"t": 0, "type": "strike", "ball": "cue"}


@pytest.mark.parametrize(
    ("spelled", "named"),
    [
        ([], "must be a mapping"),
        ({}, "type is missing"),
        ({"type": 3}, "type: must be a text"),
        ({"type": "hop", "t": 0}, "hop: unknown type"),
        ({"type": "strike", "ball": "cue"}, "t is missing"),
        (STRIKE | {"t": -1}, "t: must not be negative"),
        (STRIKE | {"t": math.nan}, "t: must be a finite number"),
        (STRIKE | {"t": math.inf}, "t: must be a finite number"),
        (STRIKE | {"t": True}, "t: must be a finite number"),
        (STRIKE | {"ball": "green ball"}, "ball: no ball is called"),
        ({"t": 0, "type": "strike"}, "ball is missing"),
        (STRIKE | {"other": "1", "zeal": 1}, "unknown key other, zeal"),
        (STRIKE | {"shot": -1}, "shot: must be a whole number"),
        (STRIKE | {"confidence": 1.5}, "confidence: must lie between 0 and 1"),
        (STRIKE | {"sources": ["ear"]}, "sources: must be camera or sensor"),
        (STRIKE | {"sources": "camera"}, "sources: must be a list"),
        (STRIKE | {"flagged": "yes"}, "flagged: must be true or false"),
        (STRIKE | {"alternatives": [{"event": None}]}, "alternatives[0]: probability is missing"),
        (STRIKE | {"alternatives": [{"probability": 0.5, "event": {"t": 1}}]}, "event: type is missing"),
        (STRIKE | {"alternatives": [{"probability": 0.5, "event": None, "ball": "1"}]}, "unknown key ball"),
        (STRIKE | {"alternatives": [{"probability": 0.5, "pocket": "RL"}]}, "unknown key pocket"),
        (STRIKE | {"candidates": {"1": 2}}, "candidates.1: must lie between 0 and 1"),
        ({"t": 0, "type": "pocket", "ball": "1", "pocket": "XX"}, "pocket: must be one of FL"),
        ({"t": 0, "type": "cushion", "ball": "1", "jaw": True}, "jaw: true and pocket belong together"),
        ({"t": 0, "type": "house_line", "ball": "1", "direction": "up"}, "direction: must be out or in"),
        ({"t": 0, "type": "rest", "balls": {"1": [1]}}, "balls.1: must be [x, y]"),
    ],
)
def test_a_wrong_event_is_refused_by_the_name_of_its_key(spelled, named):
    with pytest.raises(ScoringError) as refusal:
        event_from_json(spelled)
    assert named in str(refusal.value)


@pytest.mark.parametrize(
    ("spelled", "named"),
    [
        ({"who": "A"}, "unknown key who"),
        ({"call": {"color": "red"}}, "call: unknown key color"),
        ({"referee": [{"type": "yawn"}]}, "referee[0]: type: must be one of"),
        ({"referee": [{"type": "touch", "when": "later"}]}, "referee[0]: when: must be one of"),
        ({"referee": [{"type": "answer", "value": True}]}, "referee[0]: an answer needs `to`"),
        ({"referee": [{"type": "answer", "to": "chain", "value": -1}]}, "value: must be a whole number"),
        ({"events": [{"type": "strike", "ball": "cue"}, 7]}, "events[1]: must be a mapping"),
    ],
)
def test_a_wrong_shot_is_refused_by_the_name_of_its_key(spelled, named):
    with pytest.raises(ScoringError) as refusal:
        shot_from_json(spelled)
    assert named in str(refusal.value)


def test_a_call_may_be_answered_by_a_number():
    assert answer_from_json(7, to="call") == Ball("7")
    assert answer_from_json(7, to="ball_number") == 7
