"""What virtual players do when the board is wrong: as real ones would, they say what really happened.

Corrections are entries like any others: journalled, visible, and counted, so that a demonstration hides no mistake.
"""

from scoring.commands import Command, CorrectShot, Entry, InsertShot, RemoveShot
from scoring.match import MatchState, apply
from scoring.shots import Shot


def corrections(state: MatchState, number: int, shot: Shot) -> tuple[Command, ...]:
    """What to enter so that the n-th stroke of the match is worth what it really was; nothing when it already is."""
    records = state.records
    if len(records) < number:
        return (InsertShot(shot),) if len(records) == number - 1 else ()
    extra: tuple[Command, ...] = tuple(RemoveShot(record.number) for record in records[number:])
    truth = CorrectShot(records[number - 1].number, shot)
    seen = _without(state, extra)
    told = apply(seen, Entry(seq=seen.next_seq, what=truth))
    return (*extra, truth) if _outcome(told) != _outcome(seen) else extra


def _without(state: MatchState, extra: tuple[Command, ...]) -> MatchState:
    """The match without strokes that were never played."""
    for removal in extra:
        state = apply(state, Entry(seq=state.next_seq, what=removal))
    return state


def _outcome(state: MatchState) -> object:
    """What of a match matters to its players."""
    standing = state.standing
    return (
        state.pending is None,
        standing.scores,
        standing.shooter,
        standing.phase,
        standing.in_hand,
        standing.gone,
        standing.winners,
    )
