"""The numbers of the balls on the table as far as they are known, from readings, the rack's order and who is gone."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from scoring.balls import Ball
from scoring.pyramid.rack import ROWS, rack_of
from scoring.table import Point, Table
from vision.numbers.evidence import NumberEvidence
from vision.numbers.reader import NUMBERS, Chances
from vision.numbers.who import in_order, shares

_ORDER = tuple(number for row in ROWS for number in row)
_RACKED_MM = 25.0
_USUAL = 0.5  # the share of racks in which the balls are believed to be in the usual order (MP-3), unless they are read
_SURE = 0.999  # of a number that has gone with its ball


class Numbers:
    """Puts together what is known of each ball; `evidence` is by the track's key."""

    def __init__(self, table: Table) -> None:
        """Nothing is known yet."""
        self._rack = tuple(rack_of(table).places[Ball(str(number))] for number in _ORDER)
        self._key: object = None
        self._found: dict[int, dict[Ball, float]] = {}

    def chances(
        self, evidence: Mapping[int, NumberEvidence], gone: Collection[int]
    ) -> Mapping[int, Mapping[Ball, float]]:
        """Who each ball may be; `gone` are the numbers of balls known to have left the table."""
        key = (tuple((each, its.changes) for each, its in evidence.items()), tuple(sorted(gone)))
        if key != self._key:
            self._key, self._found = key, _chances(evidence, gone)
        return self._found

    def take_rack(self, balls: Sequence[tuple[Point, NumberEvidence]]) -> bool:
        """Learn from the usual order if these are all the balls, in the rack; returns whether they are."""
        if len(balls) != NUMBERS:
            return False
        nearest = [min(range(NUMBERS), key=lambda row: balls[row][0].distance_mm(at)) for at in self._rack]
        if len(set(nearest)) < NUMBERS or any(
            balls[row][0].distance_mm(at) > _RACKED_MM for row, at in zip(nearest, self._rack, strict=True)
        ):
            return False
        racked = [balls[row][1] for row in nearest]
        known = in_order(np.array([each.chances for each in racked]), _ORDER, _USUAL)
        for each, chances in zip(racked, known, strict=True):
            each.become(chances)
        return True


def _chances(evidence: Mapping[int, NumberEvidence], gone: Collection[int]) -> dict[int, dict[Ball, float]]:
    """Every number once: among the balls that lie there, those that went, and those of which nothing is known."""
    if not evidence:
        return {}
    keys = sorted(evidence, key=lambda key: evidence[key].chances.max(), reverse=True)[:NUMBERS]
    rows = [evidence[key].chances for key in keys]
    if len(rows) + len(gone) <= NUMBERS:
        rows += [_known(number) for number in gone]
    found, _ = shares(np.array(rows))
    return {
        key: {Ball(str(number + 1)): float(row[number]) for number in range(NUMBERS)}
        for key, row in zip(keys, found, strict=False)
    }


def _known(number: int) -> Chances:
    row = np.full(NUMBERS, (1 - _SURE) / (NUMBERS - 1))
    row[number - 1] = _SURE
    return row
