"""Every game of the rules can be played by the virtual players, to its end, without a question left open."""

from itertools import islice

import pytest

from hardware.virtual.games import GAME_SCRIPTS, game_script, playable_games
from hardware.virtual.intentions import Intention
from hardware.virtual.match import MatchPlan, VirtualMatch
from hardware.virtual.timeline import placed
from scoring.balls import CUE
from scoring.commands import Entry, PlayShot, StartMatch
from scoring.events import Contact, Strike
from scoring.games import GAMES, game_named
from scoring.match import NO_MATCH, apply
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.table import Table


def test_the_players_know_every_game_of_the_rules():
    assert set(GAMES) <= set(GAME_SCRIPTS)
    assert set(playable_games()) == set(GAMES)


@pytest.mark.parametrize("game", playable_games())
def test_players_and_rules_mean_the_same_balls(game):
    assert set(game_script(game).balls) == set(game_named(game).balls)


@pytest.mark.parametrize("game", playable_games())
def test_each_game_is_played_and_scored_alike_from_its_records(game):
    match = VirtualMatch(MatchPlan(game=game, seed=4, skill=0.9))
    shots = [part.shot for part in placed(islice(match, 25))]
    setup = Setup(game=game, sides=singles("A", "B"))
    state = apply(NO_MATCH, Entry(seq=1, what=StartMatch(setup, Beginning(phase=Phase.OPENING, shooter="A"))))
    for shot in shots:
        state = apply(state, Entry(seq=state.next_seq, what=PlayShot(shot)))
    assert state.standing.scores == match.referee.standing.scores
    assert any(state.standing.scores)
    assert not any(shot.referee for shot in shots)


@pytest.mark.parametrize("game", playable_games())
def test_the_turn_follows_the_rules(game):
    match = VirtualMatch(MatchPlan(game=game, seed=6))
    for _ in range(12):
        shooter, cue_ball = match.referee.shooter, match.referee.cue_ball
        shot = match.play().shot
        assert shot.by == shooter
        assert shot.events[0].ball == cue_ball


@pytest.mark.parametrize("game", [game for game in playable_games() if CUE in game_script(game).balls])
def test_a_pyramid_begins_with_the_break_of_the_rack(game):
    match = VirtualMatch(MatchPlan(game=game, seed=2))
    episode = match.play()
    assert episode.intention == Intention.BREAK
    assert isinstance(episode.shot.events[0], Strike)
    assert sum(isinstance(event, Contact) for event in episode.shot.events) > 10
    assert episode.shot.from_hand


@pytest.mark.parametrize("game", [game for game in playable_games() if CUE in game_script(game).balls])
def test_the_lag_of_a_pyramid_takes_a_ball_from_the_rack_and_puts_it_back(game):
    for seed in range(4):
        match = VirtualMatch(MatchPlan(game=game, seed=seed, has_lag=True))
        racked = dict(match.referee.rack())
        lag = match.play()
        struck = [event.ball for event in lag.shot.events if isinstance(event, Strike)]
        assert CUE in struck
        assert len(set(struck)) == 2
        assert {pose.ball: pose.center_mm[:2] for pose in lag.at(lag.duration_s).balls} == {
            ball: pytest.approx((place.x_mm, place.y_mm)) for ball, place in racked.items()
        }
        assert match.play().intention == Intention.BREAK


def test_a_table_of_any_usual_size_is_played_on():
    for length_mm in (2240.0, 2540.0, 3200.0):
        match = VirtualMatch(MatchPlan(game="kaisa", seed=1, table=Table(length_mm=length_mm, width_mm=length_mm / 2)))
        assert len(list(islice(match, 6))) == 6
