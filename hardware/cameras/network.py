"""Cameras that send over the network: RTSP, MJPEG over HTTP, MPEG-TS over UDP or TCP."""

import re

import cv2

from hardware.cameras.live import LiveCamera
from hardware.errors import DeviceAbsentError

_OPEN_MS, _READ_MS = 3000, 2000  # a silent camera is lost after this; FFmpeg's own patience is 30 s
_SECRET = re.compile(r"//[^/@]*@")


def open_camera(address: str) -> LiveCamera:
    """Open a stream by its address; the password in it is never shown."""
    name = _SECRET.sub("//", address)
    # These two are heard only as the constructor's third argument.
    capture = cv2.VideoCapture(
        address, cv2.CAP_FFMPEG, [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, _OPEN_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, _READ_MS]
    )
    if not capture.isOpened():
        capture.release()
        message = f"no camera answers at {name}; check its power, the cable and the address"
        raise DeviceAbsentError(message)
    return LiveCamera(name, capture)
