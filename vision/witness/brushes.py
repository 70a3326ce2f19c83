"""Balls that ran along a cushion so close that they may have brushed its nose too softly for a kink."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from scoring.balls import Ball
from scoring.events import Alternative, CushionHit, Potted, TableEvent
from scoring.table import Cushion, Point
from vision.surroundings import Edge, Surroundings
from vision.witness.kinks import Story
from vision.witness.legs import Array

_NEAR_MM = 8.0
_ENDS_MM = 15.0  # of a nose, where its rounded tip begins to matter
_WINDOW_S = 0.35
_LEAST_LOOKS = 8
_TABLE_ERROR_MM = 0.5  # of the nose's own place in the table file
_TOUCH_MM = 0.7
_LIKELY_GAIN, _SURE_GAIN = 12.0, 25.0  # squared error that a turn at the nose explains better than a straight path
_LEAST_TURN_MM_S = 4.0
_REASON = "it ran along a cushion so close that it may have brushed the nose"


@dataclass(frozen=True, slots=True)
class Brush:
    """A soft touch of a nose: when, where, how likely; `is_seen` when the path turns there."""

    t_s: float
    cushion: Cushion
    at: Point
    probability: float
    is_seen: bool

    @property
    def is_sure(self) -> bool:
        """Whether nothing but a touch explains the path."""
        return self.is_seen and self.probability > 1 - math.exp(-_SURE_GAIN / 2)

    def told(self, ball: Ball) -> CushionHit:
        """The event."""
        return CushionHit(t_s=self.t_s, ball=ball, cushion=self.cushion, at=self.at, confidence=self.probability)


@dataclass(frozen=True, slots=True, eq=False)
class _Stretch:
    """A ball's way along a nose: times (n,), gaps (n,) mm and their errors, places (n, 2)."""

    t_s: Array
    gap_mm: Array
    sigma_mm: Array
    xy_mm: Array


def find_brush(story: Story, around: Surroundings, from_s: float, to_s: float) -> Brush | None:
    """The likeliest touch of a nose between two times, if the ball ran within the errors of one."""
    found = None
    for edge in around.edges:
        stretch = _along(story, edge, around.radius_mm, from_s, to_s) if edge.pocket is None else None
        brush = _brush(stretch, edge) if stretch is not None else None
        if brush is not None and (found is None or brush.probability > found.probability):
            found = brush
    return found


def with_brush(potted: Potted, brush: Brush | None) -> list[TableEvent]:
    """A fall with the soft touch before it; flagged unless the touch is sure."""
    if brush is None:
        return [potted]
    hit = brush.told(potted.ball)
    if brush.is_sure:
        return [hit, potted]
    other = Alternative(1 - brush.probability) if brush.is_seen else Alternative(brush.probability, hit)
    reason = f"{potted.reason}; {_REASON}" if potted.reason else _REASON
    potted = replace(potted, flagged=True, reason=reason, alternatives=(*potted.alternatives, other))
    return [hit, potted] if brush.is_seen else [potted]


def _along(story: Story, edge: Edge, radius_mm: float, from_s: float, to_s: float) -> _Stretch | None:
    """The part of a moving ball's way around the place where it is nearest to a nose."""
    samples = story.samples
    offset = samples.xy_mm - (edge.x_mm, edge.y_mm)
    gap = offset @ np.array((edge.nx, edge.ny)) - radius_mm
    along = offset @ np.array((edge.tx, edge.ty))
    inside = (along > _ENDS_MM) & (along < edge.length_mm - _ENDS_MM)
    inside &= (samples.t_s > from_s) & (samples.t_s < to_s) & _is_moving(samples.t_s, story)
    near = inside & (gap < _NEAR_MM)
    if not near.any():
        return None
    closest = samples.t_s[near][int(np.argmin(_smoothed(gap[near])))]
    window = inside & (np.abs(samples.t_s - closest) < _WINDOW_S) & (gap < 4 * _NEAR_MM)
    return _Stretch(samples.t_s[window], gap[window], samples.sigma_mm[window], samples.xy_mm[window])


def _is_moving(t_s: Array, story: Story) -> npt.NDArray[np.bool_]:
    moving = np.zeros(len(t_s), dtype=bool)
    for leg in story.legs:
        if leg.kind == "move":
            moving |= (t_s >= leg.from_s) & (t_s <= leg.to_s)
    return moving


def _smoothed(values: Array) -> Array:
    width = min(5, len(values))
    padded = np.pad(values, (width // 2, width - 1 - width // 2), mode="edge")
    result: Array = np.convolve(padded, np.ones(width) / width, mode="valid")
    return result


def _brush(stretch: _Stretch, edge: Edge) -> Brush | None:
    if len(stretch.t_s) < _LEAST_LOOKS:
        lowest, error = float(stretch.gap_mm.min()), float(np.median(stretch.sigma_mm))
        return _possible(stretch, edge, lowest, error, int(np.argmin(stretch.gap_mm)))
    straight, line = _fit(stretch, [np.ones_like(stretch.t_s), stretch.t_s - stretch.t_s[0]])
    best = None
    for k in range(2, len(stretch.t_s) - 2):
        u = stretch.t_s - stretch.t_s[k]
        error, turn = _fit(stretch, [np.ones_like(u), u, np.maximum(u, 0.0)])
        if best is None or error < best[0]:
            best = error, turn, k
    assert best is not None
    error, (touch, spread), k = best
    gain, slack = straight - error, 2 * math.hypot(math.sqrt(spread[0, 0]), _TABLE_ERROR_MM)
    turns = touch[1] < 0.0 < touch[2] and touch[2] > _LEAST_TURN_MM_S
    if gain > _LIKELY_GAIN and turns and abs(touch[0]) < _TOUCH_MM + slack:
        return _told(stretch, edge, k, 1 - math.exp(-gain / 2), is_seen=True)
    # Nearest at an end of a straight path, or where a bent one bends.
    numbers, spread = line
    places = [(float(numbers[0]), 0), (float(numbers @ (1.0, stretch.t_s[-1] - stretch.t_s[0])), len(stretch.t_s) - 1)]
    if gain > _LIKELY_GAIN:
        places.append((float(touch[0]), k))
    gap_mm, row = min(places)
    return _possible(stretch, edge, gap_mm, math.sqrt(spread[0, 0]), row)


def _possible(stretch: _Stretch, edge: Edge, gap_mm: float, error_mm: float, row: int) -> Brush | None:
    """A touch that the path does not show, but does not rule out either."""
    error = math.hypot(error_mm, _TABLE_ERROR_MM)
    if gap_mm > _TOUCH_MM + 2 * error:
        return None
    return _told(stretch, edge, row, 0.5 * math.erfc(gap_mm / error / math.sqrt(2)), is_seen=False)


def _told(stretch: _Stretch, edge: Edge, row: int, probability: float, *, is_seen: bool) -> Brush:
    x_mm, y_mm = (float(value) for value in stretch.xy_mm[row])
    return Brush(float(stretch.t_s[row]), edge.cushion, Point(x_mm, y_mm), probability, is_seen)


def _fit(stretch: _Stretch, columns: Sequence[Array]) -> tuple[float, tuple[Array, Array]]:
    """The squared error in variances, the numbers that fit the gaps best, and their covariance."""
    rows = np.stack(columns, axis=1) / stretch.sigma_mm[:, None]
    spread: Array = np.asarray(np.linalg.pinv(rows.T @ rows), dtype=np.float64)
    numbers: Array = spread @ (rows.T @ (stretch.gap_mm / stretch.sigma_mm))
    rest = stretch.gap_mm / stretch.sigma_mm - rows @ numbers
    return float(rest @ rest), (numbers, spread)
