"""Free pyramid, the worked example of docs/add-a-game.md: any ball may be struck, the first to pot 8 balls wins.

Rules of this example: a ball that falls counts 1, the struck ball too if it has touched another one. A stroke that
touches no ball or sends one off the table is a foul: nothing counts, and what fell goes back to a spot.
"""

from dataclasses import dataclass

from scoring.balls import CUE, NUMBERED, PYRAMID_SET, Ball
from scoring.game import Game, Verdict
from scoring.layout import Layout
from scoring.options import Option
from scoring.questions import balls_touched, final_off
from scoring.rulings import Message, Place, Reason, Respot, Ruling, ScoreChange, Turn, cited
from scoring.setup import Beginning, Phase
from scoring.spots import spotted
from scoring.standing import Standing, Stroke, Terms, layout_at_rest, settle
from scoring.table import Point, Spot, Table

OPTIONS = (Option("target", 8),)


@dataclass(frozen=True, slots=True, kw_only=True)
class FreePyramidState(Standing):
    """All that this game must remember is what every game remembers."""


def rack(table: Table) -> Layout:
    """Fifteen balls in a triangle whose apex stands on the third spot (FP-1)."""
    apex, step_mm = table.spot(Spot.S3), table.ball_mm
    places: dict[Ball, Point] = {}
    for index, ball in enumerate(NUMBERED):
        row = next(row for row in range(5) if index < (row + 1) * (row + 2) // 2)
        across = index - row * (row + 1) // 2
        places[ball] = Point(apex.x_mm + row * step_mm * 3**0.5 / 2, (across - row / 2) * step_mm)
    return Layout(places)


def start(terms: Terms, beginning: Beginning) -> FreePyramidState:
    """The standing before the first stroke (FP-1)."""
    phase = beginning.phase or Phase.OPENING
    fresh = phase is Phase.OPENING and beginning.layout is None
    return FreePyramidState(
        phase=phase,
        scores=beginning.scores or (0,) * len(terms.setup.sides),
        shooter=beginning.shooter or terms.setup.sides[0].members[0],
        cue_balls=(CUE,) * len(terms.setup.sides),
        members=(0,) * len(terms.setup.sides),
        in_hand=frozenset((CUE,)) if fresh else frozenset(beginning.in_hand or ()),
        gone=frozenset(beginning.gone),
        layout=rack(terms.setup.table) if fresh else beginning.layout,
    )


def judge(terms: Terms, state: FreePyramidState, stroke: Stroke) -> Verdict[FreePyramidState]:
    """The ruling on one stroke (FP-2 to FP-4)."""
    setup, facts = terms.setup, stroke.facts
    side = setup.side_of(state.shooter)
    flown = [event.ball for event in final_off(facts) if not event.returned and not event.on_rail]
    is_foul = stroke.is_played and (not balls_touched(facts) or bool(flown))
    points = 0 if is_foul else len(facts.pots)
    wins = state.scores[side] + points >= terms.options.number("target")
    ruling = Ruling(
        changes=(ScoreChange(side, points, "FP-2"),) if points else (),
        foul="FP-4" if is_foul else None,
        fouls=("FP-4",) if is_foul else (),
        rules=cited(["FP-2" if points else None, "FP-3" if wins else None, "FP-4" if is_foul else None]),
        turn=Turn.PASSES if stroke.is_played and not points else Turn.STAYS,
        respots=respots_of(stroke, flown, setup.table) if is_foul else (),
        reasons=reasons_of(stroke, setup.sides[side].name, is_foul=is_foul, wins=wins),
        winners=(side,) if wins else (),
    )
    return Verdict(ruling, settle(setup, state, stroke, ruling))


def respots_of(stroke: Stroke, flown: list[Ball], table: Table) -> tuple[Respot, ...]:
    """Where the balls of a foul go back: the third spot, else the second, the first, a cushion (FP-4)."""
    layout, respots = layout_at_rest(stroke) or Layout(), []
    for ball in dict.fromkeys([*(pot.ball for pot in stroke.facts.pots), *flown]):
        respots.append(spotted(ball, (Place.S3, Place.S2, Place.S1), layout.without([ball]), table))
        layout = layout.with_places({ball: respots[-1].at} if respots[-1].at else {})
    return tuple(respots)


def reasons_of(stroke: Stroke, side: str, *, is_foul: bool, wins: bool) -> tuple[Reason, ...]:
    """What the board says; every message has its sentence in every language already."""
    if is_foul:
        return (Reason(Message.MISS if not balls_touched(stroke.facts) else Message.POT_VOID, (), "FP-4"),)
    said = [Reason(Message.POTTED, (pot.ball.name, pot.pocket.value, 1), "FP-2") for pot in stroke.facts.pots]
    return (*said, Reason(Message.WINS, (side,), "FP-3")) if wins else tuple(said)


FREE_PYRAMID = Game(
    name="free-pyramid",
    balls=PYRAMID_SET,
    cue_balls=PYRAMID_SET,
    side_counts=(2, 3),
    first_phase=Phase.OPENING,
    rack=rack,
    start=start,
    judge=judge,
    targets=lambda terms, state: (terms.options.number("target"),) * len(state.scores),
    needs_call=lambda _terms, _state: False,
    left=lambda _terms, state: len(PYRAMID_SET) - len(state.gone),
)
