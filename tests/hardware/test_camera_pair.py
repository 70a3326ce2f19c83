"""Two cameras as one: earliest picture first, the worst of both told, no picture while half of the table is unseen."""

import itertools
import threading
import time

import numpy as np
import pytest

from hardware.camera_pair import CameraPair, PairPart, worst
from hardware.errors import DeviceAbsentError
from hardware.eyesight import CameraHealth, Trouble
from hardware.frame import Frame
from hardware.signals import LinkState

SIZE_PX, FPS = (160, 120), 25
NS = 1_000_000_000


class Lens:
    """A camera that sends noise until its cable is pulled."""

    size_px, fps, is_live = SIZE_PX, float(FPS), True

    def __init__(self, is_plugged):
        self.is_plugged, self.count = is_plugged, 0

    def read(self):
        time.sleep(1 / FPS)
        if not self.is_plugged.is_set():
            message = "gone"
            raise DeviceAbsentError(message)
        self.count += 1
        pixels = np.random.default_rng(self.count).integers(60, 200, (SIZE_PX[1], SIZE_PX[0], 3), dtype=np.uint8)
        return Frame(t_ns=time.monotonic_ns(), index=self.count - 1, pixels=pixels)

    def close(self):
        pass


@pytest.fixture
def cables():
    made = {"one": threading.Event(), "two": threading.Event()}
    for cable in made.values():
        cable.set()
    return made


@pytest.fixture
def viewer(cables, make_viewer):
    def opener(source, *, size_px):
        assert size_px is None
        if not cables[source].is_set():
            message = "not there"
            raise DeviceAbsentError(message)
        return Lens(cables[source])

    parts = [PairPart(source=source, expected_fps=FPS, opener=opener) for source in cables]
    with CameraPair(*parts) as pair:
        made = make_viewer(pair)
        made.is_healed()
        yield made


def test_pictures_of_both_come_in_the_order_of_their_times_and_tell_their_camera(viewer):
    viewer.look(1.5)
    views = [frame.view for frame in viewer.frames[-40:]]
    assert abs(views.count(0) - views.count(1)) < 8
    behind = [one.t_ns - two.t_ns for one, two in itertools.pairwise(viewer.frames)]
    assert max(behind) < NS / FPS


def test_without_one_camera_there_is_no_picture_and_it_is_healed_when_that_is_back(cables, viewer):
    opened = viewer.watch.health().opened
    cables["two"].clear()
    viewer.is_told(Trouble.ABSENT, Trouble.NO_PICTURE)
    viewer.look(0.2)
    count = len(viewer.frames)
    viewer.look(0.7)
    assert len(viewer.frames) == count
    assert viewer.watch.health().is_blind
    cables["two"].set()
    viewer.is_healed()
    assert viewer.watch.health().opened == opened + 1


def health(**more):
    return CameraHealth(**({"state": LinkState.READY, "age_s": 0.1, "fps": 30.0, "opened": 1} | more))


def test_the_worst_of_both_is_told():
    slow = health(trouble=Trouble.SLOW, detail="slow", fps=5.0)
    black = health(trouble=Trouble.BLACK, detail="black", age_s=3.0)
    assert worst(health(), slow).detail == "slow"
    assert worst(black, slow).detail == "black"
    assert (worst(slow, black).fps, worst(slow, black).age_s, worst(slow, black).opened) == (5.0, 3.0, 2)
    assert worst(health(), health(age_s=None)).is_blind
