"""`cuemarker analyze`: a small recording, and everything that can be wrong with what it is given."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.store import load_table_file, save_table_file
from hardware.frame import Frame
from hardware.video_writer import VideoWriter
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view, true_table_file
from hardware.virtual.scene import BallPose, Instant
from scoring.balls import RED_1, WHITE_1, YELLOW
from scoring.events import Contact
from scoring.table import Point, Table
from server.cli import main
from vision.detection import Cover, Sighting
from vision.overlay import Overlay, Spot, said

TABLE = Table(length_mm=2840, width_mm=1420)
SIZE = (640, 360)


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """A second in which one ball rolls away from another, at 30 frames a second."""
    folder = tmp_path_factory.mktemp("recording")
    look = make_look(3, Difficulty.EASY, length_mm=2840, width_mm=1420)
    camera = make_view(TABLE, 3, Difficulty.EASY, SIZE)
    renderer = Renderer(TABLE, camera, look)
    save_table_file(true_table_file(TABLE, camera, look), folder / "table.toml")
    with VideoWriter(folder / "video.mp4", SIZE, 30.0) as video:
        for index in range(30):
            x_mm = 900.0 + max(0, index - 15) * 12.0
            poses = [BallPose(ball=ball, center_mm=(*place, 34.0)) for ball, place in ((RED_1, (1800, 200)),)]
            poses.append(BallPose(ball=WHITE_1, center_mm=(x_mm, -100.0, 34.0)))
            video.write(renderer.still(Instant(balls=tuple(poses)), index / 30))
    return folder


def run(arguments, capsys):
    """Exit code, standard output, standard error."""
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    told = capsys.readouterr()
    return stop.value.code, told.out, told.err


def analyze(recording, capsys, *more):
    return run(["analyze", recording / "video.mp4", "--table", recording / "table.toml", *more], capsys)


def test_events_go_to_standard_output_as_json_lines_and_words_to_standard_error(recording, capsys):
    code, out, err = analyze(recording, capsys, "--game", "kaisa", "--events", "-")
    assert code == 0
    events = [json.loads(line) for line in out.splitlines()]
    assert any(event["type"] == "strike" and event["ball"].startswith("white") for event in events)
    assert "30 frames" in err


def test_tracks_have_a_row_per_ball_and_frame(recording, capsys, tmp_path):
    code, _, _ = analyze(recording, capsys, "--tracks", tmp_path / "tracks.csv")
    assert code == 0
    with (tmp_path / "tracks.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["t", "ball", "x", "y", "visible"]
    red = [row for row in rows if row["ball"].startswith("red")]
    assert len({row["t"] for row in red}) == len(red) >= 20
    assert all(abs(float(row["x"]) - 1800) < 5 and abs(float(row["y"]) - 200) < 5 for row in red)


def test_the_overlay_has_as_many_frames_as_the_recording(recording, capsys, tmp_path):
    code, _, _ = analyze(recording, capsys, "--overlay", tmp_path / "seen.mp4")
    assert code == 0
    capture = cv2.VideoCapture(str(tmp_path / "seen.mp4"))
    frames = 0
    while capture.grab():
        frames += 1
    assert frames == 30


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["{r}/none.mp4", "--table", "{r}/table.toml", "--events", "-"], 1, "none.mp4"),
        (["{r}/video.mp4", "--table", "{r}/none.toml", "--events", "-"], 1, "none.toml"),
        (["{r}/video.mp4", "--table", "{r}/table.toml", "--game", "chess", "--events", "-"], 2, "chess"),
        (["{r}/video.mp4", "--table", "{r}/table.toml"], 2, "--events"),
        (["{r}/video.mp4", "--events", "-"], 2, "--table"),
        (["{r}/video.mp4", "--table", "{r}/table.toml", "--events", "{r}/no/such/file"], 1, "no/such/file"),
        (["{r}/video.mp4", "--table", "{r}/table.toml", "--events", "-", "--detector", "x"], 1, "contrast"),
        (["{r}/video.mp4", "--table", "{r}/table.toml", "--events", "-", "--sensors", "{r}/none.txt"], 1, "none.txt"),
    ],
)
def test_what_is_wrong_is_one_line_that_names_it(recording, capsys, arguments, code, words):
    found, out, err = run(["analyze", *(argument.format(r=recording) for argument in arguments)], capsys)
    assert found == code
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    assert words in err


def test_a_wrong_key_in_the_table_file_is_named(recording, capsys, tmp_path):
    text = (recording / "table.toml").read_text().replace("ball_mm", "bal_mm")
    (tmp_path / "table.toml").write_text(text)
    code, _, err = run(
        ["analyze", recording / "video.mp4", "--table", tmp_path / "table.toml", "--events", "-"], capsys
    )
    assert code == 1
    assert len(err.strip().splitlines()) == 1
    assert "bal_mm" in err or "ball_mm" in err


def test_pictures_of_another_size_than_the_table_file_s_are_refused(recording, capsys, tmp_path):
    with VideoWriter(tmp_path / "small.mp4", (320, 180), 30.0) as video:
        for _ in range(3):
            video.write(np.zeros((180, 320, 3), np.uint8))
    code, _, err = run(
        ["analyze", tmp_path / "small.mp4", "--table", recording / "table.toml", "--events", "-"], capsys
    )
    assert code == 1
    assert "320x180" in err
    assert "640x360" in err


def test_a_torn_video_is_told_in_one_line(recording, capsys, tmp_path):
    (tmp_path / "torn.mp4").write_bytes((recording / "video.mp4").read_bytes()[:200])
    code, _, err = run(["analyze", tmp_path / "torn.mp4", "--table", recording / "table.toml", "--events", "-"], capsys)
    assert code == 1
    assert len(err.strip().splitlines()) == 1
    assert "torn.mp4" in err


def test_the_overlay_marks_balls_covers_and_events(recording):
    overlay = Overlay(load_table_file(recording / "table.toml"))
    frame = Frame(t_ns=1_000_000_000, index=30, pixels=np.full((360, 640, 3), 90, np.uint8))
    corner = [Point(100, 100), Point(400, 100), Point(400, 400)]
    sighting = Sighting(t_ns=frame.t_ns, index=30, detections=(), covers=(Cover(outline=tuple(corner), what="arm"),))
    spot = Spot(t_s=1.0, ball=YELLOW, place=Point(1420, 0), visible=True)
    hit = Contact(t_s=0.9, ball=WHITE_1, other=RED_1, at=Point(2000, -300))
    drawn = overlay.draw(frame, sighting, [spot], [hit])
    assert drawn.shape == (360, 640, 3)
    assert np.any(np.all(drawn == (0, 255, 255), axis=2))
    assert np.any(drawn != overlay.draw(frame, sighting, [], []))
    assert "contact white-1 red-1" in said(hit)
    assert frame.pixels.min() == frame.pixels.max() == 90


def test_a_torn_video_is_one_line_for_the_whole_process(recording, tmp_path):
    """The libraries below have remarks of their own, which only a process of its own shows."""
    torn = tmp_path / "cut.mp4"
    torn.write_bytes((recording / "video.mp4").read_bytes()[:20_000])
    command = [Path(sys.executable).with_name("cuemarker"), "analyze", torn, "--table", recording / "table.toml"]
    done = subprocess.run([*command, "--events", "-"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(f"cuemarker: {torn} is torn")
