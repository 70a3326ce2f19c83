from pathlib import Path

import cv2
import numpy as np
import pytest
from camera_stand_ins import FRAMES, MS, SIZE_PX, FakeTime, all_frames, flat, write_video

from hardware.camera import BACK_ENDS, open_camera
from hardware.cameras.video import VideoCamera
from hardware.errors import DeviceAbsentError, DeviceMisconfiguredError, HardwareError, ProtocolError
from hardware.video_writer import VideoWriter


@pytest.fixture
def video(tmp_path):
    return write_video(tmp_path / "clip.mp4")


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


def test_colours_stay_where_they_are_painted(tmp_path):
    """A red disc's colour lies within 0.15 px of where it was drawn, not shifted by the coarser colour samples."""
    path = tmp_path / "disc.mp4"
    picture = np.full((120, 160, 3), (90, 110, 40), np.uint8)
    cv2.circle(picture, (81 * 16 + 4, 59 * 16 + 8), 20 * 16, (30, 20, 200), -1, cv2.LINE_AA, 4)
    with VideoWriter(path, (160, 120), 60.0, crf=10) as writer:
        writer.write(picture)
    read = cv2.VideoCapture(str(path)).read()[1].astype(float)
    redness = np.clip(read[:, :, 2] - read[:, :, 1], 0, None)
    rows, columns = np.mgrid[:120, :160]
    centre = (redness * columns).sum() / redness.sum(), (redness * rows).sum() / redness.sum()
    assert centre == pytest.approx((81.25, 59.5), abs=0.15)
