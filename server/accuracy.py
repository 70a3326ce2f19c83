"""How well the detector sees: detections against the truth of virtual matches and of real clips.

Run `python -m server.accuracy FOLDER...`. A folder that `cuemarker simulate` wrote is played again to know where every
ball was; in any other folder each `NAME.truth.json` with nose corners and each `NAME.tracks.json` beside `NAME.mp4`
are read (formats `billiards-truth/1` and `billiards-tracks/1`).
"""

import csv
import json
import math
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import CameraModel
from calibration.store import load_table_file
from calibration.table_file import BallSet, TableFile
from hardware.camera import open_camera
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.match import MatchPlan, VirtualMatch
from hardware.virtual.timeline import Timeline
from scoring.balls import Ball
from scoring.table import Table
from server.analysis import frames_of
from server.errors import ServerError
from vision.detection import Detection
from vision.detectors import USUAL, open_detector

_NEAR_PX = 8.0
_STILL_MM_S = 1.0
_FAST_MM_S = (2500.0, 3500.0)  # about 3 m/s
_CAROM_MM = (2840.0, 1420.0, 61.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class BallTruth:
    """Where a ball's outline should be, whether it must be seen, and how fast it goes (0 when not known)."""

    center_px: tuple[float, float]
    is_required: bool
    speed_mm_s: float = 0.0
    place_mm: tuple[float, float] | None = None
    colour: str | None = None


@dataclass(slots=True)
class Score:
    """What was found of what was there; errors of resting and moving balls in mm where the truth is in mm, else px."""

    frames: int = 0
    untrusted: int = 0  # of them, that were told as not to be trusted (the light went out): nothing is asked of these
    required: int = 0
    missed: int = 0
    false: int = 0
    decode_s: float = 0.0
    look_s: float = 0.0
    rest_errors: list[float] = field(default_factory=list)
    moving_errors: list[float] = field(default_factory=list)
    fast_errors: list[float] = field(default_factory=list)  # those of them at about 3 m/s
    coloured: int = 0  # balls at rest that were found and whose colour is known,
    colour_right: int = 0  # and those that look most like their colour

    def line(self, name: str) -> str:
        """One line for a person."""
        found = 1 - self.missed / max(1, self.required)
        parts = [f"{name}: {self.frames} frames, recall {found:.4f} of {self.required}, {self.false} false"]
        if self.untrusted:
            parts.append(f"{self.untrusted} frames not trusted")
        for word, errors in self._errors().items():
            if errors:
                middle, high = np.percentile(errors, [50, 95])
                parts.append(f"{word} median {middle:.2f} p95 {high:.2f}")
        if self.coloured:
            parts.append(f"colour right {self.colour_right / self.coloured:.4f} of {self.coloured}")
        each_ms = 1e3 / max(1, self.frames)
        parts.append(f"decoding {self.decode_s * each_ms:.2f} ms, looking {self.look_s * each_ms:.2f} ms a frame")
        return ", ".join(parts)

    def figures(self, name: str) -> dict[str, Any]:
        """The same for programs."""
        each_ms = 1e3 / max(1, self.frames)
        return {
            "name": name,
            "frames": self.frames,
            "untrusted": self.untrusted,
            "required": self.required,
            "missed": self.missed,
            "false": self.false,
            "coloured": self.coloured,
            "colour_right": self.colour_right,
            "decode_ms": round(self.decode_s * each_ms, 3),
            "look_ms": round(self.look_s * each_ms, 3),
        } | {
            f"{word}_{part}": round(float(np.percentile(values, part)), 3)
            for word, values in self._errors().items()
            if values
            for part in (50, 95)
        }

    def _errors(self) -> dict[str, list[float]]:
        return {"rest": self.rest_errors, "moving": self.moving_errors, "fast": self.fast_errors}


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """A recording with its truth, a list of balls a frame."""

    name: str
    source: Path
    table_file: TableFile
    truth: list[list[BallTruth]]
    is_complete: bool  # whether what is not in the truth is false


def score_clip(clip: Clip, way: str = USUAL) -> Score:
    """Look through a clip, in one of `vision.detectors.DETECTORS`."""
    score, detector = Score(), open_detector(way, clip.table_file)
    with open_camera(str(clip.source), size_px=clip.table_file.camera.size_px) as camera:
        frames, start = frames_of(camera), time.process_time()
        for frame, balls in zip(frames, clip.truth, strict=False):
            decoded = time.process_time()
            sighting = detector.look(frame)
            looked = time.process_time()
            score.decode_s += decoded - start
            score.look_s += looked - decoded
            score.frames += 1
            if sighting.disturbed is not None:
                score.untrusted += 1
            else:
                _compare(score, clip, sighting.detections, balls)
            start = time.process_time()
    return score


def _compare(score: Score, clip: Clip, detections: tuple[Detection, ...], balls: list[BallTruth]) -> None:
    """Pair each ball with the nearest detection that no other ball has."""
    left = list(detections)
    for ball in balls:
        nearest = min(
            left, key=lambda detection: np.hypot(*np.subtract(detection.center_px, ball.center_px)), default=None
        )
        reach_px = max(_NEAR_PX, nearest.radius_px) if nearest is not None else 0.0
        if nearest is None or np.hypot(*np.subtract(nearest.center_px, ball.center_px)) > reach_px:
            score.required += ball.is_required
            score.missed += ball.is_required
            continue
        left.remove(nearest)
        if not ball.is_required:
            continue
        score.required += 1
        error = float(np.hypot(*np.subtract(nearest.center_px, ball.center_px)))
        if ball.place_mm is not None:
            error = float(np.hypot(nearest.place.x_mm - ball.place_mm[0], nearest.place.y_mm - ball.place_mm[1]))
        is_still = ball.speed_mm_s < _STILL_MM_S
        (score.rest_errors if is_still else score.moving_errors).append(error)
        if _FAST_MM_S[0] < ball.speed_mm_s < _FAST_MM_S[1]:
            score.fast_errors.append(error)
        if is_still and ball.colour is not None:
            looks = nearest.looks
            score.coloured += 1
            score.colour_right += max(looks, key=lambda word: looks[word], default="") == ball.colour
    score.false += len(left) if clip.is_complete else 0


def clips_in(folder: Path) -> Iterator[Clip]:
    """The clips of a folder."""
    if (folder / "meta.json").exists():
        yield _virtual_clip(folder)
        return
    found = sorted(folder.glob("*.tracks.json"))
    if not found:
        message = f"{folder} holds neither a virtual match (meta.json) nor clips with tracks (NAME.tracks.json)"
        raise ServerError(message)
    yield from (_real_clip(path) for path in found)


def _virtual_clip(folder: Path) -> Clip:
    """Play a virtual match again, until its camera is knocked; a ball under a hand or in a pocket need not be seen."""
    facts, table_file = json.loads((folder / "meta.json").read_text()), load_table_file(folder / "table.toml")
    plan = MatchPlan(
        game=facts["game"],
        seed=facts["seed"],
        difficulty=Difficulty(facts["difficulty"]),
        table=table_file.table,
        skill=facts["skill"],
        has_lag=facts.get("lag", False),
    )
    timeline = Timeline.of(islice(VirtualMatch(plan), facts["strokes"] + plan.has_lag))
    if abs(timeline.duration_s - facts["duration_s"]) > 0.01:
        message = f"{folder} was written by another version of the virtual table: simulate it again"
        raise ServerError(message)
    until_s = min((knock["t"] for knock in facts.get("knocks", ())), default=math.inf)
    truth = [_seen_at(timeline, t_s, table_file) for t_s in frame_times_s(folder / "tracks.csv", until_s)]
    return Clip(name=folder.name, source=folder / "video.mp4", table_file=table_file, truth=truth, is_complete=True)


def frame_times_s(tracks: Path, until_s: float = math.inf) -> list[float]:
    """When the frames of a virtual match were taken: a camera under load leaves some out.

    `until_s`: when it was knocked; a detector alone cannot know of that, its places are wrong from then on.
    """
    with tracks.open(encoding="utf-8", newline="") as file:
        times_s = dict.fromkeys(float(row["t"]) for row in csv.DictReader(file))
    return [t_s for t_s in times_s if t_s < until_s]


def _seen_at(timeline: Timeline, t_s: float, table_file: TableFile) -> list[BallTruth]:
    """The balls of one instant."""
    camera, table = table_file.camera, table_file.table
    now, soon = timeline.at(t_s), timeline.at(min(t_s + 1e-3, timeline.duration_s))
    later = {pose.ball: pose.center_mm for pose in soon.balls}
    hiding = [camera.project([limb.start_mm, limb.end_mm]) for limb in now.limbs]
    hiding += [camera.project([cue.tip_mm, cue.butt_mm]) for cue in now.cues]
    truth: list[BallTruth] = []
    for pose in now.balls:
        x, y, z = pose.center_mm
        center = camera.project([pose.center_mm])[0]
        radius = table.ball_radius_mm
        on_bed = abs(z - radius) < 1 and radius - 1 <= x <= table.length_mm - radius + 1
        on_bed = on_bed and abs(y) <= table.width_mm / 2 - radius + 1
        is_clear = all(_away_px(center, rod[0], rod[1]) > _CLEAR_PX for rod in hiding)
        speed = float(np.linalg.norm(np.subtract(later.get(pose.ball, pose.center_mm), pose.center_mm))) / 1e-3
        truth.append(
            BallTruth(
                center_px=(float(center[0]), float(center[1])),
                is_required=bool(on_bed and is_clear),
                speed_mm_s=speed,
                place_mm=(x, y),
                colour=pose.ball.colour,
            )
        )
    return truth


_CLEAR_PX = 45.0


def _away_px(point: npt.NDArray[np.float64], start: npt.NDArray[np.float64], end: npt.NDArray[np.float64]) -> float:
    """The distance of a point from a rod in the picture."""
    along = end - start
    share = float(np.clip((point - start) @ along / max(float(along @ along), 1e-9), 0, 1))
    return float(np.linalg.norm(point - start - share * along))


def _real_clip(path: Path) -> Clip:
    """A carom clip: camera from the four nose corners, balls' middles in px; what has no truth is not judged."""
    name = path.name.removesuffix(".tracks.json")
    truth, tracks = (json.loads(path.with_name(f"{name}.{kind}.json").read_text()) for kind in ("truth", "tracks"))
    length, width, ball = _CAROM_MM
    table = Table(length_mm=length, width_mm=width, ball_mm=ball, pockets=None)
    camera = _camera_over(table, truth["table"]["corners_nose"], tuple(truth["size"]))
    balls = tuple(Ball(word) for word in tracks["balls"])
    rows = [_marked(tracks["balls"], index) for index in range(truth["frames_decoded"])]
    return Clip(
        name=name,
        source=path.with_name(f"{name}.mp4"),
        table_file=TableFile(name=name, table=table, camera=camera, ball_set=BallSet(balls=balls)),
        truth=rows,
        is_complete=all(None not in places for places in tracks["balls"].values()),
    )


def _marked(tracks: Mapping[str, list[list[float] | None]], index: int) -> list[BallTruth]:
    """The balls that a person found in one frame."""
    places = [row[index] for row in tracks.values()]
    return [BallTruth(center_px=(place[0], place[1]), is_required=True) for place in places if place is not None]


def _camera_over(table: Table, corners: Mapping[str, list[float]], size_px: tuple[int, ...]) -> CameraModel:
    """A camera that sees the nose corners where they are; its focal length, which they do not tell, is a guess."""
    half, nose = table.width_mm / 2, table.nose_height_mm
    places = np.array(
        [[0, half, nose], [table.length_mm, half, nose], [table.length_mm, -half, nose], [0, -half, nose]]
    )
    pixels = np.array([corners[key] for key in ("TL", "TR", "BR", "BL")], dtype=np.float64)
    width, height = size_px[0], size_px[1]
    matrix = np.array([[2.0 * width, 0, (width - 1) / 2], [0, 2.0 * width, (height - 1) / 2], [0, 0, 1]])
    _, rotation, translation = cv2.solvePnP(places, pixels, matrix, np.zeros(5))
    return CameraModel(
        size_px=(width, height),
        matrix=matrix,
        distortion=np.zeros(5),
        rotation=np.asarray(rotation, dtype=np.float64),
        translation=np.asarray(translation, dtype=np.float64),
    )


def main(folders: list[str]) -> None:
    """Print a line per clip."""
    cv2.setNumThreads(1)
    for folder in folders:
        for clip in clips_in(Path(folder)):
            print(score_clip(clip).line(clip.name))  # noqa: T201 # this is what it is for


if __name__ == "__main__":
    main(sys.argv[1:])
