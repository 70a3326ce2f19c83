"""Scoreboard: what a person across the room may see, and nothing else."""

from dataclasses import dataclass
from enum import StrEnum

from scoring.balls import Ball
from scoring.match import MatchState
from scoring.rulings import Question, Respot, Ruling
from scoring.setup import Phase
from scoring.shoot_out import ShootOut
from scoring.shots import Call

LAST_RULINGS = 5


class Due(StrEnum):
    """What the table waits for."""

    START = "start"
    LAG = "lag"
    ANSWER = "answer"
    CALL = "call"
    STROKE = "stroke"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class SideRow:
    """One account on the board; `series` counts the points of the running series, `place` a finished side's place."""

    name: str
    members: tuple[str, ...]
    score: int
    target: int | None
    series: int
    shooter: str | None
    cue_ball: Ball | None
    in_hand: bool
    place: int | None
    conceded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingRow:
    """One stroke that was ruled (or waits): its number and the ruling."""

    stroke: int
    shooter: str
    ruling: Ruling | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoreboard:
    """The board of one match. `put` are the balls that people must put somewhere before the next stroke."""

    game: str
    phase: Phase
    due: Due
    sides: tuple[SideRow, ...] = ()
    shooter: str | None = None
    from_hand: bool = False
    call: Call | None = None
    question: Question | None = None
    asked_about: int | None = None
    waiting: int = 0
    rulings: tuple[RulingRow, ...] = ()
    in_hand: tuple[Ball, ...] = ()
    put: tuple[Respot, ...] = ()
    left: int | None = None
    winners: tuple[str, ...] = ()
    placings: tuple[str, ...] = ()
    shoot_out: ShootOut | None = None

    @property
    def is_draw(self) -> bool:
        """Whether the match ended with no single winner."""
        return len(self.winners) > 1


def scoreboard_of(state: MatchState) -> Scoreboard:
    """The board of a match that has started."""
    play, standing = state.started, state.standing
    game, setup = play.game, play.terms.setup
    targets = game.targets(play.terms, standing)
    shooting = setup.side_of(standing.shooter)
    over = standing.phase is Phase.OVER
    rows: list[SideRow] = []
    for index, side in enumerate(setup.sides):
        cue_ball = standing.cue_balls[index]
        rows.append(
            SideRow(
                name=side.name,
                members=side.members,
                score=standing.scores[index],
                target=targets[index],
                series=standing.series if index == shooting else 0,
                shooter=standing.shooter if index == shooting and not over else None,
                cue_ball=cue_ball,
                in_hand=cue_ball in standing.in_hand,
                place=standing.placings.index(index) + 1 if index in standing.placings else None,
                conceded=index in standing.conceded,
            )
        )
    ruled = [record for record in state.records if record.ruling is not None and not record.ruling.is_undecided]
    names = [side.name for side in setup.sides]
    asking = state.asking
    return Scoreboard(
        game=game.name,
        phase=standing.phase,
        due=due_of(state),
        sides=tuple(rows),
        shooter=None if over else standing.shooter,
        from_hand=not over and (standing.cue_balls[shooting] in standing.in_hand or standing.phase is Phase.OPENING),
        call=state.call,
        question=state.pending,
        asked_about=asking.number if asking else None,
        waiting=sum(record.ruling is None for record in state.records),
        rulings=tuple(
            RulingRow(
                stroke=record.number,
                shooter=(record.ruling and record.ruling.by) or record.before.shooter,
                ruling=record.ruling,
            )
            for record in state.records[-LAST_RULINGS:]
        ),
        in_hand=tuple(sorted(standing.in_hand)),
        put=ruled[-1].ruling.respots if ruled and ruled[-1].ruling else (),
        left=game.left(play.terms, standing),
        winners=tuple(names[side] for side in standing.winners),
        placings=tuple(names[side] for side in standing.placings),
        shoot_out=standing.shoot_out,
    )


def due_of(state: MatchState) -> Due:
    """What the table waits for."""
    if state.play is None:
        return Due.START
    standing = state.standing
    if standing.phase is Phase.OVER:
        return Due.NOTHING
    if state.pending is not None:
        return Due.ANSWER
    if standing.phase is Phase.LAG:
        return Due.LAG
    entered = state.play.terms.options.text("call_entry") == "entered" and standing.shoot_out is None
    if state.call is None and entered and state.play.game.needs_call(state.play.terms, standing):
        return Due.CALL
    return Due.STROKE
