"""Cameras that send over the network: RTSP, MJPEG over HTTP, MPEG-TS over UDP or TCP."""

import re

import av
import av.error

from hardware.cameras.decoding import StreamCapture
from hardware.cameras.live import LiveCamera
from hardware.cameras.stamps import ArrivalStamps, StreamStamps
from hardware.errors import DeviceAbsentError, DeviceMisconfiguredError

_OPEN_S, _READ_S = 4.0, 2.0  # a silent camera is lost after this; FFmpeg's own patience has no end
_OPTIONS = {"analyzeduration": "1000000"}
_SECRET = re.compile(r"//[^/@]*@")


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
