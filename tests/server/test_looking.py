"""A table's process at work: what is told in which order, which pictures are dropped."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

from hardware.frame import Frame
from scoring.balls import RED_1, RED_2, WHITE_1, Ball
from scoring.commands import Announce
from scoring.events import Rest, Strike
from scoring.shots import Call, Shot
from scoring.table import Point
from server.looking import Looking, Picture, Told, pictures_of
from server.messages import Known, Places, Said, Seen, Supposed, Vitals
from vision.detection import Ailment

CALL = Said(what=Announce(Call(ball=RED_1)))
KNOWN = Known(number=1, shot=Shot())
SUPPOSED = Strike(t_s=0.1, ball=WHITE_1, confidence=0.7)


def frame(index):
    return Frame(t_ns=index * 100_000_000, index=index, pixels=np.zeros((2, 2, 3), np.uint8))


class FakeWitness:
    def __init__(self):
        self.positions = {WHITE_1: Point(1.0, 2.0)}
        self.moving = frozenset()

    def tracks(self):
        return ()

    def provisional(self):
        return (SUPPOSED,) if self.moving else ()


class FakePipeline:
    """Balls move in the frames of `moving`; what is in `events` comes out after its frame."""

    def __init__(self, moving=(), events=None, last=()):
        self.witness, self.sighting = FakeWitness(), None
        self._moving, self._events, self._last = moving, events or {}, last
        self.drops, self.ailment = [], None

    def step(self, frame, drops):
        self.drops += drops
        self.witness.moving = frozenset({WHITE_1}) if frame.index in self._moving else frozenset()
        return self._events.get(frame.index, ())

    def finish(self):
        return self._last


def look(pipeline, frames, said=()):
    waiting = list(said)

    def listen(t_s):
        told = [one for one in waiting if one.t_s <= t_s]
        waiting[:] = waiting[len(told) :]
        return told

    looking = Looking(pipeline=pipeline, poll=lambda t_ns: [t_ns], listen=listen)
    pictures = [Picture(frame=one, came_ns=time.monotonic_ns()) for one in frames]
    return list(looking.messages(pictures))


def facts(messages):
    return [message for message in messages if isinstance(message, Seen | Said | Known)]


def test_a_call_on_a_quiet_table_is_told_at_once():
    messages = look(FakePipeline(), map(frame, range(3)), [Told(t_s=0.1, what=CALL)])
    assert facts(messages) == [CALL]


def test_a_call_for_the_next_stroke_waits_for_the_stroke_before_it():
    seen = (Strike(t_s=0.1, ball=WHITE_1), Rest(t_s=0.4))
    pipeline = FakePipeline(moving=range(1, 5), events={8: seen})
    messages = look(pipeline, map(frame, range(10)), [Told(t_s=0.6, what=CALL)])
    assert facts(messages) == [Seen(events=seen), CALL]


def test_what_is_supposed_is_told_while_balls_roll_and_the_facts_after_it():
    seen = (Strike(t_s=0.1, ball=WHITE_1), Rest(t_s=0.4))
    messages = look(FakePipeline(moving=range(1, 3), events={4: seen}), map(frame, range(6)))
    told = [message for message in messages if isinstance(message, Supposed | Seen)]
    assert told == [Supposed(events=(SUPPOSED,)), Supposed(events=(SUPPOSED,)), Seen(events=seen)]


def test_a_call_during_the_hand_that_places_the_ball_comes_before_its_stroke():
    seen = (Strike(t_s=0.5, ball=WHITE_1), Rest(t_s=0.8))
    pipeline = FakePipeline(moving=range(1, 9), events={12: seen})
    messages = look(pipeline, map(frame, range(14)), [Told(t_s=0.3, what=CALL)])
    assert facts(messages) == [CALL, Seen(events=seen)]


def test_who_calls_one_of_two_reds_points_at_it():
    pipeline = FakePipeline()
    pipeline.witness.positions = {RED_2: Point(500.0, 0.0), RED_1: Point(900.0, 0.0), WHITE_1: Point(499.0, 0.0)}
    messages = look(pipeline, [frame(1)], [Told(t_s=0.1, what=CALL, at=Point(505.0, 3.0))])
    assert facts(messages) == [Said(what=Announce(Call(ball=RED_2)))]
    far = look(pipeline, [frame(1)], [Told(t_s=0.1, what=CALL, at=Point(700.0, 0.0))])
    assert facts(far) == [CALL]


def test_a_numbered_ball_is_called_by_its_number_whatever_the_camera_thinks():
    pipeline = FakePipeline()
    pipeline.witness.positions = {Ball("9"): Point(500.0, 0.0)}
    call = Said(what=Announce(Call(ball=Ball("6"))))
    assert facts(look(pipeline, [frame(1)], [Told(t_s=0.1, what=call, at=Point(500.0, 0.0))])) == [call]


def test_nothing_is_lost_when_the_source_ends():
    seen = (Strike(t_s=0.1, ball=WHITE_1), Rest(t_s=0.4))
    messages = look(FakePipeline(moving=range(5), last=seen), map(frame, range(5)), [Told(t_s=9.0, what=KNOWN)])
    assert facts(messages) == [Seen(events=seen), KNOWN]


def test_every_picture_tells_places_and_the_pockets_are_asked():
    pipeline = FakePipeline(moving={1})
    messages = look(pipeline, map(frame, range(3)))
    assert [message.is_moving for message in messages if isinstance(message, Places)] == [False, True, False]
    assert pipeline.drops == [0, 100_000_000, 200_000_000]


def test_vitals_are_told_when_no_picture_comes():
    looking = Looking(pipeline=FakePipeline(), poll=lambda t_ns: [t_ns], ailment=lambda: ("no_picture", "cut"))
    (vitals,) = looking.step(None)
    assert (vitals.trouble, vitals.detail, vitals.picture_ns) == ("no_picture", "cut", None)


def test_drops_that_come_while_nothing_is_seen_wait_for_the_next_picture():
    waiting, pipeline = [["early"], ["late"]], FakePipeline()
    looking = Looking(pipeline=pipeline, poll=lambda _: waiting.pop(0))
    list(looking.step(None))
    assert pipeline.drops == []
    list(looking.step(Picture(frame=frame(1), came_ns=0)))
    assert pipeline.drops == ["early", "late"]


@pytest.mark.parametrize(("ailment", "told"), [("no_picture", "no_picture"), ("sensors_lost", "disturbed")])
def test_a_disturbed_picture_is_told_before_sensors_and_after_blindness(ailment, told):
    pipeline = FakePipeline()
    pipeline.sighting = SimpleNamespace(disturbed="the light has changed")
    (vitals,) = Looking(pipeline=pipeline, poll=lambda _: [], ailment=lambda: (ailment, "")).step(None)
    assert vitals.trouble == told


def after_seconds(monkeypatch, counts):
    """The trouble that is told when so many pictures have been dropped by each second, ten a second looked at."""
    looking, told = Looking(pipeline=FakePipeline(), poll=lambda _: []), []
    clock = SimpleNamespace(monotonic=lambda: now_s, monotonic_ns=time.monotonic_ns, perf_counter=time.perf_counter)
    monkeypatch.setattr("server.looking.time", clock)
    for second, dropped in enumerate(counts):
        for tenth in range(10):
            now_s = 100 + second + tenth / 10
            picture = Picture(frame=frame(10 * second + tenth), came_ns=0, dropped=dropped)
            told += [message.trouble for message in looking.step(picture) if isinstance(message, Vitals)]
    return told


def test_a_computer_that_loses_every_other_picture_for_six_seconds_is_slow_and_one_that_lost_some_is_not(monkeypatch):
    assert after_seconds(monkeypatch, [10 * second for second in range(8)])[-1] == "slow"
    assert set(after_seconds(monkeypatch, [0, 0, *[20] * 8])) == {None}
    assert after_seconds(monkeypatch, [10 * min(second, 8) for second in range(18)])[-1] is None


class FakeCamera:
    """Gives frames as fast as it is read."""

    def __init__(self, count):
        self._frames = iter(range(count))

    def read(self):
        index = next(self._frames, None)
        return None if index is None else frame(index)


def test_a_recording_is_not_played_faster_than_asked():
    began_s = time.monotonic()
    pictures = list(pictures_of(FakeCamera(4), speed=2.0))
    assert time.monotonic() - began_s >= 0.15
    assert [picture.dropped for picture in pictures] == [0, 0, 0, 0]


@pytest.mark.parametrize("kind", ["no_finder", "no_numbers", "faint_ball"])
def test_what_keeps_vision_from_seeing_well_is_told_as_a_trouble(kind):
    looking = Looking(pipeline=FakePipeline(), poll=lambda _: [])
    looking.pipeline.ailment = Ailment(kind=kind, detail="no ball finder")
    vitals = [each for each in looking.step(Picture(frame=frame(0), came_ns=1)) if isinstance(each, Vitals)]
    assert [(each.trouble, each.detail) for each in vitals] == [(kind, "no ball finder")]
