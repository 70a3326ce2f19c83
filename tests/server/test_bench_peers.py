"""Other ways of following balls: what is counted, OpenCV alone finds discs, a peer that fails is told in one line."""

import json
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.camera import CameraModel
from calibration.table_file import BallSet, TableFile
from scoring.table import Table
from server.accuracy import BallTruth
from server.bench import peers
from server.bench.peer_opencv import OpencvPeer
from server.bench.peers import Looked, PeerFigures, figures_of, trained_side_px
from server.cli import main
from server.errors import ServerError


def ball(x, y, *, is_required=True):
    return BallTruth(center_px=(x, y), is_required=is_required)


def test_a_ball_is_found_within_some_pixels_each_place_counts_for_one_and_hidden_balls_need_not_be_found():
    truth = [[ball(100, 100), ball(102, 100), ball(300, 300, is_required=False)], [ball(50, 50)]]
    looked = Looked(name="one", centers=[[[101, 101], [301, 300], [600, 10]], []], cpu_s=0.5, peak_mb=80.0)
    figures = figures_of(looked, truth)
    assert (figures.balls, figures.found, figures.false) == (3, 1, 1)
    assert (figures.frames, figures.cpu_ms) == (2, 250.0)


def test_opencv_alone_finds_balls_that_lie_and_one_that_rolls():
    field = np.array([(0, 0), (500, 0), (500, 300), (0, 300)], np.float32)
    peer = OpencvPeer(radius_px=14.0, field_px=field)
    for step in range(6):
        picture = np.full((300, 700, 3), (60, 120, 40), np.uint8)
        places = [(100, 80), (300, 200), (60 + 30 * step, 250)]
        for place in (*places, (640, 80)):
            cv2.circle(picture, place, 14, (235, 240, 245), -1, cv2.LINE_AA)
        found = peer.look(picture)
    for place in places:
        assert min(np.hypot(*(one - place)) for one in found) < 3
    assert len(found) <= 4
    assert all(x <= 500 for x, _ in found)


@pytest.mark.parametrize(
    ("script", "words"), [("raise ImportError('no such module')", "no such module"), ("pass", "it says nothing")]
)
def test_a_peer_that_fails_is_told_in_one_line(monkeypatch, tmp_path, script, words):
    path = tmp_path / "peer.py"
    path.write_text(script)
    monkeypatch.setattr(peers, "_SCRIPT", path)
    with pytest.raises(ServerError, match=words):
        peers._ultralytics(tmp_path / "video.mp4", Path(sys.executable), tmp_path / "balls.pt", 640)


def test_the_peer_is_given_pictures_in_which_balls_are_as_large_as_those_that_the_network_knows():
    camera = CameraModel(
        size_px=(1280, 680),
        matrix=np.array([[1260.0, 0, 640], [0, 1260.0, 340], [0, 0, 1]]),
        distortion=np.zeros(5),
        rotation=np.array([np.pi, 0.0, 0.0]),
        translation=np.array([-1420.0, 0.0, 3000.0]),
    )
    table = Table(length_mm=2840, width_mm=1420, ball_mm=68.0)
    side_px = trained_side_px(TableFile(name="t", table=table, camera=camera, ball_set=BallSet()))
    assert side_px == 704
    assert 68.0 * 1260 / (3000 - 34) * side_px / 1280 == pytest.approx(16, abs=0.2)


def test_what_the_peer_writes_is_read(monkeypatch, tmp_path):
    path = tmp_path / "peer.py"
    path.write_text(
        "import json, pathlib, sys\n"
        "told = {'centers': [[[1.0, 2.0]]], 'cpu_s': 0.2, 'peak_mb': 900.0}\n"
        "pathlib.Path(sys.argv[3]).write_text(json.dumps(told))\n"
    )
    monkeypatch.setattr(peers, "_SCRIPT", path)
    looked = peers._ultralytics(tmp_path / "video.mp4", Path(sys.executable), tmp_path / "balls.pt", 640)
    assert (looked.cpu_ms, looked.peak_mb, looked.centers) == (200.0, 900.0, [[[1.0, 2.0]]])


def test_the_command_shows_every_way_and_wants_python_and_model_together(monkeypatch, tmp_path, capsys):
    figures = PeerFigures(name="one", frames=10, cpu_ms=4.0, peak_mb=100.0, balls=50, found=49, false=5)
    monkeypatch.setattr(peers, "compare_peers", lambda *_: [figures])
    for arguments, code in (([], 0), (["--json"], 0), (["--peer-python", sys.executable], 2)):
        with pytest.raises(SystemExit) as exit_:
            main(["bench", "peers", str(tmp_path), *arguments])
        assert exit_.value.code == code
        told = capsys.readouterr()
        if arguments == ["--json"]:
            assert json.loads(told.out)["ways"][0]["found"] == 49
        elif code:
            assert "--peer-model" in told.err
        else:
            assert "0.9800 of 50" in told.out
