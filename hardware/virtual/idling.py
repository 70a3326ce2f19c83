"""A table at which nobody plays: hands, arms, cues, balls moved and put back, lamps and the camera, and no stroke."""

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from hardware.virtual.difficulty import Difficulty
from hardware.virtual.games import game_script
from hardware.virtual.gestures import PACES, Range, drawn, make_carry, make_delivery
from hardware.virtual.mishaps import Gap, Knock, Mishaps, Reexposure, Switch
from hardware.virtual.people import Actor, Delivery, LeftThing, Onlooker, Walker, standing_place
from hardware.virtual.performance import Performance
from hardware.virtual.physics import CueStroke, simulate
from hardware.virtual.scene import BallPose, CueStick, Limb
from hardware.virtual.script import Carried, Episode, Lying, Mover, layout_of, lying_pose
from hardware.virtual.staging import random_turn
from hardware.virtual.timeline import Timeline
from hardware.virtual.touches import accident, make_reach
from scoring.balls import Ball
from scoring.events import TableEvent
from scoring.shots import Shot
from scoring.table import Point, Table

_IDLING = 16  # different things need different seeds
_FIRST_STILLNESS_S, _LAST_STILLNESS_S = 3.0, 2.0
_PAUSE_S: Range = (0.0, 2.5)
_ROOM_MM = 6.0  # between balls that are laid
_TRIES = 200
_MISHAP_EVERY_S: Range = (15.0, 40.0)
_KNOCK_RAD: Range = (math.radians(0.05), math.radians(0.25))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoodUp:
    """A player who leans in and feathers as for a stroke, and gets up again without one."""

    delivery: Delivery
    turns_s: float  # from when on everything goes back as it came

    @property
    def ends_s(self) -> float:
        """When the player is out of sight again."""
        return 2.0 * self.turns_s - self.delivery.starts_s

    def cues(self, t_s: float) -> tuple[CueStick, ...]:
        """The player's cue."""
        return self.delivery.cues(self._there(t_s))

    def limbs(self, t_s: float) -> tuple[Limb, ...]:
        """The player, as at the delivery."""
        return self.delivery.limbs(self._there(t_s))

    def _there(self, t_s: float) -> float:
        return min(t_s, 2.0 * self.turns_s - t_s)


@dataclass(slots=True)
class _Idling:
    """What people do, one thing after another, until the time is over."""

    table: Table
    difficulty: Difficulty
    generator: np.random.Generator
    poses: dict[Ball, BallPose]
    now_s: float = _FIRST_STILLNESS_S  # when the next thing begins
    over_s: float = 0.0  # when everybody has gone
    movers: list[Mover] = field(default_factory=list)
    actors: list[Actor] = field(default_factory=list)
    events: list[TableEvent] = field(default_factory=list)
    _away: list[Ball] = field(default_factory=list)

    def go_on(self) -> None:
        """One more thing, and often a pause behind it."""
        doings: tuple[Callable[[], None], ...] = (
            self._reach,
            self._move_ball,
            self._take_away,
            self._bring_back,
            self._nudge,
            self._stand_up,
            self._look_on,
            self._walk,
            self._leave_cue,
        )
        doings[int(self.generator.integers(len(doings)))]()
        self.now_s += drawn(self.generator, _PAUSE_S)

    def _reach(self) -> None:
        places = tuple(self._place() for _ in range(int(self.generator.integers(1, 4))))
        height_mm = drawn(self.generator, (70.0, 150.0))
        reach = make_reach(self.table, places, self.now_s, drawn(self.generator, (1.6, 4.5)), height_mm=height_mm)
        self._add(reach, reach.ends_s)

    def _move_ball(self) -> None:
        ball, target = self._some_ball(), _free_place(self.table, self.poses, self.generator)
        if target:
            self._carry(ball, target)

    def _take_away(self) -> None:
        if len(self.poses) > 1:
            ball = self._some_ball()
            self._carry(ball, None)
            self._away.append(ball)

    def _bring_back(self) -> None:
        target = _free_place(self.table, self.poses, self.generator)
        if self._away and target:
            self._carry(self._away.pop(0), target)

    def _carry(self, ball: Ball, target: Point | None) -> None:
        pose = self.poses.pop(ball, None)
        start = Point(pose.center_mm[0], pose.center_mm[1]) if pose else None
        pace = PACES[self.difficulty]
        carry = make_carry(self.table, start, target, self.now_s, pace=pace, generator=self.generator)
        hand = Carried(ball=ball, carry=carry, turn=pose.turn if pose else random_turn(self.generator))
        self.movers.append(hand)
        self.events.append(hand.event)
        if target:
            self.poses[ball] = lying_pose(ball, target, self.table, hand.turn)
        self._add(carry, carry.ends_s)

    def _nudge(self) -> None:
        touch = accident(self.table, self.poses, self.now_s, self.generator)
        if touch:
            reach, nudged = touch
            self.poses[nudged.ball] = lying_pose(nudged.ball, nudged.target, self.table, nudged.turn)
            self.movers.append(nudged)
            self.events.append(nudged.event)
            self._add(reach, reach.ends_s)

    def _stand_up(self) -> None:
        ball, layout = self._some_ball(), layout_of(self.poses)
        direction, speed = drawn(self.generator, (-math.pi, math.pi)), drawn(self.generator, (600.0, 3000.0))
        stroke = CueStroke(ball=ball, speed_mm_s=speed, direction_rad=direction)
        motion = simulate(self.table, layout, stroke)
        pace = PACES[self.difficulty]
        planned = make_delivery(self.table, layout, stroke, motion, pace=pace, generator=self.generator)
        delivery = dataclasses.replace(planned, strike_s=self.now_s - planned.starts_s)
        aims_s = delivery.starts_s + delivery.manner.arrive_s + delivery.manner.feathers * delivery.manner.feather_s
        stood = StoodUp(delivery=delivery, turns_s=aims_s + 0.1)
        self._add(stood, stood.ends_s)

    def _look_on(self) -> None:
        x_mm, y_mm = self._beside(drawn(self.generator, (0.25, 0.5)))
        outside = standing_place(self.table, x_mm, y_mm * 2.0, 420.0)
        ends_s = self.now_s + drawn(self.generator, (1.2, 3.5))
        looker = Onlooker(place=(x_mm, y_mm, 420.0), outside=outside, starts_s=self.now_s, ends_s=ends_s)
        self._add(looker, ends_s, next_s=self.now_s + 0.5)

    def _walk(self) -> None:
        _, y_mm = self._beside(0.5 + drawn(self.generator, (200.0, 500.0)) / self.table.width_mm)
        first, last = (-800.0, self.table.length_mm + 800.0)[:: int(self.generator.choice((-1, 1)))]
        height_mm, ends_s = drawn(self.generator, (650.0, 900.0)), self.now_s + drawn(self.generator, (2.5, 5.0))
        start, end = (first, y_mm, height_mm), (last, y_mm, height_mm)
        walker = Walker(start=start, end=end, starts_s=self.now_s, ends_s=ends_s)
        self._add(walker, ends_s, next_s=self.now_s + 0.5)

    def _leave_cue(self) -> None:
        tip, butt = self._place(), self._place()
        span_mm = max(tip.distance_mm(butt), 1.0)
        x_mm = tip.x_mm + (butt.x_mm - tip.x_mm) * 1450.0 / span_mm
        y_mm = tip.y_mm + (butt.y_mm - tip.y_mm) * 1450.0 / span_mm
        cue = CueStick(tip_mm=(tip.x_mm, tip.y_mm, 80.0), butt_mm=(x_mm, y_mm, 90.0))
        reach = make_reach(self.table, (tip,), self.now_s, 1.6, height_mm=110.0)
        away_s = reach.ends_s + drawn(self.generator, (2.0, 6.0))
        again = make_reach(self.table, (tip,), away_s, 1.6, height_mm=110.0)
        self.actors += [LeftThing(cue=cue, starts_s=self.now_s + 0.8, ends_s=away_s + 0.8), reach]
        self._add(again, again.ends_s, next_s=reach.ends_s + 0.3)

    def _add(self, actor: Actor, until_s: float, next_s: float | None = None) -> None:
        """Somebody is there until a time; others may come before they have gone, from `next_s` on."""
        self.actors.append(actor)
        self.over_s = max(self.over_s, until_s)
        self.now_s = next_s or until_s

    def _some_ball(self) -> Ball:
        balls = sorted(self.poses)
        return balls[int(self.generator.integers(len(balls)))]

    def _place(self) -> Point:
        return Point(*_some_place(self.table, self.generator))

    def _beside(self, share: float) -> tuple[float, float]:
        side = float(self.generator.choice((-1.0, 1.0)))
        return drawn(self.generator, (0.1, 0.9)) * self.table.length_mm, side * share * self.table.width_mm


def idle(game: str, seed: int, difficulty: Difficulty, table: Table, duration_s: float) -> Performance:
    """Minutes without a stroke around balls that lie anywhere; a lamp or the camera has its turn now and then.

    Raises:
        UnknownGameError: nobody knows which balls this game has.
    """
    generator = np.random.default_rng([seed, _IDLING])
    balls = game_script(game).balls
    lying: dict[Ball, BallPose] = {}
    for ball in balls:
        place = _free_place(table, lying, generator)
        assert place is not None, "a table has room for a set of balls"
        lying[ball] = lying_pose(ball, place, table, random_turn(generator))
    idling = _Idling(table, difficulty, generator, dict(lying))
    while idling.now_s < duration_s:
        idling.go_on()
    episode = Episode(
        table=table,
        number=1,
        duration_s=max(idling.over_s, idling.now_s) + _LAST_STILLNESS_S,
        movers=(Lying(poses=lying), *idling.movers),
        actors=tuple(idling.actors),
        events=tuple(idling.events),
        said=(),
        shot=Shot(by="A", before=layout_of(lying)),
    )
    return Performance(
        seed=seed,
        difficulty=difficulty,
        timeline=Timeline.of((episode,)),
        balls=balls,
        facts={"game": game, "strokes": 0},
        mishaps=_mishaps(generator, idling.now_s),
    )


def _free_place(table: Table, poses: Mapping[Ball, BallPose], generator: np.random.Generator) -> Point | None:
    """A place on the cloth that touches no ball; None when none is found."""
    for _ in range(_TRIES):
        place = _some_place(table, generator)
        if all(math.dist(pose.center_mm[:2], place) > table.ball_mm + _ROOM_MM for pose in poses.values()):
            return Point(*place)
    return None


def _some_place(table: Table, generator: np.random.Generator) -> tuple[float, float]:
    margin_mm = table.ball_mm
    x_mm = drawn(generator, (margin_mm, table.length_mm - margin_mm))
    return x_mm, drawn(generator, (-1.0, 1.0)) * (table.width_mm / 2 - margin_mm)


def _mishaps(generator: np.random.Generator, until_s: float) -> Mishaps:
    """Lamps that are switched, exposures, knocks and lost pictures, one now and then."""
    knocks: list[Knock] = []
    switches: list[Switch] = []
    exposures: list[Reexposure] = []
    gaps: list[Gap] = []
    t_s = drawn(generator, _MISHAP_EVERY_S)
    while t_s < until_s:
        kind = int(generator.integers(4))
        if kind == 0:
            axis = generator.normal(size=3)
            x, y, z = (float(value) for value in axis / np.linalg.norm(axis) * drawn(generator, _KNOCK_RAD))
            knocks.append(Knock(t_s=t_s, turn_rad=(x, y, z)))
        elif kind == 1:
            dark_s = drawn(generator, (1.0, 8.0))
            switches += [Switch(t_s=t_s, lamp=0, is_on=False), Switch(t_s=t_s + dark_s, lamp=0, is_on=True)]
        elif kind == 2:
            exposures.append(Reexposure(t_s=t_s, gain=drawn(generator, (0.75, 1.35))))
        else:
            gaps.append(Gap(starts_s=t_s, ends_s=t_s + drawn(generator, (0.1, 1.0))))
        t_s += drawn(generator, _MISHAP_EVERY_S)
    return Mishaps(knocks=tuple(knocks), switches=tuple(switches), reexposures=tuple(exposures), gaps=tuple(gaps))
