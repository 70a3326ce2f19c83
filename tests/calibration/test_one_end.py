"""A camera that sees one end of the table: exact to the millimetre where it looks, refused where nobody says so."""

import datetime as dt
from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from calibration.camera import CameraModel
from calibration.drift import reference_of
from calibration.errors import CalibrationError
from calibration.mapping import PlaneMap
from calibration.pose import End
from calibration.procedure import Calibration, calibrated
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_end_view, make_look, make_view
from hardware.virtual.scene import BallPose, Instant
from scoring.balls import FIVE_BALL_SET
from scoring.table import Cushion, Pocket, Table

TABLE = Table(length_mm=2840, width_mm=1420)
RADIUS = TABLE.ball_radius_mm
DATE = dt.datetime(2026, 1, 2, tzinfo=dt.UTC)
PLACES = ((500.0, 200.0), (900.0, -300.0), (1400.0, 400.0), (2000.0, -100.0), (2500.0, 300.0))


def _picture(camera: CameraModel, table: Table = TABLE) -> npt.NDArray[np.uint8]:
    look = replace(make_look(3, Difficulty.NORMAL, length_mm=2840, width_mm=1420), size_px=camera.size_px)
    balls = tuple(
        BallPose(ball=ball, center_mm=(x, y, RADIUS)) for ball, (x, y) in zip(FIVE_BALL_SET, PLACES, strict=True)
    )
    return Renderer(table, camera, look).still(Instant(balls=balls))


@cache
def _seen(end: End) -> tuple[CameraModel, npt.NDArray[np.uint8]]:
    camera = make_end_view(TABLE, 3, Cushion(end))
    return camera, _picture(camera)


@cache
def _calibrated(end: End) -> Calibration:
    return calibrated([_seen(end)[1]], TABLE, date=DATE, end=end)


@pytest.mark.parametrize("end", ["front", "rear"])
def test_one_end_is_exact_where_it_is_seen_and_the_certificate_says_where_that_is(end: End) -> None:
    result, truth = _calibrated(end), _seen(end)[0]
    covered = result.certificate.covered_x_mm
    assert covered is not None
    assert covered[0] < TABLE.length_mm / 2 < covered[1]
    assert covered[1] - covered[0] < 0.8 * TABLE.length_mm
    bed = np.array([(x, y) for x in np.linspace(*covered, 9) for y in np.linspace(-1, 1, 5) * (710 - RADIUS)])
    errors = np.linalg.norm(PlaneMap(result.fit.camera, RADIUS).to_mm(PlaneMap(truth, RADIUS).to_px(bed)) - bed, axis=1)
    assert np.median(errors) < 1.0
    assert errors.max() < 3.0
    assert result.certificate.verdict == "pass"
    corners = {Pocket.FL, Pocket.FR} if end == "front" else {Pocket.RL, Pocket.RR}
    assert set(result.certificate.pocket_error_mm) == corners | {Pocket.ML, Pocket.MR}
    assert result.fit.table.pockets is not None


@pytest.mark.parametrize("end", ["front", "rear"])
def test_the_balls_at_one_end_and_patches_of_its_rails_are_found(end: End) -> None:
    result = _calibrated(end)
    covered = result.certificate.covered_x_mm
    assert covered is not None
    there = sorted(place for place in PLACES if covered[0] < place[0] < covered[1])
    assert np.array(sorted(map(tuple, result.balls.places_mm))) == pytest.approx(np.array(there), abs=12)
    reference = reference_of(result.found.picture, result.fit.camera, TABLE)
    xs, ys = PlaneMap(result.fit.camera, TABLE.nose_height_mm).to_mm(reference.points_px).T
    assert ((xs > -170) & (xs < TABLE.length_mm + 170) & (np.abs(ys) < TABLE.width_mm / 2 + 170)).all()


def test_half_a_table_is_refused_while_nobody_says_which_end_it_is() -> None:
    with pytest.raises(CalibrationError, match="goes on beyond the right of the picture"):
        calibrated([_seen("front")[1]], TABLE, date=DATE)


def test_a_whole_table_is_not_taken_for_one_end() -> None:
    whole = make_view(TABLE, 3, Difficulty.NORMAL, (960, 540))
    with pytest.raises(CalibrationError, match="beyond one side of the picture, not 0"):
        calibrated([_picture(whole)], TABLE, date=DATE, end="front")


def test_wrong_measures_of_one_end_do_not_pass() -> None:
    wrong = replace(TABLE, length_mm=3550)
    result = calibrated([_seen("front")[1]], wrong, date=DATE, end="front")
    assert result.certificate.verdict != "pass"
