"""What a pyramid remembers from stroke to stroke, and what it says about the next one."""

from collections.abc import Sequence
from dataclasses import replace

from scoring.balls import CUE, Ball
from scoring.events import Moved
from scoring.layout import Layout
from scoring.penalties import Offence
from scoring.pyramid.calls import corner_of_cluster, is_free_stroke, is_put_behind_cluster
from scoring.pyramid.house import waits_in_temporary_house
from scoring.pyramid.state import Case, PyramidState
from scoring.rulings import Message, Place, Reason, Respot, ScoreChange
from scoring.setup import Phase

FEWEST_WORTH_TELLING = 4
"""So many balls gathered near a corner are worth a word to the referee (MP-45)."""


def remembering(
    case: Case, state: PyramidState, *, pots: tuple[Ball, ...], put: Sequence[Respot], miss: tuple[ScoreChange, ...]
) -> PyramidState:
    """The settled standing with a pyramid's own memory."""
    shelves = tuple(
        shelf | frozenset(pots) if side == case.side else shelf for side, shelf in enumerate(case.state.shelves)
    )
    played = case.stroke.is_played
    return replace(
        state,
        layout=_with_lost(state, put),
        shelves=shelves,
        scored=case.state.scored or bool(pots),
        miss=miss if played else (() if case.stroke.inputs("fell_by_itself") else case.state.miss),
        warned=_warned(case),
        free=_free(case),
    )


def _with_lost(state: PyramidState, put: Sequence[Respot]) -> Layout:
    """The layout without balls that are out of the game; a ball put where nobody knows is lost, not out of the way."""
    lost = frozenset(one.ball for one in put if one.at is None and one.place is not Place.IN_HAND)
    known = state.layout or Layout()
    layout = Layout(known.places, (known.lost | lost).difference(known.places))
    return layout.without((*state.gone, *state.in_hand))


def _warned(case: Case) -> tuple[int, ...]:
    """Each side's strokes since a stalemate warning, none played since a new one (MP-43)."""
    return (0,) * len(case.state.scores) if case.stroke.inputs("stalemate_warning") else case.state.warned


def _free(case: Case) -> frozenset[int]:
    """The sides that have a stroke without a call (MP-45)."""
    free = case.state.free
    every = frozenset(case.state.active())
    if case.stroke.is_played:
        return (free or every) - {case.side} if is_free_stroke(case) else free
    return every if is_put_behind_cluster(case) and case.state.phase is Phase.PLAY else free


def about_next(case: Case, after: PyramidState) -> tuple[Reason, ...]:
    """What is said about the next stroke: strokes without a call, a cluster, the temporary house, a warning."""
    if after.phase is Phase.OVER:
        return ()
    said: list[Reason] = []
    if case.stroke.inputs("stalemate_warning") and after.warned:
        said.append(Reason(Message.STALEMATE_WARNED, (), "MP-43"))
    if after.free and not case.state.free:
        said.append(Reason(Message.FREE_STROKES, (), "MP-45"))
    elif _is_worth_telling(case, after):
        said.append(Reason(Message.CLUSTER, (), "MP-45"))
    if waits_in_temporary_house(case.terms, after) and CUE not in case.state.in_hand:
        said.append(Reason(Message.TEMPORARY_HOUSE, (), "MP-48"))
    return tuple(said)


def _is_worth_telling(case: Case, after: PyramidState) -> bool:
    """Whether balls have gathered near a corner that had not before (MP-45)."""
    if after.free or len(after.in_play) < FEWEST_WORTH_TELLING:
        return False
    is_gathered = corner_of_cluster(after.layout, after, case.table) is not None
    return is_gathered and corner_of_cluster(case.before, case.state, case.table) is None


def without_effect(case: Case, after: PyramidState, offences: Sequence[Offence]) -> tuple[Reason, ...]:
    """Inputs that changed nothing, and balls put on the table that are out of the game."""
    if not case.stroke.referee and not case.stroke.facts.moved:
        return ()
    _, on = hands(case)
    strange = on & after.gone
    odd = (Reason(Message.ODD_EVENTS_IGNORED, (len(strange),)),) if strange else ()
    prompted = any("MP-75" in offence.rules for offence in offences)
    fallen = {pot.ball.number for pot in case.fallen}
    idle = {
        "prompting": not prompted,
        "hit_person": not case.stroke.is_played,
        "not_as_called": not case.fallen and not case.terms.options.flag("uncalled_is_foul"),
        "stalemate_warning": case.terms.options.text("stalemate_rule") != "three_each_after_warning",
    }
    idle_inputs = tuple(
        Reason(Message.HAS_NO_EFFECT, (entry.kind,))
        for entry in case.stroke.referee
        if idle.get(entry.kind, entry.kind == "ball_number" and entry.number not in fallen)
    )
    return (*odd, *idle_inputs)


def hands(case: Case) -> tuple[frozenset[Ball], frozenset[Ball]]:
    """The object balls that hands took off the table, and those that hands put on it, in an entry without a stroke."""
    off = frozenset(event.ball for event in case.stroke.facts.moved if event.target is None)
    on = frozenset(event.ball for event in case.stroke.facts.moved if _is_put_on(event))
    return off & case.state.in_play, on & case.state.gone


def _is_put_on(event: Moved) -> bool:
    """Whether a hand put a ball on the table."""
    return event.origin is None and event.target is not None
