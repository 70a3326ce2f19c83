"""The virtual lag: two strikes, both balls back in the house, whites taken away, the nearer one begins."""

from itertools import islice

import pytest

from hardware.virtual.match import MatchPlan, VirtualMatch
from hardware.virtual.script import layout_of
from hardware.virtual.timeline import Timeline
from scoring.balls import RED_1, RED_2, WHITE_1, WHITE_2, YELLOW
from scoring.events import Contact, Moved, Rest, Strike
from scoring.table import Table

TABLE = Table(length_mm=2840, width_mm=1420)


@pytest.fixture(scope="module", params=range(4))
def match(request):
    match = VirtualMatch(MatchPlan(game="kaisa", seed=request.param, table=TABLE, has_lag=True))
    return match, list(islice(match, 3))


def test_both_players_strike_once_and_nothing_touches(match):
    events = match[1][0].shot.events
    assert [event.ball for event in events if isinstance(event, Strike)] == [WHITE_1, WHITE_2]
    assert sum(isinstance(event, Rest) for event in events) == 1
    assert not [event for event in events if isinstance(event, Contact)]


def test_the_ball_nearer_to_the_front_cushion_wins_the_first_stroke(match):
    lag, opening, _ = match[1]
    rest = lag.shot.events[-1].balls
    nearer = min((WHITE_1, WHITE_2), key=lambda ball: rest[ball].x_mm)
    assert all(TABLE.is_in_house(rest[ball]) for ball in (WHITE_1, WHITE_2))
    assert opening.shot.by == {WHITE_1: "A", WHITE_2: "B"}[nearer]
    assert opening.shot.from_hand


def test_hands_take_the_whites_away_before_the_opening(match):
    lag = match[1][0]
    taken = [event.ball for event in lag.events if isinstance(event, Moved) and event.target is None]
    assert taken == [WHITE_1, WHITE_2]
    assert layout_of(lag.final_poses()).keys() == {RED_1, RED_2, YELLOW}


def test_a_lag_is_a_scene_in_time_order(match):
    timeline = Timeline.of(match[1])
    times_s = [event.t_s for event in timeline.events]
    assert times_s == sorted(times_s)
    assert len(timeline.at(timeline.events[1].t_s + 0.01).balls) == 5
