"""What is recorded: a match or a case, played to its end, with everything that a recording tells about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from hardware.virtual.cases import PlayedCase, play_case
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.games import game_script
from hardware.virtual.match import MatchPlan, VirtualMatch
from hardware.virtual.mishaps import NO_MISHAPS, Mishaps
from hardware.virtual.timeline import Timeline
from scoring.balls import Ball
from scoring.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Performance:
    """A played stretch of play; `mishaps` None means those that the hall's own chance brings."""

    seed: int
    difficulty: Difficulty
    timeline: Timeline
    balls: tuple[Ball, ...]
    facts: Mapping[str, Any]
    scores: Mapping[str, int] = field(default_factory=dict)
    winners: tuple[str, ...] = ()
    mishaps: Mishaps | None = NO_MISHAPS

    @property
    def table(self) -> Table:
        """The table it is played on."""
        return self.timeline.table


def play_match(plan: MatchPlan, strokes: int) -> Performance:
    """Play a match for some strokes after its lag, fewer when somebody wins."""
    match = VirtualMatch(plan)
    timeline = Timeline.of(islice(match, strokes + plan.has_lag))
    facts = {
        "game": plan.game,
        "players": list(plan.players),
        "skill": plan.skill,
        "lag": plan.has_lag,
        "strokes": len(timeline.parts) - plan.has_lag,
        "intentions": [part.episode.intention for part in timeline.parts],
    }
    return Performance(
        seed=plan.seed,
        difficulty=plan.difficulty,
        timeline=timeline,
        balls=match.script.balls,
        facts=facts,
        scores=match.referee.scores,
        winners=match.referee.winners,
        mishaps=None,
    )


def perform_case(name: str, seed: int, difficulty: Difficulty) -> Performance:
    """Play a case.

    Raises:
        UnknownCaseError: nobody has written it.
    """
    played: PlayedCase = play_case(name, seed, difficulty)
    facts = {
        "case": name,
        "about": played.case.about,
        "game": played.case.game,
        "players": ["A", "B"],
        "strokes": len(played.episodes),
    }
    return Performance(
        seed=seed,
        difficulty=difficulty,
        timeline=Timeline.of(played.episodes),
        balls=game_script(played.case.game).balls,
        facts=facts,
        mishaps=played.mishaps,
    )
