"""Writes H.264 video with exact frame times."""

from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Self

import av
import av.error
import numpy as np
import numpy.typing as npt
from av.video.stream import VideoStream

from hardware.errors import DeviceMisconfiguredError, HardwareError

_TICKS_S = 90_000  # for frames at free times; a multiple of the usual frame rates


class VideoWriter:
    """An MP4 or MKV file being written: frame k at k / fps seconds, or at a time of its own.

    Use it as a context manager; the file is complete when it is left. With `bits_s` so many bits a second are written,
    as a camera's stream has them: a key picture a second, none that refers to a later one.
    """

    def __init__(
        self,
        path: Path,
        size_px: tuple[int, int],
        fps: float,
        *,
        crf: int = 18,
        preset: str = "veryfast",
        bits_s: int | None = None,
    ) -> None:
        if size_px[0] % 2 or size_px[1] % 2:
            message = f"cannot write {path}: H.264 needs even picture sizes, not {size_px[0]}x{size_px[1]}"
            raise DeviceMisconfiguredError(message)
        if not path.parent.is_dir():
            message = f"cannot write {path}: there is no folder {path.parent}; make it first"
            raise HardwareError(message)
        self._path, self._size_px = path, size_px
        self._rate = Fraction(fps).limit_denominator(1001)
        self._ticks_s = self._rate if (_TICKS_S / self._rate).denominator != 1 else Fraction(_TICKS_S)
        self._count = 0
        self._last_tick = -1
        self._closed = False
        try:
            self._container = av.open(str(path), mode="w")
        except (OSError, ValueError, av.error.FFmpegError) as error:
            message = (
                f"cannot write {path}: {_reason(error)}; choose a folder that exists and a name ending in .mp4 or .mkv"
            )
            raise HardwareError(message) from error
        stream = self._container.add_stream("libx264", rate=self._rate)
        assert isinstance(stream, VideoStream)
        stream.width, stream.height = size_px
        stream.pix_fmt = "yuv420p"
        stream.options = {"preset": preset, **({"crf": str(crf)} if bits_s is None else _as_streamed(bits_s, fps))}
        stream.codec_context.thread_count = 1
        stream.codec_context.time_base = 1 / self._ticks_s
        stream.time_base = 1 / self._ticks_s
        self._stream = stream

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Finish the file."""
        self.close()

    def write(self, pixels: npt.NDArray[np.uint8], t_s: float | None = None) -> None:
        """Add a picture, (H, W, 3) uint8 BGR, at a time (later than the one before) or after the frames so far."""
        if pixels.shape != (self._size_px[1], self._size_px[0], 3):
            message = f"{self._path} is {self._size_px[0]}x{self._size_px[1]}, but a frame has shape {pixels.shape}"
            raise DeviceMisconfiguredError(message)
        at_s = self._count / self._rate if t_s is None else Fraction(t_s)
        tick = round(at_s * self._ticks_s)
        if tick <= self._last_tick:
            message = f"cannot add a frame at {float(at_s):.6f} s to {self._path}: it is not later than the one before"
            raise DeviceMisconfiguredError(message)
        # FFmpeg averages the colour of four pixels; OpenCV's conversion takes one of them, which moves colours.
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format="bgr24")
        frame.pts, frame.time_base = tick, 1 / self._ticks_s
        self._put(frame)
        self._last_tick = tick
        self._count += 1

    def close(self) -> None:
        """Write what is left; the second call does nothing."""
        if self._closed:
            return
        self._closed = True
        self._put(None)
        self._container.close()

    def _put(self, frame: av.VideoFrame | None) -> None:
        try:
            for packet in self._stream.encode(frame):
                self._container.mux(packet)
        except (OSError, av.error.FFmpegError) as error:
            message = f"cannot go on writing {self._path}: {_reason(error)}; is the disk full?"
            raise HardwareError(message) from error


def _as_streamed(bits_s: int, fps: float) -> dict[str, str]:
    """Options of the encoder for a steady rate."""
    rate = str(bits_s)
    return {"b": rate, "minrate": rate, "maxrate": rate, "bufsize": rate, "g": str(max(1, round(fps))), "bf": "0"}


def _reason(error: Exception) -> str:
    """The cause in words."""
    return str(getattr(error, "strerror", None) or error)
