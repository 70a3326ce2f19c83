import itertools
import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from hardware.camera import BACK_ENDS, open_camera
from hardware.cameras.live import LiveCamera
from hardware.cameras.network import open_camera as open_network
from hardware.cameras.pacing import Pacer
from hardware.cameras.usb import open_camera as open_usb
from hardware.cameras.video import VideoCamera
from hardware.errors import DeviceAbsentError, DeviceMisconfiguredError, HardwareError, ProtocolError
from hardware.video_writer import VideoWriter

SIZE_PX = (160, 120)
FRAMES = 12
MS = 1_000_000


def flat(value):
    return np.full((SIZE_PX[1], SIZE_PX[0], 3), value, dtype=np.uint8)


def write_video(path, fps=25.0, frames=FRAMES, times=None):
    with VideoWriter(path, SIZE_PX, fps) as writer:
        for index in range(frames):
            writer.write(flat(20 * index), None if times is None else times[index])
    return path


@pytest.fixture
def video(tmp_path):
    return write_video(tmp_path / "clip.mp4")


class FakeTime:
    def __init__(self):
        self.now_ns = 5_000_000_000

    def clock_ns(self):
        return self.now_ns

    def sleep_s(self, duration_s):
        assert duration_s > 0
        self.now_ns += round(duration_s * 1e9)

    def pacer(self, speed=1.0):
        return Pacer(clock_ns=self.clock_ns, sleep_s=self.sleep_s, speed=speed)


class FakeCapture:
    """Answers as a V4L2 camera does: it takes the nearest mode that it has."""

    def __init__(self, *, opened=True, size_px=SIZE_PX, fps=60.0, pictures=5):
        self.opened, self.size_px, self.fps, self.left = opened, size_px, fps, pictures
        self.asked, self.released = [], False

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


@pytest.fixture(params=[open_file, open_paced_file, open_image, open_fake_usb, open_tcp_stream])
def camera(request, tmp_path):
    with request.param(tmp_path) as opened:
        yield opened


def all_frames(camera, limit=100):
    """Read to the end; a live camera's end is its loss."""
    frames = []
    try:
        while len(frames) < limit and (frame := camera.read()) is not None:
            frames.append(frame)
    except DeviceAbsentError:
        assert camera.is_live
    return frames


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


# Video files.


def test_a_video_tells_its_frames_times_from_its_start(video):
    with open_camera(f"file:{video}") as camera:
        frames = all_frames(camera)
    assert [frame.t_ns for frame in frames] == [index * 40 * MS for index in range(FRAMES)]
    assert [frame.index for frame in frames] == list(range(FRAMES))


@pytest.mark.parametrize("fps", [15.0, 29.97, 30000 / 1001, 60.0, 59.94, 120.0])
def test_a_video_of_any_rate_has_exact_times(tmp_path, fps):
    with open_camera(str(write_video(tmp_path / "clip.mp4", fps))) as camera:
        assert camera.fps == pytest.approx(fps, rel=1e-4)
        for frame in all_frames(camera):
            assert frame.t_ns == pytest.approx(frame.index / fps * 1e9, abs=1000)


def test_a_video_with_uneven_times_keeps_them(tmp_path):
    times = [0, 0.04, 0.06, 0.2, 0.21, 0.3, 0.5, 0.52, 0.7, 0.71, 0.8, 1.0]
    with open_camera(str(write_video(tmp_path / "clip.mp4", times=times))) as camera:
        assert [frame.t_ns / 1e9 for frame in all_frames(camera)] == pytest.approx(times, abs=2e-5)


def test_a_video_decodes_to_what_was_written(video):
    with open_camera(str(video)) as camera:
        for frame in all_frames(camera):
            assert abs(float(frame.pixels.mean()) - 20 * frame.index) < 4


def test_a_looping_video_goes_on_counting(video):
    with open_camera(f"file:{video}?loop=1") as camera:
        frames = all_frames(camera, 2 * FRAMES + 3)
    assert [frame.t_ns for frame in frames] == [index * 40 * MS for index in range(2 * FRAMES + 3)]
    assert frames[-1].pixels.mean() == pytest.approx(frames[2].pixels.mean(), abs=1)


def test_a_paced_video_keeps_the_clocks_time(video):
    time = FakeTime()
    with VideoCamera(video, pacer=time.pacer()) as camera:
        start_ns = time.now_ns
        for index in range(3):
            frame = camera.read()
            assert frame.t_ns == start_ns + index * 40 * MS
            assert time.now_ns == frame.t_ns


def test_a_paced_video_passes_over_what_came_too_late(video):
    time = FakeTime()
    with VideoCamera(video, pacer=time.pacer()) as camera:
        start_ns = time.now_ns
        camera.read()
        time.now_ns += 170 * MS  # the reader was busy for four frames
        late = camera.read()
    assert late.index == 4
    assert late.t_ns == start_ns + 160 * MS
    assert abs(float(late.pixels.mean()) - 80) < 4


# What can be wrong.


def test_a_missing_file_is_absent(tmp_path):
    with pytest.raises(DeviceAbsentError, match=r"there is no file .*nothing\.mp4"):
        open_camera(str(tmp_path / "nothing.mp4"))


def test_a_folder_is_no_video(tmp_path):
    with pytest.raises(DeviceMisconfiguredError, match="is a folder"):
        open_camera(str(tmp_path))


def test_a_torn_video_is_told(tmp_path, video):
    torn = tmp_path / "torn.mp4"
    torn.write_bytes(video.read_bytes()[:600])
    with pytest.raises(ProtocolError, match="torn"):
        open_camera(str(torn))


def test_text_is_no_video(tmp_path):
    text = tmp_path / "notes.mp4"
    text.write_text("this is not a film\n" * 50, encoding="utf-8")
    with pytest.raises(ProtocolError, match=r"notes\.mp4"):
        open_camera(str(text))


def test_an_empty_picture_is_told(tmp_path):
    (tmp_path / "empty.png").touch()
    with pytest.raises(ProtocolError, match="no picture"):
        open_camera(str(tmp_path / "empty.png"))


def test_a_video_that_breaks_off_ends_with_a_warning(tmp_path, caplog):
    path = tmp_path / "clip.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 25, SIZE_PX)
    rng = np.random.default_rng(1)
    for _ in range(20):
        writer.write(rng.integers(0, 255, (SIZE_PX[1], SIZE_PX[0], 3), dtype=np.uint8))
    writer.release()
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with open_camera(str(path)) as camera:
        frames = all_frames(camera)
    assert 5 < len(frames) < 15
    assert "promised frames" in caplog.text


def test_another_size_than_asked_for_is_refused(video):
    with pytest.raises(DeviceMisconfiguredError, match="160x120 but 1280x720"):
        open_camera(str(video), size_px=(1280, 720))


@pytest.mark.parametrize("source", ["", "carrier-pigeon:7", "clip.mp4?lop=1", "clip.mp4?loop=perhaps"])
def test_an_address_that_makes_no_sense_is_refused(source):
    with pytest.raises(DeviceMisconfiguredError):
        open_camera(source)


def test_every_hardware_error_is_one_line(tmp_path):
    for source in ("", str(tmp_path), str(tmp_path / "x.mp4"), "usb:99", "tcp://127.0.0.1:9"):
        with pytest.raises(HardwareError) as caught:
            open_camera(source)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) > 20


def test_every_back_end_has_its_file():
    root = Path(__file__).parents[2]
    for module in BACK_ENDS.values():
        assert (root / (module.replace(".", "/") + ".py")).exists()


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


# The writer.


def test_the_writer_refuses_odd_sizes(tmp_path):
    with pytest.raises(DeviceMisconfiguredError, match="even"):
        VideoWriter(tmp_path / "odd.mp4", (161, 120), 25)


def test_the_writer_refuses_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(HardwareError, match=r"gone.*clip\.mp4"):
        VideoWriter(tmp_path / "gone" / "clip.mp4", SIZE_PX, 25)


def test_the_writer_refuses_frames_of_another_size_and_times_that_go_back(tmp_path):
    with VideoWriter(tmp_path / "clip.mp4", SIZE_PX, 25) as writer:
        writer.write(flat(1), 0.5)
        with pytest.raises(DeviceMisconfiguredError, match="not later"):
            writer.write(flat(1), 0.5)
        with pytest.raises(DeviceMisconfiguredError, match="shape"):
            writer.write(np.zeros((10, 10, 3), dtype=np.uint8))
