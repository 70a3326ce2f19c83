"""What is seen of the table's straight lines and marks, point by point, as a fit of the camera needs it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from calibration.camera import Array
from calibration.finder import FoundTable
from calibration.marks import Mark, MarkKind
from scoring.table import Table

POINTS_PER_LINE = 30
PIECES = 6  # a line's errors are alike over a sixth of it: so many independent looks does it give
FIRST_MARK = 8  # number of the first mark among the lines

# How wrong a piece of a line may lie: in the picture, and as a cushion may be mounted; edges are less well defined.
_NOSE_SIGMA = (0.3, 1.0)  # px, mm
_EDGE_SIGMA = (0.8, 4.0)
_MARK_SIGMAS = {MarkKind.SIGHT: (0.4, 3.0), MarkKind.SPOT: (0.4, 4.0), MarkKind.HOUSE_LINE: (0.4, 4.0)}


class Level(IntEnum):
    """At which height a point lies."""

    CLOTH = 0
    NOSE = 1
    RAIL = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Observations:
    """Points in the picture of which one table coordinate is known."""

    points_px: Array  # (N, 2)
    axis: npt.NDArray[np.intp]  # (N,) 0: x is known, 1: y is
    at_mm: Array  # (N,) that x or y, for edges without the cushion's width
    outward: Array  # (N,) for edges +1 or -1: the way from nose to edge along the axis; else 0
    level: npt.NDArray[np.intp]  # (N,) a Level
    line: npt.NDArray[np.intp]  # (N,) 0 to 3 noses, 4 to 7 edges, by side of the picture; from 8 on marks
    count: Array  # (N,) how many points its line has
    sigma_px: Array  # (N,)
    sigma_mm: Array  # (N,)

    def sigmas_px(self, mm_per_px: Array) -> Array:
        """(N,) how far a piece of the point's line may lie off."""
        return np.hypot(self.sigma_px, self.sigma_mm / mm_per_px)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """The points of one line."""

    points_px: Array
    axis: int
    at_mm: float
    outward: float
    level: Level
    line: int
    sigma: tuple[float, float]


def observe(
    found: FoundTable, table: Table, front: int, left_out: Sequence[int] = (), marks: Sequence[Mark] = ()
) -> Observations:
    """Noses and edges by side, then marks; lines named in `left_out` are not used."""
    # clockwise from the front cushion: front, left, rear, right
    lines = [(0, 0.0, -1.0), (1, table.width_mm / 2, 1.0), (0, table.length_mm, 1.0), (1, -table.width_mm / 2, -1.0)]
    parts = []
    for index, seen in enumerate(found.sides):
        axis, at_mm, outward = lines[(index - front) % 4]
        if seen.nose is not None and index not in left_out:
            points = _some(seen.nose.points_px)
            parts.append(_Part(points, axis, at_mm, 0.0, Level.NOSE, index, _NOSE_SIGMA))
        if seen.edge is not None and index + 4 not in left_out:
            points = _some(seen.edge.points_px)
            parts.append(_Part(points, axis, at_mm, outward, Level.RAIL, index + 4, _EDGE_SIGMA))
    for number, mark in enumerate(marks):
        if FIRST_MARK + number in left_out:
            continue
        level = Level.RAIL if mark.kind == MarkKind.SIGHT else Level.CLOTH
        known = ((0, mark.x_mm), (1, mark.y_mm))
        parts += [
            _Part(mark.point_px[None], axis, value, 0.0, level, FIRST_MARK + number, _MARK_SIGMAS[mark.kind])
            for axis, value in known
            if value is not None
        ]
    counts = [len(part.points_px) for part in parts]
    # a mark is one look, a line is as many as it has pieces
    weights = [float(len(part.points_px)) if part.line < FIRST_MARK else float(PIECES) for part in parts]
    return Observations(
        points_px=np.concatenate([part.points_px for part in parts]),
        axis=np.repeat([part.axis for part in parts], counts),
        at_mm=np.repeat([part.at_mm for part in parts], counts),
        outward=np.repeat([part.outward for part in parts], counts),
        level=np.repeat([int(part.level) for part in parts], counts),
        line=np.repeat([part.line for part in parts], counts),
        count=np.repeat(weights, counts),
        sigma_px=np.repeat([part.sigma[0] for part in parts], counts),
        sigma_mm=np.repeat([part.sigma[1] for part in parts], counts),
    )


def _some(points_px: Array) -> Array:
    count = len(points_px)
    chosen = np.linspace(0, count - 1, min(count, POINTS_PER_LINE)).astype(int)
    return np.asarray(points_px[chosen], dtype=np.float64)
