import dataclasses
import itertools
import socket
import threading
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer

import av
import cv2
import numpy as np
import pytest
from camera_stand_ins import MS, SIZE_PX, FakeTime, all_frames, flat, write_video

from hardware.camera import open_camera
from hardware.cameras.live import LiveCamera
from hardware.cameras.network import open_camera as open_network
from hardware.cameras.stamps import DriverStamps, StreamStamps
from hardware.cameras.usb import open_camera as open_usb
from hardware.cameras.video import VideoCamera
from hardware.errors import DeviceAbsentError, DeviceMisconfiguredError, HardwareError
from hardware.virtual.camera import VirtualCamera
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view
from hardware.virtual.scene import BallPose, Instant
from scoring.balls import WHITE_1
from scoring.table import Table


class FakeCapture:
    """Answers as a V4L2 camera does: it takes the nearest mode that it has."""

    def __init__(self, *, opened=True, size_px=SIZE_PX, fps=60.0, pictures=5):
        self.opened, self.size_px, self.fps, self.left = opened, size_px, fps, pictures
        self.asked, self.released = [], False
        self.stamp_ms, self.exposure = 0.0, 0.0

    def isOpened(self):  # noqa: N802
        return self.opened

    def set(self, prop, _):
        self.asked.append(prop)
        return True

    def get(self, prop):
        return {
            cv2.CAP_PROP_FRAME_WIDTH: self.size_px[0],
            cv2.CAP_PROP_FRAME_HEIGHT: self.size_px[1],
            cv2.CAP_PROP_FPS: self.fps,
            cv2.CAP_PROP_POS_MSEC: self.stamp_ms,
            cv2.CAP_PROP_EXPOSURE: self.exposure,
        }[prop]

    def grab(self):
        self.left -= 1
        return self.left >= 0

    def retrieve(self):
        return True, flat(7)

    def release(self):
        self.released = True


# Every back end: one way to open it with a handful of frames.


def open_file(tmp_path):
    return open_camera(str(write_video(tmp_path / "clip.mp4")))


def open_paced_file(tmp_path):
    return VideoCamera(write_video(tmp_path / "clip.mp4"), pacer=FakeTime().pacer())


def open_image(tmp_path):
    cv2.imwrite(str(tmp_path / "picture.png"), flat(90))
    return open_camera(str(tmp_path / "picture.png"))


def open_fake_usb(tmp_path):
    del tmp_path
    return open_usb("/dev/null?size=160x120&fps=60", lambda _: FakeCapture())


def open_tcp_stream(tmp_path):
    """MPEG-TS over TCP: the network back end against a sender on loopback."""
    clip = tmp_path / "stream.ts"
    with av.open(str(clip), "w") as container:
        stream = container.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = *SIZE_PX, "yuv420p"
        for index in range(50):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(flat(4 * index), format="bgr24")))
        container.mux(stream.encode(None))
    server = socket.create_server(("127.0.0.1", 0))

    def send():
        connection, _ = server.accept()
        with connection, server:
            connection.sendall(clip.read_bytes())

    threading.Thread(target=send, daemon=True).start()
    return open_network(f"tcp://127.0.0.1:{server.getsockname()[1]}")


@cache
def virtual_renderer(repeat_share=0.0):
    table = Table(length_mm=2840, width_mm=1420)
    look = dataclasses.replace(make_look(1, Difficulty.EASY), repeat_share=repeat_share)
    return Renderer(table, make_view(table, 1, Difficulty.EASY, (160, 90)), look)


class Wandering:
    """One ball that rolls for a fifth of a second."""

    table = Table(length_mm=2840, width_mm=1420)
    duration_s = 0.2

    def at(self, t_s):
        return Instant(balls=(BallPose(ball=WHITE_1, center_mm=(500 + 3000 * t_s, 0.0, 34.0)),))


def open_virtual(tmp_path):
    del tmp_path
    return VirtualCamera(virtual_renderer(), Wandering(), fps=50)


def open_paced_virtual(tmp_path):
    del tmp_path
    return VirtualCamera(virtual_renderer(), Wandering(), fps=50, pacer=FakeTime().pacer())


OPENERS = [open_file, open_paced_file, open_image, open_fake_usb, open_tcp_stream, open_virtual, open_paced_virtual]


@pytest.fixture(params=OPENERS)
def camera(request, tmp_path):
    with request.param(tmp_path) as opened:
        yield opened


def test_every_camera_gives_read_only_frames_of_the_promised_size(camera):
    frames = all_frames(camera)
    assert frames
    for frame in frames:
        assert frame.size_px == camera.size_px
        assert frame.pixels.dtype == np.uint8
        assert not frame.pixels.flags.writeable


def test_every_camera_counts_up_and_its_time_runs_forward(camera):
    frames = all_frames(camera)
    assert frames[0].index == 0
    assert all(later.index > earlier.index for earlier, later in itertools.pairwise(frames))
    assert all(later.t_ns > earlier.t_ns for earlier, later in itertools.pairwise(frames))


def test_every_camera_keeps_frames_that_were_read_apart(camera):
    frames = all_frames(camera)
    assert len({id(frame.pixels) for frame in frames}) == len(frames)
    assert not any(np.shares_memory(a.pixels, b.pixels) for a, b in itertools.pairwise(frames))


def test_every_camera_may_be_closed_twice_and_then_reads_no_more(camera):
    camera.read()
    camera.close()
    camera.close()
    with pytest.raises(DeviceAbsentError, match="open it again"):
        camera.read()


def test_every_camera_promises_a_sensible_rate(camera):
    assert 0 <= camera.fps < 1000


# Live cameras.


def test_an_unplugged_usb_camera_is_absent():
    with pytest.raises(DeviceAbsentError, match="/dev/video99"):
        open_camera("/dev/video99")


def test_a_usb_camera_in_use_is_told():
    with pytest.raises(DeviceAbsentError, match="another program"):
        open_usb("/dev/null", lambda _: FakeCapture(opened=False))


def test_a_usb_camera_that_cannot_do_what_was_asked_is_refused_and_let_go():
    capture = FakeCapture(size_px=(640, 480), fps=30.0)
    with pytest.raises(DeviceMisconfiguredError, match="640x480 at 30 fps"):
        open_usb("/dev/null?size=1280x720&fps=60", lambda _: capture)
    assert capture.released


def test_a_usb_camera_is_asked_for_format_before_size_before_rate():
    capture = FakeCapture()
    open_usb("/dev/null?size=160x120&fps=60", lambda _: capture)
    order = [cv2.CAP_PROP_FOURCC, cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT, cv2.CAP_PROP_FPS]
    assert capture.asked[:4] == order


def test_a_live_camera_stamps_frames_with_the_clock():
    time = FakeTime()
    camera = LiveCamera("cam", FakeCapture(), delay_ns=8 * MS, clock_ns=time.clock_ns)
    first = camera.read()
    time.now_ns += 16 * MS
    second = camera.read()
    assert first.t_ns == 5_000_000_000 - 8 * MS
    assert second.t_ns - first.t_ns == 16 * MS


def test_a_usb_camera_gives_the_drivers_times_when_they_can_be_true():
    time, capture = FakeTime(), FakeCapture()
    camera = LiveCamera("cam", capture, stamps=DriverStamps(), clock_ns=time.clock_ns)
    capture.stamp_ms = 4_990.0
    assert camera.read().t_ns == 4_990 * MS
    time.now_ns += 100 * MS
    capture.stamp_ms = 1_700_000_000_000.0  # the wall's clock
    assert camera.read().t_ns == 5_100 * MS


def test_a_usb_camera_tells_its_shutter():
    capture = FakeCapture()
    with open_usb("/dev/null?size=160x120&fps=60", lambda _: capture) as camera:
        assert camera.shutter_ms is None
        capture.exposure = 20.0
        assert camera.shutter_ms == 2.0


def test_pictures_of_a_stream_that_were_held_up_keep_their_times():
    stamps = StreamStamps()
    times = [stamps.t_ns(900_000 + 40.0 * k, (1_000 + 40 * k + (3 if k % 2 else 0)) * MS) for k in range(10)]
    held_up = [stamps.t_ns(900_000 + 40.0 * k, 1_900 * MS) for k in range(10, 20)]
    assert [later - earlier for earlier, later in itertools.pairwise(times + held_up)] == [40 * MS] * 19
    assert stamps.t_ns(0.0, 20_000 * MS) == 20_000 * MS  # it has begun again


def test_a_name_by_id_is_a_usb_camera():
    with pytest.raises(DeviceAbsentError, match="/dev/v4l/by-id/usb-camera"):
        open_camera("/dev/v4l/by-id/usb-camera-index0")


def test_a_live_camera_that_stops_is_absent_and_let_go():
    capture = FakeCapture(pictures=1)
    camera = LiveCamera("cam", capture)
    camera.read()
    with pytest.raises(DeviceAbsentError, match="no more pictures"):
        camera.read()
    assert capture.released


def test_nobody_at_the_address_is_absent_and_the_password_stays_secret():
    with pytest.raises(DeviceAbsentError) as caught:
        open_camera("http://anna:secret@127.0.0.1:9/stream")
    assert "secret" not in str(caught.value)
    assert "127.0.0.1:9" in str(caught.value)


def test_a_silent_camera_is_lost_after_two_seconds_not_thirty():
    class Silent(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=x")
            self.end_headers()
            jpeg = cv2.imencode(".jpg", flat(9))[1].tobytes()
            for _ in range(4):
                self.wfile.write(b"--x\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(jpeg))
                self.wfile.write(jpeg + b"\r\n")
            self.wfile.flush()
            done.wait(20)

        def log_message(self, *_):
            pass

    done = threading.Event()
    server = HTTPServer(("127.0.0.1", 0), Silent)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with open_camera(f"http://127.0.0.1:{server.server_port}/") as camera:
            began = cv2.getTickCount()
            assert 0 < len(all_frames(camera)) < 10
            assert (cv2.getTickCount() - began) / cv2.getTickFrequency() < 8
    finally:
        done.set()
        server.shutdown()
        server.server_close()


# The virtual table.


def test_the_virtual_camera_films_a_scene_from_its_start_to_its_end():
    with VirtualCamera(virtual_renderer(), Wandering(), fps=50) as camera:
        frames = all_frames(camera)
    assert [frame.t_ns for frame in frames] == [index * 20 * MS for index in range(10)]
    assert np.abs(frames[0].pixels.astype(int) - frames[9].pixels).max() > 60


def test_the_virtual_camera_in_real_time_drops_what_comes_too_late():
    time = FakeTime()
    with VirtualCamera(virtual_renderer(), Wandering(), fps=50, pacer=time.pacer()) as camera:
        start_ns = time.now_ns
        assert camera.read().t_ns == start_ns
        time.now_ns += 65 * MS
        late = camera.read()
    assert late.index == 3
    assert late.t_ns == start_ns + 60 * MS


def test_the_virtual_camera_may_run_faster_than_the_clock():
    time = FakeTime()
    with VirtualCamera(virtual_renderer(), Wandering(), fps=50, pacer=time.pacer(speed=4.0)) as camera:
        start_ns = time.now_ns
        frames = all_frames(camera)
    assert frames[-1].t_ns - start_ns == 180 * MS
    assert time.now_ns - start_ns == 45 * MS


def test_a_bad_virtual_camera_repeats_frames():
    with VirtualCamera(virtual_renderer(0.5), Wandering(), fps=50) as camera:
        frames = all_frames(camera)
    repeated = [np.array_equal(a.pixels, b.pixels) for a, b in itertools.pairwise(frames)]
    assert 0 < sum(repeated) < len(repeated)


@pytest.mark.parametrize(
    "address",
    ["kaisa?seed=x", "kaisa?strokes=0", "kaisa?difficulty=absurd", "kaisa?width=5", "kaisa?speed=2", "kaisa?size=1x1"],
)
def test_a_virtual_table_that_makes_no_sense_is_refused(address):
    with pytest.raises(DeviceMisconfiguredError):
        open_camera(f"virtual:{address}")


def test_a_virtual_match_can_be_opened_by_its_name():
    with open_camera("virtual:kaisa?strokes=1&seed=2&size=320x180", size_px=(320, 180)) as camera:
        first, second = camera.read(), camera.read()
    assert second.t_ns - first.t_ns == round(1e9 / camera.fps)
    assert first.pixels.std() > 10


def test_an_unknown_virtual_game_is_refused():
    with pytest.raises(HardwareError, match="croquet"):
        open_camera("virtual:croquet?strokes=1")
