"""What a player may have in mind with a stroke, and whether a motion does it."""

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TypeAlias

from hardware.virtual.aiming import mouth
from hardware.virtual.physics import Motion
from scoring.balls import Ball
from scoring.events import Contact, CushionHit, OffTable, Potted
from scoring.table import Pocket, Table


class Calls(StrEnum):
    """How much of a stroke a game's players announce."""

    NOTHING = "nothing"
    BALL = "ball"
    BALL_POCKET = "ball-pocket"
    BALL_POCKET_BANK = "ball-pocket-bank"


Wish: TypeAlias = Callable[[Motion, Ball, Ball, Table], bool]


class Intention(StrEnum):
    """What a stroke is meant to do."""

    POT = "pot"
    CAROM = "carom"
    BANK = "bank"
    COMBINATION = "combination"
    SAFETY = "safety"
    NOTHING = "nothing"
    THIN = "thin"
    POWER = "power"
    SCRATCH = "scratch"
    DOUBLE_KISS = "double-kiss"
    JAWS = "jaws"
    JUMP = "jump"
    BREAK = "break"

    @property
    def speeds_mm_s(self) -> tuple[float, float]:
        """The range of the cue's speed."""
        return _SPEEDS_MM_S.get(self, (650.0, 2500.0))

    @property
    def elevations_rad(self) -> tuple[float, float]:
        """How far the butt of the cue is raised."""
        return (0.35, 0.7) if self is Intention.JUMP else (0.0, 0.0)

    @property
    def fullness(self) -> tuple[float, float]:
        """The range of the distance between the cue ball's line and the target's centre, in ball diameters."""
        return {Intention.THIN: (0.93, 0.99), Intention.DOUBLE_KISS: (0.0, 0.1)}.get(self, (0.0, 0.85))


_SPEEDS_MM_S: Mapping[Intention, tuple[float, float]] = MappingProxyType(
    {
        Intention.SAFETY: (250.0, 900.0),
        Intention.NOTHING: (220.0, 1100.0),
        Intention.POWER: (2800.0, 5000.0),
        Intention.DOUBLE_KISS: (1100.0, 2500.0),
        Intention.JUMP: (3000.0, 5500.0),
        Intention.BREAK: (3800.0, 6000.0),
    }
)


def potted(motion: Motion, ball: Ball) -> Iterator[Potted]:
    """The falls of one ball."""
    return (event for event in motion.events if isinstance(event, Potted) and event.ball == ball)


def touched(motion: Motion, ball: Ball) -> list[Ball]:
    """The balls that a ball touched, each once, in order."""
    contacts = (event for event in motion.events if isinstance(event, Contact) and ball in (event.ball, event.other))
    return list(dict.fromkeys(event.other if event.ball == ball else event.ball for event in contacts))


def _pots(motion: Motion, cue_ball: Ball, target: Ball, table: Table) -> bool:
    del table
    return any(potted(motion, target)) and not any(potted(motion, cue_ball))


def _pots_with_carom(motion: Motion, cue_ball: Ball, target: Ball, table: Table) -> bool:
    others = [ball for ball in touched(motion, cue_ball) if ball != target]
    return _pots(motion, cue_ball, target, table) and bool(others) and target in touched(motion, cue_ball)


def _touches_one_softly(motion: Motion, cue_ball: Ball, target: Ball, table: Table) -> bool:
    del target, table
    return bool(touched(motion, cue_ball)) and not any(isinstance(event, Potted) for event in motion.events)


def _touches_nothing(motion: Motion, cue_ball: Ball, target: Ball, table: Table) -> bool:
    del target, table
    return not touched(motion, cue_ball) and not any(potted(motion, cue_ball))


def _scratches(motion: Motion, cue_ball: Ball, target: Ball, table: Table) -> bool:
    del target, table
    return any(potted(motion, cue_ball))


def _kisses_twice(motion: Motion, cue_ball: Ball, target: Ball, table: Table) -> bool:
    del target, table
    pairs = [
        frozenset((event.ball, event.other))
        for event in motion.events
        if isinstance(event, Contact) and cue_ball in (event.ball, event.other)
    ]
    return len(pairs) > len(set(pairs))


def _stops_in_jaws(motion: Motion, cue_ball: Ball, target: Ball, table: Table) -> bool:
    del target
    return any(
        place.distance_mm(mouth(table, pocket)) < 1.3 * table.ball_mm
        for ball, place in motion.rest.items()
        if ball != cue_ball
        for pocket in Pocket
    )


def _runs_far(motion: Motion, cue_ball: Ball, target: Ball, table: Table) -> bool:
    del target, table
    hits = sum(isinstance(event, CushionHit) for event in motion.events)
    return hits >= 4 and bool(touched(motion, cue_ball)) and not any(isinstance(e, OffTable) for e in motion.events)


def _leaves_table(motion: Motion, cue_ball: Ball, target: Ball, table: Table) -> bool:
    del cue_ball, target, table
    return any(isinstance(event, OffTable) for event in motion.events)


WISHES: Mapping[Intention, Wish] = MappingProxyType(
    {
        Intention.POT: _pots,
        Intention.CAROM: _pots_with_carom,
        Intention.BANK: _pots,
        Intention.COMBINATION: _pots,
        Intention.SAFETY: _touches_one_softly,
        Intention.NOTHING: _touches_nothing,
        Intention.THIN: _touches_one_softly,
        Intention.POWER: _runs_far,
        Intention.SCRATCH: _scratches,
        Intention.DOUBLE_KISS: _kisses_twice,
        Intention.JAWS: _stops_in_jaws,
        Intention.JUMP: _leaves_table,
        Intention.BREAK: _runs_far,
    }
)
