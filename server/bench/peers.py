"""The same clip through our detector and tracker, through OpenCV alone, and through `ultralytics` `track()`.

Each runs in a process of its own, on one thread; decoding counts for all, loading a model for none.
"""

import json
import multiprocessing
import resource
import subprocess
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from rich.table import Table

from calibration.table_file import TableFile
from hardware.camera import open_camera
from server.accuracy import BallTruth, clips_in
from server.analysis import frames_of
from server.bench.peer_opencv import OpencvPeer
from server.errors import ServerError
from vision.detectors.ball_net import BALL_PX
from vision.pipeline import Pipeline

NEAR_PX = 8.0
_LONGEST_S = 3600
_STEP_PX = 32  # sides of the pictures that YOLO looks at are multiples of it
_SCRIPT = Path(__file__).with_name("peer_ultralytics.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What one way found in each frame, in pixels, and what that took."""

    name: str
    centers: Sequence[Sequence[Sequence[float]]]
    cpu_s: float
    peak_mb: float

    @property
    def cpu_ms(self) -> float:
        """CPU per frame."""
        return 1e3 * self.cpu_s / max(1, len(self.centers))


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerFigures:
    """One way on one clip; `false` are places in which there is no ball."""

    name: str
    frames: int
    cpu_ms: float
    peak_mb: float
    balls: int
    found: int
    false: int


def compare_peers(
    folder: Path, python: Path | None = None, model: Path | None = None, side_px: int | None = None
) -> list[PeerFigures]:
    """All ways that can be run here on a folder as `simulate` writes it; the peer needs its own Python and a model.

    `side_px` is the longer side of the pictures that the peer's model is given; without it, that at which balls are as
    large as in those that our network was trained on.

    Raises:
        ServerError: The folder holds no clip, or the peer fails.
    """
    clip = next(iter(clips_in(folder)))
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        looked = [pool.submit(way, clip.source, clip.table_file).result() for way in (_ours, _opencv)]
    if python is not None and model is not None:
        looked.append(_ultralytics(clip.source, python, model, side_px or trained_side_px(clip.table_file)))
    return [figures_of(one, clip.truth) for one in looked]


def figures_of(looked: Looked, truth: Sequence[Sequence[BallTruth]]) -> PeerFigures:
    """Count the balls that had to be seen and were, within a few pixels."""
    balls = found = false = 0
    for centers, wanted in zip(looked.centers, truth, strict=False):
        left = [np.array(center) for center in centers]
        for ball in wanted:
            away = [float(np.hypot(*(center - ball.center_px))) for center in left]
            is_found = bool(away) and min(away) <= NEAR_PX
            if is_found:
                left.pop(int(np.argmin(away)))
            balls += ball.is_required
            found += ball.is_required and is_found
        false += len(left)
    return PeerFigures(
        name=looked.name,
        frames=len(looked.centers),
        cpu_ms=looked.cpu_ms,
        peak_mb=looked.peak_mb,
        balls=balls,
        found=found,
        false=false,
    )


def _ours(source: Path, table_file: TableFile) -> Looked:
    """The whole pipeline, to table events."""
    cv2.setNumThreads(1)
    pipeline, centers = Pipeline(table_file), []
    with open_camera(f"file:{source}?one_thread=1", size_px=table_file.camera.size_px) as camera:
        began_s = time.process_time()
        for frame in frames_of(camera):
            pipeline.step(frame)
            detections = () if pipeline.sighting is None else pipeline.sighting.detections
            centers.append([list(detection.center_px) for detection in detections])
    return Looked(name="cuemarker", centers=centers, cpu_s=time.process_time() - began_s, peak_mb=_peak_mb())


def _opencv(source: Path, table_file: TableFile) -> Looked:
    """MOG2, Hough circles, nearest neighbour."""
    cv2.setNumThreads(1)
    table = table_file.table
    half = table.width_mm / 2
    noses = [
        (x, y, table.nose_height_mm)
        for x, y in ((0, half), (table.length_mm, half), (table.length_mm, -half), (0, -half))
    ]
    peer = OpencvPeer(radius_px=_radius_px(table_file), field_px=table_file.camera.project(noses).astype(np.float32))
    capture, centers = cv2.VideoCapture(str(source)), []
    began_s = time.process_time()
    while True:
        is_there, picture = capture.read()
        if not is_there:
            break
        centers.append(peer.look(np.asarray(picture, dtype=np.uint8)).tolist())
    return Looked(
        name="OpenCV: MOG2, Hough, nearest neighbour",
        centers=centers,
        cpu_s=time.process_time() - began_s,
        peak_mb=_peak_mb(),
    )


def trained_side_px(table_file: TableFile) -> int:
    """The longer side of a picture in which a ball is as large as in those that our network was trained on."""
    side_px = max(table_file.camera.size_px) * BALL_PX / (2 * _radius_px(table_file))
    return max(1, round(side_px / _STEP_PX)) * _STEP_PX


def _radius_px(table_file: TableFile) -> float:
    """A ball's radius in the middle of the table."""
    table = table_file.table
    middle = (table.length_mm / 2, 0.0, table.ball_radius_mm)
    beside = (middle[0] + table.ball_radius_mm, *middle[1:])
    return float(np.hypot(*np.diff(table_file.camera.project([middle, beside]), axis=0)[0]))


def _ultralytics(source: Path, python: Path, model: Path, side_px: int) -> Looked:
    """Plain `track()` with ByteTrack, given pictures of this size: a model's own may be that of its training's crops.

    Raises:
        ServerError: It cannot be run.
    """
    with tempfile.TemporaryDirectory(prefix="cuemarker-bench-") as name:
        result = Path(name) / "result.json"
        # Isolated: modules of ours beside the script must not hide those of the peer's Python.
        files = str(source.resolve()), str(model.resolve()), str(result)
        command = [str(python), "-I", str(_SCRIPT), *files, str(side_px)]
        try:
            run = subprocess.run(  # noqa: S603 (the peer that was asked for)
                command, capture_output=True, text=True, timeout=_LONGEST_S, check=False, cwd=name
            )
        except OSError as error:
            message = f"{python} cannot be run ({error.strerror}); see --peer-python"
            raise ServerError(message) from error
        if run.returncode or not result.exists():
            last = (run.stderr.strip().splitlines() or ["it says nothing"])[-1]
            message = f"ultralytics fails in {python}: {last}"
            raise ServerError(message)
        told = json.loads(result.read_text(encoding="utf-8"))
    return Looked(
        name=f"ultralytics track(), ByteTrack, {model.name} at {side_px} px",
        centers=told["centers"],
        cpu_s=told["cpu_s"],
        peak_mb=told["peak_mb"],
    )


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def peers_table(figures: Sequence[PeerFigures]) -> Table:
    """A row per way."""
    table = Table(title="the same clip (rendered: an upper bound)")
    table.add_column("way")
    for column in ("frames", "CPU ms per frame", "peak MB", "ball recall", "false per frame"):
        table.add_column(column, justify="right")
    for one in figures:
        recall, false = one.found / max(1, one.balls), one.false / max(1, one.frames)
        costs = (str(one.frames), f"{one.cpu_ms:.2f}", f"{one.peak_mb:.0f}")
        table.add_row(one.name, *costs, f"{recall:.4f} of {one.balls}", f"{false:.2f}")
    return table


def peers_json(figures: Sequence[PeerFigures]) -> dict[str, Any]:
    """The same for programs."""
    return {
        "rendered": "an upper bound of what real pictures give",
        "ways": [
            {
                "name": one.name,
                "frames": one.frames,
                "cpu_ms_per_frame": round(one.cpu_ms, 3),
                "peak_mb": round(one.peak_mb, 1),
                "balls": one.balls,
                "found": one.found,
                "false": one.false,
            }
            for one in figures
        ],
    }
