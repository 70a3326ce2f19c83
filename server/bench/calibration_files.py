"""How well tables are found in real recordings and pictures, against corners that a person marked where there are any.

Sizes that the footage does not tell are those usual for its game; they hardly change where the corners are seen.
"""

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from rich.console import Console
from rich.progress import track

from calibration.camera import Array
from calibration.cloth import Picture
from calibration.errors import CalibrationError
from calibration.mapping import PlaneMap
from calibration.pose import PoseFit
from calibration.procedure import calibrated
from hardware.camera import open_camera
from server.analysis import frames_of
from server.bench.footage import SORTS
from server.errors import ServerError

_ENDINGS = frozenset({".mp4", ".mov", ".mkv", ".avi", ".jpg", ".jpeg", ".png"})
_CORNERS = ("TL", "TR", "BR", "BL")
_PICTURES = 16
_DATE = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
_MAGENTA, _YELLOW, _WHITE = (255, 0, 255), (0, 255, 255), (255, 255, 255)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileResult:
    """What came of one file; `corner_errors_px` where a person marked corners, `unsure` those that were hidden."""

    name: str
    verdict: str
    reason: str
    corner_errors_px: Mapping[str, float] = field(default_factory=dict)
    unsure: tuple[str, ...] = ()
    tolerance_px: float | None = None

    @property
    def sure_errors_px(self) -> list[float]:
        """Those of corners that were well seen."""
        return [error for name, error in self.corner_errors_px.items() if name not in self.unsure]


def check_files(folder: Path, only: str = "", overlays: Path | None = None) -> list[FileResult]:
    """Recordings and pictures whose name contains a word, with progress on standard error.

    Raises:
        ServerError: There is none.
    """
    paths = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in _ENDINGS and only in path.name]
    if not paths:
        message = f"no recording or picture in {folder} has a name that contains {only!r}"
        raise ServerError(message)
    cv2.setNumThreads(1)
    console = Console(stderr=True)
    looked = track(paths, "calibrating", console=console, transient=True, disable=not console.is_terminal)
    return [check_file(path, overlays) for path in looked]


def check_file(path: Path, overlays: Path | None) -> FileResult:
    """Calibrate one file without a click and compare; with `overlays`, draw the fit into a picture there."""
    truth_path = path.with_suffix(".truth.json")
    truth = json.loads(truth_path.read_text(encoding="utf-8")) if truth_path.exists() else {}
    seen = truth.get("table") or {}
    sort = next((sort for sort in SORTS if sort.word in truth.get("game", "")), SORTS[-1])
    # a camera that moves is looked at in its first picture, in which its corners were marked
    pictures = list(_pictures(path, 1 if "corners_nose_end" in seen else _PICTURES))
    try:
        result = calibrated(pictures, sort.table, date=_DATE)
    except CalibrationError as error:
        return FileResult(name=path.name, verdict="none", reason=str(error))
    if overlays is not None:
        overlays.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(overlays / f"{path.stem}.jpg"), _drawn(pictures[0], result.fit))
    marked = seen.get("corners_nose") or {}
    errors = {}
    if marked:
        away = np.linalg.norm(nose_corners_px(result.fit) - [marked[name] for name in _CORNERS], axis=1)
        errors = {name: round(float(error), 2) for name, error in zip(_CORNERS, away, strict=True)}
    return FileResult(
        name=path.name,
        verdict=result.certificate.verdict,
        reason="; ".join(result.certificate.reasons),
        corner_errors_px=errors,
        unsure=tuple(marked.get("uncertain", ())),
        tolerance_px=marked.get("tolerance_px"),
    )


def nose_corners_px(fit: PoseFit) -> Array:
    """(4, 2) where the noses cross, clockwise from the picture's top left."""
    half, length = fit.table.width_mm / 2, fit.table.length_mm
    corners = [(0, -half), (0, half), (length, half), (length, -half)]
    return np.roll(PlaneMap(fit.camera, fit.table.nose_height_mm).to_px(corners), fit.front, axis=0)


def _pictures(path: Path, most: int) -> Iterator[Picture]:
    """At most so many pictures, spread evenly over a file."""
    with open_camera(str(path)) as camera:
        count = sum(1 for _ in frames_of(camera)) if most > 1 else 1
    chosen = set(np.linspace(0, count - 1, min(most, count) + 2)[1:-1].astype(int).tolist()) if count > 2 else {0}
    with open_camera(str(path)) as camera:
        for index, frame in enumerate(frames_of(camera)):
            if index in chosen:
                yield frame.pixels
            if index >= max(chosen):
                return


def _drawn(picture: Picture, fit: PoseFit) -> Picture:
    """The noses (magenta), the bed (yellow), the house line and the table's axis (white) over a picture."""
    shown = picture.copy()
    half, length = fit.table.width_mm / 2, fit.table.length_mm
    frame = [(0.0, -half), (0.0, half), (length, half), (length, -half), (0.0, -half)]
    lines = [(fit.table.nose_height_mm, _MAGENTA, frame), (0.0, _YELLOW, frame)]
    lines += [(0.0, _WHITE, [(length / 4, -half), (length / 4, half)]), (0.0, _WHITE, [(0.0, 0.0), (length, 0.0)])]
    for height_mm, colour, corners in lines:
        plane = PlaneMap(fit.camera, height_mm)
        for start, end in pairwise(np.array(corners)):
            pixels = plane.to_px(start + np.linspace(0, 1, 50)[:, None] * (end - start))
            thickness = max(1, picture.shape[1] // 900)
            cv2.polylines(shown, [np.round(pixels).astype(np.int32)], isClosed=False, color=colour, thickness=thickness)
    return shown
