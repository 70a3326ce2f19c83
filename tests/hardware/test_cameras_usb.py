"""The V4L2 back end against a driver's manners as recorded of a usual camera: it takes the nearest mode that it has."""

import cv2
import numpy as np
import pytest

from hardware.camera_watch import CameraWatch
from hardware.cameras.usb import open_camera
from hardware.errors import DeviceAbsentError, DeviceMisconfiguredError

# As `v4l2-ctl --list-formats-ext` lists them: a size's rates by format; compressed pictures come faster.
MODES = {
    "MJPG": {(640, 480): [60, 30], (1280, 720): [60, 30], (1920, 1080): [30, 15]},
    "YUYV": {(640, 480): [30, 15], (1280, 720): [10, 5], (1920, 1080): [5]},
}


class Driver:
    """What OpenCV's V4L2 capture answers: a format that is unknown leaves the one before, size and rate are rounded."""

    def __init__(self, path):
        self.path, self.is_released, self.count = path, False, 0
        self.format, self.size_px, self.rate = "YUYV", (640, 480), 30.0
        self.width = 640

    def isOpened(self):  # noqa: N802
        return True

    def set(self, prop, value):
        match prop:
            case cv2.CAP_PROP_FOURCC:
                code = int(value).to_bytes(4, "little").decode("ascii")
                self.format = code if code in MODES else self.format
            case cv2.CAP_PROP_FRAME_WIDTH:
                self.width = int(value)
            case cv2.CAP_PROP_FRAME_HEIGHT:
                asked = (self.width, int(value))
                self.size_px = min(
                    MODES[self.format], key=lambda size: abs(size[0] - asked[0]) + abs(size[1] - asked[1])
                )
                self.rate = float(MODES[self.format][self.size_px][0])
            case cv2.CAP_PROP_FPS:
                self.rate = float(min(MODES[self.format][self.size_px], key=lambda rate: abs(rate - value)))
        return True

    def get(self, prop):
        width, height = self.size_px
        told = {cv2.CAP_PROP_FRAME_WIDTH: width, cv2.CAP_PROP_FRAME_HEIGHT: height, cv2.CAP_PROP_FPS: self.rate}
        return float(told.get(prop, 0))

    def grab(self):
        self.count += 1
        return not self.is_released

    def retrieve(self):
        return True, np.full((self.size_px[1], self.size_px[0], 3), self.count % 200, np.uint8)

    def release(self):
        self.is_released = True


@pytest.fixture
def plugged(tmp_path):
    """A camera's stable name, and the devices behind which it was opened."""
    (tmp_path / "video0").touch()
    name = tmp_path / "usb-Maker_Camera_1234-video-index0"
    name.symlink_to(tmp_path / "video0")
    return name, []


def opened(name, drivers, options=""):
    def opener(path):
        drivers.append(Driver(path))
        return drivers[-1]

    return open_camera(f"{name}{options}", opener)


@pytest.mark.parametrize(
    ("options", "size_px", "fps"),
    [
        ("", (1280, 720), 30),
        ("?fps=60", (1280, 720), 60),
        ("?size=640x480&fps=60", (640, 480), 60),
        ("?size=1920x1080&fps=30", (1920, 1080), 30),
        ("?size=1280x720&fps=10&format=YUYV", (1280, 720), 10),
    ],
)
def test_a_mode_that_the_camera_has_is_what_it_sends(plugged, options, size_px, fps):
    name, drivers = plugged
    with opened(name, drivers, options) as camera:
        assert (camera.size_px, camera.fps) == (size_px, fps)
        assert camera.read().size_px == size_px


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("?size=1920x1080&fps=60", "1920x1080 at 30 fps"),
        ("?size=1280x720&fps=30&format=YUYV", "1280x720 at 10 fps"),
        ("?size=1024x768", "1280x720 at 30 fps"),
        ("?fps=50", "1280x720 at 60 fps"),
    ],
)
def test_a_mode_that_it_lacks_is_refused_with_what_it_would_send_and_the_device_is_let_go(plugged, options, told):
    name, drivers = plugged
    with pytest.raises(DeviceMisconfiguredError, match=f"sends {told}; ask for what it can"):
        opened(name, drivers, options)
    assert drivers[0].is_released


@pytest.mark.parametrize("options", ["?size=big", "?fps=fast", "?format=JPEG2", "?exposure_of=1"])
def test_options_without_sense_are_refused_before_the_device_is_opened(plugged, options):
    name, drivers = plugged
    with pytest.raises(DeviceMisconfiguredError):
        opened(name, drivers, options)
    assert drivers == []


def test_its_stable_name_is_followed_to_another_device(plugged, tmp_path):
    name, drivers = plugged
    opened(name, drivers).close()
    name.unlink()
    with pytest.raises(DeviceAbsentError, match="no camera is plugged in at"):
        opened(name, drivers)
    (tmp_path / "video2").touch()
    name.symlink_to(tmp_path / "video2")
    opened(name, drivers).close()
    assert [driver.path for driver in drivers] == [str(tmp_path / "video0"), str(tmp_path / "video2")]


def test_a_camera_pulled_out_and_plugged_in_elsewhere_is_found_by_the_watch(plugged, tmp_path, make_viewer):
    name, drivers = plugged

    def opener(source, *, size_px):
        assert size_px in {None, (1280, 720)}
        return opened(source, drivers)

    with CameraWatch(str(name), opener=opener) as watch:
        viewer = make_viewer(watch)
        viewer.is_healed()
        name.unlink()
        drivers[-1].release()
        viewer.s_until(lambda health: health.is_blind, 2)
        assert "plugged in" in watch.health().detail or "sends no more" in watch.health().detail
        (tmp_path / "video4").touch()
        name.symlink_to(tmp_path / "video4")
        viewer.is_healed()
    assert drivers[-1].path == str(tmp_path / "video4")
