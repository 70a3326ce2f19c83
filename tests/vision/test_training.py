"""Making the ball finder: crops, labels from footage, and (nightly) an epoch of real training."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from calibration.camera import CameraModel
from calibration.table_file import BallSet, TableFile
from hardware.frame import Frame
from hardware.virtual.dataset import DatasetPlan, write_dataset
from hardware.virtual.difficulty import Difficulty
from scoring.table import Table
from server.commands.train import train
from server.errors import ServerError
from vision.detectors.ball_net import BALL_PX, CLASSES
from vision.errors import VisionError
from vision.training import network
from vision.training.crops import CROP_PX, CropPlan, cut_crops
from vision.training.labels import write_labels
from vision.training.network import NETWORK, Agreement, Trained, TrainPlan
from vision.training.network import train as train_network

ROOT = Path(__file__).parents[2]
TABLE = Table(length_mm=2840, width_mm=1420)
CAMERA = CameraModel(
    size_px=(1280, 680),
    matrix=np.array([[1260.0, 0, 640], [0, 1260.0, 340], [0, 0, 1]]),
    distortion=np.zeros(5),
    rotation=np.array([np.pi, 0.0, 0.0]),
    translation=np.array([-1420.0, 0.0, 3000.0]),
)
BALLS_PX = ((300, 200), (520, 420), (900, 300))


def picture(balls=BALLS_PX):
    pixels = np.full((680, 1280, 3), (70, 120, 30), np.uint8)
    for place in balls:
        cv2.circle(pixels, (place[0] * 16, place[1] * 16), 14 * 16, (210, 230, 235), -1, cv2.LINE_AA, 4)
    return pixels


@pytest.fixture
def dataset(tmp_path):
    """Two pictures to train on and one to validate, with a ball of each size, a hand and a pocket."""
    folder = tmp_path / "set"
    for split, count in (("train", 2), ("val", 1)):
        for part in ("images", "labels"):
            (folder / part / split).mkdir(parents=True)
        for number in range(count):
            cv2.imwrite(str(folder / "images" / split / f"{number}.jpg"), picture())
            lines = [f"0 {x / 1280} {y / 680} {28 / 1280} {28 / 680}" for x, y in BALLS_PX]
            lines += ["1 0.41 0.62 0.03 0.05", "2 0.02 0.02 0.03 0.05"]
            (folder / "labels" / split / f"{number}.txt").write_text("\n".join(lines))
    (folder / "data.yaml").write_text("path: .\nnames:\n  0: red\n  1: hand\n  2: pocket\n")
    return folder


def labels_in(folder):
    return [
        [float(part) for part in line.split()]
        for path in sorted(folder.rglob("labels/train/*.txt"))
        for line in path.read_text().splitlines()
    ]


def test_crops_show_balls_at_the_size_that_they_have_at_run_time(dataset, tmp_path):
    cut_crops(dataset, tmp_path / "crops", CropPlan(seed=1, each=20))
    whole = [row for row in labels_in(tmp_path / "crops") if row[0] == 0 and 0.1 < min(row[1:3]) < max(row[1:3]) < 0.9]
    sizes = np.array([row[3] * CROP_PX for row in whole])
    assert len(sizes) > 20
    assert sizes.min() > 0.7 * BALL_PX
    assert sizes.max() < 1.5 * BALL_PX
    assert np.median(sizes) == pytest.approx(BALL_PX, rel=0.15)


def test_the_finder_is_taught_balls_and_people_and_no_pockets(dataset, tmp_path):
    data = cut_crops(dataset, tmp_path / "crops", CropPlan(seed=1, each=20))
    assert {CLASSES[int(row[0])] for row in labels_in(tmp_path / "crops")} == {"ball", "person"}
    assert "0: ball" in data.read_text()


def test_one_seed_gives_the_same_crops_and_another_gives_others(dataset, tmp_path):
    told = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        cut_crops(dataset, tmp_path / name, CropPlan(seed=seed, each=2))
        told.append([path.read_bytes() for path in sorted((tmp_path / name).rglob("*.png"))])
    assert told[0] == told[1]
    assert told[0] != told[2]


def test_a_folder_that_is_no_data_set_is_refused_by_name(tmp_path):
    with pytest.raises(VisionError, match=f"{tmp_path} holds no data.yaml"):
        cut_crops(tmp_path, tmp_path / "crops", CropPlan(seed=1))


def table_file():
    return TableFile(name="t", table=TABLE, camera=CAMERA, ball_set=BallSet())


def frames_of(pictures):
    return [Frame(t_ns=index * 33_000_000, index=index, pixels=each) for index, each in enumerate(pictures)]


def test_footage_is_labelled_where_contrast_is_sure_and_drawn_on_a_sheet(tmp_path):
    still = picture()
    labelled = write_labels(frames_of([still.copy() for _ in range(16)]), table_file(), tmp_path / "labels")
    assert labelled.balls == 3 * labelled.pictures > 0
    first = min((tmp_path / "labels" / "labels" / "train").glob("*.txt")).read_text().splitlines()
    places = sorted((float(x) * 1280 - 0.5, float(y) * 680 - 0.5) for _, x, y, *_ in map(str.split, first))
    assert np.abs(np.array(places) - sorted(BALLS_PX)).max() < 0.3
    assert cv2.imread(str(labelled.sheet)) is not None


def test_footage_that_is_never_sure_is_refused(tmp_path):
    restless = [picture(BALLS_PX[: index % 3]) for index in range(16)]
    with pytest.raises(VisionError, match="too few frames"):
        write_labels(frames_of(restless), table_file(), tmp_path / "labels")


def test_training_without_the_extra_says_how_to_install_it(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ultralytics", None)
    with pytest.raises(VisionError, match=r"pip install -e '\.\[train\]'"):
        train_network(TrainPlan(data=tmp_path / "data.yaml", out=tmp_path))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "name one of"),
        (["--fine-tune", "a.mp4"], "--table"),
        (["--fine-tune", "a.mp4", "--import", str(NETWORK)], "name one of"),
    ],
)
def test_wrong_use_is_told_in_a_line(arguments, says, tmp_path):
    result = CliRunner().invoke(train, [*arguments, "--out", str(tmp_path)])
    assert result.exit_code == 2
    assert says in result.output


@pytest.mark.parametrize(
    ("agreement", "is_equal"),
    [
        (Agreement(boxes=9, odd_boxes=0, most_px=0.1, most_score=0.001), True),
        (Agreement(boxes=0, odd_boxes=0, most_px=0.0, most_score=0.0), False),
        (Agreement(boxes=9, odd_boxes=1, most_px=0.1, most_score=0.001), False),
        (Agreement(boxes=9, odd_boxes=0, most_px=0.6, most_score=0.001), False),
        (Agreement(boxes=9, odd_boxes=0, most_px=0.1, most_score=0.02), False),
    ],
)
def test_boxes_are_equal_only_when_all_of_them_are(agreement, is_equal):
    assert agreement.is_equal is is_equal


def test_a_network_that_finds_nothing_is_not_called_equal(monkeypatch, tmp_path):
    nothing = Agreement(boxes=0, odd_boxes=0, most_px=0.0, most_score=0.0)
    monkeypatch.setattr(network, "compare", lambda *_: nothing)
    monkeypatch.setattr(network, "export", lambda *_: None)
    weights = tmp_path / "best.pt"
    weights.write_bytes(b"")
    monkeypatch.setattr(network, "resume", lambda _: Trained(weights=weights, epochs=1, map50=0.7, map50_95=0.4))
    result = CliRunner().invoke(train, ["--resume", "--out", str(tmp_path)])
    assert isinstance(result.exception, ServerError)
    assert "finds no ball" in str(result.exception)


def training_python(folder):
    """An interpreter with the extra: the one that is named, or one in an environment made for it (gigabytes)."""
    named = os.environ.get("CUEMARKER_TRAIN_PYTHON")
    if named:
        return named
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "-q", "-e", f"{ROOT}[train]"], check=True, timeout=1500)
    return python


@pytest.mark.nightly
@pytest.mark.timeout(2400)
def test_an_epoch_of_training_gives_a_network_whose_boxes_are_those_of_ultralytics(tmp_path):
    dataset = tmp_path / "halls"
    plan = DatasetPlan(seed=5, scenes=3, pictures=4, games=("kaisa",), difficulties=(Difficulty.EASY,))
    write_dataset(plan, dataset)
    python, out = training_python(tmp_path / "venv"), tmp_path / "trained"
    start = ROOT / "vision" / "models" / "balls.pt"
    shutil.copyfile(start, tmp_path / "start.pt")
    command = [python, "-c", "from server.cli import main; main()", "train", str(dataset), "--out", str(out)]
    command += ["--epochs", "1", "--crops", "12", "--start", str(tmp_path / "start.pt")]
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    env = os.environ | {"PYTHONPATH": paths, "YOLO_CONFIG_DIR": str(tmp_path), "OMP_NUM_THREADS": "1"}
    told = subprocess.run(command, capture_output=True, text=True, env=env, cwd=tmp_path, timeout=800, check=False)
    assert told.returncode == 0, told.stderr
    line = told.stdout.strip().splitlines()[-1]
    assert "1 epochs" in line
    assert "boxes equal those of" in line
    assert int(line.split("; ")[-1].split()[0]) > 5
    assert (out / "finder.onnx").stat().st_size < 3_000_000
