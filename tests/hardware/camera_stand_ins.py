"""Small videos, a clock that is told the time, and reading to the end: what tests of cameras share."""

import numpy as np

from hardware.cameras.pacing import Pacer
from hardware.errors import DeviceAbsentError
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


def all_frames(camera, limit=100):
    """Read to the end; a live camera's end is its loss."""
    frames = []
    try:
        while len(frames) < limit and (frame := camera.read()) is not None:
            frames.append(frame)
    except DeviceAbsentError:
        assert camera.is_live
    return frames
