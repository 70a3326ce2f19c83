"""What a stroke would have been worth had it been read otherwise: rulings that a panel offers for one tap.

`alternatives(state, number)` gives the other readings of a ruled stroke that would change anything for people, the
most probable first. Each carries the shot to be journalled when it is chosen (`alternative.correction`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from scoring.balls import Ball
from scoring.commands import CorrectShot
from scoring.game import AnyGame
from scoring.match import MatchState
from scoring.readings import Change, Idea, ideas
from scoring.referee import effect_of, read
from scoring.rulings import Ruling
from scoring.setup import Phase
from scoring.shots import RefereeInput, Shot
from scoring.standing import Standing, Terms
from scoring.table import Pocket


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """One other reading: how it differs, how likely it is where anybody estimated it, its shot, ruling and standing."""

    idea: Idea
    ruling: Ruling
    after: Standing

    @property
    def change(self) -> Change:
        """How the reading differs: a message id."""
        return self.idea.change

    @property
    def probability(self) -> float | None:
        """How likely the witness found it; None where nobody estimated it."""
        return self.idea.probability

    @property
    def ball(self) -> Ball | None:
        """The ball that the change is about."""
        return self.idea.ball

    @property
    def pocket(self) -> Pocket | None:
        """The pocket that the change is about."""
        return self.idea.pocket

    @property
    def word(self) -> str | None:
        """The foul or the player that the change is about."""
        return self.idea.word

    def correction(self, stroke: int) -> CorrectShot:
        """What to journal when people choose it."""
        return CorrectShot(stroke, self.idea.shot)


def alternatives(state: MatchState, number: int) -> tuple[Alternative, ...]:
    """The other rulings that one stroke of a match could have had; none while it waits or is asked about."""
    record = state.record(number)
    if record.ruling is None or record.ruling.is_undecided:
        return ()
    play = state.started
    return other_rulings(play.game, play.terms, record.before, record.shot)


def other_rulings(game: AnyGame, terms: Terms, before: Standing, shot: Shot) -> tuple[Alternative, ...]:
    """The other rulings that a shot could have had in a standing, distinct in effect, the most probable first."""
    if before.phase is Phase.OVER:
        return ()
    reading = read(game, terms, before, shot)
    effects = [effect_of(reading.verdict)]
    found: list[Alternative] = []
    thought_of = _lags(terms, shot) if before.phase is Phase.LAG else ideas(game, before, shot, reading.shot)
    for idea in sorted(thought_of, key=lambda idea: -(idea.probability or 0.0)):
        verdict = read(game, terms, before, idea.shot).verdict
        if verdict.ruling.is_undecided or (effect := effect_of(verdict)) in effects:
            continue
        effects.append(effect)
        found.append(Alternative(idea=idea, ruling=verdict.ruling, after=verdict.state))
    return tuple(found)


def _lags(terms: Terms, shot: Shot) -> Iterator[Idea]:
    """A lag that somebody else has won."""
    kept = tuple(entry for entry in shot.referee if entry.to != "who_shoots")
    for side in terms.setup.sides:
        told = RefereeInput(kind="answer", to="who_shoots", value=side.members[0])
        yield Idea(change=Change.OPENS, shot=replace(shot, referee=(*kept, told)), word=side.members[0])
