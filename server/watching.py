"""Opens what a table's process looks at: a camera with its table file and sensors, or the virtual table."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import count

import cv2

from calibration.store import load_table_file
from hardware.board import WatchedBoard, keep_board
from hardware.camera import open_camera
from hardware.camera_pair import CameraPair
from hardware.camera_watch import CameraWatch
from hardware.errors import DeviceAbsentError
from hardware.eyesight import CameraHealth
from hardware.signals import BeamState, BoardHealth, Drop, LinkState
from scoring.table import Pocket
from server.calibration_desk import CalibrationDesk
from server.eyes import open_eyes
from server.looking import VITALS_S, Looking, Picture, pictures_of
from server.messages import CameraFigures, Finished, Noted, Opened, Said, TableMessage, Trouble, Vitals
from server.recorder import StrokeRecorder, recorder_of
from server.table_cameras import TableCameras, desks_of
from server.table_process import TableTask
from server.virtual_table import FPS, VirtualTable

_QUIET_S = 2.0  # so long nothing must have moved on the table before the camera is looked at for drift


def watch(task: TableTask, desks: Sequence[CalibrationDesk] | None = None) -> Iterator[TableMessage]:
    """Everything that happens on a table; after the source's end only that all is well.

    `desks` see every picture too, see `desks_of`.

    Raises:
        CuemarkerError: The table file or an address is wrong: a person must see to it; or only a new process helps.
    """
    cv2.setNumThreads(1)  # every table has a process of its own; more threads only get into each other's way
    with recorder_of(task.config.id, task.evidence) as recorder:
        look = _watch_virtual if task.config.is_virtual else _watch_camera
        yield from look(task, recorder, desks_of(task) if desks is None else desks)
    yield Finished()
    while True:
        time.sleep(VITALS_S)
        yield Vitals(picture_ns=time.monotonic_ns())


def _watch_virtual(
    task: TableTask, recorder: StrokeRecorder | None, desks: Sequence[CalibrationDesk]
) -> Iterator[TableMessage]:
    """Virtual matches, one after another; one of so many strokes when the task says so.

    The table knows its own geometry; only where the hall file names a table file that is there, that is looked through.
    """
    room = VirtualTable.open(task)
    desk = desks[0]
    desk.fps = FPS
    for number in count():
        skip = task.skip if number == 0 else 0
        source = room.match(number, skip=skip, strokes=task.strokes)
        yield Opened(table=room.plan.table)
        if skip == 0:
            yield Said(what=source.start)
        path = task.config.table_file
        looking = Looking(
            pipeline=open_eyes(
                task.config, room.table_file if path is None or not path.exists() else load_table_file(path)
            ),
            poll=source.board.poll,
            listen=source.play.told_until,
            recorder=recorder,
        )
        yield from looking.messages(_shown(pictures_of(source.camera, speed=task.speed), desk))
        if task.strokes is not None:
            return


def _watch_camera(
    task: TableTask, recorder: StrokeRecorder | None, desks: Sequence[CalibrationDesk]
) -> Iterator[TableMessage]:
    """A camera with its sensors, whether they are there or not; a recording picture by picture.

    Whenever a camera has been calibrated, everything is opened anew.
    """
    config = task.config
    cameras = TableCameras.of(task, desks)
    with ExitStack() as stack:
        board = keep_board(config.sensors.url) if config.sensors is not None else None
        if board is not None:
            stack.callback(board.close)
        if config.second_camera is None and _is_file(config.source):
            assert config.table_file is not None
            table_file = load_table_file(config.table_file)
            recording = stack.enter_context(open_camera(config.source, size_px=table_file.camera.size_px))
            if not recording.is_live:
                yield Opened(table=table_file.table)
                poll = board.poll if board is not None else _no_sensors
                looking = Looking(pipeline=cameras.eyes_of(table_file), poll=poll, recorder=recorder)
                yield from looking.messages(_shown(pictures_of(recording), desks[0]))
                return
            recording.close()
        is_over = False
        while not is_over:
            yield from map(Noted, cameras.load())
            with cameras.camera() as camera:
                if cameras.are_calibrated:
                    yield from _follow(camera, board, recorder, cameras)
                else:
                    yield from _wait_for_calibration(camera, cameras)
                is_over = camera.is_over


def _wait_for_calibration(camera: CameraWatch | CameraPair, cameras: TableCameras) -> Iterator[TableMessage]:
    """Cameras without a table file: their pictures are for the wizard; it ends when there is a calibration."""
    told_s, picture_ns = 0.0, None
    while not camera.is_over and not cameras.take_news():
        frame = camera.next(VITALS_S)
        if frame is not None:
            picture_ns = frame.t_ns
            cameras.show(frame, camera)
        if time.monotonic() - told_s >= VITALS_S:
            told_s = time.monotonic()
            trouble, detail = _ailment(camera.health(), None, cameras) or (None, "")
            yield Vitals(picture_ns=picture_ns, trouble=trouble, detail=detail)


def _follow(
    camera: CameraWatch | CameraPair, board: WatchedBoard | None, recorder: StrokeRecorder | None, cameras: TableCameras
) -> Iterator[TableMessage]:
    """A camera that comes and goes; whenever it is back, it is looked at with fresh eyes.

    While it does not stand as it was calibrated nothing is scored. It ends when there is another calibration.

    Raises:
        DeviceAbsentError: The camera's driver hangs.
    """
    looking = _looking(camera, board, recorder, cameras)
    is_lost, opened = True, 0
    while not camera.is_over and not cameras.take_news():
        frame, health = camera.next(VITALS_S), camera.health()
        if health.must_restart:
            message = f"the camera's driver hangs, the table's process is started again ({health.detail})"
            raise DeviceAbsentError(message)
        if frame is None:
            is_lost = is_lost or health.is_blind
            yield from looking.step(None)
            continue
        cameras.show(frame, camera)
        picture = Picture(frame=frame, came_ns=frame.t_ns, dropped=health.dropped)
        is_held = cameras.trouble is not None
        if is_held:
            yield from looking.hold(picture)
        else:
            if is_lost or health.opened != opened:
                looking.begin_anew(cameras.eyes())
                yield Opened(table=looking.pipeline.table_file.table)
            for told in looking.step(picture):
                yield told
                yield from map(Noted, cameras.hear(told))
        is_lost, opened = is_held or health.is_blind, health.opened
        is_quiet = is_held or looking.quiet_s > _QUIET_S
        yield from map(Noted, cameras.look_for_drift(frame, looking.pipeline, is_quiet=is_quiet))
    if camera.is_over:
        yield from looking.finish()


def _looking(
    camera: CameraWatch | CameraPair, board: WatchedBoard | None, recorder: StrokeRecorder | None, cameras: TableCameras
) -> Looking:
    """Vision at work on these cameras, with what it is told of the devices."""

    def ailment() -> tuple[Trouble, str] | None:
        now_ns = time.monotonic_ns()
        return _ailment(camera.health(now_ns), None if board is None else board.health(now_ns), cameras)

    def figures() -> CameraFigures:
        health = camera.health()
        return CameraFigures(fps=health.fps, torn=health.torn, opened=health.opened, shutter_ms=health.shutter_ms)

    def deaf() -> frozenset[Pocket]:
        return frozenset() if board is None else board.health(time.monotonic_ns()).deaf

    if recorder is not None and isinstance(camera, CameraWatch):
        recorder.coded = lambda: camera.ring
    poll = _no_sensors if board is None else lambda _: board.poll(time.monotonic_ns())
    return Looking(pipeline=cameras.eyes(), poll=poll, ailment=ailment, figures=figures, deaf=deaf, recorder=recorder)


def _shown(pictures: Iterable[Picture], desk: CalibrationDesk) -> Iterator[Picture]:
    """The same pictures; the wizard sees them too."""
    for picture in pictures:
        desk.see(picture.frame)
        yield picture


def _ailment(camera: CameraHealth, board: BoardHealth | None, cameras: TableCameras) -> tuple[Trouble, str] | None:
    """What the staff should know of the devices, the worst first; sensors that start are no trouble yet."""
    if camera.is_blind:
        return "no_picture" if camera.trouble else "starting", camera.detail
    if cameras.trouble is not None:
        return cameras.trouble
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
