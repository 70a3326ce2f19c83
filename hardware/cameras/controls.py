"""What a USB camera lets one set, through V4L2: exposure, gain, white balance, focus; read, locked, and set again.

The numbers are those of the kernel's videodev2.h and v4l2-controls.h.
"""

import contextlib
import fcntl
import logging
import os
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

from hardware.camera import Camera, open_camera

_LOG = logging.getLogger(__name__)
_QUERY, _GET, _SET = 0xC0445624, 0xC008561B, 0xC008561C  # VIDIOC_QUERYCTRL, VIDIOC_G_CTRL, VIDIOC_S_CTRL
_QUERY_LAYOUT = struct.Struct("=II32siiiiIII")
_CONTROL_LAYOUT = struct.Struct("=Ii")
_DISABLED, _READ_ONLY = 0x0001, 0x0004
_MS_PER_EXPOSURE = 0.1

_IDS = MappingProxyType(
    {
        "exposure_auto": 0x009A0901,
        "exposure": 0x009A0902,  # tenths of a millisecond
        "exposure_changes_rate": 0x009A0903,
        "gain_auto": 0x00980912,
        "gain": 0x00980913,
        "white_balance_auto": 0x0098090C,
        "white_balance": 0x0098091A,  # kelvin
        "focus_auto": 0x009A090C,
        "focus": 0x009A090A,
    }
)
_MANUAL_EXPOSURE = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Automatic:
    """A thing that a camera does by itself, how that is switched off, and the value that then stays."""

    word: str
    switch: str
    off: int
    value: str


AUTOMATICS = (
    Automatic(word="exposure", switch="exposure_auto", off=_MANUAL_EXPOSURE, value="exposure"),
    Automatic(word="gain", switch="gain_auto", off=0, value="gain"),
    Automatic(word="white balance", switch="white_balance_auto", off=0, value="white_balance"),
    Automatic(word="focus", switch="focus_auto", off=0, value="focus"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraLock:
    """What a camera was set to, by name, and what it goes on changing by itself."""

    values: Mapping[str, int] = field(default_factory=dict)
    loose: tuple[str, ...] = ()

    @property
    def exposure_ms(self) -> float | None:
        """The shutter's time, where the camera tells it."""
        return self.values["exposure"] * _MS_PER_EXPOSURE if "exposure" in self.values else None


class ControlDevice(Protocol):
    """The device's side: the kernel's answers to requests; OSError where it refuses."""

    def ask(self, request: int, argument: bytes) -> bytes:
        """One ioctl."""


@dataclass(frozen=True, slots=True)
class _Range:
    least: int
    most: int
    step: int


def controls_path(source: str) -> str | None:
    """The video device behind a camera's address, None when it is no USB camera."""
    address = source.removeprefix("usb:")
    if address == source and not source.startswith(("/dev/video", "/dev/v4l/")):
        return None
    device = address.partition("?")[0]
    return f"/dev/video{device}" if device.isdigit() else device


def lock_source(source: str, wanted: Mapping[str, int] | None = None) -> CameraLock:
    """Lock a camera by its address, see `lock_controls`; one whose controls cannot be opened is not locked."""
    path = controls_path(source)
    if path is None:
        return CameraLock()
    try:
        with open_controls(path) as device:
            return lock_controls(device, wanted)
    except OSError:
        return CameraLock(loose=tuple(automatic.word for automatic in AUTOMATICS))


@contextlib.contextmanager
def open_controls(path: str) -> Iterator[ControlDevice]:
    """A second way into a video device, beside the one that its pictures come through; OSError when there is none."""
    descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    try:
        yield _Descriptor(descriptor)
    finally:
        os.close(descriptor)


@dataclass(frozen=True, slots=True)
class _Descriptor:
    descriptor: int

    def ask(self, request: int, argument: bytes) -> bytes:
        return fcntl.ioctl(self.descriptor, request, argument)


def lock_controls(device: ControlDevice, wanted: Mapping[str, int] | None = None) -> CameraLock:
    """Switch all automatics off and keep their present values, or set those of an earlier lock.

    Args:
        device: the camera's controls.
        wanted: what an earlier lock has told; None keeps what the camera has chosen by now.
    """
    values: dict[str, int] = {}
    loose = []
    if _range(device, "exposure_changes_rate") is not None:
        _set(device, "exposure_changes_rate", 0)
    for automatic in AUTOMATICS:
        reach, has_switch = _range(device, automatic.value), _range(device, automatic.switch) is not None
        if reach is None and not has_switch:
            continue  # it has nothing of the kind
        chosen = None if reach is None else _get(device, automatic.value)
        if has_switch and not _set(device, automatic.switch, automatic.off):
            loose.append(automatic.word)
            continue
        if reach is None or chosen is None:
            continue
        chosen = _allowed((wanted or {}).get(automatic.value, chosen), reach)
        if _set(device, automatic.value, chosen):
            values[automatic.value] = chosen
        else:
            loose.append(automatic.word)
    return CameraLock(values=values, loose=tuple(loose))


def _allowed(value: int, reach: _Range) -> int:
    step = max(1, reach.step)
    return reach.least + (min(max(value, reach.least), reach.most) - reach.least) // step * step


def _range(device: ControlDevice, name: str) -> _Range | None:
    """What a control may be set to, None when the camera has none."""
    asked = _QUERY_LAYOUT.pack(_IDS[name], 0, b"", 0, 0, 0, 0, 0, 0, 0)
    try:
        answer = _QUERY_LAYOUT.unpack(device.ask(_QUERY, asked))
    except OSError:
        return None
    _, _, _, least, most, step, _, flags, _, _ = answer
    return None if flags & (_DISABLED | _READ_ONLY) else _Range(least, most, step)


def _get(device: ControlDevice, name: str) -> int | None:
    try:
        answer = device.ask(_GET, _CONTROL_LAYOUT.pack(_IDS[name], 0))
    except OSError:
        return None
    return int(_CONTROL_LAYOUT.unpack(answer)[1])


def _set(device: ControlDevice, name: str, value: int) -> bool:
    """Set a control and read it back: drivers may take a value and keep another."""
    try:
        device.ask(_SET, _CONTROL_LAYOUT.pack(_IDS[name], value))
    except OSError:
        return False
    return _get(device, name) == value


def locking_opener(controls: Mapping[str, int]) -> Callable[..., Camera]:
    """`open_camera` that sets what a calibration has locked, every time: a camera forgets it with its power."""

    def open_locked(source: str, *, size_px: tuple[int, int] | None = None) -> Camera:
        camera = open_camera(source, size_px=size_px)
        if controls:
            lock = lock_source(source, controls)
            changed = [name for name, value in controls.items() if lock.values.get(name) != value]
            if changed:
                _LOG.warning(
                    "the camera %s does not keep its %s as calibrated", controls_path(source), ", ".join(changed)
                )
        return camera

    return open_locked
