"""What players did: in one match, and over all of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from scoring.events import Contact, Strike
from scoring.match import MatchState, Record


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerTally:
    """What one person did: strokes that were ruled, the points that they brought, fouls, and the highest series.

    `caroms` counts the strokes in which the cue ball touched two other balls or more.
    """

    strokes: int = 0
    points: int = 0
    fouls: int = 0
    caroms: int = 0
    highest_series: int = 0

    def __add__(self, other: "PlayerTally") -> "PlayerTally":
        """Both together."""
        return PlayerTally(
            strokes=self.strokes + other.strokes,
            points=self.points + other.points,
            fouls=self.fouls + other.fouls,
            caroms=self.caroms + other.caroms,
            highest_series=max(self.highest_series, other.highest_series),
        )

    @property
    def points_per_stroke(self) -> float:
        """Points that a stroke brought on average."""
        return round(self.points / self.strokes, 3) if self.strokes else 0.0

    @property
    def carom_rate(self) -> float:
        """The share of strokes with a carom."""
        return round(self.caroms / self.strokes, 3) if self.strokes else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerStatistics:
    """One person over all matches; a drawn match is won by nobody."""

    name: str
    matches: int = 0
    won: int = 0
    tally: PlayerTally = PlayerTally()


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPart:
    """One person's part in a match that is over."""

    name: str
    has_won: bool
    tally: PlayerTally


def tallies_of(match: MatchState) -> dict[str, PlayerTally]:
    """What each member of each side did in a match."""
    setup = match.started.terms.setup
    found = {member: PlayerTally() for side in setup.sides for member in side.members}
    for record in match.records:
        ruling = record.ruling
        if ruling is None or ruling.is_undecided or record.after.strokes == record.before.strokes:
            continue
        shooter = ruling.by or record.before.shooter
        points = ruling.points_of(setup.side_of(shooter))
        found[shooter] += PlayerTally(
            strokes=1,
            points=points,
            fouls=int(ruling.foul is not None),
            caroms=int(_is_carom(record)),
            highest_series=max(0, record.before.series + points),
        )
    return found


def statistics_of(parts: Iterable[MatchPart]) -> Sequence[PlayerStatistics]:
    """Everybody's statistics, who has played most first."""
    found: dict[str, PlayerStatistics] = {}
    for part in parts:
        before = found.get(part.name, PlayerStatistics(name=part.name))
        found[part.name] = replace(
            before, matches=before.matches + 1, won=before.won + part.has_won, tally=before.tally + part.tally
        )
    return sorted(found.values(), key=lambda one: (-one.matches, one.name))


def _is_carom(record: Record) -> bool:
    """Whether the cue ball touched two other balls or more."""
    events = record.shot.events
    cue_ball = next((event.ball for event in events if isinstance(event, Strike)), None)
    touched = {
        other
        for event in events
        if isinstance(event, Contact)
        for ball, other in ((event.ball, event.other), (event.other, event.ball))
        if ball == cue_ball
    }
    return len(touched) > 1
