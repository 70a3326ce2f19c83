"""Scripted cases: each thing that is hard to see or to judge, played on purpose, with its truth."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hardware.virtual.cases import collisions, halls, hands, rails
from hardware.virtual.cases.case import Case, UnknownCaseError
from hardware.virtual.cases.stage import Stage
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.mishaps import Mishaps
from hardware.virtual.script import Episode
from scoring.table import Table

__all__ = ["CASES", "Case", "PlayedCase", "UnknownCaseError", "case_named", "play_case"]

CASES: Mapping[str, Case] = {case.name: case for case in (*collisions.CASES, *rails.CASES, *hands.CASES, *halls.CASES)}
_CASE = 15  # different things need different seeds
_TABLES = {"kaisa": Table(length_mm=2840.0, width_mm=1420.0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedCase:
    """A case as it was played: its strokes, and what befell the camera."""

    case: Case
    table: Table
    episodes: tuple[Episode, ...]
    mishaps: Mishaps


def case_named(name: str) -> Case:
    """A case by its name.

    Raises:
        UnknownCaseError: nobody has written it.
    """
    if name not in CASES:
        message = f"there is no case {name!r}: choose one of {', '.join(CASES)}"
        raise UnknownCaseError(message)
    return CASES[name]


def play_case(name: str, seed: int, difficulty: Difficulty = Difficulty.EASY) -> PlayedCase:
    """Play a case; the seed chooses side and manners, the difficulty how people behave.

    Raises:
        UnknownCaseError: nobody has written it.
    """
    case = case_named(name)
    table = _TABLES.get(case.game, Table())
    stage = Stage(table=table, difficulty=difficulty, generator=np.random.default_rng([seed, _CASE]))
    case.script(stage)
    return PlayedCase(case=case, table=table, episodes=tuple(stage.episodes), mishaps=stage.mishaps)
