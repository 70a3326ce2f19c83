"""Finding a table and fitting a camera: drawn tables come back to the millimetre, and what is no table is refused."""

import datetime as dt
from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from calibration.camera import CameraModel
from calibration.errors import NoTableError
from calibration.finder import find_table, still_picture
from calibration.mapping import PlaneMap, outline_polygons
from calibration.pose import fit_pose
from calibration.quality import ball_error_mm, certify, pocket_places_mm
from calibration.stillness import camera_shift_px
from scoring.table import Pocket, Table

Picture = npt.NDArray[np.uint8]
KAISA = Table(length_mm=2840, width_mm=1420)
CAROM = replace(KAISA, ball_mm=61.5, pockets=None)
SIZE = (1280, 720)
FINE = 4  # pictures are drawn so many times finer
GREEN, BLUE, RED, NAVY = (60, 130, 25), (190, 110, 60), (60, 30, 130), (85, 60, 40)  # blue, green, red
DATE = dt.datetime(2026, 1, 2, tzinfo=dt.UTC)


def _camera(tilt_deg: float, turn_deg: float = 0.0, k1: float = 0.0, focal_px: float = 950.0) -> CameraModel:
    """A camera 2.9 m from the table's middle, tilted from straight above; at 0 turn the house is at the left."""
    tilt, turn = np.radians(tilt_deg), np.radians(turn_deg)
    forward = np.array([0.0, np.sin(tilt), -np.cos(tilt)])
    right = np.array([1.0, 0.0, 0.0])
    rotation = np.stack([right, np.cross(forward, right), forward])
    around = np.array([[np.cos(turn), np.sin(turn), 0], [-np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    rotation = rotation @ around
    center = np.array([1420.0, 0.0, 0.0]) - 2900 * rotation[2]
    return CameraModel(
        size_px=SIZE,
        matrix=np.array([[focal_px, 0, 639.5], [0, focal_px, 359.5], [0, 0, 1]]),
        distortion=np.array([k1, 0, 0, 0, 0]),
        rotation=cv2.Rodrigues(rotation)[0],
        translation=-rotation @ center,
    )


def _draw(table: Table, camera: CameraModel, cloth: tuple[int, int, int], *, noses: bool = True) -> Picture:
    """Floor, wood, cushion tops, the dark under the noses as far as it is seen, bed, pockets, three balls."""
    picture = np.full((SIZE[1] * FINE, SIZE[0] * FINE, 3), (50, 55, 60), dtype=np.uint8)
    nose_mm = table.nose_height_mm
    _fill(picture, _frame(table, camera, 180, 50), (40, 60, 110))
    _fill(picture, _frame(table, camera, 50, nose_mm + 4), cloth)
    if noses:  # through the opening between them one sees the dark, and then the bed
        inside = np.full_like(picture, tuple(round(0.45 * part) for part in cloth))
        _fill(inside, _frame(table, camera, -12, 0), tuple(round(0.92 * part) for part in cloth))
        opening = np.zeros_like(picture)
        _fill(opening, _frame(table, camera, 0, nose_mm), (1, 1, 1))
        picture = np.where(opening > 0, inside, picture)
    for pocket in Pocket if table.pockets is not None else ():
        corner = table.pocket_corner(pocket)
        along = 0.0 if pocket.is_middle else 0.7 * np.sign(corner.x_mm - table.length_mm / 2)
        place = np.array([corner.x_mm + 30 * along, corner.y_mm + 30 * np.sign(corner.y_mm)])
        _fill(picture, _disc(camera, place, 60, nose_mm), (12, 12, 12))
    for x_mm, y_mm, colour in ((700, 300, (225, 235, 240)), (1900, -200, (30, 30, 200)), (2300, 500, (40, 190, 240))):
        _fill(picture, _ball(camera, (x_mm, y_mm), table), colour)
    return _taken(cv2.resize(picture, SIZE, interpolation=cv2.INTER_AREA).astype(np.uint8))


def _fill(picture: Picture, points_px: npt.NDArray[np.float64], colour: tuple[int, ...]) -> None:
    """Fill a polygon given in px of the finished picture; pixel centres lie at whole numbers in both."""
    cv2.fillPoly(picture, [np.round((points_px + 0.5) * FINE - 0.5).astype(np.int32)], colour)


def _frame(table: Table, camera: CameraModel, out_mm: float, height_mm: float) -> npt.NDArray[np.float64]:
    """The rectangle that lies `out_mm` outside the noses, in the picture."""
    half, end = table.width_mm / 2 + out_mm, table.length_mm + out_mm
    corners = np.array([(-out_mm, -half), (-out_mm, half), (end, half), (end, -half)])
    ways = np.linspace(0, 1, 60)[:-1, None]
    outline = np.vstack([corners[i] + ways * (corners[(i + 1) % 4] - corners[i]) for i in range(4)])
    return PlaneMap(camera, height_mm).to_px(outline)


def _disc(
    camera: CameraModel, place_mm: npt.NDArray[np.float64], radius_mm: float, height_mm: float
) -> npt.NDArray[np.float64]:
    turns = np.linspace(0, 2 * np.pi, 60)
    ring = place_mm + radius_mm * np.column_stack([np.cos(turns), np.sin(turns)])
    return PlaneMap(camera, height_mm).to_px(ring)


def _ball(camera: CameraModel, place_mm: tuple[float, float], table: Table) -> npt.NDArray[np.float64]:
    return outline_polygons(camera, [place_mm], table.ball_radius_mm)[0]


def _taken(picture: Picture, seed: int = 1) -> Picture:
    """Blur and noise of a sensor."""
    noise = np.random.default_rng(seed).normal(0, 2.0, picture.shape)
    return np.clip(cv2.GaussianBlur(picture, (0, 0), 0.7) + noise, 0, 255).astype(np.uint8)


def _errors_mm(table: Table, true: CameraModel, fitted: CameraModel) -> npt.NDArray[np.float64]:
    """How far balls all over the bed are misplaced."""
    radius = table.ball_radius_mm
    xs, ys = np.linspace(radius, table.length_mm - radius, 13), np.linspace(-1, 1, 7) * (table.width_mm / 2 - radius)
    places = np.array([(x, y) for x in xs for y in ys])
    pixels = PlaneMap(true, radius).to_px(places)
    return np.linalg.norm(PlaneMap(fitted, radius).to_mm(pixels) - places, axis=1)


@pytest.mark.parametrize(
    ("table", "cloth", "tilt_deg", "turn_deg", "k1", "house"),
    [
        (KAISA, GREEN, 0, 0, 0.0, "left"),
        (CAROM, BLUE, 4, 0, -0.12, "left"),
        (KAISA, RED, 15, 180, -0.2, "right"),
        (KAISA, NAVY, 12, 0, 0.05, "left"),
    ],
)
def test_a_drawn_table_comes_back_to_the_millimetre(
    table: Table, cloth: tuple[int, int, int], tilt_deg: float, turn_deg: float, k1: float, house: str
) -> None:
    true = _camera(tilt_deg, turn_deg, k1)
    found = find_table([_draw(table, true, cloth)])
    assert found.pockets.has_pockets == (table.pockets is not None)
    fit = fit_pose(found, table, house)  # type: ignore[arg-type]
    errors = _errors_mm(table, true, fit.camera)
    assert np.median(errors) <= 2.0
    assert np.percentile(errors, 95) <= 4.0
    certificate = certify(fit, DATE)
    assert certificate.verdict == "pass"
    # the certificate is honest: no pocket is much worse than it says
    places = pocket_places_mm(table)
    radius = table.ball_radius_mm
    pixels = PlaneMap(true, radius).to_px(list(places.values()))
    true_errors = np.linalg.norm(PlaneMap(fit.camera, radius).to_mm(pixels) - list(places.values()), axis=1)
    assert (true_errors < 3 * np.array(list(certificate.pocket_error_mm.values()))).all()


def test_the_house_turns_the_table_by_half() -> None:
    found = find_table([_draw(KAISA, _camera(3), GREEN)])
    left, right = fit_pose(found, KAISA, "left"), fit_pose(found, KAISA, "right")
    place = left.camera.project([(400, 300, 34)])[0]
    assert right.camera.project([(2440, -300, 34)])[0] == pytest.approx(place, abs=0.5)
    assert place[0] < 640
    assert place[1] < 360  # left of somebody who looks from the left of the picture to its right is up
    with pytest.raises(NoTableError, match="cannot be at the top"):
        fit_pose(found, KAISA, "top")


def test_without_a_word_about_the_house_it_is_at_the_left() -> None:
    found = find_table([_draw(KAISA, _camera(3, 180), GREEN)])
    assert fit_pose(found, KAISA).camera.project([(0, 0, 0)])[0][0] < 640


def test_a_measured_camera_height_makes_a_camera_straight_above_more_exact() -> None:
    true = _camera(0)
    found = find_table([_draw(KAISA, true, GREEN)])
    places = np.array(list(pocket_places_mm(KAISA).values()))
    free, told = fit_pose(found, KAISA, "left"), fit_pose(found, KAISA, "left", camera_height_mm=2900)
    assert ball_error_mm(told, places).max() < 0.8 * ball_error_mm(free, places).max()
    assert told.camera.center_mm[2] == pytest.approx(2900, rel=0.03)


def test_wrong_proportions_are_noticed_and_grossly_wrong_ones_refused() -> None:
    found = find_table([_draw(KAISA, _camera(10), GREEN)])
    for width_mm, verdicts in ((1700, ("warn", "refuse")), (2300, ("refuse",))):
        certificate = certify(fit_pose(found, Table(length_mm=2840, width_mm=width_mm), "left"), DATE)
        assert certificate.verdict in verdicts
        assert certificate.reasons


def test_balls_and_a_person_in_some_of_the_pictures_do_not_matter() -> None:
    true = _camera(5)
    clean = _draw(KAISA, true, GREEN)
    pictures = []
    for index in range(5):
        picture = clean.copy()
        if index < 2:
            cv2.ellipse(picture, (250 + 500 * index, 150), (90, 260), 20, 0, 360, (40, 30, 30), -1)
        pictures.append(picture)
    fit = fit_pose(find_table(pictures), KAISA, "left")
    assert np.median(_errors_mm(KAISA, true, fit.camera)) <= 2.0


def test_a_camera_that_moves_is_noticed_and_one_that_stands_is_not() -> None:
    clean = _draw(KAISA, _camera(5), GREEN)
    for step_px, least, most in ((0, 0.0, 0.2), (4, 2.5, 14.0)):
        pictures = [np.roll(clean, step_px * (index - 2), axis=1) for index in range(5)]
        assert least <= camera_shift_px(find_table(pictures), pictures) <= most


def _half_table() -> Picture:
    picture = _draw(KAISA, _camera(5), GREEN)
    return cv2.resize(picture[:, :640], SIZE)  # type: ignore[return-value]


def _blue_floor(*, as_carpet: bool) -> Picture:
    picture = np.full((720, 1280, 3), (150, 150, 160) if as_carpet else (170, 90, 40), dtype=np.uint8)
    if as_carpet:
        cv2.fillPoly(picture, [np.array([(300, 200), (980, 180), (1100, 600), (200, 620)])], (170, 90, 40))
    else:
        cv2.rectangle(picture, (0, 0), (1280, 200), (180, 180, 185), -1)
    return _taken(picture)


@pytest.mark.parametrize(
    "picture",
    [
        pytest.param(np.zeros((720, 1280, 3), dtype=np.uint8), id="black"),
        pytest.param(np.full((720, 1280, 3), 255, dtype=np.uint8), id="white"),
        pytest.param(np.random.default_rng(3).integers(0, 256, (720, 1280, 3), dtype=np.uint8), id="noise"),
        pytest.param(_blue_floor(as_carpet=False), id="blue floor"),
        pytest.param(_blue_floor(as_carpet=True), id="carpet"),
        pytest.param(_draw(KAISA, _camera(5), GREEN, noses=False), id="a table top without noses"),
        pytest.param(_half_table(), id="half a table"),
        pytest.param(np.zeros((48, 64, 3), dtype=np.uint8), id="tiny"),
        pytest.param(np.zeros((0, 0, 3), dtype=np.uint8), id="empty"),
    ],
)
def test_what_is_no_whole_table_is_none(picture: Picture) -> None:
    with pytest.raises(NoTableError, match="no table: ") as caught:
        find_table([picture])
    assert "\n" not in str(caught.value)


def test_pictures_must_be_there_in_colour_and_of_one_size() -> None:
    with pytest.raises(NoTableError, match="at least one"):
        still_picture([])
    with pytest.raises(NoTableError, match="colour"):
        still_picture([np.zeros((10, 10), dtype=np.uint8)])
    with pytest.raises(NoTableError, match="size"):
        still_picture([np.zeros((10, 10, 3), dtype=np.uint8), np.zeros((10, 12, 3), dtype=np.uint8)])
