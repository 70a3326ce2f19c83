"""What a camera is to the rest of the program, and how one is opened by its address."""

import importlib
import re
from pathlib import Path
from typing import Protocol, Self, cast
from urllib.parse import parse_qsl

from hardware.errors import DeviceMisconfiguredError, WrongSizeError
from hardware.frame import Frame

BACK_ENDS = {
    "file": "hardware.cameras.video",
    "image": "hardware.cameras.image",
    "virtual": "hardware.virtual.camera",
    "usb": "hardware.cameras.usb",
    "rtsp": "hardware.cameras.network",
    "http": "hardware.cameras.network",
    "https": "hardware.cameras.network",
    "udp": "hardware.cameras.network",
    "tcp": "hardware.cameras.network",
}
_IMAGE_ENDINGS = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})
_SCHEME = re.compile(r"([a-z][a-z0-9+-]+):(.*)", re.DOTALL)


class Camera(Protocol):
    """An open camera: read until `read` returns None, then closed once; also a context manager.

    Not for several threads at once. `fps` is what the source promises, 0 when it promises nothing.
    """

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of every frame."""

    @property
    def fps(self) -> float:
        """Frames per second, nominally."""

    @property
    def is_live(self) -> bool:
        """Whether frames come in real time, so that those not read in time are lost."""

    def read(self) -> Frame | None:
        """Wait for the next frame; None when a recording is over.

        Raises:
            DeviceAbsentError: the camera has gone; close it and open it again later.
            ProtocolError: what came is no picture; reading on may help.
        """

    def close(self) -> None:
        """Let go of the device; the second call does nothing."""

    def __enter__(self) -> Self:
        """The camera itself."""

    def __exit__(self, *_: object) -> None:
        """Close."""


def open_camera(source: str, *, size_px: tuple[int, int] | None = None) -> Camera:
    """Open a camera by its address; with `size_px`, refuse one whose pictures have another size.

    `PATH` or `file:PATH?loop=1&realtime=1` is a recording (over and over; at the pace of a live camera; `one_thread=1`
    decodes it as a live camera's pictures are, for less CPU time in all), a path that ends like an image a single
    picture; `usb:0`, `/dev/video0` or `/dev/v4l/by-id/...` (the same in whatever port), `rtsp://...`, `http://...` and
    `virtual:GAME?seed=1&difficulty=easy` are cameras.

    Raises:
        DeviceAbsentError: nothing is there.
        DeviceMisconfiguredError: the address makes no sense, or the pictures have the wrong size.
        ProtocolError: it is there and cannot be read.
    """
    scheme, address = _split(source)
    if scheme not in BACK_ENDS:
        message = f"no camera back end is called {scheme!r} in {source!r}; there are {', '.join(sorted(BACK_ENDS))}"
        raise DeviceMisconfiguredError(message)
    camera = cast("Camera", importlib.import_module(BACK_ENDS[scheme]).open_camera(address))
    if size_px is not None and camera.size_px != size_px:
        camera.close()
        is_, asked = (f"{width}x{height}" for width, height in (camera.size_px, size_px))
        message = f"{source} gives pictures of {is_} but {asked} was asked for; set the camera to it or calibrate again"
        raise WrongSizeError(message)
    return camera


def _split(source: str) -> tuple[str, str]:
    """A source as back end and what that back end is told."""
    if not source:
        message = "the camera's address is empty: give a video file, usb:0, rtsp://... or virtual:GAME"
        raise DeviceMisconfiguredError(message)
    if source.startswith(("/dev/video", "/dev/v4l/")):
        return "usb", source
    match = _SCHEME.fullmatch(source)
    if match is None or Path(source).exists():
        return ("image" if Path(source).suffix.lower() in _IMAGE_ENDINGS else "file"), source
    scheme, rest = match.groups()
    if "//" in rest[:2] and scheme != "file":
        return scheme, source
    if scheme == "file" and Path(rest.partition("?")[0]).suffix.lower() in _IMAGE_ENDINGS:
        return "image", rest.removeprefix("//")
    return scheme, rest.removeprefix("//") if scheme == "file" else rest


def split_options(address: str, known: frozenset[str]) -> tuple[str, dict[str, str]]:
    """`PATH?a=1&b=2` as the path and its options, all of which must be known; a path that exists has none."""
    if "?" not in address or Path(address).exists():
        return address, {}
    path, _, query = address.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    if unknown := sorted(set(options) - known):
        message = f"{address!r} has an unknown option {unknown[0]!r}; there are {', '.join(sorted(known))}"
        raise DeviceMisconfiguredError(message)
    return path, options


def is_on(options: dict[str, str], name: str) -> bool:
    """Whether a yes-or-no option is switched on."""
    value = options.get(name, "0").lower()
    if value not in {"0", "1", "true", "false", "yes", "no", ""}:
        message = f"the option {name} is 0 or 1, not {value!r}"
        raise DeviceMisconfiguredError(message)
    return value in {"1", "true", "yes", ""}
