"""Where a pyramid begins, and the lag (MP-1, MP-2, MP-7, MP-70, MP-74)."""

from dataclasses import replace

from scoring.balls import CUE, NUMBERED, Ball
from scoring.errors import ScoringError
from scoring.game import Verdict
from scoring.lag import lag_of
from scoring.layout import Layout
from scoring.pyramid.ends import placed_at_start
from scoring.pyramid.handicap import check, given_points
from scoring.pyramid.rack import rack_of
from scoring.pyramid.state import PyramidState, citing, is_pair, target_of
from scoring.rulings import Choice, Message, Question, QuestionKind, Reason, Ruling, asking
from scoring.setup import Beginning, Phase
from scoring.standing import Stroke, Terms


def start(terms: Terms, beginning: Beginning) -> PyramidState:
    """The standing before the first stroke; a ScoringError refuses sides or handicaps that cannot be."""
    setup = terms.setup
    _check_sides(terms)
    check(terms)
    count = len(setup.sides)
    phase = beginning.phase or Phase.OPENING
    shooter = beginning.shooter or _first_shooter(terms)
    off = [frozenset(setup.handicap(side).off_table) for side in range(count)]
    gone = frozenset(ball for ball in beginning.gone if ball in NUMBERED).union(*off)
    in_hand = frozenset(beginning.in_hand or ()) & {CUE}
    if beginning.from_hand or (phase in (Phase.LAG, Phase.OPENING) and beginning.in_hand is None):
        in_hand = frozenset((CUE,))
    layout = beginning.layout
    if phase in (Phase.LAG, Phase.OPENING):
        layout = rack_of(setup.table).without(gone).with_places(layout.places if layout else {})
    members = [0] * count
    side = setup.side_of(shooter)
    members[side] = setup.sides[side].members.index(shooter)
    state = PyramidState(
        phase=phase,
        scores=beginning.scores or tuple(given_points(terms, side) for side in range(count)),
        shooter=shooter,
        cue_balls=(CUE,) * count,
        members=tuple(members),
        in_hand=in_hand,
        gone=gone,
        layout=layout.without((*gone, *in_hand)) if layout is not None else None,
        shelves=tuple(off),
        owed=tuple(setup.handicap(side).not_taken_off for side in range(count)),
        penalties=(0,) * count,
    )
    given = [0 if beginning.scores else given_points(terms, side) for side in range(count)]
    if any(target_of(terms, state, side) <= given[side] for side in range(count)):
        message = "handicap: nothing would be left to play for: give less than the target"
        raise ScoringError(message)
    return placed_at_start(terms, state)


def again(terms: Terms, state: PyramidState) -> PyramidState:
    """A drawn game is played again from the start by whoever is next (MP-A13)."""
    fresh = start(terms, Beginning(shooter=state.shooter))
    return replace(fresh, strokes=state.strokes, conceded=state.conceded, members=state.members)


def _check_sides(terms: Terms) -> None:
    """Refuse a format that these sides cannot play (MP-70)."""
    setup = terms.setup
    sizes = sorted(len(side.members) for side in setup.sides)
    if is_pair(terms) and sizes != [1, 2]:
        message = f"{setup.format} is played by one against a pair: give players as [A, [B, C]]"
        raise ScoringError(message)
    if len(setup.sides) > 2 and sizes[-1] > 1:
        message = "three play each for himself: give three names, or one against a pair"
        raise ScoringError(message)


def _first_shooter(terms: Terms) -> str:
    """Who begins: the first in order, of one against a pair the single (MP-70, MP-72)."""
    sides = terms.setup.sides
    first = min(sides, key=lambda side: len(side.members)) if is_pair(terms) else sides[0]
    return first.members[0]


def judge_lag(terms: Terms, state: PyramidState, stroke: Stroke) -> Verdict[PyramidState]:
    """The lag: who is nearer to the front cushion shoots first; asked when that cannot be told (MP-7, MP-63)."""
    setup = terms.setup
    names = [side.members[0] for side in setup.sides]
    balls = _lagged(stroke)
    told = stroke.answer("who_shoots")
    first = told if isinstance(told, str) and setup.knows(told) else None
    lost: list[Reason] = []
    if len(balls) == len(names):
        lag = lag_of(stroke, balls, setup.table, strict=False)
        lost = [Reason(Message.LAG_LOST, (names[side], why), "MP-7") for side, why in enumerate(lag.faults) if why]
        first = first or (names[lag.winner] if lag.winner is not None else None)
    if first is None:
        question = Question(kind=QuestionKind.WHO_SHOOTS, choices=tuple(Choice(name) for name in names))
        return Verdict(asking(question, "MP-7"), state)
    rules = citing(terms, state, ("MP-7", *(("MP-63",) if len(names) > 2 else ())))
    said = (*lost, Reason(Message.OPENS, (first,), "MP-7"))
    ruling = Ruling(rules=rules, next_shooter=first, reasons=said)
    members = list(state.members)
    side = setup.side_of(first)
    members[side] = setup.sides[side].members.index(first)
    racked = Layout(rack_of(setup.table).without(state.gone).places)
    opened = replace(state, phase=Phase.OPENING, shooter=first, members=tuple(members), layout=racked)
    return Verdict(ruling, replace(opened, in_hand=frozenset((CUE,))))


def _lagged(stroke: Stroke) -> tuple[Ball, ...]:
    """The balls of the lag by side: the cue ball is the first player's, the others follow as they were struck."""
    struck = tuple(dict.fromkeys(strike.ball for strike in stroke.facts.strikes))
    return tuple(sorted(struck, key=lambda ball: ball != CUE))
