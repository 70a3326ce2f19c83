"""A virtual match: players, hands and balls, stroke by stroke; the rules say who plays and what goes where."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from hardware.virtual.difficulty import Difficulty
from hardware.virtual.games import GameScript, game_script
from hardware.virtual.gestures import PACES
from hardware.virtual.lag import LagStaging
from hardware.virtual.player import Player, Position, Skill
from hardware.virtual.referee import Referee
from hardware.virtual.scene import BallPose
from hardware.virtual.script import Episode, layout_of, lying_pose
from hardware.virtual.staging import Staging, random_turn
from scoring.balls import Ball
from scoring.table import Table

_MATCH, _STROKE = 11, 12  # different things need different seeds


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPlan:
    """What kind of match is played; everything in it follows from these values. `skill` goes from 0 to 1.

    With `has_lag` the players first lag for the opening stroke; without it the first player has it.
    """

    game: str
    seed: int
    difficulty: Difficulty = Difficulty.EASY
    table: Table = field(default_factory=Table)
    players: tuple[str, str] = ("A", "B")
    skill: float = 0.8
    has_lag: bool = False


@dataclass(slots=True)
class VirtualMatch:
    """Plays a match: iterate over it for its episodes, made one at a time, until somebody has won."""

    plan: MatchPlan
    script: GameScript = field(init=False)
    referee: Referee = field(init=False)
    strokes: int = 0
    _poses: dict[Ball, BallPose] = field(init=False)

    def __post_init__(self) -> None:
        """Set up the balls and call the referee."""
        plan = self.plan
        self.script = game_script(plan.game)
        self.referee = Referee(game=plan.game, players=plan.players, table=plan.table, has_lag=plan.has_lag)
        generator = np.random.default_rng([plan.seed, _MATCH])
        rack = self.referee.rack()
        self._poses = {ball: lying_pose(ball, at, plan.table, random_turn(generator)) for ball, at in rack.items()}

    def __iter__(self) -> Iterator[Episode]:
        """The episodes, each made when it is asked for."""
        while not self.referee.is_over:
            yield self.play()

    def play(self) -> Episode:
        """Make the next episode and let the referee rule on it."""
        self.strokes += 1
        generator = np.random.default_rng([self.plan.seed, _STROKE, self.strokes])
        if self.referee.is_lagging:
            return self._lag(generator)
        staging = Staging(
            table=self.plan.table,
            pace=PACES[self.plan.difficulty],
            generator=generator,
            number=self.strokes,
            poses=self._poses,
        )
        position = self._position()
        player = Player(Skill.of(self.plan.skill), generator)
        decision = player.decide(position, accepts=staging.can_be_seen)
        episode = staging.begin(position, decision, by=self.referee.shooter)
        told = self.referee.judge(episode.shot)
        episode = staging.finish(dataclasses.replace(episode, shot=told), self.referee.placements())
        self._poses = staging.poses
        return episode

    def _lag(self, generator: np.random.Generator) -> Episode:
        """Both players lag; the object balls stay where they are."""
        staging = LagStaging(
            table=self.plan.table,
            pace=PACES[self.plan.difficulty],
            skill=Skill.of(self.plan.skill),
            generator=generator,
            poses=self._poses,
        )
        episode = staging.play(self.referee.lag_balls)
        return dataclasses.replace(episode, shot=self.referee.judge(episode.shot))

    def _position(self) -> Position:
        """What the shooter sees."""
        is_opening = self.referee.is_opening
        cue_ball, layout = self.referee.cue_ball, layout_of(self._poses)
        return Position(
            table=self.plan.table,
            layout=layout,
            cue_ball=cue_ball,
            targets=tuple(ball for ball in self.script.balls if ball != cue_ball),
            from_hand=cue_ball not in layout,
            has_far_house=self.script.has_far_house,
            banned=self.script.opening_ban if is_opening else frozenset(),
            bank_ban=self.script.bank_ban,
            weights=self.script.opening if is_opening else self.script.habits,
            calls=self.script.calls,
        )
