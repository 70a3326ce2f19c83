"""The lag: both players strike together from the house to the far cushion; who comes back nearest may begin (KZ-4)."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hardware.virtual.gestures import Pace, drawn, make_carry, make_delivery
from hardware.virtual.people import Actor, Delivery
from hardware.virtual.physics import CueStroke, Motion, simulate
from hardware.virtual.player import Skill
from hardware.virtual.scene import BallPose
from hardware.virtual.script import NO_TURN, Carried, Episode, Lying, Mover, Rolling, Turn, later, layout_of
from hardware.virtual.staging import random_turn
from scoring.balls import Ball
from scoring.events import Contact, CushionHit, Rest
from scoring.shots import Shot
from scoring.table import Cushion, Point, Table

_FIRST_STILLNESS_S = 2.0
_AFTER_PLACING_S = 0.6
_SPEEDS_MM_S = tuple(1200.0 + 40.0 * step for step in range(80))
_TRIES = 20
_AIM_SLIP = 6.0  # a lag is played less carefully than a pot


@dataclass(slots=True)
class LagStaging:
    """Makes the episode of a lag; `poses` are those of the object balls.

    Nobody touches them, but for a ball of the rack that is lagged with; it goes back to its place.
    """

    table: Table
    pace: Pace
    skill: Skill
    generator: np.random.Generator
    poses: dict[Ball, BallPose]

    def play(self, balls: tuple[Ball, Ball]) -> Episode:
        """Both players put their balls into the house, strike, and take them away again."""
        places = self._places(balls)
        placing: list[Carried] = []
        now_s = _FIRST_STILLNESS_S
        for ball in balls:
            racked = self.poses.get(ball)
            home = layout_of({ball: racked})[ball] if racked else None
            carry = make_carry(self.table, home, places[ball], now_s, pace=self.pace, generator=self.generator)
            turn = racked.turn if racked else random_turn(self.generator)
            placing.append(Carried(ball=ball, carry=carry, turn=turn))
            now_s = carry.ends_s
        homes = layout_of(self.poses)
        standing = {ball: place for ball, place in homes.items() if ball not in balls}
        layout = standing | places
        players, rolls = self._strokes(layout, {each.ball: each.turn for each in placing}, now_s + _AFTER_PLACING_S)
        rest_s = max(roll.moves_from_s + roll.motion.duration_s for roll in rolls)
        rest = standing | {
            ball: roll.motion.rest[ball] for ball, roll in zip(balls, rolls, strict=True) if ball in roll.motion.rest
        }
        rolled = (
            later(event, roll.moves_from_s)
            for roll in rolls
            for event in roll.motion.events
            if not isinstance(event, Rest)
        )
        played = (*sorted(rolled, key=lambda event: event.t_s), Rest(t_s=rest_s, balls=rest))
        now_s = max(rest_s, *(player.ends_s for player in players)) + drawn(self.generator, self.pace.still_s)
        taking: list[Carried] = []
        for ball in balls:
            if ball in rest:
                home = homes.get(ball)
                carry = make_carry(self.table, rest[ball], home, now_s, pace=self.pace, generator=self.generator)
                turn = self.poses[ball].turn if ball in self.poses else NO_TURN
                taking.append(Carried(ball=ball, carry=carry, turn=turn))
                now_s = carry.ends_s
        hands: list[Carried] = [*placing, *taking]
        movers: list[Mover] = [Lying(poses=dict(self.poses)), *placing, *rolls, *taking]
        actors: list[Actor] = [hand.carry for hand in hands]
        return Episode(
            table=self.table,
            number=1,
            duration_s=now_s + drawn(self.generator, self.pace.still_s),
            movers=tuple(movers),
            actors=(*actors, *players),
            events=(*(hand.event for hand in placing), *played, *(hand.event for hand in taking)),
            said=(),
            shot=Shot(before=layout, events=played),
            intention="lag",
        )

    def _places(self, balls: tuple[Ball, Ball]) -> dict[Ball, Point]:
        """One place in each half of the house: the first seat's on the left."""
        table = self.table
        return {
            ball: Point(
                round(table.house_line_x_mm * float(self.generator.uniform(0.5, 0.85)), 1),
                round(side * table.width_mm * float(self.generator.uniform(0.2, 0.3)), 1),
            )
            for ball, side in zip(balls, (1.0, -1.0), strict=True)
        }

    def _strokes(
        self, layout: Mapping[Ball, Point], turns: Mapping[Ball, Turn], ready_s: float
    ) -> tuple[list[Delivery], list[Rolling]]:
        """Two strokes that start nearly together."""
        made = [(ball, *self._stroke(ball, layout)) for ball in turns]
        drafts = [
            make_delivery(self.table, layout, stroke, motion, pace=self.pace, generator=self.generator)
            for _, stroke, motion in made
        ]
        strike_s = ready_s - min(draft.starts_s for draft in drafts)
        players: list[Delivery] = []
        rolls: list[Rolling] = []
        for (ball, _, motion), draft in zip(made, drafts, strict=True):
            players.append(dataclasses.replace(draft, strike_s=strike_s))
            rolls.append(Rolling(motion=motion, moves_from_s=strike_s, turns={ball: turns[ball]}))
            strike_s += float(self.generator.uniform(0.1, 0.5))
        return players, rolls

    def _stroke(self, ball: Ball, layout: Mapping[Ball, Point]) -> tuple[CueStroke, Motion]:
        """As near to the front cushion as the hand can, touching no other ball."""
        trials = [CueStroke(ball=ball, speed_mm_s=speed_mm_s, direction_rad=0.0) for speed_mm_s in _SPEEDS_MM_S]
        ideal = min(trials, key=lambda trial: _shortfall_mm(simulate(self.table, layout, trial), ball))
        for _ in range(_TRIES):
            slips = self.generator.normal(size=2)
            stroke = dataclasses.replace(
                ideal,
                direction_rad=_AIM_SLIP * self.skill.direction_rad * float(slips[0]),
                speed_mm_s=ideal.speed_mm_s * (1.0 + self.skill.speed_share * float(slips[1])),
            )
            motion = simulate(self.table, layout, stroke)
            if not any(isinstance(event, Contact) for event in motion.events):
                return stroke, motion
        return ideal, simulate(self.table, layout, ideal)


def _shortfall_mm(motion: Motion, ball: Ball) -> float:
    """How far from the front cushion a lagged ball stops; endless when it misses the rear one or comes to another."""
    hits = [event.cushion for event in motion.events if isinstance(event, CushionHit)]
    touches = any(isinstance(event, Contact) for event in motion.events)
    if touches or ball not in motion.rest or Cushion.REAR not in hits:
        return math.inf
    return motion.rest[ball].x_mm
