"""The scripted cases: each one's truth holds what its name promises, for any seed and difficulty."""

import itertools
import math

import pytest

from hardware.virtual.cases import CASES, UnknownCaseError, play_case
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.gestures import is_hidden
from hardware.virtual.timeline import Timeline
from scoring.balls import RED_1, WHITE_1
from scoring.commands import Entry, PlayShot, StartMatch
from scoring.events import Moved, OffTable, Potted, Rest, Strike
from scoring.match import NO_MATCH, apply
from scoring.notation import event_from_json, event_to_json, shot_from_json, shot_to_json
from scoring.setup import Beginning, Phase, Setup, singles


def played(name, seed=1, difficulty=Difficulty.EASY):
    case = play_case(name, seed, difficulty)
    return case, Timeline.of(case.episodes)


@pytest.mark.parametrize("name", CASES)
def test_the_truth_holds_what_the_name_promises(name):
    for seed, difficulty in ((1, Difficulty.EASY), (2, Difficulty.HARD)):
        case, timeline = played(name, seed, difficulty)
        events = timeline.events
        assert case.case.holds(events)
        assert [event.t_s for event in events] == sorted(event.t_s for event in events)
        for event in events:
            assert event_from_json(event_to_json(event)) == event


@pytest.mark.parametrize("name", CASES)
def test_balls_leap_nowhere_but_into_and_out_of_sight(name):
    """From hundredth to hundredth of a second no ball goes faster than the hardest stroke drives it."""
    _, timeline = played(name)
    before = {}
    for step in range(int(timeline.duration_s * 100)):
        seen = {pose.ball: pose.center_mm for pose in timeline.at(step / 100).balls}
        for ball in seen.keys() & before.keys():
            assert math.dist(seen[ball], before[ball]) < 90.0, (ball, step / 100)
        before = seen


@pytest.mark.parametrize("name", CASES)
def test_the_rules_take_the_shots_of_a_case(name):
    case, timeline = played(name)
    setup = Setup(game=case.case.game, sides=singles("A", "B"), table=case.table)
    state = apply(NO_MATCH, Entry(seq=1, what=StartMatch(setup, Beginning(phase=Phase.PLAY, shooter="A"))))
    for part in timeline.parts:
        shot = shot_from_json(shot_to_json(part.shot))
        assert isinstance(shot.events[0], Strike)
        assert isinstance(shot.events[-1], Rest)
        state = apply(state, Entry(seq=state.next_seq, what=PlayShot(shot)))


def test_the_same_seed_plays_the_same_case_and_some_other_seed_its_mirror_image():
    first, again = played("thin-cut", 3)[1], played("thin-cut", 3)[1]
    assert first.events == again.events
    sides = {played("thin-cut", seed)[1].parts[0].shot.before[RED_1].y_mm for seed in range(8)}
    assert len(sides) == 2


def test_a_late_drop_comes_more_than_a_second_after_the_ball_has_stopped():
    case, timeline = played("late-drop")
    (pot,) = (event for event in timeline.events if isinstance(event, Potted))
    for back_s in (0.3, 0.9):
        one, two = (
            next(pose.center_mm for pose in timeline.at(pot.t_s - back_s - step).balls if pose.ball == RED_1)
            for step in (0.0, 0.1)
        )
        assert math.dist(one, two) < 1.0
    assert case.mishaps.knocks == ()


def test_a_ball_that_returns_is_on_the_table_again_at_rest():
    _, timeline = played("leaves-and-returns")
    (off,) = (event for event in timeline.events if isinstance(event, OffTable))
    rest = next(event for event in timeline.events if isinstance(event, Rest))
    assert off.returned
    assert WHITE_1 in rest.balls
    assert abs(rest.balls[WHITE_1].y_mm) <= 676.01
    (pose,) = (pose for pose in timeline.at(timeline.duration_s).balls if pose.ball == WHITE_1)
    assert pose.center_mm[:2] == pytest.approx((rest.balls[WHITE_1].x_mm, rest.balls[WHITE_1].y_mm))


def test_an_arm_really_hides_the_rolling_ball():
    _, timeline = played("arm-over-rolling-balls")
    strike_s = next(event.t_s for event in timeline.events if isinstance(event, Strike))
    hidden = 0
    for step in range(200):
        seen = timeline.at(strike_s + step / 100)
        white = next(pose for pose in seen.balls if pose.ball == WHITE_1)
        hidden += is_hidden(white.center_mm, seen, 34.0) and not seen.cues
    assert hidden > 10


def test_a_sleeve_moves_the_ball_as_far_as_the_truth_says():
    _, timeline = played("sleeve-nudges-a-ball")
    for moved in (event for event in timeline.events if isinstance(event, Moved)):
        places = [
            next(pose.center_mm[:2] for pose in timeline.at(moved.t_s + late).balls if pose.ball == moved.ball)
            for late in (-2.0, 0.01)
        ]
        assert places[0] == pytest.approx((moved.origin.x_mm, moved.origin.y_mm))
        assert places[1] == pytest.approx((moved.target.x_mm, moved.target.y_mm))


def test_a_ball_lifted_from_a_pocket_is_seen_again_and_leaves_no_event():
    _, timeline = played("ball-lifted-from-pocket")
    (pot,) = (event for event in timeline.events if isinstance(event, Potted))
    seen = [
        any(pose.ball == RED_1 for pose in timeline.at(step / 20).balls)
        for step in range(int(pot.t_s * 20) + 20, int(timeline.duration_s * 20))
    ]
    runs = [is_seen for is_seen, _ in itertools.groupby(seen)]
    assert runs == [False, True, False]


def test_an_unknown_case_is_refused_by_name():
    with pytest.raises(UnknownCaseError, match="no case 'earthquake'"):
        play_case("earthquake", 1)
