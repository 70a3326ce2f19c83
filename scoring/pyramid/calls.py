"""What was called in a pyramid, and strokes that need no call (MP-8, MP-10, MP-12, MP-45)."""

from dataclasses import dataclass

from scoring.balls import CUE, Ball
from scoring.events import Potted
from scoring.layout import Layout
from scoring.pyramid.state import Case, PyramidState
from scoring.questions import balls_touched
from scoring.rulings import Choice, Question, QuestionKind
from scoring.setup import Phase
from scoring.shots import Call
from scoring.standing import Standing, Terms
from scoring.table import Pocket, Table

FEWEST_IN_CLUSTER = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What is known of a stroke's call: `named` by the player, all as it fell, or not as called."""

    named: Call | None = None
    is_as_it_fell: bool = False
    is_refused: bool = False

    @property
    def is_known(self) -> bool:
        """Whether there is anything to go by."""
        return self.named is not None or self.is_as_it_fell or self.is_refused

    def means(self, pot: Potted) -> bool:
        """Whether a pot is what was called."""
        if self.named is None or self.is_refused:
            return self.is_as_it_fell and not self.is_refused
        return self.named.ball == pot.ball and self.named.pocket == pot.pocket


def told_of(case: Case) -> Told:
    """The call as it was entered before the stroke or answered after it (MP-10, O10)."""
    if case.stroke.inputs("not_as_called"):
        return Told(is_refused=True)
    if _is_whole(case.stroke.call):
        return Told(named=case.stroke.call)
    answer = case.stroke.answer("call")
    if isinstance(answer, Call) and _is_whole(answer):
        return Told(named=answer)
    if isinstance(answer, Ball):  # only the ball was named: it fell where it was meant to
        fell = next((pot for pot in case.fallen if pot.ball == answer), None)
        return Told(named=Call(ball=answer, pocket=fell.pocket)) if fell else Told(is_refused=True)
    return Told(is_as_it_fell=answer is True, is_refused=answer is False)


def _is_whole(call: Call | None) -> bool:
    """Whether a call names a ball and a pocket (MP-10)."""
    return call is not None and call.ball is not None and call.pocket is not None


def needs_call(terms: Terms, state: Standing) -> bool:
    """Whether the next stroke must be called: not the break, not a stroke without a call (MP-8, MP-10, MP-45)."""
    assert isinstance(state, PyramidState)
    is_free = terms.setup.side_of(state.shooter) in state.free
    return state.phase is Phase.PLAY and terms.options.text("call") != "none" and not is_free


def is_called_stroke(case: Case) -> bool:
    """Whether this stroke counts by its call."""
    return needs_call(case.terms, case.state) and not is_free_stroke(case)


def is_free_stroke(case: Case) -> bool:
    """Whether this is one of the strokes without a call: announced, or seen by where the cue ball was put (MP-45)."""
    if case.state.phase is not Phase.PLAY:
        return False
    if case.side in case.state.free:
        return True
    if case.stroke.from_hand or case.stroke.call is not None or case.stroke.answer("call") is not None:
        return False
    return is_put_behind_cluster(case) or is_behind_cluster(case.before, case.state, case.table)


def call_question(case: Case) -> Question:
    """Asks for a call that nobody entered: the balls that fell, else the one that was touched; or not as called."""
    fell = [Call(ball=pot.ball, pocket=pot.pocket) for pot in case.fallen]
    touched = balls_touched(case.stroke.facts)
    ranked = sorted(fell, key=lambda call: touched.index(call.ball) if call.ball in touched else len(touched))
    about = case.fallen[0].ball if len(case.fallen) == 1 else None
    choices = (*(Choice(call) for call in ranked), Choice(value=False))
    return Question(kind=QuestionKind.CALL, choices=choices, about=about, open=True)


def corner_of_cluster(layout: Layout | None, state: PyramidState, table: Table) -> Pocket | None:
    """The corner pocket near which all object balls lie; None when they do not, or nobody knows (MP-45)."""
    balls = state.in_play
    if layout is None or len(balls) < FEWEST_IN_CLUSTER or not balls <= layout.places.keys():
        return None
    known = [layout.places[ball] for ball in balls]
    for pocket in Pocket:
        corner = table.pocket_corner(pocket)
        if not pocket.is_middle and all(place.distance_mm(corner) <= table.length_mm / 4 for place in known):
            return pocket
    return None


def is_put_behind_cluster(case: Case) -> bool:
    """Whether a hand has put the cue ball, which was no player's to place, near the pocket of a cluster (MP-45)."""
    pocket = corner_of_cluster(case.before, case.state, case.table)
    if pocket is None or CUE in case.state.in_hand:
        return False
    corner = case.table.pocket_corner(pocket)
    targets = [event.target for event in case.stroke.facts.moved if event.ball == CUE and event.target is not None]
    return any(target.distance_mm(corner) <= case.table.length_mm / 4 for target in targets)


def is_behind_cluster(layout: Layout | None, state: PyramidState, table: Table) -> bool:
    """Whether the cue ball lies where a referee puts it: nearer to the pocket than all balls around it (MP-45).

    So it does when its place was not worth telling beside those of the balls around the pocket.
    """
    pocket = corner_of_cluster(layout, state, table)
    if pocket is None or layout is None:
        return False
    at = layout.at(CUE)
    if at is None:
        return CUE not in layout.lost
    corner = table.pocket_corner(pocket)
    return all(
        at.distance_mm(corner) < place.distance_mm(corner) for ball, place in layout.places.items() if ball != CUE
    )


def called_ball(told: Told) -> Ball | None:
    """The ball that was named."""
    return told.named.ball if told.named is not None else None
