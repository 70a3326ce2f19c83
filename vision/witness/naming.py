"""Which ball of the set is which track: by colour, by continuity, and by who was absent longest."""

from collections.abc import Mapping, Sequence

from scoring.balls import Ball
from vision.track import Track

_SURE = 0.6
_CERTAIN = 0.99
_LEAST_CANDIDATE = 0.02
_LEAST_LOOKS = 8


class Namer:
    """Gives tracks their names; the names of balls that left the table come back in the order in which they left."""

    def __init__(self, balls: Sequence[Ball]) -> None:
        self.balls = tuple(balls)
        self.names: dict[int, Ball] = {}
        self.candidates: dict[Ball, Mapping[Ball, float]] = {}
        self._absent_since: dict[Ball, float] = {}
        self._unknown = 0

    def name(self, tracks: Sequence[Track], *, now: bool = False) -> None:
        """Name the tracks that have no name yet and were seen often enough (or now), in order along the table."""
        if now:
            for track in [t for t in tracks if self._is_misnamed(t)]:
                del self.names[track.key]
        new = [t for t in tracks if t.key not in self.names and (now or len(t.looks) >= _LEAST_LOOKS)]
        for track in sorted(new, key=lambda t: (t.place.x_mm, t.place.y_mm)):
            self.names[track.key] = self._choose(track)

    def _is_misnamed(self, track: Track) -> bool:
        """Whether a ball has the colour of another name that is free, after a long look."""
        ball = self.names.get(track.key)
        if ball is None or ball.is_unknown or not self.balls:
            return False
        colours = track.colours()
        return colours.get(ball.colour, 0.0) < 1 - _CERTAIN and any(
            colours.get(free.colour, 0.0) > _CERTAIN for free in self.missing
        )

    def release(self, track: Track, t_s: float) -> None:
        """A ball left the table: its name is free again."""
        ball = self.names.pop(track.key, None)
        if ball is not None:
            self._absent_since[ball] = t_s

    def is_missed(self, colours: Mapping[str, float]) -> bool:
        """Whether a ball of such colours is missing from the table (any ball, when the set is not known)."""
        if not self.balls:
            return True
        return any(colours.get(ball.colour, 0.0) >= _SURE for ball in self.missing)

    @property
    def missing(self) -> tuple[Ball, ...]:
        """The balls of the set that are not on the table."""
        present = set(self.names.values())
        return tuple(ball for ball in self.balls if ball not in present)

    def _choose(self, track: Track) -> Ball:
        colours = track.colours()
        free = [ball for ball in self.missing if not ball.number]
        fitting = [ball for ball in free if colours.get(ball.colour, 0.0) >= _SURE]
        if fitting:
            # The one absent longest; never seen counts as longest, in the set's order.
            return min(fitting, key=lambda ball: (self._absent_since.get(ball, -1.0), self.balls.index(ball)))
        self._unknown += 1
        unknown = Ball(f"ball-?{self._unknown}")
        self.candidates[unknown] = self._guess(colours)
        return unknown

    def _guess(self, colours: Mapping[str, float]) -> dict[Ball, float]:
        weights = {ball: colours.get(ball.colour, 0.0) for ball in self.missing}
        per_colour = {c: sum(1 for ball in weights if ball.colour == c) for c in colours}
        weights = {ball: w / max(1, per_colour.get(ball.colour, 1)) for ball, w in weights.items()}
        total = sum(weights.values())
        if total <= 0.0:
            return {}
        return {ball: w / total for ball, w in weights.items() if w / total > _LEAST_CANDIDATE}
