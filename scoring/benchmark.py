"""How fast a match is folded, and how fast an early stroke is corrected: measured on strokes of a usual length."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from scoring.balls import Ball
from scoring.commands import CorrectShot, Entry, PlayShot, StartMatch
from scoring.errors import ScoringError
from scoring.games import game_named
from scoring.match import MatchState, apply, fold
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.shots import Shot
from scoring.table import Cushion, Pocket
from scoring.testing import stroke


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """The best of several rounds, seconds: the whole match folded, and one correction of its first stroke."""

    game: str
    strokes: int
    fold_s: float
    correction_s: float

    @property
    def stroke_s(self) -> float:
        """The time of one stroke."""
        return self.fold_s / self.strokes


def benchmark(
    game: str = "kaisa", *, strokes: int = 300, rounds: int = 9, clock: Callable[[], float] = time.process_time
) -> Timing:
    """Time a match of so many strokes by a clock in seconds."""
    if strokes < 1 or rounds < 1:
        message = f"a benchmark needs at least one stroke and one round, not {strokes} and {rounds}"
        raise ScoringError(message)
    entries = _match(game, strokes)
    state = fold(entries)
    missed = CorrectShot(1, stroke(state.started.start.cue_balls[0]).shot())
    folds, corrections = [], []
    for _ in range(rounds):
        begun_s = clock()
        fold(entries)
        folds.append(clock() - begun_s)
        begun_s = clock()
        _then(state, missed)
        corrections.append(clock() - begun_s)
    return Timing(game=game, strokes=strokes, fold_s=min(folds), correction_s=min(corrections))


def _match(game: str, strokes: int) -> tuple[Entry, ...]:
    """A match in which the sides take turns and nothing falls, each stroke with its contacts, cushions and places."""
    balls = game_named(game).balls
    setup = Setup(game=game, sides=singles("A", "B"))
    state = fold((Entry(seq=1, what=StartMatch(setup, Beginning(phase=Phase.PLAY))),))
    entries = list(state.entries)
    for number in range(strokes):
        cue = state.started.start.cue_balls[number % 2]
        shot = _safety(cue, [ball for ball in balls if ball not in state.started.start.cue_balls], number)
        entries.append(Entry(seq=len(entries) + 1, what=PlayShot(shot)))
    return tuple(entries)


def _safety(cue: Ball, others: list[Ball], number: int) -> Shot:
    """A stroke that moves three object balls and pots none."""
    first, second, third = others[:3]
    told = stroke(cue).calls(first, Pocket.RL).hits(first).banks(first, Cushion.LEFT).then(first, second)
    told = told.banks(cue, Cushion.REAR).hits(second).then(first, third)
    return told.rests({cue: (1000 + number, 100), first: (2000, number), second: (1775, 0)})


def _then(state: MatchState, what: CorrectShot) -> MatchState:
    """The state after one correction."""
    return apply(state, Entry(seq=state.next_seq, what=what))
