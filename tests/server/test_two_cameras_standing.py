"""Two cameras over one table in service: each is locked as it was calibrated, and the one that differs is named."""

import datetime as dt
from dataclasses import replace

import numpy as np
import pytest

from calibration.store import save_table_file
from calibration.table_file import Certificate, TableFile
from hardware.camera_pair import CameraPair
from hardware.cameras import controls
from hardware.cameras.controls import CameraLock
from hardware.frame import Frame
from hardware.virtual.picture import make_end_view
from scoring.table import Cushion, Table
from server.config import SecondCameraConfig, TableConfig
from server.table_cameras import TableCameras, desks_of
from server.table_process import TableTask

TABLE = Table(length_mm=2840, width_mm=1420)
SOURCES = ("/dev/v4l/by-id/front", "/dev/v4l/by-id/rear")
COVERED_MM = {Cushion.FRONT: (34.0, 1804.0), Cushion.REAR: (1039.0, 2806.0)}


@pytest.fixture
def paths(tmp_path):
    made = []
    for index, (end, source) in enumerate(zip(COVERED_MM, SOURCES, strict=True)):
        certificate = Certificate(
            date=dt.datetime(2026, 1, 2, tzinfo=dt.UTC),
            rms_px=0.2,
            pocket_error_mm={},
            verdict="pass",
            covered_x_mm=COVERED_MM[end],
        )
        made.append(tmp_path / f"{end.value}.toml")
        table_file = TableFile(
            name="One", table=TABLE, camera=make_end_view(TABLE, 1, end), source=source, certificate=certificate
        )
        save_table_file(replace(table_file, controls={"exposure": 40 + index}), made[-1])
    return made


def cameras(paths, count):
    second = SecondCameraConfig(source=SOURCES[1], table_file=paths[1]) if count == 2 else None
    config = TableConfig(id="one", name="One", source=SOURCES[0], table_file=paths[0], second_camera=second)
    task = TableTask(config=config, game="kaisa")
    made = TableCameras.of(task, desks_of(task))
    list(made.load())
    return made


def frame(view, size_px):
    pixels = np.zeros((size_px[1], size_px[0], 3), dtype=np.uint8)
    return Frame(t_ns=1, index=0, pixels=pixels, view=view)


def test_the_one_of_two_cameras_that_sends_another_size_is_named(paths):
    both = cameras(paths, 2)
    pair = both.camera()
    both.show(frame(0, (960, 720)), pair)
    both.show(frame(1, (960, 720)), pair)
    assert both.trouble is None
    both.show(frame(1, (640, 480)), pair)
    trouble, line = both.trouble
    assert trouble == "not_calibrated"
    assert line.startswith(f"camera {SOURCES[1]}: ")
    assert "calibrated at 960x720, the camera gives 640x480" in line


def test_each_of_two_cameras_is_locked_at_its_own_values_when_it_is_opened(paths, monkeypatch):
    locked = []

    def lock_source(source, wanted):
        locked.append((source, dict(wanted)))
        return CameraLock(values=wanted)

    monkeypatch.setattr(controls, "lock_source", lock_source)
    monkeypatch.setattr(controls, "open_camera", lambda *_, **__: None)
    pair = cameras(paths, 2).camera()
    assert isinstance(pair, CameraPair)
    for watch in pair.watches:
        watch.opener(watch.source)
    assert locked == [(SOURCES[0], {"exposure": 40}), (SOURCES[1], {"exposure": 41})]


def test_one_camera_that_sees_one_end_does_not_score_the_table_alone(paths):
    trouble, line = cameras(paths, 1).trouble
    assert trouble == "not_calibrated"
    assert "second_camera" in line
