"""Locking a USB camera's automatics, against a device that answers like a usual UVC webcam."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from hardware.cameras import controls
from hardware.cameras.controls import CameraLock, controls_path, lock_controls, lock_source, locking_opener

QUERY, GET, SET = 0xC0445624, 0xC008561B, 0xC008561C
# Answers to VIDIOC_QUERYCTRL: id, (type, least, most, step, default, flags), and its values at the time.
ANSWERS = {
    0x009A0901: ((3, 0, 3, 1, 3, 0x000), 3),  # exposure, auto: aperture priority
    0x009A0902: ((1, 3, 2047, 1, 250, 0x010), 157),  # exposure time, absolute: inactive while automatic
    0x009A0903: ((2, 0, 1, 1, 0, 0x000), 1),  # exposure, dynamic frame rate
    0x00980913: ((1, 0, 255, 1, 0, 0x000), 96),  # gain
    0x0098090C: ((2, 0, 1, 1, 1, 0x000), 1),  # white balance, automatic
    0x0098091A: ((1, 2000, 6500, 10, 4000, 0x010), 4237),  # white balance temperature
    0x009A090C: ((2, 0, 1, 1, 1, 0x000), 1),  # focus, automatic continuous
    0x009A090A: ((1, 0, 250, 5, 0, 0x010), 35),  # focus, absolute
}
AUTOMATIC_OF = {0x009A0902: (0x009A0901, 1), 0x0098091A: (0x0098090C, 0), 0x009A090A: (0x009A090C, 0)}


@dataclass
class FakeDevice:
    """The kernel's side: refuses what it has not, and manual values while the automatic is on."""

    known: dict[int, tuple[tuple[int, ...], int]] = field(default_factory=lambda: dict(ANSWERS))
    stubborn: frozenset[int] = frozenset()
    sets: list[tuple[int, int]] = field(default_factory=list)

    def ask(self, request: int, argument: bytes) -> bytes:
        (number,) = struct.unpack_from("=I", argument)
        if number not in self.known:
            raise OSError(22, "Invalid argument")
        (kind, least, most, step, default, flags), value = self.known[number]
        if request == QUERY:
            return struct.pack("=II32siiiiIII", number, kind, b"", least, most, step, default, flags, 0, 0)
        if request == GET:
            return struct.pack("=Ii", number, value)
        assert request == SET
        (wanted,) = struct.unpack_from("=i", argument, 4)
        automatic = AUTOMATIC_OF.get(number)
        if automatic is not None and self.known[automatic[0]][1] != automatic[1]:
            raise OSError(13, "Permission denied")
        if not least <= wanted <= most or (wanted - least) % step:
            raise OSError(34, "Numerical result out of range")
        if number not in self.stubborn:
            self.known[number] = (self.known[number][0], wanted)
        self.sets.append((number, wanted))
        return argument


def test_automatics_are_switched_off_and_what_they_had_chosen_stays() -> None:
    device = FakeDevice()
    lock = lock_controls(device)
    assert lock == CameraLock(values={"exposure": 157, "gain": 96, "white_balance": 4230, "focus": 35})
    assert lock.exposure_ms == pytest.approx(15.7)
    assert [device.known[number][1] for number in (0x009A0901, 0x009A0903, 0x0098090C, 0x009A090C)] == [1, 0, 0, 0]


def test_a_calibrations_values_are_set_again_and_brought_into_the_cameras_range() -> None:
    device = FakeDevice()
    lock = lock_controls(device, {"exposure": 40, "gain": 300, "focus": 33})
    assert lock.values == {"exposure": 40, "gain": 255, "white_balance": 4230, "focus": 30}
    assert device.known[0x009A0902][1] == 40


def test_an_automatic_that_does_not_let_go_is_told() -> None:
    lock = lock_controls(FakeDevice(stubborn=frozenset({0x0098090C})))
    assert lock.loose == ("white balance",)
    assert set(lock.values) == {"exposure", "gain", "focus"}


def test_a_camera_without_controls_is_neither_locked_nor_blamed() -> None:
    assert lock_controls(FakeDevice(known={})) == CameraLock()


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("usb:0?size=1280x720", "/dev/video0"),
        ("usb:/dev/v4l/by-id/cam-index0", "/dev/v4l/by-id/cam-index0"),
        ("/dev/video2", "/dev/video2"),
        ("rtsp://camera/1", None),
        ("match.mp4", None),
    ],
)
def test_the_device_behind_an_address(source: str, path: str | None) -> None:
    assert controls_path(source) == path


def test_a_device_that_cannot_be_opened_changes_everything_by_itself() -> None:
    assert lock_source("usb:/dev/video-that-is-not-there").loose == ("exposure", "gain", "white balance", "focus")
    assert lock_source("match.mp4") == CameraLock()


def test_whenever_a_camera_is_opened_it_is_locked_as_calibrated(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    device, opened = FakeDevice(), []

    @contextmanager
    def device_at(_: str) -> Iterator[FakeDevice]:
        yield device

    monkeypatch.setattr(controls, "open_controls", device_at)
    monkeypatch.setattr(controls, "open_camera", lambda source, size_px=None: opened.append((source, size_px)))
    locking_opener({"exposure": 40, "gain": 10})("usb:0", size_px=(1280, 720))
    assert opened == [("usb:0", (1280, 720))]
    assert (device.known[0x009A0902][1], device.known[0x00980913][1]) == (40, 10)
    assert not caplog.records
    locking_opener({"exposure": 1})("usb:0")
    assert "exposure" in caplog.text
