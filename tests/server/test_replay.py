"""Recorded events are told in their own time, and where an earlier process has stopped."""

import itertools
import json

import pytest

from scoring.commands import Announce, StartMatch
from scoring.events import Rest, Strike
from server.errors import ServerError
from server.messages import Finished, Places, Said, Seen, Supposed, Vitals
from server.replay import Replay, read_replay

LINES = [
    {"t": 0.0, "type": "rest", "balls": {"white-1": [600, 0], "red-1": [900, 0]}},
    {"t": 0.5, "type": "match", "game": "kaisa", "players": ["Anna", "Boris"]},
    {"t": 1.0, "type": "call", "call": {"ball": "red-1"}},
    {"t": 2.0, "type": "strike", "ball": "white-1"},
    {"t": 3.0, "type": "rest", "balls": {"white-1": [700, 0]}},
    {"t": 4.0, "type": "strike", "ball": "white-1"},
    {"t": 5.0, "type": "rest", "balls": {"white-1": [800, 0]}},
]


class Time:
    def __init__(self):
        self.now_ns = 0
        self.told_ns = []

    def sleep(self, seconds):
        self.now_ns += round(seconds * 1e9)

    def clock_ns(self):
        return self.now_ns


@pytest.fixture
def cues(tmp_path):
    path = tmp_path / "play.jsonl"
    path.write_text("\n".join(map(json.dumps, LINES)))
    return read_replay(path)


def told(cues, **options):
    time = Time()
    replay = Replay(cues, sleep=time.sleep, clock_ns=time.clock_ns, **options)
    for message in itertools.takewhile(lambda one: not isinstance(one, Finished), replay.messages()):
        yield time.now_ns / 1e9, message


def test_everything_is_told_at_its_time(cues):
    heard = [(t_s, message) for t_s, message in told(cues) if isinstance(message, Seen | Said)]
    assert [t_s for t_s, _ in heard] == pytest.approx([0, 0.5, 1, 2, 3, 4, 5])
    assert isinstance(heard[1][1].what, StartMatch)
    assert isinstance(heard[2][1].what, Announce)


def test_speed_shortens_the_waits(cues):
    assert [t_s for t_s, message in told(cues, speed=2.0) if isinstance(message, Seen)][-1] == pytest.approx(2.5)


def test_balls_move_between_strike_and_rest(cues):
    moving = [message.is_moving for _, message in told(cues) if isinstance(message, Places)]
    assert moving == [False, True, False, True, False]


def test_vitals_never_pause_for_long(cues):
    times = [t_s for t_s, message in told(cues) if isinstance(message, Vitals)]
    assert max(later - earlier for earlier, later in itertools.pairwise(times)) <= 0.5


def test_a_provisional_event_is_only_supposed(tmp_path):
    path = tmp_path / "play.jsonl"
    path.write_text('{"t": 0, "type": "strike", "ball": "white-1", "provisional": true}')
    heard = [message for _, message in told(read_replay(path)) if isinstance(message, Seen | Supposed)]
    assert [type(message) for message in heard] == [Supposed]


@pytest.mark.parametrize(("skip", "strikes"), [(0, 2), (1, 1), (2, 0), (9, 0)])
def test_strokes_that_were_told_before_are_left_out(cues, skip, strikes):
    events = [e for _, message in told(cues, skip=skip) if isinstance(message, Seen) for e in message.events]
    assert sum(isinstance(event, Strike) for event in events) == strikes
    assert sum(isinstance(event, Rest) for event in events) == (3 if skip == 0 else strikes)


@pytest.mark.parametrize(
    "line", ["{", "[1]", '{"t": 0, "type": "boom"}', '{"type": "call", "call": {}}', '{"t": 0, "type": "match"}']
)
def test_a_wrong_recording_names_the_file(tmp_path, line):
    path = tmp_path / "wrong.jsonl"
    path.write_text(line)
    with pytest.raises(ServerError, match=r"wrong\.jsonl"):
        read_replay(path)


def test_a_missing_recording_says_what_to_do(tmp_path):
    with pytest.raises(ServerError, match="cannot be read"):
        read_replay(tmp_path / "none.jsonl")
