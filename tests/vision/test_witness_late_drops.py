"""A ball that hangs in a mouth and is gone: it fell by itself, unless something was at it."""

import pytest
from watching import Watching, looking_like

from scoring.balls import RED_1
from scoring.events import Moved, Potted, Rest, Strike
from scoring.table import Pocket, Point
from vision.detection import Cover

LYING = [((500, 0), looking_like("white")), ((3000, 200), looking_like("yellow"))]
HANGING = Point(3545, 885)
ALL = [*LYING, ((HANGING.x_mm, HANGING.y_mm), looking_like("red"))]


def box(middle, half_mm):
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return Cover(outline=tuple(Point(middle.x_mm + x * half_mm, middle.y_mm + y * half_mm) for x, y in corners))


@pytest.fixture
def watching():
    watching = Watching()
    watching.show(ALL, seconds=3)
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
        watching.show(ALL, seconds=0.3, covers=(beside,))
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
    watching.show(ALL, seconds=2)
    (drop,) = watching.show(LYING, seconds=2)
    assert isinstance(drop, Potted)
    assert not drop.flagged


def roll_into_the_mouth(watching):
    """A white that rolls up to the red in the mouth, and moves it by some mm; what is told, and how they lie then."""
    yellow, events = LYING[1], []
    for frame in range(1, 121):
        white_mm = min(1500 * frame / 60, 2960.0)
        at = (HANGING.x_mm + 4, HANGING.y_mm + 4) if white_mm == 2960.0 else (HANGING.x_mm, HANGING.y_mm)
        white = ((500 + white_mm, 800 * white_mm / 2960), looking_like("white"))
        lying = [white, yellow, (at, looking_like("red"))]
        events += watching.show(lying, seconds=1 / 60)
    return events, lying


@pytest.mark.parametrize(("lies_s", "falls_in_the_stroke"), [(1.8, True), (6.0, False)])
def test_a_ball_that_a_stroke_moved_into_the_mouth_and_that_falls_soon_after_is_potted_by_it(
    watching, lies_s, falls_in_the_stroke
):
    events, lying = roll_into_the_mouth(watching)
    events += watching.show(lying, seconds=lies_s)
    events += watching.show(lying[:2], seconds=2)
    (drop,) = (event for event in events if isinstance(event, Potted))
    (rest,) = (event for event in events if isinstance(event, Rest))
    assert (drop.ball, drop.pocket) == (RED_1, Pocket.RL)
    assert (drop.t_s < rest.t_s) == (RED_1 not in rest.balls) == falls_in_the_stroke


def test_a_stroke_played_while_a_ball_in_a_mouth_is_waited_for_is_another_one(watching):
    events, lying = roll_into_the_mouth(watching)
    events += watching.show(lying, seconds=1.2)
    (x_mm, y_mm), looks = lying[0]
    for frame in range(1, 121):
        away_mm = 800 * frame / 60 - 59 * (frame / 60) ** 2
        events += watching.show([((x_mm - away_mm, y_mm), looks), *lying[1:]], seconds=1 / 60)
    events += watching.show([((x_mm - away_mm, y_mm), looks), *lying[1:]], seconds=4)
    told = [(event.kind, event.shot) for event in events if isinstance(event, Strike | Rest)]
    assert told == [("strike", 1), ("rest", 1), ("strike", 2), ("rest", 2)]
