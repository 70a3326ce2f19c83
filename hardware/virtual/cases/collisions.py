"""Cases of balls that meet in ways that are hard to tell."""

import math
from itertools import product

from hardware.virtual.cases.case import Case, at, contacts, first, lay, pots, stroke
from hardware.virtual.cases.stage import Stage
from hardware.virtual.physics import CueStroke, Motion
from scoring.balls import CUE, RED_1, RED_2, WHITE_1
from scoring.events import Contact, Strike, TableEvent
from scoring.games import game_named
from scoring.table import Point

_RED = frozenset((WHITE_1, RED_1))


def _moved_mm(motion: Motion, start: Point) -> float:
    """How far the first red has come."""
    return motion.rest[RED_1].distance_mm(start) if RED_1 in motion.rest else math.inf


def _thin_cut(stage: Stage) -> None:
    lay(stage, white_1=(600, 0), red_1=(1500, -150))
    red = stage.layout[RED_1]
    tries = (stroke(stage, red, 1500, aside_mm=67.9 - 0.1 * step) for step in range(40))
    stage.strike(first(stage, tries, lambda motion: 4.0 < _moved_mm(motion, red) < 60.0))


def _near_miss(stage: Stage) -> None:
    lay(stage, white_1=(600, 0), red_1=(1500, -150))
    tries = (stroke(stage, stage.layout[RED_1], 1500, aside_mm=69.0 + 0.5 * step) for step in range(20))
    stage.strike(first(stage, tries, lambda motion: not contacts(motion.events)))


def _double_kiss(stage: Stage) -> None:
    lay(stage, white_1=(1900, -200), red_1=(2600, -200))
    tries = (
        stroke(stage, stage.layout[RED_1], speed, aside_mm=aside) for speed, aside in product((1400, 1900), range(12))
    )
    stage.strike(first(stage, tries, lambda motion: contacts(motion.events).count(_RED) > 1))


def _frozen_balls(stage: Stage) -> None:
    lay(stage, white_1=(1400, 0), red_1=(1468, 0))
    stage.strike(stroke(stage, at(stage, 2200, -300), 900))


def _frozen_pair(stage: Stage) -> None:
    lay(stage, white_1=(600, -100), red_1=(1600, 0), red_2=(1656, 38.5))
    stage.strike(stroke(stage, stage.layout[RED_1], 1500, aside_mm=10))


def _at_once(stage: Stage) -> None:
    lay(stage, white_1=(700, 0), red_1=(1700, 34.0), red_2=(1700, -34.0))
    stage.strike(stroke(stage, at(stage, 1700, 0), 1600))


def _soft_last_contact(stage: Stage) -> None:
    lay(stage, white_1=(600, 0), red_1=(1700, 0))
    red = stage.layout[RED_1]
    tries = (stroke(stage, red, 470 + 0.25 * step) for step in range(400))
    stage.strike(first(stage, tries, lambda motion: _moved_mm(motion, red) < 15.0 and bool(contacts(motion.events))))


def _stops_short(stage: Stage) -> None:
    lay(stage, white_1=(600, 0), red_1=(1700, 0))
    red = stage.layout[RED_1]
    tries = (stroke(stage, red, 500 - 0.25 * step) for step in range(400))

    def is_near(motion: Motion) -> bool:
        return not contacts(motion.events) and motion.rest[WHITE_1].distance_mm(red) < 72.0

    stage.strike(first(stage, tries, is_near))


def _two_contacts_close(stage: Stage) -> None:
    lay(stage, white_1=(700, 0), red_1=(1700, 36.0), yellow=(1712, -38.0))
    stage.strike(stroke(stage, at(stage, 1700, 0), 2200))


def _hard_stroke(stage: Stage) -> None:
    lay(stage, white_1=(500, -250), red_1=(1500, 0))
    tries = (
        stroke(stage, stage.layout[RED_1], speed, aside_mm=aside)
        for speed, aside in product((4300, 4700), range(20, 52, 4))
    )
    stage.strike(first(stage, tries, lambda motion: WHITE_1 in motion.rest and len(motion.events) > 8))


def _break(stage: Stage) -> None:
    rack = game_named("small-pyramid").rack(stage.table)
    apex = min(rack.places.values(), key=lambda place: place.x_mm)
    stage.lay({**rack.places, CUE: Point(stage.table.house_line_x_mm - 150.0, 0.0)})
    direction = math.atan2(apex.y_mm + 12.0, apex.x_mm - stage.layout[CUE].x_mm)
    stage.strike(CueStroke(ball=CUE, speed_mm_s=5200.0, direction_rad=direction, top=0.1))


def _together(events: tuple[TableEvent, ...], within_s: float) -> bool:
    """Whether the white touched both a red and another ball within a time."""
    times = [event.t_s for event in events if isinstance(event, Contact) and WHITE_1 in (event.ball, event.other)]
    return len(times) > 1 and times[1] - times[0] <= within_s


def _meets_at_strike(events: tuple[TableEvent, ...]) -> bool:
    strikes = [event.t_s for event in events if isinstance(event, Strike)]
    return any(isinstance(event, Contact) and event.t_s - strikes[0] < 0.002 for event in events)


CASES = (
    Case(
        name="thin-cut",
        about="the white shaves a red, which moves a few centimetres at most",
        script=_thin_cut,
        holds=lambda events: _RED in contacts(events),
    ),
    Case(
        name="near-miss",
        about="the white passes a red within millimetres and does not touch it",
        script=_near_miss,
        holds=lambda events: _RED not in contacts(events),
    ),
    Case(
        name="double-kiss",
        about="the white and a red meet twice in one stroke",
        script=_double_kiss,
        holds=lambda events: contacts(events).count(_RED) > 1,
    ),
    Case(
        name="frozen-balls",
        about="the struck ball touches another one from the beginning",
        script=_frozen_balls,
        holds=_meets_at_strike,
    ),
    Case(
        name="frozen-pair",
        about="the white hits one of two balls that touch each other",
        script=_frozen_pair,
        holds=lambda events: frozenset((RED_1, RED_2)) in contacts(events),
    ),
    Case(
        name="simultaneous-contacts",
        about="the white meets two balls at the same instant",
        script=_at_once,
        holds=lambda events: _together(events, 1e-6),
    ),
    Case(
        name="contacts-close-in-time",
        about="two contacts of the white within two frames",
        script=_two_contacts_close,
        holds=lambda events: _together(events, 0.04),
    ),
    Case(
        name="soft-last-contact",
        about="the white reaches a red with its last breath and moves it a centimetre",
        script=_soft_last_contact,
        holds=lambda events: contacts(events) == [_RED],
    ),
    Case(
        name="stops-short",
        about="the white stops a few millimetres before a red",
        script=_stops_short,
        holds=lambda events: not contacts(events),
    ),
    Case(
        name="hard-stroke",
        about="the hardest stroke: 200 mm from frame to frame at 30 frames per second",
        script=_hard_stroke,
        holds=lambda events: bool(contacts(events)) and not any(pot.ball == WHITE_1 for pot in pots(events)),
    ),
    Case(
        name="pyramid-break",
        about="fifteen balls start within a few hundredths of a second",
        script=_break,
        holds=lambda events: len(contacts(events)) > 20,
        game="small-pyramid",
    ),
)
