"""The table file on disk: TOML that a person can read, read strictly and written atomically (contract, section 6)."""

import contextlib
import os
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar, cast

import numpy as np
import tomlkit
from tomlkit.items import AbstractTable

from calibration.camera import CameraModel
from calibration.errors import TableFileError
from calibration.table_file import BallSet, Certificate, TableFile, Verdict
from calibration.toml_section import Section
from scoring.balls import Ball
from scoring.table import Cushion, Pocket, PocketMouths, Spot, Table

_DISTORTION_LENGTHS = (0, 4, 5, 8, 12, 14)  # what OpenCV's lens models take
_VERDICTS = ("pass", "warn", "refuse")
_Place = TypeVar("_Place", Pocket, Spot, Cushion)


def load_table_file(path: str | os.PathLike[str]) -> TableFile:
    """Read a table file; TableFileError names the file, the key and what is expected there."""
    name = os.fspath(path)
    try:
        document = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        message = f"{name}: cannot be read ({error.strerror or error}), expected a table file made by calibration"
        raise TableFileError(message) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        message = f"{name}: is not TOML ({' '.join(str(error).split())}), expected a table file made by calibration"
        raise TableFileError(message) from error
    root = Section(name, "", document)
    table_name, table = _read_table(root.section("table"))
    source, fps, camera, controls = _read_camera(root.section("camera"))
    certificate = _read_certificate(root.section("certificate")) if "certificate" in root else None
    ball_set = _read_balls(root.section("balls"))
    root.close()
    return TableFile(
        name=table_name,
        table=table,
        camera=camera,
        source=source,
        fps=fps,
        controls=controls,
        certificate=certificate,
        ball_set=ball_set,
    )


def save_table_file(table_file: TableFile, path: str | os.PathLike[str]) -> None:
    """Write a table file in one step: a reader sees the old file or the new one, never half of one."""
    target = Path(path)
    temporary: Path | None = None
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=target.parent, prefix=f".{target.name}.", suffix=".new", delete=False
        ) as file:
            temporary = Path(file.name)
            file.write(_written(table_file))
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(target)
    except OSError as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
        message = f"{target}: cannot be written ({error.strerror or error}), name a file in a folder that can be"
        raise TableFileError(message) from error


def _read_table(section: Section) -> tuple[str, Table]:
    name = section.text("name")
    length_mm, width_mm, ball_mm = (section.number(key) for key in ("length_mm", "width_mm", "ball_mm"))
    mouths = None
    if section.truth("pockets"):
        corner_mm = section.number("corner_mouth_mm", "a width in mm, not negative", least=0.0)
        middle_mm = section.number("middle_mouth_mm", "a width in mm, not negative", least=0.0)
        mouths = PocketMouths(corner_mm=corner_mm, middle_mm=middle_mm)
    section.close()
    try:
        return name, Table(length_mm=length_mm, width_mm=width_mm, ball_mm=ball_mm, pockets=mouths)
    except ValueError as error:
        raise section.wrong(key="length_mm", expected=f"a table on which one can play, but {error}") from error


def _read_camera(section: Section) -> tuple[str, float, CameraModel, dict[str, int]]:
    source = section.text("source")
    width, height = section.numbers("size_px", 2)
    if min(width, height) < 1 or width != int(width) or height != int(height):
        raise section.wrong(key="size_px", expected="width and height of the picture in whole pixels")
    fps = section.number("fps", "pictures per second, 0 when unknown", least=0.0)
    matrix = np.array(section.rows("matrix", (3, 3)))
    if not (np.array_equal(matrix[2], (0, 0, 1)) and matrix[1, 0] == 0 and min(matrix[0, 0], matrix[1, 1]) > 0):
        raise section.wrong(
            key="matrix", expected="a camera matrix: rows [fx, s, cx], [0, fy, cy], [0, 0, 1] with fx and fy above 0"
        )
    distortion = section.numbers("distortion", *_DISTORTION_LENGTHS)
    rotation = section.numbers("rotation", 3)
    translation = section.numbers("translation", 3)
    controls = {}
    if "controls" in section:
        locked = section.section("controls")
        controls = {name: int(locked.number(name)) for name in locked.names()}
    section.close()
    camera = CameraModel(
        size_px=(int(width), int(height)),
        matrix=matrix,
        distortion=np.array(distortion),
        rotation=np.array(rotation),
        translation=np.array(translation),
    )
    if camera.center_mm[2] <= 0:
        raise section.wrong(key="translation", expected="a camera that stands above the cloth")
    return source, fps, camera, controls


def _read_certificate(section: Section) -> Certificate:
    date = section.moment("date")
    rms_px = section.number("rms_px", "a number, not negative", least=0.0)
    pocket_error_mm = _read_errors(section.section("pocket_error_mm"), Pocket, "a pocket")
    spot_error_mm: dict[Spot, float] = {}
    cushion_error_mm: dict[Cushion, float] = {}
    if "spot_error_mm" in section:
        spot_error_mm = _read_errors(section.section("spot_error_mm"), Spot, "a spot")
    if "cushion_error_mm" in section:
        cushion_error_mm = _read_errors(section.section("cushion_error_mm"), Cushion, "a cushion")
    marks = section.number("marks", "how many marks agree", least=0.0) if "marks" in section else 0.0
    coverage = section.number("coverage", "a share, 0 to 1", least=0.0) if "coverage" in section else 0.0
    covered = section.numbers("covered_x_mm", 2) if "covered_x_mm" in section else None
    verdict = section.choice("verdict", _VERDICTS)
    reasons = section.texts("reasons")
    section.close()
    return Certificate(
        date=date,
        rms_px=rms_px,
        pocket_error_mm=pocket_error_mm,
        verdict=cast("Verdict", verdict),
        reasons=reasons,
        spot_error_mm=spot_error_mm,
        cushion_error_mm=cushion_error_mm,
        marks=int(marks),
        coverage=coverage,
        covered_x_mm=None if covered is None else (covered[0], covered[1]),
    )


def _read_errors(errors: Section, places: type[_Place], word: str) -> dict[_Place, float]:
    """Errors in mm by place; places are named by their enum's values."""
    known = [place.value for place in places]
    for key in errors.names():
        if key not in known:
            raise errors.wrong(key, f"{word}: {', '.join(known)}")
    return {places(key): errors.number(key, "an error in mm", least=0.0) for key in errors.names()}


def _read_balls(section: Section) -> BallSet:
    expected = "the balls' names, each once, as in white-1, red-1, yellow, cue, 7"
    try:
        balls = tuple(Ball(name) for name in section.texts("set"))
    except ValueError as error:
        raise section.wrong(key="set", expected=f"{expected}; {error}") from error
    if not balls or len(set(balls)) != len(balls) or any(ball.is_unknown for ball in balls):
        raise section.wrong(key="set", expected=expected)
    colours = {}
    if "colours" in section:
        table = section.section("colours")
        for word in table.names():
            red, green, blue = table.numbers(word, 3)
            if min(red, green, blue) < 0 or max(red, green, blue) > 255:
                raise table.wrong(word, "red, green and blue from 0 to 255")
            colours[word] = (red, green, blue)
    section.close()
    return BallSet(balls=balls, colours=colours)


def _written(table_file: TableFile) -> str:
    """The file's text."""
    table, camera = table_file.table, table_file.camera
    document = tomlkit.document()
    document.add(tomlkit.comment("A table and the camera over it, written by `cuemarker calibrate`. Lengths in mm."))
    section = _section({"name": table_file.name})
    for key in ("length_mm", "width_mm", "ball_mm"):
        section.add(key, float(getattr(table, key)))
    section.add("pockets", table.pockets is not None)
    if table.pockets is not None:
        section.add("corner_mouth_mm", float(table.pockets.corner_mm))
        section.add("middle_mouth_mm", float(table.pockets.middle_mm))
    document.add("table", section)

    section = _section({"source": table_file.source, "size_px": list(camera.size_px), "fps": float(table_file.fps)})
    rows = tomlkit.array()
    rows.extend(camera.matrix.tolist())
    section.add("matrix", rows.multiline(multiline=True))
    section.add("distortion", camera.distortion.tolist())
    section.add("rotation", camera.rotation.tolist())
    section.add("translation", camera.translation.tolist())
    if table_file.controls:
        section.add("controls", _section(dict(table_file.controls)))
    document.add("camera", section)

    certificate = table_file.certificate
    if certificate is not None:
        section = _section({"date": certificate.date, "rms_px": float(certificate.rms_px)})
        section.add("verdict", certificate.verdict)
        section.add("reasons", list(certificate.reasons))
        section.add("marks", certificate.marks)
        section.add("coverage", float(certificate.coverage))
        if certificate.covered_x_mm is not None:
            section.add("covered_x_mm", list(certificate.covered_x_mm))
        for key in ("pocket_error_mm", "spot_error_mm", "cushion_error_mm"):
            errors = {place.value: float(error) for place, error in getattr(certificate, key).items()}
            section.add(key, _section(errors))
        document.add("certificate", section)

    section = _section({"set": [ball.name for ball in table_file.ball_set.balls]})
    colours = {word: [float(part) for part in colour] for word, colour in table_file.ball_set.colours.items()}
    section.add("colours", _section(colours))
    document.add("balls", section)
    return tomlkit.dumps(document)


def _section(content: Mapping[str, object]) -> AbstractTable:
    section = tomlkit.table()
    for key, value in content.items():
        section.add(key, value)
    return section
