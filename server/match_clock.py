"""The match clock: how long a match has been on, and whether its time is up (KZ-36).

The wall clock has no say in it: that may be stepped. What the journal keeps with every entry is a reading of the steady
clock, which goes on as long as the machine runs, whatever becomes of the program.
"""

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from scoring.commands import Entry, Observe
from scoring.match import MatchState
from scoring.timed import NS_PER_S, TIME_UP, time_left_s

_KEY = "clock"


@dataclass(frozen=True, slots=True)
class ClockReading:
    """A match had been on for `played_s` when the steady clock of one run of a machine said `steady_s`."""

    boot: str
    steady_s: float
    played_s: float

    def played_at(self, boot: str, now_s: float) -> float:
        """How long it has been on now; while the machine was off, or on another one, its time stood still."""
        return self.played_s + (max(0.0, now_s - self.steady_s) if self.is_of(boot) else 0.0)

    def is_of(self, boot: str) -> bool:
        """Whether the machine has run ever since."""
        return boot != "" and boot == self.boot


def boot_id() -> str:
    """What tells this run of the machine from others; empty where nothing does."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def with_clock(body: str, reading: ClockReading) -> str:
    """A journal's fact (JSON) with a reading."""
    return json.dumps(json.loads(body) | {_KEY: astuple(reading)}, ensure_ascii=False)


def clock_in(body: str) -> ClockReading | None:
    """The reading in a journal's fact; None in those of older versions."""
    found = json.loads(body).get(_KEY)
    return None if found is None else ClockReading(str(found[0]), float(found[1]), float(found[2]))


def left_s(match: MatchState, played_s: float) -> float | None:
    """The seconds that are left to play; None for a match without a time limit."""
    return time_left_s(match.started.terms, 0, round(played_s * NS_PER_S))


def is_time_up(match: MatchState, played_s: float) -> bool:
    """Whether the end of the time is to be said now: nothing is asked, and nobody has said or taken it back before."""
    if left_s(match, played_s) != 0.0 or match.pending is not None or match.standing.shoot_out is not None:
        return False
    return not any(isinstance(one.what, Observe) and one.what.input.kind == TIME_UP for one in match.entries)


def age_s(entries: Sequence[Entry], now_ns: int) -> float:
    """How old the first of some entries is by the wall clock: for what no reading tells."""
    at_ns = entries[0].at_ns if entries else None
    return 0.0 if at_ns is None else max(0.0, (now_ns - at_ns) / NS_PER_S)
