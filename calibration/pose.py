"""Where the camera stands and how its lens bends: one least-squares fit over all points of the cushions' lines."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import cv2
import numpy as np

from calibration.camera import Array, CameraModel
from calibration.errors import NoTableError
from calibration.finder import SIDE_WORDS, FoundTable
from calibration.from_above import pose_from_above
from calibration.marks import NARROW_MM, WIDE_MM, Expectation, FoundMarks, Mark, MarkKind, look_for_marks
from calibration.observations import FIRST_MARK, Level, observe
from calibration.pose_problem import (
    CUSHION_WIDTH,
    CUSHION_WIDTH_PRIOR,
    RAIL_RISE,
    RAIL_RISE_PRIOR,
    KnownCamera,
    PoseProblem,
    camera_from_parameters,
)
from calibration.targets import Lens
from scoring.table import Table

House: TypeAlias = Literal["left", "right", "top", "bottom"]
HouseBy: TypeAlias = Literal["told", "house line", "assumed"]
End: TypeAlias = Literal["front", "rear"]

_FOCAL_STARTS = (0.7, 1.5)  # over the picture's width
_REACH_STARTS = np.geomspace(0.5, 2.0, 13)  # how far along one end is seen, over what it looks like from straight above
_CONTRADICTION = 3.0  # sigmas by which a line misses
LEAST_MARKS = 6  # so many marks are no chance: they replace a hidden nose, or contradict a wrong one
_MARKS_CONTRADICTION = 0.6  # sigmas by which all marks miss together
_WIDTH_STEP = 1.045  # by which other widths of the table are tried
_MOST_WIDTH_STEPS = 8


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
    `coverage` is the share of the noses' length that was seen. With `best_width_mm` instead of the table's width the
    fit would be best, its cost then is `best_width_cost`. `cut` is the side of the picture beyond which the table goes
    on, when only one end of it is in view.
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
    best_width_mm: float = math.nan
    best_width_cost: float = math.nan
    cut: int | None = None


def fit_pose(
    found: FoundTable,
    table: Table,
    house: House | None = None,
    camera_height_mm: float | None = None,
    lens: Lens | None = None,
    *,
    end: End | None = None,
) -> PoseFit:
    """Fit a camera to a found table of known size.

    Args:
        found: the table's lines in the picture.
        table: its length, width and balls.
        house: the side of the picture at which the house lies; without it the end with the house line, and where none
            is seen the left one when the table lies across the picture, else the bottom one.
        camera_height_mm: the lens over the cloth when somebody has measured it (to 2 percent).
        lens: what views of a printed board have told.
        end: which end of the table is in view when the other one is not; then that tells the house too.
    """
    known = KnownCamera(camera_height_mm=camera_height_mm, lens=lens)
    if end is None or found.cut is None:
        front = _house_side(found, _lie(found, table, known), house)
    else:
        front = found.cut if end == "rear" else (found.cut + 2) % 4
    is_told = house is not None or end is not None
    fit = _healed(found, _fit(found, table, front, known), known)
    seen = _marks_of(found, fit, WIDE_MM)
    house_by: HouseBy = "told" if is_told else "assumed"
    if not is_told and seen.house_is_at_rear is not None:
        house_by = "house line"
        if seen.house_is_at_rear:
            front = (front + 2) % 4
            fit = _healed(found, _fit(found, table, front, known), known)
            seen = _marks_of(found, fit, WIDE_MM)
    best = _with_marks(found, fit, seen, known)
    coverage = sum(lines.nose.support for lines in found.sides if lines.nose is not None)
    coverage /= 4 if found.cut is None else 3
    at_rear = is_told and seen.house_is_at_rear is True
    width_mm, cost = _best_width(found, best, known)
    return replace(
        best, house_by=house_by, line_at_rear=at_rear, coverage=coverage, best_width_mm=width_mm, best_width_cost=cost
    )


def evidence(marks: Sequence[Mark]) -> int:
    """How many marks there are, all points of one line being one."""
    lines = {mark.x_mm for mark in marks if mark.kind == MarkKind.HOUSE_LINE}
    return sum(mark.kind != MarkKind.HOUSE_LINE for mark in marks) + len(lines)


def _best_width(found: FoundTable, fit: PoseFit, known: KnownCamera) -> tuple[float, float]:
    """The width with which the same lines and marks would fit best, and how well: the told one when it is right."""
    best, scale = fit, 1.0
    for way in (_WIDTH_STEP, 1 / _WIDTH_STEP):
        for _ in range(_MOST_WIDTH_STEPS):
            table = replace(fit.table, width_mm=fit.table.width_mm * scale * way)
            if table.width_mm >= table.length_mm:
                break
            other = _fit(
                found,
                table,
                fit.front,
                known,
                left_out=fit.left_out,
                marks=_stretched(fit.marks, scale * way),
                begin=best.parameters,
            )
            if other.cost >= best.cost:
                break
            best, scale = other, scale * way
        if scale != 1.0:
            break
    return best.table.width_mm, best.cost


def _stretched(marks: tuple[Mark, ...], scale: float) -> tuple[Mark, ...]:
    """The marks of a table whose width is so many times as large."""
    return tuple(mark if mark.y_mm is None else replace(mark, y_mm=mark.y_mm * scale) for mark in marks)


def _healed(found: FoundTable, fit: PoseFit, known: KnownCamera) -> PoseFit:
    """The fit itself, or the one without the lines that contradict the rest."""
    return _without_contradictions(found, fit, known) if _is_contradictory(fit) else fit


def _is_contradictory(fit: PoseFit) -> bool:
    """Whether a line misses, or so many marks that they are no chance."""
    marks_miss = fit.marks_sigma > _MARKS_CONTRADICTION and evidence(fit.marks) >= LEAST_MARKS
    return marks_miss or bool(np.nanmax(fit.line_sigmas) >= _CONTRADICTION)


def _marks_of(found: FoundTable, fit: PoseFit, reach_mm: float) -> FoundMarks:
    expected = Expectation(
        camera=fit.camera,
        table=fit.table,
        cushion_mm=float(fit.parameters[CUSHION_WIDTH]),
        rail_mm=fit.table.nose_height_mm + float(fit.parameters[RAIL_RISE]),
        reach_mm=reach_mm,
    )
    return look_for_marks(found.picture, expected)


def _with_marks(found: FoundTable, fit: PoseFit, seen: FoundMarks, known: KnownCamera) -> PoseFit:
    """Fit again with the marks, without those that nothing else agrees with; then look closer and do it again."""
    best = fit
    for reach_mm in (WIDE_MM, NARROW_MM):
        marks = seen.marks if reach_mm == WIDE_MM else _marks_of(found, best, reach_mm).marks
        if not marks:
            continue
        every = _healed(found, _fit(found, fit.table, fit.front, known, marks=marks), known)
        sigmas = _mark_sigmas(found, every)
        kept = tuple(mark for mark, sigma in zip(marks, sigmas, strict=True) if sigma < _CONTRADICTION)
        refused = evidence(marks) - evidence(kept)
        if refused > evidence(kept):  # they are something else
            return replace(fit, marks_refused=refused)
        if len(kept) < len(marks):
            again = _fit(found, fit.table, fit.front, known, left_out=every.left_out, marks=kept)
            every = _healed(found, again, known)
        best = replace(every, marks_refused=refused)
    return best


def _mark_sigmas(found: FoundTable, fit: PoseFit) -> Array:
    """(M,) by how many sigmas each mark misses the fit."""
    observations = observe(found, fit.table, fit.front, fit.left_out, fit.marks)
    distances, scale = PoseProblem(observations, fit.table, found.size_px, KnownCamera()).distances_px(fit.parameters)
    sigmas = np.abs(distances) / observations.sigmas_px(scale)
    return np.array([sigmas[observations.line == FIRST_MARK + number].max() for number in range(len(fit.marks))])


def _without_contradictions(found: FoundTable, fit: PoseFit, known: KnownCamera) -> PoseFit:
    """Leave out a line or two that contradict the rest (a shadow taken for a nose), when that heals the fit."""
    seen = np.flatnonzero(np.isfinite(fit.line_sigmas))
    # nose and edge of one side must not both go, unless marks say where the rest of the table is
    has_marks = evidence(fit.marks) >= LEAST_MARKS
    spare = [int(line) for line in seen if has_marks or (line + 4) % 8 in seen]
    noses = [line for line in spare if line < 4]
    most = int((seen < 4).sum()) - (1 if has_marks else 2)  # so many noses may go
    best = fit
    for choice in (itertools.combinations(spare, 1), itertools.combinations(noses, 2)):
        for left_out in choice:
            if sum(line < 4 for line in left_out) > most:
                continue
            other = _fit(found, fit.table, fit.front, known, left_out=left_out, marks=fit.marks, begin=fit.parameters)
            if other.cost < min(best.cost, 0.5 * fit.cost):
                best = other
        if not _is_contradictory(best):
            break
    return best


def _lie(found: FoundTable, table: Table, known: KnownCamera) -> int:
    """0 when the short sides are sides 0 and 2 of the picture, 1 when 1 and 3: what the middle pockets say, or fits."""
    if found.pockets.has_pockets and found.pockets.middle_sides is not None:
        return 1 - found.pockets.middle_sides
    errors = []
    for front in (0, 1):
        starts = [_start(found, table, front, focal * found.size_px[0]) for focal in _FOCAL_STARTS]
        errors.append(min((start[1] for start in starts if start is not None), default=math.inf))
    if min(errors) * 4 < max(errors):
        return int(np.argmin(errors))
    costs = [_fit(found, table, front, known).cost for front in (0, 1)]
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
    known: KnownCamera,
    *,
    left_out: tuple[int, ...] = (),
    marks: tuple[Mark, ...] = (),
    begin: Array | None = None,
) -> PoseFit:
    observations = observe(found, table, front, left_out, marks)
    width, height = found.size_px
    problem = PoseProblem(observations, table, (width, height), known)
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
        cut=found.cut,
    )


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _start(found: FoundTable, table: Table, front: int, focal_px: float) -> tuple[Array, float] | None:
    """A first guess of the parameters from the four corners and a focal length, and how far it misses them, px.

    Where the picture ends before the table, how far it reaches along the table is tried.
    """
    ends_mm = [(0.0, table.length_mm)]
    if found.cut is not None:
        sides = np.linalg.norm(found.corners_px - np.roll(found.corners_px, -1, axis=0), axis=1)
        along, across = sides[found.cut - 1] + sides[(found.cut + 1) % 4], sides[found.cut] + sides[(found.cut + 2) % 4]
        reaches_mm = [reach for reach in _REACH_STARTS * table.width_mm * along / across if reach < table.length_mm]
        is_rear = found.cut == front
        ends_mm = [(table.length_mm - reach, table.length_mm) if is_rear else (0.0, reach) for reach in reaches_mm]
    starts = [_start_between(found, table, front, focal_px, ends) for ends in ends_mm]
    return min((start for start in starts if start is not None), key=lambda start: start[1], default=None)


def _start_between(
    found: FoundTable, table: Table, front: int, focal_px: float, ends_mm: tuple[float, float]
) -> tuple[Array, float] | None:
    """A first guess when the corners lie at these two x."""
    half, (from_mm, to_mm) = table.width_mm / 2, ends_mm
    sides = [(front + index) % 4 for index in range(4)]
    cushion = [0.0 if found.sides[side].nose is not None or side == found.cut else 50.0 for side in sides]
    front_x, left_y, rear_x, right_y = from_mm - cushion[0], half + cushion[1], to_mm + cushion[2], -half - cushion[3]
    # corner i lies between sides i - 1 and i
    corners = np.array([(front_x, right_y), (front_x, left_y), (rear_x, left_y), (rear_x, right_y)])
    middle = np.array([(from_mm + to_mm) / 2, 0.0])
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
            start = (math.log(focal_px), 0.0, 0.0, 0.0, 0.0, CUSHION_WIDTH_PRIOR[0], RAIL_RISE_PRIOR[0])
            return np.concatenate([rotation.ravel(), shift, start]), float(np.ravel(error)[0])
    return None
