"""Opens what a table's process looks at: a camera with its table file and sensors, or the virtual table."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count

import cv2

from calibration.store import load_table_file
from hardware.board import open_board
from hardware.camera import open_camera
from hardware.errors import DeviceMisconfiguredError, HardwareError
from hardware.signals import Drop
from scoring.games import game_named
from server.looking import VITALS_S, Grabber, Looking, pictures_of
from server.messages import Finished, Opened, Said, TableMessage, Vitals
from server.table_process import TableTask
from server.virtual_table import VirtualTable
from vision.pipeline import Pipeline

_RETRIES_S = (1.0, 2.0, 5.0, 10.0)


def watch(task: TableTask) -> Iterator[TableMessage]:
    """Everything that happens on a table; after the source's end only that all is well.

    Raises:
        CuemarkerError: The table file or an address is wrong: a person must see to it.
    """
    cv2.setNumThreads(1)  # every table has a process of its own; more threads only get into each other's way
    yield from _watch_virtual(task) if task.config.is_virtual else _watch_camera(task)
    yield Finished()
    while True:
        time.sleep(VITALS_S)
        yield Vitals(picture_ns=time.monotonic_ns())


def _watch_virtual(task: TableTask) -> Iterator[TableMessage]:
    """Virtual matches, one after another; one of so many strokes when the task says so."""
    room = VirtualTable.open(task)
    for number in count():
        skip = task.skip if number == 0 else 0
        source = room.match(number, skip=skip, strokes=task.strokes)
        yield Opened(table=room.plan.table)
        if skip == 0:
            yield Said(what=source.start)
        looking = Looking(pipeline=Pipeline(room.table_file), poll=source.board.poll, listen=source.play.told_until)
        yield from looking.messages(pictures_of(source.camera, speed=task.speed))
        if task.strokes is not None:
            return


def _watch_camera(task: TableTask) -> Iterator[TableMessage]:
    """A camera: opened again, with fresh eyes, whenever it has gone."""
    config = task.config
    assert config.table_file is not None
    table_file = load_table_file(config.table_file)
    balls = game_named(task.game or config.default.game).balls
    for attempt in count():
        try:
            with ExitStack() as stack:
                camera = stack.enter_context(open_camera(config.source, size_px=table_file.camera.size_px))
                poll = _no_sensors
                if config.sensors is not None:
                    board = open_board(config.sensors.url)
                    stack.callback(board.close)
                    poll = board.poll
                grabber = stack.enter_context(Grabber(camera)) if camera.is_live else None
                yield Opened(table=table_file.table)
                looking = Looking(pipeline=Pipeline(table_file, balls=balls), poll=poll)
                yield from looking.messages(grabber.pictures() if grabber else pictures_of(camera))
                return
        except DeviceMisconfiguredError:
            raise
        except HardwareError as error:
            until_s = time.monotonic() + _RETRIES_S[min(attempt, len(_RETRIES_S) - 1)]
            while time.monotonic() < until_s:
                yield Vitals(picture_ns=None, trouble="no_picture", detail=str(error))
                time.sleep(VITALS_S)


def _no_sensors(now_ns: int) -> list[Drop]:
    """What pockets without sensors say."""
    del now_ns
    return []
