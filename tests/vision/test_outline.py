"""Outlines of balls: against the calibration room's own, and there and back."""

import numpy as np
import pytest

from calibration.camera import CameraModel
from calibration.mapping import ball_outlines
from vision.detectors.outline import SphereOutline

PLACES = np.array([[40.0, 600.0], [1400.0, 0.0], [2800.0, -650.0]])


@pytest.fixture
def camera():
    tilt = 0.35
    rotation = np.array([[1, 0, 0], [0, -np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), -np.cos(tilt)]])
    center = np.array([1500.0, -900.0, 2900.0])
    return CameraModel(
        size_px=(1280, 720),
        matrix=np.array([[1100.0, 0, 640], [0, 1100, 360], [0, 0, 1]]),
        distortion=np.array([-0.12, 0.02, 4e-4, -3e-4, 0.0]),
        rotation=_rodrigues(rotation),
        translation=-rotation @ center,
    )


def _rodrigues(matrix):
    axis = np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]])
    sine, cosine = np.linalg.norm(axis) / 2, (np.trace(matrix) - 1) / 2
    return axis / np.linalg.norm(axis) * np.arctan2(sine, cosine)


def test_outlines_agree_with_calibration(camera):
    ours, theirs = SphereOutline(camera, 34.0).project(PLACES), ball_outlines(camera, PLACES, 34.0)
    assert np.abs(ours.centers_px - theirs.centers_px).max() < 0.03
    assert np.abs(ours.radii_px - theirs.semi_axes_px.mean(axis=1)).max() < 0.05


def test_normals_point_outwards_and_have_length_one(camera):
    outlines = SphereOutline(camera, 34.0).project(PLACES)
    outward = ((outlines.points_px - outlines.centers_px[:, None]) * outlines.normals).sum(axis=2)
    assert outward.min() > 0.9 * outlines.radii_px.min()
    assert np.allclose(np.linalg.norm(outlines.normals, axis=2), 1)


def test_a_small_shift_of_the_outline_is_a_small_shift_of_the_ball(camera):
    outline = SphereOutline(camera, 34.0)
    moved = PLACES + np.array([3.0, -2.0])
    places = outline.project(PLACES).places_at(outline.project(moved).centers_px)
    assert np.abs(places - moved).max() < 0.05
