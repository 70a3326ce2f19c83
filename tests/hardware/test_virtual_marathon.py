"""Two hundred whole matches of all games, to their end, each scored again from its truth: `pytest -m nightly`."""

import pytest

from hardware.virtual.games import playable_games
from hardware.virtual.match import MatchPlan, VirtualMatch
from hardware.virtual.timeline import placed
from scoring.commands import Entry, PlayShot, StartMatch
from scoring.events import Rest, Strike
from scoring.match import NO_MATCH, apply
from scoring.notation import event_from_json, event_to_json, shot_from_json, shot_to_json
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.table import Table

MATCHES = 200
LONGEST = 600  # strokes; a match that takes more has lost its way
KAISA_TABLE = Table(length_mm=2840.0, width_mm=1420.0)


def whole_matches():
    games = playable_games()
    for number in range(MATCHES):
        game = games[number % len(games)]
        yield game, 1000 + number, (0.6, 0.8, 0.95)[number // len(games) % 3]


@pytest.mark.nightly
@pytest.mark.parametrize(("game", "seed", "skill"), list(whole_matches()))
def test_a_whole_match_ends_and_its_truth_scores_alike(game, seed, skill):
    table = KAISA_TABLE if game == "kaisa" else Table()
    match = VirtualMatch(MatchPlan(game=game, seed=seed, table=table, skill=skill))
    parts = []
    for part in placed(match):
        parts.append(part)
        assert len(parts) <= LONGEST, match.referee.scores
    assert match.referee.is_over
    setup = Setup(game=game, sides=singles("A", "B"), table=table)
    state = apply(NO_MATCH, Entry(seq=1, what=StartMatch(setup, Beginning(phase=Phase.OPENING, shooter="A"))))
    for part in parts:
        written = [event_from_json(event_to_json(event)) for event in part.events]
        strike, rest = (next(i for i, e in enumerate(written) if isinstance(e, kind)) for kind in (Strike, Rest))
        shot = shot_from_json(shot_to_json(part.shot))
        assert tuple(written[strike : rest + 1]) == shot.events
        state = apply(state, Entry(seq=state.next_seq, what=PlayShot(shot)))
    assert state.standing.scores == match.referee.standing.scores
    assert state.standing.winners == match.referee.standing.winners
