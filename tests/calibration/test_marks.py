"""Sights, spots and the house line as evidence: found where they are, and stronger than a wrong nose."""

import datetime as dt
from dataclasses import replace

import numpy as np
import pytest

from calibration.finder import FoundTable, find_table
from calibration.mapping import PlaneMap
from calibration.marks import Expectation, FoundMarks, MarkKind, look_for_marks
from calibration.pose import PoseFit, fit_pose
from calibration.pose_problem import CUSHION_WIDTH, RAIL_RISE
from calibration.quality import certify
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view
from hardware.virtual.scene import Instant
from scoring.table import Table

TABLE = Table(length_mm=2840, width_mm=1420)
TRUE = make_view(TABLE, 4, Difficulty.NORMAL)
DATE = dt.datetime(2026, 1, 2, tzinfo=dt.UTC)


@pytest.fixture(scope="module")
def found() -> FoundTable:
    """A quiet virtual table with a clear house line."""
    look = replace(make_look(4, Difficulty.NORMAL, length_mm=2840, width_mm=1420), house_line=0.5)
    return find_table([Renderer(TABLE, TRUE, look).still(Instant(balls=()))])


@pytest.fixture(scope="module")
def fit(found: FoundTable) -> PoseFit:
    return fit_pose(found, TABLE)


def _seen(found: FoundTable, fit: PoseFit) -> FoundMarks:
    expected = Expectation(
        camera=fit.camera,
        table=TABLE,
        cushion_mm=float(fit.parameters[CUSHION_WIDTH]),
        rail_mm=TABLE.nose_height_mm + float(fit.parameters[RAIL_RISE]),
    )
    return look_for_marks(found.picture, expected)


def _worst_mm(fit: PoseFit) -> float:
    radius = TABLE.ball_radius_mm
    xs, ys = np.linspace(radius, 2840 - radius, 9), np.linspace(-1, 1, 5) * (710 - radius)
    places = np.array([(x, y) for x in xs for y in ys])
    pixels = PlaneMap(TRUE, radius).to_px(places)
    return float(np.linalg.norm(PlaneMap(fit.camera, radius).to_mm(pixels) - places, axis=1).max())


def test_every_sight_spot_and_the_house_line_are_found_to_the_millimetre(found: FoundTable, fit: PoseFit) -> None:
    marks = _seen(found, fit).marks
    assert sum(mark.kind == MarkKind.SIGHT for mark in marks) == 18
    assert sum(mark.kind == MarkKind.SPOT for mark in marks) >= 2  # one lies under the house line
    assert sum(mark.kind == MarkKind.HOUSE_LINE for mark in marks) >= 6
    for mark in marks:
        if mark.kind != MarkKind.SIGHT:  # sights lie on a rail of unknown height
            x_mm, y_mm = TRUE.to_plane(mark.point_px[None], 0.0)[0]
            assert x_mm == pytest.approx(mark.x_mm, abs=2.0)
            assert mark.y_mm is None or y_mm == pytest.approx(mark.y_mm, abs=2.0)


def test_the_house_line_says_which_end_the_house_is(found: FoundTable, fit: PoseFit) -> None:
    assert fit.house_by == "house line"
    front = TRUE.project([(0, 0, 0)])[0]
    assert np.linalg.norm(fit.camera.project([(0, 0, 0)])[0] - front) < 3
    told_wrong = "right" if front[0] < 640 else "left"
    other = fit_pose(found, TABLE, told_wrong)
    assert other.house_by == "told"
    assert _seen(found, other).house_is_at_rear


def test_without_a_house_line_the_house_is_assumed() -> None:
    look = replace(make_look(4, Difficulty.NORMAL, length_mm=2840, width_mm=1420), house_line=0.0)
    found = find_table([Renderer(TABLE, TRUE, look).still(Instant(balls=()))])
    assert fit_pose(found, TABLE).house_by == "assumed"


@pytest.mark.parametrize("side", range(4))
def test_a_shadow_taken_for_a_nose_is_left_out_or_told(found: FoundTable, side: int) -> None:
    lines = found.sides[side]
    assert lines.nose is not None
    inward = found.corners_px.mean(axis=0) - lines.nose.points_px.mean(axis=0)
    shift = 6.0 * inward / np.linalg.norm(inward)
    wrong = replace(lines, nose=replace(lines.nose, points_px=lines.nose.points_px + shift))
    sides = tuple(wrong if index == side else other for index, other in enumerate(found.sides))
    fit = fit_pose(replace(found, sides=sides), TABLE)  # type: ignore[arg-type]
    assert _worst_mm(fit) < 5.0 or certify(fit, DATE).verdict != "pass"
    assert side in fit.left_out


def test_marks_make_the_certificate_complete(fit: PoseFit) -> None:
    certificate = certify(fit, DATE)
    assert certificate.verdict == "pass"
    assert certificate.marks >= 27
    assert certificate.coverage > 0.7
    assert set(certificate.spot_error_mm) == {"S1", "S2", "S3"}
    assert set(certificate.cushion_error_mm) == {"front", "rear", "left", "right"}
    assert _worst_mm(fit) < 2 * max(certificate.pocket_error_mm.values())


def test_sights_that_contradict_the_noses_refuse_the_fit(fit: PoseFit) -> None:
    torn = replace(fit, marks=(), marks_refused=9)
    certificate = certify(torn, DATE)
    assert certificate.verdict == "refuse"
    assert "sights" in certificate.reasons[0]
