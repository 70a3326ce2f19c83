"""A recorded source looked through once or twice: events and tracks first, the overlay on a second look."""

import csv
import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TextIO

from calibration.table_file import TableFile
from hardware.board import Board
from hardware.camera import Camera, open_camera
from hardware.frame import Frame
from hardware.video_writer import VideoWriter
from scoring.balls import Ball
from scoring.events import TableEvent
from scoring.notation import event_to_json
from server.errors import ServerError
from vision.detectors import USUAL, open_detector
from vision.overlay import Overlay, Spot
from vision.pipeline import Pipeline

Progress = Callable[[Frame], None]
_USUAL_FPS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """What a recording told: all events in time order, and where each ball was in each frame."""

    events: tuple[TableEvent, ...]
    spots: tuple[Spot, ...]
    frames: int
    seconds: float
    odd_frames: int = 0  # that could not be looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is looked at, how."""

    source: str
    table_file: TableFile
    balls: tuple[Ball, ...] | None = None
    detector: str = USUAL
    board: Board | None = None
    progress: Progress = field(default=lambda _frame: None)

    def open(self) -> Camera:
        """Open the source, which must be a recording with pictures of the table file's size."""
        camera = open_camera(self.source, size_px=self.table_file.camera.size_px)
        if camera.is_live:
            camera.close()
            message = f"{self.source} is a live camera and never ends: give a recorded video"
            raise ServerError(message)
        return camera


def analyze_source(job: Job, tell: Callable[[TableEvent], None]) -> Analysis:
    """Look through a recording; `tell` hears of each event as soon as it is final."""
    pipeline = Pipeline(job.table_file, balls=job.balls, detector=job.detector)
    events: list[TableEvent] = []
    spots: list[Spot] = []
    frames, last_ns = 0, 0

    def take(news: Sequence[TableEvent]) -> None:
        events.extend(news)
        for event in news:
            tell(event)
        spots.extend(
            Spot(t_s=point.t_s, ball=point.ball, place=point.place, visible=point.visible)
            for point in pipeline.witness.tracks()
        )

    with job.open() as camera:
        for frame in frames_of(camera):
            take(pipeline.step(frame, job.board.poll(frame.t_ns) if job.board is not None else ()))
            frames, last_ns = frames + 1, frame.t_ns
            job.progress(frame)
    take(pipeline.finish())
    return Analysis(
        events=tuple(sorted(events, key=lambda event: event.t_s)),
        spots=tuple(sorted(spots, key=lambda spot: (spot.t_s, spot.ball.name))),
        frames=frames,
        seconds=last_ns * 1e-9,
        odd_frames=pipeline.odd_frames,
    )


def frames_of(camera: Camera) -> Iterator[Frame]:
    """The frames of a recording."""
    while (frame := camera.read()) is not None:
        yield frame


def write_overlay(job: Job, analysis: Analysis, path: Path) -> None:
    """Look through the recording again and draw what is known by now into a video."""
    table_file = job.table_file
    overlay, detector = Overlay(table_file), open_detector(job.detector, table_file)
    spot_times = [spot.t_s for spot in analysis.spots]
    event_times = [event.t_s for event in analysis.events]
    first_spot = first_event = 0
    with job.open() as camera, VideoWriter(path, camera.size_px, _writable_fps(camera.fps)) as video:
        for frame in frames_of(camera):
            now_s = frame.t_ns * 1e-9
            last_spot = bisect_right(spot_times, now_s + 1e-6)
            last_event = bisect_right(event_times, now_s)
            spots = [spot for spot in analysis.spots[first_spot:last_spot] if abs(spot.t_s - now_s) < 1e-6]
            events = analysis.events[first_event:last_event]
            video.write(overlay.draw(frame, detector.look(frame), spots, events), now_s)
            first_spot, first_event = last_spot, last_event
            job.progress(frame)


def _writable_fps(fps: float) -> float:
    """A rate whose ticks are fine enough for any frame times: pictures that were left out make odd averages."""
    is_usual = fps > 0 and (90_000 / Fraction(fps).limit_denominator(1001)).denominator == 1
    return fps if is_usual else _USUAL_FPS


def write_tracks(analysis: Analysis, file: TextIO) -> None:
    """The tracks as CSV, a row per ball and frame (contract, section 5)."""
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(["t", "ball", "x", "y", "visible"])
    for spot in analysis.spots:
        place = (f"{spot.place.x_mm:.2f}", f"{spot.place.y_mm:.2f}")
        rows.writerow([f"{spot.t_s:.6f}", spot.ball.name, *place, int(spot.visible)])


def event_line(event: TableEvent) -> str:
    """One event as a JSON line, to the microsecond and the micrometre."""
    return json.dumps(_rounded(event_to_json(event)), ensure_ascii=False)


def _rounded(value: object) -> object:
    """The same value with six decimals at most."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return value
