"""What the overlay says of balls that are not seen."""

import numpy as np
import pytest

from calibration.camera import CameraModel
from calibration.table_file import TableFile
from hardware.frame import Frame
from scoring.balls import Ball
from scoring.table import Point, Table
from vision import overlay
from vision.detection import Cover, Sighting

CAMERA = CameraModel(
    size_px=(1280, 680),
    matrix=np.array([[1260.0, 0, 640], [0, 1260.0, 340], [0, 0, 1]]),
    distortion=np.zeros(5),
    rotation=np.array([np.pi, 0.0, 0.0]),
    translation=np.array([-1420.0, 0.0, 3000.0]),
)
FILE = TableFile(name="t", table=Table(length_mm=2840, width_mm=1420), camera=CAMERA)
ARM = Cover(outline=(Point(600, -200), Point(800, -200), Point(800, 300), Point(600, 300)), what="arm")


@pytest.mark.parametrize(
    ("place", "visible", "words"),
    [
        (Point(700, 100), True, "red-1"),
        (Point(700, 100), False, "red-1: hidden, arm"),
        (Point(2000, 100), False, "red-1: in doubt"),
    ],
)
def test_a_ball_says_whether_it_is_seen_hidden_and_by_what_or_in_doubt(monkeypatch, place, visible, words):
    said = []
    monkeypatch.setattr(overlay, "_write", lambda _, text, *_rest: said.append(text))
    frame = Frame(t_ns=0, index=0, pixels=np.zeros((680, 1280, 3), np.uint8))
    sighting = Sighting(t_ns=0, index=0, detections=(), covers=(ARM,), doubts=(Point(1500, 0),))
    spot = overlay.Spot(t_s=0.0, ball=Ball("red-1"), place=place, visible=visible)
    overlay.Overlay(FILE).draw(frame, sighting, [spot], [])
    assert said == ["arm", "?", words]
