"""Ending tasks for good, and the whole program when it is told to."""

import asyncio
import contextlib
import signal
from typing import Any

_PATIENCE_S = 1.0


async def ended(task: asyncio.Task[Any]) -> None:
    """Cancel a task and wait until it has ended; it is told again when a library in it takes no notice."""
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=_PATIENCE_S)


async def cancelled(task: asyncio.Task[None]) -> None:
    """End a task; a failure of its own is raised."""
    await ended(task)
    if not task.cancelled():
        task.result()


def stop_signal() -> asyncio.Event:
    """What SIGINT or SIGTERM to this program sets, from now on."""
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows has only KeyboardInterrupt
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    return stopped
