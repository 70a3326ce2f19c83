"""Looks at the numbers of balls that lie still or roll slowly, each place once, and tells what was read there."""

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from calibration.camera import CameraModel
from calibration.table_file import TableFile
from hardware.frame import Frame
from scoring.table import Point
from vision.detection import Ailment, Cover, Detection, Sighting
from vision.detectors.outline import SphereOutline
from vision.errors import VisionError
from vision.numbers.reader import SHIPPED, NumberReader
from vision.whereabouts import distance_to_cover_mm

NUMBERED = "numbered"
_SURE = 0.5
_TURNED_MM = 14.0  # a ball that has rolled so far shows another side
_SMEAR_PX = 2.5  # in more than that no number can be read
_MOST_AT_ONCE = 4  # a frame's share of the work
_KEPT_NS = 120 * 1_000_000_000
_log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class _Read:
    """Where a ball was read, and when somebody last saw one there."""

    place: Point
    seen_ns: int


class NumberLooker:
    """Reads the numbers in one camera's pictures; a ball that has been read is read again when it has rolled on."""

    def __init__(self, table_file: TableFile, model: Path = SHIPPED) -> None:
        """Open the reader; without it nothing is read, and `ailment` says why."""
        self._outline = SphereOutline(table_file.camera, table_file.table.ball_radius_mm)
        self._radius_mm = table_file.table.ball_radius_mm
        self._read: list[_Read] = []
        self._is_calm = False  # whether nothing was left to be read in the last frame
        self.ailment: Ailment | None = None
        self._reader: NumberReader | None = None
        try:
            self._reader = NumberReader(model)
        except VisionError as error:
            self.ailment = Ailment(kind="no_numbers", detail=f"numbers of balls are not read: {error}")
            _log.warning("%s", self.ailment.detail)

    def look(self, frame: Frame, sighting: Sighting) -> Sighting:
        """The sighting with what was read of those balls that have not been read where they are."""
        if self._reader is None or sighting.disturbed is not None or (sighting.is_still and self._is_calm):
            return sighting
        due = self._due(sighting)
        self._is_calm = not due
        if not due:
            return sighting
        places = np.array([[d.place.x_mm, d.place.y_mm] for d in (sighting.detections[index] for index in due)])
        outlines = self._outline.project(places)
        chances = self._reader.read(frame.picture, outlines.centers_px, outlines.radii_px)
        detections = list(sighting.detections)
        for index, row in zip(due, chances, strict=True):
            detections[index] = replace(detections[index], numbers=tuple(map(float, row)))
        return replace(sighting, detections=tuple(detections))

    def look_through(self, camera: CameraModel) -> None:
        """The camera was nudged a little; what has been read stays read."""
        self._outline = SphereOutline(camera, self._radius_mm)

    def _due(self, sighting: Sighting) -> list[int]:
        """Which balls are to be read."""
        now_ns, due = sighting.t_ns, list[int]()
        kept = [each for each in self._read if now_ns - each.seen_ns < _KEPT_NS]
        for index, detection in enumerate(sighting.detections):
            place = detection.place
            near = min(kept, key=lambda each: each.place.distance_mm(place), default=None)
            away_mm = math.inf if near is None else near.place.distance_mm(place)
            if near is not None and away_mm < _TURNED_MM:
                near.seen_ns = now_ns
            elif len(due) < _MOST_AT_ONCE and _can_be_read(detection, sighting.covers, self._radius_mm):
                due.append(index)
                if near is not None and away_mm < self._radius_mm:
                    kept.remove(near)  # the same ball, before it rolled on
                kept.append(_Read(place=place, seen_ns=now_ns))
        self._read = kept
        return due


def _can_be_read(detection: Detection, covers: Sequence[Cover], radius_mm: float) -> bool:
    """Whether it is a numbered ball, sharp, and nothing is over it."""
    if detection.looks.get(NUMBERED, 0.0) < _SURE:
        return False
    if detection.streak_mm is not None:
        px_per_mm = detection.radius_px / radius_mm
        if math.hypot(*detection.streak_mm) * px_per_mm > _SMEAR_PX:
            return False
    return all(distance_to_cover_mm(cover, detection.place) > radius_mm for cover in covers)
