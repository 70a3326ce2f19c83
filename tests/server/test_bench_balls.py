"""Balls marked in real pictures: what is counted, and that nothing is left out silently."""

from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from calibration.camera import CameraModel
from calibration.errors import CalibrationError
from calibration.table_file import BallSet, TableFile
from hardware.frame import Frame
from scoring.table import Table
from server.bench import balls
from server.bench.balls import BallCount
from server.bench.footage import SORTS, Footage, Spread

FILE = TableFile(
    name="t",
    table=Table(length_mm=2840, width_mm=1420, ball_mm=61.5, pockets=None),
    camera=CameraModel(
        size_px=(1280, 680),
        matrix=np.array([[1260.0, 0, 640], [0, 1260.0, 340], [0, 0, 1]]),
        distortion=np.zeros(5),
        rotation=np.array([np.pi, 0.0, 0.0]),
        translation=np.array([-1420.0, 0.0, 3000.0]),
    ),
    ball_set=BallSet(),
)
CLIP = Footage(
    name="clip",
    video=Path("clip.mp4"),
    sort=SORTS[0],
    fps=30.0,
    corners_px={"TL": (0.0, 0.0)},
    unsure_corners=frozenset(),
    moves=False,
    seen=(),
    near_misses=(),
    spreads=(Spread(frame=0, count=1, marked=(("white", (640.0, 340.0)),)),),
    tracks={},
)


def refused(_):
    message = "13 sights lie elsewhere"
    raise CalibrationError(message)


@pytest.fixture
def _clip(monkeypatch):
    """One recording without balls on its table, whose calibration is refused."""
    pixels = np.full((680, 1280, 3), (70, 120, 30), np.uint8)

    @contextmanager
    def opened(_):
        frames = [Frame(t_ns=0, index=0, pixels=pixels)]
        yield SimpleNamespace(read=lambda: frames.pop() if frames else None)

    monkeypatch.setattr(balls, "open_camera", opened)
    monkeypatch.setattr(balls, "footage_in", lambda _: [CLIP])
    monkeypatch.setattr(balls, "calibrated", refused)
    monkeypatch.setattr(balls, "WAYS", ("contrast",))


def test_each_marked_ball_takes_one_and_what_is_left_is_false():
    count = BallCount(source="s", way="w")
    true, told = np.array([[0.0, 0.0], [50.0, 0.0]]), np.array([[1.0, 0.0], [2.0, 0.0], [90.0, 0.0]])
    count.add(true, told, 8.0)
    assert (count.recall, round(count.precision, 3), count.error_px, count.false) == (0.5, 0.333, 1.0, 2)


@pytest.mark.usefixtures("_clip")
def test_a_clip_whose_calibration_is_refused_is_measured_by_its_marked_corners_and_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(balls, "calibrated_by_corners", lambda _: FILE)
    (count,) = balls.count_balls(tmp_path)
    assert (count.way, count.pictures, count.true, count.found) == ("contrast", 1, 1, 0)
    assert "marked" in count.note
    assert "13 sights lie elsewhere" in count.note


@pytest.mark.usefixtures("_clip")
def test_a_clip_that_cannot_be_measured_is_told_of(monkeypatch, tmp_path):
    monkeypatch.setattr(balls, "calibrated_by_corners", refused)
    (count,) = balls.count_balls(tmp_path)
    assert (count.pictures, count.note) == (0, "not measured: 13 sights lie elsewhere")
