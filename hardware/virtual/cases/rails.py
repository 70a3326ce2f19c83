"""Cases at the cushions and the pockets, and beyond them."""

import math
from collections.abc import Iterator
from itertools import product

from hardware.virtual.aiming import mouth
from hardware.virtual.cases.case import Case, at, contacts, first, lay, pots, stroke
from hardware.virtual.cases.stage import Stage
from hardware.virtual.physics import CueStroke, Motion
from scoring.balls import RED_1, RED_2, WHITE_1, YELLOW
from scoring.events import CushionHit, OffTable, Potted, Rest, TableEvent
from scoring.table import Pocket, Point

_EDGE = 676.0  # where a ball lies that touches a long cushion of the ten-foot table


def _frozen_to_cushion(stage: Stage) -> None:
    lay(stage, white_1=(900, 100), red_1=(1900, -_EDGE))
    stage.strike(stroke(stage, stage.layout[RED_1], 1500, aside_mm=-20))


def _from_cushion(stage: Stage) -> None:
    lay(stage, white_1=(700, -_EDGE), red_1=(2100, -560))
    stage.strike(stroke(stage, stage.layout[RED_1], 1400, aside_mm=25))


def _late_drop(stage: Stage) -> None:
    lay(stage, white_1=(1420, 300), red_1=(1420, -200))
    red = stage.layout[RED_1]
    tries = (stroke(stage, red, 915.0 + 0.02 * step, top=-0.3) for step in range(300))

    def is_late(motion: Motion) -> bool:
        return any(
            isinstance(event, Potted) and event.ball == RED_1 and event.t_s > _stopped_s(motion, event.t_s) + 1.0
            for event in motion.events
        )

    stage.strike(first(stage, tries, is_late))


def _stopped_s(motion: Motion, until_s: float) -> float:
    """When the red ball had come to a stop before it fell."""
    last_s = 0.0
    for step in range(1, int(until_s * 100)):
        t_s = until_s - step / 100
        if math.hypot(*motion.velocity_mm_s(RED_1, t_s)) > 8.0:
            last_s = t_s
            break
    return last_s


def _hanger(stage: Stage) -> None:
    lay(stage, white_1=(1420, 300), red_1=(1420, -200))
    tries = (stroke(stage, stage.layout[RED_1], 900.0 + step, top=-0.3) for step in range(30))
    hole = mouth(stage.table, Pocket.MR if stage.layout[RED_1].y_mm < 0 else Pocket.ML)
    stage.strike(first(stage, tries, lambda m: RED_1 in m.rest and m.rest[RED_1].distance_mm(hole) < 14.0))
    stage.wait(2.0)


def _rattle(stage: Stage) -> None:
    lay(stage, white_1=(1900, 200), red_1=(2400, -250))
    red, corner = stage.layout[RED_1], at(stage, 2815, -684)
    tries = (
        stroke(stage, red, speed, aside_mm=aside)
        for speed, aside in product((1200, 1700, 2300), (step / 4 for step in range(-60, 60)))
    )

    def rattles(motion: Motion) -> bool:
        jaws = [e for e in motion.events if isinstance(e, CushionHit) and e.ball == RED_1 and e.is_jaw]
        return len(jaws) > 1 and RED_1 in motion.rest and motion.rest[RED_1].distance_mm(corner) > 60.0

    stage.strike(first(stage, tries, rattles))


def _two_in_one(stage: Stage) -> None:
    lay(stage, white_1=(1420, 250), red_1=(1420, -480), red_2=(1420, -560))
    tries = (
        stroke(stage, stage.layout[RED_1], speed, top=top) for speed, top in product(range(900, 2600, 50), (-0.3, 0))
    )
    stage.strike(first(stage, tries, lambda motion: {pot.ball for pot in pots(motion.events)} >= {RED_1, RED_2}))


def _leaves_table(stage: Stage) -> None:
    lay(stage, white_1=(1100, -200), red_1=(1350, -350), yellow=(2000, -500))
    tries = (
        stroke(stage, stage.layout[RED_1], speed, aside_mm=aside, elevation_rad=elevation)
        for elevation, speed, aside in product((0.35, 0.5), range(1800, 6000, 150), (0.0, 12.0, 20.0, 30.0, 38.0))
    )
    stage.strike(first(stage, tries, lambda motion: any(not event.on_rail for event in _escapes(motion))))


def _escapes(motion: Motion) -> list[OffTable]:
    """The balls that left the table."""
    return [event for event in motion.events if isinstance(event, OffTable)]


def _over_the_cushion(stage: Stage) -> Iterator[CueStroke]:
    """Strokes with a steep cue that make the white climb the cushion before it."""
    for elevation, speed in product((0.7, 0.8, 0.6), range(6500, 9500, 50)):
        yield stroke(stage, at(stage, 1110, -1400), speed, elevation_rad=elevation)


def _on_rail(stage: Stage) -> None:
    lay(stage, white_1=(1100, -630), red_1=(1900, -200))
    tries = _over_the_cushion(stage)
    motion = stage.strike(first(stage, tries, lambda motion: any(gone.on_rail for gone in _escapes(motion))))
    pose = motion.pose(WHITE_1, motion.duration_s)
    assert pose is not None, "a ball on the rail stays in sight"
    stage.poses[WHITE_1] = pose
    stage.wait(2.0)
    stage.carry(WHITE_1, Point(pose.center_mm[0], math.copysign(_EDGE, pose.center_mm[1])))


def _returns(stage: Stage) -> None:
    lay(stage, white_1=(1100, -630), red_1=(1900, -200))
    tries = _over_the_cushion(stage)
    jump = first(stage, tries, lambda motion: any(not gone.on_rail for gone in _escapes(motion)))
    back = CueStroke(ball=WHITE_1, speed_mm_s=330.0, direction_rad=stage.side * math.radians(75.0))
    stage.strike_and_return(jump, at(stage, 1150, -640), back)


def _along_cushion(stage: Stage) -> None:
    lay(stage, white_1=(500, -_EDGE + 1.5), yellow=(2300, -_EDGE))
    stage.strike(stroke(stage, stage.layout[YELLOW], 1500))


def _jaws(events: tuple[TableEvent, ...]) -> int:
    return sum(isinstance(event, CushionHit) and event.is_jaw for event in events)


def _rest_of(events: tuple[TableEvent, ...]) -> Rest:
    return next(event for event in events if isinstance(event, Rest))


CASES = (
    Case(
        name="frozen-to-cushion",
        about="the white drives a ball that lies tight against a cushion",
        script=_frozen_to_cushion,
        holds=lambda events: (
            frozenset((WHITE_1, RED_1)) in contacts(events)
            and any(isinstance(e, CushionHit) and e.ball == WHITE_1 for e in events)
        ),
    ),
    Case(
        name="cue-ball-on-cushion",
        about="the struck ball lies tight against a cushion, with the cue over it",
        script=_from_cushion,
        holds=lambda events: bool(contacts(events)),
    ),
    Case(
        name="along-the-cushion",
        about="a ball runs along a cushion, a millimetre from it",
        script=_along_cushion,
        holds=lambda events: frozenset((WHITE_1, YELLOW)) in contacts(events),
    ),
    Case(
        name="late-drop",
        about="a ball stops in the mouth of a pocket and drops more than a second later",
        script=_late_drop,
        holds=lambda events: any(pot.ball == RED_1 for pot in pots(events)),
    ),
    Case(
        name="jaw-hanger",
        about="a ball comes to rest between the jaws and stays there",
        script=_hanger,
        holds=lambda events: RED_1 in _rest_of(events).balls and not pots(events),
    ),
    Case(
        name="jaw-rattle",
        about="a ball rattles in the jaws of a corner and comes out again",
        script=_rattle,
        holds=lambda events: _jaws(events) > 1 and all(pot.ball != RED_1 for pot in pots(events)),
    ),
    Case(
        name="two-in-one-pocket",
        about="two balls fall into the same pocket in one stroke",
        script=_two_in_one,
        holds=lambda events: len({pot.ball for pot in pots(events)} & {RED_1, RED_2}) == 2,
    ),
    Case(
        name="leaves-the-table",
        about="a ball jumps over a cushion and falls to the floor",
        script=_leaves_table,
        holds=lambda events: any(isinstance(event, OffTable) and not event.on_rail for event in events),
    ),
    Case(
        name="lies-on-the-rail",
        about="a ball jumps and comes to rest on the rail; a hand puts it back against the cushion",
        script=_on_rail,
        holds=lambda events: any(isinstance(event, OffTable) and event.on_rail for event in events),
    ),
    Case(
        name="leaves-and-returns",
        about="a ball jumps over a cushion, meets somebody who stands there, and rolls back onto the table",
        script=_returns,
        holds=lambda events: any(isinstance(event, OffTable) and event.returned for event in events),
    ),
)
