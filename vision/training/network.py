"""Training with Ultralytics and what comes of it: a network as a file that runs alone, compared with the original.

Everything happens on this machine: no weights, fonts or settings are fetched.
"""

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from vision.detectors.ball_net import OVERLAP, BallNet
from vision.errors import VisionError
from vision.training.crops import CROP_PX

NETWORK = Path(__file__).with_name("balls.yaml")
START = Path(__file__).parents[1] / "models" / "balls.pt"
_OFFLINE = {"YOLO_OFFLINE": "1", "YOLO_AUTOINSTALL": "false"}
_LEAST_SCORE = 0.05  # boxes are compared from this confidence on,
_SAME_PX, _SAME_SCORE = 0.5, 0.01  # and may differ by so much: where one has a box just below, so has the other
_LEARNING_RATE, _TUNING_RATE = 0.003, 0.0005

Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainPlan:
    """What is trained on (a `data.yaml` of crops), where it goes, for how long: `epochs`, or `hours` if given.

    `start` is a network to go on from (`.pt`), None for random weights.
    """

    data: Path
    out: Path
    epochs: int = 20
    hours: float | None = None
    batch: int = 16
    seed: int = 1
    start: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """A trained network, how many epochs it took, and how good it is on the validation crops."""

    weights: Path
    epochs: int
    map50: float
    map50_95: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How far an exported network's boxes lie from its original's: how many, and the largest differences."""

    boxes: int
    odd_boxes: int  # that only one of them has
    most_px: float
    most_score: float

    @property
    def is_equal(self) -> bool:
        """Whether there are any, and they are the same for all that matters."""
        return self.boxes > 0 and self.odd_boxes == 0 and self.most_px < _SAME_PX and self.most_score < _SAME_SCORE


def train(plan: TrainPlan) -> Trained:
    """Train, or begin anew where `out` holds an earlier attempt.

    Raises:
        VisionError: Ultralytics is missing, or training fails.
    """
    model = _yolo(plan.start or NETWORK)
    hours = {} if plan.hours is None else {"time": plan.hours}
    return _run(model, plan.out, data=str(plan.data), **_recipe(plan), **hours)


def resume(out: Path) -> Trained:
    """Go on where training into a folder was interrupted.

    Raises:
        VisionError: there is nothing to go on with, or training fails.
    """
    last = out / "run" / "weights" / "last.pt"
    if not last.is_file():
        message = f"there is no {last}: nothing to go on with; train without --resume"
        raise VisionError(message)
    return _run(_yolo(last), out, resume=True)


def export(weights: Path, onnx: Path) -> None:
    """Write a network as ONNX for pictures of any size.

    Raises:
        VisionError: it cannot be exported.
    """
    model = _yolo(weights)
    try:
        written = model.export(format="onnx", dynamic=True, opset=17, simplify=True, imgsz=CROP_PX)
    except Exception as error:
        message = f"{weights} cannot be exported: {error}"
        raise VisionError(message) from error
    onnx.parent.mkdir(parents=True, exist_ok=True)
    if Path(written).resolve() != onnx.resolve():
        shutil.move(written, onnx)


def compare(weights: Path, onnx: Path, pictures: Sequence[Pixels]) -> Agreement:
    """What ONNX Runtime finds against what Ultralytics finds with the original, in square pictures of `CROP_PX`."""
    original, exported = _yolo(weights), BallNet(onnx)
    boxes = odd = 0
    most_px = most_score = 0.0
    for picture in pictures:
        (told,) = original.predict(picture, imgsz=CROP_PX, conf=_LEAST_SCORE, iou=OVERLAP, device="cpu", verbose=False)
        data = np.asarray(told.boxes.data, dtype=np.float64)
        theirs = np.column_stack([data[:, :4] - 0.5, data[:, 4]])[data[:, 5] == 0]
        found = exported.find(picture, _LEAST_SCORE)
        most = np.tile(picture.shape[1::-1], 2) - 0.5  # Ultralytics cuts boxes at the picture's edge
        inside = np.clip(found.balls, -0.5, most)
        ours = np.column_stack([inside, found.scores])
        boxes += len(theirs)
        for one, other in ((theirs, ours), (ours, theirs)):
            for row in one:
                away = np.abs(other[:, :4] - row[:4]).max(axis=1) if len(other) else np.array([np.inf])
                nearest = int(away.argmin())
                if away[nearest] < _SAME_PX:
                    most_px = max(most_px, float(away[nearest]))
                    most_score = max(most_score, float(abs(other[nearest, 4] - row[4])))
                else:
                    odd += bool(row[4] > _LEAST_SCORE + _SAME_SCORE)
    return Agreement(boxes=boxes, odd_boxes=odd, most_px=most_px, most_score=most_score)


def _recipe(plan: TrainPlan) -> dict[str, Any]:
    """How it is trained; crops are varied already, so that pictures are only turned over and tinted here."""
    return {
        "epochs": plan.epochs,
        "batch": plan.batch,
        "nbs": plan.batch,
        "seed": plan.seed,
        "imgsz": CROP_PX,
        "pretrained": plan.start is not None,  # else it would begin from random weights in any case
        "optimizer": "AdamW",
        "lr0": _LEARNING_RATE if plan.start is None else _TUNING_RATE,
        "lrf": 0.02,
        "cos_lr": True,
        "warmup_epochs": 0.3,
        "warmup_bias_lr": 0.0,  # the usual 0.1 undoes a network that is only to be improved
        "weight_decay": 5e-4,
        "mosaic": 0.0,
        "close_mosaic": 0,
        "degrees": 0.0,
        "translate": 0.05,
        "scale": 0.1,
        "fliplr": 0.5,
        "flipud": 0.5,
        "hsv_h": 0.02,
        "hsv_s": 0.4,
        "hsv_v": 0.35,
        "cache": "ram",
    }


def _run(model: Any, out: Path, **given: Any) -> Trained:  # noqa: ANN401 (Ultralytics has no types)
    """Train on the CPU, without look-ups, pictures of curves and worker processes."""
    try:
        results = model.train(
            project=str(out.resolve()), name="run", exist_ok=True, device="cpu", workers=0, amp=False, plots=False,
            **given,
        )  # fmt: skip
    except Exception as error:
        message = f"training into {out} has failed: {error}"
        raise VisionError(message) from error
    trainer = model.trainer
    return Trained(
        weights=Path(trainer.best if Path(trainer.best).is_file() else trainer.last),
        epochs=int(trainer.epoch) + 1,
        map50=float(results.box.map50),
        map50_95=float(results.box.map),
    )


def _yolo(path: Path) -> Any:  # noqa: ANN401 (Ultralytics has no types)
    """A network in Ultralytics, kept from looking for anything outside this machine."""
    if not path.is_file():
        message = f"there is no network {path}"
        raise VisionError(message)
    if "ultralytics" not in sys.modules:
        os.environ.update({name: os.environ.get(name, value) for name, value in _OFFLINE.items()})
    try:
        from ultralytics import YOLO  # noqa: PLC0415 (an extra; it takes seconds)
    except ImportError as error:
        message = "training needs Ultralytics, which is not installed: pip install -e '.[train]'"
        raise VisionError(message) from error
    try:
        return YOLO(str(path))
    except Exception as error:
        message = f"{path} is no network that Ultralytics can read: {error}"
        raise VisionError(message) from error
