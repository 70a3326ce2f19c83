"""A sentence-like builder of shots, for tests and for authors of games.

::

    shot = stroke(WHITE_1).calls(YELLOW, Pocket.RL).hits(RED_1).then(RED_1, YELLOW).pots(YELLOW, Pocket.RL).shot()

Each step happens 0.1 s after the one before it; `at_once()` lets the next one happen at the same time.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from scoring.balls import Ball
from scoring.events import Contact, CushionHit, Moved, OffTable, Potted, Rest, Strike, TableEvent
from scoring.shots import AnswerValue, Call, RefereeInput, Shot
from scoring.table import Cushion, Pocket, Point

STEP_S = 0.1


@dataclass(frozen=True, slots=True)
class Sentence:
    """A shot while it is told; every word returns a longer sentence."""

    cue: Ball | None
    told: Shot
    now_s: float = 0.0
    pause_s: float = STEP_S

    def _and(self, event: TableEvent) -> "Sentence":
        """The sentence with one more event."""
        happened = replace(event, t_s=self.now_s + self.pause_s)
        told = replace(self.told, events=(*self.told.events, happened))
        return Sentence(self.cue, told, happened.t_s)

    @property
    def struck(self) -> Ball:
        """The ball that this stroke struck."""
        assert self.cue is not None, "nobody struck"
        return self.cue

    def at_once(self) -> "Sentence":
        """The next event happens at the same time as the last one."""
        return replace(self, pause_s=0.0)

    def by(self, player: str) -> "Sentence":
        """Who shot."""
        return replace(self, told=replace(self.told, by=player))

    def calls(self, ball: Ball, pocket: Pocket | None = None, *, bank: bool | None = None) -> "Sentence":
        """What was called."""
        return replace(self, told=replace(self.told, call=Call(ball=ball, pocket=pocket, bank=bank)))

    def lying(self, places: Mapping[Ball, tuple[float, float]]) -> "Sentence":
        """Where the balls lay before."""
        return replace(self, told=replace(self.told, before={ball: Point(*at) for ball, at in places.items()}))

    def from_hand(self, *, yes: bool = True) -> "Sentence":
        """Whether it was played from hand."""
        return replace(self, told=replace(self.told, from_hand=yes))

    def hits(self, *balls: Ball) -> "Sentence":
        """The cue ball touches balls, one after the other."""
        sentence = self
        for ball in balls:
            sentence = sentence.then(self.struck, ball)
        return sentence

    def then(self, ball: Ball, other: Ball) -> "Sentence":
        """Two balls touch."""
        return self._and(Contact(t_s=0, ball=ball, other=other))

    def banks(self, ball: Ball, cushion: Cushion) -> "Sentence":
        """A ball meets a cushion."""
        return self._and(CushionHit(t_s=0, ball=ball, cushion=cushion))

    def brushes_jaw(self, ball: Ball, pocket: Pocket) -> "Sentence":
        """A ball touches a pocket's jaw."""
        return self._and(CushionHit(t_s=0, ball=ball, pocket=pocket))

    def pots(self, ball: Ball, pocket: Pocket) -> "Sentence":
        """A ball falls."""
        return self._and(Potted(t_s=0, ball=ball, pocket=pocket))

    def scratches(self, pocket: Pocket = Pocket.FR) -> "Sentence":
        """The struck ball falls."""
        return self.pots(self.struck, pocket)

    def flies(
        self, ball: Ball, *, returned: bool = False, on_rail: bool = False, at: Point | None = None
    ) -> "Sentence":
        """A ball leaves the table."""
        return self._and(OffTable(t_s=0, ball=ball, returned=returned, on_rail=on_rail, at=at))

    def moves(self, ball: Ball, target: Point | None = None) -> "Sentence":
        """A resting ball is moved by a hand or a sleeve."""
        return self._and(Moved(t_s=0, ball=ball, target=target))

    def flagged(self, reason: str = "thin", confidence: float = 0.6, **doubt: Any) -> "Sentence":  # noqa: ANN401
        """The last event is not sure."""
        *events, last = self.told.events
        doubtful = replace(last, flagged=True, reason=reason, confidence=confidence, **doubt)
        return replace(self, told=replace(self.told, events=(*events, doubtful)))

    def says(
        self,
        kind: str,
        *,
        by: str | None = None,
        ball: Ball | None = None,
        when: str = "during",
        number: int | None = None,
    ) -> "Sentence":
        """A person enters something."""
        said = RefereeInput(kind=kind, by=by, ball=ball, when=when, number=number)
        return replace(self, told=replace(self.told, referee=(*self.told.referee, said)))

    def answers(self, to: str, value: AnswerValue) -> "Sentence":
        """A person answers a question."""
        said = RefereeInput(kind="answer", to=to, value=value)
        return replace(self, told=replace(self.told, referee=(*self.told.referee, said)))

    def rests(self, places: Mapping[Ball, tuple[float, float]] | None = None) -> Shot:
        """All is at rest: the shot is told."""
        lying = {ball: Point(*at) for ball, at in (places or {}).items()}
        return self._and(Rest(t_s=0, balls=lying)).told

    def shot(self) -> Shot:
        """The shot, with a rest if it was played and none was told."""
        if not self.told.events or isinstance(self.told.events[-1], Rest):
            return self.told
        return self.rests()


def stroke(cue: Ball) -> Sentence:
    """Begin to tell a stroke."""
    return Sentence(cue, Shot(events=(Strike(t_s=0.0, ball=cue),)))


def no_stroke() -> Sentence:
    """Begin to tell an entry without a stroke."""
    return Sentence(None, Shot())
