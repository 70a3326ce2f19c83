"""What a frame costs: decoding alone against the whole path of a table's process, in one run, as CPU time.

CPU time and the ratio of the two hold on a machine that is busy with other things; wall-clock time would not.
"""

import multiprocessing
import pickle
import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import cv2

from calibration.store import load_table_file
from hardware.camera import open_camera
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.match import MatchPlan
from hardware.virtual.performance import play_match
from hardware.virtual.recording import Recorded, RecordingPlan, record
from hardware.virtual.timeline import Timeline
from scoring.events import Rest, Strike
from server.bench.matches import table_of
from server.looking import Looking, pictures_of
from vision.pipeline import Pipeline

Phase: TypeAlias = Literal["play", "people", "rest"]
PHASES: tuple[Phase, ...] = ("play", "people", "rest")
_READ_S = 1.0  # after a stroke's rest, in which it is read as a whole: still in play
_CALM_S = 0.5  # since the last limb or cue was in the picture
_ROUNDS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedPlan:
    """What is recorded: a virtual match in H.264 at a camera's rate."""

    size_px: tuple[int, int]
    fps: float
    bits_s: int
    game: str = "kaisa"
    difficulty: Difficulty = Difficulty.NORMAL
    strokes: int = 2
    seed: int = 3001

    @property
    def name(self) -> str:
        """In a few words."""
        width, height = self.size_px
        return f"{width}x{height} at {self.fps:g} fps, {self.bits_s / 1e6:g} Mb/s"


USUAL_PLANS = (
    SpeedPlan(size_px=(1280, 720), fps=60.0, bits_s=6_000_000),
    SpeedPlan(size_px=(1920, 1080), fps=60.0, bits_s=12_000_000, strokes=1),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseCost:
    """CPU milliseconds per frame of one phase: "rest" is a still table with nobody near, "people" all that is left."""

    frames: int
    decode_ms: float
    path_ms: float

    @property
    def ratio(self) -> float:
        """How many times decoding the whole path costs."""
        return self.path_ms / self.decode_ms if self.decode_ms else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """The costs in one recording, frames per CPU second of the whole path, and the most memory the process had."""

    name: str
    mb_s: float
    phases: Mapping[Phase, PhaseCost]
    frames_per_cpu_s: float
    peak_mb: float


def make_recording(
    plan: SpeedPlan, folder: Path, progress: Callable[[int, int], None] = lambda _done, _all: None
) -> Recorded:
    """Play, render and code."""
    match = MatchPlan(game=plan.game, seed=plan.seed, difficulty=plan.difficulty, table=table_of(plan.game))
    recording = RecordingPlan(size_px=plan.size_px, fps=plan.fps, has_sensors=False, bits_s=plan.bits_s)
    return record(play_match(match, plan.strokes), recording, folder, progress)


def measure_speed(plan: SpeedPlan, progress: Callable[[int, int], None] = lambda _done, _all: None) -> Speed:
    """Record, then decode and look in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="cuemarker-bench-") as name:
        folder = Path(name)
        recorded = make_recording(plan, folder, progress)
        phases = phases_of(recorded.timeline, plan.fps, recorded.frames)
        mb_s = (folder / "video.mp4").stat().st_size * 8e-6 / recorded.timeline.duration_s
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            phase_costs, peak_mb = pool.submit(costs_of, folder, phases).result()
    seconds = sum(cost.path_ms * cost.frames for cost in phase_costs.values()) / 1e3
    frames = sum(cost.frames for cost in phase_costs.values())
    return Speed(name=plan.name, mb_s=mb_s, phases=phase_costs, frames_per_cpu_s=frames / seconds, peak_mb=peak_mb)


def phases_of(timeline: Timeline, fps: float, frames: int) -> list[Phase]:
    """What goes on in each frame."""
    strokes: list[tuple[float, float]] = []
    began_s: float | None = None
    for event in timeline.events:
        if isinstance(event, Strike) and began_s is None:
            began_s = event.t_s
        elif isinstance(event, Rest) and began_s is not None:
            strokes.append((began_s, event.t_s + _READ_S))
            began_s = None
    phases: list[Phase] = []
    busy_s = 0.0
    for index in range(frames):
        t_s = index / fps
        instant = timeline.at(t_s)
        if instant.limbs or instant.cues:
            busy_s = t_s
        if any(first <= t_s <= last for first, last in strokes):
            phases.append("play")
        else:
            phases.append("people" if t_s - busy_s < _CALM_S else "rest")
    return phases


def costs_of(folder: Path, phases: Sequence[Phase]) -> tuple[dict[Phase, PhaseCost], float]:
    """CPU time of each phase in a recording, each way of going through it in turn; and the process's peak in MB."""
    cv2.setNumThreads(1)
    spent: dict[str, dict[Phase, float]] = {"decode": dict.fromkeys(PHASES, 0.0), "path": dict.fromkeys(PHASES, 0.0)}
    for _ in range(_ROUNDS):
        for way, frames in (("decode", _decoded(folder / "video.mp4")), ("path", _looked_at(folder))):
            before_s = time.process_time()
            for phase, _ in zip(phases, frames, strict=False):
                now_s = time.process_time()
                spent[way][phase] += now_s - before_s
                before_s = now_s
    costs: dict[Phase, PhaseCost] = {}
    for phase in PHASES:
        if count := phases.count(phase):
            each_ms = 1e3 / (count * _ROUNDS)
            costs[phase] = PhaseCost(
                frames=count, decode_ms=spent["decode"][phase] * each_ms, path_ms=spent["path"][phase] * each_ms
            )
    return costs, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _decoded(path: Path) -> Iterator[None]:
    """The floor: the same video through OpenCV, and nothing done with it."""
    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    try:
        while capture.read()[0]:
            yield None
    finally:
        capture.release()


def _looked_at(folder: Path) -> Iterator[None]:
    """The whole path as before a live camera, up to what goes through the pipe to the hub."""
    pipeline = Pipeline(load_table_file(folder / "table.toml"))
    looking = Looking(pipeline=pipeline, poll=lambda _: ())
    with open_camera(f"file:{folder / 'video.mp4'}?one_thread=1") as camera:
        for picture in pictures_of(camera):
            for message in looking.step(picture):
                pickle.dumps(message)
            yield None
