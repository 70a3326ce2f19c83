"""Video files as cameras: frame times from the file, over and over or at a live pace when asked to."""

import logging
from pathlib import Path
from typing import Self

import av
import av.error
import cv2

from hardware.camera import is_on, split_options
from hardware.cameras.decoding import StreamCapture
from hardware.cameras.live import Capture
from hardware.cameras.pacing import Pacer
from hardware.errors import DeviceAbsentError, DeviceMisconfiguredError, ProtocolError
from hardware.frame import Frame

_LOG = logging.getLogger(__name__)
_OPTIONS = frozenset({"loop", "realtime", "one_thread"})
_TORN_SHARE = 0.9  # a file that gives less than this of the frames it promises is worth a warning
_MS_NS = 1_000_000
_MOST_SKIPPED_NS = 1_000_000_000


def open_camera(address: str) -> "VideoCamera":
    """Open `PATH?loop=1&realtime=1`, or with `one_thread=1`: decoded as a live camera's pictures are."""
    path, options = split_options(address, _OPTIONS)
    pacer = Pacer() if is_on(options, "realtime") else None
    is_hasty = pacer is None and not is_on(options, "one_thread")
    return VideoCamera(Path(path), loops=is_on(options, "loop"), pacer=pacer, is_hasty=is_hasty)


class VideoCamera:
    """A video file; `t_ns` counts from its first frame, or from the clock's time at the first `read` with a pacer.

    With a pacer, frames whose successor is due are passed over and leave a gap in `index`, as with a live camera.
    """

    def __init__(self, path: Path, *, loops: bool = False, pacer: Pacer | None = None, is_hasty: bool = False) -> None:
        self._path, self._loops, self._pacer, self._is_hasty = path, loops, pacer, is_hasty
        self._capture = _open(path, is_hasty=is_hasty)
        self._fps = float(self._capture.get(cv2.CAP_PROP_FPS))
        self._promised = int(self._capture.get(cv2.CAP_PROP_FRAME_COUNT))
        self._index, self._in_round, self._round_ns, self._last_ns = 0, 0, 0, -1
        if not self._capture.grab():
            self._capture.release()
            message = f"{path} holds no frames; record it again"
            raise ProtocolError(message)
        self._is_grabbed, self._is_open = True, True
        self._begins_ms = float(self._capture.get(cv2.CAP_PROP_POS_MSEC))
        self._size_px = self._frame(0).size_px

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height."""
        return self._size_px

    @property
    def fps(self) -> float:
        """The file's nominal frame rate."""
        return self._fps

    @property
    def is_live(self) -> bool:
        """Whether it is played in real time."""
        return self._pacer is not None

    def __enter__(self) -> Self:
        """The camera itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._is_open = False
        self._capture.release()

    def read(self) -> Frame | None:
        """The next frame; None at the end of a file that does not loop."""
        if not self._is_open:
            message = f"{self._path} has been closed; open it again"
            raise DeviceAbsentError(message)
        t_ns = self._advance()
        if t_ns is None:
            return None
        start_ns = 0
        if self._pacer is not None:
            t_ns = self._skip_late(t_ns, self._pacer)
            self._pacer.wait_for(t_ns)
            start_ns = self._pacer.start_ns
        frame = self._frame(start_ns + t_ns)
        if frame.size_px != self._size_px:
            width, height = frame.size_px
            message = f"{self._path} changes its picture size to {width}x{height}; cut it there"
            raise ProtocolError(message)
        return frame

    def _advance(self) -> int | None:
        """Go to the next frame and tell its time in the recording; None at the end."""
        if not self._is_grabbed and not self._capture.grab():
            self._warn_when_short()
            if not self._loops:
                return None
            self._rewind()
        self._is_grabbed = False
        own_ns = round((self._capture.get(cv2.CAP_PROP_POS_MSEC) - self._begins_ms) * _MS_NS)
        t_ns = max(self._round_ns + own_ns, self._last_ns + 1)  # a torn file may repeat a time
        self._index += 1
        self._in_round += 1
        self._last_ns = t_ns
        return t_ns

    def _skip_late(self, t_ns: int, pacer: Pacer) -> int:
        """Pass over frames whose successor is due already; a machine that never keeps pace sees one a second."""
        step_ns = round(1e9 / self._fps) if self._fps > 0 else 0
        latest_ns = t_ns + _MOST_SKIPPED_NS
        while step_ns and t_ns + step_ns < pacer.elapsed_ns() and t_ns < latest_ns:
            if not self._capture.grab():
                break
            self._is_grabbed = True
            t_ns = self._advance() or t_ns
        return t_ns

    def _rewind(self) -> None:
        """Start the file again; its last frame lasts as long as a nominal one."""
        self._round_ns = self._last_ns + (round(1e9 / self._fps) if self._fps > 0 else 1)
        self._in_round = 0
        self._capture.release()
        self._capture = _open(self._path, is_hasty=self._is_hasty)
        if not self._capture.grab():
            message = f"{self._path} cannot be read again from its start; was it changed?"
            raise ProtocolError(message)

    def _frame(self, t_ns: int) -> Frame:
        """The grabbed picture."""
        is_there, picture = self._capture.retrieve()
        if not is_there or picture is None:
            message = f"frame {self._index} of {self._path} cannot be decoded; the file is torn there"
            raise ProtocolError(message)
        return Frame(t_ns=t_ns, index=self._index - 1, picture=picture)

    def _warn_when_short(self) -> None:
        if self._in_round < _TORN_SHARE * self._promised:
            _LOG.warning("%s ends after %d of %d promised frames", self._path, self._in_round, self._promised)


def _open(path: Path, *, is_hasty: bool) -> Capture:
    """Open a file, telling apart what can be wrong."""
    if not path.exists():
        message = f"there is no file {path}; check the path"
        raise DeviceAbsentError(message)
    if path.is_dir():
        message = f"{path} is a folder; give a video file in it"
        raise DeviceMisconfiguredError(message)
    torn = f"{path} is torn or no video that FFmpeg can read; record or copy it again"
    try:
        container = av.open(str(path))
    except (av.error.FFmpegError, OSError, ValueError) as error:
        raise ProtocolError(torn) from error
    if not container.streams.video:
        container.close()
        raise ProtocolError(torn)
    return StreamCapture(container, is_live=False, is_hasty=is_hasty)
