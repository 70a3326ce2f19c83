"""Finds balls with the trained network alone: slower and coarser than `contrast`, but it knows what a ball is.

Meant for key frames (`vision.detectors.fused`) and for comparison. Its places are good to about a pixel.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from calibration.camera import Array
from calibration.table_file import TableFile
from hardware.frame import Frame
from hardware.planes import Planes
from scoring.table import Point
from vision.colours import Colours
from vision.detection import Ailment, Detection, FinderSettings, Sighting
from vision.detectors.ball_net import BallNet
from vision.detectors.net_view import NetView
from vision.detectors.outline import SphereOutline
from vision.detectors.paint import core_of
from vision.detectors.region import Picture
from vision.errors import VisionError

SURE = 0.4  # confidence from which on a box is a ball
_SIZES = (0.6, 1.6)  # of the expected diameter, that a resting ball's box may have
_SIGMA_PX = 0.8
_OUTSIDE = 0.5  # radii beyond the noses at which a ball's middle may be seen


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """Balls in one picture: middles px (N, 2), places mm (N, 2), radii px and confidences (N,); people's boxes px."""

    centers_px: Array
    places_mm: Array
    radii_px: Array
    scores: Array
    people_px: Array


class BallFinder:
    """The network before one camera over one table."""

    def __init__(self, table_file: TableFile, model: Path | None = None) -> None:
        """Open the network.

        Raises:
            VisionError: there is no network, or none that can be used.
        """
        self._table = table_file.table
        self._outline = SphereOutline(table_file.camera, self._table.ball_radius_mm)
        self._net = BallNet(model)
        self._view = NetView.of(table_file.camera, self._table, self._outline, self._net.fixed_px)
        wide, high = self._net.fixed_px or self._view.scaled_px
        self.view_px = wide * high  # how much is looked at, which is what time a look takes

    def find(self, picture: Picture | Planes, least_score: float = SURE) -> Found:
        """Find the balls on the bed and the people over it.

        Raises:
            VisionError: the network fails.
        """
        boxes = self._net.find(self._view.cut(picture), least_score)
        balls = self._view.to_picture(boxes.balls)
        centers = (balls[:, :2] + balls[:, 2:]) / 2
        places = self._outline.places(centers) if len(centers) else np.empty((0, 2))
        radii = self._outline.radius_px(places) if len(places) else np.empty(0)
        sizes = (balls[:, 2:] - balls[:, :2]).min(axis=1) / np.maximum(2 * radii, 1e-6)
        slack = _OUTSIDE * self._table.ball_radius_mm - self._table.ball_radius_mm
        on_bed = (places[:, 0] > -slack) & (places[:, 0] < self._table.length_mm + slack)
        on_bed &= np.abs(places[:, 1]) < self._table.width_mm / 2 + slack
        kept = on_bed & (sizes > _SIZES[0]) & (sizes < _SIZES[1])
        return Found(
            centers_px=centers[kept],
            places_mm=places[kept],
            radii_px=radii[kept],
            scores=boxes.scores[kept],
            people_px=self._view.to_picture(boxes.people[boxes.people_scores >= SURE]),
        )


class YoloDetector:
    """Every ball that the network sees, in every frame."""

    ailment: Ailment | None = None

    def __init__(self, table_file: TableFile, model: Path | None = None) -> None:
        """Open the network for one table."""
        self._camera, self._finder = table_file.camera, BallFinder(table_file, model)
        self._outline = SphereOutline(table_file.camera, table_file.table.ball_radius_mm)
        self._colours = Colours(table_file.ball_set)

    def look(self, frame: Frame) -> Sighting:
        """Find the balls in a frame."""
        if frame.size_px != self._camera.size_px:
            ours, its = self._camera.size_px, frame.size_px
            message = f"the picture is {its[0]}x{its[1]} px, the table file is for {ours[0]}x{ours[1]}: calibrate again"
            raise VisionError(message)
        found = self._finder.find(frame.picture)
        looks = self._colours.looks(core_of(frame.picture, found.centers_px, found.radii_px))
        detections = [
            roughly(found, row, looks[row], self._outline.project(found.places_mm[row : row + 1]).mm_per_px[0])
            for row in range(len(found.scores))
        ]
        return Sighting(t_ns=frame.t_ns, index=frame.index, detections=tuple(detections))


def roughly(found: Found, row: int, looks: dict[str, float], mm_per_px: Array) -> Detection:
    """A ball where its box says it is."""
    sigma = _SIGMA_PX * float(np.sqrt(abs(np.linalg.det(mm_per_px))))
    return Detection(
        place=Point(float(found.places_mm[row, 0]), float(found.places_mm[row, 1])),
        sigma_mm=sigma,
        sigma_along_mm=sigma,
        center_px=(float(found.centers_px[row, 0]), float(found.centers_px[row, 1])),
        radius_px=float(found.radii_px[row]),
        looks=looks,
        score=float(found.scores[row]),
    )


def open_detector(table_file: TableFile, finder: FinderSettings) -> YoloDetector:
    """The detector for one table."""
    return YoloDetector(table_file, finder.model)
