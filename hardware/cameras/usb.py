"""USB cameras through V4L2: `usb:0?size=1280x720&fps=60`, `/dev/video0`, or `/dev/v4l/by-id/...`."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, cast

import cv2

from hardware.camera import split_options
from hardware.cameras.live import Capture, LiveCamera
from hardware.cameras.stamps import DriverStamps
from hardware.errors import DeviceAbsentError, DeviceMisconfiguredError

_OPTIONS = frozenset({"size", "fps", "format"})
_SIZE = re.compile(r"([1-9][0-9]{1,4})x([1-9][0-9]{1,4})")
_FPS_SLACK = 0.02


def open_camera(address: str, opener: Callable[[str], "UsbCapture"] | None = None) -> LiveCamera:
    """Open a device and make it send what was asked for; when nothing was, try motion JPEG, 1280x720, 30 fps."""
    device, options = split_options(address, _OPTIONS)
    path = f"/dev/video{device}" if device.isdigit() else device
    if not Path(path).exists():
        message = f"no camera is plugged in at {path}; `v4l2-ctl --list-devices` lists those that are"
        raise DeviceAbsentError(message)
    match, fps = _SIZE.fullmatch(options.get("size", "1280x720")), options.get("fps", "30")
    pixel_format = options.get("format", "MJPG")
    if match is None or not fps.isdigit() or len(pixel_format) != 4:
        message = f"{address!r} asks for nonsense; write usb:0?size=1280x720&fps=60&format=MJPG"
        raise DeviceMisconfiguredError(message)
    size_px = int(match[1]), int(match[2])
    capture = (opener or _open)(str(Path(path).resolve()))
    if not capture.isOpened():
        capture.release()
        message = f"the camera {path} cannot be opened: another program uses it, or you may not (group video)"
        raise DeviceAbsentError(message)
    _configure(capture, size_px, int(fps), pixel_format)
    camera = LiveCamera(path, capture, stamps=DriverStamps(), tells_shutter=True)
    is_size_wrong = "size" in options and camera.size_px != size_px
    if is_size_wrong or ("fps" in options and abs(camera.fps - int(fps)) > _FPS_SLACK * int(fps)):
        camera.close()
        got = f"{camera.size_px[0]}x{camera.size_px[1]} at {camera.fps:g} fps"
        message = f"the camera {path} sends {got}; ask for what it can, see `v4l2-ctl -d {path} --list-formats-ext`"
        raise DeviceMisconfiguredError(message)
    return camera


class UsbCapture(Capture, Protocol):
    """What opening a USB camera needs besides."""

    def isOpened(self) -> bool:  # noqa: N802 # OpenCV's name
        """Whether the device answered."""

    def set(self, prop: int, value: float, /) -> bool:
        """Change a property."""


def _open(path: str) -> UsbCapture:
    return cast("UsbCapture", cv2.VideoCapture(path, cv2.CAP_V4L2))


def _configure(capture: UsbCapture, size_px: tuple[int, int], fps: int, pixel_format: str) -> None:
    """Format first, then size, then rate: V4L2 lists sizes per format and rates per size."""
    capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*pixel_format))
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, size_px[0])
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size_px[1])
    capture.set(cv2.CAP_PROP_FPS, fps)
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
