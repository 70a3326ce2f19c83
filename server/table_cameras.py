"""A table's cameras in service: how each of them stands, who calibrates it, and what is seen through it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from calibration.cushion_check import CushionCheck
from calibration.table_file import BallSet, TableFile
from hardware.camera_pair import CameraPair, PairPart
from hardware.camera_watch import CameraWatch
from hardware.cameras.controls import locking_opener
from hardware.errors import DeviceMisconfiguredError
from hardware.frame import Frame
from scoring.balls import Ball
from scoring.events import Rest
from scoring.games import game_named
from scoring.table import Cushion
from server.calibration_desk import CalibrationDesk
from server.config import TableConfig
from server.eyes import open_eyes
from server.frame_rate import slow_rate
from server.messages import Seen, TableMessage, Trouble
from server.standing import Standing, without_secret
from server.table_process import TableTask
from server.virtual_table import usual_table
from vision.fusion import unseen_by
from vision.pipeline import Pipeline

_NS = 1_000_000_000
_AT_LEAST_EVERY_S = 30.0  # no stroke lasts longer: what moves then is the camera


def desks_of(task: TableTask) -> tuple[CalibrationDesk, ...]:
    """Where the wizard calibrates a table's cameras, one each."""
    config = task.config
    cameras = [(config.source, config.table_file)]
    if config.second_camera is not None:
        cameras.append((config.second_camera.source, config.second_camera.table_file))
    game = task.game or config.default.game
    return tuple(
        CalibrationDesk(
            name=config.name,
            address=source,
            source=without_secret(source),
            path=path,
            ball_set=BallSet(balls=game_named(game).balls),
            usual=usual_table(game),
            views=len(cameras),
        )
        for source, path in cameras
    )


@dataclass(slots=True, kw_only=True, eq=False)
class TableCameras:
    """One camera or two, by view: their standings, and the desks at which the wizard calibrates them."""

    config: TableConfig
    standings: tuple[Standing, ...]
    desks: Sequence[CalibrationDesk]
    balls: tuple[Ball, ...]
    _looked_s: float = 0.0
    _check: CushionCheck | None = None
    _doubted: tuple[Cushion, ...] = ()

    @classmethod
    def of(cls, task: TableTask, desks: Sequence[CalibrationDesk]) -> Self:
        """Those that the hall file names."""
        config = task.config
        assert config.table_file is not None
        cameras = [(config.table_file, config.source)]
        if config.second_camera is not None:
            cameras.append((config.second_camera.table_file, config.second_camera.source))
        standings = tuple(Standing(path=path, source=source) for path, source in cameras)
        balls = game_named(task.game or config.default.game).balls
        return cls(config=config, standings=standings, desks=desks, balls=balls)

    def load(self) -> Iterator[str]:
        """Read the table files anew; lines for the log."""
        for standing in self.standings:
            if note := standing.load():
                yield note
            if standing.table_file is not None and (warning := slow_rate(standing.table_file.fps)):
                yield warning
        self._check, self._doubted = self._new_check(), ()
        for desk in self.desks:
            desk.in_play = None

    def hear(self, message: TableMessage) -> Iterator[str]:
        """Balls that have come to rest against cushions check the calibration; a line when they contradict it."""
        rests = [event for event in message.events if isinstance(event, Rest)] if isinstance(message, Seen) else []
        if self._check is None or not rests:
            return
        for rest in rests:
            self._check.see(rest.balls)
        in_play = self._check.in_play
        for desk in self.desks:
            desk.in_play = in_play
        doubted = () if in_play is None else in_play.doubted
        if in_play is not None and set(doubted) - set(self._doubted):
            errors = dict(in_play.by_cushion_mm)
            seen = ", ".join(f"the {cushion} cushion {errors[cushion]:+.1f} mm" for cushion in doubted)
            yield f"balls that lie against cushions contradict the calibration: {seen} off; calibrate again"
        self._doubted = doubted

    def _new_check(self) -> CushionCheck | None:
        """What collects balls against cushions, from now on."""
        files = [standing.table_file for standing in self.standings]
        if files[0] is None or None in files:
            return None
        certificates = [file.certificate for file in files if file is not None and file.certificate is not None]
        expected_mm: dict[Cushion, float] = {}
        for certificate in certificates:
            for cushion, error_mm in certificate.cushion_error_mm.items():
                expected_mm[cushion] = max(error_mm, expected_mm.get(cushion, 0.0))
        return CushionCheck(table=files[0].table, expected_mm=expected_mm)

    @property
    def are_calibrated(self) -> bool:
        """Whether each has a table file."""
        return all(standing.table_file is not None for standing in self.standings)

    @property
    def trouble(self) -> tuple[Trouble, str] | None:
        """Why nothing can be scored, and a line for people, which names the one of two cameras."""
        if len(self.standings) == 1:
            return self.standings[0].trouble or _half_trouble(self.standings[0].table_file)
        for standing in self.standings:
            if standing.trouble is not None:
                trouble, line = standing.trouble
                return trouble, f"camera {without_secret(standing.source)}: {line}"
        return None

    def camera(self) -> CameraWatch | CameraPair:
        """The camera, or both as one, not opened yet.

        Raises:
            DeviceMisconfiguredError: Two cameras look at different tables, or leave a gap.
        """
        if len(self.standings) == 1:  # what it sends is looked at, so that another mode can be told, and calibrated
            standing, table_file = self.standings[0], self.standings[0].table_file
            if table_file is None:
                return CameraWatch(standing.source, may_change=True)
            opener = locking_opener(table_file.controls)
            return CameraWatch(standing.source, may_change=True, expected_fps=table_file.fps, opener=opener)
        first, second = self.standings
        if first.table_file is not None and second.table_file is not None:
            _check_pair(first.table_file, second.table_file)
        return CameraPair(_part(first.source, first.table_file), _part(second.source, second.table_file))

    def eyes(self) -> Pipeline:
        """Fresh eyes behind calibrated cameras."""
        first, *others = (standing.calibrated for standing in self.standings)
        return self.eyes_of(first, others[0] if others else None)

    def eyes_of(self, table_file: TableFile, second: TableFile | None = None) -> Pipeline:
        """Fresh eyes behind these table files' cameras."""
        return open_eyes(self.config, table_file, balls=self.balls, second=second)

    def take_news(self) -> bool:
        """Whether one has been calibrated since the last call."""
        return any([desk.take_news() for desk in self.desks])  # noqa: C419 (each of them is to be asked)

    def show(self, frame: Frame, camera: CameraWatch | CameraPair) -> None:
        """A picture has come: the wizard sees it, and it tells whether it is the calibrated camera's."""
        desk = self.desks[frame.view]
        desk.see(frame)
        watch = camera.watches[frame.view] if isinstance(camera, CameraPair) else camera
        if isinstance(watch, CameraWatch):  # streams only guess their rate
            desk.fps = watch.promised_fps if watch.source.startswith(("usb:", "/dev/")) else 0.0
        self.standings[frame.view].bind(frame.size_px, desk.fps)

    def look_for_drift(self, frame: Frame, pipeline: Pipeline, *, is_quiet: bool) -> Iterator[str]:
        """Whether the camera of a picture stands where it stood; a small shift is put right at once, a line says so."""
        now_s = frame.t_ns / _NS
        if not is_quiet and now_s - self._looked_s < _AT_LEAST_EVERY_S:
            return
        self._looked_s = now_s
        standing = self.standings[frame.view]
        note, has_changed = standing.look(frame)
        if has_changed:
            pipeline.look_through(standing.calibrated.camera, frame.view)
        if note:
            yield note


def _part(source: str, table_file: TableFile | None) -> PairPart:
    if table_file is None:
        return PairPart(source=source)
    opener = locking_opener(table_file.controls)
    return PairPart(source=source, expected_fps=table_file.fps, opener=opener)


def _half_trouble(table_file: TableFile | None) -> tuple[Trouble, str] | None:
    """What is wrong with a table whose only camera sees one end of it."""
    if table_file is None or table_file.certificate is None or table_file.certificate.covered_x_mm is None:
        return None
    return "not_calibrated", (
        "the camera is calibrated for one end of the table: name the other one as second_camera in the hall file, "
        "or calibrate with the whole table in view"
    )


def _check_pair(first: TableFile, second: TableFile) -> None:
    """Two cameras look at one table.

    Raises:
        DeviceMisconfiguredError: They do not, or balls would lie where neither sees them.
    """
    if first.table != second.table:
        message = "the two cameras' table files are of different tables: calibrate both with the same measures"
        raise DeviceMisconfiguredError(message)
    if unseen := unseen_by(first, second):
        place = f"x = {unseen[0].x_mm:.0f}, y = {unseen[0].y_mm:.0f} mm"
        message = f"neither camera sees balls at {place}: turn them so that together they see the whole table"
        raise DeviceMisconfiguredError(message)
