"""A table at which nobody plays: everything moves but no stroke is among it, the same for each seed."""

import pytest

from hardware.virtual.difficulty import Difficulty
from hardware.virtual.games import UnknownGameError
from hardware.virtual.idling import idle
from scoring.events import Moved
from scoring.table import Table

TABLE = Table(length_mm=2840.0, width_mm=1420.0)


@pytest.mark.parametrize("difficulty", list(Difficulty))
def test_people_move_balls_and_play_no_stroke(difficulty):
    performance = idle("kaisa", 7, difficulty, TABLE, 60.0)
    events = performance.timeline.events
    assert events
    assert all(isinstance(event, Moved) for event in events)
    assert 60.0 < performance.timeline.duration_s < 90.0


def test_a_seed_gives_the_same_minutes_again():
    one, two = (idle("small-pyramid", 3, Difficulty.NORMAL, Table(), 40.0) for _ in range(2))
    assert one.timeline.events == two.timeline.events
    assert one.mishaps == two.mishaps
    for t_s in (5.0, 17.3, 33.0):
        assert one.timeline.at(t_s) == two.timeline.at(t_s)


def test_balls_lie_apart_wherever_they_are_put():
    performance = idle("small-pyramid", 5, Difficulty.NORMAL, Table(), 40.0)
    poses = performance.timeline.at(0.0).balls
    gaps = [
        ((a.center_mm[0] - b.center_mm[0]) ** 2 + (a.center_mm[1] - b.center_mm[1]) ** 2) ** 0.5
        for k, a in enumerate(poses)
        for b in poses[:k]
    ]
    assert len(poses) == 16
    assert min(gaps) > Table().ball_mm


def test_an_unknown_game_is_refused():
    with pytest.raises(UnknownGameError):
        idle("whist", 1, Difficulty.EASY, TABLE, 10.0)
