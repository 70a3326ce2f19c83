"""Where the camera stands and how its lens bends: one least-squares fit over all points of the cushions' lines."""

import itertools
import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, cast

import cv2
import numpy as np
from scipy.optimize import least_squares

from calibration.camera import Array, CameraModel
from calibration.errors import NoTableError
from calibration.finder import SIDE_WORDS, FoundTable
from calibration.from_above import pose_from_above
from calibration.marks import NARROW_MM, WIDE_MM, Expectation, FoundMarks, Mark, look_for_marks
from calibration.observations import FIRST_MARK, PIECES, Level, Observations, observe
from scoring.table import Table

House: TypeAlias = Literal["left", "right", "top", "bottom"]
HouseBy: TypeAlias = Literal["told", "house line", "assumed"]

# What is known before looking; each is (value, standard deviation).
FOCAL_PRIOR = (
    math.log(0.85),
    0.35,
)  # focal length over the picture's width, logarithm: 61 degrees, 44 to 79 at one sigma
_BEND_PRIORS = ((0.0, 0.15), (0.0, 0.05))  # k1, k2
_AXIS_PRIOR = 0.015  # how far the lens's axis may miss the picture's middle, as a share of its width
_CUSHION_WIDTH_PRIOR = (50.0, 15.0)  # from nose to rail, mm
_RAIL_RISE_PRIOR = (3.0, 4.0)  # of the cloth's upper edge over the nose, mm

_FOCAL_STARTS = (0.7, 1.5)  # over the picture's width
_CONTRADICTION = 3.0  # sigmas by which a line misses
LEAST_MARKS = 6  # so many marks are no chance: they replace a hidden nose, or contradict a wrong one
_MARKS_CONTRADICTION = 1.2  # sigmas by which all marks miss together
_MEASURED_HEIGHT_SIGMA = 0.02  # a camera's height measured by a person, as a share of it
_STEPS = np.array([0.01, 0.01, 0.01, 10, 10, 10, 0.05, 0.02, 0.02, 5, 5, 5, 2])

ROTATION, TRANSLATION = slice(0, 3), slice(3, 6)
LOG_FOCAL, BEND_1, BEND_2, AXIS_X, AXIS_Y, CUSHION_WIDTH, RAIL_RISE = range(6, 13)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PoseFit:
    """A camera over a table as fitted.

    `parameters` (13,) with `covariance` (13, 13): rotation, translation, log focal length px, k1, k2, the lens's axis
    off the picture's middle px (x, y), the cushion's width mm, the rise of the rail mm. `rms_px` is over the noses'
    points, `line_rms_px` (8,) by line (noses, then edges, by side), NaN where not used, `line_sigmas` (8,) the same
    against what is usual; `cost` is half the sum of squared sigmas.
    `front` is the side of the picture that is the front cushion, `house_by` how that is known; with `line_at_rear` the
    only line across the cloth is at the other end. `left_out` are lines that contradicted the rest. `marks` were used
    besides the lines; `marks_sigma` is by how many sigmas they miss; `marks_refused` marks contradicted it.
    `coverage` is the share of the noses' length that was seen.
    """

    camera: CameraModel
    table: Table
    front: int
    parameters: Array
    covariance: Array
    rms_px: float
    line_rms_px: Array
    line_sigmas: Array
    cost: float
    left_out: tuple[int, ...]
    house_by: HouseBy = "told"
    line_at_rear: bool = False
    marks: tuple[Mark, ...] = ()
    marks_sigma: float = math.nan
    marks_refused: int = 0
    coverage: float = 0.0


def fit_pose(
    found: FoundTable, table: Table, house: House | None = None, camera_height_mm: float | None = None
) -> PoseFit:
    """Fit a camera to a found table of known size.

    Args:
        found: the table's lines in the picture.
        table: its length, width and balls.
        house: the side of the picture at which the house lies; without it the end with the house line, and where none
            is seen the left one when the table lies across the picture, else the bottom one.
        camera_height_mm: the lens over the cloth when somebody has measured it (to 2 percent).
    """
    front = _house_side(found, _lie(found, table, camera_height_mm), house)
    fit = _healed(found, _fit(found, table, front, camera_height_mm), camera_height_mm)
    seen = _marks_of(found, fit, WIDE_MM)
    house_by: HouseBy = "told" if house is not None else "assumed"
    if house is None and seen.house_is_at_rear is not None:
        house_by = "house line"
        if seen.house_is_at_rear:
            front = (front + 2) % 4
            fit = _healed(found, _fit(found, table, front, camera_height_mm), camera_height_mm)
            seen = _marks_of(found, fit, WIDE_MM)
    best = _with_marks(found, fit, seen, camera_height_mm)
    coverage = sum(lines.nose.support for lines in found.sides if lines.nose is not None) / 4
    at_rear = house is not None and seen.house_is_at_rear is True
    return replace(best, house_by=house_by, line_at_rear=at_rear, coverage=coverage)


def _healed(found: FoundTable, fit: PoseFit, camera_height_mm: float | None) -> PoseFit:
    """The fit itself, or the one without the lines that contradict the rest."""
    if np.nanmax(fit.line_sigmas) < _CONTRADICTION and not (fit.marks_sigma > _MARKS_CONTRADICTION):
        return fit
    return _without_contradictions(found, fit, camera_height_mm)


def _marks_of(found: FoundTable, fit: PoseFit, reach_mm: float) -> FoundMarks:
    expected = Expectation(
        camera=fit.camera,
        table=fit.table,
        cushion_mm=float(fit.parameters[CUSHION_WIDTH]),
        rail_mm=fit.table.nose_height_mm + float(fit.parameters[RAIL_RISE]),
        reach_mm=reach_mm,
    )
    return look_for_marks(found.picture, expected)


def _with_marks(found: FoundTable, fit: PoseFit, seen: FoundMarks, camera_height_mm: float | None) -> PoseFit:
    """Fit again with the marks, without those that nothing else agrees with; then look closer and do it again."""
    best = fit
    for reach_mm in (WIDE_MM, NARROW_MM):
        marks = seen.marks if reach_mm == WIDE_MM else _marks_of(found, best, reach_mm).marks
        if not marks:
            continue
        every = _healed(found, _fit(found, fit.table, fit.front, camera_height_mm, marks=marks), camera_height_mm)
        sigmas = _mark_sigmas(found, every)
        kept = tuple(mark for mark, sigma in zip(marks, sigmas, strict=True) if sigma < _CONTRADICTION)
        refused = len(marks) - len(kept)
        if refused > len(kept):  # they are something else
            return replace(fit, marks_refused=refused)
        if refused:
            again = _fit(found, fit.table, fit.front, camera_height_mm, left_out=every.left_out, marks=kept)
            every = _healed(found, again, camera_height_mm)
        best = replace(every, marks_refused=refused)
    return best


def _mark_sigmas(found: FoundTable, fit: PoseFit) -> Array:
    """(M,) by how many sigmas each mark misses the fit."""
    observations = observe(found, fit.table, fit.front, fit.left_out, fit.marks)
    distances, scale = _Problem(observations, fit.table, found.size_px, None).distances_px(fit.parameters)
    sigmas = np.abs(distances) / observations.sigmas_px(scale)
    return np.array([sigmas[observations.line == FIRST_MARK + number].max() for number in range(len(fit.marks))])


def _without_contradictions(found: FoundTable, fit: PoseFit, camera_height_mm: float | None) -> PoseFit:
    """Leave out a line or two that contradict the rest (a shadow taken for a nose), when that heals the fit."""
    seen = np.flatnonzero(np.isfinite(fit.line_sigmas))
    # nose and edge of one side must not both go, unless marks say where the rest of the table is
    has_marks = len(fit.marks) >= LEAST_MARKS
    spare = [int(line) for line in seen if has_marks or (line + 4) % 8 in seen]
    noses = [line for line in spare if line < 4]
    most = int((seen < 4).sum()) - (1 if has_marks else 2)  # so many noses may go
    best = fit
    for choice in (itertools.combinations(spare, 1), itertools.combinations(noses, 2)):
        for left_out in choice:
            if sum(line < 4 for line in left_out) > most:
                continue
            other = _fit(
                found, fit.table, fit.front, camera_height_mm, left_out=left_out, marks=fit.marks, begin=fit.parameters
            )
            if other.cost < min(best.cost, 0.5 * fit.cost):
                best = other
        if np.nanmax(best.line_sigmas) < _CONTRADICTION and not (best.marks_sigma > _MARKS_CONTRADICTION):
            break
    return best


def _lie(found: FoundTable, table: Table, camera_height_mm: float | None) -> int:
    """0 when the short sides are sides 0 and 2 of the picture, 1 when 1 and 3: what the middle pockets say, or fits."""
    if found.pockets.has_pockets and found.pockets.middle_sides is not None:
        return 1 - found.pockets.middle_sides
    errors = []
    for front in (0, 1):
        starts = [_start(found, table, front, focal * found.size_px[0]) for focal in _FOCAL_STARTS]
        errors.append(min((start[1] for start in starts if start is not None), default=math.inf))
    if min(errors) * 4 < max(errors):
        return int(np.argmin(errors))
    costs = [_fit(found, table, front, camera_height_mm).cost for front in (0, 1)]
    if max(costs) < 1.5 * min(costs):
        message = (
            "no table: nothing tells the long sides from the short ones; "
            "check length and width, or move the camera nearer to straight above"
        )
        raise NoTableError(message)
    return int(np.argmin(costs))


def _house_side(found: FoundTable, parity: int, house: House | None) -> int:
    """Which of the two short sides (parity and parity + 2) is the front."""
    middle = found.corners_px.mean(axis=0)
    ways = {
        side: (found.corners_px[side] + found.corners_px[(side + 1) % 4]) / 2 - middle for side in (parity, parity + 2)
    }
    wanted = {"left": (-1.0, 0.0), "right": (1.0, 0.0), "top": (0.0, -1.0), "bottom": (0.0, 1.0)}
    if house is None:
        way = ways[parity]
        house = "left" if abs(way[0]) >= abs(way[1]) else "bottom"
    towards = {side: float(way @ np.array(wanted[house]) / np.linalg.norm(way)) for side, way in ways.items()}
    best = max(towards, key=lambda side: towards[side])
    if towards[best] < 0.25:
        words = " or ".join(SIDE_WORDS[side] for side in ways)
        message = f"the table's short sides are at the {words} of the picture, so the house cannot be at the {house}"
        raise NoTableError(message)
    return best


def _fit(
    found: FoundTable,
    table: Table,
    front: int,
    camera_height_mm: float | None,
    *,
    left_out: tuple[int, ...] = (),
    marks: tuple[Mark, ...] = (),
    begin: Array | None = None,
) -> PoseFit:
    observations = observe(found, table, front, left_out, marks)
    width, height = found.size_px
    problem = _Problem(observations, table, (width, height), camera_height_mm)
    best: tuple[Array, float, Array] | None = None
    starts = [] if begin is not None else [_start(found, table, front, focal * width) for focal in _FOCAL_STARTS]
    for start in [begin] if begin is not None else [start[0] for start in starts if start is not None]:
        solution = problem.solve(start)
        if best is None or solution[1] < best[1]:
            best = solution
    if best is None:
        message = "no table: its four corners allow no place for a camera above it"
        raise NoTableError(message)
    parameters, cost, covariance = best
    distances, scale = problem.distances_px(parameters)
    rms, sigmas = np.full(8, np.nan), np.full(8, np.nan)
    for line in np.unique(observations.line[observations.line < FIRST_MARK]):
        here = observations.line == line
        rms[line] = np.sqrt(np.mean(distances[here] ** 2))
        sigmas[line] = rms[line] / np.median(observations.sigmas_px(scale)[here])
    nose, mark = observations.level == Level.NOSE, observations.line >= FIRST_MARK
    return PoseFit(
        camera=camera_from_parameters(parameters, (width, height)),
        table=table,
        front=front,
        parameters=parameters,
        covariance=covariance,
        rms_px=_rms(distances[nose]),
        line_rms_px=rms,
        line_sigmas=sigmas,
        cost=cost,
        left_out=left_out,
        marks=marks,
        marks_sigma=_rms((distances / observations.sigmas_px(scale))[mark]) if mark.any() else math.nan,
    )


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _start(found: FoundTable, table: Table, front: int, focal_px: float) -> tuple[Array, float] | None:
    """A first guess of the parameters from the four corners and a focal length, and how far it misses them, px."""
    half, length = table.width_mm / 2, table.length_mm
    cushion = [0.0 if found.sides[(front + index) % 4].nose is not None else 50.0 for index in range(4)]
    front_x, left_y, rear_x, right_y = -cushion[0], half + cushion[1], length + cushion[2], -half - cushion[3]
    # corner i lies between sides i - 1 and i
    corners = np.array([(front_x, right_y), (front_x, left_y), (rear_x, left_y), (rear_x, right_y)])
    middle = np.array([length / 2, 0.0])
    flat = np.column_stack([corners - middle, np.zeros(4)])
    pixels = np.roll(found.corners_px, -front, axis=0)
    width, height = found.size_px
    matrix = np.array([[focal_px, 0, (width - 1) / 2], [0, focal_px, (height - 1) / 2], [0, 0, 1]])
    flags = cv2.SOLVEPNP_IPPE
    good, rotations, translations, errors = cv2.solvePnPGeneric(flat, pixels, matrix, np.zeros(5), flags=flags)
    candidates = list(zip(rotations, translations, errors, strict=True)) if good else []
    # OpenCV's answer for a camera exactly straight above is wrong
    candidates.append(pose_from_above(flat, pixels, matrix))
    for rotation, translation, error in sorted(candidates, key=lambda each: float(np.ravel(each[2])[0])):
        turn = cv2.Rodrigues(rotation)[0]
        if (turn.T @ translation.ravel())[2] < 0:  # the camera stands above the cloth
            shift = translation.ravel() - turn @ np.array([middle[0], 0.0, table.nose_height_mm])
            start = (math.log(focal_px), 0.0, 0.0, 0.0, 0.0, _CUSHION_WIDTH_PRIOR[0], _RAIL_RISE_PRIOR[0])
            return np.concatenate([rotation.ravel(), shift, start]), float(np.ravel(error)[0])
    return None


def camera_from_parameters(parameters: Array, size_px: tuple[int, int]) -> CameraModel:
    """The camera that a fit's parameters describe."""
    focal = math.exp(parameters[LOG_FOCAL])
    width, height = size_px
    center_x, center_y = (width - 1) / 2 + parameters[AXIS_X], (height - 1) / 2 + parameters[AXIS_Y]
    return CameraModel(
        size_px=size_px,
        matrix=np.array([[focal, 0, center_x], [0, focal, center_y], [0, 0, 1]]),
        distortion=np.array([parameters[BEND_1], parameters[BEND_2], 0.0, 0.0, 0.0]),
        rotation=parameters[ROTATION],
        translation=parameters[TRANSLATION],
    )


class _Problem:
    """The residuals of one fit: points off their lines in sigmas, and what was known before looking."""

    def __init__(
        self, observations: Observations, table: Table, size_px: tuple[int, int], camera_height_mm: float | None
    ) -> None:
        self._seen = observations
        self._table = table
        self._size_px = size_px
        self._camera_height_mm = camera_height_mm
        self._scale = np.ones(len(observations.points_px))
        self._weights = np.ones(len(observations.points_px))

    def _off_line_mm(self, parameters: Array, points_px: Array) -> Array:
        """Unproject points to their line's height; how far they lie off it, mm."""
        seen = self._seen
        focal, (width, height) = math.exp(parameters[LOG_FOCAL]), self._size_px
        middle = np.array([(width - 1) / 2, (height - 1) / 2]) + parameters[AXIS_X : AXIS_Y + 1]
        flat = _straightened((points_px - middle) / focal, parameters[BEND_1], parameters[BEND_2])
        turn = cv2.Rodrigues(parameters[ROTATION])[0]
        rays = np.column_stack([flat, np.ones(len(flat))]) @ turn
        center = -turn.T @ parameters[TRANSLATION]
        levels = np.array([0.0, self._table.nose_height_mm, self._table.nose_height_mm + parameters[RAIL_RISE]])
        heights = levels[seen.level]
        down = np.where(np.abs(rays[:, 2]) > 1e-9, rays[:, 2], 1e-9)
        scale = (heights - center[2]) / down
        places = center[seen.axis] + rays[np.arange(len(rays)), seen.axis] * scale
        return cast("Array", places - seen.at_mm - seen.outward * parameters[CUSHION_WIDTH])

    def _mm_per_px(self, parameters: Array) -> Array:
        """How many mm off its line one pixel across it is, at every point."""
        gradient = [
            self._off_line_mm(parameters, self._seen.points_px + step)
            - self._off_line_mm(parameters, self._seen.points_px - step)
            for step in (np.array([0.5, 0.0]), np.array([0.0, 0.5]))
        ]
        return np.maximum(np.hypot(*gradient), 1e-6)

    def distances_px(self, parameters: Array) -> tuple[Array, Array]:
        """(N,) how far the points lie off their lines, px, and (N,) the mm that a pixel is there."""
        scale = self._mm_per_px(parameters)
        return self._off_line_mm(parameters, self._seen.points_px) / scale, scale

    def _residuals(self, parameters: Array) -> Array:
        off = self._off_line_mm(parameters, self._seen.points_px) * self._weights
        width = self._size_px[0]
        priors = [
            (parameters[LOG_FOCAL] - math.log(width) - FOCAL_PRIOR[0]) / FOCAL_PRIOR[1],
            (parameters[BEND_1] - _BEND_PRIORS[0][0]) / _BEND_PRIORS[0][1],
            (parameters[BEND_2] - _BEND_PRIORS[1][0]) / _BEND_PRIORS[1][1],
            parameters[AXIS_X] / (_AXIS_PRIOR * width),
            parameters[AXIS_Y] / (_AXIS_PRIOR * width),
            (parameters[CUSHION_WIDTH] - _CUSHION_WIDTH_PRIOR[0]) / _CUSHION_WIDTH_PRIOR[1],
            (parameters[RAIL_RISE] - _RAIL_RISE_PRIOR[0]) / _RAIL_RISE_PRIOR[1],
        ]
        if self._camera_height_mm is not None:
            turn = cv2.Rodrigues(parameters[ROTATION])[0]
            height = -(turn.T @ parameters[TRANSLATION])[2]
            priors.append((height / self._camera_height_mm - 1) / _MEASURED_HEIGHT_SIGMA)
        return np.concatenate([np.clip(off, -1e4, 1e4), priors])

    def solve(self, start: Array) -> tuple[Array, float, Array]:
        """Parameters, cost (half the sum of squares) and covariance."""
        parameters = start
        cost = math.inf
        covariance: Array = np.zeros((len(start), len(start)))
        for evaluations in (20, 60):
            scale = self._mm_per_px(parameters)
            self._weights = 1 / (scale * self._seen.sigmas_px(scale) * np.sqrt(self._seen.count / PIECES))
            result = least_squares(
                self._residuals, parameters, x_scale=_STEPS, method="lm", max_nfev=evaluations * len(start), xtol=1e-7
            )
            parameters, cost = result.x, float(result.cost)
            jacobian = np.asarray(result.jac, dtype=np.float64)
            covariance = np.asarray(np.linalg.pinv(jacobian.T @ jacobian, hermitian=True), dtype=np.float64)
        return parameters, cost, covariance


def _straightened(flat: Array, bend_1: float, bend_2: float) -> Array:
    """Undo OpenCV's first two radial coefficients: (N, 2) distorted to (N, 2) straight, at focal length 1."""
    radius = np.hypot(flat[:, 0], flat[:, 1])
    straight = radius.copy()
    for _ in range(8):  # Newton on straight * (1 + k1 * straight^2 + k2 * straight^4) = radius
        square = straight * straight
        slope = np.maximum(1 + square * (3 * bend_1 + 5 * bend_2 * square), 0.1)
        error = straight * (1 + square * (bend_1 + bend_2 * square)) - radius
        straight = np.clip(straight - error / slope, 0, 5)
    return flat * (straight / np.maximum(radius, 1e-12))[:, None]
