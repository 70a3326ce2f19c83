"""What a case is, and what its script needs to find its strokes."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from hardware.errors import HardwareError
from hardware.virtual.cases.stage import Stage
from hardware.virtual.physics import CueStroke, Motion
from scoring.balls import RED_1, RED_2, WHITE_1, WHITE_2, YELLOW, Ball
from scoring.events import Contact, Potted, TableEvent
from scoring.table import Point

Script: TypeAlias = Callable[[Stage], None]


class UnknownCaseError(HardwareError):
    """Nobody has written this case."""


class BrokenCaseError(HardwareError):
    """A case does not come about on this table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One thing that is hard to see or to judge, played on purpose; `holds` tells whether the truth has it."""

    name: str
    about: str
    script: Script
    holds: Callable[[tuple[TableEvent, ...]], bool]
    game: str = "kaisa"


def lay(stage: Stage, **places: tuple[float, float]) -> None:
    """Lay the five balls: those named (`white_1=(x, y)`), the others out of the way along the left cushion."""
    side = mirror(stage)
    spare = {WHITE_1: (500, 520), WHITE_2: (900, 560), RED_1: (1250, 590), RED_2: (1600, 560), YELLOW: (2000, 590)}
    named = {Ball(name.replace("_", "-")): place for name, place in places.items()}
    stage.lay({ball: Point(float(x), side * float(y)) for ball, (x, y) in (spare | named).items()})


def mirror(stage: Stage) -> float:
    """On which side of the table this seed plays the case: 1 as written, -1 mirrored."""
    if not stage.side:
        stage.side = float(stage.generator.choice((-1.0, 1.0)))
    return stage.side


def at(stage: Stage, x_mm: float, y_mm: float) -> Point:
    """A place as the script writes it, mirrored with the case."""
    return Point(x_mm, mirror(stage) * y_mm)


def toward(start: Point, goal: Point, aside_mm: float = 0.0) -> float:
    """The direction from a place past a goal: `aside_mm` is how far left of the goal's middle the line passes."""
    ahead = math.atan2(goal.y_mm - start.y_mm, goal.x_mm - start.x_mm)
    return ahead + math.asin(max(-1.0, min(1.0, aside_mm / start.distance_mm(goal))))


def stroke(
    stage: Stage, goal: Point, speed_mm_s: float, *, aside_mm: float = 0.0, top: float = 0.0, elevation_rad: float = 0.0
) -> CueStroke:
    """A stroke of the first white at a place; `aside_mm` is mirrored with the case."""
    direction = toward(stage.layout[WHITE_1], goal, mirror(stage) * aside_mm)
    return CueStroke(ball=WHITE_1, speed_mm_s=speed_mm_s, direction_rad=direction, top=top, elevation_rad=elevation_rad)


def first(stage: Stage, strokes: Iterable[CueStroke], wish: Callable[[Motion], bool]) -> CueStroke:
    """The first of some strokes that does what is wanted.

    Raises:
        BrokenCaseError: none does.
    """
    for tried in strokes:
        if wish(stage.imagine(tried)):
            return tried
    message = "this case does not come about with these balls on this table"
    raise BrokenCaseError(message)


def contacts(events: Iterable[TableEvent]) -> list[frozenset[Ball]]:
    """The pairs of balls that touched, in order."""
    return [frozenset((event.ball, event.other)) for event in events if isinstance(event, Contact)]


def pots(events: Iterable[TableEvent]) -> list[Potted]:
    """The balls that fell, in order."""
    return [event for event in events if isinstance(event, Potted)]
