"""How far a share that was counted may be from the true one."""

import math
from dataclasses import dataclass

_NORMAL_95 = 1.959964


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """So many of so many, with the interval that holds the true share in 95 of 100 cases (Wilson 1927)."""

    count: int
    total: int

    @property
    def value(self) -> float:
        """The share itself, 0 of nothing."""
        return self.count / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Lower and upper end; of nothing nothing is known."""
        if not self.total:
            return 0.0, 1.0
        squared, share, number = _NORMAL_95**2, self.value, self.total
        middle = (share + squared / (2 * number)) / (1 + squared / number)
        spread = share * (1 - share) / number + squared / (4 * number * number)
        half = _NORMAL_95 * math.sqrt(spread) / (1 + squared / number)
        return max(0.0, middle - half), min(1.0, middle + half)
