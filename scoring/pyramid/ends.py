"""How a pyramid ends: the target, places of three, an empty table, stalemate (MP-5, MP-6, MP-43, MP-44, MP-60)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from scoring.pyramid.put_back import PutBack, put_back_of
from scoring.pyramid.state import Case, PyramidState, points_left, target_of
from scoring.rulings import Message, Reason
from scoring.setup import Phase
from scoring.standing import Terms

STALEMATE_STROKES = 3
DRAWS = {"record": Message.DRAW, "half_points": Message.DRAW_HALVED, "replay": Message.DRAW_REPLAYED}
"""What is said of a draw (MP-A13)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What the score after a ruling brings: the standing with it, rules, sentences, balls put back, a new game."""

    state: PyramidState
    rules: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    put_back: PutBack | None = None
    is_replayed: bool = False


def overlooked(terms: Terms, state: PyramidState, side: int) -> int | None:
    """The side that had already won before this entry; of two the one that does not play now (MP-44)."""
    if len(state.scores) > 2:
        return None
    reached = [one for one in state.active() if state.scores[one] >= target_of(terms, state, one)]
    return min(reached, key=lambda one: one == side, default=None)


def placed_at_start(terms: Terms, state: PyramidState) -> PyramidState:
    """The standing with those of three players who had reached their target when the record begins (MP-60)."""
    if len(state.scores) <= 2:
        return state
    reached = [side for side in state.active() if state.scores[side] >= target_of(terms, state, side)]
    reached = sorted(reached, key=lambda side: -state.scores[side])[: len(state.scores) - 2]
    return replace(state, placings=tuple(reached))


def ending_of(case: Case, state: PyramidState) -> Ending:
    """What the score brings, the settled standing given: a win, places, balls put back, a draw."""
    count = len(state.scores)
    order = [(case.side + step) % count for step in range(count)]
    reached = [side for side in order if side in state.active() and _has_reached(case.terms, state, side)]
    if count == 2:
        if reached:
            return _won(case, state, reached[0])
    elif reached or state.placings:
        return _placed(case, state, reached)
    if not state.in_play:
        return _cleared(case, state)
    safe = _safe(case, state) if count == 2 else ()
    return Ending(state=state, rules=("MP-6",) if safe else (), reasons=safe)


def stalemate_of(case: Case, state: PyramidState, *, is_penalty: bool) -> Ending:
    """Penalty strokes that change nothing: after a warning three by each (MP-43), or three in a row (BP-A4)."""
    if not (state.warned or is_penalty or any(case.state.penalties)):
        return Ending(state=state)
    rule = case.terms.options.text("stalemate_rule")
    has_changed = _has_changed(case, state)
    is_after = any(entry.when == "after" for entry in case.stroke.inputs("stalemate_warning"))
    warned = () if has_changed else state.warned if is_after else _counted_on(state.warned, case.side)
    penalties = _counted_on(case.state.penalties, case.side)
    if has_changed or not is_penalty:
        penalties = (0,) * len(penalties)
    counted = replace(state, warned=warned, penalties=penalties)
    counts = warned if rule == "three_each_after_warning" else penalties
    if counts and all(counts[side] >= STALEMATE_STROKES for side in state.active()):
        return drawn(case, counted, "MP-43", Reason(Message.STALEMATE, (), "MP-43"))
    return Ending(state=counted)


def drawn(
    case: Case, state: PyramidState, rule: str, *reasons: Reason, winners: tuple[int, ...] | None = None
) -> Ending:
    """Nobody has won: a draw is recorded, halved, or the game is played again (MP-A13)."""
    handling = case.terms.options.text("draw_handling")
    first = state.placings[:1]
    rules = (rule, "MP-A13")
    reasons = (*reasons, Reason(Message.DRAW if first else DRAWS[handling], (), rule))
    if handling == "replay" and not first:
        return Ending(state=state, rules=rules, reasons=reasons, is_replayed=True)
    placings = (*state.placings, *state.active()) if first else state.placings
    ended = replace(state, phase=Phase.OVER, winners=first or winners or state.active(), placings=placings)
    return Ending(state=ended, rules=rules, reasons=reasons)


def _has_changed(case: Case, state: PyramidState) -> bool:
    """Whether a stroke is known to have changed the position: a ball is gone or back, or lies somewhere else."""
    before, after = case.before, state.layout
    if state.gone != case.state.gone:
        return True
    if before is None or after is None:
        return False
    moved = [(before.at(ball), after.at(ball)) for ball in state.in_play]
    return any(one and other and one.distance_mm(other) > case.table.ball_mm for one, other in moved)


def _counted_on(counts: tuple[int, ...], side: int) -> tuple[int, ...]:
    """The counts with one more for a side; none stay none."""
    return tuple(count + (index == side) for index, count in enumerate(counts))


def _cleared(case: Case, state: PyramidState) -> Ending:
    """The table is empty and nobody has the target: the higher score wins, equal ones draw (MP-A2, MP-6, BP-4)."""
    order = sorted(state.active(), key=lambda side: -state.scores[side])
    best = [side for side in order if state.scores[side] == state.scores[order[0]]]
    if state.placings or (len(best) == 1 and len(state.scores) > 2):
        return _all_placed(case, state, order, ("MP-A2", "MP-60"), ())
    if len(best) > 1:
        ending = drawn(case, state, "MP-A2", winners=tuple(sorted(best)))
        return replace(ending, rules=(*ending.rules, "MP-6"))
    return _won(case, state, best[0])


def _safe(case: Case, state: PyramidState) -> tuple[Reason, ...]:
    """Who of two can no longer lose on balls, when that is new (MP-6)."""
    said: list[Reason] = []
    for side in range(len(state.scores)):
        is_new = state.scores[side] != case.state.scores[side]
        if not is_new or state.scores[side] != target_of(case.terms, state, side) - 1:
            continue
        other = 1 - side
        rest = target_of(case.terms, state, other) - state.scores[other] - points_left(case.terms, state)
        if rest > 0:
            said.append(Reason(Message.CANNOT_LOSE, (case.terms.setup.sides[side].name, state.scores[side]), "MP-6"))
    return tuple(said)


def _has_reached(terms: Terms, state: PyramidState, side: int) -> bool:
    """Whether a side has the points it needs."""
    return state.scores[side] >= target_of(terms, state, side)


def _won(case: Case, state: PyramidState, side: int) -> Ending:
    """Two sides: the first with its target wins (MP-5, MP-44)."""
    reason = Reason(Message.WINS, (case.terms.setup.sides[side].name,), "MP-5")
    ended = replace(state, phase=Phase.OVER, winners=(side,))
    rules = ("MP-5", "MP-44", "MP-A12") if _has_reached(case.terms, state, side) else ("MP-A2",)
    owed = ("MP-83",) if state.owed[side] else ()
    pair = ("MP-70",) if case.terms.setup.format != "singles" else ()
    return Ending(state=ended, rules=(*rules, *owed, *pair), reasons=(reason,))


def _placed(case: Case, state: PyramidState, reached: Iterable[int]) -> Ending:
    """Three for themselves: who reaches the target leaves; when one is left, all is decided (MP-60)."""
    reasons: list[Reason] = []
    for side in reached:
        if len(state.active()) > 1:
            state = replace(state, placings=(*state.placings, side))
            reasons.append(_place_reason(case, state, side))
    active = state.active()
    rules: tuple[str, ...] = ("MP-60", "MP-63")
    if len(active) == 1:
        return _all_placed(case, state, active, rules, reasons)
    put_back = put_back_of(case, state)
    if put_back is not None:
        rules, reasons = (*rules, "MP-61", "MP-62", "MP-50"), [*reasons, put_back.reason]
        return Ending(state=put_back.state, rules=rules, reasons=tuple(reasons), put_back=put_back)
    if not state.in_play:
        return _cleared(case, state)
    return Ending(state=state, rules=rules, reasons=tuple(reasons))


def _place_reason(case: Case, state: PyramidState, side: int) -> Reason:
    """Who has which place."""
    return Reason(Message.PLACED, (case.terms.setup.sides[side].name, state.placings.index(side) + 1), "MP-60")


def _all_placed(
    case: Case, state: PyramidState, rest: Iterable[int], rules: tuple[str, ...], reasons: Iterable[Reason]
) -> Ending:
    """The last places are given, and the first placed has won."""
    ended = replace(state, placings=(*state.placings, *rest))
    ended = replace(ended, phase=Phase.OVER, winners=ended.placings[:1])
    names = case.terms.setup.sides
    last = [_place_reason(case, ended, side) for side in rest]
    wins = Reason(Message.WINS, (names[ended.placings[0]].name,), "MP-60")
    return Ending(state=ended, rules=rules, reasons=(*reasons, *last, wins))
