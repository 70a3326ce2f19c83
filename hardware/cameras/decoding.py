"""Decodes video with FFmpeg; a picture stays in its coded planes until somebody wants it in BGR."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import av.error
import cv2
import numpy as np
import numpy.typing as npt
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.plane import VideoPlane
from av.video.reformatter import ColorRange, Colorspace
from av.video.stream import VideoStream

from hardware.footage import FootageRing, ring_of
from hardware.planes import Planes, bgr_matrix

_MOST_TORN = 50  # packets in a row without a picture; a stream that lost its key picture has fewer


@dataclass(slots=True)
class StreamCapture:
    """A stream as OpenCV would give it, but that a picture of another size is not scaled to the first one's.

    `is_live`: what comes is kept in a ring. `is_hasty`: decoded in several threads, which is done sooner, costs a tenth
    more CPU time and holds pictures back.
    """

    container: InputContainer
    is_live: bool = True
    is_hasty: bool = False
    ring: FootageRing | None = field(init=False)
    _stream: VideoStream = field(init=False)
    _pictures: Iterator[VideoFrame | None] = field(init=False)
    _frame: VideoFrame | None = None

    def __post_init__(self) -> None:
        """Begin to decode."""
        self._stream = self.container.streams.video[0]
        self.ring = ring_of(self._stream) if self.is_live else None
        self._stream.codec_context.thread_type = "AUTO" if self.is_hasty else "SLICE"
        self._pictures = self._decoded()

    def grab(self) -> bool:
        """Wait for the next picture; False when the stream has ended or fallen silent."""
        try:
            self._frame = next(self._pictures)
        except (StopIteration, av.error.FFmpegError, OSError):
            return False
        return True

    def retrieve(self) -> tuple[bool, npt.NDArray[np.uint8] | Planes]:
        """The picture, when it could be decoded."""
        if self._frame is None:
            return False, np.empty((0, 0, 3), dtype=np.uint8)
        return True, picture_of(self._frame)

    def get(self, prop: int, /) -> float:
        """Size, rate, length and time, by OpenCV's numbers."""
        match prop:
            case cv2.CAP_PROP_FRAME_WIDTH:
                return float(self._stream.codec_context.width if self._frame is None else self._frame.width)
            case cv2.CAP_PROP_FRAME_HEIGHT:
                return float(self._stream.codec_context.height if self._frame is None else self._frame.height)
            case cv2.CAP_PROP_FPS:
                return float(self._stream.average_rate or self._stream.guessed_rate or 0)
            case cv2.CAP_PROP_FRAME_COUNT:
                return float(self._stream.frames)
            case cv2.CAP_PROP_POS_MSEC if self._frame is not None and self._frame.time is not None:
                return 1000.0 * self._frame.time
            case _:
                return 0.0

    def release(self) -> None:
        """Let go of the file or the connection."""
        with contextlib.suppress(av.error.FFmpegError):
            self.container.close()

    def _decoded(self) -> Iterator[VideoFrame | None]:
        """Picture after picture; None for one that is torn."""
        torn = 0
        for packet in self.container.demux(self._stream):
            if self.ring is not None:
                self.ring.keep(packet)
            try:
                frames = packet.decode()
            except av.error.InvalidDataError:
                torn += 1
                if torn > _MOST_TORN:
                    return
                yield None
                continue
            for frame in frames:
                torn = 0
                yield frame


def picture_of(frame: VideoFrame) -> npt.NDArray[np.uint8] | Planes:
    """The planes of a picture coded in the usual way, else (H, W, 3) BGR; what phones say is to be turned is turned."""
    turn = _TURNS.get(frame.rotation)
    if turn is not None or frame.format.name not in ("yuv420p", "yuvj420p"):
        pixels = np.asarray(frame.to_ndarray(format="bgr24"), dtype=np.uint8)
        return pixels if turn is None else np.asarray(cv2.rotate(pixels, turn), dtype=np.uint8)
    is_full = frame.format.name == "yuvj420p" or frame.color_range == ColorRange.JPEG
    luma, blue, red = (_codes(plane) for plane in frame.planes)
    return Planes(luma=luma, blue=blue, red=red, to_bgr=_MATRICES[frame.colorspace == Colorspace.ITU709, is_full])


def _codes(plane: VideoPlane) -> npt.NDArray[np.uint8]:
    rows = np.frombuffer(memoryview(plane), np.uint8).reshape(plane.height, plane.line_size)
    rows.flags.writeable = False
    return rows[:, : plane.width]


_TURNS = {  # from degrees counter-clockwise
    -90: cv2.ROTATE_90_CLOCKWISE,
    90: cv2.ROTATE_90_COUNTERCLOCKWISE,
    180: cv2.ROTATE_180,
    -180: cv2.ROTATE_180,
}
_MATRICES = {
    (is_high, is_full): bgr_matrix(is_high_definition=is_high, is_full_range=is_full)
    for is_high in (False, True)
    for is_full in (False, True)
}
