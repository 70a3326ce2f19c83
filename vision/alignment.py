"""By how much one camera's clock runs behind another's, told by the motion of balls that both have seen.

Both film the same path; the offset is the time by which one path has to be shifted to lie on the other. Errors of the
two calibrations shift paths in space: a straight path at an even speed cannot tell these two apart, so a shift in space
is believed as far as calibrations err, and every path with its own direction makes the offset surer.
"""

import math
from collections import deque
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from calibration.camera import Array
from vision.detection import Detection

MOST_S = 0.2  # no two cameras differ by more
_GRID_S = np.arange(-MOST_S, MOST_S + 1e-9, 0.002)
_PLACE_MM = 1.0  # the error of one place,
_SHIFT_MM = 2.0  # and of a calibration, as far as it is the same all along a path
_OUTLIER_MM = 10.0
_FIT_MM = 5.0  # two paths that lie no nearer to each other are not of one ball
_LEAST_MM, _LEAST_POINTS = 150.0, 5
_SLOPE_S = 0.03  # a path's speed is measured over this time before and after
_TURNS = 4
_WORST_S = 0.01
_CUT_S = 0.6  # a longer path is looked at in parts
_ENDED_S = 0.1
_KEPT_S = 2.0
_REACH_MM, _SWERVE = 25.0, 0.6  # how far from where it was going a ball may be, and as a share of its step
_ESTIMATES = 30
_SURE_S = 0.001  # no path is believed to be more exact


@dataclass(frozen=True, slots=True, kw_only=True)
class Offset:
    """How much later the second camera's times are than the first's for the same instant, with its standard error."""

    offset_s: float
    sigma_s: float


@dataclass(slots=True)
class Path:
    """One ball's way as one camera has seen it: its colour, times and places (mm)."""

    word: str | None
    times_s: list[float] = field(default_factory=list)
    places_mm: list[tuple[float, float]] = field(default_factory=list)

    @property
    def length_mm(self) -> float:
        """How far it goes, as the crow flies: noise has no length."""
        low, high = np.min(self.places_mm, axis=0), np.max(self.places_mm, axis=0)
        return float(np.hypot(*(high - low)))

    def add(self, t_s: float, place_mm: tuple[float, float]) -> None:
        """Go on."""
        self.times_s.append(t_s)
        self.places_mm.append(place_mm)

    def is_met_by(self, word: str | None, t_s: float, place_mm: tuple[float, float]) -> bool:
        """Whether a ball seen at a place may be this one."""
        (x, y), step = self.places_mm[-1], (0.0, 0.0)
        if len(self.times_s) > 1:
            before = self.places_mm[-2]
            share = (t_s - self.times_s[-1]) / max(self.times_s[-1] - self.times_s[-2], 1e-3)
            step = (share * (x - before[0]), share * (y - before[1]))
        reach = _REACH_MM + _SWERVE * math.hypot(*step) if len(self.times_s) > 1 else 8 * _REACH_MM
        return word == self.word and math.dist((x + step[0], y + step[1]), place_mm) < reach


@dataclass(slots=True)
class ClockAlignment:
    """Takes what each of two cameras sees where both look; `offset` is None until a ball has moved there."""

    offset: Offset | None = None
    _open: tuple[list[Path], list[Path]] = field(default_factory=lambda: ([], []))
    _done: tuple[deque[Path], deque[Path]] = field(default_factory=lambda: (deque(maxlen=12), deque(maxlen=12)))
    _estimates: deque[Offset] = field(default_factory=lambda: deque(maxlen=_ESTIMATES))

    def see(self, view: int, t_s: float, detections: list[Detection]) -> None:
        """What one camera sees at a time of its own clock, of the balls that are in both pictures."""
        self._end(view, t_s)
        waiting = list(self._open[view])
        for detection in detections:
            word = max(detection.looks, key=lambda name: detection.looks[name], default=None)
            place = (detection.place.x_mm, detection.place.y_mm)
            near = [path for path in waiting if path.is_met_by(word, t_s, place)]
            if not near:
                self._open[view].append(Path(word, [t_s], [place]))
                continue
            path = min(near, key=lambda path: math.dist(path.places_mm[-1], place))
            waiting.remove(path)
            path.add(t_s, place)

    def _end(self, view: int, t_s: float) -> None:
        """Compare paths that have come to their end, or are long enough, with the other camera's."""
        for path in list(self._open[view]):
            is_long = path.times_s[-1] - path.times_s[0] > _CUT_S
            if t_s - path.times_s[-1] < _ENDED_S and not is_long:
                continue
            self._open[view].remove(path)
            if len(path.times_s) < _LEAST_POINTS or path.length_mm < _LEAST_MM:
                continue
            for other in self._done[1 - view]:
                self._compare(*((path, other) if view == 0 else (other, path)))
            self._done[view].append(path)
        for paths in self._done:
            while paths and t_s - paths[0].times_s[-1] > _KEPT_S:
                paths.popleft()

    def _compare(self, first: Path, second: Path) -> None:
        if first.word != second.word or (found := offset_between(first, second)) is None:
            return
        self._estimates.append(found)
        offsets = np.array([each.offset_s for each in self._estimates])
        weights = np.array([1 / (each.sigma_s**2 + _SURE_S**2) for each in self._estimates])
        middle = _weighted_median(offsets, weights)
        near = np.abs(offsets - middle) < 4 / np.sqrt(weights)
        total = float(weights[near].sum())
        self.offset = Offset(offset_s=float(offsets[near] @ weights[near]) / total, sigma_s=total**-0.5)


def offset_between(first: Path, second: Path) -> Offset | None:
    """The offset at which the second path lies best on the first; None when it lies on it at no offset."""
    times, places = np.array(first.times_s), np.array(first.places_mm)
    when, where = np.array(second.times_s), np.array(second.places_mm)
    least = max(_LEAST_POINTS, round(0.6 * min(len(times), len(when))))
    misfits = [_misfit(times, places, when - offset, where, least) for offset in _GRID_S]
    best = int(np.argmin(misfits))
    if misfits[best] > _FIT_MM**2:
        return None
    offset_s, step_s = float(_GRID_S[best]), _GRID_S[1] - _GRID_S[0]
    shared = (when - offset_s >= times[0] + step_s) & (when - offset_s <= times[-1] - step_s)
    covariance = np.eye(3)
    for _ in range(_TURNS):
        off, speeds = _off(times, places, when[shared] - offset_s, where[shared])
        solution, covariance = _solve(off, speeds)
        offset_s += float(np.clip(solution[0], -step_s, step_s))
    sigma_s = float(np.sqrt(covariance[0, 0]))
    return None if sigma_s > _WORST_S else Offset(offset_s=offset_s, sigma_s=sigma_s)


def _off(times: Array, places: Array, when: Array, where: Array) -> tuple[Array, Array]:
    """(N, 2) how far places lie off a path, mm, and (N, 2) how fast the path is there, mm/s."""
    path, later = (
        np.column_stack([np.interp(at, times, places[:, axis]) for axis in (0, 1)])
        for at in (when, np.minimum(when + _SLOPE_S, times[-1]))
    )
    earlier = np.column_stack(
        [np.interp(np.maximum(when - _SLOPE_S, times[0]), times, places[:, axis]) for axis in (0, 1)]
    )
    spans_s = np.minimum(when + _SLOPE_S, times[-1]) - np.maximum(when - _SLOPE_S, times[0])
    return where - path, (later - earlier) / spans_s[:, None]


def _solve(off: Array, speeds: Array) -> tuple[Array, Array]:
    """By how much the offset is wrong (s) and by how much the path is shifted (mm, twice), with their covariance.

    A place that is seen so much too late lies back by the way gone in that time.
    """
    rows = np.zeros((2 * len(off), 3))
    rows[:, 0] = -speeds.ravel()
    rows[0::2, 1] = rows[1::2, 2] = 1.0
    weights = np.full(len(rows), _PLACE_MM**-2)
    prior = np.diag([_GRID_S[-1] ** -2, _SHIFT_MM**-2, _SHIFT_MM**-2])
    solution: Array = np.zeros(3)
    covariance: Array = np.eye(3)
    for _ in range(_TURNS):
        covariance = np.asarray(np.linalg.inv(rows.T @ (weights[:, None] * rows) + prior), dtype=np.float64)
        solution = covariance @ (rows.T @ (weights * off.ravel()))
        left = (off.ravel() - rows @ solution) / (3 * _PLACE_MM)
        weights = _PLACE_MM**-2 / (1 + left**2) ** 2
    return solution, covariance


def _misfit(times: Array, places: Array, when: Array, where: Array, least: int) -> float:
    """The mean square by which places lie off a path, mm2; infinite when they share too little of it."""
    shared = (when >= times[0]) & (when <= times[-1])
    if int(shared.sum()) < least or np.ptp(where[shared], axis=0).max() < _LEAST_MM / 2:
        return math.inf
    off, _ = _off(times, places, when[shared], where[shared])
    return float(np.minimum((off**2).sum(axis=1), _OUTLIER_MM**2).mean())


def _weighted_median(values: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> float:
    order = np.argsort(values)
    share = np.cumsum(weights[order])
    return float(values[order][int(np.searchsorted(share, share[-1] / 2))])
