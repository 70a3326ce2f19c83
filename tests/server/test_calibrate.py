"""The command `cuemarker calibrate`: what it writes, and that it writes nothing when it should not."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from calibration.camera import CameraModel
from calibration.mapping import PlaneMap
from calibration.store import load_table_file
from scoring.balls import Ball
from scoring.errors import CuemarkerError
from server.commands.calibrate import calibrate

LENGTH, WIDTH, NOSE = 2840.0, 1420.0, 0.635 * 61.5
FINE = 3
CAMERA = CameraModel(
    size_px=(960, 540),
    matrix=np.array([[700.0, 0, 479.5], [0, 700.0, 269.5], [0, 0, 1]]),
    distortion=np.zeros(5),
    rotation=np.array([np.pi - 0.1, 0, 0]),
    translation=np.array([-1420.0, 0.0, 2900.0]),
)


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A carom table: wood, cushion tops, the dark under the noses, the bed."""
    drawing = np.full((540 * FINE, 960 * FINE, 3), 60, dtype=np.uint8)
    layers = (
        (150, NOSE + 5, (40, 60, 110)),
        (50, NOSE, (190, 110, 60)),
        (0, NOSE, (80, 45, 25)),
        (-25, NOSE, (175, 100, 55)),
    )
    for out_mm, height_mm, colour in layers:
        half, end = WIDTH / 2 + out_mm, LENGTH + out_mm
        corners = PlaneMap(CAMERA, height_mm).to_px([(-out_mm, -half), (-out_mm, half), (end, half), (end, -half)])
        cv2.fillPoly(drawing, [np.round((corners + 0.5) * FINE - 0.5).astype(np.int32)], colour)
    small = cv2.resize(drawing, (960, 540), interpolation=cv2.INTER_AREA)
    noise = np.random.default_rng(1).normal(0, 2, small.shape)
    path = tmp_path_factory.mktemp("pictures") / "table.png"
    cv2.imwrite(str(path), np.clip(cv2.GaussianBlur(small, (0, 0), 0.7) + noise, 0, 255).astype(np.uint8))
    return path


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(calibrate, [str(argument) for argument in arguments])


def test_a_picture_gives_a_table_file_that_projects_to_its_pixels(picture: Path, tmp_path: Path) -> None:
    out = tmp_path / "hall-1.toml"
    result = _run(
        *("--source", picture, "--length", 2840, "--width", 1420, "--ball", 61.5, "--house", "left"),
        *("--balls", "white,yellow,red", "--out", out),
    )
    assert result.exit_code == 0, result.output
    assert "corner FL: a ball's centre to" in result.output
    assert "verdict: pass" in result.output
    # a carom table without sights shows too little to watch the camera by, and that is told
    assert (tmp_path / "hall-1.patches.npz").exists() != ("drift: will not be noticed" in result.output)
    table_file = load_table_file(out)
    assert table_file.name == "hall-1"
    assert table_file.source == str(picture)
    assert table_file.table.pockets is None
    assert table_file.ball_set.balls == (Ball("white"), Ball("yellow"), Ball("red"))
    assert table_file.certificate is not None
    assert set(table_file.certificate.pocket_error_mm) == {"FL", "FR", "RL", "RR"}
    noses = [(0, WIDTH / 2, NOSE), (LENGTH, -WIDTH / 2, NOSE)]
    camera = table_file.camera
    pixels, _ = cv2.projectPoints(
        np.array(noses), camera.rotation, camera.translation, camera.matrix, camera.distortion
    )
    assert np.abs(pixels[:, 0] - CAMERA.project(noses)).max() < 1.0


def test_a_person_may_say_that_there_are_pockets_and_which(picture: Path, tmp_path: Path) -> None:
    out = tmp_path / "table.toml"
    result = _run(
        *("--source", picture, "--length", 2840, "--width", 1420, "--pockets", "six", "--corner-mouth", 73),
        *("--name", "Table 3", "--out", out),
    )
    assert result.exit_code == 0, result.output
    table_file = load_table_file(out)
    assert table_file.name == "Table 3"
    assert table_file.table.pockets is not None
    assert table_file.table.pockets.corner_mm == 73


def test_no_table_is_an_error_and_leaves_an_older_file_alone(tmp_path: Path) -> None:
    source, out = tmp_path / "black.png", tmp_path / "table.toml"
    cv2.imwrite(str(source), np.zeros((480, 640, 3), dtype=np.uint8))
    out.write_text("older")
    result = _run("--source", source, "--length", 2840, "--width", 1420, "--out", out)
    assert isinstance(result.exception, CuemarkerError)
    assert "no table" in str(result.exception)
    assert out.read_text() == "older"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["black.png", "table.toml"]


def test_a_table_of_other_proportions_is_refused_and_nothing_is_written(picture: Path, tmp_path: Path) -> None:
    out = tmp_path / "table.toml"
    result = _run("--source", picture, "--length", 2840, "--width", 2600, "--out", out)
    assert isinstance(result.exception, CuemarkerError)
    assert "nothing is written" in str(result.exception)
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--length", "-5", "--width", "1420"), "length"),
        (("--length", "nan", "--width", "1420"), "length"),
        (("--length", "1420", "--width", "2840"), "impossible"),
        (("--length", "2840", "--width", "1420", "--ball", "700"), "impossible"),
        (("--length", "2840", "--width", "1420", "--house", "north"), "house"),
        (("--length", "2840", "--width", "1420", "--balls", "red,red"), "each ball once"),
        (("--length", "2840", "--width", "1420", "--balls", "Red Ball"), "no ball is called"),
        (("--length", "2840"), "width"),
        (("--view", "front"), "--length and --width"),
        (("--length", "2840", "--width", "1420", "--view", "front", "--house", "left"), "leave --house out"),
    ],
)
def test_wrong_use_is_told_before_the_source_is_opened(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = _run("--source", tmp_path / "absent.png", *arguments, "--out", tmp_path / "table.toml")
    assert result.exit_code == 2
    assert message in result.output


def test_a_missing_folder_and_a_missing_source_are_told(tmp_path: Path) -> None:
    size = ("--length", "2840", "--width", "1420")
    result = _run("--source", tmp_path / "absent.png", *size, "--out", tmp_path / "none" / "table.toml")
    assert result.exit_code == 2
    result = _run("--source", tmp_path / "absent.png", *size, "--out", tmp_path / "table.toml")
    assert isinstance(result.exception, CuemarkerError)


def test_help_shows_an_example() -> None:
    assert "cuemarker calibrate --source" in _run("--help").output


def test_an_earlier_calibration_is_listed_and_brought_back(picture: Path, tmp_path: Path) -> None:
    out = tmp_path / "table.toml"
    size = ("--length", 2840, "--width", 1420, "--ball", 61.5, "--out", out)
    assert "has no earlier calibration" in _run("--history", "--out", out).output
    for name in ("first", "second"):
        result = _run("--source", picture, *size, "--name", name)
        assert result.exit_code == 0, result.output
    assert "house: taken to be at the left" in result.output
    listed = _run("--history", "--out", out)
    assert listed.output.startswith("1: ")
    assert "pass" in listed.output
    assert _run("--restore", 1, "--out", out).exit_code == 0
    assert load_table_file(out).name == "first"
    assert isinstance(_run("--restore", 7, "--out", out).exception, CuemarkerError)


def test_a_board_is_printed_without_a_source(tmp_path: Path) -> None:
    result = _run("--print-board", tmp_path / "board.pdf")
    assert result.exit_code == 0, result.output
    assert "squares 40 mm" in result.output
    assert (tmp_path / "board.pdf").read_bytes().startswith(b"%PDF")
    assert _run("--length", 2840, "--width", 1420).exit_code == 2
