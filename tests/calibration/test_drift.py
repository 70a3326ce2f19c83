"""Drift: a nudge and a creep are noticed in time and put right, changes of the light are not taken for them."""

import itertools
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from calibration.camera import CameraModel
from calibration.drift import (
    DriftKind,
    DriftReference,
    DriftWatch,
    binding_problem,
    load_reference,
    measure_shift,
    reference_of,
    save_reference,
    turned_by,
)
from calibration.errors import CalibrationError
from calibration.table_file import TableFile
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view
from scoring.table import Table

Picture = npt.NDArray[np.uint8]
TABLE = Table(length_mm=2840, width_mm=1420)
SIZE = (960, 540)
CAMERA = make_view(TABLE, 5, Difficulty.NORMAL, SIZE)


@pytest.fixture(scope="module")
def clean() -> Picture:
    look = replace(make_look(5, Difficulty.NORMAL, length_mm=2840, width_mm=1420), size_px=SIZE)
    return Renderer(TABLE, CAMERA, look).empty_table()


@pytest.fixture(scope="module")
def reference(clean: Picture) -> DriftReference:
    return reference_of(_shot(clean, 0), CAMERA, TABLE)


def _shot(
    clean: Picture,
    seed: int,
    shift_px: tuple[float, float] = (0.0, 0.0),
    light: npt.NDArray[np.float32] | float = 1.0,
    noise: float = 2.5,
) -> Picture:
    """The picture moved, lit and with noise."""
    move = np.array([[1, 0, shift_px[0]], [0, 1, shift_px[1]]], dtype=np.float64)
    moved = cv2.warpAffine(clean, move, SIZE, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    lit = moved.astype(np.float32) * (light[..., None] if isinstance(light, np.ndarray) else light)
    return np.clip(lit + np.random.default_rng(seed).normal(0, noise, lit.shape), 0, 255).astype(np.uint8)


def _light_of_day(hour: float, seed: int) -> npt.NDArray[np.float32]:
    """Sun through a window that wanders, lamps that dim, somebody's shadow on a rail."""
    rng = np.random.default_rng(seed)
    x, y = np.meshgrid(np.linspace(-1, 1, SIZE[0], dtype=np.float32), np.linspace(-1, 1, SIZE[1], dtype=np.float32))
    sun = max(0.0, float(np.sin((hour - 6) / 12 * np.pi)))
    at = (hour - 12) / 8
    light = 0.55 + 0.35 * float(rng.random()) + 0.6 * sun * np.exp(-((x - at) ** 2 + (y + 0.7) ** 2) / 0.5)
    shadow = rng.uniform(-1, 1, 2)
    light *= 1 - 0.4 * np.exp(-((x - shadow[0]) ** 2 + (y - shadow[1]) ** 2) / 0.05)
    return light.astype(np.float32)


@pytest.mark.parametrize("shift_px", [(0.0, 0.0), (0.4, -0.3), (2.0, 0.0), (-3.5, 2.5), (6.0, 6.0)])
def test_a_shift_is_measured_to_a_fifth_of_a_pixel(
    clean: Picture, reference: DriftReference, shift_px: tuple[float, float]
) -> None:
    shift = measure_shift(reference, _shot(clean, 1, shift_px))
    assert shift is not None
    assert shift.most_px == pytest.approx(np.hypot(*shift_px), abs=0.2)


@pytest.mark.parametrize("direction_rad", [0.0, 0.8, 1.6, 3.9])
def test_a_jump_of_2_px_is_flagged_within_a_minute_of_quiet(
    clean: Picture, reference: DriftReference, direction_rad: float
) -> None:
    watch = DriftWatch(reference=reference, camera=CAMERA)
    for t_s in range(0, 60, 5):
        assert watch.look(_shot(clean, t_s), t_s).kind == DriftKind.STEADY
    jump = (2 * np.cos(direction_rad), 2 * np.sin(direction_rad))
    noticed = next(
        t_s for t_s in range(60, 180, 5) if watch.look(_shot(clean, t_s, jump), t_s).kind != DriftKind.STEADY
    )
    assert noticed - 60 <= 60
    assert watch.state.kind == DriftKind.REGISTERED
    assert watch.state.may_score
    assert "2." in watch.state.message or "1.9" in watch.state.message
    # the model was put right: the table's corners are where they are in the moved picture
    corners = [(0, -710, 40), (0, 710, 40), (2840, 710, 40), (2840, -710, 40)]
    assert np.abs(watch.state.camera.project(corners) - CAMERA.project(corners) - jump).max() < 0.6


def test_a_creep_of_one_px_a_minute_is_flagged_within_three_minutes(clean: Picture, reference: DriftReference) -> None:
    watch = DriftWatch(reference=reference, camera=CAMERA)
    messages = []
    for t_s in range(0, 400, 5):
        state = watch.look(_shot(clean, t_s, (t_s / 60 * 0.6, -t_s / 60 * 0.8)), t_s)
        messages += [(t_s, state.message)] if state.message else []
    assert messages[0][0] <= 180
    assert len(messages) >= 3  # every further px is told
    assert watch.state.shift_px == pytest.approx(395 / 60, abs=0.4)


@pytest.mark.parametrize("step_min", [20, pytest.param(2, marks=pytest.mark.nightly)])
def test_no_false_alarm_in_a_day_of_changing_light(clean: Picture, reference: DriftReference, step_min: int) -> None:
    watch = DriftWatch(reference=reference, camera=CAMERA)
    for minute in range(0, 24 * 60, step_min):
        state = watch.look(_shot(clean, minute, light=_light_of_day(minute / 60, minute), noise=3.0), minute * 60.0)
        assert state.kind == DriftKind.STEADY, f"at minute {minute}: {state.message}"


def test_lamps_out_say_nothing_about_the_camera(clean: Picture, reference: DriftReference) -> None:
    watch = DriftWatch(reference=reference, camera=CAMERA)
    for t_s in range(0, 300, 15):
        assert watch.look(_shot(clean, t_s, light=0.004, noise=0.5), t_s).kind == DriftKind.STEADY


def test_a_hard_knock_holds_scoring_and_putting_it_back_frees_it(clean: Picture, reference: DriftReference) -> None:
    watch = DriftWatch(reference=reference, camera=CAMERA)
    times = itertools.count(0, 5)
    for shift_px in ((0.0, 0.0), (11.0, 4.0)):
        states = [watch.look(_shot(clean, t_s, shift_px), t_s) for t_s in itertools.islice(times, 6)]
    assert states[-1].kind == DriftKind.HELD
    assert not states[-1].may_score
    assert sum("scoring is held" in state.message for state in states) == 1
    for t_s in itertools.islice(times, 6):
        state = watch.look(_shot(clean, t_s), t_s)
    assert state.kind == DriftKind.STEADY


def test_a_camera_turned_away_holds_scoring(clean: Picture, reference: DriftReference) -> None:
    watch = DriftWatch(reference=reference, camera=CAMERA)
    for t_s in range(0, 120, 5):
        state = watch.look(_shot(clean[::-1].copy(), t_s), t_s)
    assert state.kind == DriftKind.HELD
    assert watch.look(clean[:270], 200).kind == DriftKind.HELD


def test_somebody_over_half_of_the_rails_is_no_drift(clean: Picture, reference: DriftReference) -> None:
    watch = DriftWatch(reference=reference, camera=CAMERA)
    for t_s in range(0, 100, 5):
        picture = _shot(clean, t_s)
        cv2.ellipse(picture, (250 + 4 * t_s, 120), (140, 200), 10, 0, 360, (35, 30, 40), -1)
        assert watch.look(picture, t_s).kind == DriftKind.STEADY


def test_patches_come_back_from_disk_and_others_are_refused(reference: DriftReference, tmp_path: Path) -> None:
    path = tmp_path / "table.patches.npz"
    save_reference(reference, path)
    assert np.array_equal(load_reference(path).patches, reference.patches)
    path.write_bytes(b"something else")
    with pytest.raises(CalibrationError, match="no patches"):
        load_reference(path)
    with pytest.raises(CalibrationError, match="no patches"):
        load_reference(tmp_path / "absent.npz")


def test_rails_that_show_nothing_are_refused() -> None:
    with pytest.raises(CalibrationError, match="corners to watch"):
        reference_of(np.full((540, 960, 3), 90, dtype=np.uint8), CAMERA, TABLE)


def test_a_turn_is_recovered_about_the_cameras_own_centre(reference: DriftReference, clean: Picture) -> None:
    shift = measure_shift(reference, _shot(clean, 1, (3.0, -2.0)))
    assert shift is not None
    turned = turned_by(CAMERA, reference, shift)
    assert np.allclose(turned.center_mm, CAMERA.center_mm, atol=1e-6)


@pytest.mark.parametrize(
    ("source", "size_px", "fps", "word"),
    [
        ("usb:0", SIZE, 60.0, None),
        ("usb:1", SIZE, 60.0, "usb:1"),
        ("usb:0", (1280, 720), 60.0, "1280x720"),
        ("usb:0", SIZE, 30.0, "another mode"),
        ("usb:0", SIZE, 0.0, None),
    ],
)
def test_a_calibration_holds_for_its_camera_mode_and_resolution_only(
    source: str, size_px: tuple[int, int], fps: float, word: str | None
) -> None:
    camera = CameraModel(
        size_px=SIZE, matrix=np.eye(3), distortion=np.zeros(5), rotation=np.zeros(3), translation=np.zeros(3)
    )
    table_file = TableFile(name="one", table=TABLE, camera=camera, source="usb:0", fps=60.0)
    problem = binding_problem(table_file, source, size_px, fps)
    assert problem is None if word is None else word in (problem or "")
