"""Standing: where a match stands, as far as all games share it, and how a ruling moves it on."""

from dataclasses import dataclass, replace
from typing import TypeVar

from scoring.balls import Ball
from scoring.events import Potted
from scoring.layout import Layout
from scoring.options import Options
from scoring.questions import Facts
from scoring.rulings import Place, Ruling, Turn
from scoring.setup import Phase, Setup
from scoring.shoot_out import ShootOut
from scoring.shots import AnswerValue, Call, RefereeInput, Shot
from scoring.table import Point


@dataclass(frozen=True, slots=True)
class Terms:
    """What was agreed, with every option resolved."""

    setup: Setup
    options: Options


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What every game's state holds; a game adds its own fields in a subclass.

    Tuples are by side, in the setup's order. `cue_balls` is each side's cue ball (the same one in pyramids), `members`
    the index of the member who plays next for his side. `in_hand` are cue balls off the table, `gone` object balls out
    of the game. `placings` are sides that have finished, best first; `winners` is empty until all is decided, two or
    more for a draw. `shoot_out` stands after the time was up (KZ-36).
    """

    phase: Phase
    scores: tuple[int, ...]
    shooter: str
    cue_balls: tuple[Ball, ...]
    members: tuple[int, ...]
    in_hand: frozenset[Ball] = frozenset()
    gone: frozenset[Ball] = frozenset()
    layout: Layout | None = None
    series: int = 0
    strokes: int = 0
    placings: tuple[int, ...] = ()
    conceded: tuple[int, ...] = ()
    winners: tuple[int, ...] = ()
    shoot_out: ShootOut | None = None

    def active(self) -> tuple[int, ...]:
        """The sides that still play."""
        out = self.placings + self.conceded
        return (
            tuple(side for side in range(len(self.scores)) if side not in out)
            if out
            else tuple(range(len(self.scores)))
        )


State = TypeVar("State", bound=Standing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """A shot made ready for judging: events in order and possible, layout and call filled in from what is known.

    `before` is None when nothing is known of where the balls lay. `referee` holds no answers; those are in `answers`.
    """

    facts: Facts
    before: Layout | None
    from_hand: bool
    call: Call | None
    referee: tuple[RefereeInput, ...] = ()
    answers: tuple[RefereeInput, ...] = ()

    def answer(self, kind: str) -> AnswerValue:
        """The answer to a question, None when there is none yet."""
        for answer in self.answers:
            if answer.to == kind:
                return answer.value
        return None

    def inputs(self, kind: str) -> tuple[RefereeInput, ...]:
        """What people entered of one kind."""
        return self.referee and tuple(entry for entry in self.referee if entry.kind == kind)

    @property
    def is_played(self) -> bool:
        """Whether a ball was struck at all."""
        return self.facts.cue is not None


def stroke_of(state: Standing, setup: Setup, shot: Shot, facts: Facts, answers: tuple[RefereeInput, ...]) -> Stroke:
    """A shot with what is missing filled in from the standing (not guessed: known from the strokes before)."""
    cue_ball = state.cue_balls[setup.side_of(state.shooter)]
    from_hand = shot.from_hand
    if from_hand is None:
        from_hand = cue_ball in state.in_hand or state.phase is Phase.OPENING
    return Stroke(
        facts=facts,
        before=state.layout if shot.before is None else Layout(shot.before),
        from_hand=from_hand,
        call=shot.call,
        referee=tuple(entry for entry in shot.referee if entry.kind != "answer"),
        answers=answers,
    )


def pass_turn(setup: Setup, state: Standing) -> tuple[str, tuple[int, ...]]:
    """The next shooter and each side's next member: the next side that still plays, its members in turn (RP-49)."""
    side = setup.side_of(state.shooter)
    members = list(state.members)
    own = setup.sides[side].members
    members[side] = (own.index(state.shooter) + 1) % len(own)
    active = state.active()
    count = len(setup.sides)
    following = next((one % count for one in range(side + 1, side + count) if one % count in active), side)
    return setup.sides[following].members[members[following]], tuple(members)


def settle(setup: Setup, state: State, stroke: Stroke, ruling: Ruling) -> State:
    """The standing after a ruling: scores, turn, balls in hand and gone, layout, series."""
    scores = list(state.scores)
    for change in ruling.changes:
        scores[change.side] += change.points
    shooter, members = state.shooter, state.members
    if ruling.turn is Turn.PASSES:
        shooter, members = pass_turn(setup, state)
    shooter = ruling.next_shooter or shooter
    same = shooter == state.shooter
    put = {respot.ball: respot for respot in ruling.respots}
    in_hand = frozenset(ball for ball, respot in put.items() if respot.place is Place.IN_HAND)
    struck = {stroke.facts.cue} if stroke.facts.cue else set()
    side = setup.side_of(state.shooter)
    return replace(
        state,
        phase=Phase.OVER if ruling.winners else (Phase.PLAY if stroke.is_played else state.phase),
        scores=tuple(scores),
        shooter=shooter,
        members=members,
        in_hand=(state.in_hand - struck - put.keys()) | in_hand,
        gone=state.gone.difference(ruling.put_back) | {pot.ball for pot in _gone(stroke, ruling)},
        layout=layout_after(state, stroke, ruling),
        series=state.series + ruling.points_of(side) if same else 0,
        strokes=state.strokes + stroke.is_played,
        winners=ruling.winners,
    )


def _gone(stroke: Stroke, ruling: Ruling) -> tuple[Potted, ...]:
    """The pots of balls that nobody puts back."""
    put = {respot.ball for respot in ruling.respots}
    return tuple(pot for pot in stroke.facts.pots if pot.ball not in put)


def layout_at_rest(stroke: Stroke) -> Layout | None:
    """Where the balls lie when all has come to rest, before anybody puts a ball back."""
    facts = stroke.facts
    moved = facts.in_motion
    seen: dict[Ball, Point] = {event.ball: event.target for event in facts.moved if event.target is not None}
    if facts.rest is not None:
        seen |= facts.rest.balls
    down = {pot.ball for pot in facts.pots}
    floor = {event.ball for event in facts.off if not event.returned and not event.on_rail}
    before = stroke.before
    if before is None and not seen:
        return None
    kept = before.without(moved).places if before else {}
    places = {ball: place for ball, place in {**kept, **seen}.items() if ball not in down and ball not in floor}
    lost = (moved | (before.lost if before else frozenset())).difference(places) - down - floor
    return Layout(places, lost)


def layout_after(state: Standing, stroke: Stroke, ruling: Ruling) -> Layout | None:
    """Where the balls lie when people have put back what the ruling says."""
    rest = layout_at_rest(stroke) if stroke.facts.cue or stroke.facts.moved or stroke.facts.pots else stroke.before
    put = {respot.ball: respot.at for respot in ruling.respots if respot.at is not None}
    if rest is None and not put:
        return None
    layout = (rest or Layout()).without(respot.ball for respot in ruling.respots)
    struck = stroke.facts.cue
    return layout.without(ball for ball in state.in_hand if ball != struck).with_places(put)
