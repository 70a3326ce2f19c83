"""A ball that hangs in a mouth and is gone: it fell by itself, unless something was at it."""

import pytest

from scoring.balls import FIVE_BALL_SET, RED_1, WHITE_1, YELLOW
from scoring.events import Moved, Potted
from scoring.table import Pocket, Point, Table
from vision.detection import Cover, Detection, Sighting
from vision.witness import Witness

TABLE = Table()
FRAME_NS = 16_666_667
LYING = {WHITE_1: Point(500, 0), YELLOW: Point(3000, 200)}
HANGING = Point(3545, 885)


def box(middle, half_mm):
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return Cover(outline=tuple(Point(middle.x_mm + x * half_mm, middle.y_mm + y * half_mm) for x, y in corners))


class Watching:
    """A witness who is shown balls that lie still, stretch by stretch."""

    def __init__(self):
        self.witness = Witness(TABLE, FIVE_BALL_SET)
        self.index = 0

    def show(self, balls, *, seconds, covers=()):
        events = []
        for _ in range(round(seconds * 60)):
            seen = tuple(
                Detection(
                    place=place,
                    sigma_mm=0.3,
                    sigma_along_mm=0.3,
                    center_px=(0.0, 0.0),
                    radius_px=15.0,
                    looks={ball.colour: 0.97},
                )
                for ball, place in balls.items()
            )
            now = Sighting(t_ns=self.index * FRAME_NS, index=self.index, detections=seen, covers=covers)
            events += self.witness.step(now)
            self.index += 1
        return events


@pytest.fixture
def watching():
    watching = Watching()
    watching.show({**LYING, RED_1: HANGING}, seconds=3)
    return watching


@pytest.mark.parametrize("falling", [(), (box(HANGING, 30),)])
def test_a_ball_that_falls_from_the_mouth_by_itself_is_potted_whatever_it_looks_like_on_its_way(watching, falling):
    watching.show(LYING, seconds=0.05, covers=falling)
    (drop,) = watching.show(LYING, seconds=2)
    assert isinstance(drop, Potted)
    assert (drop.ball, drop.pocket, drop.flagged) == (RED_1, Pocket.RL, False)


@pytest.mark.parametrize("is_seen_till_the_end", [True, False])
def test_a_ball_that_vanishes_from_the_mouth_with_a_hand_at_it_is_asked_about(watching, is_seen_till_the_end):
    beside = box(Point(HANGING.x_mm - 60, HANGING.y_mm - 60), 40)
    over = box(HANGING, 80)
    if is_seen_till_the_end:
        watching.show({**LYING, RED_1: HANGING}, seconds=0.3, covers=(beside,))
    else:
        watching.show(LYING, seconds=0.3, covers=(over,))
    (drop,) = watching.show(LYING, seconds=2)
    assert isinstance(drop, Potted)
    assert drop.flagged
    (other,) = drop.alternatives
    assert isinstance(other.event, Moved)
    assert (other.event.ball, other.event.target) == (RED_1, None)
    assert drop.confidence + other.probability == pytest.approx(1.0)


def test_a_hand_that_was_at_the_ball_long_before_took_nothing(watching):
    watching.show(LYING, seconds=0.3, covers=(box(HANGING, 80),))
    watching.show({**LYING, RED_1: HANGING}, seconds=2)
    (drop,) = watching.show(LYING, seconds=2)
    assert isinstance(drop, Potted)
    assert not drop.flagged
