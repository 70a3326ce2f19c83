"""Events survive the way to JSON and back, and a wrong record names its field."""

import json

import pytest

from scoring.balls import RED_1, WHITE_1, YELLOW, Ball
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
from scoring.table import Cushion, Pocket, Point
from server.errors import RecordError
from server.event_records import event_from_record, event_line, event_record, events_from_lines

EVENTS: list[TableEvent] = [
    Strike(t_s=0.25, ball=WHITE_1, shot=3),
    Contact(t_s=0.5, ball=WHITE_1, other=YELLOW, at=Point(100.0, -20.5), confidence=0.75),
    Contact(t_s=0.5, ball=WHITE_1, other=YELLOW),
    CushionHit(t_s=0.6, ball=YELLOW, cushion=Cushion.REAR, at=Point(3550.0, 1.0)),
    CushionHit(t_s=0.6, ball=YELLOW, cushion=Cushion.REAR, pocket=Pocket.RL),
    HouseLine(t_s=0.7, ball=WHITE_1, direction="in"),
    Potted(t_s=0.8, ball=RED_1, pocket=Pocket.MR, sources=("camera", "sensor")),
    OffTable(t_s=0.9, ball=RED_1, at=Point(1.0, 2.0), returned=True),
    OffTable(t_s=0.9, ball=RED_1, at=Point(1.0, 2.0), on_rail=True),
    Moved(t_s=1.0, ball=RED_1, origin=Point(1.0, 2.0), target=None),
    Rest(t_s=2.0, balls={WHITE_1: Point(600.0, 40.0), Ball("7"): Point(1.0, 1.0)}),
    Potted(
        t_s=0.8,
        ball=Ball("ball-?1"),
        pocket=Pocket.FL,
        candidates={Ball("7"): 0.5, Ball("8"): 0.5},
        flagged=True,
        reason="number not readable",
        alternatives=(Alternative(probability=0.25), Alternative(probability=0.1, event=Strike(t_s=0.8, ball=WHITE_1))),
    ),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.kind)
def test_an_event_survives_the_round_trip(event):
    assert event_from_record(json.loads(event_line(event))) == event


def test_the_record_has_the_contracts_names():
    event = Moved(t_s=1.0, ball=RED_1, origin=Point(1.0, 2.0), target=Point(3.0, 4.0))
    assert event_record(event) == {"t": 1.0, "type": "moved", "ball": "red-1", "from": [1.0, 2.0], "to": [3.0, 4.0]}


@pytest.mark.parametrize(
    ("record", "complaint"),
    [
        ({"t": 0, "type": "explosion", "ball": "red-1"}, "explosion"),
        ({"t": 0, "type": "strike"}, "ball"),
        ({"t": 0, "type": "strike", "ball": "Rot"}, "Rot"),
        ({"type": "strike", "ball": "red-1"}, "t: None is not a number"),
        ({"t": 0, "type": "pocket", "ball": "red-1", "pocket": "XX"}, "pocket"),
        ({"t": 0, "type": "contact", "ball": "red-1", "other": "yellow", "at": [1]}, "at"),
        ({"t": 0, "type": "house_line", "ball": "red-1", "direction": "up"}, "direction"),
        ({"t": 0, "type": "rest", "balls": {"red-1": None}}, "balls.red-1"),
        ({"t": 0, "type": "strike", "ball": "red-1", "sources": ["rumour"]}, "sources"),
        ({"t": True, "type": "strike", "ball": "red-1"}, "t: True"),
    ],
)
def test_a_wrong_record_names_the_field(record, complaint):
    with pytest.raises(RecordError, match=complaint):
        event_from_record(record)


def test_a_stream_names_the_line_that_is_wrong():
    with pytest.raises(RecordError, match=r"in\.jsonl, line 2"):
        events_from_lines(['{"t": 0, "type": "strike", "ball": "red-1"}', "{"], name="in.jsonl")
