"""Cases of people over the table: none of what they do may start, end or change a stroke."""

from hardware.virtual.cases.case import Case, at, contacts, first, lay, pots, stroke
from hardware.virtual.cases.stage import Stage
from hardware.virtual.people import LeftThing, Onlooker, Walker
from hardware.virtual.scene import CueStick
from hardware.virtual.touches import make_reach
from scoring.balls import RED_1, RED_2, WHITE_1, WHITE_2
from scoring.events import Moved, TableEvent
from scoring.table import Pocket, Point, Spot


def _pot(stage: Stage) -> Pocket:
    """A red is potted into the middle pocket of the side on which the case is played."""
    lay(stage, white_1=(1420, 250), red_1=(1420, -400))
    tries = (stroke(stage, stage.layout[RED_1], 1100.0 + 20 * step, top=-0.4) for step in range(30))
    motion = stage.strike(
        first(stage, tries, lambda m: any(p.ball == RED_1 for p in pots(m.events)) and WHITE_1 in m.rest)
    )
    return next(pot.pocket for pot in pots(motion.events) if pot.ball == RED_1)


def _plain_stroke(stage: Stage) -> None:
    stage.strike(stroke(stage, stage.layout[RED_2], 900, aside_mm=20))


def _hand_over_pocket(stage: Stage) -> None:
    lay(stage, white_1=(700, 0), red_1=(2740, -610), red_2=(1600, 100))
    corner = at(stage, 2800, -670)
    stage.reach(at(stage, 2760, -640), corner, at(stage, 2760, -640), height_mm=90.0)
    _plain_stroke(stage)
    stage.reach(corner, lasts_s=2.2)


def _hand_over_pocket_while_rolling(stage: Stage) -> None:
    lay(stage, white_1=(700, -350), red_1=(2600, -560), red_2=(1600, 100))
    over = (at(stage, 2780, -650), at(stage, 2800, -670))
    stage.strike(
        stroke(stage, stage.layout[RED_1], 1100, aside_mm=25),
        during=(lambda strike_s: make_reach(stage.table, over, strike_s + 0.5, 2.2),),
    )


def _hand_spots(stage: Stage) -> None:
    _pot(stage)
    stage.carry(RED_1, stage.table.spot(Spot.S3))
    stage.wait(1.0)


def _hand_lifts_ball(stage: Stage) -> None:
    pocket = _pot(stage)
    corner = stage.table.pocket_corner(pocket)
    inside = Point(corner.x_mm, corner.y_mm * 1.05)
    stage.wait(0.8)
    stage.carry(RED_1, None, pocket=inside)
    stage.wait(1.0)


def _hand_brings_ball_back(stage: Stage) -> None:
    pocket = _pot(stage)
    corner = stage.table.pocket_corner(pocket)
    stage.carry(RED_1, stage.table.spot(Spot.S2), pocket=Point(corner.x_mm, corner.y_mm * 1.05))
    stage.wait(1.0)


def _arm_across(stage: Stage) -> None:
    lay(stage, white_1=(700, 0), red_1=(1500, -200), red_2=(1600, 100))
    stage.reach(at(stage, 1500, -420), at(stage, 1450, 250), at(stage, 1500, -420), lasts_s=4.5)
    _plain_stroke(stage)
    stage.reach(at(stage, 1300, -300), at(stage, 1350, 300), lasts_s=4.0)


def _arm_while_rolling(stage: Stage) -> None:
    lay(stage, white_1=(500, -100), red_1=(2300, -50))
    stage.strike(
        stroke(stage, stage.layout[RED_1], 1300, aside_mm=15),
        during=(lambda strike_s: make_reach(stage.table, (at(stage, 1500, -20), at(stage, 1650, 40)), strike_s, 2.4),),
    )


def _sleeve_nudges(stage: Stage) -> None:
    lay(stage, white_1=(700, 0), red_1=(1700, -350), red_2=(1600, 200))
    stage.nudge(RED_1, at(stage, 1745, -330))
    _plain_stroke(stage)
    here = stage.layout[WHITE_2]
    stage.nudge(WHITE_2, Point(here.x_mm + 25.0, here.y_mm - 18.0 * stage.side))


def _ball_moved_and_put_back(stage: Stage) -> None:
    lay(stage, white_1=(700, 0), red_1=(1700, -350), red_2=(1600, 200))
    stage.carry(RED_1, at(stage, 1600, -420))
    stage.carry(RED_1, at(stage, 1700, -350))
    _plain_stroke(stage)


def _chalk(stage: Stage) -> None:
    lay(stage, white_1=(700, 0), red_2=(1600, 100))
    table, side = stage.table, stage.side
    place = (900.0, side * -(table.width_mm / 2 + 65.0), table.nose_height_mm + 15.0)
    stage.reach(at(stage, 900, -775), height_mm=80.0, lasts_s=1.4)
    stage.leave(lambda now_s: LeftThing(chalk_mm=place, starts_s=now_s - 1.2, ends_s=1e6))
    _plain_stroke(stage)
    stage.wait(1.0)


def _cue_left(stage: Stage) -> None:
    lay(stage, white_1=(700, -300), red_2=(1600, -250))
    tip, butt = at(stage, 1150, 120), at(stage, 2560, 330)
    cue = CueStick(tip_mm=(tip.x_mm, tip.y_mm, 8.0), butt_mm=(butt.x_mm, butt.y_mm, 14.0))
    stage.reach(at(stage, 1900, 250), height_mm=60.0, lasts_s=1.6)
    stage.leave(lambda now_s: LeftThing(cue=cue, starts_s=now_s - 1.2, ends_s=1e6))
    _plain_stroke(stage)
    stage.wait(1.0)


def _head(stage: Stage) -> None:
    lay(stage, white_1=(700, 0), red_1=(2000, -450), red_2=(1600, 100))
    place, out = at(stage, 1900, -420), at(stage, 1900, -1250)
    stage.leave(
        lambda now_s: Onlooker(
            place=(place.x_mm, place.y_mm, 420.0),
            outside=(out.x_mm, out.y_mm, 420.0),
            starts_s=now_s,
            ends_s=now_s + 3.0,
        ),
        lasts_s=3.0,
    )
    _plain_stroke(stage)


def _walker(stage: Stage) -> None:
    lay(stage, white_1=(700, 0), red_2=(1600, 100))
    side = stage.side
    stage.strike(
        stroke(stage, stage.layout[RED_2], 1300, aside_mm=20),
        during=(
            lambda strike_s: Walker(
                start=(-700.0, -side * 1060.0, 760.0),
                end=(3500.0, -side * 1060.0, 760.0),
                starts_s=strike_s + 0.2,
                ends_s=strike_s + 4.0,
            ),
        ),
    )


def _only_moved(events: tuple[TableEvent, ...], count: int) -> bool:
    return sum(isinstance(event, Moved) for event in events) == count


def _quiet(events: tuple[TableEvent, ...]) -> bool:
    return _only_moved(events, 0) and not pots(events)


CASES = (
    Case(
        name="hand-over-pocket",
        about="a hand lies over a pocket, with a ball near it, before and after a stroke",
        script=_hand_over_pocket,
        holds=_quiet,
    ),
    Case(
        name="hand-over-pocket-while-rolling",
        about="a hand lies over a pocket while balls roll towards it",
        script=_hand_over_pocket_while_rolling,
        holds=lambda events: bool(contacts(events)),
    ),
    Case(
        name="hand-spots-a-ball",
        about="a potted ball is put back on its spot by hand",
        script=_hand_spots,
        holds=lambda events: _only_moved(events, 1) and len(pots(events)) == 1,
    ),
    Case(
        name="ball-lifted-from-pocket",
        about="a hand takes a potted ball out of its pocket and away: no event at all",
        script=_hand_lifts_ball,
        holds=lambda events: _only_moved(events, 0) and len(pots(events)) == 1,
    ),
    Case(
        name="ball-back-from-pocket",
        about="a hand takes a potted ball out of its pocket and puts it on a spot",
        script=_hand_brings_ball_back,
        holds=lambda events: _only_moved(events, 1) and len(pots(events)) == 1,
    ),
    Case(
        name="arm-across",
        about="an arm leans across half the table between strokes and hides balls for seconds",
        script=_arm_across,
        holds=_quiet,
    ),
    Case(
        name="arm-over-rolling-balls",
        about="an arm hides a ball while it rolls",
        script=_arm_while_rolling,
        holds=lambda events: bool(contacts(events)),
    ),
    Case(
        name="sleeve-nudges-a-ball",
        about="a coat sleeve pushes a resting ball a few centimetres, once before and once after a stroke",
        script=_sleeve_nudges,
        holds=lambda events: _only_moved(events, 2),
    ),
    Case(
        name="ball-moved-and-put-back",
        about="a hand takes a ball away to look at it and puts it back",
        script=_ball_moved_and_put_back,
        holds=lambda events: _only_moved(events, 2),
    ),
    Case(name="chalk-on-the-rail", about="somebody puts chalk on the rail", script=_chalk, holds=_quiet),
    Case(
        name="cue-left-on-the-table", about="a cue is laid on the cloth and stays there", script=_cue_left, holds=_quiet
    ),
    Case(name="head-over-the-table", about="an onlooker's head hides balls", script=_head, holds=_quiet),
    Case(name="walker", about="somebody walks along the rail while balls roll", script=_walker, holds=_quiet),
)
