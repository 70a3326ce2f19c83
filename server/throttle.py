"""Lets somebody try a secret a few times, and then makes him wait."""

from collections import deque
from dataclasses import dataclass, field

_MOST_KEYS = 5000


@dataclass(slots=True, kw_only=True)
class Throttle:
    """At most `tries` failures within `span_s`, by who tries."""

    tries: int
    span_s: float
    _failures: dict[str, deque[float]] = field(default_factory=dict)

    def is_shut(self, who: str, now_s: float) -> bool:
        """Whether he must wait."""
        failures = self._failures.get(who)
        if failures is None:
            return False
        while failures and now_s - failures[0] >= self.span_s:
            failures.popleft()
        if not failures:
            del self._failures[who]
        return len(failures) >= self.tries

    def failed(self, who: str, now_s: float) -> None:
        """He was wrong."""
        if who not in self._failures and len(self._failures) >= _MOST_KEYS:
            self._failures.pop(next(iter(self._failures)))  # whoever has been quiet for longest, more or less
        self._failures.setdefault(who, deque(maxlen=self.tries)).append(now_s)

    def succeeded(self, who: str) -> None:
        """He was right: what went before is forgotten."""
        self._failures.pop(who, None)
