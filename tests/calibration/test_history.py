"""Earlier calibrations: kept, listed, brought back, and never replaced by a refused one."""

import datetime as dt
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.camera import CameraModel
from calibration.drift import patches_path
from calibration.errors import TableFileError
from calibration.history import KEPT, earlier_calibrations, keep_table_file, restore_calibration
from calibration.store import load_table_file
from calibration.table_file import Certificate, TableFile
from scoring.table import Pocket, Table

CAMERA = CameraModel(
    size_px=(960, 540),
    matrix=np.array([[700.0, 0, 479.5], [0, 700.0, 269.5], [0, 0, 1]]),
    distortion=np.zeros(5),
    rotation=np.array([np.pi - 0.1, 0, 0]),
    translation=np.array([-1420.0, 0.0, 2900.0]),
)
CERTIFICATE = Certificate(
    date=dt.datetime(2026, 1, 2, tzinfo=dt.UTC), rms_px=0.2, pocket_error_mm={Pocket.FL: 1.0}, verdict="pass"
)


def _file(name: str) -> TableFile:
    return TableFile(name=name, table=Table(), camera=CAMERA, certificate=CERTIFICATE)


def test_the_file_that_was_there_is_kept_and_can_be_brought_back(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    for name in ("first", "second", "third"):
        keep_table_file(_file(name), path)
    assert [each.table_file.name for each in earlier_calibrations(path)] == ["second", "first"]
    restore_calibration(path, 2)
    assert load_table_file(path).name == "first"
    assert [each.table_file.name for each in earlier_calibrations(path)] == ["third", "second", "first"]


def test_a_refused_calibration_is_never_stored_over_a_good_one(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    keep_table_file(_file("good"), path)
    refused = replace(_file("bad"), certificate=replace(CERTIFICATE, verdict="refuse", reasons=("too far off",)))
    with pytest.raises(TableFileError, match="too far off"):
        keep_table_file(refused, path)
    assert load_table_file(path).name == "good"
    assert not earlier_calibrations(path)


def test_only_the_latest_are_kept_and_an_unknown_number_is_told(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    for number in range(KEPT + 3):
        keep_table_file(_file(f"n{number}"), path)
    earlier = earlier_calibrations(path)
    assert len(earlier) == KEPT
    assert earlier[0].table_file.name == f"n{KEPT + 1}"
    with pytest.raises(TableFileError, match="no earlier calibration 99"):
        restore_calibration(path, 99)


def test_something_else_under_the_name_is_kept_but_not_offered(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text("older notes")
    keep_table_file(_file("new"), path)
    assert not earlier_calibrations(path)
    assert next((tmp_path / ".table.toml.earlier").iterdir()).read_text() == "older notes"


def test_patches_stay_with_their_calibration(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    for name in ("first", "second"):
        keep_table_file(_file(name), path)
        assert not patches_path(path).exists()
        patches_path(path).write_bytes(name.encode())
    restore_calibration(path, 1)
    assert patches_path(path).read_bytes() == b"first"
    restore_calibration(path, 1)
    assert load_table_file(path).name == "second"
    assert patches_path(path).read_bytes() == b"second"
