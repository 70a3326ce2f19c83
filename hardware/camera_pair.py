"""Two cameras over one table as one: pictures of either as they come, while both see."""

import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from hardware.camera import Camera, open_camera
from hardware.camera_watch import CameraWatch
from hardware.eyesight import BLINDING, CameraHealth
from hardware.frame import Frame
from hardware.signals import LinkState


@dataclass(frozen=True, slots=True, kw_only=True)
class PairPart:
    """One of the two: its address, what its table file says, and what opens it."""

    source: str
    expected_fps: float = 0.0
    opener: Callable[..., Camera] = open_camera


@dataclass(slots=True)
class CameraPair:
    """Two watched cameras with the manners of one `CameraWatch`; half of a table is no picture of it.

    What they send is taken at any size: whether that is what was calibrated, others look. `watches` are in order.
    """

    first: PairPart
    second: PairPart
    watches: tuple[CameraWatch, ...] = field(init=False)
    _news: threading.Condition = field(default_factory=threading.Condition)
    _open: ExitStack = field(default_factory=ExitStack)

    def __post_init__(self) -> None:
        """Know both."""
        self.watches = tuple(
            CameraWatch(
                part.source,
                may_change=True,
                expected_fps=part.expected_fps,
                view=view,
                news=self._news,
                opener=part.opener,
            )
            for view, part in enumerate((self.first, self.second))
        )

    @property
    def is_over(self) -> bool:
        """Whether a recording has ended."""
        return any(watch.is_over for watch in self.watches)

    def __enter__(self) -> Self:
        """Start to look."""
        for watch in self.watches:
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
            self._news.wait_for(lambda: any(watch.waiting_ns is not None for watch in self.watches), timeout=timeout_s)
            waiting = [watch for watch in self.watches if watch.waiting_ns is not None]
            watch = min(waiting, key=lambda watch: watch.waiting_ns or 0, default=self.watches[0])
            frame = watch.next(0.0)
        return None if any(each.health().is_blind for each in self.watches) else frame

    def health(self, now_ns: int | None = None) -> CameraHealth:
        """How both do: the worst of each."""
        return worst(*(watch.health(now_ns) for watch in self.watches))


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
