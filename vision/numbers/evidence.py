"""What is known of one ball's number: chances from readings, and doubts as balls are lost and found again."""

import math
from collections.abc import Sequence

import numpy as np

from vision.numbers.reader import NUMBERS, Chances

_LEAST = 1e-9
_MOST_NATS = math.log(NUMBERS)


class NumberEvidence:
    """The chances of each number, 1 to 15, for one ball alone; `changes` counts how often they have changed."""

    __slots__ = ("chances", "changes")

    def __init__(self) -> None:
        """Of a ball that nobody has read."""
        self.chances: Chances = np.full(NUMBERS, 1 / NUMBERS)
        self.changes = 0

    def add(self, reading: Sequence[float]) -> None:
        """Take in what was read on one side of the ball, by how much it tells.

        A ball that rolls on shows many sides that are hardly read, all in one light: what little they seem to say, they
        say together.
        """
        read = np.maximum(np.asarray(reading), _LEAST)
        told = 1 + float(read @ np.log(read)) / _MOST_NATS
        self.become(self.chances * read ** max(told, 0.0))

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
