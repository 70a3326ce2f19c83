"""Cameras that send over the network: RTSP, MJPEG over HTTP, MPEG-TS over UDP or TCP."""

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import av
import av.error
import cv2
import numpy as np
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from hardware.cameras.live import LiveCamera
from hardware.cameras.stamps import ArrivalStamps, StreamStamps
from hardware.errors import DeviceAbsentError, DeviceMisconfiguredError
from hardware.footage import FootageRing, ring_of

_OPEN_S, _READ_S = 4.0, 2.0  # a silent camera is lost after this; FFmpeg's own patience has no end
_OPTIONS = {"analyzeduration": "1000000"}
_SECRET = re.compile(r"//[^/@]*@")
_MOST_TORN = 50  # packets in a row without a picture; a stream that lost its key picture has fewer


def open_camera(address: str) -> LiveCamera:
    """Open a stream by its address; the password in it is never shown."""
    name = _SECRET.sub("//", address)
    options = _OPTIONS | ({"rtsp_transport": "tcp"} if address.startswith("rtsp") else {})
    try:
        container = av.open(address, timeout=(_OPEN_S, _READ_S), options=options)
    except (av.error.HTTPUnauthorizedError, av.error.HTTPForbiddenError) as error:
        message = f"the camera at {name} asks for another name or password; write them as //NAME:PASSWORD@"
        raise DeviceMisconfiguredError(message) from error
    except (av.error.FFmpegError, OSError, ValueError) as error:
        message = f"no camera answers at {name}; check its power, the cable and the address"
        raise DeviceAbsentError(message) from error
    if not container.streams.video:
        container.close()
        message = f"there are no pictures in what {name} sends; check the address"
        raise DeviceMisconfiguredError(message)
    # Motion JPEG over HTTP carries no times; what FFmpeg makes up for them counts pictures, not seconds.
    stamps = ArrivalStamps() if address.startswith("http") else StreamStamps()
    capture = StreamCapture(container)
    return LiveCamera(name, capture, stamps=stamps, ring=capture.ring)


@dataclass(slots=True)
class StreamCapture:
    """A stream as OpenCV would give it, but that a picture of another size is not scaled to the first one's."""

    container: InputContainer
    ring: FootageRing | None = field(init=False)
    _stream: VideoStream = field(init=False)
    _pictures: Iterator[VideoFrame | None] = field(init=False)
    _frame: VideoFrame | None = None

    def __post_init__(self) -> None:
        """Begin to decode; pictures are not held back for the sake of more threads."""
        self._stream = self.container.streams.video[0]
        self.ring = ring_of(self._stream)
        self._stream.codec_context.thread_type = "SLICE"
        self._pictures = self._decoded()

    def grab(self) -> bool:
        """Wait for the next picture; False when the stream has ended or fallen silent."""
        try:
            self._frame = next(self._pictures)
        except (StopIteration, av.error.FFmpegError, OSError):
            return False
        return True

    def retrieve(self) -> tuple[bool, np.ndarray]:
        """The picture as (H, W, 3) BGR, when it could be decoded."""
        if self._frame is None:
            return False, np.empty((0, 0, 3), dtype=np.uint8)
        return True, self._frame.to_ndarray(format="bgr24")

    def get(self, prop: int, /) -> float:
        """Size, rate and time, by OpenCV's numbers."""
        match prop:
            case cv2.CAP_PROP_FRAME_WIDTH:
                return float(self._stream.codec_context.width if self._frame is None else self._frame.width)
            case cv2.CAP_PROP_FRAME_HEIGHT:
                return float(self._stream.codec_context.height if self._frame is None else self._frame.height)
            case cv2.CAP_PROP_FPS:
                return float(self._stream.average_rate or self._stream.guessed_rate or 0)
            case cv2.CAP_PROP_POS_MSEC if self._frame is not None and self._frame.time is not None:
                return 1000.0 * self._frame.time
            case _:
                return 0.0

    def release(self) -> None:
        """Let go of the connection."""
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
