"""`cuemarker simulate`: files as the contract names them, refusals in one line."""

import json
from itertools import pairwise

import pytest

from calibration.store import load_table_file
from hardware.cameras.video import open_camera
from hardware.wire import decode
from scoring.notation import event_from_json, shot_from_json
from server.cli import main

OPTIONS = ["simulate", "--game", "kaisa", "--seed", "7", "--difficulty", "easy"]


def run(*arguments):
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    return stop.value.code


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tiny recording, made once."""
    out = tmp_path_factory.mktemp("match") / "new"
    assert run(*OPTIONS, "--strokes", 2, "--out", out, "--fps", 5, "--size", "320x180") == 0
    return out


def test_writes_the_files_of_the_contract(folder):
    names = {path.name for path in folder.iterdir()}
    wanted = {"video.mp4", "tracks.csv", "truth.jsonl", "table.toml", "sensors.txt", "shots.jsonl", "meta.json"}
    assert names == wanted


def test_the_tracks_have_a_row_for_each_ball_in_each_frame(folder):
    meta = json.loads((folder / "meta.json").read_text())
    rows = [line.split(",") for line in (folder / "tracks.csv").read_text().splitlines()]
    assert rows[0] == ["t", "ball", "x", "y", "visible"]
    frames = {row[0] for row in rows[1:]}
    assert len(frames) == meta["frames"]
    assert {row[4] for row in rows[1:]} <= {"0", "1"}
    first = [row for row in rows[1:] if row[0] == "0.000000"]
    assert {row[1] for row in first} == {"red-1", "red-2", "yellow"}


def test_truth_and_shots_are_readable_by_scoring_and_agree(folder):
    events = [event_from_json(json.loads(line)) for line in (folder / "truth.jsonl").read_text().splitlines()]
    shots = [shot_from_json(json.loads(line)) for line in (folder / "shots.jsonl").read_text().splitlines()]
    assert len(shots) == 2
    for shot in shots:
        assert set(map(repr, shot.events)) <= set(map(repr, events))


def test_meta_tells_how_it_was_made_and_the_table_file_is_true(folder):
    meta = json.loads((folder / "meta.json").read_text())
    table_file = load_table_file(folder / "table.toml")
    assert (meta["seed"], meta["difficulty"], meta["game"], meta["strokes"]) == (7, "easy", "kaisa", 2)
    assert meta["players"] == ["A", "B"]
    assert set(meta["scores"]) == {"A", "B"}
    assert table_file.table.length_mm == 2840
    assert table_file.camera.size_px == (320, 180)
    assert set(table_file.ball_set.colours) == {"white", "red", "yellow"}


def test_the_video_is_as_long_as_the_match(folder):
    meta = json.loads((folder / "meta.json").read_text())
    camera, count = open_camera(str(folder / "video.mp4")), 0
    while camera.read() is not None:
        count += 1
    camera.close()
    assert count == meta["frames"] == int(meta["duration_s"] * 5)


@pytest.mark.parametrize("seed", [3, 5, 7, 11])
def test_scoring_the_written_shots_gives_the_written_score(tmp_path, capsys, seed):
    """The spots and the house are those of the table file beside the shots."""
    options = ["--strokes", 25, "--seed", seed, "--out", tmp_path, "--no-video", "--size", "320x180"]
    assert run(*OPTIONS, *options) == 0
    capsys.readouterr()
    assert run("score", tmp_path / "shots.jsonl", "--game", "kaisa", "--players", "A,B") == 0
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert last["scores"] == json.loads((tmp_path / "meta.json").read_text())["scores"]
    assert last["pending"] is None


def test_sensor_lines_carry_the_receive_time(folder):
    lines = (folder / "sensors.txt").read_text().splitlines()
    for line in lines:
        received_s, text = line.split(" ")
        assert float(received_s) >= 0
        decode(text)
    assert len(lines) > 10


def test_the_truth_alone_needs_no_video(tmp_path):
    assert run(*OPTIONS, "--strokes", 3, "--out", tmp_path, "--no-video", "--no-sensors", "--size", "320x180") == 0
    assert {path.name for path in tmp_path.iterdir()} == {"truth.jsonl", "table.toml", "shots.jsonl", "meta.json"}


@pytest.mark.parametrize(
    ("changes", "code", "word"),
    [
        (["--game", "chess"], 2, "chess"),
        (["--strokes", "0"], 2, "strokes"),
        (["--difficulty", "brutal"], 2, "difficulty"),
        (["--size", "333x200"], 2, "333x200"),
        (["--size", "big"], 2, "big"),
        (["--table", "100", "50"], 2, "impossible"),
        (["--table", "1500", "700"], 2, "too small"),
        (["--seed", "-1"], 2, "seed"),
        (["--out", "/proc/nowhere"], 1, "/proc/nowhere"),
        (["--fps", "10000"], 2, "fps"),
        (["--camera", "1420", "0", "300"], 2, "in the table"),
        (["--camera", "9000", "0", "1500"], 2, "degrees"),
        (["--size", "99998x55554"], 2, "99998x55554"),
        (["--case", "late-drop"], 2, "late-drop"),
    ],
)
def test_refuses_in_one_line_and_writes_nothing(tmp_path, capsys, changes, code, word):
    out = tmp_path / "out"
    assert run(*OPTIONS, "--strokes", "2", "--out", out, *changes) == code
    error = capsys.readouterr().err
    assert word in error
    assert error.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--case", "earthquake"], "earthquake"),
        (["--case", "late-drop", "--table", "2840", "1420"], "its own"),
        (["--dataset", "--scenes", "2"], "3 scenes"),
        (["--dataset", "--game", "chess"], "chess"),
        (["--game", "kaisa"], "--strokes"),
        (["--strokes", "3"], "--game"),
        ([], "--game"),
        (["--game", "small-pyramid", "--strokes", "2", "--difficulty", "brutal"], "brutal"),
    ],
)
def test_other_wrong_uses_are_refused_in_one_line_too(tmp_path, capsys, options, word):
    out = tmp_path / "out"
    assert run("simulate", *options, "--out", out) == 2
    error = capsys.readouterr().err
    assert word in error
    assert error.count("\n") == 1
    assert not out.exists()


def test_the_cases_are_listed_with_what_they_are_about(capsys):
    assert run("simulate", "--list-cases") == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 30
    assert any(line.startswith("late-drop ") and "pocket" in line for line in lines)


def test_a_case_is_written_like_a_match_and_loses_the_pictures_it_should(tmp_path):
    options = ["--seed", 4, "--fps", 5, "--size", "320x180", "--out", tmp_path]
    assert run("simulate", "--case", "lost-pictures", *options) == 0
    meta = json.loads((tmp_path / "meta.json").read_text())
    assert meta["case"] == "lost-pictures"
    assert meta["frames"] < int(meta["duration_s"] * 5)
    camera, times_s = open_camera(str(tmp_path / "video.mp4")), []
    while (frame := camera.read()) is not None:
        times_s.append(frame.t_ns / 1e9)
    camera.close()
    assert len(times_s) == meta["frames"]
    assert max(after - before for before, after in pairwise(times_s)) > 0.9


def test_a_data_set_is_written(tmp_path, capsys):
    options = ["--scenes", 3, "--pictures", 2, "--game", "kaisa", "--difficulty", "easy", "--size", "320x180"]
    assert run("simulate", "--dataset", *options, "--out", tmp_path) == 0
    assert "train 2, val 2, test 2 pictures" in capsys.readouterr().out
    assert len(list((tmp_path / "images").rglob("*.jpg"))) == 6


def test_a_camera_is_put_where_it_is_wanted(tmp_path):
    place = ["--camera", "1420", "-1500", "2600"]
    options = ["--strokes", 1, "--no-video", "--size", "320x180", "--out", tmp_path]
    assert run(*OPTIONS, *options, *place) == 0
    center_mm = load_table_file(tmp_path / "table.toml").camera.center_mm
    assert center_mm == pytest.approx((1420, -1500, 2600), abs=0.1)
