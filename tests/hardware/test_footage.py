"""Coded video in memory: bounded, cut at key pictures, and files that play with the times of the pictures."""

import contextlib
import io
import socket
import threading
import time

import av
import cv2
import numpy as np
import pytest

from hardware.camera import open_camera
from hardware.cameras.video import VideoCamera
from hardware.errors import DeviceAbsentError, HardwareError
from hardware.footage import CodedPicture, FootageRing, PictureCoder, write_footage
from hardware.frame import Frame
from hardware.planes import Planes, bgr_matrix

FPS, START_NS = 25.0, 5_000_000_000_000
SIZE = (320, 180)


def frame(index):
    """A dark picture with a bright square that moves."""
    pixels = np.full((SIZE[1], SIZE[0], 3), 40, np.uint8)
    cv2.rectangle(pixels, (index, 20), (index + 30, 60), (30, 60, 220), -1)
    return Frame(t_ns=START_NS + round(index * 1e9 / FPS), index=index, pixels=pixels)


@pytest.fixture(scope="module")
def coder():
    coder = PictureCoder(SIZE, FPS, 720)
    for index in range(200):
        coder.add(frame(index))
    return coder


def second(number):
    return START_NS + round(number * 1e9)


def test_a_part_is_a_file_that_plays_with_its_pictures_times_and_contents(coder, tmp_path):
    footage = coder.ring.cut(second(3.5), second(5.0))
    assert 0 <= second(3.5) - footage.begins_ns <= 1_000_000_000
    write_footage(tmp_path / "part.mp4", footage)
    with VideoCamera(tmp_path / "part.mp4") as video:
        seen = []
        while (picture := video.read()) is not None:
            seen.append(picture)
    assert [one.t_ns for one in seen] == pytest.approx(
        [one.pts_ns - footage.begins_ns for one in footage.pictures], abs=20_000
    )
    assert seen[-1].t_ns == pytest.approx(second(5.0) - footage.begins_ns, abs=45_000_000)
    index = round((footage.begins_ns - START_NS) / 1e9 * FPS)
    assert np.abs(seen[0].pixels.astype(int) - frame(index).pixels.astype(int)).mean() < 6.0
    assert [path.name for path in tmp_path.iterdir()] == ["part.mp4"]


def test_two_parts_may_share_pictures(coder, tmp_path):
    for name in ("one", "two"):
        write_footage(tmp_path / f"{name}.mp4", coder.ring.cut(second(3.0), second(4.0)))
    assert (tmp_path / "one.mp4").read_bytes() == (tmp_path / "two.mp4").read_bytes()


def test_nothing_seen_is_no_part(coder):
    assert FootageRing(size_px=SIZE).cut(0, second(9)) is None
    assert coder.ring.cut(0, second(-5)) is None


def test_memory_is_bounded_by_time_and_by_bytes():
    ring = FootageRing(size_px=SIZE, longest_s=2.0, most_bytes=50_000)
    for index in range(1000):
        t_ns = index * 40_000_000
        ring.add(CodedPicture(data=bytes(500), pts_ns=t_ns, dts_ns=t_ns, is_key=index % 10 == 0))
    kept = ring.cut(0, 10**15).pictures
    assert 35 <= len(kept) <= 51
    for index in range(1000, 1100):
        t_ns = index * 40_000_000
        ring.add(CodedPicture(data=bytes(10_000), pts_ns=t_ns, dts_ns=t_ns, is_key=True))
    assert sum(len(one.data) for one in ring.cut(0, 10**15).pictures) <= 50_000


def test_a_part_that_cannot_be_written_leaves_nothing(coder, tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(HardwareError, match="cannot write"):
        write_footage(tmp_path / "file" / "part.mp4", coder.ring.cut(second(3), second(4)))


def test_high_pictures_are_made_lower_and_even():
    coder = PictureCoder((641, 481), FPS, 120)
    coder.add(Frame(t_ns=0, index=0, pixels=np.zeros((481, 641, 3), np.uint8)))
    assert coder.ring.cut(0, 1).size_px == (160, 120)


def test_a_picture_that_came_in_planes_is_coded_from_them(tmp_path):
    coder = PictureCoder(SIZE, FPS, 720)
    luma = np.tile(np.linspace(40, 200, SIZE[0]).astype(np.uint8), (SIZE[1], 1))
    blue, red = (np.full((SIZE[1] // 2, SIZE[0] // 2), code, np.uint8) for code in (100, 160))
    planes = Planes(luma=luma, blue=blue, red=red, to_bgr=bgr_matrix(is_high_definition=False, is_full_range=False))
    coder.add(Frame(t_ns=0, index=0, picture=planes))
    write_footage(tmp_path / "one.mp4", coder.ring.cut(0, 1))
    assert planes._whole == []  # nobody asked for BGR
    with VideoCamera(tmp_path / "one.mp4") as video:
        seen = video.read().pixels
    assert np.abs(seen.astype(int) - planes.bgr().astype(int)).mean() < 4.0


def test_what_a_camera_sends_over_the_network_is_copied_and_not_coded_again(tmp_path):
    buffer = io.BytesIO()
    with av.open(buffer, "w", format="mpegts") as container:
        stream = container.add_stream("libx264", rate=50, options={"tune": "zerolatency", "g": "10"})
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        for index in range(75):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame(index).pixels, format="bgr24")))
        container.mux(stream.encode(None))
    listener = socket.create_server(("127.0.0.1", 0))

    def send():
        connection, _ = listener.accept()
        data, step = buffer.getvalue(), len(buffer.getvalue()) // 75
        with connection:
            for start in range(0, len(data), step):
                connection.sendall(data[start : start + step])
                time.sleep(0.02)

    threading.Thread(target=send, daemon=True).start()
    seen = []
    with open_camera(f"tcp://127.0.0.1:{listener.getsockname()[1]}") as camera, contextlib.suppress(DeviceAbsentError):
        while True:
            seen.append(camera.read())
    listener.close()
    assert len(seen) == 75
    footage = camera.ring.cut(seen[30].t_ns, seen[60].t_ns)
    assert footage.size_px == SIZE
    assert footage.begins_ns <= seen[30].t_ns
    write_footage(tmp_path / "part.mp4", footage)
    with VideoCamera(tmp_path / "part.mp4") as video:
        first, count = video.read(), 1
        while video.read() is not None:
            count += 1
    assert count == len(footage.pictures) >= 31
    began = min(range(75), key=lambda index: abs(seen[index].t_ns - footage.begins_ns))
    near = [one.pixels.astype(int) for one in seen[max(0, began - 4) : began + 5]]
    assert min(np.abs(first.pixels.astype(int) - one).max() for one in near) <= 3
