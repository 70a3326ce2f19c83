"""Planes and outlines: round trips, and an outline measured by drawing the sphere ray by ray."""

import cv2
import numpy as np
import pytest

from calibration.camera import CameraModel
from calibration.mapping import PlaneMap, ball_outline, ball_outlines, outline_polygons, places_from_outline_centers

LENGTH, WIDTH, RADIUS = 3550.0, 1775.0, 34.0


def _camera(tilt_deg: float = 0.0, k1: float = -0.08, height_mm: float = 2600.0) -> CameraModel:
    tilt = np.radians(tilt_deg)
    right = np.array([1.0, 0.0, 0.0])
    forward = np.array([0.0, np.sin(tilt), -np.cos(tilt)])
    rotation = np.stack([right, np.cross(forward, right), forward])
    center = np.array([LENGTH / 2, -height_mm * np.tan(tilt), height_mm])
    return CameraModel(
        size_px=(1920, 1080),
        matrix=np.array([[1250.0, 0, 959.5], [0, 1250.0, 539.5], [0, 0, 1]]),
        distortion=np.array([k1, 0.02, 0, 0, 0]),
        rotation=cv2.Rodrigues(rotation)[0],
        translation=-rotation @ center,
    )


@pytest.mark.parametrize("tilt_deg", [0, 25, 45])
@pytest.mark.parametrize("height_mm", [0.0, 34.0, 43.2])
def test_plane_goes_there_and_back_and_agrees_with_the_camera(tilt_deg: float, height_mm: float) -> None:
    camera = _camera(tilt_deg)
    grid = np.array([(x, y) for x in np.linspace(0, LENGTH, 9) for y in np.linspace(-WIDTH / 2, WIDTH / 2, 7)])
    plane = PlaneMap(camera, height_mm)
    pixels = plane.to_px(grid)
    assert np.allclose(plane.to_mm(pixels), grid, atol=1e-4)
    assert np.allclose(camera.to_plane(pixels, height_mm), grid, atol=1e-4)


def test_above_the_horizon_there_is_no_plane() -> None:
    camera = _camera(80)
    assert np.isnan(PlaneMap(camera, 0).to_mm([(959.5, 0.0)])).all()


def test_mm_per_px_of_an_overhead_camera_is_height_over_focal_length() -> None:
    camera = _camera(0, k1=0)
    assert PlaneMap(camera, 100).mm_per_px([(959.5, 539.5)])[0] == pytest.approx([2500 / 1250, 2500 / 1250], rel=1e-3)


def test_mm_per_px_grows_along_the_view_of_an_oblique_camera() -> None:
    longest, shortest = PlaneMap(_camera(45, k1=0), 0).mm_per_px([(959.5, 539.5)])[0]
    assert longest / shortest == pytest.approx(np.sqrt(2), rel=1e-3)


@pytest.mark.parametrize("tilt_deg", [0, 45])
def test_outline_is_what_rays_that_hit_the_sphere_fill(tilt_deg: float) -> None:
    camera = _camera(tilt_deg)
    place = np.array([400.0, 500.0])
    outline = ball_outline(camera, place, RADIUS)
    x0, y0 = np.floor(outline.center_px).astype(int)
    step = 0.125
    xs, ys = np.meshgrid(np.arange(x0 - 40, x0 + 40, step), np.arange(y0 - 40, y0 + 40, step))
    pixels = np.column_stack([xs.ravel(), ys.ravel()])
    rays = camera.rays(pixels)
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    away = np.array([*place, RADIUS]) - camera.center_mm
    hit = pixels[np.linalg.norm(np.cross(rays, away), axis=1) < RADIUS]
    assert np.allclose(outline.center_px, hit.mean(axis=0), atol=0.03)
    covariance = np.cov(hit.T)
    values, vectors = np.linalg.eigh(covariance)
    assert np.allclose(outline.semi_axes_px, 2 * np.sqrt(values[::-1]), atol=0.03)
    direction = (np.cos(outline.angle_rad), np.sin(outline.angle_rad))
    assert abs(vectors[:, 1] @ direction) > 0.9999


def test_the_middle_of_an_oblique_outline_is_not_the_picture_of_the_middle_but_leads_back_to_it() -> None:
    camera = _camera(45)
    places = np.array([(x, y) for x in (34, 900, 3516) for y in (-853, 0, 853)], dtype=float)
    outlines = ball_outlines(camera, places, RADIUS)
    naive = camera.to_plane(outlines.centers_px, RADIUS)
    assert np.linalg.norm(naive - places, axis=1).max() > 0.1
    assert np.allclose(places_from_outline_centers(camera, outlines.centers_px, RADIUS), places, atol=1e-3)


def test_a_ball_at_the_camera_has_no_outline_and_no_balls_have_none() -> None:
    camera = _camera(0)
    assert np.isnan(outline_polygons(camera, [camera.center_mm], RADIUS)).all()
    assert ball_outlines(camera, np.empty((0, 2)), RADIUS).centers_px.shape == (0, 2)
    assert places_from_outline_centers(camera, np.empty((0, 2)), RADIUS).shape == (0, 2)
