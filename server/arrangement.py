"""How the balls lie between strokes: what people must put right, and a game that they are set up for."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from scoring.balls import Ball
from scoring.games import GAMES, game_named
from scoring.match import MatchState
from scoring.setup import Phase
from scoring.table import Point, Table
from scoring.verify_layout import Fault, Wrong, verify_layout
from server.live import LiveTable

PUT_MM = 40.0  # a ball this near to where it belongs has been put there
STEADY_S = 2.0  # what hands are just doing is not complained about, and a set-up is offered when they have gone
_UNPUT = frozenset({Wrong.NOT_IN_PLACE, Wrong.MISSING})

_Key = tuple[Ball, Wrong]


def faults_now(match: MatchState, live: LiveTable) -> tuple[Fault, ...] | None:
    """What is not as the rules want it before the next stroke; None when nobody sees the balls at rest."""
    if match.play is None or live.places is None or not live.places.balls or not live.is_settled:
        return None
    return verify_layout(match, live.places.balls, tolerance_mm=PUT_MM)


def is_unput(fault: Fault) -> bool:
    """Whether a ball is not (yet) where the last ruling wants it."""
    return fault.wrong in _UNPUT


@dataclass(slots=True)
class Arrangement:
    """What has been so for a while: faults that are worth a word, and the game that the balls are set up for."""

    faults: tuple[Fault, ...] = ()
    offer: str | None = None
    _since_s: dict[_Key, float] = field(default_factory=dict)
    _set_up_since_s: float | None = None

    def look(self, match: MatchState, live: LiveTable, wished: str | None, now_s: float) -> bool:
        """Look at the table; `wished` is the game to offer. True when there is something else to tell."""
        told, is_settled_now = (tuple(map(_about, self.faults)), self.offer), live.settle(now_s)
        faults = faults_now(match, live) or ()
        self._since_s = {_key(fault): self._since_s.get(_key(fault), now_s) for fault in faults}
        self.faults = tuple(fault for fault in faults if now_s - self._since_s[_key(fault)] >= STEADY_S)
        self.offer = self._offered(live, wished, now_s)
        return is_settled_now or told != (tuple(map(_about, self.faults)), self.offer)

    def _offered(self, live: LiveTable, wished: str | None, now_s: float) -> str | None:
        is_seen = live.places is not None and live.is_settled and live.is_fresh(now_s)
        if wished is None or not is_seen or live.places is None:
            self._set_up_since_s = None
            return None
        game = game_set_up(live.places.balls, live.table or Table(), wished)
        if game is None:
            self._set_up_since_s = None
            return None
        if self._set_up_since_s is None:
            self._set_up_since_s = now_s
        return game if now_s - self._set_up_since_s >= STEADY_S else None


def _key(fault: Fault) -> _Key:
    return fault.ball, fault.wrong


def _about(fault: Fault) -> Fault:
    """A fault by what people read of it: half a centimetre more or less is no news."""
    far_mm = None if fault.distance_mm is None else round(fault.distance_mm / 5) * 5.0
    return replace(fault, seen=None, distance_mm=far_mm)


def game_set_up(seen: Mapping[Ball, Point], table: Table, wished: str) -> str | None:
    """The game for which the balls are set up: the wished one where it is among them; cue balls may be in the hand."""
    fitting = [name for name in GAMES if _is_rack(seen, table, name)]
    return wished if wished in fitting else fitting[0] if fitting else None


def _is_rack(seen: Mapping[Ball, Point], table: Table, name: str) -> bool:
    """Whether every object ball lies in its place, and nothing but cue balls elsewhere."""
    game = game_named(name)
    rack = {ball: at for ball, at in game.rack(table).places.items() if ball not in game.cue_balls}
    left = dict(seen)
    for ball, at in rack.items():
        near = [one for one in left if _may_be(one, ball) and left[one].distance_mm(at) < PUT_MM]
        if not near:
            return False
        left.pop(min(near, key=lambda one: left[one].distance_mm(at)))
    return all(any(_may_be(one, cue) for cue in game.cue_balls) for one in left)


def _may_be(seen: Ball, ball: Ball) -> bool:
    """Whether a ball that was seen may be that one: numbers cannot be read, and balls of one colour are alike."""
    return seen.is_unknown or (seen.number is not None and ball.number is not None) or seen.colour == ball.colour


def wished_game(match: MatchState, default: str) -> str | None:
    """The game to offer when the balls are set up; None while a match is on."""
    if match.play is None:
        return default
    return match.play.game.name if match.standing.phase is Phase.OVER else None
