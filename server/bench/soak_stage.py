"""What a soak watches: a virtual table behind a network camera, a sensor board on a terminal, and how they fail."""

import contextlib
import math
import os
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

import cv2
import numpy as np

from calibration.store import save_table_file
from calibration.table_file import BallSet
from hardware.virtual.board import MANNERS, VirtualSensors
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.physics import CueStroke, Motion, simulate
from hardware.virtual.picture import Renderer, make_look, make_view, true_table_file
from hardware.virtual.scene import Instant
from hardware.virtual.streaming import MjpegServer
from hardware.virtual.terminal import VirtualTerminal
from scoring.balls import FIVE_BALL_SET, RED_1, RED_2, WHITE_1, WHITE_2, YELLOW
from scoring.events import Potted
from scoring.table import Point, Table
from server.config import SensorConfig, TableConfig
from server.messages import Trouble

_SIZE_PX, _FPS = (640, 360), 12.5  # what a busy machine still looks at
_STILLS = 12  # pictures of resting balls that differ by noise
_LEAD_S, _TAIL_S = 0.2, 0.4

_TABLE = Table(length_mm=2840.0, width_mm=1420.0)
_LAYOUT = {
    WHITE_1: Point(1420.0, -150.0),
    YELLOW: Point(1420.0, 350.0),
    RED_1: Point(700.0, 300.0),
    RED_2: Point(2200.0, -300.0),
    WHITE_2: Point(2400.0, 200.0),
}
_STROKE = CueStroke(ball=WHITE_1, speed_mm_s=1000.0, direction_rad=math.pi / 2, top=-0.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something that fails, and what the table's process should call it."""

    name: str
    trouble: Trouble


_BLIND: Trouble = "no_picture"
_DEAF: Trouble = "sensors_lost"
_RATE: Trouble = "camera_rate"
FAULTS = (
    Fault(name="cut", trouble=_BLIND),
    Fault(name="half-open", trouble=_BLIND),
    Fault(name="sensors unplugged", trouble=_DEAF),
    Fault(name="frozen", trouble=_BLIND),
    Fault(name="black", trouble=_BLIND),
    Fault(name="sensors silent", trouble=_DEAF),
    Fault(name="wrong size", trouble=_BLIND),
    Fault(name="slow", trouble=_RATE),
    Fault(name="sensors babble", trouble=_DEAF),
    Fault(name="flood", trouble=_RATE),
)


class _Scene:
    """One stroke that pots the yellow ball into a middle pocket."""

    table = _TABLE

    def __init__(self, motion: Motion) -> None:
        self.motion = motion
        self.duration_s = _LEAD_S + motion.duration_s + _TAIL_S

    def at(self, t_s: float) -> Instant:
        poses = (self.motion.pose(ball, t_s - _LEAD_S) for ball in self.motion.balls)
        return Instant(balls=tuple(pose for pose in poses if pose is not None))


@dataclass(slots=True)
class SoakStage:
    """The table: its hall-file entry, its pictures, its faults. A context manager; `step` moves the sensors' time."""

    folder: Path
    faults: tuple[Fault, ...] = FAULTS
    config: TableConfig = field(init=False)
    _camera: MjpegServer = field(init=False)
    _stills: list[bytes] = field(init=False)
    _stroke: list[bytes] = field(init=False)
    _after: list[bytes] = field(init=False)
    _pot: Potted = field(init=False)
    _terminal: VirtualTerminal | None = None
    _is_silent: bool = False
    _babbles: bool = False
    _began_s: float = 0.0
    _plugs: int = 0

    def __enter__(self) -> Self:
        """Film the stroke, begin to send."""
        look = make_look(5, Difficulty.EASY, length_mm=_TABLE.length_mm, width_mm=_TABLE.width_mm)
        view = make_view(_TABLE, 5, Difficulty.EASY, _SIZE_PX)
        renderer = Renderer(_TABLE, view, look)
        colours = {ball.colour: renderer.colour_of(ball) for ball in FIVE_BALL_SET}
        table_file = true_table_file(_TABLE, view, look)
        table_file = replace(table_file, fps=_FPS, ball_set=BallSet(balls=FIVE_BALL_SET, colours=colours))
        save_table_file(table_file, self.folder / "table.toml")
        motion = simulate(_TABLE, _LAYOUT, _STROKE)
        (self._pot,) = (event for event in motion.events if isinstance(event, Potted))
        scene = _Scene(motion)
        count = int(scene.duration_s * _FPS)
        self._stills = [_jpeg(renderer.still(scene.at(0.0), index / 7)) for index in range(_STILLS)]
        self._stroke = [_jpeg(renderer.frame(scene, index / _FPS)) for index in range(count)]
        self._after = [_jpeg(renderer.still(scene.at(scene.duration_s), index / 7)) for index in range(_STILLS)]
        self._camera = MjpegServer(self._stills, fps=_FPS)
        self.plug_in()
        self.config = TableConfig(
            id="soak",
            name="Soak",
            source=self._camera.address,
            table_file=self.folder / "table.toml",
            sensors=SensorConfig(url=str(self._port)),
        )
        return self

    def __exit__(self, *_: object) -> None:
        """End everything."""
        self._camera.close()
        self.pull_out()

    @property
    def balls(self) -> int:
        """How many balls lie on the table before the stroke."""
        return len(_LAYOUT)

    @property
    def _port(self) -> Path:
        """The board's name, which stays when its device is another one."""
        return self.folder / "cuemarker-board"

    def plug_in(self) -> None:
        """The board starts, on a new device."""
        self._plugs += 1
        sensors = VirtualSensors(MANNERS[Difficulty.EASY], np.random.default_rng(self._plugs))
        self._terminal, self._began_s = VirtualTerminal(sensors), time.monotonic()
        self._port.symlink_to(self._terminal.path)

    def pull_out(self) -> None:
        """The board goes."""
        terminal, self._terminal = self._terminal, None
        if terminal is not None:
            self._port.unlink()
            terminal.close()

    def step(self) -> None:
        """Let the board say what is due."""
        if self._terminal is None or self._is_silent:
            return
        if self._babbles:
            with contextlib.suppress(BlockingIOError):
                os.write(self._terminal.master, os.urandom(64))
            return
        self._terminal.run_until(time.monotonic() - self._began_s)

    def play(self) -> None:
        """Play the stroke; afterwards the balls lie where they came to rest."""
        assert self._terminal is not None
        self._camera.play(self._stroke)
        self._camera.pictures = self._after
        now_s = time.monotonic() - self._began_s
        self._terminal.sensors.tell([replace(self._pot, t_s=now_s + _LEAD_S + self._pot.t_s)])

    def cut_for_a_moment(self) -> None:
        """The connection is lost and at once there again; the balls are put back meanwhile."""
        self._camera.cut()
        self._camera.pictures = self._stills
        self._camera.come_back()

    def begin(self, fault: Fault) -> None:
        """Something fails."""
        match fault.name:
            case "sensors unplugged":
                self.pull_out()
            case "sensors silent":
                self._is_silent = True
            case "sensors babble":
                self._babbles = True
            case name:
                self._begin_at_camera(name)

    def _begin_at_camera(self, name: str) -> None:
        match name:
            case "cut":
                self._camera.cut()
            case "half-open":
                self._camera.is_mute = True
            case "frozen":
                self._camera.pictures = self._after[:1]
            case "black":
                self._camera.pictures = [_jpeg(np.zeros((_SIZE_PX[1], _SIZE_PX[0], 3), np.uint8))]
            case "wrong size":
                self._camera.pictures = [_jpeg(np.full((480, 640, 3), 60 + index, np.uint8)) for index in range(20)]
            case "slow":
                self._camera.fps = 5.0
            case "flood":
                self._camera.fps = 8 * _FPS

    def end(self, fault: Fault) -> None:
        """It is put right; whoever sees nothing meanwhile puts the balls back."""
        if fault.trouble == _BLIND:
            self._camera.pictures = self._stills
        self._camera.is_mute, self._camera.fps = False, _FPS
        if fault.name == "cut":
            self._camera.come_back()
        if fault.name == "sensors unplugged":
            self.plug_in()
        self._is_silent = self._babbles = False


def _jpeg(pixels: np.ndarray) -> bytes:
    _, packed = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, 90])
    return packed.tobytes()
