"""The pyramids as games: both are judged alike, the big one counts some balls dearer (BP-1)."""

from scoring.balls import CUE, PYRAMID_SET
from scoring.game import Game, Verdict
from scoring.pyramid.calls import needs_call
from scoring.pyramid.judge import judge_between, judge_overlooked, judge_stroke
from scoring.pyramid.rack import rack_of
from scoring.pyramid.start import judge_lag, start
from scoring.pyramid.state import Case, PyramidState, points_left, targets
from scoring.setup import Phase
from scoring.standing import Stroke, Terms


def judge(terms: Terms, state: PyramidState, stroke: Stroke) -> Verdict[PyramidState]:
    """The ruling on one stroke or entry."""
    if state.phase is Phase.LAG:
        return judge_lag(terms, state, stroke)
    side = terms.setup.side_of(state.shooter)
    found = judge_overlooked(terms, state, side)
    if found is not None:
        return found
    case = Case(terms, state, stroke, side)
    return judge_stroke(case) if stroke.is_played else judge_between(case)


def pyramid(name: str) -> Game[PyramidState]:
    """One of the two pyramids: fifteen numbered balls and one cue ball, the only one that is struck (MP-1, C-17)."""
    return Game(
        name=name,
        balls=PYRAMID_SET,
        cue_balls=(CUE,),
        side_counts=(2, 3),
        first_phase=Phase.LAG,
        rack=rack_of,
        start=start,
        judge=judge,
        targets=targets,
        needs_call=needs_call,
        left=points_left,
    )
