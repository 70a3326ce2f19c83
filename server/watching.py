"""Opens what a table's process looks at: a camera with its table file and sensors, or the virtual table."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count

import cv2

from calibration.store import load_table_file
from hardware.board import WatchedBoard, keep_board
from hardware.camera import open_camera
from hardware.camera_watch import CameraWatch
from hardware.errors import DeviceAbsentError
from hardware.eyesight import CameraHealth
from hardware.signals import BeamState, BoardHealth, Drop, LinkState
from scoring.games import game_named
from server.looking import VITALS_S, Looking, Picture, pictures_of
from server.messages import Finished, Opened, Said, TableMessage, Trouble, Vitals
from server.recorder import StrokeRecorder, recorder_of
from server.table_process import TableTask
from server.virtual_table import VirtualTable
from vision.pipeline import Pipeline


def watch(task: TableTask) -> Iterator[TableMessage]:
    """Everything that happens on a table; after the source's end only that all is well.

    Raises:
        CuemarkerError: The table file or an address is wrong: a person must see to it; or only a new process helps.
    """
    cv2.setNumThreads(1)  # every table has a process of its own; more threads only get into each other's way
    with recorder_of(task.config.id, task.evidence) as recorder:
        yield from (_watch_virtual if task.config.is_virtual else _watch_camera)(task, recorder)
    yield Finished()
    while True:
        time.sleep(VITALS_S)
        yield Vitals(picture_ns=time.monotonic_ns())


def _watch_virtual(task: TableTask, recorder: StrokeRecorder | None) -> Iterator[TableMessage]:
    """Virtual matches, one after another; one of so many strokes when the task says so."""
    room = VirtualTable.open(task)
    for number in count():
        skip = task.skip if number == 0 else 0
        source = room.match(number, skip=skip, strokes=task.strokes)
        yield Opened(table=room.plan.table)
        if skip == 0:
            yield Said(what=source.start)
        looking = Looking(
            pipeline=Pipeline(room.table_file),
            poll=source.board.poll,
            listen=source.play.told_until,
            recorder=recorder,
        )
        yield from looking.messages(pictures_of(source.camera, speed=task.speed))
        if task.strokes is not None:
            return


def _watch_camera(task: TableTask, recorder: StrokeRecorder | None) -> Iterator[TableMessage]:
    """A camera with its sensors, whether they are there or not; a recording picture by picture."""
    config = task.config
    assert config.table_file is not None
    table_file = load_table_file(config.table_file)
    balls = game_named(task.game or config.default.game).balls

    def eyes() -> Pipeline:
        return Pipeline(table_file, balls=balls)

    with ExitStack() as stack:
        board = keep_board(config.sensors.url) if config.sensors is not None else None
        if board is not None:
            stack.callback(board.close)
        if _is_file(config.source):
            recording = stack.enter_context(open_camera(config.source, size_px=table_file.camera.size_px))
            if not recording.is_live:
                yield Opened(table=table_file.table)
                poll = board.poll if board is not None else _no_sensors
                looking = Looking(pipeline=eyes(), poll=poll, recorder=recorder)
                yield from looking.messages(pictures_of(recording))
                return
            recording.close()
        camera = CameraWatch(config.source, size_px=table_file.camera.size_px, expected_fps=table_file.fps)
        yield from _follow(stack.enter_context(camera), board, eyes, recorder)


def _follow(
    camera: CameraWatch,
    board: WatchedBoard | None,
    eyes: Callable[[], Pipeline],
    recorder: StrokeRecorder | None,
) -> Iterator[TableMessage]:
    """A camera that comes and goes; whenever it is back, it is looked at with fresh eyes.

    Raises:
        DeviceAbsentError: The camera's driver hangs.
    """

    def ailment() -> tuple[Trouble, str] | None:
        now_ns = time.monotonic_ns()
        return _ailment(camera.health(now_ns), None if board is None else board.health(now_ns))

    poll = _no_sensors if board is None else lambda _: board.poll(time.monotonic_ns())
    looking = Looking(pipeline=eyes(), poll=poll, ailment=ailment, recorder=recorder)
    is_lost, opened = True, 0
    while not camera.is_over:
        frame, health = camera.next(VITALS_S), camera.health()
        if health.must_restart:
            message = f"the camera's driver hangs, the table's process is started again ({health.detail})"
            raise DeviceAbsentError(message)
        if frame is None:
            is_lost = is_lost or health.is_blind
            yield from looking.step(None)
            continue
        if is_lost or health.opened != opened:
            looking.begin_anew(eyes())
            yield Opened(table=looking.pipeline.table_file.table)
        is_lost, opened = health.is_blind, health.opened
        yield from looking.step(Picture(frame=frame, came_ns=frame.t_ns, dropped=health.dropped))
    yield from looking.finish()


def _ailment(camera: CameraHealth, board: BoardHealth | None) -> tuple[Trouble, str] | None:
    """What the staff should know of the devices, the worst first; sensors that start are no trouble yet."""
    if camera.is_blind:
        return "no_picture" if camera.trouble else "starting", camera.detail
    if board is not None and board.state is not LinkState.OPENING:
        is_ill = any(not beam.state.is_well and beam.state is not BeamState.UNKNOWN for beam in board.beams)
        if board.state is not LinkState.READY or is_ill:
            return "sensors_lost", board.detail
    return ("camera_rate", camera.detail) if camera.trouble else None


def _is_file(source: str) -> bool:
    return source.startswith(("file:", "image:")) or (":" not in source and not source.startswith("/dev/"))


def _no_sensors(now_ns: int) -> list[Drop]:
    """What pockets without sensors say."""
    del now_ns
    return []
