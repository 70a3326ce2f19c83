"""Episodes one after another with one clock: placed lazily for endless play, joined as one Scene for a recording."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hardware.virtual.scene import Instant
from hardware.virtual.script import Episode, Said, later, later_shot
from scoring.events import Potted, TableEvent
from scoring.shots import Shot
from scoring.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """An episode with the instant at which it begins."""

    starts_s: float
    episode: Episode

    @property
    def ends_s(self) -> float:
        """When it is over."""
        return self.starts_s + self.episode.duration_s

    @property
    def events(self) -> tuple[TableEvent, ...]:
        """Its events with the timeline's times and the stroke's number."""
        return tuple(later(event, self.starts_s, self.episode.number) for event in self.episode.events)

    @property
    def pots(self) -> tuple[Potted, ...]:
        """The balls that fall."""
        return tuple(event for event in self.events if isinstance(event, Potted))

    @property
    def shot(self) -> Shot:
        """Its shot record with the timeline's times."""
        return later_shot(self.episode.shot, self.starts_s, self.episode.number)

    @property
    def said(self) -> tuple[Said, ...]:
        """What was said, with the timeline's times."""
        return tuple(Said(t_s=self.starts_s + said.t_s, by=said.by, call=said.call) for said in self.episode.said)

    def at(self, t_s: float) -> Instant:
        """What can be seen at an instant of the timeline."""
        return self.episode.at(t_s - self.starts_s)


def placed(episodes: Iterable[Episode]) -> Iterator[Placed]:
    """Give each episode its beginning, lazily."""
    starts_s = 0.0
    for episode in episodes:
        yield Placed(starts_s=starts_s, episode=episode)
        starts_s += episode.duration_s


@dataclass(frozen=True, slots=True)
class Timeline:
    """A finite sequence of episodes as one Scene."""

    parts: tuple[Placed, ...]

    @classmethod
    def of(cls, episodes: Iterable[Episode]) -> "Timeline":
        """Join episodes, all of them, in order."""
        return cls(tuple(placed(episodes)))

    @property
    def table(self) -> Table:
        """The table it is played on."""
        return self.parts[0].episode.table

    @property
    def duration_s(self) -> float:
        """How long all of it lasts."""
        return self.parts[-1].ends_s

    @property
    def events(self) -> tuple[TableEvent, ...]:
        """All events in time order."""
        return tuple(event for part in self.parts for event in part.events)

    def at(self, t_s: float) -> Instant:
        """What can be seen at an instant."""
        return _part_at(self.parts, t_s).at(t_s)


def _part_at(parts: Sequence[Placed], t_s: float) -> Placed:
    index = bisect_right([part.starts_s for part in parts], t_s) - 1
    return parts[max(index, 0)]
