"""Which ball of the set is which track: by colour or number, by continuity, by who is in hand or was absent longest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoring.balls import Ball
from scoring.table import Table
from vision.numbers.naming import Numbers
from vision.track import Track

_SURE = 0.6
_CERTAIN = 0.99
_LEAST_CANDIDATE = 0.02
_LEAST_LOOKS = 8
_NUMBERED = "numbered"
_SURE_NUMBER = 0.99  # a number is told from that chance on,
_DOUBTFUL_NUMBER = 0.9  # and taken back below this one
_LEAST_NUMBER = 0.0005  # less likely numbers are not worth telling even where one of them was called
_BY_ELIMINATION = 0.2  # a colour so likely is believed when only one ball is missing


@dataclass(frozen=True, slots=True)
class Renamed:
    """A ball that was told of under another name before."""

    key: int
    before: Ball
    after: Ball


class Namer:
    """Gives tracks their names; the names of balls that left the table come back in the order in which they left.

    But first of all the one that somebody took up: an opening that is played again, say (RP-4).
    """

    def __init__(self, balls: Sequence[Ball], table: Table) -> None:
        self.balls = tuple(balls)
        self._numbers = Numbers(table) if any(ball.number for ball in balls) else None
        self._by_number: Mapping[int, Mapping[Ball, float]] = {}
        self._racked: frozenset[int] = frozenset()
        self.names: dict[int, Ball] = {}
        self._left: list[Ball] = []  # in the order in which they left
        self._in_hand: set[Ball] = set()
        self._unknown = 0

    def name(self, tracks: Sequence[Track], *, now: bool = False) -> tuple[Renamed, ...]:
        """Name the tracks that have no name yet and were seen often enough (or now), in order along the table.

        An unknown ball gets its name as soon as its colour is that of a missing one; returns the names that changed.
        """
        before = dict(self.names)
        self._read_numbers(tracks)
        now_or_calm = now or not any(track.is_moving for track in tracks)
        for track in [t for t in tracks if self._is_misnamed(t, now=now, may_number=now_or_calm)]:
            del self.names[track.key]
        new = [t for t in tracks if t.key not in self.names and (now or len(t.looks) >= _LEAST_LOOKS)]
        for track in sorted(new, key=lambda t: (t.place.x_mm, t.place.y_mm)):
            self.names[track.key] = self._choose(track, before.get(track.key), now=now, may_number=now_or_calm)
        return tuple(
            Renamed(key, before[key], ball) for key, ball in self.names.items() if before.get(key, ball) != ball
        )

    def ghosts(self, tracks: Sequence[Track]) -> tuple[Track, ...]:
        """Balls that were not seen since an unknown one of their colour came, if no other may be it: the same balls."""
        found = []
        for stranger in self._strangers(tracks):
            came_s, colours = stranger.looks[0].t_s, stranger.colours()
            lost = [t for t in tracks if t.seen_s < came_s and self._has_colour(t, colours)]
            if len(lost) == 1 and lost[0] not in found and not self._fitting(colours, _SURE):
                found += lost
        return tuple(found)

    def candidates(self, tracks: Sequence[Track]) -> dict[Ball, Mapping[Ball, float]]:
        """Who the unknown balls of a known set may be, as things are now."""
        return {self.names[t.key]: self._guess(t) for t in self._strangers(tracks)}

    def other_numbers(self) -> dict[Ball, Mapping[Ball, float]]:
        """Which other numbers the numbered balls that have a name may have, as things are now."""
        return {
            name: {ball: p for ball, p in self._by_number[key].items() if ball != name and p >= _LEAST_NUMBER}
            for key, name in self.names.items()
            if name.number and key in self._by_number
        }

    def _read_numbers(self, tracks: Sequence[Track]) -> None:
        """Put together what is known of the numbers by now."""
        if self._numbers is None:
            return
        numbered = [track for track in tracks if track.colours().get(_NUMBERED, 0.0) >= _SURE]
        keys = frozenset(track.key for track in numbered)
        is_fresh = keys != self._racked and all(len(t.looks) >= _LEAST_LOOKS and not t.is_moving for t in numbered)
        if is_fresh and self._numbers.take_rack([(track.place, track.numbers) for track in numbered]):
            self._racked = keys
        missing = self.missing
        gone = [ball.number for ball in self._left if ball.number is not None and ball in missing]
        self._by_number = self._numbers.chances({track.key: track.numbers for track in numbered}, gone)

    def _number(self, track: Track) -> tuple[Ball, float] | None:
        """The likeliest number of a numbered ball, and its chance."""
        chances = self._by_number.get(track.key)
        if not chances:
            return None
        return max(chances.items(), key=lambda item: item[1])

    def _strangers(self, tracks: Sequence[Track]) -> list[Track]:
        return [t for t in tracks if self.balls and t.looks and t.key in self.names and self.names[t.key].is_unknown]

    def _has_colour(self, track: Track, colours: Mapping[str, float]) -> bool:
        return track.key in self.names and colours.get(self.names[track.key].colour, 0.0) > _CERTAIN

    def _is_misnamed(self, track: Track, *, now: bool, may_number: bool) -> bool:
        """Whether a ball has the colour of another name that is free, after a long look if it has a name.

        Or whether its number is known by now, or no longer.
        """
        ball = self.names.get(track.key)
        if ball is None or not self.balls:
            return False
        colours = track.colours()
        likeliest = self._number(track)
        if may_number and likeliest is not None:
            if ball.is_unknown and likeliest[1] >= _SURE_NUMBER:
                return True
            if ball.number and self._by_number[track.key][ball] < _DOUBTFUL_NUMBER:
                return True
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

    def release(self, track: Track, *, in_hand: bool = False) -> None:
        """A ball left the table (somebody took it in hand): its name is free again."""
        ball = self.names.pop(track.key, None)
        if ball is not None:
            self._left = [*(other for other in self._left if other != ball), ball]
            (self._in_hand.add if in_hand else self._in_hand.discard)(ball)

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

    def _choose(self, track: Track, before: Ball | None, *, now: bool, may_number: bool) -> Ball:
        colours = track.colours()
        likeliest = self._number(track)
        if may_number and likeliest is not None and likeliest[1] >= _SURE_NUMBER and likeliest[0] in self.missing:
            return likeliest[0]
        fitting = self._fitting(colours, _SURE) or (self._left_over(colours) if now else [])
        if fitting:
            return min(fitting, key=self._turn)
        if before is not None and before.is_unknown:
            return before
        self._unknown += 1
        return Ball(f"ball-?{self._unknown}")

    def _turn(self, ball: Ball) -> tuple[bool, int]:
        """Sorts missing balls: those in hand first, then the one absent longest; never seen counts as longest."""
        return ball not in self._in_hand, self._left.index(ball) if ball in self._left else -1

    def _guess(self, track: Track) -> dict[Ball, float]:
        colours, by_number = track.colours(), self._by_number.get(track.key)
        weights = {ball: colours.get(ball.colour, 0.0) for ball in self.missing}
        per_colour = {c: sum(1 for ball in weights if ball.colour == c) for c in colours}
        weights = {
            ball: w * (by_number[ball] if by_number and ball.number else 1 / max(1, per_colour.get(ball.colour, 1)))
            for ball, w in weights.items()
        }
        total = sum(weights.values())
        if total <= 0.0:
            return {}
        return {ball: w / total for ball, w in weights.items() if w / total > _LEAST_CANDIDATE}
