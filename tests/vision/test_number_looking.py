"""Looking at numbers: each ball once where it lies, sharp ones only, and nothing is read without the network."""

import math
from dataclasses import replace

import numpy as np
import pytest

from calibration.table_file import BallSet
from hardware.frame import Frame
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.numbered import NumberedPlan, facing_rad, numbered_pictures
from hardware.virtual.scene import BallPose
from scoring.balls import PYRAMID_SET, Ball
from scoring.table import Point
from vision.detection import Cover, Detection, Sighting
from vision.detectors.outline import SphereOutline
from vision.errors import VisionError
from vision.numbers import looking
from vision.numbers.reader import NumberReader
from vision.numbers.windows import BALL, WINDOW_PX, windows_of
from vision.pipeline import Pipeline


@pytest.fixture(scope="module")
def pictures():
    plan = NumberedPlan(seed=77, halls=1, pictures=6, sizes_px=((960, 540),), difficulties=(Difficulty.EASY,))
    return list(numbered_pictures(plan))


class Pencil:
    """A reader that notes how many balls it is shown."""

    def __init__(self):
        self.shown = []

    def read(self, _picture, centers_px, _radii_px):
        self.shown.append(len(centers_px))
        return np.full((len(centers_px), 15), 1 / 15)


@pytest.fixture
def looker(pictures, monkeypatch):
    pencil = Pencil()
    monkeypatch.setattr(looking, "NumberReader", lambda _model: pencil)
    return looking.NumberLooker(pictures[0].table_file), pencil


def seen(x_mm, **changes):
    ball = Detection(
        place=Point(x_mm, 0.0), sigma_mm=0.3, sigma_along_mm=0.3, center_px=(100.0, 100.0), radius_px=15.0,
        looks={"numbered": 0.98},
    )  # fmt: skip
    return replace(ball, **changes)


def look(looker, picture, detections, index=0, **changes):
    sighting = Sighting(t_ns=index * 16_666_667, index=index, detections=tuple(detections), **changes)
    return looker.look(Frame(t_ns=sighting.t_ns, index=index, pixels=picture.pixels.copy()), sighting)


def test_a_ball_that_lies_still_is_read_once_and_again_when_it_has_rolled(looker, pictures):
    looker, pencil = looker
    first = look(looker, pictures[0], [seen(500.0)])
    assert sum(first.detections[0].numbers) == pytest.approx(1.0)
    for index in range(1, 4):
        assert look(looker, pictures[0], [seen(500.0 + index)], index).detections[0].numbers == ()
    look(looker, pictures[0], [seen(520.0)], 4)
    assert pencil.shown == [1, 1]


def test_a_full_rack_is_read_a_few_balls_at_a_time_until_all_are_read(looker, pictures):
    looker, pencil = looker
    for index in range(6):
        look(looker, pictures[0], [seen(300.0 + 70 * ball) for ball in range(15)], index)
    assert sum(pencil.shown) == 15
    assert max(pencil.shown) <= 4


@pytest.mark.parametrize(
    ("changes", "covers"),
    [
        ({"streak_mm": (30.0, 0.0)}, ()),
        ({"looks": {"cue": 0.98}}, ()),
        ({}, (Cover(outline=(Point(450, -50), Point(550, -50), Point(550, 50), Point(450, 50))),)),
    ],
    ids=["smeared", "cue ball", "under an arm"],
)
def test_what_cannot_be_read_is_not_read(looker, pictures, changes, covers):
    looker, pencil = looker
    look(looker, pictures[0], [seen(500.0, **changes)], covers=covers)
    assert pencil.shown == []


def test_without_a_model_nothing_is_read_and_health_says_so(pictures, tmp_path):
    looker = looking.NumberLooker(pictures[0].table_file, tmp_path / "none.onnx")
    assert looker.ailment.kind == "no_numbers"
    assert "numbers of balls are not read" in looker.ailment.detail
    assert look(looker, pictures[0], [seen(500.0)]).detections[0].numbers == ()


def test_a_model_that_finds_balls_reads_no_numbers():
    with pytest.raises(VisionError, match="reads no numbers"):
        NumberReader(NumberReader().path.with_name("balls.onnx"))


def test_only_tables_with_numbered_balls_get_a_reader(pictures):
    table_file = pictures[0].table_file
    assert table_file.ball_set.balls == PYRAMID_SET
    assert len(Pipeline(table_file)._lookers) == 1
    assert Pipeline(replace(table_file, ball_set=BallSet()))._lookers == []


def test_windows_show_the_ball_alone_whatever_the_light(pictures):
    pixels = pictures[0].pixels
    dim = (pixels * 0.6).astype(np.uint8)
    centers, radii = np.array([[300.0, 200.0], [3.0, 2.0]]), np.array([14.0, 14.0])
    bright_windows, dim_windows = windows_of(pixels, centers, radii), windows_of(dim, centers, radii)
    assert bright_windows.shape == (2, WINDOW_PX, WINDOW_PX)
    assert (bright_windows[:, ~BALL] == 0).all()
    assert np.abs(bright_windows - dim_windows)[0].mean() < 0.15


def test_numbers_turned_to_the_camera_are_read_and_sure_readings_are_right(pictures):
    reader, own, sure = NumberReader(), [], []
    for picture in pictures:
        places = np.array([[ball.place.x_mm, ball.place.y_mm] for ball in picture.balls])
        drawn = SphereOutline(picture.table_file.camera, picture.table_file.table.ball_radius_mm).project(places)
        chances = reader.read(picture.pixels, drawn.centers_px, drawn.radii_px)
        assert chances.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
        for row, ball in zip(chances, picture.balls, strict=True):
            if ball.number is not None:
                own.append(row[ball.number - 1])
                sure += [row.argmax() + 1 == ball.number] * bool(row.max() > 0.5)
    assert np.log(15 * np.array(own)).mean() > 0.5  # of 15 alike it would be 0, below it misleads
    assert len(sure) > 8
    assert np.mean(sure) > 0.7


def test_the_angle_of_a_number_is_that_of_the_nearer_of_its_two_prints():
    eye = np.array([0.0, 0.0, 2000.0])
    upright = BallPose(ball=Ball("3"), center_mm=(0.0, 0.0, 34.0))
    assert facing_rad(upright, eye) == pytest.approx(0.0)
    half = math.sqrt(0.5)
    assert facing_rad(replace(upright, turn=(half, half, 0.0, 0.0)), eye) == pytest.approx(math.pi / 2)
    assert facing_rad(replace(upright, turn=(0.0, 1.0, 0.0, 0.0)), eye) == pytest.approx(0.0)
