"""Tells the service manager (systemd, Type=notify) that the hall is open and still alive."""

import asyncio
import os
import socket
from collections.abc import Callable, Mapping


def tell(*lines: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Send lines as `READY=1` to the service manager; false when there is none, or it does not listen."""
    address = environment.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")) or not hasattr(socket, "AF_UNIX"):
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as letter:
        try:
            letter.sendto("\n".join(lines).encode(), address.replace("@", "\0", 1) if address[0] == "@" else address)
        except OSError:
            return False
    return True


def beat_s(environment: Mapping[str, str] = os.environ) -> float | None:
    """How often the service manager wants to hear of us: half of its patience; None when it does not watch us."""
    patience, pid = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", "")
    if not patience.isdecimal() or int(patience) == 0 or (pid and pid != str(os.getpid())):
        return None
    return int(patience) / 2e6


async def keep_telling(status: Callable[[], str]) -> None:
    """Tell that we live, from the loop that serves everybody: when it is stuck, nothing is told."""
    tell("READY=1", f"STATUS={status()}")
    pause_s = beat_s()
    while True:
        await asyncio.sleep(pause_s or 60)
        tell("WATCHDOG=1", f"STATUS={status()}")
