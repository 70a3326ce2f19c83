"""Pictures that wait for eyes that are held up, or too slow."""

import itertools

import numpy as np

from hardware.frame import Frame
from hardware.planes import Planes
from hardware.waiting import WaitingFrames

SMALL = np.zeros((12, 16, 3), np.uint8)
STEP_NS = 16_000_000


def frame(index, picture=SMALL):
    return Frame(t_ns=index * STEP_NS, index=index, picture=picture)


def taken(waiting):
    return [one.index for one in iter(waiting.take, None)]


def test_eyes_that_are_held_up_for_a_quarter_of_a_second_get_every_picture_in_order():
    waiting = WaitingFrames()
    for index in range(20):
        waiting.add(frame(index))
    assert waiting.first_ns == 0
    assert taken(waiting) == list(range(20))
    assert waiting.first_ns is None


def test_eyes_of_half_the_cameras_rate_see_evenly_spaced_pictures_that_are_not_old():
    waiting, seen = WaitingFrames(), []
    for index in range(600):
        waiting.add(frame(index))
        if index % 2:
            seen.append((index, waiting.take().index))
    late = seen[-100:]
    assert max(now - index for now, index in late) <= 4
    assert {after - before for (_, before), (_, after) in itertools.pairwise(late)} <= {1, 2, 3}


def test_once_eyes_have_caught_up_as_many_may_wait_as_before():
    waiting = WaitingFrames()
    for index in range(200):
        waiting.add(frame(index))
    assert len(taken(waiting)) == 2
    for index in range(200, 220):
        waiting.add(frame(index))
    assert taken(waiting) == list(range(200, 220))


def test_large_pictures_wait_in_no_more_than_a_hundred_megabytes():
    luma, colour = np.zeros((2160, 3840), np.uint8), np.zeros((1080, 1920), np.uint8)
    large = Planes(luma=luma, blue=colour, red=colour, to_bgr=np.zeros((3, 4)))
    waiting = WaitingFrames()
    for index in range(7):
        waiting.add(frame(index, large))
    assert len(waiting) == 7
    for index in range(7, 20):
        waiting.add(frame(index, large))
        assert len(waiting) * luma.nbytes * 3 // 2 <= 100_000_000
