"""The referee of a virtual match: the real rules, told what really happened."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hardware.errors import HardwareError
from scoring.balls import Ball
from scoring.commands import Command, Entry, PlayShot, StartMatch
from scoring.match import NO_MATCH, MatchState, apply
from scoring.rulings import Place, Question, Ruling
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.shots import RefereeInput, Shot
from scoring.standing import Standing
from scoring.table import Point, Table

_MOST_QUESTIONS = 8


@dataclass(slots=True)
class Referee:
    """Keeps the score of a virtual match and says where balls go."""

    game: str
    players: tuple[str, str]
    table: Table
    has_lag: bool = False
    state: MatchState = field(init=False)

    def __post_init__(self) -> None:
        """Start the match at its lag or its opening stroke."""
        setup = Setup(game=self.game, sides=singles(*self.players), table=self.table)
        phase = Phase.LAG if self.has_lag else Phase.OPENING
        beginning = Beginning(phase=phase, shooter=self.players[0])
        self.state = self._after(NO_MATCH, StartMatch(setup, beginning))

    @property
    def standing(self) -> Standing:
        """Where the match stands."""
        return self.state.standing

    @property
    def is_over(self) -> bool:
        """Whether somebody has won, or nobody can."""
        return self.standing.phase is Phase.OVER

    @property
    def is_lagging(self) -> bool:
        """Whether the lag comes next."""
        return self.standing.phase is Phase.LAG

    @property
    def is_opening(self) -> bool:
        """Whether the first stroke of the game comes next."""
        return self.standing.phase is Phase.OPENING

    @property
    def lag_balls(self) -> tuple[Ball, Ball]:
        """What the players strike in the lag; with one cue ball the second one takes a corner ball of the rack."""
        first, second = self.standing.cue_balls
        if first != second:
            return first, second
        places = self.rack()
        return first, max(places, key=lambda ball: (places[ball].x_mm, places[ball].y_mm))

    @property
    def shooter(self) -> str:
        """Who plays next."""
        return self.standing.shooter

    @property
    def cue_ball(self) -> Ball:
        """What the shooter strikes."""
        return self.standing.cue_balls[self.players.index(self.shooter)]

    @property
    def scores(self) -> dict[str, int]:
        """The players' points."""
        return dict(zip(self.players, self.standing.scores, strict=True))

    @property
    def winners(self) -> tuple[str, ...]:
        """Who has won; two for a draw; nobody yet."""
        return tuple(self.players[side] for side in self.standing.winners)

    def rack(self) -> Mapping[Ball, Point]:
        """Where the balls lie before the first stroke."""
        return self.state.started.game.rack(self.table).places

    def judge(self, shot: Shot) -> Shot:
        """Rule on a stroke; the shot comes back with the answers that people had to give.

        Raises:
            HardwareError: the rules went on asking.
        """
        told = shot
        for _ in range(_MOST_QUESTIONS):
            state = self._after(self.state, PlayShot(told))
            if state.pending is None:
                self.state = state
                return told
            told = replace(told, referee=(*told.referee, _truthful_answer(state.pending, told)))
        message = f"the rules of {self.game} still ask after {_MOST_QUESTIONS} answers to one stroke"
        raise HardwareError(message)

    @property
    def last_ruling(self) -> Ruling:
        """The ruling on the stroke played last."""
        ruling = self.state.records[-1].ruling
        assert ruling is not None
        return ruling

    def placements(self) -> dict[Ball, Point | None]:
        """Where hands must put balls after the last stroke, in this order; None: off the table, into a hand."""
        before = self.state.records[-1].shot.before or {}
        wanted: dict[Ball, Point | None] = {}
        for respot in self.last_ruling.respots:
            stood = before.get(respot.ball) if respot.place is Place.WHERE_IT_STOOD else None
            wanted[respot.ball] = None if respot.place is Place.IN_HAND else respot.at or stood
        return wanted

    def _after(self, state: MatchState, command: Command) -> MatchState:
        return apply(state, Entry(seq=state.next_seq, what=command))


def _truthful_answer(question: Question, shot: Shot) -> RefereeInput:
    """The likeliest answer, which is the true one when the events are."""
    value = question.choices[0].value if question.choices else shot.call
    return RefereeInput(kind="answer", to=question.kind.value, value=value)
