"""Runs an open hall as a web server until somebody stops it or its sources end."""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from typing import Any

import uvicorn

from server.access import Access
from server.api import make_app
from server.compose import Hall, open_hall
from server.config import HallConfig
from server.errors import ServerError
from server.housekeeping import Housekeeping
from server.journal import Journal
from server.peer_door import PeerDoor
from server.service import keep_telling, tell
from server.standby import lead
from server.table_process import TableTask
from server.tasks import stop_signal

_GRACE_S = 2
_LAST_LOOK_S = 2.0  # people may read the last score before the page goes grey
_NOTHING = Housekeeping()
_log = logging.getLogger(__name__)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket.

    Raises:
        ServerError: The port is taken, or the address is not ours.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        message = f"cannot listen on {host} port {port} ({error.strerror}): stop what uses it, or choose another port"
        raise ServerError(message) from error
    return listening


def serve_hall(
    config: HallConfig,
    listening: socket.socket,
    *,
    tasks: Sequence[TableTask] = (),
    until_finished: bool = False,
    when_open: Callable[[Hall], None] | None = None,
    housekeeping: Housekeeping = _NOTHING,
    journal: Journal | None = None,
) -> bool:
    """Serve a hall until SIGINT or SIGTERM, or until its sources end.

    True when it is to be opened again: staff wishes so, or another server leads the hall now.
    """
    with contextlib.closing(listening):
        return asyncio.run(
            _serve(
                config,
                listening,
                open_hall(config, tasks, journal),
                until_finished=until_finished,
                when_open=when_open,
                housekeeping=housekeeping,
            )
        )


class _Server(uvicorn.Server):
    """A web server that leaves signals to us, so that the hall is closed in order."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


async def _serve(
    config: HallConfig,
    listening: socket.socket,
    opening: AbstractAsyncContextManager[Hall],
    *,
    until_finished: bool,
    when_open: Callable[[Hall], None] | None,
    housekeeping: Housekeeping,
) -> bool:
    again = asyncio.Event()
    housekeeping = replace(housekeeping, restart=again.set if housekeeping.hall_file is not None else None)
    async with opening as hall:
        access = Access(hall.hub)
        web = _Server(
            uvicorn.Config(
                make_app(hall.hub, access, housekeeping=housekeeping, evidence=hall.evidence),
                http=_door(config, access),
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=_GRACE_S,
                limit_concurrency=1000,
                ws_max_size=64 * 1024,
            )
        )
        stopped = stop_signal()
        serving = asyncio.create_task(web.serve(sockets=[listening]), name="web server")
        if when_open is not None:
            when_open(hall)
        telling = asyncio.create_task(keep_telling(lambda: _status(hall)), name="service manager")
        waits = [asyncio.create_task(stopped.wait()), asyncio.create_task(again.wait()), telling, serving]
        if config.server.peer:
            waits.append(asyncio.create_task(lead(hall.hub), name="leading"))
        if until_finished:
            waits.append(asyncio.create_task(_finished(hall)))
        done, pending = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        if hall.hub.is_superseded:
            again.set()
        if not again.is_set():
            tell("STOPPING=1")
        web.should_exit = True
        for wait in pending - {serving}:
            wait.cancel()
        await serving
        for task in done:
            task.result()
    return again.is_set() and not stopped.is_set()


def _status(hall: Hall) -> str:
    """The hall in a few words."""
    now_s = hall.hub.clock_s()
    ill = [table.config.name for table in hall.hub.tables.values() if table.live.trouble(now_s) is not None]
    if hall.hub.journal_trouble is not None:
        return f"the journal cannot be written: {hall.hub.journal_trouble}"
    return f"{len(hall.hub.tables)} tables" + (f"; not well: {', '.join(ill)}" if ill else ", all well")


def _door(config: HallConfig, access: Access) -> Any:  # noqa: ANN401 (uvicorn takes names and classes)
    """What speaks HTTP: uvicorn itself, behind a door for the hall's other servers where there are any."""
    return partial(PeerDoor, key=access.key) if config.server.peer else "auto"


async def _finished(hall: Hall) -> None:
    await hall.finished.wait()
    await asyncio.sleep(_LAST_LOOK_S)
