"""What is known of one ball's number: chances from readings, and doubts as balls are lost and found again."""

from collections.abc import Sequence

import numpy as np

from vision.numbers.reader import NUMBERS, Chances

_WEIGHT = 0.8  # of a reading: two sides of a ball in one light are not wholly independent
_LEAST = 1e-9


class NumberEvidence:
    """The chances of each number, 1 to 15, for one ball alone; `changes` counts how often they have changed."""

    __slots__ = ("chances", "changes")

    def __init__(self) -> None:
        """Of a ball that nobody has read."""
        self.chances: Chances = np.full(NUMBERS, 1 / NUMBERS)
        self.changes = 0

    def add(self, reading: Sequence[float]) -> None:
        """Take in what was read on one side of the ball."""
        self.become(self.chances * np.asarray(reading) ** _WEIGHT)

    def doubt(self, share: float) -> None:
        """In so many of all cases it is another ball by now, nobody knows which."""
        self.become((1 - share) * self.chances + share / NUMBERS)

    def become(self, chances: Chances) -> None:
        """Know something else from now on."""
        raised = np.maximum(chances, _LEAST)
        self.chances = raised / raised.sum()
        self.changes += 1


def mix_up(one: NumberEvidence, other: NumberEvidence, share: float) -> None:
    """Two balls that in so many of all cases were taken for each other."""
    first, second = one.chances, other.chances
    one.become((1 - share) * first + share * second)
    other.become((1 - share) * second + share * first)
