"""The table file: what is written is read back exactly, and nothing wrong is read at all."""

import datetime as dt
import re
from pathlib import Path

import numpy as np
import pytest

from calibration.camera import CameraModel
from calibration.errors import TableFileError
from calibration.store import load_table_file, save_table_file
from calibration.table_file import BallSet, Certificate, TableFile
from scoring.balls import PYRAMID_SET
from scoring.table import Pocket, PocketMouths, Table


def _table_file(**changes: object) -> TableFile:
    values = {
        "name": 'Hall "A", table 3 — кайза',
        "table": Table(
            length_mm=2840.1, width_mm=1420, ball_mm=68.0, pockets=PocketMouths(corner_mm=72.3, middle_mm=82)
        ),
        "camera": CameraModel(
            size_px=(1920, 1080),
            matrix=np.array([[1401.1 / 3, 0, 959.5], [0, 1401.1 / 3, 539.5], [0, 0, 1]]),
            distortion=np.array([-0.1 / 3, 1e-9, 0, 0, 0]),
            rotation=np.array([np.pi, 1e-17, -0.02]),
            translation=np.array([-1420.0, 0.1 + 0.2, 2500.0]),
        ),
        "source": "/dev/video0",
        "fps": 59.94,
        "certificate": Certificate(
            date=dt.datetime(2026, 2, 3, 4, 5, 6, 789012, tzinfo=dt.UTC),
            rms_px=1 / 7,
            pocket_error_mm={pocket: 1 / (3 + index) for index, pocket in enumerate(Pocket)},
            verdict="warn",
            reasons=("a lamp hides the left cushion",),
            covered_x_mm=(34.0, 1804.0),
        ),
        "ball_set": BallSet(balls=PYRAMID_SET, colours={"cue": (180.5, 40.0, 1 / 3), "numbered": (240, 238, 220)}),
    }
    return TableFile(**(values | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes", [{}, {"certificate": None}, {"table": Table(pockets=None)}, {"ball_set": BallSet()}, {"fps": 0.0}]
)
def test_a_written_file_reads_back_exactly(tmp_path: Path, changes: dict[str, object]) -> None:
    written = _table_file(**changes)
    path = tmp_path / "table.toml"
    save_table_file(written, path)
    read = load_table_file(path)
    for name in ("name", "table", "source", "fps", "certificate", "ball_set"):
        assert getattr(read, name) == getattr(written, name)
    assert read.camera.size_px == written.camera.size_px
    for name in ("matrix", "distortion", "rotation", "translation"):
        assert np.array_equal(getattr(read.camera, name), getattr(written.camera, name))


def test_writing_twice_gives_the_same_bytes_and_leaves_nothing_beside_the_file(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    save_table_file(_table_file(), path)
    first = path.read_bytes()
    save_table_file(load_table_file(path), path)
    assert path.read_bytes() == first
    assert list(tmp_path.iterdir()) == [path]


def test_an_unwritable_place_is_one_line_and_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(TableFileError, match="cannot be written"):
        save_table_file(_table_file(), tmp_path / "absent" / "table.toml")
    (tmp_path / "folder").mkdir()
    with pytest.raises(TableFileError, match="cannot be written"):
        save_table_file(_table_file(), tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize(
    ("pattern", "replacement", "key"),
    [
        (r"length_mm = .*", "", "table.length_mm"),
        (r"length_mm = .*", "length_mm = nan", "table.length_mm"),
        (r"length_mm = .*", 'length_mm = "2840"', "table.length_mm"),
        (r"length_mm = .*", "length_mm = true", "table.length_mm"),
        (r"length_mm = .*", "length_mm = 100.0", "table.length_mm"),
        (r"length_mm = .*", "length_mm = -2840.0", "table.length_mm"),
        (r"length_mm = .*", "length_mm = 2840.0\nheight_mm = 3.0", "table.height_mm"),
        (r"corner_mouth_mm = .*", "corner_mouth_mm = -1.0", "table.corner_mouth_mm"),
        (r"pockets = true", "pockets = false", "table.corner_mouth_mm"),
        (r"pockets = true", "pockets = 6", "table.pockets"),
        (r"size_px = .*", "size_px = [1920.5, 1080]", "camera.size_px"),
        (r"size_px = .*", "size_px = [0, 1080]", "camera.size_px"),
        (r"size_px = .*", "size_px = [1920]", "camera.size_px"),
        (r"fps = .*", "fps = -1", "camera.fps"),
        (r"matrix = \[[^=]*?\n\]", "matrix = [[0, 0, 1], [0, 0, 1], [0, 0, 1]]", "camera.matrix"),
        (r"matrix = \[[^=]*?\n\]", "matrix = [[1000, 0, 1], [0, inf, 1], [0, 0, 1]]", "camera.matrix"),
        (r"matrix = \[[^=]*?\n\]", "matrix = [[1000, 0, 1], [0, 1000], [0, 0, 1]]", "camera.matrix"),
        (r"distortion = .*", "distortion = [0.1, 0.2]", "camera.distortion"),
        (r"rotation = .*", "rotation = [0.1, 0.2, nan]", "camera.rotation"),
        (r"translation = .*", "translation = [0.0, 0.0, -2500.0]", "camera.translation"),
        (r"date = .*", 'date = "yesterday"', "certificate.date"),
        (r"rms_px = .*", "rms_px = -0.5", "certificate.rms_px"),
        (r"FL = .*", "XX = 1.0", "certificate.pocket_error_mm.XX"),
        (r"FL = .*", "FL = -1.0", "certificate.pocket_error_mm.FL"),
        (r"verdict = .*", 'verdict = "fine"', "certificate.verdict"),
        (r"reasons = .*", "reasons = [1]", "certificate.reasons"),
        (r"set = .*", "set = []", "balls.set"),
        (r"set = .*", 'set = ["White 1"]', "balls.set"),
        (r"set = .*", 'set = ["cue", "cue"]', "balls.set"),
        (r"set = .*", 'set = ["ball-?1"]', "balls.set"),
        (r"cue = .*", "cue = [1, 2]", "balls.colours.cue"),
        (r"cue = .*", "cue = [1, 2, 300]", "balls.colours.cue"),
        (r"\[camera\]", "[kamera]", "camera"),
    ],
)
def test_a_wrong_key_is_named_with_file_and_expectation_in_one_line(
    tmp_path: Path, pattern: str, replacement: str, key: str
) -> None:
    path = tmp_path / "table.toml"
    save_table_file(_table_file(), path)
    text, count = re.subn(pattern, replacement, path.read_text(encoding="utf-8"), count=1)
    assert count == 1
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TableFileError) as caught:
        load_table_file(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: {key}: ")
    assert "expected" in message
    assert "\n" not in message


@pytest.mark.parametrize("content", [b"", b"table = 3\n", b"[table\n", b"\xff\xfe\x00", b"[table]\nname = 'x'\n"])
def test_what_is_no_table_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "table.toml"
    path.write_bytes(content)
    with pytest.raises(TableFileError, match="expected"):
        load_table_file(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(TableFileError, match="cannot be read"):
            load_table_file(path)
