"""The cushion's two lines across one side: where cloth meets rail, and the nose, where its lit top ends in shadow."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Array
from calibration.cloth import ClothArea
from calibration.profiles import Profiles, sample_profiles, slopes
from calibration.quadrilateral import Side, robust_curve

_LEAST_SUPPORT = 0.45  # share of the stations that must show the nose
_LEAST_SIGNAL = 6.0  # the nose's mean slope over what chance would give a line
_LEAST_SLOPE = 0.8  # grey levels per px


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EdgeLine:
    """One line across a side as found: `points_px` (N, 2) on it, `scatter_px` their spread, `support` 0 to 1.

    `offset_px` is how far inside the area's own edge the line lies in the middle of the side.
    """

    points_px: Array
    scatter_px: float
    support: float
    offset_px: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CushionLines:
    """What one side shows; `nose` and `edge` are None where hidden, `edge` is where the cloth meets the rail."""

    side: Side
    edge: EdgeLine | None
    nose: EdgeLine | None


def cushion_lines(
    picture: npt.NDArray[np.uint8],
    side: Side,
    area: ClothArea,
    outward_px: float,
    inward_px: float,
    *,
    is_shown: bool = False,
) -> CushionLines:
    """Look across one side of a cloth area, from `outward_px` outside its own edge to `inward_px` inside.

    `is_shown`: a person says that the nose is there, so that it needs no cushion beside it to be believed.
    """
    sharpness_px = max(0.8, max(picture.shape[:2]) / 1600)
    step_px = 0.5 * max(1.0, sharpness_px)
    profiles = sample_profiles(picture, side, -outward_px, inward_px, step_px)
    values = (profiles.colours @ area.axis.astype(np.float32)).astype(np.float64)
    falling = -slopes(values, step_px, sharpness_px)
    smooth = np.asarray(cv2.blur(profiles.colours, (1, 5)), dtype=np.float32)
    like = area.likeness(smooth) & profiles.seen
    apart = round(2.5 * sharpness_px / step_px)  # the top of a cushion is cloth: so must be what lies before the fall
    falling[:, :apart] = 0.0
    falling[:, apart:][~like[:, :-apart]] = 0.0
    nose = _nose(profiles, falling, sharpness_px)
    edge = _cloth_edge(profiles, like, nose)
    if edge is None and nose is not None and not is_shown and outward_px <= inward_px:
        # cloth goes on to the end of what was looked at: a shadow's rim was the area's own edge
        return cushion_lines(picture, side, area, 2.5 * inward_px, inward_px)
    if edge is None and nose is not None and not is_shown and _is_in_view(profiles, nose):
        nose = None  # where no cloth lies outside it, it is the cloth's own edge
        edge = _cloth_edge(profiles, like, nose)
    return CushionLines(side=side, edge=edge, nose=nose)


def _is_in_view(profiles: Profiles, nose: EdgeLine) -> bool:
    """Whether the cushion outside a nose lies in the picture."""
    outside = profiles.distances_px < nose.offset_px - 3
    return bool(outside.any()) and float(profiles.seen[:, outside].mean()) > 0.5


def _cloth_edge(profiles: Profiles, like: npt.NDArray[np.bool_], nose: EdgeLine | None) -> EdgeLine | None:
    """Where the cushion's top ends, going outward from the nose, or from a little inside when that is hidden."""
    step, distances = profiles.step_px, profiles.distances_px
    start_px = (nose.offset_px if nose is not None else 0.0) - 2.0
    columns = (
        np.flatnonzero(distances < start_px) if nose is not None else np.flatnonzero(distances < 0.4 * distances[-1])
    )
    if len(columns) < 8:
        return None
    inside = like[:, columns[::-1]]  # from inside to outside
    ends = ~inside[:, :-1] & ~inside[:, 1:]
    first = np.argmax(ends, axis=1)
    stations = np.flatnonzero(ends.any(axis=1) & (first >= 2))
    if len(stations) < 12:
        return None
    coarse = distances[columns[-1] - first[stations]]
    curve = robust_curve(profiles.shares[stations], coarse, degree=2, scale_floor=0.5)
    guess = np.polynomial.polynomial.polyval(profiles.shares, curve)
    base = np.round((guess - distances[0]) / step).astype(int)
    span, rows = round(4.0 / step), np.arange(len(base))[:, None]
    window = np.clip(base[:, None] + np.arange(-span, span + 1), 0, len(distances) - 1)
    within = np.clip(base[:, None] + np.arange(span // 2, span + 1), 0, len(distances) - 1)
    reference = np.median(profiles.colours[rows, within], axis=1, keepdims=True)
    unlike = np.linalg.norm(profiles.colours[rows, window] - reference, axis=2)
    half = 0.5 * unlike[:, : span + 1].max(axis=1)
    last = unlike.shape[1] - 1 - np.argmax((unlike >= half[:, None])[:, ::-1], axis=1)  # the innermost that is rail
    good = (half > 8.0) & (last < unlike.shape[1] - 1) & profiles.seen[rows, window].all(axis=1)
    stations = np.flatnonzero(good)
    outer, inner = unlike[stations, last[stations]], unlike[stations, last[stations] + 1]
    share = (outer - half[stations]) / np.maximum(outer - inner, 1e-9)
    across = distances[window[stations, last[stations]]] + share * step
    return _line(profiles, stations, across, tolerance_px=1.5)


def _nose(profiles: Profiles, falling: Array, sharpness_px: float) -> EdgeLine | None:
    """The straight line across the side on which brightness falls most, going inward; then its points, sub-pixel."""
    found = _strongest_line(profiles, falling)
    if found is None:
        return None
    first, last, slope = found
    guess = first + (last - first) * (profiles.shares - profiles.shares[0]) / np.ptp(profiles.shares)
    step, count = profiles.step_px, len(profiles.distances_px)
    span = max(2, round(2.5 * sharpness_px / step))
    stations, across = np.empty(0, dtype=np.intp), np.empty(0)
    for _ in range(2):  # the second time around the bowed line found the first time
        base = np.round((guess - profiles.distances_px[0]) / step).astype(int)
        columns = np.clip(base[:, None] + np.arange(-span, span + 1), 1, count - 2)
        window = np.take_along_axis(falling, columns, axis=1)
        best = np.take_along_axis(columns, window.argmax(axis=1)[:, None], axis=1)[:, 0]
        rows = np.arange(len(best))
        here, before, after = falling[rows, best], falling[rows, best - 1], falling[rows, best + 1]
        bend = before - 2 * here + after
        peak = (bend < 0) & (here > before) & (here >= after) & (here > 0.35 * slope)
        shift = np.where(peak, 0.5 * (before - after) / np.where(peak, bend, -1.0), 0.0)
        stations = np.flatnonzero(peak)
        across = profiles.distances_px[best[stations]] + shift[stations] * step
        if len(stations) < _LEAST_SUPPORT * len(guess):
            return None
        curve = robust_curve(profiles.shares[stations], across, degree=2, scale_floor=0.15)
        guess = np.polynomial.polynomial.polyval(profiles.shares, curve)
    return _line(profiles, stations, across, tolerance_px=max(0.6, 0.6 * sharpness_px))


def _strongest_line(profiles: Profiles, falling: Array) -> tuple[float, float, float] | None:
    """Distances of the best line at the first and at the last station, and its mean slope per px."""
    stride = max(1, round(1.0 / profiles.step_px))
    columns = np.arange(0, len(profiles.distances_px), stride)
    rows = np.linspace(0, len(profiles.shares) - 1, min(96, len(profiles.shares))).astype(int)
    part = falling[np.ix_(rows, columns)]
    limit = max(_LEAST_SLOPE, 1.5 * float(np.median(part.max(axis=1))))
    part = np.clip(part, -limit, limit)
    share = np.linspace(0, 1, len(rows))
    count = len(columns)
    lean = count // 2
    best = (-np.inf, 0, 0)
    for first in range(count):
        lasts = np.arange(max(0, first - lean), min(count, first + lean + 1))
        line = np.round(first + (lasts[:, None] - first) * share).astype(int)
        mean = part[np.arange(len(rows)), line].mean(axis=1)
        index = int(mean.argmax())
        if mean[index] > best[0]:
            best = (float(mean[index]), first, int(lasts[index]))
    chance = 1.48 * float(np.median(np.abs(part))) / np.sqrt(len(rows))
    slope, first, last = best
    if slope < max(_LEAST_SLOPE, _LEAST_SIGNAL * chance):
        return None
    distances = profiles.distances_px[columns]
    return float(distances[first]), float(distances[last]), slope


def _line(profiles: Profiles, stations: npt.NDArray[np.intp], across: Array, *, tolerance_px: float) -> EdgeLine | None:
    """Keep the points near one smooth line."""
    if len(stations) < 12:
        return None
    shares = profiles.shares[stations]
    curve = robust_curve(shares, across, degree=2, scale_floor=0.15)
    residuals = across - np.polynomial.polynomial.polyval(shares, curve)
    near = np.abs(residuals) < tolerance_px
    support = float(near.sum()) / len(profiles.shares)
    if support < _LEAST_SUPPORT:
        return None
    return EdgeLine(
        points_px=profiles.places(stations[near], across[near]),
        scatter_px=float(np.sqrt(np.mean(residuals[near] ** 2))),
        support=support,
        offset_px=float(np.polynomial.polynomial.polyval(0.5, curve)),
    )
