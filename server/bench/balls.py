"""How well each way of looking finds balls in real pictures: clips calibrated without a click, and stills.

Where a clip's calibration is refused, the corners that a person marked give it, which is told. A still has no table
file: only the network looks at it, at the scale that the marked balls give, and all that it finds in the whole picture
counts, captions and floor included.
"""

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from calibration.errors import CalibrationError
from calibration.table_file import TableFile
from hardware.camera import open_camera
from server.analysis import frames_of
from server.bench.footage import Footage, footage_in
from server.bench.footage_run import calibrated, calibrated_by_corners
from server.errors import ServerError
from vision.detectors import open_detector
from vision.detectors.ball_net import BALL_PX, BallNet
from vision.detectors.yolo import SURE

Places: TypeAlias = npt.NDArray[np.float64]  # (N, 2) px
Pixels: TypeAlias = npt.NDArray[np.uint8]

WAYS = ("yolo", "contrast", "fused")
_NEAR = 1.2  # radii within which a ball is found
_STILL_SUFFIXES = (".jpg", ".png")


@dataclass(slots=True, kw_only=True)
class BallCount:
    """What one way of looking found in one source."""

    source: str
    way: str
    pictures: int = 0
    true: int = 0
    found: int = 0
    false: int = 0
    note: str = ""  # why it was measured otherwise than the others, or not at all
    errors_px: list[float] = field(default_factory=list)

    @property
    def recall(self) -> float:
        """The share of the marked balls that was found."""
        return self.found / max(1, self.true)

    @property
    def precision(self) -> float:
        """The share of what was found that is a marked ball."""
        return self.found / max(1, self.found + self.false)

    @property
    def error_px(self) -> float | None:
        """The usual distance of a ball found from where it was marked."""
        return statistics.median(self.errors_px) if self.errors_px else None

    def add(self, true: Places, told: Places, near_px: float, *, is_complete: bool = True) -> None:
        """Compare one picture: each marked ball takes the nearest that nobody has taken."""
        left = list(range(len(told)))
        self.pictures += 1
        self.true += len(true)
        for place in true:
            nearest = min(left, key=lambda index: float(np.hypot(*(told[index] - place))), default=None)
            if nearest is None or float(np.hypot(*(told[nearest] - place))) > near_px:
                continue
            left.remove(nearest)
            self.found += 1
            self.errors_px.append(float(np.hypot(*(told[nearest] - place))))
        self.false += len(left) if is_complete else 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Marked:
    """The balls that a person marked in a picture, and whether they are all."""

    places: Places
    is_complete: bool


def count_balls(folder: Path, only: str = "") -> Iterator[BallCount]:
    """Every source of a reference folder by every way of looking that can look at it.

    Raises:
        ServerError: there is nothing to look at.
    """
    footage = [each for each in footage_in(folder) if only in each.name and each.corners_px]
    for each in footage:
        yield from _count_in_clip(each)
    stills = sorted(path for path in folder.iterdir() if path.suffix in _STILL_SUFFIXES and only in path.name)
    counts: dict[str, BallCount] = {}
    net = BallNet()
    for path in stills:
        marked = _boxes(path)
        if marked is None:
            continue
        source = f"{path.name.split('_', maxsplit=1)[0]} stills"
        count = counts.setdefault(source, BallCount(source=source, way="yolo"))
        _count_in_still(count, net, path, marked)
    if not footage and not counts:
        message = f"{folder} holds no marked recordings or stills whose name contains {only!r}"
        raise ServerError(message)
    yield from counts.values()


def _count_in_clip(footage: Footage) -> Iterator[BallCount]:
    """One recording, every frame of it looked at, those compared in which balls are marked."""
    try:
        table_file, note = _table_file(footage)
    except CalibrationError as error:
        yield BallCount(source=footage.name, way="none", note=f"not measured: {error}")
        return
    for way in WAYS:
        count = BallCount(source=footage.name, way=way, note=note)
        detector = open_detector(way, table_file)
        with open_camera(str(footage.video)) as camera:
            marked = _marked_frames(footage)
            for frame in frames_of(camera):
                truth = marked.get(frame.index)
                if way == "yolo" and truth is None:
                    continue  # it remembers nothing
                sighting = detector.look(frame)
                if truth is not None:
                    told = np.array([each.center_px for each in sighting.detections]).reshape(-1, 2)
                    radius = statistics.median([each.radius_px for each in sighting.detections] or [BALL_PX / 2])
                    count.add(truth.places, told, _NEAR * radius, is_complete=truth.is_complete)
        if count.pictures:
            yield count


def _table_file(footage: Footage) -> tuple[TableFile, str]:
    """A recording's table file, and what has to be said of it.

    Raises:
        CalibrationError: not even the corners that a person marked give one.
    """
    try:
        return calibrated(footage), ""
    except CalibrationError as error:
        return calibrated_by_corners(footage), f"by the corners that a person marked, for without them {error}"


def _marked_frames(footage: Footage) -> Mapping[int, _Marked]:
    """The frames of a recording in which balls are marked: with boxes, as spreads, or as tracks."""
    marked: dict[int, _Marked] = {}
    for spread in footage.spreads:
        if spread.marked:
            places = np.array([place for _, place in spread.marked], dtype=np.float64)
            marked[spread.frame] = _Marked(places=places, is_complete=len(places) == spread.count)
        for word in ("first", "last"):
            boxes = _boxes(footage.video.with_name(f"{footage.name}.{word}.png"))
            is_this = (spread.frame == 0) == (word == "first")
            if boxes is not None and is_this:
                marked[spread.frame] = _Marked(places=boxes[0], is_complete=True)
    for index in range(max(map(len, footage.tracks.values()), default=0)):
        row = [track[index] for track in footage.tracks.values()]
        known = np.array([place for place in row if place is not None], dtype=np.float64).reshape(-1, 2)
        marked[index] = _Marked(places=known, is_complete=len(known) == len(row))
    return marked


def _boxes(path: Path) -> tuple[Places, float] | None:
    """The middles and the usual size of the balls marked in a still, or None; balls are all that is marked."""
    beside, padova = path.with_suffix(".txt"), path.with_name(f"{path.stem}_bbox.txt")
    if beside.exists():
        size = _still(path).shape
        rows = _numbers(beside)[:, 1:5] * [size[1], size[0], size[1], size[0]]
        places, sides = rows[:, :2] - 0.5, rows[:, 2:]
    elif padova.exists():
        rows = _numbers(padova)[:, :4]
        places, sides = rows[:, :2] + (rows[:, 2:] - 1) / 2, rows[:, 2:]
    else:
        return None
    return (places, float(np.median(sides))) if len(places) else None


def _still(path: Path) -> Pixels:
    """A picture file's pixels."""
    pixels = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if pixels is None:
        message = f"{path} is no picture that can be read; copy it again"
        raise ServerError(message)
    return np.asarray(pixels, dtype=np.uint8)


def _numbers(path: Path) -> Places:
    """The rows of a label file."""
    rows = [[float(part) for part in line.split()] for line in path.read_text(encoding="utf-8").splitlines()]
    return np.array([row for row in rows if row], dtype=np.float64).reshape(-1, 5)


def _count_in_still(count: BallCount, net: BallNet, path: Path, marked: tuple[Places, float]) -> None:
    """One still, all of it."""
    places, across_px = marked
    scale = BALL_PX / across_px
    pixels = _still(path)
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    scaled = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=method)
    boxes = net.find(np.asarray(scaled, dtype=np.uint8), SURE).balls
    told = ((boxes[:, :2] + boxes[:, 2:]) / 2 + 0.5) / scale - 0.5
    count.add(places, told, _NEAR * across_px / 2)
