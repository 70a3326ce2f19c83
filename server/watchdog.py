"""Decides when a table's process is to be started again; starts nothing itself."""

from collections import deque
from dataclasses import dataclass, field

FIRST_NEWS_S = 120.0  # a cold start imports OpenCV and opens a camera
SILENCE_S = 8.0
RESTARTS = 5
WINDOW_S = 60.0
PAUSE_S = 30.0


@dataclass(slots=True)
class Watchdog:
    """Watches one process by its news; times are seconds of any steady clock."""

    started_s: float = 0.0
    heard_s: float | None = None
    restarts: int = 0
    _recent: deque[float] = field(default_factory=deque)

    def started(self, now_s: float) -> None:
        """The process has just been started."""
        self.started_s, self.heard_s = now_s, None

    def heard(self, now_s: float) -> None:
        """It has said something."""
        self.heard_s = now_s

    def is_stuck(self, now_s: float) -> bool:
        """Whether it has been silent for so long that it must be killed."""
        if self.heard_s is None:
            return now_s - self.started_s > FIRST_NEWS_S
        return now_s - self.heard_s > SILENCE_S

    def pause_s(self, now_s: float) -> float:
        """How long to wait before the next start: at once, or a long pause after too many in a short while."""
        while self._recent and now_s - self._recent[0] > WINDOW_S:
            self._recent.popleft()
        self._recent.append(now_s)
        self.restarts += 1
        return 0.0 if len(self._recent) <= RESTARTS else PAUSE_S
