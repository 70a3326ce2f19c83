"""Crops to train on: parts of labelled pictures in which a ball has the size that it has at run time.

Balls get other paint than the virtual sets have (any colour, half of them with a band), and pictures the damage that
small cameras and their coding do, so that the finder learns what a ball is and not what ours look like.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TypeAlias

import av
import cv2
import numpy as np
import numpy.typing as npt
import yaml

from vision.detectors.ball_net import BALL_PX, CLASSES
from vision.errors import VisionError

Pixels: TypeAlias = npt.NDArray[np.uint8]
Boxes: TypeAlias = npt.NDArray[np.float64]  # (N, 5): class, left, top, right, bottom in px
Progress: TypeAlias = Callable[[int, int], None]

CROP_PX = 192
_BALL_SPREAD = (0.75, 1.4)  # a tilted camera sees near balls larger than far ones
_SMALLEST_SOURCE_PX = 8.0
_KEPT_SHARE = 0.4  # of a box, within the crop
_PEOPLE = frozenset({"hand", "arm", "head", "person"})
_GREY = 114


@dataclass(frozen=True, slots=True, kw_only=True)
class CropPlan:
    """How many crops each picture gives, and by which seed; `is_varied` repaints balls and damages pictures."""

    seed: int
    each: int = 8
    is_varied: bool = True


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Picture:
    """A picture with its boxes, and the boxes (N, 4) of balls that surely nothing hides."""

    pixels: Pixels
    boxes: Boxes
    clear: Boxes
    ball_px: float


def cut_crops(dataset: Path, out: Path, plan: CropPlan, progress: Progress = lambda _done, _all: None) -> Path:
    """Cut a data set in YOLO's format into crops, a folder that has the same form; returns its `data.yaml`.

    Raises:
        VisionError: the data set is not there or not in that form.
    """
    words = _words(dataset)
    splits = [split for split in ("train", "val", "test") if (dataset / "images" / split).is_dir()]
    files = {split: sorted((dataset / "images" / split).glob("*.jpg")) for split in splits}
    if not files.get("train") or not files.get("val"):
        message = f"{dataset} has no pictures in images/train and images/val; write some with cuemarker simulate"
        raise VisionError(message)
    done, total = 0, sum(map(len, files.values()))
    for split, paths in files.items():
        for part in ("images", "labels"):
            (out / part / split).mkdir(parents=True, exist_ok=True)
        for number, path in enumerate(paths):
            rng = np.random.default_rng([plan.seed, splits.index(split), number])
            picture = _load(path, words)
            each = plan.each if split == "train" else max(1, plan.each // 4)
            for index, (pixels, boxes) in enumerate(_crops(picture, each, rng, is_varied=plan.is_varied)):
                name = f"{path.stem}-{index:02}"
                cv2.imwrite(str(out / "images" / split / f"{name}.png"), pixels)
                (out / "labels" / split / f"{name}.txt").write_text(_lines(boxes), encoding="utf-8")
            done += 1
            progress(done, total)
    data = out / "data.yaml"
    paths_text = "".join(f"{split}: images/{split}\n" for split in splits)
    names_text = "".join(f"  {index}: {name}\n" for index, name in enumerate(CLASSES))
    data.write_text(f"path: {out.resolve()}\n{paths_text}names:\n{names_text}", encoding="utf-8")
    return data


def _words(dataset: Path) -> tuple[str, ...]:
    """What the classes of a data set are called."""
    try:
        names = yaml.safe_load((dataset / "data.yaml").read_text(encoding="utf-8"))["names"]
        return tuple(str(names[index]) for index in range(len(names)))
    except (OSError, yaml.YAMLError, KeyError, TypeError) as error:
        message = f"{dataset} holds no data.yaml with names; write a data set with cuemarker simulate --dataset"
        raise VisionError(message) from error


def _load(path: Path, words: Sequence[str]) -> _Picture:
    """Read a picture and its labels; classes that the finder does not look for are left out."""
    pixels = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if pixels is None:
        message = f"{path} is no picture that can be read; write the data set again"
        raise VisionError(message)
    height, width = pixels.shape[:2]
    label = path.parents[2] / "labels" / path.parent.name / f"{path.stem}.txt"
    boxes, hiding = [], []
    for line in label.read_text(encoding="utf-8").splitlines():
        number, x, y, wide, high = (float(part) for part in line.split())
        left, top = (x - wide / 2) * width, (y - high / 2) * height
        box = [left, top, left + wide * width, top + high * height]
        word = words[int(number)]
        kind = _kind(word)
        if kind is not None:
            boxes.append([kind, *box])
        if kind != CLASSES.index("ball") and word != "pocket":
            hiding.append(box)
    array = np.array(boxes, dtype=np.float64).reshape(-1, 5)
    balls = array[array[:, 0] == 0]
    sides = np.minimum(balls[:, 3] - balls[:, 1], balls[:, 4] - balls[:, 2])
    ball_px = float(np.median(sides)) if len(sides) else BALL_PX * 1.5
    clear = balls[~_meet(balls[:, 1:], np.array(hiding).reshape(-1, 4)).any(axis=1), 1:]
    return _Picture(pixels=np.asarray(pixels, dtype=np.uint8), boxes=array, clear=clear, ball_px=ball_px)


def _meet(ours: Boxes, theirs: Boxes) -> npt.NDArray[np.bool_]:
    """(N, 4) and (M, 4) boxes to (N, M): which overlap."""
    low = np.maximum(ours[:, None, :2], theirs[None, :, :2])
    high = np.minimum(ours[:, None, 2:], theirs[None, :, 2:])
    return np.asarray((low < high).all(axis=2), dtype=np.bool_)


def _kind(word: str) -> int | None:
    """The finder's class for a data set's word."""
    if word in _PEOPLE:
        return CLASSES.index("person")
    return None if word in {"cue", "pocket"} else CLASSES.index("ball")


def _crops(
    picture: _Picture, count: int, rng: np.random.Generator, *, is_varied: bool
) -> Iterator[tuple[Pixels, Boxes]]:
    """Crops about things, with some anywhere."""
    for _ in range(count):
        wanted_px = BALL_PX * float(np.exp(rng.uniform(*np.log(_BALL_SPREAD))))
        side = CROP_PX * picture.ball_px / wanted_px
        middle = rng.uniform((0, 0), picture.pixels.shape[1::-1])
        if len(picture.boxes) and rng.random() < 0.8:
            box = picture.boxes[rng.integers(len(picture.boxes)), 1:]
            middle = (box[:2] + box[2:]) / 2 + rng.uniform(-0.4, 0.4, 2) * side
        size = round(side)
        corner = np.rint(_within(middle - side / 2, size, picture.pixels)).astype(int)
        part = _window(picture.pixels, corner, size)
        if is_varied:
            _repaint(part, [np.subtract(box, np.tile(corner, 2)) for box in picture.clear], rng)
            part = _damaged(part, picture.ball_px, rng)
        method = cv2.INTER_AREA if part.shape[0] > CROP_PX else cv2.INTER_LINEAR
        pixels = np.asarray(cv2.resize(part, (CROP_PX, CROP_PX), interpolation=method), dtype=np.uint8)
        boxes = _moved(picture.boxes, corner, CROP_PX / size)
        if rng.random() < 0.5:
            pixels, boxes = np.ascontiguousarray(pixels.transpose(1, 0, 2)), boxes[:, [0, 2, 1, 4, 3]]
        yield pixels, boxes


def _within(corner: Boxes, size: int, pixels: Pixels) -> Boxes:
    """A crop's corner, moved so that little of the crop lies outside the picture."""
    room = np.array(pixels.shape[1::-1]) - size
    slack = 0.15 * size
    inside: Boxes = np.clip(corner, np.minimum(0, room) - slack, np.maximum(0, room) + slack)
    return inside


def _window(pixels: Pixels, corner: npt.NDArray[np.int64], size: int) -> Pixels:
    """A square of a picture, grey where the picture has ended."""
    height, width = pixels.shape[:2]
    part = np.full((size, size, 3), _GREY, np.uint8)
    left, top = max(0, int(corner[0])), max(0, int(corner[1]))
    right, bottom = min(width, int(corner[0]) + size), min(height, int(corner[1]) + size)
    if left < right and top < bottom:
        x, y = left - int(corner[0]), top - int(corner[1])
        part[y : y + bottom - top, x : x + right - left] = pixels[top:bottom, left:right]
    return part


def _moved(boxes: Boxes, corner: npt.NDArray[np.int64], scale: float) -> Boxes:
    """Boxes in a crop, cut at its edge; without those of which too little is left."""
    moved = boxes.copy()
    moved[:, 1:] = (moved[:, 1:] - np.tile(corner, 2)) * scale
    whole = (moved[:, 3] - moved[:, 1]) * (moved[:, 4] - moved[:, 2])
    moved[:, 1:] = np.clip(moved[:, 1:], 0, CROP_PX)
    sides = moved[:, 3:] - moved[:, 1:3]
    share = sides.prod(axis=1) / np.maximum(whole, 1e-9)
    least = np.where(moved[:, 0] == 0, _KEPT_SHARE, 0.15)
    kept: Boxes = moved[(share > least) & (sides.min(axis=1) > 3)]
    return kept


def _repaint(part: Pixels, boxes: Sequence[npt.NDArray[np.float64]], rng: np.random.Generator) -> None:
    """Give balls that nothing hides any colour, and some a band of it; lamps' reflections stay."""
    if rng.random() < 0.4:
        return
    for left, top, right, bottom in boxes:
        wide, high = right - left, bottom - top
        is_inside = left >= 0 and top >= 0 and right < part.shape[1] and bottom < part.shape[0]
        if not is_inside or abs(wide - high) > 0.12 * max(wide, high) or rng.random() < 0.25:
            continue
        x0, y0, x1, y1 = int(left), int(top), int(right) + 2, int(bottom) + 2
        ball = part[y0:y1, x0:x1].astype(np.float32)
        rows, columns = np.mgrid[y0 : y0 + ball.shape[0], x0 : x0 + ball.shape[1]]
        x, y, radius = columns - (left + right) / 2, rows - (top + bottom) / 2, (wide + high) / 4
        alpha = np.clip(radius - np.hypot(x, y) + 0.3, 0, 1)
        light = ball.max(axis=2, keepdims=True)
        pale = light * rng.uniform(0.85, 1.0, 3) + (0 if light.mean() > 110 else rng.uniform(0, 60))
        hue = np.array([[[rng.integers(180), rng.integers(60, 256), rng.integers(50, 256)]]], dtype=np.uint8)
        tint = cv2.cvtColor(hue, cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32) / 255
        shine = np.clip((light - 225) / 30, 0, 1)
        painted = np.minimum(pale, 255) * (tint * (1 - shine) + shine)
        if rng.random() < 0.35:  # a striped ball
            turn = rng.uniform(0, 2 * np.pi)
            lean = rng.uniform(-0.5, 0.5)
            away = np.abs((x * np.cos(turn) + y * np.sin(turn)) / radius - lean)
            band = np.clip((rng.uniform(0.4, 0.65) - away) * radius + 0.5, 0, 1)[..., None]
            painted = np.minimum(pale, 255) * (1 - band) + painted * band
        ball += (painted - ball) * alpha[..., None]
        part[y0:y1, x0:x1] = np.clip(ball, 0, 255).astype(np.uint8)


def _damaged(part: Pixels, ball_px: float, rng: np.random.Generator) -> Pixels:
    """A picture as a smaller, softer or thriftier camera gives it."""
    if rng.random() < 0.6 and ball_px > _SMALLEST_SOURCE_PX:
        scale = float(np.exp(rng.uniform(np.log(_SMALLEST_SOURCE_PX / ball_px), 0)))
        side = max(32, round(part.shape[0] * scale) // 2 * 2)
        part = np.asarray(cv2.resize(part, (side, side), interpolation=cv2.INTER_AREA), dtype=np.uint8)
    if rng.random() < 0.25:
        part = np.asarray(cv2.GaussianBlur(part, (0, 0), rng.uniform(0.4, 1.1)), dtype=np.uint8)
    if rng.random() < 0.25:
        noise = rng.normal(0, rng.uniform(2, 9), part.shape)
        part = np.clip(part + noise, 0, 255).astype(np.uint8)
    if rng.random() < 0.2:
        hsv = cv2.cvtColor(part, cv2.COLOR_BGR2HSV)
        hsv[..., 0] = (hsv[..., 0].astype(int) + int(rng.integers(180))) % 180
        part = np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR), dtype=np.uint8)
    coding = rng.random()
    if coding < 0.35:
        return _through_jpeg(part, int(rng.integers(35, 92)))
    if coding < 0.65:
        return through_h264(part, int(rng.integers(20, 36)))
    return part


def _through_jpeg(part: Pixels, quality: int) -> Pixels:
    _, code = cv2.imencode(".jpg", part, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR), dtype=np.uint8)


def through_h264(part: Pixels, crf: int) -> Pixels:
    """A picture after H.264 at half the resolution in colour, as videos have it; odd sides lose a pixel."""
    height, width = (side // 2 * 2 for side in part.shape[:2])
    part = np.ascontiguousarray(part[:height, :width])
    store = BytesIO()
    with av.open(store, "w", format="matroska") as box:
        stream = box.add_stream("libx264", rate=25, options={"crf": str(crf), "preset": "veryfast", "threads": "1"})
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        box.mux(stream.encode(av.VideoFrame.from_ndarray(part, format="bgr24")))
        box.mux(stream.encode(None))
    store.seek(0)
    with av.open(store, "r") as coded:
        frame = next(coded.decode(video=0))
        return np.asarray(frame.to_ndarray(format="bgr24"), dtype=np.uint8)


def _lines(boxes: Boxes) -> str:
    """Boxes as YOLO's label file has them."""
    rows = []
    for kind, left, top, right, bottom in boxes / np.array([1, *[CROP_PX] * 4]):
        rows.append(
            f"{int(kind)} {(left + right) / 2:.6f} {(top + bottom) / 2:.6f} {right - left:.6f} {bottom - top:.6f}"
        )
    return "".join(f"{row}\n" for row in rows)
