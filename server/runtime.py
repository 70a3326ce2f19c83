"""Runs an open hall as a web server until somebody stops it or its sources end."""

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Callable, Iterator, Sequence

import uvicorn

from server.api import make_app
from server.compose import Hall, open_hall
from server.config import HallConfig
from server.errors import ServerError
from server.table_process import TableTask

_GRACE_S = 2
_LAST_LOOK_S = 2.0  # people may read the last score before the page goes grey
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
) -> None:
    """Serve a hall until SIGINT or SIGTERM, or until its sources end."""
    with contextlib.closing(listening):
        asyncio.run(_serve(config, listening, tasks, until_finished=until_finished, when_open=when_open))


class _Server(uvicorn.Server):
    """A web server that leaves signals to us, so that the hall is closed in order."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


async def _serve(
    config: HallConfig,
    listening: socket.socket,
    tasks: Sequence[TableTask],
    *,
    until_finished: bool,
    when_open: Callable[[Hall], None] | None,
) -> None:
    async with open_hall(config, tasks) as hall:
        web = _Server(
            uvicorn.Config(
                make_app(hall.hub),
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=_GRACE_S,
                limit_concurrency=1000,
                ws_max_size=64 * 1024,
            )
        )
        stopped = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError):  # Windows has only KeyboardInterrupt
                asyncio.get_running_loop().add_signal_handler(number, stopped.set)
        serving = asyncio.create_task(web.serve(sockets=[listening]), name="web server")
        if when_open is not None:
            when_open(hall)
        waits = [asyncio.create_task(stopped.wait()), serving]
        if until_finished:
            waits.append(asyncio.create_task(_finished(hall)))
        done, pending = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        web.should_exit = True
        for wait in pending - {serving}:
            wait.cancel()
        await serving
        for task in done:
            task.result()


async def _finished(hall: Hall) -> None:
    await hall.finished.wait()
    await asyncio.sleep(_LAST_LOOK_S)
