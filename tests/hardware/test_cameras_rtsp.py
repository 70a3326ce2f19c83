"""A camera that speaks RTSP, a real one on loopback: opened by its address, cut, half-open, back again."""

import contextlib
import itertools
import re
import socket
import threading
import time

import av
import numpy as np
import pytest

from hardware.camera import open_camera
from hardware.camera_watch import CameraWatch
from hardware.errors import DeviceAbsentError, WrongSizeError
from hardware.eyesight import Trouble

SIZE_PX, FPS = (160, 120), 25
CODED = {"tune": "zerolatency", "preset": "ultrafast", "g": "10"}
SDP = (
    "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=camera\r\nc=IN IP4 0.0.0.0\r\nt=0 0\r\na=control:*\r\n"
    "m=video 0 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\na=fmtp:96 packetization-mode=1\r\na=control:trackID=0\r\n"
)


class RtspServer:
    """RTSP over TCP (RFC 2326, 10.12): FFmpeg makes the RTP packets, this puts them between the words."""

    def __init__(self):
        self.port, self.is_mute, self.is_over, self.connections = 0, False, threading.Event(), []
        self.come_back()

    @property
    def address(self):
        return f"rtsp://anna:secret@127.0.0.1:{self.port}/1"

    def come_back(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def accept(self, listener):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                self.connections.append(connection)
                threading.Thread(target=self.speak, args=(connection,), daemon=True).start()

    def speak(self, connection):
        with contextlib.suppress(OSError), connection:
            while request := connection.recv(4096).decode("ascii", errors="replace"):
                method, number = request.split(" ", 1)[0], re.search(r"CSeq: (\d+)", request)
                if number is None:
                    continue
                words = [f"RTSP/1.0 200 OK\r\nCSeq: {number[1]}"]
                match method:
                    case "OPTIONS":
                        words.append("Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN")
                    case "DESCRIBE":
                        words.append(f"Content-Type: application/sdp\r\nContent-Length: {len(SDP)}\r\n\r\n{SDP}")
                    case "SETUP":
                        words.append("Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\nSession: 1;timeout=60")
                    case _:
                        words.append("Session: 1")
                answer = "\r\n".join(words)
                connection.sendall((answer if method == "DESCRIBE" else f"{answer}\r\n\r\n").encode())
                if method == "PLAY":
                    threading.Thread(target=self.send, args=(connection,), daemon=True).start()

    def send(self, connection):
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.suppress(OSError))
            packets, port = stack.enter_context(pair_of_ports())
            with av.open(f"rtp://127.0.0.1:{port}", "w", format="rtp") as container:
                stream = container.add_stream("libx264", rate=FPS, options=CODED)
                stream.width, stream.height, stream.pix_fmt = *SIZE_PX, "yuv420p"
                for index in itertools.count():
                    if self.is_over.is_set():
                        return
                    pixels = np.random.default_rng(index).integers(60, 200, (SIZE_PX[1], SIZE_PX[0], 3), dtype=np.uint8)
                    for packet in stream.encode(av.VideoFrame.from_ndarray(pixels, format="bgr24")):
                        container.mux(packet)
                    with contextlib.suppress(BlockingIOError):
                        while data := packets.recv(2048):
                            if not self.is_mute:
                                connection.sendall(b"$\x00" + len(data).to_bytes(2, "big") + data)
                    time.sleep(1 / FPS)

    def cut(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in self.connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.connections.clear()


@contextlib.contextmanager
def pair_of_ports():
    """A socket that FFmpeg sends RTP to, its port, and the next one for RTCP."""
    while True:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as rtp, socket.socket(type=socket.SOCK_DGRAM) as rtcp:
            rtp.bind(("127.0.0.1", 0))
            port = rtp.getsockname()[1]
            try:
                rtcp.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            rtp.settimeout(0.0)
            yield rtp, port
            return


@pytest.fixture
def server():
    made = RtspServer()
    yield made
    made.is_over.set()
    with contextlib.suppress(OSError):
        made.cut()


def test_an_rtsp_camera_gives_pictures_with_its_own_times(server):
    with open_camera(server.address, size_px=SIZE_PX) as camera:
        frames = [camera.read() for _ in range(70)][-20:]  # what was sent while it was opened comes all at once
    assert camera.is_live
    assert {frame.size_px for frame in frames} == {SIZE_PX}
    steps_ms = [(later.t_ns - one.t_ns) / 1e6 for one, later in itertools.pairwise(frames)]
    assert np.median(steps_ms) == pytest.approx(1000 / FPS, abs=1)
    assert abs(frames[-1].t_ns - time.monotonic_ns()) < 2e9


def test_an_rtsp_camera_of_another_size_is_refused(server):
    with pytest.raises(WrongSizeError, match="160x120 but 1280x720"):
        open_camera(server.address, size_px=(1280, 720))


def test_an_rtsp_camera_that_is_cut_or_falls_silent_is_told_and_healed(server, make_viewer):
    with CameraWatch(server.address, size_px=SIZE_PX, expected_fps=FPS) as watch:
        viewer = make_viewer(watch)
        viewer.is_healed()
        server.cut()
        viewer.is_told(Trouble.ABSENT, Trouble.NO_PICTURE)
        assert "secret" not in watch.health().detail
        server.come_back()
        viewer.is_healed()
        server.is_mute = True
        viewer.is_told(Trouble.NO_PICTURE, Trouble.ABSENT)
        viewer.look(1)
        server.is_mute = False
        viewer.is_healed()
        assert watch.health().opened >= 2


def test_an_rtsp_address_at_which_nobody_listens_is_absent():
    with pytest.raises(DeviceAbsentError, match=r"no camera answers at rtsp://127\.0\.0\.1:9"):
        open_camera("rtsp://anna:secret@127.0.0.1:9/1")
