"""Records a virtual match: the picture, and beside it the whole truth (contract, section 5)."""

import dataclasses
import importlib.metadata
import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from calibration.store import save_table_file
from calibration.table_file import BallSet, TableFile
from hardware.video_writer import VideoWriter
from hardware.virtual.board import MANNERS, VirtualSensors, recorded_lines
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.match import MatchPlan, VirtualMatch
from hardware.virtual.picture import Renderer, make_look, make_view, true_table_file
from hardware.virtual.timeline import Timeline
from hardware.virtual.truth import write_events, write_sensor_lines, write_shots

Progress: TypeAlias = Callable[[int, int], None]
_PRESETS = {Difficulty.EASY: "ultrafast", Difficulty.NORMAL: "ultrafast", Difficulty.HARD: "veryfast"}  # of the encoder
_SENSORS, _REPEATS = 13, 14  # different things need different seeds


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingPlan:
    """What is recorded: `strokes` strokes after the lag, fewer if somebody wins; `fps` None is what the camera has."""

    match: MatchPlan
    strokes: int
    size_px: tuple[int, int] = (1280, 720)
    fps: float | None = None
    has_sensors: bool = True
    has_video: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What came of it."""

    timeline: Timeline
    frames: int
    scores: dict[str, int]
    winners: tuple[str, ...]


def record(plan: RecordingPlan, folder: Path, progress: Progress = lambda _done, _all: None) -> Recorded:
    """Play a match and write it to a folder; `progress` hears how many frames are written, of how many.

    Raises:
        OSError: a file cannot be written.
        HardwareError: the video cannot be written.
    """
    match, table = VirtualMatch(plan.match), plan.match.table
    timeline = Timeline.of(islice(match, plan.strokes + plan.match.has_lag))
    seed, difficulty = plan.match.seed, plan.match.difficulty
    look = make_look(seed, difficulty, length_mm=table.length_mm, width_mm=table.width_mm)
    camera = make_view(table, seed, difficulty, plan.size_px)
    fps = plan.fps or look.fps
    renderer = Renderer(table, camera, look)
    table_file = _table_file(renderer, true_table_file(table, camera, look, balls=match.script.balls), fps)
    recorded = Recorded(
        timeline=timeline,
        frames=int(timeline.duration_s * fps),
        scores=match.referee.scores,
        winners=match.referee.winners,
    )
    save_table_file(table_file, folder / "table.toml")
    write_events(folder / "truth.jsonl", timeline.events)
    write_shots(folder / "shots.jsonl", (part.shot for part in timeline.parts))
    if plan.has_sensors:
        generator = np.random.default_rng([seed, _SENSORS])
        sensors = VirtualSensors(MANNERS[difficulty], generator)
        pots = [pot for part in timeline.parts for pot in part.pots]
        write_sensor_lines(folder / "sensors.txt", recorded_lines(pots, timeline.duration_s, sensors))
    facts = json.dumps(_facts(plan, table_file, recorded), indent=2, ensure_ascii=False)
    (folder / "meta.json").write_text(f"{facts}\n", encoding="utf-8")
    if plan.has_video:
        repeats = np.random.default_rng([seed, _REPEATS])
        pixels = renderer.empty_table()
        with VideoWriter(folder / "video.mp4", plan.size_px, fps, crf=look.crf, preset=_PRESETS[difficulty]) as video:
            for index in range(recorded.frames):
                if index == 0 or repeats.random() >= look.repeat_share:
                    pixels = renderer.frame(timeline, index / fps)
                video.write(pixels)
                progress(index + 1, recorded.frames)
    return recorded


def _table_file(renderer: Renderer, table_file: TableFile, fps: float) -> TableFile:
    """The table file with the frame rate and the balls' true colours."""
    balls = table_file.ball_set.balls
    colours = {ball.colour: renderer.colour_of(ball) for ball in balls}
    return dataclasses.replace(table_file, fps=fps, ball_set=BallSet(balls=balls, colours=colours))


def _facts(plan: RecordingPlan, table_file: TableFile, recorded: Recorded) -> dict[str, Any]:
    """What `meta.json` says."""
    match, camera = plan.match, table_file.camera
    return {
        "cuemarker": importlib.metadata.version("cuemarker"),
        "seed": match.seed,
        "difficulty": match.difficulty.value,
        "game": match.game,
        "players": list(match.players),
        "skill": match.skill,
        "lag": match.has_lag,
        "strokes": len(recorded.timeline.parts) - match.has_lag,
        "scores": recorded.scores,
        "winners": list(recorded.winners),
        "duration_s": round(recorded.timeline.duration_s, 3),
        "frames": recorded.frames,
        "fps": table_file.fps,
        "size_px": list(plan.size_px),
        "camera": {
            "matrix": camera.matrix.tolist(),
            "distortion": camera.distortion.tolist(),
            "rotation": camera.rotation.tolist(),
            "translation": camera.translation.tolist(),
        },
        "intentions": [part.episode.intention for part in recorded.timeline.parts],
    }
