"""Which ball of the set is which track: by colour, by continuity, and by who was absent longest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoring.balls import Ball
from vision.track import Track

_SURE = 0.6
_CERTAIN = 0.99
_LEAST_CANDIDATE = 0.02
_LEAST_LOOKS = 8
_BY_ELIMINATION = 0.2  # a colour so likely is believed when only one ball is missing


@dataclass(frozen=True, slots=True)
class Renamed:
    """A ball that was told of under another name before."""

    key: int
    before: Ball
    after: Ball


class Namer:
    """Gives tracks their names; the names of balls that left the table come back in the order in which they left."""

    def __init__(self, balls: Sequence[Ball]) -> None:
        self.balls = tuple(balls)
        self.names: dict[int, Ball] = {}
        self._left: list[Ball] = []  # in the order in which they left
        self._unknown = 0

    def name(self, tracks: Sequence[Track], *, now: bool = False) -> tuple[Renamed, ...]:
        """Name the tracks that have no name yet and were seen often enough (or now), in order along the table.

        An unknown ball gets its name as soon as its colour is that of a missing one; returns the names that changed.
        """
        before = dict(self.names)
        for track in [t for t in tracks if self._is_misnamed(t, now=now)]:
            del self.names[track.key]
        new = [t for t in tracks if t.key not in self.names and (now or len(t.looks) >= _LEAST_LOOKS)]
        for track in sorted(new, key=lambda t: (t.place.x_mm, t.place.y_mm)):
            self.names[track.key] = self._choose(track, before.get(track.key), now=now)
        return tuple(
            Renamed(key, before[key], ball) for key, ball in self.names.items() if before.get(key, ball) != ball
        )

    def ghosts(self, tracks: Sequence[Track]) -> tuple[Track, ...]:
        """Balls that were not seen since an unknown one of their colour came, if no other may be it: the same balls."""
        found = []
        for stranger in self._strangers(tracks):
            came_s, colours = stranger.looks[0].t_s, stranger.colours()
            lost = [t for t in tracks if t.seen_s < came_s and self._has_colour(t, colours)]
            if len(lost) == 1 and not self._fitting(colours, _SURE):
                found += lost
        return tuple(found)

    def candidates(self, tracks: Sequence[Track]) -> dict[Ball, Mapping[Ball, float]]:
        """Who the unknown balls of a known set may be, as things are now."""
        return {self.names[t.key]: self._guess(t.colours()) for t in self._strangers(tracks)}

    def _strangers(self, tracks: Sequence[Track]) -> list[Track]:
        return [t for t in tracks if self.balls and t.looks and t.key in self.names and self.names[t.key].is_unknown]

    def _has_colour(self, track: Track, colours: Mapping[str, float]) -> bool:
        return track.key in self.names and colours.get(self.names[track.key].colour, 0.0) > _CERTAIN

    def _is_misnamed(self, track: Track, *, now: bool) -> bool:
        """Whether a ball has the colour of another name that is free, after a long look if it has a name."""
        ball = self.names.get(track.key)
        if ball is None or not self.balls:
            return False
        colours = track.colours()
        if ball.is_unknown:
            return bool(self._fitting(colours, _SURE) or (now and self._left_over(colours)))
        return now and colours.get(ball.colour, 0.0) < 1 - _CERTAIN and bool(self._fitting(colours, _CERTAIN))

    def _fitting(self, colours: Mapping[str, float], least: float) -> list[Ball]:
        """The missing balls of a colour."""
        return [ball for ball in self.missing if not ball.number and colours.get(ball.colour, 0.0) >= least]

    def _left_over(self, colours: Mapping[str, float]) -> list[Ball]:
        """The one ball that a ball of a doubtful colour must be, because all others lie elsewhere."""
        missing = self.missing
        return self._fitting(colours, _BY_ELIMINATION) if len(missing) == 1 else []

    def release(self, track: Track) -> None:
        """A ball left the table: its name is free again."""
        ball = self.names.pop(track.key, None)
        if ball is not None:
            self._left = [*(other for other in self._left if other != ball), ball]

    def is_missed(self, colours: Mapping[str, float]) -> bool:
        """Whether a ball of such colours is missing from the table (any ball, when the set is not known)."""
        if not self.balls:
            return True
        return sum(colours.get(word, 0.0) for word in {ball.colour for ball in self.missing}) >= _SURE

    def is_whole(self, colours: Sequence[Mapping[str, float]]) -> bool:
        """Whether these are surely all the balls of the set and nothing else."""
        words = sorted(ball.colour for ball in self.balls)
        seen = [max(one, key=lambda word: one[word], default="") for one in colours]
        sure = all(one.get(word, 0.0) >= _SURE for one, word in zip(colours, seen, strict=True))
        return bool(words) and sure and sorted(seen) == words

    @property
    def missing(self) -> tuple[Ball, ...]:
        """The balls of the set that are not on the table."""
        present = set(self.names.values())
        return tuple(ball for ball in self.balls if ball not in present)

    def _choose(self, track: Track, before: Ball | None, *, now: bool) -> Ball:
        colours = track.colours()
        fitting = self._fitting(colours, _SURE) or (self._left_over(colours) if now else [])
        if fitting:
            # The one absent longest; never seen counts as longest, in the set's order.
            return min(fitting, key=lambda ball: self._left.index(ball) if ball in self._left else -1)
        if before is not None and before.is_unknown:
            return before
        self._unknown += 1
        return Ball(f"ball-?{self._unknown}")

    def _guess(self, colours: Mapping[str, float]) -> dict[Ball, float]:
        weights = {ball: colours.get(ball.colour, 0.0) for ball in self.missing}
        per_colour = {c: sum(1 for ball in weights if ball.colour == c) for c in colours}
        weights = {ball: w / max(1, per_colour.get(ball.colour, 1)) for ball, w in weights.items()}
        total = sum(weights.values())
        if total <= 0.0:
            return {}
        return {ball: w / total for ball, w in weights.items() if w / total > _LEAST_CANDIDATE}
