"""`cuemarker simulate`: files as the contract names them, refusals in one line."""

import json

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
    assert names == {"video.mp4", "truth.jsonl", "table.toml", "sensors.txt", "shots.jsonl", "meta.json"}


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
    ],
)
def test_refuses_in_one_line_and_writes_nothing(tmp_path, capsys, changes, code, word):
    out = tmp_path / "out"
    assert run(*OPTIONS, "--strokes", "2", "--out", out, *changes) == code
    error = capsys.readouterr().err
    assert word in error
    assert error.count("\n") == 1
    assert not out.exists()
