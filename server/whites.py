"""The two whites look alike: a stroke with the wrong one is asked about, and what is answered holds from then on."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from scoring.ball_numbers import renamed_places
from scoring.balls import WHITE_1, WHITE_2, Ball
from scoring.commands import Announce, Answer, Command
from scoring.doubts import renamed_event
from scoring.events import Strike, TableEvent
from scoring.match import MatchState
from scoring.rulings import QuestionKind
from scoring.setup import Phase
from scoring.table import Point
from server.messages import Places, Said, Seen, Supposed, TableMessage

_SWAPPED: Mapping[Ball, Ball] = {WHITE_1: WHITE_2, WHITE_2: WHITE_1}
_MIXED_UP = 0.9  # that the whites were taken for each other, when a player seems to have struck the other one
_REASON = "the other side's white seems to have been struck, or the two were taken for each other"


@dataclass(slots=True)
class Whites:
    """Whether the witness has the names of the two whites the wrong way round, as far as people have said."""

    _names: Mapping[Ball, Ball] = field(default_factory=dict)

    def told(self, message: TableMessage) -> TableMessage:
        """What a table's process says, by the right names."""
        if not self._names:
            return message
        match message:
            case Seen(events=events):
                return Seen(events=tuple(renamed_event(event, self._names) for event in events))
            case Supposed(events=events):
                return Supposed(events=tuple(renamed_event(event, self._names) for event in events))
            case Places():
                return replace(message, balls=self.named(message.balls))
            case Said(what=Announce(call=call)) if call.ball is not None:
                return Said(what=Announce(replace(call, ball=self._names.get(call.ball, call.ball))))
            case _:
                return message

    def named(self, places: Mapping[Ball, Point]) -> Mapping[Ball, Point]:
        """Places by the right names."""
        return renamed_places(places, self._names)

    def doubted(self, events: tuple[TableEvent, ...], match: MatchState) -> tuple[TableEvent, ...]:
        """A stroke in which a player seems to have struck the other side's white, with a doubt about that."""
        struck = [event for event in events if isinstance(event, Strike)]
        if match.play is None or match.standing.phase is not Phase.PLAY or len(struck) != 1:
            return events
        standing, (strike,) = match.standing, struck
        own = standing.cue_balls[match.started.terms.setup.side_of(standing.shooter)]
        if strike.ball == own or {strike.ball, own} != {*_SWAPPED}:
            return events
        candidates = {own: _MIXED_UP, strike.ball: 1 - _MIXED_UP}
        doubtful = replace(strike, candidates=candidates, flagged=True, reason=strike.reason or _REASON)
        return tuple(doubtful if event is strike else event for event in events)

    def hear(self, match: MatchState, what: Command) -> bool:
        """Take in what a person says; true when it shows that the witness has the names the wrong way round."""
        asked = match.asking
        if not isinstance(what, Answer) or what.answer.to != QuestionKind.WHICH_WHITE or asked is None:
            return False
        answer, strikes = what.answer.value, [event for event in asked.shot.events if isinstance(event, Strike)]
        if not any(
            answer in strike.candidates and strike.ball in strike.candidates.keys() - {answer} for strike in strikes
        ):
            return False
        self._names = {} if self._names else _SWAPPED
        return True
