"""What runs in a table's own process: a camera and vision, or their stand-in; it talks to the hub through a pipe.

Pictures that come too fast are dropped and counted; events never are. The process dies with the hub.
"""

import ctypes
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

from scoring.errors import CuemarkerError
from server.calibration_orders import Reply
from server.config import EvidenceConfig, TableConfig
from server.logs import LogFormat, set_up_logs
from server.messages import TableMessage, Vitals
from server.replay import Replay, read_replay

if TYPE_CHECKING:  # OpenCV is not needed for a replay, nor by the hall
    from server.calibration_desk import CalibrationDesk

_PR_SET_PDEATHSIG = 1
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTask:
    """What a table's process is to do."""

    config: TableConfig
    speed: float = 1.0
    strokes: int | None = None  # a virtual match ends after so many
    game: str | None = None  # what is played, when it is not the hall file's game
    evidence: EvidenceConfig | None = None  # where clips of strokes are kept; None: nowhere
    log_format: LogFormat = "text"
    skip: int = 0  # strokes of the match that an earlier process has told: what is made up goes on there


def run_table(task: TableTask, pipe: Connection, hub_pid: int) -> None:
    """The process's entry point: tell the hub everything until it has gone or the source ends in an error."""
    for number in (signal.SIGINT, signal.SIGTERM):  # sent to the whole group; the hub decides when to stop
        signal.signal(number, signal.SIG_IGN)
    _die_with(hub_pid)
    set_up_logs(form=task.log_format)
    desks = _desks(task)
    mouth = _Mouth(pipe)
    threading.Thread(target=_listen, args=(pipe, mouth, desks), name="questions", daemon=True).start()
    try:
        for message in open_source(task, desks):
            mouth.say(message)
    except (BrokenPipeError, ConnectionResetError):
        return
    except CuemarkerError as error:
        _say_failure(pipe, str(error))
        sys.exit(1)


@dataclass(slots=True)
class _Mouth:
    """The pipe to the hub, for several threads."""

    pipe: Connection
    lock: threading.Lock = field(default_factory=threading.Lock)

    def say(self, message: TableMessage) -> None:
        """Tell the hub."""
        with self.lock:
            self.pipe.send(message)


def _desks(task: TableTask) -> "tuple[CalibrationDesk, ...]":
    """Where the wizard calibrates; a table whose events are played back has no camera."""
    if task.config.is_replay:
        return ()
    from server.table_cameras import desks_of  # noqa: PLC0415 (OpenCV is not needed for a replay)

    return desks_of(task)


def _listen(pipe: Connection, mouth: _Mouth, desks: "Sequence[CalibrationDesk]") -> None:
    """A thread's work: answer what the hub asks until it has gone."""
    try:
        while True:
            question = pipe.recv()
            from server.calibration_desk import answer_of  # noqa: PLC0415 (as above)

            mouth.say(Reply(number=question.number, answer=answer_of(desks, question.view, question.what)))
    except (EOFError, OSError):
        return


def open_source(task: TableTask, desks: "Sequence[CalibrationDesk]" = ()) -> Iterator[TableMessage]:
    """Open what the hall file calls the table's source.

    Raises:
        CuemarkerError: It cannot be opened; the message says what to do.
    """
    if task.config.is_replay:
        path = Path(task.config.source.removeprefix("events:"))
        return Replay(read_replay(path), speed=task.speed, skip=task.skip).messages()
    from server.watching import watch  # noqa: PLC0415 (OpenCV is not needed for a replay)

    return watch(task, desks)


def _say_failure(pipe: Connection, why: str) -> None:
    try:
        pipe.send(Vitals(picture_ns=None, trouble="failed", detail=why))
        time.sleep(0.2)  # let the hub read it before the pipe breaks
    except (BrokenPipeError, ConnectionResetError):
        _log.warning("nobody is left to hear: %s", why)


def _die_with(hub_pid: int) -> None:
    """Ask the system to kill this process when the hub dies, however it dies; a blocked camera must not outlive it."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != hub_pid:  # it died before we asked
            os.kill(os.getpid(), signal.SIGKILL)
