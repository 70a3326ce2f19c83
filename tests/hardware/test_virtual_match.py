"""A virtual match: deterministic, orderly, scored by the real rules, and seen without gaps."""

import dataclasses
import math
from collections import Counter
from itertools import islice, pairwise

import pytest

from hardware.virtual.aiming import mouth
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.games import UnknownGameError, game_script
from hardware.virtual.gestures import is_hidden
from hardware.virtual.match import MatchPlan, VirtualMatch
from hardware.virtual.people import Delivery
from hardware.virtual.timeline import Timeline, placed
from scoring.balls import RED_1, RED_2, WHITE_1, WHITE_2, YELLOW
from scoring.commands import Entry, PlayShot, StartMatch
from scoring.events import Contact, CushionHit, HouseLine, Moved, OffTable, Potted, Rest, Strike
from scoring.match import NO_MATCH, apply
from scoring.notation import shot_from_json, shot_to_json
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.table import Pocket, Table

TABLE = Table(length_mm=2840, width_mm=1420)


def plan(seed=7, **changes):
    return dataclasses.replace(MatchPlan(game="kaisa", seed=seed, table=TABLE), **changes)


@pytest.fixture(scope="module")
def episodes():
    """The first strokes of several matches, each match by itself."""
    return [list(islice(VirtualMatch(plan(seed)), 26)) for seed in range(6)]


@pytest.fixture(scope="module")
def timeline():
    return Timeline.of(list(islice(VirtualMatch(plan()), 8)))


def test_the_same_seed_plays_the_same_match_and_another_seed_another(timeline):
    again = Timeline.of(islice(VirtualMatch(plan()), 6))
    assert again.events == tuple(event for part in timeline.parts[:6] for event in part.events)
    assert again.at(20.0) == timeline.at(20.0)
    assert Timeline.of(islice(VirtualMatch(plan(8)), 6)).events != again.events


def test_events_are_in_order_and_a_stroke_runs_from_its_strike_to_its_rest(timeline):
    times_s = [event.t_s for event in timeline.events]
    assert times_s == sorted(times_s)
    for part in timeline.parts:
        shot = part.shot.events
        assert isinstance(shot[0], Strike)
        assert isinstance(shot[-1], Rest)
        assert sum(isinstance(event, Strike) for event in part.events) == 1
        assert all(event.shot == part.episode.number for event in part.events)
        assert part.starts_s <= part.events[0].t_s
        assert part.events[-1].t_s <= part.ends_s


def test_no_white_is_on_the_table_before_the_opener_puts_his_into_the_house(timeline):
    before = {pose.ball for pose in timeline.at(0.5).balls}
    assert before == {RED_1, RED_2, YELLOW}
    first, *_ = timeline.events
    assert isinstance(first, Moved)
    assert (first.ball, first.origin) == (WHITE_1, None)
    assert first.target is not None
    assert TABLE.is_in_house(first.target)
    assert timeline.parts[0].shot.from_hand
    after = {pose.ball for pose in timeline.at(first.t_s + 0.01).balls}
    assert after == before | {WHITE_1}


def test_balls_lie_still_before_every_strike_and_where_the_record_says(episodes):
    for part in Timeline.of(episodes[3]).parts:
        strike_s = part.shot.events[0].t_s
        early, late = (part.at(strike_s - lead_s).balls for lead_s in (0.8, 0.0))
        for first, second in zip(early, late, strict=True):
            assert first.center_mm == pytest.approx(second.center_mm, abs=1e-6)
        before = part.shot.before
        assert {pose.ball for pose in late} == set(before)
        for pose in late:
            assert (
                math.hypot(pose.center_mm[0] - before[pose.ball].x_mm, pose.center_mm[1] - before[pose.ball].y_mm) < 0.5
            )


def test_easy_leaves_a_second_of_stillness_with_nobody_over_the_table_before_each_player(episodes):
    for part in Timeline.of(episodes[2]).parts:
        (rest,) = (event for event in part.events if isinstance(event, Rest))
        for k in range(100):
            seen = part.at(rest.t_s + 0.01 + k / 100)
            assert not seen.cues
            assert not seen.limbs


def test_easy_never_hides_a_rolling_ball(episodes):
    for episode in episodes[1]:
        (player,) = (actor for actor in episode.actors if isinstance(actor, Delivery))
        rest_s = next(event.t_s for event in episode.events if isinstance(event, Rest))
        for k in range(1, round((rest_s - player.strike_s) * 40)):
            t_s = player.strike_s + k / 40
            seen, before = episode.at(t_s), {pose.ball: pose for pose in episode.at(t_s - 0.01).balls}
            for pose in seen.balls:
                moves = math.dist(pose.center_mm, before[pose.ball].center_mm) > 0.05
                assert not (moves and is_hidden(pose.center_mm, seen, TABLE.ball_radius_mm))


def test_one_episode_begins_as_the_last_one_ended(episodes):
    for first, second in pairwise(episodes[0]):
        end, start = first.at(first.duration_s), second.at(0.0)
        lying = {pose.ball: pose for pose in start.balls if TABLE.width_mm > 2 * abs(pose.center_mm[1])}
        assert lying.keys() == {pose.ball for pose in end.balls}
        for pose in end.balls:
            assert lying[pose.ball].center_mm == pytest.approx(pose.center_mm, abs=1e-6)
            assert lying[pose.ball].turn == pytest.approx(pose.turn, abs=1e-6)
        assert not end.limbs


def test_scoring_the_written_records_gives_the_matchs_own_score():
    match = VirtualMatch(plan(11))
    shots = [shot_to_json(part.shot) for part in placed(islice(match, 40))]
    setup = Setup(game="kaisa", sides=singles("A", "B"), table=TABLE)
    state = apply(NO_MATCH, Entry(seq=1, what=StartMatch(setup, Beginning(phase=Phase.OPENING, shooter="A"))))
    for shot in shots:
        state = apply(state, Entry(seq=state.next_seq, what=PlayShot(shot_from_json(shot))))
    assert state.standing.scores == match.referee.standing.scores
    assert sum(map(abs, state.standing.scores)) > 0


def test_a_match_ends_when_somebody_has_won():
    match = VirtualMatch(plan(2, skill=0.95))
    strokes = list(islice(match, 150))
    assert match.referee.is_over
    assert match.referee.winners in (("A",), ("B",))
    assert len(strokes) == match.strokes < 150


def test_potted_balls_come_back_by_a_hand_and_whites_wait_in_hand(episodes):
    for match in episodes:
        for episode in match:
            potted = {event.ball for event in episode.events if isinstance(event, Potted)}
            rest_s = next(event.t_s for event in episode.events if isinstance(event, Rest))
            back = {event.ball for event in episode.events if isinstance(event, Moved) and event.t_s > rest_s}
            assert potted & {RED_1, RED_2, YELLOW} <= back
            assert not back & {WHITE_1, WHITE_2}


def test_a_call_is_announced_before_each_strike(timeline):
    for part in timeline.parts:
        (said,) = part.said
        assert said.call == part.shot.call
        assert said.by == part.shot.by
        assert part.starts_s < said.t_s < part.shot.events[0].t_s


def test_the_strokes_are_as_mixed_as_real_ones(episodes):
    """Pots into every kind of pocket, caroms, scratches, misses, double kisses, balls in the jaws, thin air."""
    seen = Counter()
    for episode in (episode for match in episodes for episode in match):
        shot = episode.shot
        cue = shot.events[0].ball
        contacts = [event for event in shot.events if isinstance(event, Contact) and cue in (event.ball, event.other)]
        touched = {event.other if event.ball == cue else event.ball for event in contacts}
        for event in shot.events:
            if isinstance(event, Potted):
                seen["scratch" if event.ball == cue else event.pocket] += 1
            if isinstance(event, CushionHit):
                seen["jaw" if event.is_jaw else "cushion"] += 1
            if isinstance(event, OffTable | HouseLine):
                seen[event.kind] += 1
        seen["carom"] += len(touched) > 1
        seen["double kiss"] += len(contacts) > len(touched)
        seen["nothing"] += not touched
        seen["miss"] += not any(isinstance(event, Potted) for event in shot.events)
        places = shot.events[-1].balls.values()
        seen["in the jaws"] += any(at.distance_mm(mouth(TABLE, pocket)) < 70 for at in places for pocket in Pocket)
    special = ("scratch", "jaw", "cushion", "house_line", "carom", "double kiss", "nothing", "miss", "in the jaws")
    assert {what: seen[what] for what in special if seen[what] < 2} == {}
    assert [pocket for pocket in Pocket if not seen[pocket]] == []


def test_better_players_pot_more():
    pots = {}
    for skill in (0.4, 0.95):
        matches = [islice(VirtualMatch(plan(seed, skill=skill)), 15) for seed in range(3)]
        pots[skill] = sum(isinstance(e, Potted) for match in matches for episode in match for e in episode.shot.events)
    assert pots[0.95] > 1.5 * pots[0.4]


@pytest.mark.parametrize("difficulty", [Difficulty.NORMAL, Difficulty.HARD])
def test_harder_matches_show_heads_and_linger(difficulty):
    timeline = Timeline.of(islice(VirtualMatch(plan(3, difficulty=difficulty)), 12))
    parts = Counter(limb.part for k in range(round(timeline.duration_s * 5)) for limb in timeline.at(k / 5).limbs)
    assert parts["head"] > 10
    assert parts["hand"] > 10


def test_episodes_are_made_only_when_they_are_asked_for():
    match = VirtualMatch(plan(5))
    parts = placed(match)
    first, second = next(parts), next(parts)
    assert match.strokes == 2
    assert second.starts_s == first.ends_s == first.episode.duration_s


def test_an_unknown_game_is_refused_by_name():
    with pytest.raises(UnknownGameError, match="no game 'chess'"):
        game_script("chess")
