"""Who is who among numbered balls: every number is there once, so one ball tells of the others."""

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from vision.numbers.reader import NUMBERS, Chances

Masks = npt.NDArray[np.int64]


def shares(chances: Chances) -> tuple[Chances, float]:
    """(N, 15) chances of each ball alone, N at most 15, to those that follow as no number is there twice.

    And how well all of them go together: the mean, over all ways to give out the numbers, of the product of the
    chances. Exact: sums over sets of numbers given out, ball by ball, forwards and backwards.
    """
    count = len(chances)
    levels = _levels()
    ahead = [np.ones(1)]
    for row in range(count):
        masks, sums = levels[row + 1], np.zeros(len(levels[row + 1]))
        for number in range(NUMBERS):
            has = (masks >> number & 1).astype(bool)
            sums[has] += chances[row, number] * ahead[row][_places()[masks[has] ^ (1 << number)]]
        ahead.append(sums)
    behind = np.ones(len(levels[count]))
    found = np.empty_like(chances)
    for row in reversed(range(count)):
        masks, sums = levels[row], np.zeros(len(levels[row]))
        for number in range(NUMBERS):
            lacks = (masks >> number & 1) == 0
            rest = chances[row, number] * behind[_places()[masks[lacks] | (1 << number)]]
            sums[lacks] += rest
            found[row, number] = float(ahead[row][lacks] @ rest)
        behind = sums
    whole = float(behind[0])
    return found / whole, whole * math.factorial(NUMBERS - count) / math.factorial(NUMBERS)


def in_order(chances: Chances, order: Sequence[int], usual: float) -> Chances:
    """(15, 15) chances of racked balls, whose usual `order` is kept in a share `usual` of racks: to what follows."""
    own = chances / chances.sum(axis=1, keepdims=True)
    columns = np.array(order) - 1
    alone, together = shares(own)
    kept = usual * float(own[np.arange(NUMBERS), columns].prod())
    is_kept = kept / (kept + (1 - usual) * together)
    ordered = np.zeros_like(own)
    ordered[np.arange(NUMBERS), columns] = 1.0
    return np.asarray(is_kept * ordered + (1 - is_kept) * alone, dtype=np.float64)


@cache
def _levels() -> tuple[Masks, ...]:
    """For each count the sets of so many numbers, as bits."""
    masks = np.arange(1 << NUMBERS)
    sizes = np.bitwise_count(masks)
    return tuple(masks[sizes == size] for size in range(NUMBERS + 1))


@cache
def _places() -> Masks:
    """Where each set stands among those of its size."""
    places = np.empty(1 << NUMBERS, np.int64)
    for masks in _levels():
        places[masks] = np.arange(len(masks))
    return places
