"""Frames that cannot be looked at are counted, told and skipped; looking goes on after them."""

import cv2
import numpy as np
import pytest

from calibration.camera import CameraModel
from calibration.table_file import BallSet, TableFile
from hardware.frame import Frame
from scoring.table import Table
from vision.pipeline import Pipeline

TABLE = Table(length_mm=2840, width_mm=1420)
CAMERA = CameraModel(
    size_px=(640, 340),
    matrix=np.array([[630.0, 0, 320], [0, 630.0, 170], [0, 0, 1]]),
    distortion=np.zeros(5),
    rotation=np.array([np.pi, 0.0, 0.0]),
    translation=np.array([-1420.0, 0.0, 3000.0]),
)


def picture():
    pixels = np.full((340, 640, 3), (70, 120, 30), np.uint8)
    cv2.circle(pixels, (200 * 16, 100 * 16), 7 * 16, (210, 230, 235), -1, cv2.LINE_AA, 4)
    return pixels


def torn():
    """What is left when the lower half was lost on the way."""
    pixels = picture()
    pixels[170:] = np.random.default_rng(1).integers(0, 255, (170, 640, 3))
    return pixels


def looked(detector, middle):
    """Two good frames, an odd one, two good ones."""
    file = TableFile(name="t", table=TABLE, camera=CAMERA, ball_set=BallSet())
    pipeline, said = Pipeline(file, detector=detector), []
    for index, pixels in enumerate((picture(), picture(), middle, picture(), picture())):
        pipeline.step(Frame(t_ns=index * 16_000_000, index=index, pixels=pixels))
        said.append(pipeline.sighting)
    return pipeline, said


@pytest.mark.parametrize("detector", ["contrast", "fused"])
@pytest.mark.parametrize(
    ("name", "odd", "says"),
    [
        ("grey", picture()[..., 0].copy(), "not in colour"),
        ("grey with an axis", picture()[..., :1].copy(), "not in colour"),
        ("with transparency", np.dstack([picture(), picture()[..., 0]]), "not in colour"),
        ("16 bits", picture().astype(np.uint16) * 256, "not 8 bits"),
        ("another size", np.zeros((480, 640, 3), np.uint8), "640x480 px"),
        ("nothing", np.zeros((0, 0, 3), np.uint8), "0x0 px"),
    ],
)
def test_an_odd_frame_is_counted_told_and_skipped(detector, name, odd, says):
    pipeline, said = looked(detector, odd)
    assert pipeline.odd_frames == 1, name
    assert says in said[2].disturbed
    assert not said[2].detections
    assert [len(each.detections) for each in said[3:]] == [1, 1]


@pytest.mark.parametrize("detector", ["contrast", "fused"])
@pytest.mark.parametrize(("name", "bad"), [("black", np.zeros((340, 640, 3), np.uint8)), ("torn", torn())])
def test_a_frame_that_shows_no_table_is_not_trusted(detector, name, bad):
    _, said = looked(detector, bad)
    assert said[2].disturbed is not None, name
    assert not said[2].detections
