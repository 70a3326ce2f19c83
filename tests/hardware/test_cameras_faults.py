"""Cameras that misbehave, each a real server on loopback: noticed within two seconds, healed within ten."""

import contextlib
import io
import itertools
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from hardware.camera import open_camera
from hardware.camera_watch import CameraWatch
from hardware.errors import DeviceMisconfiguredError
from hardware.eyesight import Trouble
from hardware.signals import LinkState
from hardware.virtual.streaming import MjpegServer

SIZE_PX = (160, 120)
FPS = 25
NS = 1_000_000_000
NOTICED_S, HEALED_S = 2.0, 10.0  # as the viewer's


def noisy(seed, size_px=SIZE_PX):
    return np.random.default_rng(seed).integers(60, 200, (size_px[1], size_px[0], 3), dtype=np.uint8)


def jpeg(pixels):
    return cv2.imencode(".jpg", pixels)[1].tobytes()


PICTURES = [jpeg(noisy(seed)) for seed in range(40)]
BLACK = jpeg(np.zeros((SIZE_PX[1], SIZE_PX[0], 3), np.uint8))
LARGER = [jpeg(noisy(seed, (200, 160))) for seed in range(20)]


@pytest.fixture
def server():
    made = MjpegServer(PICTURES, fps=FPS)
    yield made
    made.close()


@pytest.fixture
def viewer(server, make_viewer):
    with CameraWatch(server.address, size_px=SIZE_PX, expected_fps=FPS) as watch:
        made = make_viewer(watch)
        made.is_healed()
        made.look(0.5)
        yield made


def test_a_camera_that_is_well_is_well(viewer):
    viewer.look(2)
    health = viewer.watch.health()
    assert health.state is LinkState.READY
    assert health.trouble is None
    assert health.fps == pytest.approx(FPS, rel=0.3)
    assert health.opened == 1
    assert health.torn == 0
    assert health.frames >= len(viewer.frames) > 30


def test_cut_at_tcp_level_it_is_told_and_healed(server, viewer):
    server.cut()
    viewer.is_told(Trouble.ABSENT, Trouble.NO_PICTURE)
    assert viewer.watch.health().is_blind
    assert "127.0.0.1" in viewer.watch.health().detail
    viewer.look(2)
    server.come_back()
    viewer.is_healed()
    assert viewer.watch.health().opened == 2


def test_half_open_it_is_told_and_healed_on_its_own_connection_or_another(server, viewer):
    server.is_mute = True
    viewer.is_told(Trouble.NO_PICTURE, Trouble.ABSENT)
    viewer.look(3)
    server.is_mute = False
    viewer.is_healed()


def test_a_repeated_picture_is_told_and_healed(server, viewer):
    server.pictures = PICTURES[:1]
    viewer.is_told(Trouble.FROZEN)
    count = len(viewer.frames)
    viewer.look(1)
    assert len(viewer.frames) == count  # nobody is shown a table that is not there
    server.pictures = PICTURES
    viewer.is_healed()


def test_a_frozen_camera_is_opened_again_and_stays_told_until_its_picture_changes(server, viewer):
    server.pictures = PICTURES[:1]
    viewer.is_told(Trouble.FROZEN)
    viewer.s_until(lambda health: health.opened > 1, 10)
    viewer.look(1)
    assert viewer.watch.health().is_blind
    server.pictures = PICTURES
    viewer.is_healed()


def test_a_black_picture_is_told_and_healed(server, viewer):
    server.pictures = [BLACK]
    viewer.is_told(Trouble.BLACK)
    assert "black" in viewer.watch.health().detail
    server.pictures = PICTURES
    viewer.is_healed()


def test_another_size_is_told_and_healed(server, viewer):
    server.pictures = LARGER
    viewer.is_told(Trouble.WRONG_SIZE)
    viewer.look(1.5)
    assert viewer.watch.health().trouble is Trouble.WRONG_SIZE
    assert {frame.size_px for frame in viewer.frames} == {SIZE_PX}
    server.pictures = PICTURES
    viewer.is_healed()


def test_five_pictures_a_second_instead_of_sixty_are_told_and_shown(make_viewer):
    server = MjpegServer(PICTURES, fps=FPS)
    server.fps = 70
    try:
        with CameraWatch(server.address, size_px=SIZE_PX, expected_fps=60) as watch:
            viewer = make_viewer(watch)
            viewer.s_until(lambda health: health.fps > 35, 10)
            server.fps = 5
            viewer.is_told(Trouble.SLOW)
            assert not watch.health().is_blind
            assert "instead of 60" in watch.health().detail
            count = len(viewer.frames)
            viewer.look(1)
            assert len(viewer.frames) > count
            server.fps = 70
            viewer.s_until(lambda health: health.trouble is None, HEALED_S)
    finally:
        server.close()


def test_a_flood_is_told_and_only_its_newest_pictures_are_seen(server, viewer):
    server.fps = 500
    viewer.is_told(Trouble.FLOOD)
    time.sleep(0.3)
    frame = viewer.watch.next(0.1)
    later = viewer.watch.next(0.1)
    assert later.index - frame.index < 20
    assert viewer.watch.health().dropped > 10
    assert viewer.watch.health().age_s < 0.5
    server.fps = FPS
    viewer.is_healed()


def test_times_and_numbers_run_on_over_a_loss(server, viewer):
    server.cut()
    viewer.is_told(Trouble.ABSENT, Trouble.NO_PICTURE)
    server.come_back()
    viewer.is_healed()
    viewer.look(0.5)
    pairs = list(itertools.pairwise(viewer.frames))
    assert all(later.t_ns > earlier.t_ns and later.index > earlier.index for earlier, later in pairs)
    assert abs(viewer.frames[-1].t_ns - time.monotonic_ns()) < NS


def test_a_camera_that_is_absent_at_first_is_told_and_found_when_it_comes(make_viewer):
    server = MjpegServer(PICTURES, fps=FPS)
    server.cut()
    try:
        with CameraWatch(server.address, expected_fps=FPS) as watch:
            viewer = make_viewer(watch)
            viewer.is_told(Trouble.ABSENT)
            assert watch.health().age_s is None
            server.come_back()
            viewer.is_healed()
    finally:
        server.close()


def test_a_camera_that_asks_for_a_password_needs_a_person_and_keeps_it_secret():
    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(401)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with pytest.raises(DeviceMisconfiguredError, match="another name or password") as caught:
            open_camera(f"http://anna:secret@127.0.0.1:{server.server_port}/")
        assert "secret" not in str(caught.value)
    finally:
        server.shutdown()
        server.server_close()


def stream_of(seconds):
    """Moving pictures as MPEG-TS."""
    buffer = io.BytesIO()
    with av.open(buffer, "w", format="mpegts") as container:
        stream = container.add_stream(
            "libx264", rate=FPS, options={"tune": "zerolatency", "preset": "ultrafast", "g": "10"}
        )
        stream.width, stream.height, stream.pix_fmt = *SIZE_PX, "yuv420p"
        for index in range(seconds * FPS):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(noisy(index), format="bgr24")))
        container.mux(stream.encode(None))
    return buffer.getvalue()


def test_a_tcp_stream_that_ends_and_begins_again_is_told_and_healed(make_viewer):
    data, is_over = stream_of(12), threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))
    is_away = threading.Event()

    def send(connection):
        step = len(data) // (12 * FPS)
        with contextlib.suppress(OSError), connection:
            for start in range(0, len(data), step):
                if is_over.is_set() or is_away.is_set():
                    return
                connection.sendall(data[start : start + step])
                time.sleep(1 / FPS)

    def accept():
        while not is_over.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=send, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        with CameraWatch(f"tcp://127.0.0.1:{listener.getsockname()[1]}", size_px=SIZE_PX) as watch:
            viewer = make_viewer(watch)
            viewer.is_healed()
            is_away.set()
            viewer.is_told(Trouble.ABSENT, Trouble.NO_PICTURE)
            is_away.clear()
            viewer.is_healed()
    finally:
        is_over.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def open_handles():
    return len(list(Path("/proc/self/fd").iterdir()))


FAULTS = ["cut", "mute", "frozen", "black", "larger"]


def break_and_heal(server, viewer, fault):
    """One fault, told in time, and its end; how long the healing took."""
    match fault:
        case "cut":
            server.cut()
        case "mute":
            server.is_mute = True
        case "frozen":
            server.pictures = PICTURES[:1]
        case "black":
            server.pictures = [BLACK]
        case "larger":
            server.pictures = LARGER
    viewer.s_until(lambda health: health.is_blind, NOTICED_S)
    viewer.look(0.5)
    server.pictures, server.is_mute = PICTURES, False
    if fault == "cut":
        server.come_back()
    return viewer.is_healed()


@pytest.mark.nightly
@pytest.mark.timeout(3000)
def test_a_hundred_faults_are_noticed_and_healed_and_leave_threads_and_handles_flat(server, viewer):
    for fault in FAULTS:
        break_and_heal(server, viewer, fault)
    threads, handles = threading.active_count(), open_handles()
    healed_s = [break_and_heal(server, viewer, fault) for fault in FAULTS * 20]
    assert len(healed_s) == 100
    assert max(healed_s) < HEALED_S
    time.sleep(1)
    assert threading.active_count() <= threads + 2  # the server's, one for each connection that still ends
    assert open_handles() <= handles + 2


def test_the_reader_hands_the_camera_back_when_it_is_left(server, make_viewer):
    before = threading.active_count()
    with CameraWatch(server.address) as watch:
        make_viewer(watch).is_healed()
    assert not any(thread.name.startswith("camera ") for thread in threading.enumerate())
    assert threading.active_count() <= before + 1
