"""The ball finder's network, as exported by Ultralytics, in ONNX Runtime: a picture in, boxes out.

One thread, which waits instead of spinning: a table has a process of its own, and others need the rest of the machine.
"""

import ast
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.camera import Array
from vision.detectors.region import Picture
from vision.errors import VisionError

BALL_PX = 16.0  # how large a ball is in the pictures that the network is trained on
CLASSES = ("ball", "person")
_SHIPPED = files("vision") / "models" / "balls.onnx"
_STEP_PX = 32  # sides of pictures are multiples of it
_GREY = 114
_BALL_WORDS = frozenset({"ball", "cue-ball", "numbered", "white", "red", "yellow"})
_PERSON_WORDS = frozenset({"person", "hand", "arm", "head"})
_LEAST_SCORE = 0.02
OVERLAP = 0.45  # of two boxes' areas, from which on they are one thing's
_COLUMNS = 6  # left, top, right, bottom, confidence, class
_LEAST_SIDE_PX, _MOST_SIDE_PX = 160, 4096  # with fewer px a network has fewer places than boxes to choose


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Boxes:
    """What a network found, in px of the picture given to it: boxes (N, 4) and their confidences (N,)."""

    balls: Array
    scores: Array
    people: Array
    people_scores: Array


class BallNet:
    """A network that finds balls and people."""

    def __init__(self, path: Path | None = None) -> None:
        """Open a model, the package's own when none is named.

        Raises:
            VisionError: it cannot be read, or is no ball finder.
        """
        self.path = Path(str(_SHIPPED)) if path is None else path
        self._session = open_session(self.path)
        given = self._session.get_inputs()[0]
        self._input = str(given.name)
        self.fixed_px = _fixed_size(self.path, given.shape)
        self.names = names = _names(self.path, self._session.get_modelmeta().custom_metadata_map)
        self._balls = [number for number, word in names.items() if word in _BALL_WORDS]
        self._people = [number for number, word in names.items() if word in _PERSON_WORDS]
        if not self._balls:
            message = f"{self.path} finds {', '.join(names.values())}, but no balls; give a model with a class ball"
            raise VisionError(message)
        self.find(np.full((_LEAST_SIDE_PX, _LEAST_SIDE_PX, 3), _GREY, np.uint8), 0.5)

    def find(self, picture: Picture, least_score: float) -> Boxes:
        """Find balls and people in (H, W, 3) BGR; H and W are as `fixed_px` says, where it says anything.

        Raises:
            VisionError: the network fails.
        """
        found = self._run(picture)
        found = found[found[:, 4] >= least_score]
        kinds = np.rint(found[:, 5]).astype(int)
        balls, people = np.isin(kinds, self._balls), np.isin(kinds, self._people)
        boxes, scores = found[:, :4] - 0.5, found[:, 4]  # from pixel edges to pixel centres
        return Boxes(balls=boxes[balls], scores=scores[balls], people=boxes[people], people_scores=scores[people])

    def _run(self, picture: Picture) -> Array:
        """(N, 6) rows of the network's output."""
        height, width = picture.shape[:2]
        wide, high = self.fixed_px or (_padded(width), _padded(height))
        if width > wide or height > high:
            message = f"{self.path} looks at {wide}x{high} px, the picture has {width}x{height}"
            raise VisionError(message)
        room = np.full((high, wide, 3), _GREY, np.uint8)
        room[:height, :width] = picture
        planes = cv2.dnn.blobFromImage(room, 1 / 255, swapRB=True)
        try:
            (output,) = self._session.run(None, {self._input: planes})
        except Exception as error:  # ONNX Runtime's errors have no base class of their own
            message = f"{self.path} fails on a picture of {wide}x{high} px: {_first_line(error)}"
            raise VisionError(message) from error
        rows = np.asarray(output, dtype=np.float64)
        if rows.ndim == 3 and rows.shape[:2] == (1, 4 + len(self.names)):
            return _chosen(rows[0].T)
        if rows.ndim == 3 and rows.shape[0] == 1 and rows.shape[2] == _COLUMNS:
            return np.asarray(rows[0], dtype=np.float64)
        message = (
            f"{self.path} answers {rows.shape}, not (1, N, {_COLUMNS}) or (1, {4 + len(self.names)}, N): "
            "export it with Ultralytics as a detector"
        )
        raise VisionError(message)


def _chosen(rows: Array) -> Array:
    """(N, 4 + classes) middles, sizes and confidences of all places to (M, 6) rows of the boxes that are best there."""
    scores = rows[:, 4:].max(axis=1)
    likely = np.flatnonzero(scores >= _LEAST_SCORE)
    rows, scores = rows[likely], scores[likely]
    corners = rows[:, :2] - rows[:, 2:4] / 2
    kinds = rows[:, 4:].argmax(axis=1)
    sides = np.column_stack([corners, rows[:, 2:4]])
    kept = cv2.dnn.NMSBoxesBatched(sides.tolist(), scores.tolist(), kinds.tolist(), _LEAST_SCORE, OVERLAP)
    best = np.array(kept, dtype=np.intp).reshape(-1)
    return np.column_stack([corners, corners + rows[:, 2:4], scores, kinds])[best]


def open_session(path: Path) -> Any:  # noqa: ANN401 (the package has no types)
    """An ONNX Runtime session of one thread."""
    try:
        import onnxruntime  # noqa: PLC0415 (only who looks with a network needs it)
    except ImportError as error:
        message = "onnxruntime is missing, so there is no ball finder; install it: pip install onnxruntime"
        raise VisionError(message) from error
    if not path.is_file():
        message = f"there is no model {path}; train one with cuemarker train"
        raise VisionError(message)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime's errors have no base class of their own
        message = f"{path} is no ONNX model that can be read: {_first_line(error)}"
        raise VisionError(message) from error


def _fixed_size(path: Path, shape: list[Any]) -> tuple[int, int] | None:
    """The (width, height) that a model insists on, or None."""
    if len(shape) != 4 or shape[1] != 3:
        message = f"{path} takes {shape}, not one colour picture (1, 3, height, width)"
        raise VisionError(message)
    height, width = shape[2], shape[3]
    if not isinstance(height, int) or not isinstance(width, int):
        return None
    if not all(_LEAST_SIDE_PX <= side <= _MOST_SIDE_PX for side in (height, width)):
        message = f"{path} takes pictures of {width}x{height} px; {_LEAST_SIDE_PX} to {_MOST_SIDE_PX} are of use"
        raise VisionError(message)
    return width, height


def _names(path: Path, metadata: dict[str, str]) -> dict[int, str]:
    """The classes that Ultralytics has written into the model."""
    try:
        names = ast.literal_eval(metadata["names"])
        return {int(number): str(word) for number, word in names.items()}
    except (KeyError, ValueError, SyntaxError, AttributeError, TypeError) as error:
        message = f"{path} does not say what its classes are; export it with Ultralytics, which writes them into it"
        raise VisionError(message) from error


def _padded(side: int) -> int:
    return max(_LEAST_SIDE_PX, -(-side // _STEP_PX) * _STEP_PX)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
