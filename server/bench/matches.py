"""Virtual matches rendered and seen in one process, with or without a video file between, compared with the truth."""

import math
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2

from calibration.store import load_table_file
from hardware.board import Board
from hardware.boards.recorded import open_board
from hardware.camera import open_camera
from hardware.frame import Frame
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.match import MatchPlan
from hardware.virtual.performance import Performance, play_match
from hardware.virtual.picture.film import Film
from hardware.virtual.recording import RecordingPlan, film_of, record
from hardware.virtual.shutter import Shutter
from scoring.events import TableEvent
from scoring.table import Table
from server.analysis import frames_of
from server.bench.comparison import Comparison, compare
from vision.pipeline import Pipeline

Progress = Callable[[int], None]
_KAISA_MM, _LONG_MM = (2840.0, 1420.0), (3550.0, 1775.0)
_NS_PER_S = 1_000_000_000
_ALL = (0.0, math.inf)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsPlan:
    """What is played, and how it is seen; `fps` None is what the virtual camera of the seed has."""

    game: str
    difficulty: Difficulty
    strokes: int
    fps: float | None = None
    size_px: tuple[int, int] = (1280, 720)
    has_sensors: bool = False
    is_encoded: bool = False

    @property
    def recording(self) -> RecordingPlan:
        """How a match of this plan is recorded."""
        return RecordingPlan(
            size_px=self.size_px, fps=self.fps, has_sensors=self.has_sensors, has_video=self.is_encoded
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenMatch:
    """One match or case: how it compares, and what looking at it cost."""

    seed: int
    fps: float
    frames: int
    look_s: float
    comparison: Comparison

    @property
    def ms_per_frame(self) -> float:
        """CPU time of vision for each frame, without rendering or decoding."""
        return 1e3 * self.look_s / max(1, self.frames)


def see_match(plan: EventsPlan, seed: int, progress: Progress = lambda _frames: None) -> SeenMatch:
    """Play, look, compare; `progress` hears how many frames were seen."""
    match = MatchPlan(game=plan.game, seed=seed, difficulty=plan.difficulty, table=table_of(plan.game))
    return see_performance(play_match(match, plan.strokes), plan.recording, progress)


def see_performance(
    performance: Performance,
    plan: RecordingPlan,
    progress: Progress = lambda _frames: None,
    film: Film | None = None,
    stretch_s: tuple[float, float] = _ALL,
) -> SeenMatch:
    """Look at what was played as it is rendered, or at its video where the plan has one, and compare.

    Of what is rendered only a stretch may be looked at.
    """
    cv2.setNumThreads(1)
    film = film or film_of(performance, plan)
    first_s, last_s = stretch_s
    with tempfile.TemporaryDirectory(prefix="cuemarker-bench-") as name:
        folder = Path(name)
        record(performance, plan, folder, film=film)
        table_file = load_table_file(folder / "table.toml")
        board = open_board(str(folder / "sensors.txt")) if plan.has_sensors else None
        pipeline = Pipeline(table_file, balls=performance.balls)
        frames = (
            _decoded(folder / "video.mp4")
            if plan.has_video
            else filmed_frames(performance, film, table_file.fps, stretch_s)
        )
        events, count, look_s = _looked(pipeline, frames, board, progress)
    return SeenMatch(
        seed=performance.seed,
        fps=table_file.fps,
        frames=count,
        look_s=look_s,
        comparison=compare([e for e in performance.timeline.events if first_s <= e.t_s < last_s], events),
    )


def _looked(
    pipeline: Pipeline, frames: Iterator[Frame], board: Board | None, progress: Progress
) -> tuple[list[TableEvent], int, float]:
    """All events, how many frames, and the CPU seconds of looking at them."""
    events: list[TableEvent] = []
    count, look_s = 0, 0.0
    for frame in frames:
        began_s = time.process_time()
        events += pipeline.step(frame, board.poll(frame.t_ns) if board is not None else ())
        look_s += time.process_time() - began_s
        count += 1
        progress(count)
    began_s = time.process_time()
    events += pipeline.finish()
    return events, count, look_s + time.process_time() - began_s


def rendered_frames(performance: Performance, plan: RecordingPlan, fps: float) -> Iterator[Frame]:
    """The frames as the virtual camera gives them, straight from the renderer."""
    return filmed_frames(performance, film_of(performance, plan), fps)


def filmed_frames(
    performance: Performance, film: Film, fps: float, stretch_s: tuple[float, float] = _ALL
) -> Iterator[Frame]:
    """The frames of a camera that is there already."""
    timeline, shutter = performance.timeline, Shutter.of(film.look, fps)
    first_s, last_s = stretch_s
    for index in range(int(first_s * fps), int(min(timeline.duration_s, last_s) * fps)):
        if not shutter.is_dropped(index) and not film.mishaps.is_lost(index / fps):
            pixels = film.frame(timeline, shutter.seen_s(index))
            yield Frame(t_ns=round(index / fps * _NS_PER_S), index=index, pixels=pixels)


def _decoded(path: Path) -> Iterator[Frame]:
    with open_camera(str(path)) as camera:
        yield from frames_of(camera)


def table_of(game: str) -> Table:
    """The table on which a game is usually played."""
    length_mm, width_mm = _KAISA_MM if game == "kaisa" else _LONG_MM
    return Table(length_mm=length_mm, width_mm=width_mm)
