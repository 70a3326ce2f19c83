import struct

import av
import cv2
import numpy as np
import pytest

from hardware.camera import open_camera
from hardware.cameras.decoding import picture_of
from hardware.frame import Frame
from hardware.planes import Planes, averaged, bgr_matrix
from hardware.video_writer import VideoWriter

SIZE_PX = (192, 108)


def blotches():
    """Soft colours, so that halving the chroma loses nothing."""
    noise = np.random.default_rng(3).uniform(0, 255, (6, 8, 3)).astype(np.float32)
    return np.clip(cv2.resize(noise, SIZE_PX, interpolation=cv2.INTER_CUBIC), 5, 250).astype(np.uint8)


def planes(pixels=None, **coding):
    coded = av.VideoFrame.from_ndarray(blotches() if pixels is None else pixels, format="bgr24").reformat(
        format="yuv420p", **coding
    )
    return picture_of(coded)


@pytest.mark.parametrize("space", ["ITU601", "ITU709"])
@pytest.mark.parametrize("colour_range", ["MPEG", "JPEG"])
def test_every_coding_gives_back_the_colours(space, colour_range):
    picture = planes(dst_colorspace=space, dst_color_range=colour_range)
    assert isinstance(picture, Planes)
    assert np.abs(picture.bgr().astype(int) - blotches()).mean() < 1.5


def test_a_window_and_samples_are_parts_of_the_whole():
    picture, whole = planes(), planes().bgr()
    part = picture.window(51, 20, 92, 61)
    assert part.shape == (41, 41, 3)
    assert np.abs(part[2:-2, 2:-2].astype(int) - whole[22:59, 53:90]).max() <= 1
    x, y = np.meshgrid(np.arange(40, 90, dtype=np.float32), np.arange(30, 60, dtype=np.float32))
    assert np.abs(picture.sampled(x, y) - whole[30:60, 40:90]).max() < 3


def test_more_samples_than_a_picture_may_have_pixels_in_a_row_are_taken_at_once():
    picture = planes()
    x, y = np.full((900, 50), 60, np.float32), np.full((900, 50), 40, np.float32)
    x[-1, -1], y[-1, -1] = 120, 70
    colours = picture.sampled(x, y)
    assert colours.shape == (900, 50, 3)
    assert np.abs(colours[0, 0] - picture.bgr()[40, 60]).max() < 3
    assert np.abs(colours[-1, -1] - picture.bgr()[70, 120]).max() < 3


@pytest.mark.parametrize("factor", [1, 2, 3, 4])
def test_reducing_coded_planes_is_reducing_the_picture(factor):
    picture = planes()
    expected = averaged(picture.bgr()[6:102, 12:180], factor)
    assert np.abs(picture.reduced(12, 6, (168, 96), factor).astype(int) - expected).mean() < 1.5


@pytest.mark.parametrize("scaled_px", [(110, 60), (300, 160)])
def test_scaling_coded_planes_is_scaling_the_picture(scaled_px):
    picture = planes()
    method = cv2.INTER_AREA if scaled_px[0] < 150 else cv2.INTER_LINEAR
    expected = cv2.resize(picture.bgr()[6:102, 12:180], scaled_px, interpolation=method)
    assert np.abs(picture.scaled(12, 6, (168, 96), scaled_px).astype(int) - expected).mean() < 1.5


def test_reducing_by_three_is_the_mean_of_nine():
    luma = np.random.default_rng(1).integers(0, 255, (90, 120), np.uint8)
    assert np.array_equal(averaged(luma, 3), cv2.resize(luma, (40, 30), interpolation=cv2.INTER_AREA))


def test_a_frame_of_planes_has_its_size_and_read_only_pixels():
    frame = Frame(t_ns=0, index=0, picture=planes())
    assert frame.size_px == SIZE_PX
    assert frame.pixels.shape == (108, 192, 3)
    with pytest.raises(ValueError, match="read-only"):
        frame.pixels[0, 0] = 0


def test_black_in_limited_range_is_black():
    matrix = bgr_matrix(is_high_definition=False, is_full_range=False)
    assert matrix @ [16, 128, 128, 1] == pytest.approx([0, 0, 0], abs=1e-9)
    assert matrix @ [235, 128, 128, 1] == pytest.approx([255, 255, 255], abs=1e-9)


@pytest.mark.parametrize(
    ("matrix", "corner"),
    [((0, 1, 0, -1, 0, 0), (0, -1)), ((-1, 0, 0, 0, -1, 0), (-1, -1)), ((0, -1, 0, 1, 0, 0), (-1, 0))],
)
def test_a_video_that_a_phone_has_turned_comes_upright(tmp_path, matrix, corner):
    path = tmp_path / "turned.mp4"
    pixels = np.zeros((120, 160, 3), np.uint8)
    pixels[:40, :40] = 255
    with VideoWriter(path, (160, 120), 25) as writer:
        writer.write(pixels)
    data = bytearray(path.read_bytes())
    at = data.find(b"tkhd") + 44
    data[at : at + 24] = struct.pack(">6i", *(value << 16 for value in matrix))
    path.write_bytes(data)
    with open_camera(str(path)) as camera:
        frame = camera.read()
    assert frame.size_px == ((160, 120) if matrix[0] else (120, 160))
    assert frame.pixels[corner][0] > 200
