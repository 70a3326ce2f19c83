"""Puts a decided stroke on the stage: who comes when, which hand brings which ball, when everything is still again."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from hardware.virtual.gestures import (
    Pace,
    drawn,
    hides_rolling,
    make_carry,
    make_delivery,
    make_onlookers,
    make_walkers,
)
from hardware.virtual.people import Actor, Delivery, Reach
from hardware.virtual.player import Decision, Position
from hardware.virtual.scene import BallPose
from hardware.virtual.script import Carried, Episode, Lying, Mover, Nudged, Rolling, Said, Turn, later, lying_pose
from hardware.virtual.touches import accident
from scoring.balls import Ball
from scoring.shots import Shot
from scoring.table import Point, Table

_FIRST_STILLNESS_S = 2.0  # the empty-handed table before the first stroke
_AFTER_PLACING_S = 0.4  # between a hand that leaves and a player who comes
_BETWEEN_HANDS_S = 0.15
_CALL_AFTER_ARRIVAL_S = 0.1


@dataclass(slots=True)
class Staging:
    """Makes one episode from the balls' poses before it; afterwards `poses` are those at its end.

    Players come at `ready_s`; None: after a first stillness, or at once when there were strokes before.
    """

    table: Table
    pace: Pace
    generator: np.random.Generator
    number: int
    poses: dict[Ball, BallPose]
    ready_s: float | None = None
    _delivery: Delivery | None = field(default=None, init=False)

    def can_be_seen(self, decision: Decision) -> bool:
        """Draw up the player's movements; whether they hide no rolling ball, where the pace demands that."""
        self._delivery = make_delivery(
            self.table, decision.layout, decision.stroke, decision.motion, pace=self.pace, generator=self.generator
        )
        if self.pace.may_hide_rolling:
            return True
        balls, until_s = decision.layout, self._delivery.ends_s
        return not hides_rolling(self.table, decision.motion, balls, [self._delivery], until_s)

    def begin(self, position: Position, decision: Decision, by: str) -> Episode:
        """The episode until everything is at rest and people have gone."""
        assert self._delivery is not None
        cue_ball = position.cue_ball
        now_s = self.ready_s
        if now_s is None:
            now_s = _FIRST_STILLNESS_S if self.number == 1 else 0.0
        actors: list[Actor] = []
        movers: list[Mover] = [Lying(poses=dict(self.poses))]
        turns = {ball: pose.turn for ball, pose in self.poses.items()}
        events = []
        if position.from_hand:
            carry = make_carry(
                self.table, None, decision.layout[cue_ball], now_s, pace=self.pace, generator=self.generator
            )
            placing = Carried(ball=cue_ball, carry=carry, turn=random_turn(self.generator))
            actors.append(carry)
            movers.append(placing)
            events.append(placing.event)
            turns[cue_ball] = placing.turn
            now_s = carry.ends_s + _AFTER_PLACING_S
        strike_s = now_s - self._delivery.starts_s
        delivery = dataclasses.replace(self._delivery, strike_s=strike_s)
        rolling = Rolling(motion=decision.motion, moves_from_s=strike_s, turns=turns)
        played = tuple(later(event, strike_s) for event in decision.motion.events)
        rest_s = strike_s + decision.motion.duration_s
        onlookers = make_onlookers(self.table, delivery.ends_s, rest_s, pace=self.pace, generator=self.generator)
        walkers = make_walkers(self.table, delivery.ends_s, rest_s, pace=self.pace, generator=self.generator)
        over_s = max([rest_s, delivery.ends_s, *(one.ends_s for one in onlookers), *(one.ends_s for one in walkers)])
        self.poses = {
            ball: lying_pose(ball, place, self.table, _turn_at(rolling, ball, rest_s))
            for ball, place in decision.motion.rest.items()
        }
        call = decision.call
        return Episode(
            table=self.table,
            number=self.number,
            duration_s=over_s + drawn(self.generator, self.pace.still_s),
            movers=(*movers, rolling),
            actors=(*actors, delivery, *onlookers, *walkers),
            events=(*events, *played),
            said=(Said(t_s=now_s + _CALL_AFTER_ARRIVAL_S, by=by, call=call),) if call else (),
            shot=Shot(by=by, before=decision.layout, from_hand=position.from_hand, call=call, events=played),
            intention=decision.intention,
        )

    def finish(self, episode: Episode, placements: Mapping[Ball, Point | None]) -> Episode:
        """The same episode with the hands that put balls where the referee wants them."""
        now_s = episode.duration_s
        hands: list[Carried] = []
        for ball, target in placements.items():
            pose = next((pose for pose in episode.at(now_s).balls if pose.ball == ball), None)
            origin = Point(pose.center_mm[0], pose.center_mm[1]) if pose else None
            if origin is None and target is None:
                continue
            carry = make_carry(self.table, origin, target, now_s, pace=self.pace, generator=self.generator)
            hand = Carried(ball=ball, carry=carry, turn=pose.turn if pose else random_turn(self.generator))
            hands.append(hand)
            self.poses.pop(ball, None)
            if target:
                self.poses[ball] = lying_pose(ball, target, self.table, hand.turn)
            now_s = carry.ends_s + _BETWEEN_HANDS_S
        touch = self._accident(now_s)
        if not hands and not touch:
            return episode
        reaches, nudges = ((touch[0],), (touch[1],)) if touch else ((), ())
        now_s = max([now_s, *(reach.ends_s for reach in reaches)])
        return dataclasses.replace(
            episode,
            duration_s=now_s + drawn(self.generator, self.pace.still_s),
            movers=(*episode.movers, *hands, *nudges),
            actors=(*episode.actors, *(hand.carry for hand in hands), *reaches),
            events=(*episode.events, *(hand.event for hand in hands), *(nudge.event for nudge in nudges)),
        )

    def _accident(self, now_s: float) -> tuple[Reach, Nudged] | None:
        """Now and then, in a bad hall, a sleeve touches a ball between the strokes."""
        if self.pace.accident_chance <= 0 or self.generator.random() >= self.pace.accident_chance:
            return None
        touch = accident(self.table, self.poses, now_s, self.generator)
        if touch:
            nudged = touch[1]
            self.poses[nudged.ball] = lying_pose(nudged.ball, nudged.target, self.table, nudged.turn)
        return touch


def random_turn(generator: np.random.Generator) -> Turn:
    """Any attitude of a ball, all alike likely (Shoemake 1992)."""
    first, second, third = (float(value) for value in generator.random(3))
    low, high = math.sqrt(1.0 - first), math.sqrt(first)
    return (
        high * math.cos(2 * math.pi * third),
        low * math.sin(2 * math.pi * second),
        low * math.cos(2 * math.pi * second),
        high * math.sin(2 * math.pi * third),
    )


def _turn_at(rolling: Rolling, ball: Ball, t_s: float) -> Turn:
    pose = rolling.pose(ball, t_s)
    assert pose is not None
    return pose.turn
