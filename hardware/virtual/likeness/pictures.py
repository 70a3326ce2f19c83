"""Pictures whose balls are known: real ones from a folder with their labels, virtual ones from the renderer."""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from hardware.video_writer import VideoWriter
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.likeness.measures import Disc
from hardware.virtual.match import MatchPlan, VirtualMatch
from hardware.virtual.picture import Renderer, make_look, make_view
from hardware.virtual.timeline import Timeline
from scoring.table import Table

_TABLE = Table(length_mm=2840.0, width_mm=1420.0)
_LEAD_FRAMES = 8  # so that the encoder's picture is one from the middle of a video


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """A picture, (H, W, 3) uint8 BGR, and its balls."""

    name: str
    picture: npt.NDArray[np.uint8]
    discs: tuple[Disc, ...]


def real_samples(folder: Path) -> Iterator[Sample]:
    """The labelled pictures of a folder.

    Balls come from `NAME.first_bbox.txt` (x y width height class, px) beside `NAME.first.png`, from `NAME.txt` (YOLO)
    beside `NAME.jpg`, or from `NAME.truth.json` (`balls_start`, `table.ball_radius_px`) beside a video.
    """
    for path in sorted(folder.glob("*.first.png")):
        boxes = _rows(path.with_name(path.name.replace(".first.png", ".first_bbox.txt")))
        discs = [
            Disc(x_px=x + wide / 2 - 0.5, y_px=y + high / 2 - 0.5, radius_px=(wide + high) / 4)
            for x, y, wide, high, *_ in boxes
        ]
        yield from _sample(path.stem, cv2.imread(str(path)), discs)
    for path in sorted(folder.glob("*.jpg")):
        picture = cv2.imread(str(path))
        if picture is None:
            continue
        height, width = picture.shape[:2]
        discs = [
            Disc(x_px=x * width - 0.5, y_px=y * height - 0.5, radius_px=(wide * width + high * height) / 4)
            for _, x, y, wide, high in _rows(path.with_suffix(".txt"))
        ]
        yield from _sample(path.stem, picture, discs)
    for path in sorted(folder.glob("*.truth.json")):
        name = path.name.removesuffix(".truth.json")
        video = next((each for each in folder.glob(f"{name}.*") if each.suffix in (".mp4", ".mov")), None)
        facts = json.loads(path.read_text(encoding="utf-8"))
        radius_px = (facts.get("table") or {}).get("ball_radius_px")
        start = facts.get("balls_start") or {}
        if video is None or not radius_px or not start.get("balls"):
            continue
        capture = cv2.VideoCapture(str(video))
        capture.set(cv2.CAP_PROP_POS_FRAMES, start.get("frame", 0))
        is_there, picture = capture.read()
        capture.release()
        discs = [
            Disc(x_px=ball["px"][0], y_px=ball["px"][1], radius_px=radius_px) for ball in start["balls"] if "px" in ball
        ]
        yield from _sample(name, picture if is_there else None, discs)


def virtual_samples(seeds: range, size_px: tuple[int, int] = (1280, 720)) -> Iterator[Sample]:
    """A picture of a match for each difficulty and seed, as it comes out of its video."""
    for difficulty in Difficulty:
        for seed in seeds:
            match = VirtualMatch(MatchPlan(game="kaisa", seed=seed, difficulty=difficulty, table=_TABLE))
            timeline = Timeline.of(islice(match, 3))
            look = make_look(seed, difficulty)
            renderer = Renderer(_TABLE, make_view(_TABLE, seed, difficulty, size_px), look)
            t_s = timeline.parts[1].starts_s + 0.05
            sights = renderer.sights(timeline.at(t_s), (timeline.at(t_s),))
            discs = [
                Disc(
                    x_px=(sight.box_px[0] + sight.box_px[2]) / 2,
                    y_px=(sight.box_px[1] + sight.box_px[3]) / 2,
                    radius_px=(sight.box_px[2] - sight.box_px[0] + sight.box_px[3] - sight.box_px[1]) / 4,
                )
                for sight in sights.balls
                if sight.visible > 0.98
            ]
            frames = [renderer.frame(timeline, t_s - (_LEAD_FRAMES - index) / 30) for index in range(_LEAD_FRAMES + 1)]
            yield from _sample(f"{difficulty.value}_{seed}", _encoded(frames, look.crf), discs)


def _encoded(frames: list[npt.NDArray[np.uint8]], crf: int) -> npt.NDArray[np.uint8]:
    """The last of some frames after H.264."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "video.mp4"
        height, width = frames[0].shape[:2]
        with VideoWriter(path, (width, height), 30.0, crf=crf) as video:
            for frame in frames:
                video.write(frame)
        capture = cv2.VideoCapture(str(path))
        last = frames[-1]
        while True:
            is_there, picture = capture.read()
            if not is_there:
                break
            last = np.asarray(picture, dtype=np.uint8)
        capture.release()
        return last


def _rows(path: Path) -> list[list[float]]:
    if not path.is_file():
        return []
    return [[float(value) for value in line.split()] for line in path.read_text().splitlines() if line.strip()]


def _sample(name: str, picture: object, discs: list[Disc]) -> Iterator[Sample]:
    if picture is not None and discs:
        yield Sample(name=name, picture=np.asarray(picture, dtype=np.uint8), discs=tuple(discs))
