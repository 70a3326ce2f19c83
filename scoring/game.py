"""What a game is: a value with its balls, its rack, its start and its judge. A game is one file and one line.

A game's file (`scoring/games/NAME.py`) holds a frozen state (a subclass of `Standing`), plain functions that are each
tested alone, and a `Game` value at the end; `scoring/games/__init__.py` holds its line.

`judge(terms, state, stroke)` is pure. It gets strokes whose events are possible and undoubted (the core asks about
doubtful events by judging each reading and comparing the rulings), and returns the ruling and the state after it, or a
ruling with a question and the state as it was. It never raises on odd play.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias

from scoring.balls import Ball
from scoring.layout import Layout
from scoring.rulings import Ruling
from scoring.setup import Beginning, Phase
from scoring.standing import Standing, State, Stroke, Terms
from scoring.table import Table


@dataclass(frozen=True, slots=True)
class Verdict(Generic[State]):
    """A ruling and the standing after it."""

    ruling: Ruling
    state: State


def no_count(terms: Terms, state: Standing) -> int | None:
    """For games in which nothing is left to count."""
    del terms, state
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Game(Generic[State]):
    """One game. `side_counts` are the numbers of sides it can be played with.

    `targets` gives the score that each side needs (None where none is fixed), `left` the points still on the table,
    `needs_call` whether a stroke must be announced in this standing, `has_draws` whether a draw can be agreed (RP-19).
    `ball_set` holds the balls ready for look-up.
    """

    name: str
    balls: tuple[Ball, ...]
    cue_balls: tuple[Ball, ...]
    side_counts: tuple[int, ...]
    first_phase: Phase
    rack: Callable[[Table], Layout]
    start: Callable[[Terms, Beginning], State]
    judge: Callable[[Terms, State, Stroke], Verdict[State]]
    targets: Callable[[Terms, State], tuple[int | None, ...]]
    needs_call: Callable[[Terms, State], bool]
    left: Callable[[Terms, State], int | None] = no_count
    has_draws: bool = True
    ball_set: frozenset[Ball] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Hash the balls once."""
        object.__setattr__(self, "ball_set", frozenset(self.balls))


AnyGame: TypeAlias = Game[Any]
"""A game whose state only the game itself knows."""
