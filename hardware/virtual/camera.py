"""The virtual table as a camera: it renders what a scene shows, in real time or as fast as it is read.

It is opened only when somebody asks for it by name, and its pictures say that they are virtual.
"""

import math
import re
from typing import Protocol, Self

from calibration.camera import CameraModel
from hardware.camera import is_on, split_options
from hardware.cameras.pacing import Pacer
from hardware.errors import DeviceAbsentError, DeviceMisconfiguredError
from hardware.frame import Frame
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.mishaps import make_mishaps
from hardware.virtual.picture import Look, make_look, make_view
from hardware.virtual.picture.film import Film
from hardware.virtual.picture.light import Codes
from hardware.virtual.scene import Scene
from hardware.virtual.shutter import Shutter
from scoring.table import Table

_OPTIONS = frozenset({"seed", "difficulty", "strokes", "realtime", "length", "width", "size"})
_SIZE = re.compile(r"([1-9][0-9]{2,3})x([1-9][0-9]{2,3})")


def open_camera(address: str) -> "VirtualCamera":
    """Open `GAME?seed=1&difficulty=easy&strokes=3&realtime=1&length=2840&width=1420&size=1280x720`."""
    from hardware.virtual.match import MatchPlan, VirtualMatch  # noqa: PLC0415 # only this way of opening needs a match
    from hardware.virtual.timeline import Timeline  # noqa: PLC0415

    game, options = split_options(address, _OPTIONS)
    try:
        seed, strokes = int(options.get("seed", "0")), int(options.get("strokes", "3"))
        difficulty = Difficulty(options.get("difficulty", "easy"))
        table = Table(length_mm=float(options.get("length", "2840")), width_mm=float(options.get("width", "1420")))
    except ValueError as error:
        message = f"the virtual table cannot be set up as virtual:{address}: {error}"
        raise DeviceMisconfiguredError(message) from error
    if strokes < 1 or seed < 0:
        message = f"virtual:{address} needs at least one stroke and a seed that is not negative"
        raise DeviceMisconfiguredError(message)
    size = _SIZE.fullmatch(options.get("size", "1280x720"))
    if size is None:
        message = f"virtual:{address} has a picture size that makes no sense; write size=1280x720"
        raise DeviceMisconfiguredError(message)
    match = VirtualMatch(MatchPlan(game=game, seed=seed, difficulty=difficulty, table=table))
    scene = Timeline.of(episode for _, episode in zip(range(strokes), match, strict=False))
    look = make_look(seed, difficulty, length_mm=table.length_mm, width_mm=table.width_mm)
    camera = make_view(table, seed, difficulty, (int(size[1]), int(size[2])))
    film = Film(table, camera, look, make_mishaps(seed, difficulty, scene.duration_s, len(look.lamps)))
    return VirtualCamera(film, scene, pacer=Pacer() if is_on(options, "realtime") else None)


class Picturing(Protocol):
    """What makes pictures of scenes: a Renderer, or a Film in which things befall the camera."""

    @property
    def look(self) -> Look:
        """The hall's look."""

    @property
    def camera(self) -> CameraModel:
        """The camera at the beginning."""

    def frame(self, scene: Scene, t_s: float) -> Codes:
        """(H, W, 3) uint8 BGR, exposed in the middle at `t_s`."""


class VirtualCamera:
    """Films a scene: frame k is exposed around k / fps seconds of it.

    Without a pacer `t_ns` counts from 0 and every frame comes. With one, `t_ns` runs on its clock from the first
    `read` (at its speed), and frames that nobody reads in time are dropped.
    Frames that the look's camera loses do not come at all.
    """

    def __init__(
        self, renderer: Picturing, scene: Scene, *, fps: float | None = None, pacer: Pacer | None = None
    ) -> None:
        self._renderer, self._scene, self._pacer = renderer, scene, pacer
        self._fps = renderer.look.fps if fps is None else fps
        if not 0 < self._fps < 1000:
            message = f"a virtual camera takes more than 0 and fewer than 1000 frames per second, not {self._fps:g}"
            raise DeviceMisconfiguredError(message)
        self._shutter = Shutter.of(renderer.look, self._fps)
        self._next = 0
        self._is_open = True

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height."""
        return self._renderer.camera.size_px

    @property
    def fps(self) -> float:
        """Frames per second of the scene."""
        return self._fps

    @property
    def is_live(self) -> bool:
        """Whether it runs in real time."""
        return self._pacer is not None

    def __enter__(self) -> Self:
        """The camera itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def close(self) -> None:
        """Stop filming."""
        self._is_open = False

    def read(self) -> Frame | None:
        """The next frame, rendered now; None when the scene is over."""
        if not self._is_open:
            message = "the virtual camera has been closed; open it again"
            raise DeviceAbsentError(message)
        start_ns = 0
        if self._pacer is not None:
            start_ns = self._pacer.start_ns
            due = math.floor(self._pacer.elapsed_ns() * self._fps / 1e9)
            self._next = max(self._next, due)
        while self._shutter.is_dropped(self._next):
            self._next += 1
        index, t_s = self._next, self._next / self._fps
        if t_s >= self._scene.duration_s:
            return None
        pixels = self._renderer.frame(self._scene, self._shutter.seen_s(index))
        if self._pacer is not None:
            self._pacer.wait_for(round(t_s * 1e9))
        self._next += 1
        return Frame(t_ns=start_ns + round(t_s * 1e9), index=index, pixels=pixels)
