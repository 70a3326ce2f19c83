"""Two cameras over one table as one: pictures of either as they come, while both see."""

import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from hardware.camera_watch import CameraWatch
from hardware.eyesight import BLINDING, CameraHealth
from hardware.frame import Frame
from hardware.signals import LinkState


@dataclass(frozen=True, slots=True, kw_only=True)
class PairPart:
    """One of the two: its address, and what its table file says."""

    source: str
    size_px: tuple[int, int] | None  # None: whatever comes
    expected_fps: float


@dataclass(slots=True)
class CameraPair:
    """Two watched cameras with the manners of one `CameraWatch`; half of a table is no picture of it."""

    first: PairPart
    second: PairPart
    make_watch: Callable[..., CameraWatch] = CameraWatch
    _watches: tuple[CameraWatch, ...] = field(init=False)
    _news: threading.Condition = field(default_factory=threading.Condition)
    _open: ExitStack = field(default_factory=ExitStack)

    def __post_init__(self) -> None:
        """Know both."""
        self._watches = tuple(
            self.make_watch(
                part.source, size_px=part.size_px, expected_fps=part.expected_fps, view=view, news=self._news
            )
            for view, part in enumerate((self.first, self.second))
        )

    @property
    def is_over(self) -> bool:
        """Whether a recording has ended."""
        return any(watch.is_over for watch in self._watches)

    def __enter__(self) -> Self:
        """Start to look."""
        for watch in self._watches:
            self._open.enter_context(watch)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop to look."""
        self._open.close()

    def next(self, timeout_s: float) -> Frame | None:
        """The earliest picture that has not been taken yet; None when none has come, or one camera sees nothing."""
        with self._news:
            self._news.wait_for(lambda: any(watch.newest_ns is not None for watch in self._watches), timeout=timeout_s)
            waiting = [watch for watch in self._watches if watch.newest_ns is not None]
            watch = min(waiting, key=lambda watch: watch.newest_ns or 0, default=self._watches[0])
            frame = watch.next(0.0)
        return None if any(each.health().is_blind for each in self._watches) else frame

    def health(self, now_ns: int | None = None) -> CameraHealth:
        """How both do: the worst of each."""
        return worst(*(watch.health(now_ns) for watch in self._watches))


def worst(one: CameraHealth, other: CameraHealth) -> CameraHealth:
    """The health of two cameras that are needed both."""
    both = (one, other)
    ill = max(both, key=lambda health: (health.is_blind, health.trouble in BLINDING, health.trouble is not None))
    ages = [health.age_s for health in both if health.age_s is not None]
    shutters = [health.shutter_ms for health in both if health.shutter_ms is not None]
    return CameraHealth(
        state=next((health.state for health in both if health.state is not LinkState.READY), LinkState.READY),
        trouble=ill.trouble,
        detail=ill.detail,
        fps=min(health.fps for health in both),
        frames=sum(health.frames for health in both),
        dropped=sum(health.dropped for health in both),
        torn=sum(health.torn for health in both),
        opened=sum(health.opened for health in both),
        age_s=max(ages) if len(ages) == len(both) else None,
        shutter_ms=max(shutters, default=None),
        must_restart=any(health.must_restart for health in both),
    )
