"""Clips of strokes: cut from what was seen, found again, in a ring that leaves room, and never in the score's way."""

import shutil
import time

import cv2
import numpy as np
import pytest

from hardware.cameras.video import VideoCamera
from hardware.frame import Frame
from scoring.balls import WHITE_1, YELLOW
from scoring.events import Contact, Rest, Strike
from server.clips import ClipStore, clip_name
from server.recorder import StrokeRecorder

AT_NS = 1_764_000_000_123_000_000
MB = 1_000_000


def frames(count, start_s=100.0, fps=25.0):
    for index in range(count):
        pixels = np.full((120, 160, 3), 60, np.uint8)
        cv2.circle(pixels, (20 + index % 120, 60), 9, (240, 240, 240), -1)
        yield Frame(t_ns=round((start_s + index / fps) * 1e9), index=index, pixels=pixels)


def store(tmp_path, limit_mb=100, spare_mb=0):
    return ClipStore(folder=tmp_path, limit_mb=limit_mb, spare_mb=spare_mb)


def recorder(tmp_path, **given):
    given.setdefault("store", store(tmp_path))
    return StrokeRecorder("one", height=720, lead_s=2.0, fps=25.0, wall_ns=lambda: AT_NS, **given)


def feed(recorder, strikes, count=300):
    """Frames in real order; each stroke lasts two seconds and is told when it is over."""
    waiting = sorted(strikes)
    for frame in frames(count):
        while recorder._work.qsize() > 8:
            time.sleep(0.001)
        recorder.see(frame)
        if waiting and frame.t_ns > (waiting[0] + 2.2) * 1e9:
            strike_s = waiting.pop(0)
            for event in (
                Strike(t_s=strike_s, ball=WHITE_1),
                Contact(t_s=strike_s + 0.5, ball=WHITE_1, other=YELLOW),
                Rest(t_s=strike_s + 2.0),
            ):
                recorder.hear(event)


def test_every_stroke_has_a_clip_from_two_seconds_before_it_to_its_rest(tmp_path):
    with recorder(tmp_path) as one:
        feed(one, [103.0, 107.5])
    assert one.left_out == 0
    for strike_s in (103.0, 107.5):
        clip = store(tmp_path).find("one", strike_s, AT_NS + 2_000_000_000)
        assert 2000 <= clip.lead_ms <= 3050
        with VideoCamera(clip.path) as video:
            times = []
            while (frame := video.read()) is not None:
                times.append(frame.t_ns / 1e6)
        assert clip.lead_ms + 2950 <= times[-1] <= clip.lead_ms + 3050


def test_a_stroke_whose_pictures_were_not_seen_has_no_clip_and_does_no_harm(tmp_path):
    with recorder(tmp_path) as one:
        feed(one, [90.0, 103.0])
    assert store(tmp_path).find("one", 103.0, AT_NS) is not None
    assert store(tmp_path).find("one", 90.0, AT_NS) is None


def test_a_clip_is_not_taken_for_one_of_another_day_with_the_same_clock(tmp_path):
    (tmp_path / "one").mkdir()
    for at_ns in (AT_NS, AT_NS + 7200 * 10**9):
        (tmp_path / "one" / clip_name(at_ns=at_ns, strike_ms=103_000, lead_ms=2000)).write_bytes(b"x")
    found = store(tmp_path).find("one", 103.0, AT_NS + 7195 * 10**9)
    assert found.at_ns == AT_NS + 7200 * 10**9
    assert store(tmp_path).find("one", 103.0, AT_NS + 86_400 * 10**9) is None
    assert store(tmp_path).find("two", 103.0, AT_NS) is None


def test_the_oldest_clips_go_when_the_limit_is_reached_whatever_table_they_are_of(tmp_path):
    names = []
    for index, table in enumerate(("two", "one", "two", "one")):
        (tmp_path / table).mkdir(exist_ok=True)
        path = tmp_path / table / clip_name(at_ns=AT_NS + index * 10**9, strike_ms=index, lead_ms=2000)
        path.write_bytes(bytes(MB))
        names.append(path)
    (tmp_path / "one" / "notes.txt").write_text("mine")
    never_finished = names[0].with_name(f".{names[0].stem}.drawn.mp4")
    never_finished.write_bytes(b"x")
    assert store(tmp_path, limit_mb=3).make_room(MB) == ""
    assert [path.exists() for path in names] == [False, False, True, True]
    assert (tmp_path / "one" / "notes.txt").exists()
    assert not never_finished.exists()


def test_a_full_disk_costs_the_clip_and_nothing_else_and_is_told(tmp_path):
    spare_mb = shutil.disk_usage(tmp_path).total // MB
    with recorder(tmp_path, store=store(tmp_path, spare_mb=spare_mb)) as one:
        feed(one, [103.0])
    assert "no room for clips" in one.trouble
    assert list(tmp_path.rglob("*.mp4")) == []


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "one").write_text("a file where a folder must be")
    with recorder(tmp_path) as one:
        feed(one, [103.0])
    assert "one" in one.trouble


def test_pictures_are_left_out_before_the_eyes_wait(tmp_path):
    one = recorder(tmp_path)  # its thread has not begun
    began_s = time.perf_counter()
    for frame in frames(500):
        one.see(frame)
    assert time.perf_counter() - began_s < 1.0
    assert one.left_out > 400


def test_a_failure_of_the_coder_is_no_failure_of_the_table(tmp_path, monkeypatch):
    def broken(*_):
        message = "no memory"
        raise MemoryError(message)

    monkeypatch.setattr("hardware.footage._planes", broken)
    with recorder(tmp_path) as one:
        feed(one, [103.0], count=150)
    assert one.trouble.startswith("clips of strokes cannot be kept")


@pytest.mark.parametrize("table", ["../one", "/etc", "one/../../x"])
def test_names_of_tables_lead_nowhere_else(tmp_path, table):
    assert store(tmp_path).find(table, 1.0, AT_NS) is None
