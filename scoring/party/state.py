"""What Russian party and Five balls remember, and how they begin (RP-1 to RP-8, RP-50, RP-51)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from scoring.balls import RED_1, RED_2, YELLOW, Ball
from scoring.errors import ScoringError
from scoring.events import Potted
from scoring.five_ball.case import Case as CaseOf
from scoring.five_ball.case import FiveBallState, Pot
from scoring.five_ball.start import begin, targets
from scoring.layout import Layout
from scoring.rulings import Place
from scoring.setup import Beginning, Phase
from scoring.spots import point_of
from scoring.standing import Standing, Terms
from scoring.table import Table

COLOURED = (YELLOW, RED_1, RED_2)
"""The object balls that have spots, in the order in which they go back (RP-1, RP-44, FB-2, C-16)."""

MAIN_SPOTS = (Place.S1, Place.S2, Place.S3)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartyState(FiveBallState):
    """Russian party's own memory.

    `opened` are the sides that have played their first stroke (RP-3, RP-6), `potted` those that have scored with a
    ball; `is_mandatory` is set once somebody has reached the target by penalty points alone (RP-18); `waiting` are the
    balls at a short cushion that need a spot (RP-41).
    """

    opened: frozenset[int] = frozenset()
    potted: frozenset[int] = frozenset()
    is_mandatory: bool = False
    waiting: frozenset[Ball] = frozenset()


Case: TypeAlias = CaseOf[PartyState]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartyRules:
    """What a game of this family has of its own.

    `worth` prices a ball that fell; `uncalled` voids balls that were not called, `extra` those that fell with a called
    one; `besides` is cited with every rule of Russian party; `has_prize`: an error while potting gives the opponent
    what the pot would have earned (FB-6).
    """

    name: str
    worth: Callable[[Case, Potted], Pot]
    call: str
    uncalled: str
    extra: str
    besides: tuple[str, ...] = ()
    has_prize: bool = False


def start(terms: Terms, beginning: Beginning) -> PartyState:
    """The standing before the first stroke: white-2 is not on the table yet (RP-3)."""
    setup = terms.setup
    whole = terms.options.number("target")
    for side in range(len(setup.sides)):
        given = setup.handicap(side)
        if given.off_table or given.not_taken_off:
            message = f"{setup.game}: a handicap can only be given in points or in caroms"
            raise ScoringError(message)
        if max(given.points, given.credit) >= whole:
            message = f"{setup.game}: a handicap of {max(given.points, given.credit)} points leaves nothing of {whole}"
            raise ScoringError(message)
    potted = _potted(terms, beginning)
    state = begin(PartyState, terms, beginning, potted=potted, waiting=_waiting(setup.table, beginning))
    if state.phase is Phase.PLAY:  # whose white lies on the table has played before
        on_table = frozenset(side for side, white in enumerate(state.cue_balls) if white not in state.in_hand)
        state = replace(state, opened=on_table)
    needed = targets(terms, state)
    reached = [side for side, score in enumerate(state.scores) if score >= (needed[side] or 0)]
    if any(has_only_penalties(terms, potted, side) for side in reached):
        return replace(state, is_mandatory=True)
    return state


def has_only_penalties(terms: Terms, potted: frozenset[int], side: int) -> bool:
    """Whether a side that has enough points may not win by them, as no ball has earned any (RP-18, RP-A2)."""
    match terms.options.text("mandatory_ball"):
        case "both_penalty_only":
            return not potted
        case "leader_penalty_only":
            return side not in potted
        case _:
            return False


def needs_call(terms: Terms, state: Standing) -> bool:
    """Whether the next stroke must be called; at the opening there is nothing to call (RP-5, RP-15, FB-3)."""
    return state.phase is Phase.PLAY and terms.options.text("call") != "none"


def _potted(terms: Terms, beginning: Beginning) -> frozenset[int]:
    """The sides that have scored with a ball, as far as a resumed match tells.

    Where it does not, scores tell it under `transfer`: penalty points alone add up to what was given at the start.
    """
    setup, named = terms.setup, beginning.last.potted_by
    if named is not None:
        return frozenset(setup.side_of(player) for player in named if setup.knows(player))
    everybody = frozenset(range(len(setup.sides)))
    if beginning.scores is None:
        return frozenset()
    in_points = terms.options.text("handicap_form") == "credit"
    given = sum(setup.handicap(s).credit + in_points * setup.handicap(s).points for s in everybody)
    is_transfer = terms.options.text("penalty_mode") == "transfer"
    penalties_only = sum(beginning.scores) == given if is_transfer else not any(beginning.scores)
    return frozenset() if penalties_only else everybody


def _waiting(table: Table, beginning: Beginning) -> frozenset[Ball]:
    """The balls that wait for a spot when play goes on: at the middle of the front cushion, all spots being taken."""
    layout = beginning.layout or Layout()
    front = point_of(Place.FRONT_MIDDLE, table)
    ball = layout.ball_on(front) if front else None
    spots = [point for place in MAIN_SPOTS if (point := point_of(place, table))]
    if ball is None or ball not in COLOURED or any(layout.is_free(spot, table) for spot in spots):
        return frozenset()
    return frozenset((ball,))
