"""A camera's table process: losses are told, healed and looked at with fresh eyes; sensors never stop the camera."""

import contextlib
import time
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.store import save_table_file
from hardware.errors import DeviceAbsentError
from hardware.eyesight import CameraHealth, Trouble
from hardware.frame import Frame
from hardware.signals import LinkState
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view, true_table_file
from hardware.virtual.scene import BallPose, Instant
from hardware.virtual.streaming import MjpegServer
from scoring.balls import WHITE_1
from scoring.table import Table
from server import watching
from server.board import health_out
from server.config import HallConfig, SensorConfig, ServerConfig, TableConfig
from server.hub import Hub
from server.journal import Journal
from server.messages import CameraFigures, Finished, Opened, Places, Vitals
from server.standing import Standing
from server.table_cameras import TableCameras
from server.table_process import TableTask
from server.text import catalogue

TABLE = Table(length_mm=2840, width_mm=1420)
SIZE_PX, FPS = (640, 360), 10
NS = 1_000_000_000


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    """A table file, and JPEGs of its table that differ by a camera's noise."""
    path = tmp_path_factory.mktemp("table") / "table.toml"
    look = make_look(3, Difficulty.EASY, length_mm=2840, width_mm=1420)
    camera = make_view(TABLE, 3, Difficulty.EASY, SIZE_PX)
    save_table_file(replace(true_table_file(TABLE, camera, look), fps=FPS), path)
    renderer = Renderer(TABLE, camera, look)
    balls = (BallPose(ball=WHITE_1, center_mm=(900.0, -100.0, 34.0)),)
    stills = [renderer.still(Instant(balls=balls), index / FPS) for index in range(6)]
    return path, [cv2.imencode(".jpg", still)[1].tobytes() for still in stills]


@pytest.fixture
def server(scene):
    with MjpegServer(scene[1], fps=FPS) as made:
        yield made


def told_until(messages, is_so, limit_s):
    """What is told up to the message that is asked for."""
    told, deadline_s = [], time.monotonic() + limit_s
    for message in messages:
        told.append(message)
        if is_so(message):
            return told
        assert time.monotonic() < deadline_s, told[-3:]
    pytest.fail("the messages have ended")


def has_trouble(trouble):
    return lambda message: isinstance(message, Vitals) and message.trouble == trouble


def config_of(scene, source, **more):
    return TableConfig(id="one", name="One", source=source, table_file=scene[0], **more)


def test_a_cut_camera_is_said_on_the_board_within_three_seconds_and_comes_back_with_fresh_eyes(scene, server, tmp_path):
    config = config_of(scene, server.address)
    database = f"sqlite:///{tmp_path / 'j.sqlite'}"
    hub = Hub(HallConfig(server=ServerConfig(database=database), tables=(config,)), lambda: Journal.open(database))
    hub.open()
    hub.process_started("one")
    messages = watching.watch(TableTask(config=config))
    with contextlib.closing(messages), contextlib.closing(hub):
        seen = told_until(messages, lambda message: isinstance(message, Vitals) and message.frames > 5, 20)
        assert len([message for message in seen if isinstance(message, Opened)]) == 1
        assert seen[-1].trouble is None
        assert seen[-1].fps > 0
        server.cut()
        cut_s = time.monotonic()
        told = told_until(messages, has_trouble("no_picture"), 3)
        hub.receive("one", told[-1])
        assert time.monotonic() - cut_s < 3
        health = health_out(hub, hub.table("one"), catalogue("en"))
        assert health.state == "failed"
        assert "127.0.0.1" in health.detail
        assert not any(isinstance(message, Opened) for message in told)
        server.come_back()
        back = told_until(messages, lambda message: isinstance(message, Places), 10)
        assert len([message for message in back if isinstance(message, Opened)]) == 1
        well = told_until(messages, lambda message: isinstance(message, Vitals) and message.trouble is None, 10)[-1]
        assert well.frames > seen[-1].frames
        assert abs(well.picture_ns - time.monotonic_ns()) < 2 * NS


def test_sensors_that_are_absent_are_said_and_the_camera_goes_on(scene, server):
    sensors = SensorConfig(url="/dev/cuemarker-no-such-port")
    messages = watching.watch(TableTask(config=config_of(scene, server.address, sensors=sensors)))
    with contextlib.closing(messages):
        vitals = told_until(messages, has_trouble("sensors_lost"), 20)[-1]
        assert "no-such-port" in vitals.detail
        told_until(messages, lambda message: isinstance(message, Places), 5)


def test_a_camera_that_is_not_there_is_said_and_waited_for(scene, server):
    server.cut()
    messages = watching.watch(TableTask(config=config_of(scene, server.address)))
    with contextlib.closing(messages):
        vitals = told_until(messages, has_trouble("no_picture"), 10)[-1]
        assert vitals.picture_ns is None
        assert "no camera answers" in vitals.detail
        server.come_back()
        told_until(messages, lambda message: isinstance(message, Places), 10)


class FakePipeline:
    """Sees nothing."""

    def __init__(self):
        self.witness, self.sighting, self.table_file, self.steps = self, None, self, 0
        self.table, self.positions, self.moving, self.is_finished = TABLE, {}, frozenset(), False
        self.ailment = None

    def tracks(self):
        return ()

    def provisional(self):
        return ()

    def step(self, *_):
        self.steps += 1
        return ()

    def finish(self):
        self.is_finished = True
        return ()


class FakeCameras(TableCameras):
    """One camera without a table file that stands as it should."""

    def __init__(self):
        path = Path("none.toml")
        config = TableConfig(id="t", name="T", source="usb:0", table_file=path)
        super().__init__(config=config, standings=(Standing(path=path, source="usb:0"),), desks=(self,), balls=())
        self.opened, self.fps = [], 0.0

    def eyes(self):
        self.opened.append(FakePipeline())
        return self.opened[-1]

    def take_news(self):
        return False

    def see(self, _):
        pass


class FakeWatch:
    """Gives a frame or None, with a health, for each of `moments`; then it is over."""

    def __init__(self, *moments):
        self.moments, self.now = list(moments), None

    @property
    def is_over(self):
        return not self.moments

    def next(self, _):
        frame, self.now = self.moments.pop(0)
        return frame

    def health(self, *_):
        return self.now


def frame(index):
    return Frame(t_ns=index * NS, index=index, pixels=np.zeros((2, 2, 3), np.uint8))


def health(**more):
    return CameraHealth(**({"state": LinkState.READY, "age_s": 0.0, "opened": 1} | more))


BLIND = health(trouble=Trouble.FROZEN, detail="it repeats its last picture")


def follow(*moments):
    """The messages of a watch, and the eyes that were used."""
    cameras = FakeCameras()
    return list(watching._follow(FakeWatch(*moments), None, None, cameras)), cameras.opened


def test_a_short_gap_is_bridged_and_what_was_open_is_told_at_the_end_only():
    messages, eyes = follow((frame(0), health()), (None, health()), (frame(1), health()))
    assert sum(isinstance(message, Opened) for message in messages) == 1
    assert [one.is_finished for one in eyes[-1:]] == [True]
    assert eyes[-1].steps == 2


@pytest.mark.parametrize("between", [[(None, BLIND)], []])
def test_after_blindness_or_another_opening_nothing_is_concluded_from_before(between):
    messages, eyes = follow((frame(0), health()), *between, (frame(1), health(opened=2 - len(between))))
    assert sum(isinstance(message, Opened) for message in messages) == 2
    assert [(one.steps, one.is_finished) for one in eyes[-2:]] == [(1, False), (1, True)]


def test_pictures_that_came_too_fast_are_counted_as_the_camera_counts_them():
    messages, _ = follow((frame(0), health(dropped=7)))
    assert [message.dropped for message in messages if isinstance(message, Vitals)] == [7]


def test_a_rate_that_is_wrong_is_told_while_the_table_is_seen():
    messages, _ = follow((frame(0), health(trouble=Trouble.SLOW, detail="5 instead of 60")))
    (vitals,) = [message for message in messages if isinstance(message, Vitals)]
    assert (vitals.trouble, vitals.detail) == ("camera_rate", "5 instead of 60")


def test_what_the_camera_achieves_is_told():
    messages, _ = follow((frame(0), health(fps=29.5, torn=2, opened=3, shutter_ms=4.0)))
    (vitals,) = [message for message in messages if isinstance(message, Vitals)]
    assert vitals.camera == CameraFigures(fps=29.5, torn=2, opened=3, shutter_ms=4.0)


def test_a_driver_that_hangs_ends_the_process():
    with pytest.raises(DeviceAbsentError, match="driver hangs"):
        follow((frame(0), health()), (None, health(must_restart=True, trouble=Trouble.NO_PICTURE)))


@pytest.fixture
def recording(scene, tmp_path):
    path = tmp_path / "still.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 30.0, SIZE_PX)
    for body in scene[1]:
        writer.write(cv2.imdecode(np.frombuffer(body, np.uint8), cv2.IMREAD_COLOR))
    writer.release()
    return path


def places_told(config):
    messages = watching.watch(TableTask(config=config))
    with contextlib.closing(messages):
        told = told_until(messages, lambda message: isinstance(message, Finished), 30)
    return sum(isinstance(message, Places) for message in told)


def test_a_recording_is_seen_picture_by_picture_and_ends(scene, recording):
    assert places_told(config_of(scene, str(recording))) == len(scene[1])


def test_a_recording_at_the_pace_of_life_is_a_camera_that_ends(scene, recording):
    assert 1 <= places_told(config_of(scene, f"file:{recording}?realtime=1")) <= len(scene[1])
