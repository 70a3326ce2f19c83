"""Cutting a ball's track into legs: stretches in which nothing but the cloth acted on it.

Between events a ball's path is a parabola in time (sliding or rolling, Coriolis 1835) or one place. The cut with the
least squared error plus a price per leg is found exactly, by dynamic programming over the frames (Bellman 1961;
Jackson et al. 2005).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from scoring.table import Point
from vision.motion import ROLLING_MM_S2, SLIDING_MM_S2, State
from vision.track import MOVED_MM, Look

Array: TypeAlias = npt.NDArray[np.float64]
Kind: TypeAlias = Literal["rest", "move"]

_LONGEST = 90  # frames in one moving leg; longer ones are joined smoothly
_PRICE_MOVE = 32.0  # in units of squared error over variance, for its six numbers and its place in time
_PRICE_REST = 16.0
_PRICE_SKIP = 14.0  # a measurement that belongs to no leg
_SPEED_PRIOR_MM_S = 6000.0
_SIGMA_FLOOR_MM = 0.35
_STILL_MM = 1.2
_STILL_SHARE = 0.2  # of the way that a rolling ball would go
_DRIFTS_MM = 3.0  # as shadows pass over it
_LEAST_STILL = 20  # frames
_LEAST_REST_S = 0.1
_AWAY_S = 0.3
_SAME_MM = 0.8
_REST, _MOVE, _SKIP = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class Leg:
    """A stretch of one ball's path: place = start + velocity * u + bend * u^2 with u = t - `from_s`.

    `spread` (3, 3) is the covariance of these three numbers in each axis; rest legs have only a place.
    """

    kind: Kind
    first: int  # numbers of the first and last measurement
    last: int
    from_s: float
    to_s: float
    path: Array  # (3, 2)
    spread: Array  # (3, 3)
    sigma_mm: float  # of one measurement
    stray_mm: float = 0.0  # of a rest's place: a picture that hardly changes is not measured anew, but told again

    def place(self, t_s: float) -> tuple[float, float]:
        """Where the ball is at a time, as far as this leg tells."""
        u = t_s - self.from_s
        p = self.path
        return (float(p[0, 0] + (p[1, 0] + p[2, 0] * u) * u), float(p[0, 1] + (p[1, 1] + p[2, 1] * u) * u))

    def velocity(self, t_s: float) -> tuple[float, float]:
        """How it moves at a time, mm/s."""
        u = t_s - self.from_s
        p = self.path
        return float(p[1, 0] + 2 * p[2, 0] * u), float(p[1, 1] + 2 * p[2, 1] * u)

    def state(self, t_s: float) -> State:
        """Place and velocity at a time."""
        return State(*self.place(t_s), *self.velocity(t_s))

    def point(self, t_s: float) -> Point:
        """The place at a time, as a point."""
        return Point(*self.place(t_s))

    def sigma_place_mm(self, t_s: float) -> float:
        """The standard error of the place at a time, in each axis."""
        u = t_s - self.from_s
        row = np.array((1.0, u, u * u))
        return float(np.sqrt(row @ self.spread @ row))

    def sigma_velocity_mm_s(self, t_s: float) -> float:
        """The standard error of the velocity at a time, in each axis."""
        if self.kind == "rest":
            return 0.0
        row = np.array((0.0, 1.0, 2 * (t_s - self.from_s)))
        return float(np.sqrt(row @ self.spread @ row))

    def speed_mm_s(self, t_s: float) -> float:
        """The speed at a time."""
        return float(np.hypot(*self.velocity(t_s)))


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """A track as arrays: times (n,), places (n, 2) mm, standard errors (n,) mm."""

    t_s: Array
    xy_mm: Array
    sigma_mm: Array

    @classmethod
    def of(cls, looks: Sequence[Look]) -> "Samples":
        """The measurements of a track, with errors as large as their scatter shows."""
        t = np.array([look.t_s for look in looks], dtype=np.float64)
        xy = np.array([(look.x_mm, look.y_mm) for look in looks], dtype=np.float64).reshape(-1, 2)
        across = np.array([look.sigma_mm for look in looks])
        along = np.array([max(look.sigma_mm, look.sigma_along_mm) for look in looks])
        sigma = np.maximum(_SIGMA_FLOOR_MM, np.sqrt((across**2 + along**2) / 2))
        merged = np.array([look.is_merged or look.is_near_cover for look in looks], dtype=bool)
        sigma = np.where(merged, 2.5 * sigma, sigma)
        return cls(t, xy, sigma * _scatter(t, xy, sigma))


def _scatter(t: Array, xy: Array, sigma: Array) -> float:
    """How much larger the true errors are than said: from third differences, which no parabola has."""
    if len(t) < 8:
        return 1.0
    steps = np.diff(t)
    even = (np.abs(steps[2:] - steps[:-2]) < 1e-3) & (np.abs(steps[1:-1] - steps[:-2]) < 1e-3)
    third = np.diff(xy, 3, axis=0) / (sigma[1:-2, None] * np.sqrt(20.0))
    third = np.abs(third[even])
    if third.size < 8:
        return 1.0
    return float(np.clip(1.48 * np.median(third), 0.7, 4.0))


def cut(samples: Samples) -> list[Leg]:
    """The legs of a track, in order; measurements that fit nowhere lie in none."""
    n = len(samples.t_s)
    if n == 0:
        return []
    move = _move_costs(samples)
    rest = _RestCosts(samples)
    best = np.zeros(n + 1)
    choice: list[tuple[int, int]] = [(0, 0)] * (n + 1)
    for end in range(1, n + 1):
        lowest = max(0, end - _LONGEST)
        moving = best[lowest:end] + move[end - 1, lowest - end :]
        k = int(moving.argmin())
        top, pick = moving[k] + _PRICE_MOVE, (_MOVE, lowest + k)
        resting = best[:end] + rest.until(end)
        k = int(resting.argmin())
        if resting[k] + _PRICE_REST < top:
            top, pick = resting[k] + _PRICE_REST, (_REST, k)
        if best[end - 1] + _PRICE_SKIP < top:
            top, pick = best[end - 1] + _PRICE_SKIP, (_SKIP, end - 1)
        best[end] = top
        choice[end] = pick
    legs = []
    end = n
    while end > 0:
        what, start = choice[end]
        if what != _SKIP:
            leg = fit(samples, "rest" if what == _REST else "move", start, end - 1)
            legs.append(fit(samples, "rest", start, end - 1) if _is_still(leg) else leg)
        end = start
    return _without_returns(_without_pauses(legs[::-1]))


def _without_pauses(legs: Sequence[Leg]) -> list[Leg]:
    """The legs without rests that are too short for one: a ball that turns, rattles in the jaws, or is just struck."""
    last = len(legs) - 1
    return [
        leg
        for k, leg in enumerate(legs)
        if not (
            0 < k < last
            and leg.kind == "rest"
            and leg.to_s - leg.from_s < _LEAST_REST_S
            and leg.last - leg.first >= 2
            and legs[k + 1].kind == "move"
            and (legs[k - 1].kind == "move" or math.dist(legs[k - 1].path[0], leg.path[0]) > MOVED_MM)
        )
    ]


def _without_returns(legs: Sequence[Leg]) -> list[Leg]:
    """The legs without what a resting ball seems to do when it is seen badly: none comes back to where it lay."""
    kept: list[Leg] = []
    for leg in legs:
        joined = leg
        for k in range(len(kept) - 2, -1, -1):
            if leg.kind == "move" or leg.from_s - kept[k + 1].from_s > _AWAY_S:
                break
            if kept[k].kind == "rest" and math.dist(kept[k].path[0], leg.path[0]) < _SAME_MM:
                longer = max(kept[k], leg, key=lambda one: one.last - one.first)
                joined = replace(longer, first=kept[k].first, last=leg.last, from_s=kept[k].from_s, to_s=leg.to_s)
                del kept[k:]
                break
        kept.append(joined)
    return kept


def _is_still(leg: Leg) -> bool:
    """Whether a moving leg only follows a resting ball that is seen badly: on cloth a ball would roll farther."""
    if leg.kind == "rest" or leg.last - leg.first < _LEAST_STILL:
        return False
    middle = leg.place((leg.from_s + leg.to_s) / 2)
    ends = (leg.place(leg.from_s), leg.place(leg.to_s))
    rolls_mm = ROLLING_MM_S2 / 2 * (leg.to_s - leg.from_s) ** 2  # at least, while it slows down as the cloth does it
    still_mm = min(max(_STILL_MM, _STILL_SHARE * rolls_mm), _DRIFTS_MM)
    return max(math.hypot(x - middle[0], y - middle[1]) for x, y in ends) < still_mm


class _RestCosts:
    """The squared error of every stretch that ends at a given frame, if the ball lay still in it."""

    def __init__(self, samples: Samples) -> None:
        weight = 1.0 / samples.sigma_mm**2
        xy = samples.xy_mm - samples.xy_mm[0]
        self._w = np.concatenate(((0.0,), np.cumsum(weight)))
        self._wx, self._wy = (np.concatenate(((0.0,), np.cumsum(weight * xy[:, axis]))) for axis in (0, 1))
        self._q = np.concatenate(((0.0,), np.cumsum(weight * (xy**2).sum(axis=1))))

    def until(self, end: int) -> Array:
        w = self._w[end] - self._w[:end]
        wx, wy = self._wx[end] - self._wx[:end], self._wy[end] - self._wy[:end]
        q = self._q[end] - self._q[:end]
        cost: Array = np.maximum(0.0, q - (wx * wx + wy * wy) / w)
        return cost


def _move_costs(samples: Samples) -> Array:
    """(n, _LONGEST): the squared error of the best parabola that ends with a frame, in the order of first frames.

    The last column is that of a parabola through this frame alone.
    """
    n = len(samples.t_s)
    longest = min(_LONGEST, n)
    weight = 1.0 / samples.sigma_mm**2
    cost = np.full((n, _LONGEST), np.inf)
    s = np.zeros((5, n))
    b = np.zeros((3, 2, n))
    xy = np.ascontiguousarray(samples.xy_mm.T)
    q = np.zeros(n)
    s[2] += 1.0 / _SPEED_PRIOR_MM_S**2
    s[4] += 1.0 / (SLIDING_MM_S2 / 2) ** 2
    for k in range(longest):
        m = n - k
        u = samples.t_s[k:] - samples.t_s[:m]
        w = weight[k:]
        d = xy[:, k:] - xy[:, :m]
        power = w
        s[0, :m] += power
        b[0, :, :m] += power * d
        for order in range(1, 5):
            power = power * u
            s[order, :m] += power
            if order < 3:
                b[order, :, :m] += power * d
        q[:m] += w * (d[0] * d[0] + d[1] * d[1])
        cost[k:, _LONGEST - 1 - k] = np.maximum(0.0, q[:m] - _explained(s[:, :m], b[:, :, :m]))
    return cost


def _explained(s: Array, b: Array) -> Array:
    """What a parabola explains of the squared error: b' M^-1 b with M's moments s, by elimination, both axes summed."""
    m10 = s[1] / s[0]
    m20 = s[2] / s[0]
    a11 = s[2] - m10 * s[1]
    a21 = s[3] - m20 * s[1]
    a22 = s[4] - m20 * s[2]
    b1 = b[1] - m10 * b[0]
    b2 = b[2] - m20 * b[0]
    m21 = a21 / a11
    a22 = a22 - m21 * a21
    b2 = b2 - m21 * b1
    total = b[0] ** 2 / s[0] + b1**2 / a11 + b2**2 / a22
    result: Array = total[0] + total[1]
    return result


def fit(samples: Samples, kind: Kind, first: int, last: int) -> Leg:
    """One leg through the measurements from `first` to `last`."""
    t = samples.t_s[first : last + 1]
    xy = samples.xy_mm[first : last + 1]
    weight = 1.0 / samples.sigma_mm[first : last + 1] ** 2
    from_s, to_s = float(t[0]), float(t[-1])
    path: Array = np.zeros((3, 2))
    spread: Array = np.zeros((3, 3))
    stray_mm = 0.0
    if kind == "rest":
        path[0] = (weight[:, None] * xy).sum(axis=0) / weight.sum()
        spread[0, 0] = 1.0 / weight.sum()
        stray_mm = math.sqrt(_variance_of_mean(xy, weight))
    else:
        u = t - from_s
        rows = np.stack((np.ones_like(u), u, u * u), axis=1)
        normal = rows.T @ (weight[:, None] * rows)
        normal += np.diag((0.0, 1.0 / _SPEED_PRIOR_MM_S**2, 1.0 / (SLIDING_MM_S2 / 2) ** 2))
        spread = np.asarray(np.linalg.inv(normal), dtype=np.float64)
        path = spread @ (rows.T @ (weight[:, None] * (xy - xy[0])))
        path[0] += xy[0]
    path.setflags(write=False)
    spread.setflags(write=False)
    sigma_mm = float(np.median(samples.sigma_mm[first : last + 1]))
    return Leg(kind, first, last, from_s, to_s, path, spread, sigma_mm, stray_mm)


def _variance_of_mean(xy: Array, weight: Array) -> float:
    """The variance of a weighted mean of places; one that is told again to the last digit was measured only once."""
    is_new = np.concatenate(((True,), (np.diff(xy, axis=0) != 0.0).any(axis=1)))
    shares = np.bincount(np.cumsum(is_new) - 1, weights=weight)
    return float((shares**2 / weight[is_new]).sum() / shares.sum() ** 2)
