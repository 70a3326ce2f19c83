"""The wizard's end in a table's process: it keeps the newest pictures, measures in a thread, stores what was measured.

The process that owns the camera measures too, so that whole pictures never leave it; vision goes on meanwhile.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np

from calibration.ball_check import BallCheck, check_ball
from calibration.ball_colours import ColoursError, learn_colours
from calibration.cloth import Picture
from calibration.cushion_check import InPlay
from calibration.errors import CalibrationError, TableFileError
from calibration.finder import still_picture
from calibration.history import earlier_calibrations, restore_calibration
from calibration.procedure import Calibration
from calibration.resting_balls import resting_balls
from calibration.store import load_table_file
from calibration.table_file import BallSet
from calibration.viewing import timing_doubts
from hardware.cameras.controls import CameraLock, lock_source
from hardware.frame import Frame
from scoring.table import Table
from server.calibrating import Request, as_table_file, measured, store, with_lock
from server.calibration_orders import (
    Answer,
    CalibrationState,
    CheckBall,
    Doing,
    LearnColours,
    Measure,
    Order,
    Refused,
    Restore,
    Save,
    Still,
    Stored,
    TakeStill,
    TellState,
)
from server.calibration_proposal import proposal_of
from server.errors import Refusal

_PICTURES, _EVERY_S = 10, 0.2  # of which the median is taken
_PATIENCE_S = 4.0  # for the next picture
_KEPT_STILLS = 6
_QUALITY = 80


@dataclass(slots=True, kw_only=True, eq=False)
class CalibrationDesk:
    """Calibrates one camera. `see` and `take_news` belong to the thread that watches, `answer` to the one that listens.

    `address` opens the camera, `source` says so in the table file; `path` is where that lies, None when there is none;
    `usual` is the table that is offered first.
    """

    name: str
    address: str
    source: str
    path: Path | None
    ball_set: BallSet
    usual: Table
    views: int = 1
    fps: float = 0.0  # what the camera promises
    in_play: InPlay | None = None  # what balls against cushions say of the calibration in service
    sleep: Callable[[float], None] = time.sleep
    _newest: Frame | None = None
    _came_s: float = 0.0
    _work: threading.Thread | None = None
    _doing: Doing = ""
    _failed: Doing = ""
    _failure: str = ""
    _request: Request | None = None
    _result: Calibration | None = None
    _lock: CameraLock = field(default_factory=CameraLock)
    _checks: tuple[BallCheck, ...] = ()
    _stills: list[Picture] = field(default_factory=list)
    _is_saved: bool = False
    _has_news: threading.Event = field(default_factory=threading.Event)
    _disk: tuple[int, tuple[Stored, ...]] = (-1, ())  # what lay on disk when the table file had this time

    def see(self, frame: Frame) -> None:
        """A picture of the camera."""
        self._newest, self._came_s = frame, time.monotonic()

    def take_news(self) -> bool:
        """Whether another calibration lies on disk since the last call."""
        has_news = self._has_news.is_set()
        self._has_news.clear()
        return has_news

    def answer(self, order: Order) -> Answer:
        """Carry out an order, or begin to."""
        answer: Answer
        match order:
            case TellState():
                answer = self._state()
            case TakeStill(most_px=most_px):
                answer = self._still(most_px)
            case Measure():
                answer = self._begin("measure", lambda: self._measure(order))
            case LearnColours() if self._result is not None:
                answer = self._begin("colours", self._learn_colours)
            case CheckBall() if self._result is not None:
                answer = self._begin("ball", lambda: self._check(order))
            case Save() if self._result is not None:
                answer = self._save()
            case Restore(number=number) if self.path is not None:
                answer = self._restore(self.path, number)
            case _:
                answer = Refused(refusal=Refusal.NOT_MEASURED)
        return answer

    def wait(self) -> None:
        """Wait until what is being done is done."""
        if self._work is not None:
            self._work.join()

    def _state(self) -> CalibrationState:
        newest, result = self._newest, self._result
        return CalibrationState(
            size_px=None if newest is None else newest.size_px,
            age_s=None if newest is None else time.monotonic() - self._came_s,
            views=self.views,
            doing=self._doing,
            failed=self._failed,
            failure=self._failure,
            proposal=None if result is None else proposal_of(result, self._timing_doubts(result)),
            checks=self._checks,
            is_saved=self._is_saved,
            can_save=self.path is not None,
            stored=() if self.path is None else self._stored(self.path),
            usual=self.usual,
            in_play=self.in_play,
        )

    def _stored(self, path: Path) -> tuple[Stored, ...]:
        time_ns = path.stat().st_mtime_ns if path.exists() else 0
        if self._disk[0] != time_ns:
            self._disk = (time_ns, _stored(path))
        return self._disk[1]

    def _timing_doubts(self, result: Calibration) -> tuple[str, ...]:
        return timing_doubts(self.fps, self._lock.exposure_ms, result.fit.table)

    def _still(self, most_px: int) -> Answer:
        newest = self._newest
        if newest is None or time.monotonic() - self._came_s > _PATIENCE_S:
            return Refused(refusal=Refusal.NO_PICTURE)
        picture = newest.pixels
        scale = min(1.0, most_px / picture.shape[1])
        if scale < 1:
            picture = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)  # type: ignore[assignment] # the stubs forget the dtype
        return Still(jpeg=cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1].tobytes())

    def _begin(self, doing: Doing, work: Callable[[], None]) -> Answer:
        """Start a thread that does one thing; there is one at a time."""
        if self._doing:
            return Refused(refusal=Refusal.CALIBRATING)
        self._doing, self._failed, self._failure = doing, "", ""

        def run() -> None:
            try:
                work()
            except CalibrationError as error:
                self._failed, self._failure = doing, str(error)
            finally:
                self._doing = ""

        self._work = threading.Thread(target=run, name=f"calibration: {doing}", daemon=True)
        self._work.start()
        return self._state()

    def _collected(self) -> list[Picture]:
        """Pictures of the next seconds."""
        pictures: list[Picture] = []
        last, since_s = self._newest, time.monotonic()
        while len(pictures) < _PICTURES:
            self.sleep(_EVERY_S)
            newest = self._newest
            if newest is not None and newest is not last:
                pictures.append(newest.pixels)
                last, since_s = newest, time.monotonic()
            elif time.monotonic() - since_s > _PATIENCE_S:
                message = f"no picture comes from the camera {self.name}: check its power and cable"
                raise CalibrationError(message)
        if len({picture.shape for picture in pictures}) > 1:
            message = f"the camera {self.name} has changed its resolution just now: measure again"
            raise CalibrationError(message)
        return pictures

    def _measure(self, order: Measure) -> None:
        corners = None if order.corners_px is None else np.array(order.corners_px, dtype=np.float64)
        self._request = Request(
            source=self.source,
            table=order.table,
            pockets=order.pockets,
            house=order.house,
            ball_set=self.ball_set,
            name=self.name,
            corners_px=corners,
        )
        self._result, self._checks, self._is_saved = None, (), False
        self._lock = lock_source(self.address)
        self._result = measured(self._request, self._collected())
        self._keep(self._result.found.picture)

    def _learn_colours(self) -> None:
        result = self._result
        assert result is not None
        still = self._fitting_still(result)
        balls = resting_balls(still, result.fit.camera, result.fit.table, result.found.area)
        try:
            learnt = learn_colours(balls, self.ball_set)
        except ColoursError as error:
            self._result = replace(result, colours_refusal=str(error))
            raise
        self._result, self._is_saved = replace(result, balls=balls, colours=learnt, colours_refusal=""), False
        self._keep(still)

    def _check(self, order: CheckBall) -> None:
        result = self._result
        assert result is not None
        still = self._fitting_still(result)
        seen = check_ball(still, self._stills, result.fit.camera, result.fit.table, order.place)
        self._keep(still)
        if seen is None:
            message = f"no ball has come to {order.place}: put one there, take the hand away, and look again"
            raise CalibrationError(message)
        self._checks = (*(check for check in self._checks if check.place != order.place), seen)

    def _fitting_still(self, result: Calibration) -> Picture:
        still = still_picture(self._collected())
        if still.shape != result.found.picture.shape:
            message = f"the camera {self.name} has changed its resolution: measure again"
            raise CalibrationError(message)
        return still

    def _keep(self, still: Picture) -> None:
        self._stills = [*self._stills, still][-_KEPT_STILLS:]

    def _save(self) -> Answer:
        assert self._result is not None
        assert self._request is not None
        if self.path is None:
            return Refused(refusal=Refusal.NO_TABLE_FILE)
        if self._doing:
            return Refused(refusal=Refusal.CALIBRATING)
        if self._result.certificate.verdict == "refuse":
            return Refused(refusal=Refusal.NOT_GOOD_ENOUGH)
        try:
            store(with_lock(as_table_file(self._request, self._result, self.fps), self._lock), self.path)
        except CalibrationError as error:
            self._failed, self._failure = "", str(error)
            return Refused(refusal=Refusal.NOT_STORED)
        self._is_saved = True
        self._has_news.set()
        return self._state()

    def _restore(self, path: Path, number: int) -> Answer:
        try:
            restore_calibration(path, number)
        except TableFileError:
            return Refused(refusal=Refusal.NO_CALIBRATION)
        self._has_news.set()
        return self._state()


def answer_of(desks: Sequence[CalibrationDesk], view: int, order: Order) -> Answer:
    """The answer of a table's process; a table whose events are played back has no camera to calibrate."""
    return desks[view].answer(order) if 0 <= view < len(desks) else Refused(refusal=Refusal.NO_CAMERA)


def _stored(path: Path) -> tuple[Stored, ...]:
    """What lies on disk: the present calibration, if it can be read, and the earlier ones."""
    stored = []
    try:
        present = load_table_file(path)
        stored.append(Stored(number=0, table=present.table, certificate=present.certificate))
    except TableFileError:
        pass  # there is none yet
    stored += [
        Stored(number=each.number, table=each.table_file.table, certificate=each.table_file.certificate)
        for each in earlier_calibrations(path)
    ]
    return tuple(stored)
