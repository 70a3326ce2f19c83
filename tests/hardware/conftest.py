"""What several tests of cameras share."""

import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # where camera_stand_ins lies

NOTICED_S, HEALED_S = 2.0, 10.0


class Viewer:
    """Takes pictures from a watch as a table's process does."""

    def __init__(self, watch):
        self.watch, self.frames = watch, []

    def look(self, seconds):
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s:
            frame = self.watch.next(0.05)
            if frame is not None:
                self.frames.append(frame)

    def s_until(self, is_so, limit_s):
        start_s = time.monotonic()
        while not is_so(self.watch.health()):
            self.look(0.02)
            assert time.monotonic() - start_s < limit_s, self.watch.health()
        return time.monotonic() - start_s

    def is_told(self, *troubles):
        return self.s_until(lambda health: health.trouble in troubles, NOTICED_S)

    def is_healed(self):
        return self.s_until(lambda health: not (health.is_blind or health.trouble) and health.age_s < 0.5, HEALED_S)


@pytest.fixture
def make_viewer():
    return Viewer
