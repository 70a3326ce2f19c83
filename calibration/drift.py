"""Notices that the camera was nudged: patches of the rails are compared with those stored when it was calibrated.

Patches around corners of the picture (sights, castings, rail ends) tell a shift whatever the light does, because only
their shape is compared. A few px are put right by turning the camera model; more holds scoring until somebody has
calibrated again.
"""

import os
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import cast

import cv2
import numpy as np

from calibration.camera import Array, CameraModel
from calibration.cloth import Picture
from calibration.errors import CalibrationError
from calibration.mapping import PlaneMap
from calibration.table_file import TableFile
from scoring.table import Table

_PATCH_PX = 12  # half a patch's side
_REACH_PX = 16  # how far a patch is sought
_MOST_PATCHES = 60
_LEAST_PATCHES = 8
_RAIL_MM = 150.0  # from the noses outward
_ALIKE = 0.6  # correlation from which on a patch is seen
_SEEN_SHARE = 0.35  # of the patches must be seen
_LEAST_CONTRAST = 1.5  # grey levels within a patch: less is a dark hall

NOTICE_PX = 0.9  # a shift that is no noise
HOLD_PX = 8.0  # beyond this the model is not put right but scoring is held
_LOOK_EVERY_S = 5.0
_LOOKS = 3  # of which the middle one counts
_BLIND_S = 120.0  # of quiet time without a single patch in good light


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DriftReference:
    """Patches (N, P, P) of grey values around `points_px` (N, 2), and what the camera was when they were taken."""

    points_px: Array
    patches: "np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]"
    size_px: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shift:
    """How the picture moved against the reference: `matrix` (2, 3) px to px, the largest way `most_px`, patches seen.

    `is_dark` says that there was not enough light to look.
    """

    matrix: Array
    most_px: float
    seen: int
    is_dark: bool = False


class DriftKind(StrEnum):
    """What service should do about it."""

    STEADY = "steady"
    REGISTERED = "registered"  # the model was put right, play goes on
    HELD = "held"  # scoring waits for a person


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DriftState:
    """The camera as it stands now and whether one may score with it; `message` is one line for the log."""

    kind: DriftKind
    camera: CameraModel
    shift_px: float
    message: str = ""

    @property
    def may_score(self) -> bool:
        """Whether places in mm can be trusted."""
        return self.kind != DriftKind.HELD


def reference_of(picture: Picture, camera: CameraModel, table: Table) -> DriftReference:
    """Choose the patches in a still picture (BGR); CalibrationError when the rails show too little."""
    grey = _grey(picture)
    mask = _rails(camera, table, (grey.shape[1], grey.shape[0]))
    corners: Array | None = cv2.goodFeaturesToTrack(  # type: ignore[assignment] # None when there are none
        grey, _MOST_PATCHES, 0.05, 1.5 * _PATCH_PX, mask=mask, blockSize=5
    )
    points = np.empty((0, 2)) if corners is None else np.round(corners.reshape(-1, 2)).astype(np.float64)
    if len(points) < _LEAST_PATCHES:
        message = (
            f"the rails show only {len(points)} corners to watch the camera by: at least {_LEAST_PATCHES} are needed"
        )
        raise CalibrationError(message)
    cuts = [_cut(grey, point, _PATCH_PX) for point in points]
    return DriftReference(
        points_px=points,
        patches=cast("np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]", np.stack(cuts)),
        size_px=(grey.shape[1], grey.shape[0]),
    )


def patches_path(table_path: str | os.PathLike[str]) -> Path:
    """Where the patches of a table file lie: beside it."""
    return Path(table_path).with_suffix(".patches.npz")


def save_reference(reference: DriftReference, path: str | os.PathLike[str]) -> None:
    """Write the patches; CalibrationError when that fails."""
    target = Path(path)
    partial = target.with_name(f".{target.name}.new")
    try:
        with partial.open("wb") as file:
            np.savez_compressed(
                file, points_px=reference.points_px, patches=reference.patches, size_px=np.array(reference.size_px)
            )
        partial.replace(target)
    except OSError as error:
        message = f"{target}: cannot be written ({error.strerror or error})"
        raise CalibrationError(message) from error


def load_reference(path: str | os.PathLike[str]) -> DriftReference:
    """Read the patches; CalibrationError when there are none."""
    try:
        with np.load(Path(path), allow_pickle=False) as stored:
            points, patches, size = stored["points_px"], stored["patches"], stored["size_px"]
    except (OSError, ValueError, KeyError) as error:
        message = f"{os.fspath(path)}: holds no patches of a calibration, calibrate again"
        raise CalibrationError(message) from error
    side = 2 * _PATCH_PX + 1
    if patches.dtype != np.uint8 or patches.shape != (len(points), side, side) or points.shape != (len(points), 2):
        message = f"{os.fspath(path)}: holds no patches of a calibration, calibrate again"
        raise CalibrationError(message)
    return DriftReference(points_px=points.astype(np.float64), patches=patches, size_px=(int(size[0]), int(size[1])))


def measure_shift(reference: DriftReference, picture: Picture) -> Shift | None:
    """How a picture (BGR) moved against the reference; None when too few patches are seen in good light."""
    grey = _grey(picture)
    nothing = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    contrasts, surfaces = [], []
    for point, patch in zip(reference.points_px, reference.patches, strict=True):
        window = _cut(grey, point, _PATCH_PX + _REACH_PX)
        contrasts.append(float(window.std()))
        surfaces.append(cv2.matchTemplate(window, patch, cv2.TM_CCOEFF_NORMED))
    if float(np.median(contrasts)) < _LEAST_CONTRAST:
        return Shift(matrix=nothing, most_px=0.0, seen=0, is_dark=True)
    stack = np.nan_to_num(np.stack(surfaces))
    # one shift for all says near which place of each surface to look
    common = np.sort(stack, axis=0)[len(stack) // 3 :].mean(axis=0)
    row, column = np.unravel_index(int(common.argmax()), common.shape)
    froms, tos = [], []
    for point, surface in zip(reference.points_px, stack, strict=True):
        peak = _peak_near(surface, int(row), int(column))
        if peak is not None:
            froms.append(point)
            tos.append(point + peak)
    if len(froms) < max(_LEAST_PATCHES // 2, _SEEN_SHARE * len(stack)):
        return None
    start, end = np.array(froms), np.array(tos)
    fitted, kept = cv2.estimateAffinePartial2D(start, end, method=cv2.RANSAC, ransacReprojThreshold=1.0)
    if int(np.count_nonzero(kept)) < 0.5 * len(froms):
        return None
    matrix = np.asarray(fitted, dtype=np.float64)
    moved = reference.points_px @ matrix[:, :2].T + matrix[:, 2] - reference.points_px
    most = float(np.percentile(np.linalg.norm(moved, axis=1), 75))
    return Shift(matrix=matrix, most_px=most, seen=int(np.count_nonzero(kept)))


def turned_by(camera: CameraModel, reference: DriftReference, shift: Shift) -> CameraModel:
    """The camera turned about its own centre so that it sees the reference's points where they are now."""
    moved = reference.points_px @ shift.matrix[:, :2].T + shift.matrix[:, 2]
    before, after = (
        cv2.undistortPoints(points.reshape(-1, 1, 2), camera.matrix, camera.distortion).reshape(-1, 2)
        for points in (reference.points_px, moved)
    )
    rays, seen = (np.column_stack([flat, np.ones(len(flat))]) for flat in (before, after))
    rays, seen = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in (rays, seen))
    left, _, right = np.linalg.svd(seen.T @ rays)
    flip = np.diag([1.0, 1.0, float(np.sign(np.linalg.det(left @ right)))])
    turn = left @ flip @ right
    rotation = turn @ camera.rotation_matrix
    return replace(
        camera,
        rotation=np.asarray(cv2.Rodrigues(rotation)[0], dtype=np.float64).ravel(),
        translation=-rotation @ camera.center_mm,
    )


@dataclass(slots=True, kw_only=True, eq=False)
class DriftWatch:
    """Watches one camera in service: give it a picture whenever the table is quiet; pure in pictures and times."""

    reference: DriftReference
    camera: CameraModel  # as calibrated
    _recent: list[Shift] = field(default_factory=list, init=False)
    _looked_s: float = field(default=-np.inf, init=False)
    _blind_s: float = field(default=0.0, init=False)
    _noted_px: float = field(default=0.0, init=False)
    _state: DriftState | None = field(default=None, init=False)

    @property
    def state(self) -> DriftState:
        """What is known now."""
        return self._state or DriftState(kind=DriftKind.STEADY, camera=self.camera, shift_px=0.0)

    def look(self, picture: Picture, t_s: float) -> DriftState:
        """Look at a picture of the quiet table; often enough is once in 5 s, what comes sooner is passed over.

        A message is set when something has changed with this very look.
        """
        before = replace(self.state, message="")
        if (picture.shape[1], picture.shape[0]) != self.reference.size_px:
            wide, high = self.reference.size_px
            message = (
                f"scoring is held: the picture is not {wide} x {high} px any more; set the camera or calibrate again"
            )
            return self._become(replace(before, kind=DriftKind.HELD, message=message))
        if t_s - self._looked_s < _LOOK_EVERY_S:
            return before
        passed_s = min(t_s - self._looked_s, 4 * _LOOK_EVERY_S)
        self._looked_s = t_s
        shift = measure_shift(self.reference, picture)
        if shift is None:
            return self._blind(before, passed_s)
        if shift.is_dark:
            return self._become(before)
        self._blind_s = 0.0
        self._recent = [*self._recent, shift][-_LOOKS:]
        if len(self._recent) < _LOOKS:
            return self._become(before)
        return self._judge(before, sorted(self._recent, key=lambda each: each.most_px)[_LOOKS // 2])

    def _judge(self, before: DriftState, shift: Shift) -> DriftState:
        size = shift.most_px
        if size >= HOLD_PX:
            message = (
                f"scoring is held: the camera has moved by {size:.1f} px; put it back or calibrate again"
                if before.kind != DriftKind.HELD
                else ""
            )
            held = DriftState(kind=DriftKind.HELD, camera=self.camera, shift_px=size, message=message)
            return self._become(held)
        if size < NOTICE_PX:
            message = "the camera stands as it was calibrated again" if before.kind != DriftKind.STEADY else ""
            self._noted_px = 0.0
            return self._become(DriftState(kind=DriftKind.STEADY, camera=self.camera, shift_px=size, message=message))
        camera = turned_by(self.camera, self.reference, shift)
        is_news = before.kind != DriftKind.REGISTERED or abs(size - self._noted_px) > NOTICE_PX
        message = f"the camera has moved by {size:.1f} px: its model was put right" if is_news else ""
        self._noted_px = size if is_news else self._noted_px
        return self._become(DriftState(kind=DriftKind.REGISTERED, camera=camera, shift_px=size, message=message))

    def _blind(self, before: DriftState, passed_s: float) -> DriftState:
        """In good light the rails are not where they were: held when that lasts."""
        self._blind_s += passed_s
        if self._blind_s < _BLIND_S / 4 or before.kind == DriftKind.HELD:
            return self._become(before)
        message = "scoring is held: the rails are not where they were calibrated; was the camera moved or covered?"
        return self._become(replace(before, kind=DriftKind.HELD, message=message))

    def _become(self, state: DriftState) -> DriftState:
        self._state = state
        return state


def binding_problem(table_file: TableFile, source: str, size_px: tuple[int, int], fps: float) -> str | None:
    """Why a calibration does not hold for a camera as it is opened now, or None: source, resolution and mode."""
    if table_file.source and source and table_file.source != source:
        return f"the table was calibrated with {table_file.source}, not with {source}: calibrate again"
    if table_file.camera.size_px != size_px:
        was, is_ = (f"{width}x{height}" for width, height in (table_file.camera.size_px, size_px))
        return f"the table was calibrated at {was}, the camera gives {is_}: set it back or calibrate again"
    if table_file.fps > 0 and fps > 0 and abs(table_file.fps - fps) > 0.1 * table_file.fps:
        return f"the table was calibrated at {table_file.fps:g} fps, the camera gives {fps:g}: another mode may crop"
    return None


def _grey(picture: Picture) -> "np.ndarray[tuple[int, int], np.dtype[np.uint8]]":
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) if picture.ndim == 3 else picture
    return cast("np.ndarray[tuple[int, int], np.dtype[np.uint8]]", np.asarray(grey, dtype=np.uint8))


def _cut(grey: Picture, point: Array, reach: int) -> Picture:
    """A square around a point; beyond the picture its border goes on."""
    column, row = (round(float(value)) for value in point)
    rows = np.clip(np.arange(row - reach, row + reach + 1), 0, grey.shape[0] - 1)
    columns = np.clip(np.arange(column - reach, column + reach + 1), 0, grey.shape[1] - 1)
    return np.ascontiguousarray(grey[np.ix_(rows, columns)])


def _rails(camera: CameraModel, table: Table, size_px: tuple[int, int]) -> Picture:
    """A mask of the rails, off the picture's border."""
    mask = np.zeros((size_px[1], size_px[0]), dtype=np.uint8)
    plane = PlaneMap(camera, table.nose_height_mm)
    for out_mm, value in ((_RAIL_MM, 255), (-5.0, 0)):
        half, end = table.width_mm / 2 + out_mm, table.length_mm + out_mm
        corners = np.array([(-out_mm, -half), (-out_mm, half), (end, half), (end, -half)])
        ways = np.linspace(0, 1, 30)[:-1, None]
        outline = np.vstack([corners[i] + ways * (corners[(i + 1) % 4] - corners[i]) for i in range(4)])
        pixels = plane.to_px(outline)
        pixels = pixels[np.linalg.norm(plane.to_mm(pixels) - outline, axis=1) < 1.0]  # the rest is folded by the lens
        cv2.fillPoly(mask, [np.round(pixels).astype(np.int32)], [value])
    margin = _PATCH_PX + 2
    mask[:margin] = mask[-margin:] = 0
    mask[:, :margin] = mask[:, -margin:] = 0
    return mask


def _peak_near(surface: Array, row: int, column: int) -> Array | None:
    """(2,) the shift at the best match near a place of a correlation surface, sub-pixel; None where none is good."""
    low_row, low_column = max(row - 3, 0), max(column - 3, 0)
    part = surface[low_row : row + 4, low_column : column + 4]
    best_row, best_column = (int(value) for value in np.unravel_index(int(part.argmax()), part.shape))
    best_row, best_column = best_row + low_row, best_column + low_column
    if surface[best_row, best_column] < _ALIKE:
        return None
    exact = []
    for position, limit, values in (
        (best_column, surface.shape[1], surface[best_row, :]),
        (best_row, surface.shape[0], surface[:, best_column]),
    ):
        if not 0 < position < limit - 1:
            return None
        before, here, after = values[position - 1 : position + 2]
        bend = before - 2 * here + after
        exact.append(position + (float(0.5 * (before - after) / bend) if bend < 0 else 0.0) - _REACH_PX)
    return np.array(exact)
