"""Planning an installation: the sizes are those of a real pinhole camera, and what is wrong is said with its cure."""

import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from calibration.errors import CalibrationError
from calibration.mapping import ball_outlines
from calibration.planning import CameraChoice, camera_of, plan_installation
from calibration.planning_drawing import drawing_of
from scoring.table import Pocket, Table

FULL = Table()
CHOICE = CameraChoice(size_px=(1920, 1080), fps=120, fov_rad=math.radians(78), height_mm=2600)


def test_a_ball_has_the_size_that_the_camera_model_gives_it() -> None:
    plan = plan_installation(FULL, CHOICE)
    outline = ball_outlines(camera_of(FULL, CHOICE), [(1775, 0)], 34)
    assert 2 * outline.semi_axes_px[0].mean() == pytest.approx(plan.ball_px, rel=0.01)


def test_blur_is_way_times_scale_and_halves_with_the_shutter() -> None:
    plan = plan_installation(FULL, CHOICE)
    by_shutter = {round(1 / shutter): rolling for shutter, rolling, _ in plan.blur_px}
    assert by_shutter[500] == pytest.approx(3000 / 500 * plan.px_per_mm)
    assert by_shutter[500] == pytest.approx(2 * by_shutter[1000])


def test_a_good_choice_gets_no_advice_and_errors_at_all_pockets() -> None:
    plan = plan_installation(FULL, CHOICE)
    assert plan.is_good
    assert plan.pocket_error_mm is not None
    assert set(plan.pocket_error_mm) == set(Pocket)
    assert 0.2 < max(plan.pocket_error_mm.values()) < 4


@pytest.mark.parametrize(
    ("choice", "word"),
    [
        (replace(CHOICE, height_mm=2000), "does not fit"),
        (replace(CHOICE, size_px=(640, 360)), "too small|small"),
        (replace(CHOICE, fps=30), "miss quick contacts"),
        (replace(CHOICE, fps=60), "fix the shutter"),
    ],
)
def test_what_would_be_better_is_said(choice: CameraChoice, word: str) -> None:
    assert any(re.search(word, line) for line in plan_installation(FULL, choice).advice)


def test_following_the_advice_about_height_makes_the_table_fit() -> None:
    plan = plan_installation(FULL, replace(CHOICE, height_mm=2000))
    assert max(plan.cut_mm.values()) > 0
    higher = float(plan.advice[0].split("camera ")[1].split(" mm")[0])
    assert max(plan_installation(FULL, replace(CHOICE, height_mm=higher)).cut_mm.values()) <= 0


def test_cut_off_cushions_promise_nothing() -> None:
    assert plan_installation(FULL, replace(CHOICE, height_mm=1600)).pocket_error_mm is None


@pytest.mark.parametrize("change", [{"height_mm": 90.0}, {"fov_rad": math.radians(175)}, {"fps": 0.0}])
def test_impossible_cameras_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(CalibrationError):
        plan_installation(FULL, replace(CHOICE, **change))  # type: ignore[arg-type]


def test_the_drawing_is_svg_with_the_height_and_the_errors_on_it() -> None:
    plan = plan_installation(FULL, CHOICE)
    text = drawing_of(FULL, plan)
    root = ET.fromstring(text)
    words = [node.text or "" for node in root.iter() if node.tag.endswith("text")]
    assert "2600 mm over the cloth" in words
    assert sum(word.endswith(" mm") for word in words) == 6
