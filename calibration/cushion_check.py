"""Checks a calibration by play: a ball that has come to rest against a cushion lies a radius from its nose.

A ball may also lie close to a cushion without touching it, but none lies beyond: of those near one cushion the nearest
ones that agree with one another are taken to touch it.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from scoring.balls import Ball
from scoring.table import Cushion, Pocket, Point, Table

_REACH_MM = 25.0  # so far from where it would touch a cushion a ball is near it
_TOGETHER_MM = 4.0  # balls that touch one cushion agree to this
_LEAST_BALLS = 5  # at one cushion
_DENSER = 2.0  # so much denser than those farther off they lie, and _CHANCE balls more
_CHANCE = 4
_MOST_BALLS = 60  # the newest, at one cushion
_POCKET_CLEAR = 2.5  # ball diameters: nearer to a pocket the nose is none
_SAME_MM = 5.0  # a ball that lies so near to where it lay has not moved
_LIMIT_MM = 4.0  # a mean error that a good calibration does not have
_PROMISE = 2.0  # times the error that the certificate expects at the cushion


@dataclass(frozen=True, slots=True, kw_only=True)
class InPlay:
    """By how much balls that lay against cushions were seen off them: mean distance mm, over how many balls.

    `by_cushion_mm` are the cushions' own errors, positive inward; `doubted` are those that contradict the certificate.
    """

    mean_mm: float
    balls: int
    by_cushion_mm: tuple[tuple[Cushion, float], ...]
    doubted: tuple[Cushion, ...] = ()


@dataclass(slots=True, kw_only=True, eq=False)
class CushionCheck:
    """Collects balls at rest, of one calibration, which expects such errors at the cushions."""

    table: Table
    expected_mm: Mapping[Cushion, float] = field(default_factory=dict)
    _lying: Mapping[Ball, Point] = field(default_factory=dict)
    _gaps_mm: dict[Cushion, deque[float]] = field(
        default_factory=lambda: {cushion: deque(maxlen=_MOST_BALLS) for cushion in Cushion}
    )

    def see(self, balls: Mapping[Ball, Point]) -> None:
        """All balls are at rest; those that have not moved since the last time tell nothing new."""
        for ball, place in balls.items():
            before = self._lying.get(ball)
            if before is not None and before.distance_mm(place) < _SAME_MM:
                continue
            for cushion, gap_mm in _gaps_mm(self.table, place):
                self._gaps_mm[cushion].append(gap_mm)
        self._lying = dict(balls)

    @property
    def in_play(self) -> InPlay | None:
        """What they tell; None while too few balls have lain against a cushion."""
        touching = {cushion: _touching(np.array(gaps)) for cushion, gaps in self._gaps_mm.items()}
        seen = {cushion: gaps for cushion, gaps in touching.items() if len(gaps) >= _LEAST_BALLS}
        if not seen:
            return None
        every = np.concatenate(list(seen.values()))
        errors_mm = {cushion: round(float(np.median(gaps)), 1) for cushion, gaps in seen.items()}
        return InPlay(
            mean_mm=round(float(np.abs(every).mean()), 1),
            balls=len(every),
            by_cushion_mm=tuple(errors_mm.items()),
            doubted=tuple(
                cushion
                for cushion, error_mm in errors_mm.items()
                if abs(error_mm) > max(_LIMIT_MM, _PROMISE * self.expected_mm.get(cushion, 0.0))
            ),
        )


def _gaps_mm(table: Table, place: Point) -> Iterable[tuple[Cushion, float]]:
    """The cushions that a ball is near, and how far it is from touching each; negative beyond."""
    if table.pockets is not None:
        corners = [table.pocket_corner(pocket) for pocket in Pocket]
        if min(place.distance_mm(corner) for corner in corners) < _POCKET_CLEAR * table.ball_mm:
            return
    radius, half = table.ball_radius_mm, table.width_mm / 2
    for cushion, from_nose_mm in (
        (Cushion.FRONT, place.x_mm),
        (Cushion.REAR, table.length_mm - place.x_mm),
        (Cushion.LEFT, half - place.y_mm),
        (Cushion.RIGHT, half + place.y_mm),
    ):
        if abs(from_nose_mm - radius) < _REACH_MM:
            yield cushion, from_nose_mm - radius


def _touching(
    gaps_mm: "np.ndarray[tuple[int], np.dtype[np.float64]]",
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """The gaps of the balls nearest to the nose that agree with one another, none when others are hardly rarer."""
    ordered = np.sort(gaps_mm)
    if len(ordered) < _LEAST_BALLS:
        return ordered[:0]
    first = ordered[len(ordered) // 20]
    together = ordered[(ordered >= first) & (ordered <= first + _TOGETHER_MM)]
    farther = ordered[ordered > first + _TOGETHER_MM]
    by_chance = len(farther) * _TOGETHER_MM / max(_REACH_MM - first - _TOGETHER_MM, _TOGETHER_MM)
    return together if len(together) >= max(_LEAST_BALLS, _CHANCE + _DENSER * by_chance) else ordered[:0]
