"""The virtual player: looks at the balls, decides on a stroke, and plays it as well as the hand allows."""

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from hardware.virtual.aiming import Aim, Sight, direction_to, is_on_table, mouth, stepped
from hardware.virtual.correcting import correction_rad
from hardware.virtual.intentions import WISHES, Calls, Intention, potted
from hardware.virtual.physics import CueStroke, Motion, simulate
from scoring.balls import Ball
from scoring.shots import Call
from scoring.table import Pocket, Point, Table

_TRIES = 80  # strokes tried in the head when looking for something special
_REFUSALS = 5  # how often a player thinks again
_CONSIDERED = 10  # pots looked at closely
_VARIANTS = 8  # speeds and tips tried for a pot with a carom
_CORRECTIONS = 3  # how often the aim at one pot is corrected for throw
_HARD_CORRECTIONS = 7
_LATEST_REST_S = 16.0  # longer rolls bore everybody
_DESPAIR = 0.75
_TIP_LIMIT = 0.55  # of the radius; beyond, the tip would slip
_CUE_PER_BALL_SPEED = 0.7
_PLACES_TRIED = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """How far a stroke strays from what was meant: standard deviations."""

    direction_rad: float
    speed_share: float
    tip: float

    @classmethod
    def of(cls, level: float) -> "Skill":
        """A skill between 0 (beginner) and 1 (machine)."""
        clumsy = 1.0 - min(max(level, 0.0), 1.0)
        return cls(direction_rad=0.004 * clumsy**2, speed_share=0.1 * clumsy, tip=0.04 * clumsy**2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """What a player sees before a stroke.

    With `from_hand` the cue ball is not in `layout` until the player has chosen its place in the house. `targets` may
    be potted; (target, pocket) pairs in `banned` not, those in `bank_ban` not by a bank. `weights` says how often each
    intention is chosen.
    """

    table: Table
    layout: Mapping[Ball, Point]
    cue_ball: Ball
    targets: tuple[Ball, ...]
    from_hand: bool = False
    has_far_house: bool = False
    banned: frozenset[tuple[Ball, Pocket]] = frozenset()
    bank_ban: frozenset[tuple[Ball, Pocket]] = frozenset()
    weights: Mapping[Intention, float]
    calls: Calls

    @property
    def sight(self) -> Sight:
        """What there is to aim at."""
        return Sight(table=self.table, layout=self.layout, cue_ball=self.cue_ball)

    def with_cue_ball(self, place: Point) -> "Position":
        """The position with the cue ball at a place."""
        return dataclasses.replace(self, layout={**self.layout, self.cue_ball: place})

    @property
    def is_from_far_house(self) -> bool:
        """Whether a ball in hand is played from the far end, because all others lie in the house (MP-48)."""
        here = [self.layout[ball] for ball in self.targets if ball in self.layout]
        return self.from_hand and self.has_far_house and all(self.table.is_in_house(place) for place in here)

    def playable(self) -> list[Ball]:
        """The targets on the table; from hand those in the house are none (RP-30, MP-28)."""
        here = [ball for ball in self.targets if ball in self.layout]
        if not self.from_hand or self.is_from_far_house:
            return here
        return [ball for ball in here if not self.table.is_in_house(self.layout[ball])]

    def aims(self, intention: Intention) -> list[Aim]:
        """The pots that geometry and rules allow."""
        sight, targets = self.sight, self.playable()
        if intention is Intention.COMBINATION:
            found = list(sight.combinations(targets))
        else:
            found = [aim for aim in sight.pots(targets) if aim.is_bank == (intention is Intention.BANK)]
        banned = self.bank_ban if intention is Intention.BANK else self.banned
        return [aim for aim in found if (aim.target, aim.pocket) not in banned]

    def does(self, intention: Intention, motion: Motion, target: Ball) -> bool:
        """Whether a motion is what the intention asks for."""
        return WISHES[intention](motion, self.cue_ball, target, self.table)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Decision:
    """A stroke as it is played: where the cue ball stands, what was meant, what was called, what came of it."""

    layout: Mapping[Ball, Point]
    stroke: CueStroke
    motion: Motion
    intention: Intention
    call: Call | None


@dataclass(slots=True)
class Player:
    """A player with a skill; whims and slips come from the generator."""

    skill: Skill
    generator: np.random.Generator

    def decide(self, position: Position, accepts: Callable[[Decision], bool] = lambda _: True) -> Decision:
        """Choose and play a stroke; `accepts` may turn down what would look wrong, as long as there is a choice."""
        decision = self._decide(position)
        for _ in range(_REFUSALS):
            if accepts(decision) and decision.motion.duration_s < _LATEST_REST_S:
                return decision
            decision = self._decide(position)
        accepts(decision)
        return decision

    def _decide(self, seen: Position) -> Decision:
        names = list(seen.weights)
        weights = np.array([seen.weights[name] for name in names])
        intention = names[int(self.generator.choice(len(names), p=weights / weights.sum()))]
        position = seen.with_cue_ball(self._place_for_cue_ball(seen, intention)) if seen.from_hand else seen
        if intention is Intention.BREAK:
            return self._break(position)
        if intention in (Intention.POT, Intention.CAROM, Intention.BANK, Intention.COMBINATION):
            decision = self._pot(position, self._ranked(position.aims(intention)), intention)
            if decision:
                return decision
            intention = Intention.SAFETY
        return self._special(position, intention)

    def _place_for_cue_ball(self, position: Position, intention: Intention) -> Point:
        """A place in the house from which something can be potted, or the rack be broken."""
        if intention is Intention.BREAK:
            return min(self._free_places(position), key=lambda place: abs(place.y_mm))
        best, best_ease_rad = None, -1.0
        for place in self._free_places(position):
            aims = position.with_cue_ball(place).aims(Intention.POT)
            ease_rad = max((aim.ease_rad for aim in aims), default=0.0) * float(self.generator.uniform(0.6, 1.0))
            if ease_rad > best_ease_rad:
                best, best_ease_rad = place, ease_rad
        assert best is not None
        return best

    def _free_places(self, position: Position) -> Iterator[Point]:
        """Some places in the house at which the cue ball would touch nothing (C-9)."""
        table, found = position.table, 0
        near_mm, far_mm = 1.5 * table.ball_mm, table.house_line_x_mm - 12.0
        while found < _PLACES_TRIED:
            x_mm = float(self.generator.uniform(near_mm, far_mm))
            y_mm = float(self.generator.uniform(-0.9, 0.9)) * (table.width_mm / 2 - table.ball_radius_mm)
            place = Point(round(table.length_mm - x_mm if position.is_from_far_house else x_mm, 1), round(y_mm, 1))
            if all(place.distance_mm(other) > table.ball_mm + 15.0 for other in position.layout.values()):
                found += 1
                yield place

    def _ranked(self, aims: list[Aim]) -> list[Aim]:
        """The easiest first, after a little whim."""
        whims = np.exp(0.5 * self.generator.normal(size=len(aims)))
        order = sorted(range(len(aims)), key=lambda index: -aims[index].ease_rad * float(whims[index]))
        return [aims[index] for index in order]

    def _pot(self, position: Position, aims: list[Aim], intention: Intention) -> Decision | None:
        """Try the best pots in the head, correct each for throw, and play the first that would do what is wanted."""
        fallback: tuple[Aim, CueStroke] | None = None
        for aim in aims[:_CONSIDERED]:
            for _ in range(_VARIANTS if intention is Intention.CAROM else 1):
                stroke, motion = self._corrected(position, aim)
                if motion is None:
                    continue
                fallback = fallback or (aim, stroke)
                if position.does(intention, motion, aim.target):
                    return self._played(position, stroke, intention, aim)
        return self._played(position, fallback[1], intention, fallback[0]) if fallback else None

    def _corrected(self, position: Position, aim: Aim) -> tuple[CueStroke, Motion | None]:
        """Turn the cue until the ball first hit, as physics has it, leaves where it should."""
        table = position.table
        way_mm = aim.to_ball_mm + aim.to_pocket_mm / max(math.cos(aim.cut_rad), 0.35)
        ball_speed_mm_s = (700.0 + 0.75 * way_mm) * (1.4 if aim.is_bank or aim.second else 1.0)
        stroke = CueStroke(
            ball=position.cue_ball,
            speed_mm_s=ball_speed_mm_s * _CUE_PER_BALL_SPEED * float(self.generator.uniform(0.8, 1.5)),
            direction_rad=aim.direction_rad,
            side=float(self.generator.choice((-0.2, 0.0, 0.0, 0.0, 0.2))),
            top=float(self.generator.uniform(-0.45, 0.45)),
        )
        motion = simulate(table, position.layout, stroke)
        for _ in range(_CORRECTIONS if aim.is_direct else _HARD_CORRECTIONS):
            if any(fall.pocket is aim.pocket for fall in potted(motion, aim.target)):
                break
            turn_rad = correction_rad(motion, position.sight, aim)
            if turn_rad is None:
                return stroke, None
            stroke = dataclasses.replace(stroke, direction_rad=stroke.direction_rad + turn_rad)
            motion = simulate(table, position.layout, stroke)
        return stroke, motion

    def _break(self, position: Position) -> Decision:
        """Drive the cue ball into the rack."""
        start = position.sight.start
        apex = min(position.sight.others(position.cue_ball), key=lambda place: place.x_mm)
        offset_mm = float(self.generator.uniform(-0.6, 0.6)) * position.table.ball_radius_mm
        direction_rad = direction_to(start, Point(apex.x_mm, apex.y_mm + offset_mm))
        speed_mm_s = float(self.generator.uniform(*Intention.BREAK.speeds_mm_s))
        stroke = CueStroke(ball=position.cue_ball, speed_mm_s=speed_mm_s, direction_rad=direction_rad, top=0.1)
        return self._played(position, stroke, Intention.BREAK, None)

    def _special(self, position: Position, intention: Intention) -> Decision:
        """Look for a stroke that does something special, and play the last one tried when none does."""
        stroke = self._imagined(position, intention)
        for attempt in range(_TRIES):
            motion = simulate(position.table, position.layout, stroke)
            if position.does(intention, motion, position.cue_ball):
                break
            stroke = self._imagined(position, intention, attempt / _TRIES)
        aims = self._ranked(position.aims(Intention.POT))
        return self._played(position, stroke, intention, aims[0] if aims else None, steadiness=0.2)

    def _imagined(self, position: Position, intention: Intention, despair: float = 0.0) -> CueStroke:
        """A stroke at some ball, full or thin as the intention asks; into the open when there is no ball to play at.

        Whoever looks in vain for a way to lose the cue ball off another one plays it straight into a pocket at last.
        """
        table, start = position.table, position.sight.start
        goals = [position.layout[ball] for ball in position.playable()]
        goals = [goal for goal in goals if goal.distance_mm(start) > table.ball_mm + 1.0]
        if intention is Intention.SCRATCH and despair > _DESPAIR:
            hole = mouth(table, list(Pocket)[int(self.generator.integers(len(Pocket)))])
            direction_rad = direction_to(start, hole)
        elif intention is Intention.NOTHING or not goals:
            direction_rad = self._open_direction_rad(position)
        else:
            goal = goals[int(self.generator.integers(len(goals)))]
            aside_mm = float(self.generator.uniform(*intention.fullness) * self.generator.choice((-1, 1)))
            sine = aside_mm * table.ball_mm / start.distance_mm(goal)
            direction_rad = direction_to(start, goal) + math.asin(min(max(sine, -1.0), 1.0))
        return CueStroke(
            ball=position.cue_ball,
            speed_mm_s=float(self.generator.uniform(*intention.speeds_mm_s)),
            direction_rad=direction_rad,
            side=float(self.generator.uniform(-0.25, 0.25)),
            top=float(self.generator.uniform(-0.4, 0.4)),
            elevation_rad=float(self.generator.uniform(*intention.elevations_rad)),
        )

    def _open_direction_rad(self, position: Position) -> float:
        """A direction with some room before the cue ball; out of the house when played from hand."""
        table, start = position.table, position.sight.start
        while True:
            direction_rad = float(self.generator.uniform(-math.pi, math.pi))
            has_room = is_on_table(table, stepped(start, direction_rad, 2.5 * table.ball_mm))
            leaves = math.cos(direction_rad) * (-1.0 if position.is_from_far_house else 1.0) > 0.3
            if has_room and (leaves or not position.from_hand):
                return direction_rad

    def _played(
        self, position: Position, meant: CueStroke, intention: Intention, aim: Aim | None, steadiness: float = 1.0
    ) -> Decision:
        """The stroke as the hand plays it."""
        slips = steadiness * self.generator.normal(size=4)
        side, top = meant.side + self.skill.tip * float(slips[2]), meant.top + self.skill.tip * float(slips[3])
        held = min(_TIP_LIMIT / max(math.hypot(side, top), 1e-9), 1.0)
        stroke = dataclasses.replace(
            meant,
            direction_rad=meant.direction_rad + self.skill.direction_rad * float(slips[0]),
            speed_mm_s=meant.speed_mm_s * max(1.0 + self.skill.speed_share * float(slips[1]), 0.5),
            side=side * held,
            top=top * held,
        )
        motion = simulate(position.table, position.layout, stroke)
        return Decision(
            layout=position.layout, stroke=stroke, motion=motion, intention=intention, call=_call(position, aim)
        )


def _call(position: Position, aim: Aim | None) -> Call | None:
    """What the player announces: the aim, or for lack of one the nearest ball and pocket."""
    if position.calls is Calls.NOTHING:
        return None
    ball, pocket = (aim.target, aim.pocket) if aim else _nearest(position)
    if position.calls is Calls.BALL:
        return Call(ball=ball)
    bank = aim is not None and aim.is_bank
    return Call(ball=ball, pocket=pocket, bank=bank if position.calls is Calls.BALL_POCKET_BANK else None)


def _nearest(position: Position) -> tuple[Ball, Pocket]:
    """The nearest ball and the pocket nearest to it."""
    start, layout = position.sight.start, position.layout
    ball = min((each for each in position.targets if each in layout), key=lambda each: start.distance_mm(layout[each]))
    return ball, min(Pocket, key=lambda each: position.table.pocket_corner(each).distance_mm(layout[ball]))
