"""Coded video (H.264) of the last minute in memory, and parts of it as files; nothing is coded twice."""

import contextlib
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import av
import av.error
import cv2
import numpy as np
from av.video.codeccontext import VideoCodecContext
from av.video.stream import VideoStream

from hardware.errors import HardwareError
from hardware.frame import Frame
from hardware.planes import Bytes, Planes

_TICKS_S = 90_000
_NS = 1_000_000_000
_START_CODES = (b"\x00\x00\x00\x01", b"\x00\x00\x01")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedPicture:
    """One picture's packet; times are the stream's own."""

    data: bytes
    pts_ns: int
    dts_ns: int
    is_key: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Footage:
    """Coded pictures that begin with a key picture; `begins_ns` is the first one's time on the monotonic clock."""

    size_px: tuple[int, int]
    header: bytes
    pictures: Sequence[CodedPicture]
    begins_ns: int


@dataclass(slots=True)
class FootageRing:
    """The latest coded pictures of one stream, bounded by time and bytes; for one writer and any readers.

    `header` holds the stream's parameters where its packets do not; `offset_ns` makes monotonic times of the stream's.
    """

    size_px: tuple[int, int]
    header: bytes = b""
    longest_s: float = 90.0
    most_bytes: int = 96_000_000
    offset_ns: int = 0
    _pictures: deque[CodedPicture] = field(default_factory=deque)
    _bytes: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, picture: CodedPicture) -> None:
        """Keep one more; the oldest go."""
        with self._lock:
            self._pictures.append(picture)
            self._bytes += len(picture.data)
            while self._bytes > self.most_bytes or (
                picture.pts_ns - self._pictures[0].pts_ns > self.longest_s * _NS and len(self._pictures) > 1
            ):
                self._bytes -= len(self._pictures.popleft().data)

    def keep(self, packet: "av.Packet[VideoStream]") -> None:
        """Keep a packet as it came; the sign of a stream's end is none."""
        if packet.pts is None or packet.size == 0:
            return
        second_ns = packet.time_base * _NS
        dts = packet.pts if packet.dts is None else packet.dts
        self.add(
            CodedPicture(
                data=bytes(packet),
                pts_ns=round(packet.pts * second_ns),
                dts_ns=round(dts * second_ns),
                is_key=packet.is_keyframe,
            )
        )

    def cut(self, from_ns: int, to_ns: int) -> Footage | None:
        """What was seen between two instants of the monotonic clock, from the key picture before; None for nothing."""
        with self._lock:
            pictures, offset_ns = list(self._pictures), self.offset_ns
        keys = [index for index, one in enumerate(pictures) if one.is_key]
        before = [index for index in keys if pictures[index].pts_ns + offset_ns <= from_ns]
        if not keys:
            return None
        first = before[-1] if before else keys[0]
        part = [one for one in pictures[first:] if one.pts_ns + offset_ns <= to_ns]
        if not part:
            return None
        return Footage(size_px=self.size_px, header=self.header, pictures=part, begins_ns=part[0].pts_ns + offset_ns)


def ring_of(stream: VideoStream) -> FootageRing | None:
    """A ring for what a camera sends, where a browser plays that as it is; None for other codings."""
    context = stream.codec_context
    if context.name != "h264":
        return None
    return FootageRing(size_px=(context.width, context.height), header=bytes(context.extradata or b""))


class PictureCoder:
    """Codes pictures quickly into a ring, made lower than `height` when they are higher."""

    def __init__(self, size_px: tuple[int, int], fps: float, height: int) -> None:
        scale = min(1.0, height / size_px[1])
        self._size_px = (round(size_px[0] * scale / 2) * 2, round(size_px[1] * scale / 2) * 2)
        self.ring = FootageRing(size_px=self._size_px)
        rate = Fraction(fps or 30.0).limit_denominator(1001)
        context = av.CodecContext.create("libx264", "w")
        assert isinstance(context, VideoCodecContext)
        context.width, context.height = self._size_px
        context.pix_fmt, context.time_base, context.framerate = "yuv420p", Fraction(1, _TICKS_S), rate
        context.gop_size, context.thread_count = max(1, round(rate)), 1
        context.options = {"preset": "ultrafast", "tune": "zerolatency", "crf": "24"}
        self._context = context
        self._last_tick = -1

    def add(self, frame: Frame) -> None:
        """Code a frame that is later than the one before."""
        tick = round(frame.t_ns * _TICKS_S / _NS)
        if tick <= self._last_tick:
            return
        self._last_tick = tick
        picture = av.VideoFrame.from_ndarray(_planes(frame, self._size_px), format="yuv420p")
        picture.pts, picture.time_base = tick, Fraction(1, _TICKS_S)
        for packet in self._context.encode(picture):
            t_ns = round((packet.pts or 0) * _NS / _TICKS_S)
            self.ring.add(CodedPicture(data=bytes(packet), pts_ns=t_ns, dts_ns=t_ns, is_key=packet.is_keyframe))


def _planes(frame: Frame, size_px: tuple[int, int]) -> Bytes:
    """(H * 3 / 2, W) planes of brightness and colour, of an even size; those that came coded are not made BGR first."""
    width, height = size_px
    picture = frame.picture
    if not isinstance(picture, Planes):
        return np.asarray(cv2.cvtColor(_sized(picture, size_px), cv2.COLOR_BGR2YUV_I420), dtype=np.uint8)
    half = (width // 2, height // 2)
    parts = (_sized(picture.luma, size_px), _sized(picture.blue, half), _sized(picture.red, half))
    return np.concatenate([part.reshape(-1) for part in parts]).reshape(height * 3 // 2, width)


def _sized(plane: Bytes, size_px: tuple[int, int]) -> Bytes:
    if plane.shape[1::-1] == size_px:
        return plane
    return np.asarray(cv2.resize(plane, size_px, interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


def write_footage(path: Path, footage: Footage) -> None:
    """Write a part as an MP4 file that a browser plays; it appears whole or not at all.

    Raises:
        HardwareError: It cannot be written; nothing is left of it.
    """
    unfinished = path.with_name(f".{path.name}.part")
    try:
        _mux(unfinished, footage)
        unfinished.replace(path)
    except (OSError, ValueError, av.error.FFmpegError) as error:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
        message = f"cannot write {path}: {getattr(error, 'strerror', None) or error}; is the disk full?"
        raise HardwareError(message) from error


def _mux(path: Path, footage: Footage) -> None:
    """The packets as they are, from time 0 on."""
    first = footage.pictures[0]
    tick, last_tick = Fraction(1, _TICKS_S), -(1 << 62)
    container = av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"})
    try:
        width, height = footage.size_px
        stream = container.add_mux_stream("h264", rate=30, width=width, height=height, time_base=tick)
        for index, picture in enumerate(footage.pictures):
            packet = av.Packet(_with_header(picture.data, footage.header) if index == 0 else picture.data)
            last_tick = max(_ticks(picture.dts_ns - first.pts_ns), last_tick + 1)
            packet.dts, packet.pts = last_tick, max(_ticks(picture.pts_ns - first.pts_ns), last_tick)
            packet.time_base, packet.is_keyframe, packet.stream = tick, picture.is_key, stream
            container.mux(packet)
    finally:
        container.close()


def _with_header(data: bytes, header: bytes) -> bytes:
    """A key picture that tells its parameters itself."""
    return data if not header.startswith(_START_CODES) or header in data[: len(header) + 64] else header + data


def _ticks(span_ns: int) -> int:
    return round(span_ns * _TICKS_S / _NS)
