"""A camera for months: read in a thread of its own, judged by its pictures, opened again when it is lost."""

import logging
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self

from hardware.camera import Camera, open_camera
from hardware.errors import HardwareError, ProtocolError, SizeChangedError, WrongSizeError
from hardware.eyesight import BLINDING, NOTICED_S, CameraHealth, Eyesight, Trouble
from hardware.footage import FootageRing
from hardware.frame import Frame
from hardware.reconnect import BackOff, Link
from hardware.signals import LinkState
from hardware.waiting import WaitingFrames

_LOG = logging.getLogger(__name__)
_NS = 1_000_000_000
_REOPEN_S = 4.0  # a camera that is frozen or black for so long is opened again, and again
_NIGHT_S = 60.0  # a hall is dark all night: its cameras are tried less and less often
_TORN_S = 1.0  # pictures of a wrong size, or torn ones only, for so long are no camera's
_HANGS_S = 6.0  # a read or an opening that takes longer never ends
_MOST_HANGING = 2
_WAIT_S = 0.05
_SECRET = re.compile(r"//[^/@]*@")
_RECORDED = ("file:", "image:", "virtual:")


@dataclass(slots=True)
class _Reader:
    """One thread's work; a thread that hangs in a driver is left behind with its reader."""

    watch: "CameraWatch"
    link: Link[Camera]
    busy_since_ns: int | None = None
    is_stale: bool = False
    torn_since_ns: int | None = None
    base_index: int = 0

    def run(self) -> None:
        """Open, read, judge, until told to stop."""
        while not self.is_stale:
            camera = self._timed(self.link.device)
            if camera is None:
                self.watch.stopping.wait(_WAIT_S)
                continue
            if self.link.opened != self.watch.opened:
                self.watch.begin(self, camera)
            self._read(camera)
        self.link.close()

    def _timed(self, work: Callable[[int], Camera | None]) -> Camera | None:
        now_ns = self.busy_since_ns = time.monotonic_ns()
        try:
            return work(now_ns)
        finally:
            self.busy_since_ns = None

    def _read(self, camera: Camera) -> None:
        self.busy_since_ns = time.monotonic_ns()
        try:
            frame = camera.read()
        except ProtocolError as error:
            self.watch.is_size_wrong |= isinstance(error, SizeChangedError)
            self._tear(str(error))
        except HardwareError as error:
            self._lose(str(error))
        else:
            self.torn_since_ns = None
            if hopeless := self.watch.take(self, frame):
                self._lose(hopeless)
        finally:
            self.busy_since_ns = None

    def _tear(self, why: str) -> None:
        now_ns = time.monotonic_ns()
        self.watch.torn += 1
        self.torn_since_ns = self.torn_since_ns or now_ns
        if now_ns - self.torn_since_ns > _TORN_S * _NS:
            self._lose(why)

    def _lose(self, why: str) -> None:
        if not self.is_stale:
            self.link.lose(time.monotonic_ns(), why)
            self.torn_since_ns = None
            self.watch.forget()


@dataclass(slots=True)
class CameraWatch:
    """The pictures of a camera that may come and go. A context manager; `next` and `health` never raise.

    `expected_fps` is what the table was calibrated with (0: whatever comes); `size_px` as for `open_camera`, when it is
    left out the first opening decides, or with `may_change` every one. `news` is notified of every picture.
    """

    source: str
    size_px: tuple[int, int] | None = None
    may_change: bool = False
    expected_fps: float = 0.0
    view: int = 0  # 1: it is a table's second camera
    news: threading.Condition = field(default_factory=threading.Condition)
    opener: Callable[..., Camera] = open_camera
    stopping: threading.Event = field(default_factory=threading.Event)
    ring: FootageRing | None = None  # what the camera that is open sends, where that is coded well already
    opened: int = 0
    torn: int = 0
    is_size_wrong: bool = False
    promised_fps: float = 0.0  # by the camera that is open
    _eyesight: Eyesight = field(init=False)
    _reader: _Reader = field(init=False)
    _hanging: list[tuple[_Reader, threading.Thread]] = field(default_factory=list)
    _thread: threading.Thread | None = None
    _waiting: WaitingFrames = field(default_factory=WaitingFrames)
    _came_ns: int | None = None  # when the last picture came, and the last one worth looking at
    _good_ns: int | None = None
    _last_t_ns: int = -1
    _next_index: int = 0
    _read_count: int = 0
    _taken_count: int = 0
    _shutter_ms: float | None = None
    _is_over: bool = False
    _began_ns: int = 0
    _started_ns: int = 0

    def __post_init__(self) -> None:
        """Know how to judge and to open it."""
        is_recorded = self.source.startswith(_RECORDED) or (
            ":" not in self.source and not self.source.startswith("/dev/")
        )
        self._eyesight = Eyesight(expected_fps=self.expected_fps, watches_content=not is_recorded)
        self._reader = self._new_reader()

    @property
    def _name(self) -> str:
        """The source without its password."""
        return _SECRET.sub("//", self.source)

    @property
    def is_over(self) -> bool:
        """Whether a recording has ended."""
        return self._is_over and not self._waiting

    @property
    def waiting_ns(self) -> int | None:
        """The time of the picture that is taken next, if one waits."""
        return self._waiting.first_ns

    def __enter__(self) -> Self:
        """Start to look."""
        self._began_ns = time.monotonic_ns()
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop to look; a driver that hangs is left to die with the process."""
        self.stopping.set()
        self._reader.is_stale = True
        if self._thread is not None:
            self._thread.join(_HANGS_S)

    def next(self, timeout_s: float) -> Frame | None:
        """The first picture that has not been taken yet; None when none has come in time."""
        with self.news:
            self.news.wait_for(lambda: bool(self._waiting) or self._is_over, timeout=timeout_s)
            frame = self._waiting.take()
            self._taken_count += frame is not None
        self._supervise(time.monotonic_ns())
        return frame

    def health(self, now_ns: int | None = None) -> CameraHealth:
        """How the camera does at this moment."""
        now_ns = time.monotonic_ns() if now_ns is None else now_ns
        self._supervise(now_ns)
        with self.news:
            trouble, detail = self._trouble(now_ns)
            return CameraHealth(
                state=self._reader.link.state,
                trouble=trouble,
                detail=detail,
                fps=self._eyesight.fps(now_ns),
                frames=self._read_count,
                dropped=self._read_count - self._taken_count - len(self._waiting),
                torn=self.torn,
                opened=self.opened,
                age_s=None if self._good_ns is None else (now_ns - self._good_ns) / _NS,
                shutter_ms=self._shutter_ms,
                must_restart=len(self._alive_hanging()) >= _MOST_HANGING and self._is_hanging(now_ns),
            )

    def begin(self, reader: _Reader, camera: Camera) -> None:
        """The reader's thread has opened the camera."""
        with self.news:
            self.opened = reader.link.opened
            reader.base_index = self._next_index
            self._eyesight.begin(time.monotonic_ns())
            self._shutter_ms = getattr(camera, "shutter_ms", None)
            self.ring = getattr(camera, "ring", None)
            self.promised_fps = camera.fps
            if not self.may_change:
                self.size_px = self.size_px or camera.size_px  # opened again it must send the same
        _LOG.log(logging.DEBUG if reader.link.failures else logging.INFO, "the camera %s is open", self._name)

    def forget(self) -> None:
        """The reader's thread has lost the camera: what has not been taken yet is of no use."""
        with self.news:
            self._waiting.clear()

    def take(self, reader: _Reader, frame: Frame | None) -> str:
        """The reader's thread has read a picture, or the end of a recording; why to open the camera again, if so."""
        now_ns = time.monotonic_ns()
        with self.news:
            if reader.is_stale:
                return ""
            if frame is None:
                self._is_over, reader.is_stale = True, True
                hopeless = ""
            else:
                hopeless = self._see(reader, frame, now_ns)
            self.news.notify_all()
        return hopeless

    def _see(self, reader: _Reader, frame: Frame, now_ns: int) -> str:
        self._eyesight.see(frame, now_ns)
        found = self._eyesight.trouble(now_ns)
        self._read_count += 1
        self._came_ns = now_ns
        self._next_index = reader.base_index + frame.index + 1
        self._last_t_ns = max(self._last_t_ns + 1, frame.t_ns)
        if found is None or found[0] not in BLINDING:
            reader.link.is_good()
            self._good_ns, self.is_size_wrong = now_ns, False
            self._waiting.add(replace(frame, index=self._next_index - 1, t_ns=self._last_t_ns, view=self.view))
            return ""
        self._taken_count += 1  # nobody is to see it; it is not dropped
        patience_s = _REOPEN_S if found[0] is Trouble.FROZEN else max(_REOPEN_S, min(found[1] / 2, _NIGHT_S))
        is_hopeless = found[1] > patience_s and now_ns - reader.link.ready_since_ns > patience_s * _NS
        return _WORDS[found[0]].format(name=self._name) if is_hopeless else ""

    def _trouble(self, now_ns: int) -> tuple[Trouble | None, str]:
        """What is wrong, and a line for people."""
        link = self._reader.link
        if self._is_over:
            return None, ""
        is_silent = now_ns - (self._came_ns or self._began_ns) >= NOTICED_S * _NS
        found = self._eyesight.trouble(now_ns)
        if found is not None and found[0] in _WORDS and not is_silent:
            return found[0], _WORDS[found[0]].format(name=self._name)
        if is_silent or (link.state in (LinkState.ABSENT, LinkState.LOST) and link.reason):
            return self._absence(link)
        if found is not None and found[0] not in _WORDS:
            fps = self._eyesight.fps(now_ns)
            words = f"the camera {self._name} sends {fps:.0f} pictures a second instead of {self.expected_fps:.0f}"
            return found[0], f"{words}: {_RATE_ADVICE[found[0]]}"
        return None, ""

    def _absence(self, link: Link[Camera]) -> tuple[Trouble, str]:
        if self.is_size_wrong:
            return Trouble.WRONG_SIZE, link.reason or f"the camera {self._name} sends pictures of another size"
        if link.state is LinkState.READY:
            return Trouble.NO_PICTURE, link.reason or f"nothing comes from the camera {self._name}: check its cable"
        return Trouble.ABSENT, link.reason or f"the camera {self._name} is being opened"

    def _new_reader(self) -> _Reader:
        def open_it() -> Camera:
            try:
                return self.opener(self.source, size_px=self.size_px)
            except WrongSizeError:
                self.is_size_wrong = True
                raise

        link: Link[Camera] = Link(open_it, BackOff(first_s=0.25, most_s=2.0))
        link.opened = self.opened
        return _Reader(self, link)

    def _start(self) -> None:
        self._started_ns = time.monotonic_ns()
        self._thread = threading.Thread(target=self._reader.run, name=f"camera {self._name}", daemon=True)
        self._thread.start()

    def _is_hanging(self, now_ns: int) -> bool:
        busy_ns = self._reader.busy_since_ns
        return busy_ns is not None and now_ns - busy_ns > _HANGS_S * _NS

    def _alive_hanging(self) -> list[tuple[_Reader, threading.Thread]]:
        self._hanging = [pair for pair in self._hanging if pair[1].is_alive()]
        return self._hanging

    def _supervise(self, now_ns: int) -> None:
        """Leave a thread that hangs in its driver behind, and begin with a new one."""
        thread = self._thread
        if thread is None or self.stopping.is_set() or self._is_over:
            return
        if not thread.is_alive():  # a bug has ended it, and has been logged
            if now_ns - self._started_ns > _NS:
                self._reader.link.close()
                self._reader = self._new_reader()
                self._start()
            return
        if not self._is_hanging(now_ns) or len(self._alive_hanging()) >= _MOST_HANGING:
            return
        with self.news:
            self._reader.is_stale = True
        self._hanging.append((self._reader, thread))
        _LOG.warning("the driver of the camera %s hangs; it is opened anew", self._name)
        self._reader = self._new_reader()
        self._start()


_WORDS = {
    Trouble.FROZEN: "the camera {name} repeats its last picture: it has hung, or its cable is out",
    Trouble.BLACK: "the camera {name} sees nothing but black: the light, the lens cap, or the camera itself",
}
_RATE_ADVICE = {
    Trouble.SLOW: "give it more light or a shorter shutter, or ask it for less",
    Trouble.FLOOD: "set its rate, or calibrate again with the new one",
}
