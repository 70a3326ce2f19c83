"""The match clock: how long a match has been on, and whether its time is up (KZ-36)."""

from scoring.commands import Observe
from scoring.match import MatchState
from scoring.timed import NS_PER_S, TIME_UP, time_left_s


def left_s(match: MatchState, played_s: float) -> float | None:
    """The seconds that are left to play; None for a match without a time limit."""
    return time_left_s(match.started.terms, 0, round(played_s * NS_PER_S))


def is_time_up(match: MatchState, played_s: float) -> bool:
    """Whether the end of the time is to be said now: nothing is asked, and nobody has said or taken it back before."""
    if left_s(match, played_s) != 0.0 or match.pending is not None or match.standing.shoot_out is not None:
        return False
    return not any(isinstance(one.what, Observe) and one.what.input.kind == TIME_UP for one in match.entries)


def age_s(match: MatchState, now_ns: int) -> float:
    """How long ago a match began, by the wall clock."""
    began_ns = match.entries[0].at_ns if match.play is not None else None
    return 0.0 if began_ns is None else max(0.0, (now_ns - began_ns) / NS_PER_S)
