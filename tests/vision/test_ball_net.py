"""The ball finder's network: what it opens, what it refuses, and that it needs no training software."""

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import vision
from calibration.table_file import TableFile
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import make_view
from scoring.table import Table
from vision.detectors.ball_net import BALL_PX, BallNet
from vision.detectors.net_view import NetView
from vision.detectors.outline import SphereOutline
from vision.errors import VisionError

TABLE = Table(length_mm=2840, width_mm=1420)
SHIPPED = Path(vision.__file__).parent / "models" / "balls.onnx"
ROOT = SHIPPED.parents[2]
TRAINING = ("torch", "ultralytics", "onnx")
ROOMS = ("vision", "server", "hardware", "calibration", "scoring")


@pytest.mark.parametrize("difficulty", list(Difficulty))
def test_balls_are_given_to_the_network_at_the_size_that_it_was_trained_on(difficulty):
    camera = make_view(TABLE, 5, difficulty)
    outline = SphereOutline(camera, TABLE.ball_radius_mm)
    view = NetView.of(camera, TABLE, outline)
    middle = outline.project(np.array([[TABLE.length_mm / 2, 0.0]]))
    scale = view.scaled_px[0] / view.size_px[0]
    assert 2 * middle.radii_px[0] * scale == pytest.approx(BALL_PX, rel=0.15)


def test_a_place_in_the_networks_picture_is_where_the_camera_saw_it():
    camera = make_view(TABLE, 5, Difficulty.EASY)
    view = NetView.of(camera, TABLE, SphereOutline(camera, TABLE.ball_radius_mm))
    x, y = 640, 300
    picture = np.zeros((camera.size_px[1], camera.size_px[0], 3), np.uint8)
    picture[y - 6 : y + 7, x - 6 : x + 7] = 255
    cut = view.cut(picture)[..., 0].astype(float)
    rows, columns = np.mgrid[: cut.shape[0], : cut.shape[1]]
    place = (cut * columns).sum() / cut.sum(), (cut * rows).sum() / cut.sum()
    ((left, top, _, _),) = view.to_picture(np.array([[*place, *place]]))
    assert (left, top) == (pytest.approx(x, abs=0.2), pytest.approx(y, abs=0.2))


def test_a_network_that_insists_on_a_size_gets_the_table_whole():
    camera = make_view(TABLE, 5, Difficulty.EASY)
    view = NetView.of(camera, TABLE, SphereOutline(camera, TABLE.ball_radius_mm), (320, 256))
    assert view.scaled_px[0] <= 320
    assert view.scaled_px[1] <= 256
    assert view.size_px[0] / view.size_px[1] == pytest.approx(view.scaled_px[0] / view.scaled_px[1], rel=0.02)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("none.onnx", None, "there is no model"),
        ("torn.onnx", SHIPPED.read_bytes()[:1000], "no ONNX model that can be read"),
        ("text.onnx", b"not a model", "no ONNX model that can be read"),
        ("cats.onnx", SHIPPED.read_bytes().replace(b"0: 'ball'", b"0: 'cats'"), "finds cats, person, but no balls"),
        ("mute.onnx", SHIPPED.read_bytes().replace(b"names", b"numes"), "does not say what its classes are"),
    ],
)
def test_what_is_no_ball_finder_is_refused_in_one_line_that_names_the_file(tmp_path, name, content, says):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(VisionError, match=says) as refusal:
        BallNet(path)
    assert str(path) in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_an_empty_picture_holds_no_balls():
    found = BallNet().find(np.full((200, 300, 3), 90, np.uint8), 0.4)
    assert not len(found.balls)


def test_looking_with_the_network_loads_no_training_software():
    script = (
        "import sys, server.cli, server.watching, vision.pipeline, vision.detectors.fused\n"
        "from vision.detectors.ball_net import BallNet\n"
        "BallNet()\n"
        f"print([name for name in {TRAINING!r} if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert told.stdout.strip() == "[]"


def test_only_training_names_the_training_software():
    guilty = [
        path.relative_to(ROOT).as_posix()
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
        if any(word in (text := path.read_text(encoding="utf-8")) for word in TRAINING)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names])
        if name.split(".")[0] in TRAINING
    ]
    assert guilty
    run_elsewhere = "server/bench/peer_ultralytics.py"  # a script for the Python that has it, never imported
    assert all(path.startswith("vision/training/") or path == run_elsewhere for path in guilty)


def test_a_table_file_is_all_that_the_view_needs():
    camera = make_view(TABLE, 3, Difficulty.HARD)
    file = TableFile(name="t", table=TABLE, camera=camera)
    view = NetView.of(file.camera, file.table, SphereOutline(camera, TABLE.ball_radius_mm))
    x, y = view.origin_px
    assert x >= 0
    assert y >= 0
    assert x + view.size_px[0] <= camera.size_px[0]
    assert y + view.size_px[1] <= camera.size_px[1]
