"""How far a long look through a recording has come, on standard error."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn

from hardware.frame import Frame

_EVERY_S = 0.2


class FrameProgress:
    """Shows frames, their time in the recording, and frames per second."""

    def __init__(self) -> None:
        """Nothing is shown before it is entered."""
        columns = (SpinnerColumn(), TextColumn("{task.description}"))
        console = Console(stderr=True)
        self._progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)

    def __enter__(self) -> Self:
        """Begin to show."""
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop to show."""
        self._progress.stop()

    def begin(self, what: str) -> "FrameCounter":
        """A part of the work that goes through the frames."""
        return FrameCounter(self._progress, what)


class FrameCounter:
    """Counts the frames of one look."""

    def __init__(self, progress: Progress, what: str) -> None:
        """Show a line of its own."""
        self._progress, self._what = progress, what
        self._task = progress.add_task(what, total=None)
        self._began_s = self._shown_s = time.monotonic()
        self._count = 0

    def __call__(self, frame: Frame) -> None:
        """One frame is done."""
        self._count += 1
        now_s = time.monotonic()
        if now_s - self._shown_s >= _EVERY_S:
            self._shown_s = now_s
            rate = self._count / (now_s - self._began_s)
            words = f"{self._what}: {self._count} frames, {frame.t_ns * 1e-9:.1f} s, {rate:.0f} frames/s"
            self._progress.update(self._task, description=words)
