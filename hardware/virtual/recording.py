"""Records a virtual match or case: the picture, and beside it the whole truth (contract, section 5)."""

import dataclasses
import importlib.metadata
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from calibration.camera import CameraModel
from calibration.store import save_table_file
from calibration.table_file import BallSet, TableFile
from hardware.video_writer import VideoWriter
from hardware.virtual.board import MANNERS, VirtualSensors, recorded_lines
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.mishaps import make_mishaps
from hardware.virtual.performance import Performance
from hardware.virtual.picture import Renderer, make_look, make_view, true_table_file
from hardware.virtual.picture.film import Film
from hardware.virtual.scene import Vector
from hardware.virtual.shutter import Shutter
from hardware.virtual.timeline import Timeline
from hardware.virtual.truth import TrackWriter, write_events, write_sensor_lines, write_shots

Progress: TypeAlias = Callable[[int, int], None]
_PRESETS = {Difficulty.EASY: "ultrafast", Difficulty.NORMAL: "ultrafast", Difficulty.HARD: "veryfast"}  # of the encoder
_SENSORS = 13  # different things need different seeds


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingPlan:
    """How a performance is recorded; `fps` None is what the camera has, `place_mm` None where the seed puts it.

    `bits_s` is the rate of the video, None what the hall's camera needs for its quality.
    """

    size_px: tuple[int, int] = (1280, 720)
    fps: float | None = None
    place_mm: Vector | None = None
    has_sensors: bool = True
    has_video: bool = True
    bits_s: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What came of it."""

    timeline: Timeline
    frames: int
    scores: dict[str, int]
    winners: tuple[str, ...]


def film_of(performance: Performance, plan: RecordingPlan) -> Film:
    """The camera over a performance, with what befalls it.

    Raises:
        HardwareError: the camera cannot stand there.
    """
    table, seed, difficulty = performance.table, performance.seed, performance.difficulty
    look = make_look(seed, difficulty, length_mm=table.length_mm, width_mm=table.width_mm)
    camera = make_view(table, seed, difficulty, plan.size_px, place_mm=plan.place_mm)
    mishaps = performance.mishaps
    if mishaps is None:
        mishaps = make_mishaps(seed, difficulty, performance.timeline.duration_s, len(look.lamps))
    return Film(table, camera, look, mishaps)


def record(
    performance: Performance,
    plan: RecordingPlan,
    folder: Path,
    progress: Progress = lambda _done, _all: None,
    film: Film | None = None,
) -> Recorded:
    """Write a performance to a folder; `progress` hears how many frames are written, of how many.

    Raises:
        OSError: a file cannot be written.
        HardwareError: the camera cannot stand there, or the video cannot be written.
    """
    film = film or film_of(performance, plan)
    timeline, table, difficulty = performance.timeline, performance.table, performance.difficulty
    camera, look, mishaps = film.camera, film.look, film.mishaps
    fps = plan.fps or look.fps
    shutter = Shutter.of(look, fps)
    indices = [
        index
        for index in range(int(timeline.duration_s * fps))
        if not shutter.is_dropped(index) and not mishaps.is_lost(index / fps)
    ]
    table_file = _table_file(film.renderer_at(0.0), true_table_file(table, camera, look, balls=performance.balls), fps)
    folder.mkdir(parents=True, exist_ok=True)
    save_table_file(table_file, folder / "table.toml")
    write_events(folder / "truth.jsonl", timeline.events)
    write_shots(folder / "shots.jsonl", (part.shot for part in timeline.parts))
    if plan.has_sensors:
        sensors = VirtualSensors(MANNERS[difficulty], np.random.default_rng([performance.seed, _SENSORS]))
        pots = [pot for part in timeline.parts for pot in part.pots]
        write_sensor_lines(folder / "sensors.txt", recorded_lines(pots, timeline.duration_s, sensors))
    facts = _facts(performance, plan, table_file, len(indices)) | _befallen(film)
    text = json.dumps(facts, indent=2, ensure_ascii=False)
    (folder / "meta.json").write_text(f"{text}\n", encoding="utf-8")
    if plan.has_video:
        preset = _PRESETS[difficulty] if plan.bits_s is None else "veryfast"
        with (
            VideoWriter(
                folder / "video.mp4", plan.size_px, fps, crf=look.crf, preset=preset, bits_s=plan.bits_s
            ) as video,
            TrackWriter(folder / "tracks.csv") as tracks,
        ):
            for done, index in enumerate(indices):
                seen_s = shutter.seen_s(index)
                video.write(film.frame(timeline, seen_s), index / fps)
                instant = timeline.at(index / fps)
                seen = film.renderer_at(index / fps).sights(instant, (instant,), has_pockets=False)
                tracks.write(index / fps, instant, seen)
                progress(done + 1, len(indices))
    return Recorded(
        timeline=timeline, frames=len(indices), scores=dict(performance.scores), winners=performance.winners
    )


def _table_file(renderer: Renderer, table_file: TableFile, fps: float) -> TableFile:
    """The table file with the frame rate and the balls' true colours."""
    balls = table_file.ball_set.balls
    colours = {ball.colour: renderer.colour_of(ball) for ball in balls}
    return dataclasses.replace(table_file, fps=fps, ball_set=BallSet(balls=balls, colours=colours))


def _facts(performance: Performance, plan: RecordingPlan, table_file: TableFile, frames: int) -> dict[str, Any]:
    """What `meta.json` says."""
    return {
        "cuemarker": importlib.metadata.version("cuemarker"),
        "seed": performance.seed,
        "difficulty": performance.difficulty.value,
        **performance.facts,
        "scores": dict(performance.scores),
        "winners": list(performance.winners),
        "duration_s": round(performance.timeline.duration_s, 3),
        "frames": frames,
        "fps": table_file.fps,
        "size_px": list(plan.size_px),
        "camera": _camera_facts(table_file.camera),
    }


def _camera_facts(camera: CameraModel) -> dict[str, Any]:
    return {
        "matrix": camera.matrix.tolist(),
        "distortion": camera.distortion.tolist(),
        "rotation": camera.rotation.tolist(),
        "translation": camera.translation.tolist(),
    }


def _befallen(film: Film) -> dict[str, Any]:
    """What befell the camera and the lamps; a knocked camera with its pose from then on."""
    mishaps = film.mishaps
    facts = {
        "knocks": [{"t": knock.t_s, "camera": _camera_facts(film.camera_at(knock.t_s))} for knock in mishaps.knocks],
        "lamps": [{"t": switch.t_s, "lamp": switch.lamp, "on": switch.is_on} for switch in mishaps.switches],
        "exposures": [{"t": step.t_s, "gain": step.gain} for step in mishaps.reexposures],
        "lost": [[gap.starts_s, gap.ends_s] for gap in mishaps.gaps],
    }
    return {name: what for name, what in facts.items() if what}
