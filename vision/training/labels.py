"""Automatic labels from a hall's own footage: frames in which contrast alone is sure of every ball.

A person looks through the contact sheet and deletes the pictures whose boxes are wrong; what is left is trained on.
"""

import shutil
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from calibration.table_file import TableFile
from hardware.frame import Frame
from vision.detection import Cover, Detection, Sighting
from vision.detectors.ball_net import CLASSES
from vision.detectors.contrast import ContrastDetector
from vision.errors import VisionError

Pixels = npt.NDArray[np.uint8]

_LEAST_SCORE = 0.8
_PEOPLE = frozenset({"arm", "head"})
_CALM_FRAMES = 9  # in as many frames on end the same balls have to be seen
_MOST_PICTURES = 300
_VAL_SHARE = 0.15
_TILE_PX, _TILES_A_ROW = 320, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """What came of a recording: pictures and boxes written, frames seen, and the sheet to look through."""

    pictures: int
    balls: int
    people: int
    frames: int
    sheet: Path


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Sure:
    """A picture with boxes (class, left, top, right, bottom in px)."""

    index: int
    pixels: Pixels
    boxes: tuple[tuple[int, float, float, float, float], ...]


def write_labels(frames: Iterable[Frame], table_file: TableFile, out: Path) -> Labelled:
    """Look through a recording and write a data set in YOLO's form with a contact sheet, `sheet.jpg`.

    Raises:
        VisionError: too little of it is sure.
    """
    kept: list[_Sure] = []
    stride, count = 1, 0
    for count, sure in enumerate(_sure_frames(frames, table_file), start=1):
        if count % stride == 0:
            kept.append(sure)
        if len(kept) > _MOST_PICTURES:
            kept, stride = kept[::2], stride * 2
    if len(kept) < 2:
        message = "contrast is sure of every ball in too few frames of this recording; give a longer or clearer one"
        raise VisionError(message)
    if out.exists():
        shutil.rmtree(out)
    for split in ("train", "val"):
        for part in ("images", "labels"):
            (out / part / split).mkdir(parents=True)
    first_val = len(kept) - max(1, round(_VAL_SHARE * len(kept)))
    kinds: Counter[int] = Counter()
    for number, sure in enumerate(kept):
        split, name = "val" if number >= first_val else "train", f"frame-{sure.index:06}"
        cv2.imwrite(str(out / "images" / split / f"{name}.jpg"), sure.pixels, [cv2.IMWRITE_JPEG_QUALITY, 95])
        (out / "labels" / split / f"{name}.txt").write_text(_lines(sure), encoding="utf-8")
        kinds.update(kind for kind, *_ in sure.boxes)
    names = "".join(f"  {index}: {name}\n" for index, name in enumerate(CLASSES))
    (out / "data.yaml").write_text(f"path: .\ntrain: images/train\nval: images/val\nnames:\n{names}", encoding="utf-8")
    sheet = out / "sheet.jpg"
    cv2.imwrite(str(sheet), _sheet(kept))
    return Labelled(pictures=len(kept), balls=kinds[0], people=kinds[1], frames=count, sheet=sheet)


def _sure_frames(frames: Iterable[Frame], table_file: TableFile) -> Iterator[_Sure]:
    """The frames in which every ball is surely seen, and everything else is known for what it is."""
    detector = ContrastDetector(table_file)
    counts: deque[int] = deque(maxlen=_CALM_FRAMES)
    usual = 0
    for frame in frames:
        sighting = detector.look(frame)
        counts.append(len(sighting.detections))
        usual = max(usual, min(counts) if len(counts) == _CALM_FRAMES else 0)
        is_calm = len(counts) == _CALM_FRAMES and len(set(counts)) == 1 and counts[-1] > 0
        if is_calm and _is_sure(sighting):
            balls = [_ball_box(detection) for detection in sighting.detections]
            people = [_cover_box(cover, table_file) for cover in sighting.covers if cover.what in _PEOPLE]
            yield _Sure(index=frame.index, pixels=frame.pixels, boxes=(*balls, *people))


def _is_sure(sighting: Sighting) -> bool:
    """Whether nothing in a frame is doubtful."""
    return (
        sighting.disturbed is None
        and all(cover.what != "unknown" for cover in sighting.covers)
        and all(not each.is_merged and each.score >= _LEAST_SCORE for each in sighting.detections)
    )


def _ball_box(detection: Detection) -> tuple[int, float, float, float, float]:
    """A ball's box with pixel edges."""
    (x, y), radius = detection.center_px, detection.radius_px
    return 0, x - radius + 0.5, y - radius + 0.5, x + radius + 0.5, y + radius + 0.5


def _cover_box(cover: Cover, table_file: TableFile) -> tuple[int, float, float, float, float]:
    """The box of an arm or a head over the table."""
    corners = table_file.camera.project([(point.x_mm, point.y_mm, 0.0) for point in cover.outline])
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    return 1, float(left), float(top), float(right) + 1, float(bottom) + 1


def _lines(sure: _Sure) -> str:
    """Boxes as YOLO's label file has them."""
    height, width = sure.pixels.shape[:2]
    rows = []
    for kind, left, top, right, bottom in sure.boxes:
        x, y = (left + right) / 2 / width, (top + bottom) / 2 / height
        rows.append(f"{kind} {x:.6f} {y:.6f} {(right - left) / width:.6f} {(bottom - top) / height:.6f}\n")
    return "".join(rows)


def _sheet(kept: list[_Sure]) -> Pixels:
    """Small pictures with their boxes and file names, for a person to look through."""
    tiles = []
    for sure in kept:
        tile = sure.pixels.copy()
        for kind, left, top, right, bottom in sure.boxes:
            colour = (0, 255, 0) if kind == 0 else (255, 0, 255)
            cv2.rectangle(tile, (round(left), round(top)), (round(right), round(bottom)), colour, 2)
        high = round(_TILE_PX * tile.shape[0] / tile.shape[1])
        tile = np.asarray(cv2.resize(tile, (_TILE_PX, high), interpolation=cv2.INTER_AREA), dtype=np.uint8)
        cv2.putText(tile, f"frame-{sure.index:06}", (6, 16), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 255), 1)
        tiles.append(tile)
    tiles += [np.zeros_like(tiles[0])] * (-len(tiles) % _TILES_A_ROW)
    rows = [np.hstack(tiles[start : start + _TILES_A_ROW]) for start in range(0, len(tiles), _TILES_A_ROW)]
    return np.vstack(rows)
