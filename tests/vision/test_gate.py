"""Whether anything has changed on the table, by brightness alone and by colour."""

import numpy as np
import pytest

from vision.detectors.gate import MotionGate

SHAPE = (60, 90)


def noisy(seed, level=100.0):
    return np.clip(np.random.default_rng(seed).normal(level, 1.2, SHAPE), 0, 255).astype(np.uint8)


def coloured(brightness):
    return np.dstack([brightness, brightness // 2, brightness])


@pytest.fixture
def gate():
    """A gate before a table on which nothing has changed for two pictures."""
    gate = MotionGate(np.full(SHAPE, 255, np.uint8))
    assert not gate.compare(coloured(noisy(0)), noisy(0))
    gate.keep(coloured(noisy(0)))
    assert gate.compare(coloured(noisy(1)), noisy(1))
    return gate


def test_noise_is_no_change_of_brightness_and_colours_are_compared_every_fourth_time(gate):
    assert [gate.is_as_bright(noisy(seed)) for seed in range(2, 6)] == [True, True, True, False]
    assert gate.compare(coloured(noisy(6)), noisy(6))
    assert gate.is_as_bright(noisy(7))


def test_a_small_part_that_grows_brighter_is_a_change(gate):
    picture = noisy(2)
    picture[20:23, 30:33] += 25
    assert not gate.is_as_bright(picture)


def test_what_lies_outside_the_mask_does_not_count():
    mask = np.zeros(SHAPE, np.uint8)
    mask[:, :45] = 255
    gate = MotionGate(mask)
    gate.keep(coloured(noisy(0)))
    assert gate.compare(coloured(noisy(1)), noisy(1))
    picture = noisy(2)
    picture[:, 50:] = 250
    assert gate.is_as_bright(picture)
    picture[:, 40:44] = 250
    assert not gate.is_as_bright(picture)


def test_nothing_is_known_by_brightness_while_something_changes(gate):
    moved = noisy(2)
    moved[20:40, 30:60] = 30
    assert not gate.compare(coloured(moved), moved)
    assert not gate.is_as_bright(moved)
