"""Draws what vision believes over the picture, so that a person can check it."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Array
from calibration.table_file import TableFile
from hardware.frame import Frame
from scoring.balls import Ball
from scoring.events import Contact, CushionHit, HouseLine, Moved, OffTable, Potted, Rest, Strike, TableEvent
from scoring.table import Point
from vision.detection import Cover, Sighting
from vision.detectors.outline import SphereOutline
from vision.whereabouts import cover_over

Colour = tuple[int, int, int]  # BGR
Picture = npt.NDArray[np.uint8]

_TRAIL_S = 1.0
_MARK_S = 1.2
_LINES = 8
_COVER: Colour = (200, 80, 200)
_HIDDEN: Colour = (140, 140, 140)
_MARK: Colour = (0, 255, 255)
_PAINTS: dict[str, Colour] = {
    "white": (255, 255, 255),
    "red": (80, 80, 255),
    "yellow": (0, 220, 255),
    "cue": (255, 160, 60),
    "numbered": (255, 255, 255),
    "unknown": (160, 255, 160),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where a named ball is at one time."""

    t_s: float
    ball: Ball
    place: Point
    visible: bool


class Overlay:
    """Draws for one table; remembers trails and the last events."""

    def __init__(self, table_file: TableFile) -> None:
        """Outlines and places come from the table file's camera."""
        self._camera, self._table = table_file.camera, table_file.table
        self._outline = SphereOutline(table_file.camera, table_file.table.ball_radius_mm)
        self._trails: dict[Ball, list[Spot]] = {}
        self._told: list[TableEvent] = []

    def draw(self, frame: Frame, sighting: Sighting, spots: Sequence[Spot], events: Sequence[TableEvent]) -> Picture:
        """(H, W, 3) uint8 BGR: a frame with covers, detections, named balls, trails and the events of this moment."""
        picture = np.array(frame.pixels)
        self._told = (self._told + list(events))[-_LINES:]
        for cover in sighting.covers:
            polygon = self._pixels(cover.outline, 0.0)
            cv2.polylines(picture, [np.rint(polygon).astype(np.int32)], isClosed=True, color=_COVER, thickness=1)
            _write(picture, cover.what, polygon.mean(axis=0), _COVER)
        for detection in sighting.detections:
            x, y = detection.center_px
            cv2.drawMarker(picture, (round(x), round(y)), (0, 255, 0), cv2.MARKER_CROSS, 6)
        for place in sighting.doubts:
            _write(picture, "?", self._pixels([place], self._table.ball_radius_mm)[0], _HIDDEN)
        for spot in spots:
            self._draw_ball(picture, spot, sighting.covers)
        self._draw_events(picture, frame.t_ns * 1e-9)
        if sighting.disturbed is not None:
            _write(picture, sighting.disturbed, np.array([12.0, 24.0]), (0, 0, 255))
        return picture

    def _draw_ball(self, picture: Picture, spot: Spot, covers: Sequence[Cover]) -> None:
        """A named ball's outline, where it was in the last second, and why it is not seen if it is not."""
        trail = [old for old in self._trails.get(spot.ball, []) if 0 <= spot.t_s - old.t_s < _TRAIL_S]
        self._trails[spot.ball] = [*trail, spot]
        colour = _PAINTS.get(spot.ball.colour, (255, 255, 0)) if spot.visible else _HIDDEN
        if len(trail) > 1:
            way = self._pixels([old.place for old in [*trail, spot]], self._table.ball_radius_mm)
            cv2.polylines(picture, [np.rint(way).astype(np.int32)], isClosed=False, color=colour, thickness=1)
        outline = self._outline.project(np.array([[spot.place.x_mm, spot.place.y_mm]]))
        ring = np.rint(outline.points_px[0] * 16).astype(np.int32)
        cv2.polylines(picture, [ring], isClosed=True, color=colour, thickness=1, lineType=cv2.LINE_AA, shift=4)
        radius = float(outline.radii_px[0])
        words = spot.ball.name if spot.visible else f"{spot.ball.name}: {self._why_unseen(spot, covers)}"
        _write(picture, words, outline.centers_px[0] + [radius, -radius], colour)

    def _why_unseen(self, spot: Spot, covers: Sequence[Cover]) -> str:
        """What hides a ball that is not seen, or that nothing does."""
        cover = cover_over(spot.place, covers, self._table)
        return "in doubt" if cover is None else f"hidden, {cover.what}"

    def _draw_events(self, picture: Picture, now_s: float) -> None:
        """Marks at the places of what has just happened, and the last events in words."""
        height = picture.shape[0]
        for row, event in enumerate(reversed(self._told)):
            _write(picture, said(event), np.array([12.0, height - 14 - 16 * row]), (255, 255, 255))
            place = _place(event)
            if place is not None and 0 <= now_s - event.t_s < _MARK_S:
                x, y = self._pixels([place], self._table.ball_radius_mm)[0]
                cv2.drawMarker(picture, (round(x), round(y)), _MARK, cv2.MARKER_TILTED_CROSS, 14, 2)
                _write(picture, event.kind, np.array([x + 8, y + 14]), _MARK)

    def _pixels(self, places: Sequence[Point], height_mm: float) -> Array:
        """(N, 2) px of places at one height."""
        return self._camera.project([[place.x_mm, place.y_mm, height_mm] for place in places])


def said(event: TableEvent) -> str:
    """An event in a short line."""
    words = f"{event.t_s:8.3f} {event.kind}"
    match event:
        case Strike() | Potted() | OffTable() | Moved() | HouseLine() | CushionHit():
            words += f" {event.ball}"
        case Contact():
            words += f" {event.ball} {event.other}"
        case Rest():
            words += f" {len(event.balls)} balls"
    match event:
        case Potted():
            words += f" {event.pocket}"
        case HouseLine():
            words += f" {event.direction}"
        case CushionHit():
            words += f" {event.pocket or event.cushion}"
        case _:
            pass
    return f"{words} ({event.reason or 'doubtful'})" if event.flagged else words


def _place(event: TableEvent) -> Point | None:
    """Where an event happened."""
    match event:
        case Contact() | CushionHit() | OffTable():
            return event.at
        case Moved():
            return event.target or event.origin
        case _:
            return None


def _write(picture: Picture, words: str, place_px: Array, colour: Colour) -> None:
    """Small words with a dark rim, readable on any cloth."""
    x, y = round(float(place_px[0])), round(float(place_px[1]))
    for where, paint in (((x + 1, y + 1), (0, 0, 0)), ((x, y), colour)):
        cv2.putText(picture, words, where, cv2.FONT_HERSHEY_SIMPLEX, 0.42, paint, 1, cv2.LINE_AA)
