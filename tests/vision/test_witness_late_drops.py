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


@pytest.mark.parametrize(("lies_s", "shot"), [(1.8, 1), (6.0, None)])
def test_a_ball_that_a_stroke_moved_into_the_mouth_and_that_falls_soon_after_is_potted_by_it(watching, lies_s, shot):
    events, lying = roll_into_the_mouth(watching)
    events += watching.show(lying, seconds=lies_s)
    events += watching.show(lying[:2], seconds=2)
    (drop,) = (event for event in events if isinstance(event, Potted))
    assert (drop.ball, drop.pocket, drop.shot) == (RED_1, Pocket.RL, shot)


def test_a_ball_that_no_stroke_moved_falls_by_itself(watching):
    watching.show(LYING, seconds=0.05)
    (drop,) = watching.show(LYING, seconds=2)
    assert drop.shot is None


def test_a_stroke_played_while_a_ball_under_an_arm_is_waited_for_is_another_one(watching):
    white, yellow, red = ALL
    arm = Cover(
        outline=tuple(Point(x, y) for x, y in ((1500, -300), (1700, -300), (1700, 300), (1500, 300))), what="arm"
    )
    events = []
    for frame in range(1, 121):
        x_mm = 500 + 1500 * frame / 60
        there = [((x_mm, 0), white[1])] if x_mm < 1500 else []
        events += watching.show([*there, yellow, red], seconds=1 / 60, covers=(arm,))
    (x_mm, y_mm), looks = yellow
    for frame in range(1, 121):
        away_mm = 800 * frame / 60 - 59 * (frame / 60) ** 2
        events += watching.show([((x_mm - away_mm, y_mm), looks), red], seconds=1 / 60, covers=(arm,))
    events += watching.show([((x_mm - away_mm, y_mm), looks), red], seconds=4, covers=(arm,))
    rests = [event.t_s for event in events if isinstance(event, Rest)]
    (struck_s,) = (event.t_s for event in events if isinstance(event, Strike))
    assert struck_s < rests[0] < 5.5


@pytest.mark.parametrize("is_lifted", [False, True], ids=["the arm stays", "the arm goes"])
def test_a_ball_in_a_mouth_under_an_arm_has_not_fallen_for_sure_while_others_are_played(watching, is_lifted):
    (x_mm, y_mm), looks = LYING[0]
    events = watching.show(LYING, seconds=1, covers=(box(HANGING, 80),))
    for frame in range(1, 181):
        way_mm = 700 * frame / 60 - 59 * (frame / 60) ** 2
        now = [((x_mm + way_mm, y_mm), looks), LYING[1]]
        covers = () if is_lifted and frame > 60 else (box(HANGING, 80),)
        events += watching.show(now, seconds=1 / 60, covers=covers)
    events += watching.show(now, seconds=3, covers=covers)
    assert sum(isinstance(event, Strike) for event in events) == 1
    drops = [event for event in events if isinstance(event, Potted)]
    assert [(drop.ball, drop.flagged) for drop in drops] == ([(RED_1, True)] if is_lifted else [])
    (rest,) = (event for event in events if isinstance(event, Rest))
    assert rest.flagged or is_lifted
