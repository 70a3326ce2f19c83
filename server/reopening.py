"""Opens a hall again after its settings were changed; settings that do not work leave it as it was."""

import logging
import socket
from pathlib import Path

from server.config import HallConfig, read_hall
from server.errors import ServerError
from server.runtime import listen

_log = logging.getLogger(__name__)


def reopened(hall_file: Path, before: HallConfig, port: int) -> tuple[HallConfig, socket.socket]:
    """The hall as its file says now, with its listening socket; `port` is where it listened.

    Raises:
        ServerError: Neither the new address nor the one before can be had.
    """
    try:
        hall = read_hall(hall_file)
        same = (hall.server.host, hall.server.port) == (before.server.host, before.server.port)
        return hall, listen(hall.server.host, port if same else hall.server.port)
    except ServerError as error:
        _log.error("the new settings do not work (%s); the hall goes on with those before", error)
    return before, listen(before.server.host, port)
