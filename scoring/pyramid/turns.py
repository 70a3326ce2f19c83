"""Who plays next: two, three, one against a pair (MP-60, MP-63, MP-72, MP-73, C-26)."""

from dataclasses import replace

from scoring.pyramid.state import Case, PyramidState
from scoring.rulings import Ruling, Turn


def is_one_stroke_each(case: Case) -> bool:
    """Whether the turn passes after every stroke (MP-72)."""
    return case.terms.setup.format == "pair-1"


def turn_rules(case: Case, *, passes: bool) -> tuple[str, ...]:
    """The rules by which the turn goes on in this format."""
    setup = case.terms.setup
    if setup.format == "pair-1":
        return ("MP-72", "MP-71", "MP-70")
    if setup.format == "pair-2":
        return ("MP-73", "MP-71", "MP-70", *(("MP-74", "MP-A6") if passes else ()))
    return ("MP-63", "C-26") if len(setup.sides) > 2 and passes else ("C-26",)


def with_turn(case: Case, state: PyramidState, ruling: Ruling, *, is_penalty: bool) -> PyramidState:
    """The standing with its next shooter, after a ruling that was settled."""
    setup, side = case.terms.setup, case.side
    is_gone = side not in state.active()
    if ruling.turn is Turn.STAYS and not is_gone:
        return state
    members = list(case.state.members)
    own = setup.sides[side].members
    members[side] = own.index(case.state.shooter)
    changing = _pair_changes(case, state, is_penalty=is_penalty) if setup.format == "pair-2" else (side,)
    for one in changing:
        members[one] = (members[one] + 1) % len(setup.sides[one].members)
    count = len(setup.sides)
    active = state.active()
    following = next((one % count for one in range(side + 1, side + count) if one % count in active), side)
    shooter = setup.sides[following].members[members[following]]
    after = (shooter, tuple(members), 0, False)
    if (state.shooter, state.members, state.series, state.scored) == after:
        return state
    return replace(state, shooter=shooter, members=tuple(members), series=0, scored=False)


def _pair_changes(case: Case, state: PyramidState, *, is_penalty: bool) -> tuple[int, ...]:
    """The sides whose next player changes when an inning ends in the second method (MP-73, MP-A6)."""
    sides = case.terms.setup.sides
    pair = next(index for index, side in enumerate(sides) if len(side.members) > 1)
    is_pairs_inning = case.side == pair
    rule = case.terms.options.text("pair2_switch")
    if rule == "alternate":
        changes = is_pairs_inning
    elif rule == "pair_inning":
        changes = is_pairs_inning and (state.scored or is_penalty)
    else:
        changes = is_penalty if is_pairs_inning else state.scored
    return (pair,) if changes else ()
