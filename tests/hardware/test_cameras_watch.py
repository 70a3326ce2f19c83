"""The watch over a camera, with drivers and sources that no server can play: they lie, hang, die, or have an end."""

import itertools
import threading
import time

import cv2
import numpy as np
import pytest

from hardware.camera_watch import CameraWatch
from hardware.cameras.live import LiveCamera
from hardware.errors import DeviceAbsentError
from hardware.eyesight import Eyesight, Trouble
from hardware.frame import Frame

SIZE_PX = (160, 120)
FPS = 25
NS = 1_000_000_000


def noisy(seed):
    return np.random.default_rng(seed).integers(60, 200, (SIZE_PX[1], SIZE_PX[0], 3), dtype=np.uint8)


class Deaf:
    """OpenCV's capture of a camera that has been pulled out while it says that all is well."""

    def __init__(self, cable):
        self.cable, self.count, self.pixels = cable, 0, noisy(0)

    def grab(self):
        time.sleep(1 / FPS)
        return True

    def retrieve(self):
        if self.cable.is_set():
            self.count += 1
            self.pixels = noisy(self.count)
        return True, self.pixels.copy()

    def get(self, prop):
        return {cv2.CAP_PROP_FRAME_WIDTH: SIZE_PX[0], cv2.CAP_PROP_FRAME_HEIGHT: SIZE_PX[1]}.get(prop, 0.0)

    def release(self):
        pass


def test_a_camera_that_succeeds_after_unplugging_is_told_and_healed(make_viewer):
    cable = threading.Event()
    cable.set()

    def opener(name, *, size_px):
        assert size_px in {None, SIZE_PX}
        return LiveCamera(name, Deaf(cable))

    with CameraWatch("usb:0", opener=opener) as watch:
        viewer = make_viewer(watch)
        viewer.is_healed()
        cable.clear()
        viewer.is_told(Trouble.FROZEN)
        cable.set()
        viewer.is_healed()


def test_the_password_of_a_camera_is_told_to_nobody(make_viewer):
    with CameraWatch("http://anna:secret@127.0.0.1:9/stream") as watch:
        viewer = make_viewer(watch)
        viewer.is_told(Trouble.ABSENT)
        viewer.look(0.3)
        assert "secret" not in watch.health().detail
        assert "127.0.0.1:9" in watch.health().detail


class Hanging:
    """A camera whose driver never comes back from a read."""

    size_px, fps, is_live = SIZE_PX, 25.0, True

    def __init__(self, release):
        self.release, self.count = release, 0

    def read(self):
        self.count += 1
        if self.count > 3:
            self.release.wait(60)
            message = "gone"
            raise DeviceAbsentError(message)
        time.sleep(0.02)
        return Frame(t_ns=time.monotonic_ns(), index=self.count - 1, pixels=noisy(self.count))

    def close(self):
        pass


def test_a_read_that_never_ends_is_told_and_left_behind(monkeypatch, make_viewer):
    monkeypatch.setattr("hardware.camera_watch._HANGS_S", 2.2)
    release = threading.Event()
    opened = []

    def opener(_, *, size_px):
        assert size_px in {None, SIZE_PX}
        opened.append(Hanging(release))
        return opened[-1]

    try:
        with CameraWatch("rtsp://camera/1", opener=opener) as watch:
            viewer = make_viewer(watch)
            viewer.s_until(lambda health: health.frames == 3, 2)
            viewer.is_told(Trouble.NO_PICTURE)
            viewer.s_until(lambda health: health.frames == 6, 5)
            viewer.s_until(lambda health: health.must_restart, 8)
            assert len(opened) == 3  # no more threads than that hang
    finally:
        release.set()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_reader_that_dies_of_a_bug_is_begun_again(make_viewer):
    opened = []

    def opener(name, *, size_px):
        del size_px
        opened.append(name)
        if len(opened) == 1:
            message = "a bug"
            raise KeyError(message)
        cable = threading.Event()
        cable.set()
        return LiveCamera(name, Deaf(cable))

    with CameraWatch("usb:0", opener=opener) as watch:
        make_viewer(watch).is_healed()
    assert len(opened) == 2


def test_a_recording_is_read_to_its_end_and_its_still_pictures_are_no_fault(tmp_path, make_viewer):
    path = tmp_path / "still.png"
    cv2.imwrite(str(path), noisy(1))
    with CameraWatch(str(path)) as watch:
        viewer = make_viewer(watch)
        end_s = time.monotonic() + 5
        while not watch.is_over and time.monotonic() < end_s:
            viewer.look(0.05)
        assert watch.is_over
        assert watch.health().trouble is None
    assert len(viewer.frames) == 1


def test_noise_is_no_frozen_picture_and_a_dark_hall_is_no_black_one():
    eyes, pixels = Eyesight(), np.full((120, 160, 3), 20, np.uint8)
    for number in range(60):
        noisy_pixels = pixels.copy()
        noisy_pixels[number % 120, 0, 0] += 1
        eyes.see(Frame(t_ns=number, index=number, pixels=noisy_pixels), number * NS // 20)
    assert eyes.trouble(60 * NS // 20) is None


class Night:
    """A camera in a hall without light."""

    size_px, fps, is_live = SIZE_PX, 25.0, True

    def __init__(self):
        self.count = 0

    def read(self):
        time.sleep(0.02)
        self.count += 1
        return Frame(t_ns=time.monotonic_ns(), index=self.count - 1, pixels=np.zeros((120, 160, 3), np.uint8))

    def close(self):
        pass


def test_a_hall_without_light_has_its_cameras_opened_less_and_less_often(make_viewer, monkeypatch):
    monkeypatch.setattr("hardware.camera_watch._REOPEN_S", 1.3)
    opened_s = []

    def opener(_, *, size_px):
        assert size_px in {None, SIZE_PX}
        opened_s.append(time.monotonic())
        return Night()

    with CameraWatch("usb:0", opener=opener) as watch:
        viewer = make_viewer(watch)
        viewer.is_told(Trouble.BLACK)
        viewer.look(9)
        assert watch.health().trouble is Trouble.BLACK
    waits_s = [later - earlier for earlier, later in itertools.pairwise(opened_s)]
    assert len(waits_s) >= 2
    assert waits_s[-1] > waits_s[0] + 0.5
