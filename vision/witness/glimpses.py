"""What seems to happen in a stroke that is under way, told at once: a cheap guess, the reading at rest decides.

Each frame only the newest looks are asked whether a ball set out, turned or vanished; a cause is sought only then.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from scoring.balls import Ball, BallKind
from scoring.events import Contact, Potted, Strike, TableEvent
from scoring.table import Point
from vision.surroundings import Surroundings
from vision.track import Look, Track

_CONFIDENCE = 0.7
_SLOWEST_STRIKE_MM_S = 60.0
_CUE_KINDS = (BallKind.WHITE, BallKind.CUE)
_TURN_LOOKS = 5  # so many are compared to see a turn
_LEAST_TURN_MM_S = 150.0
_TURN_SHARE = 0.1  # of the speed, and
_SURE = 3.0  # standard errors
_TOGETHER_S = 0.07  # balls that turned so soon after each other turned at once
_SLACK_MM = 15.0
_STEP_SHARE = 0.6  # of the way that the faster one makes from look to look
_VANISHED_S, _FELL_S = 0.25, 0.06  # unseen so long at a pocket; where its motion led into it
_AT_POCKET_MM = 150.0


@dataclass(slots=True)
class Glimpses:
    """The balls of one stroke, as far as something has been told of them; tracks go by their keys."""

    around: Surroundings
    _struck: int | None = None
    _left_s: dict[int, float] = field(default_factory=dict)
    _turned_s: dict[int, float] = field(default_factory=dict)
    _met: set[frozenset[int]] = field(default_factory=set)
    _fallen: set[int] = field(default_factory=set)

    def look(self, tracks: Sequence[Track], names: Mapping[int, Ball], now_s: float) -> tuple[TableEvent, ...]:
        """What seems to have happened since the last call."""
        movers = [track for track in tracks if track.is_moving and track.is_sure and track.looks and track.key in names]
        if not movers:
            return ()
        events: list[TableEvent] = []
        off = [track for track in movers if self._left_s.get(track.key) != track.left_s]
        off.sort(key=lambda track: (track.left_s, names[track.key].kind not in _CUE_KINDS))
        for track in off:
            events += self._set_out(track, movers, names)
        turned = [track for track in movers if track.is_visible and track not in off and self._has_turned(track)]
        for track in turned:
            events += self._meet(track, movers, names)
        for track in movers:
            events += self._fall(track, names, now_s)
        return tuple(events)

    def _set_out(self, track: Track, movers: Sequence[Track], names: Mapping[int, Ball]) -> Iterator[TableEvent]:
        """A ball left its place: the cue struck it, or the moving ball that came nearest hit it."""
        if self._struck is None:
            if track.state.speed_mm_s < _SLOWEST_STRIKE_MM_S:
                return
            self._struck = track.key
            yield Strike(t_s=track.left_s, ball=names[track.key], confidence=_CONFIDENCE)
        self._left_s[track.key] = self._turned_s[track.key] = track.left_s
        if track.key == self._struck:
            return
        gaps = [(_gap_to_path_mm(other, track.anchor, track.left_s), other) for other in movers if other is not track]
        gap_mm, other = min(gaps, key=lambda pair: pair[0], default=(math.inf, track))
        if gap_mm < self._reach_mm(other):
            yield from self._contact(other, track, names, track.left_s)

    def _meet(self, track: Track, movers: Sequence[Track], names: Mapping[int, Ball]) -> Iterator[TableEvent]:
        """A ball turned: another one that turned beside it at the same moment met it."""
        self._turned_s[track.key] = t_s = _middle_s(track.looks)
        for other in movers:
            if other is track or abs(self._turned_s.get(other.key, -math.inf) - t_s) > _TOGETHER_S:
                continue
            gap_mm = _place_at(track, t_s).distance_mm(_place_at(other, t_s))
            if gap_mm < max(self._reach_mm(track), self._reach_mm(other)):
                yield from self._contact(track, other, names, t_s)

    def _contact(self, one: Track, two: Track, names: Mapping[int, Ball], t_s: float) -> Iterator[TableEvent]:
        """Two balls met; that is told once a stroke."""
        pair = frozenset((one.key, two.key))
        if pair not in self._met:
            self._met.add(pair)
            yield Contact(t_s=t_s, ball=names[one.key], other=names[two.key], confidence=_CONFIDENCE)

    def _fall(self, track: Track, names: Mapping[int, Ball], now_s: float) -> Iterator[TableEvent]:
        """A moving ball vanished at a pocket."""
        unseen_s = now_s - track.seen_s
        if track.is_visible or track.key in self._fallen or not self.around.holes or unseen_s < _FELL_S:
            return
        led_in = track.fell_s >= track.seen_s
        place = track.place
        hole = min(self.around.holes, key=lambda hole: place.distance_mm(Point(hole.x_mm, hole.y_mm)))
        at_pocket = place.distance_mm(Point(hole.x_mm, hole.y_mm)) < _AT_POCKET_MM
        if led_in or (at_pocket and not track.is_covered and unseen_s >= _VANISHED_S):
            self._fallen.add(track.key)
            yield Potted(t_s=track.seen_s, ball=names[track.key], pocket=hole.pocket, confidence=_CONFIDENCE)

    def _has_turned(self, track: Track) -> bool:
        """Whether the newest looks show another velocity than those before them."""
        looks = track.looks[-_TURN_LOOKS:]
        if len(looks) < _TURN_LOOKS or any(look.is_merged or look.is_near_cover for look in looks):
            return False
        if _middle_s(looks) - self._turned_s.get(track.key, -math.inf) < 2 * _TOGETHER_S:
            return False
        before, after = _velocity(looks[0], looks[2]), _velocity(looks[3], looks[4])
        jump = math.hypot(after[0] - before[0], after[1] - before[1])
        noise = max(look.sigma_along_mm for look in looks) / max(looks[4].t_s - looks[3].t_s, 1e-3)
        return jump > max(_LEAST_TURN_MM_S, _TURN_SHARE * math.hypot(*before), _SURE * noise)

    def _reach_mm(self, track: Track) -> float:
        """How near another ball must have been to have met this one."""
        last = track.looks[-3:]
        step_mm = max((_far_mm(one, two) for one, two in pairwise(last)), default=0.0)
        return 2 * self.around.radius_mm + _SLACK_MM + _STEP_SHARE * step_mm


def _gap_to_path_mm(track: Track, place: Point, t_s: float) -> float:
    """How near a moving ball came to a place about a time, from look to look."""
    looks = track.looks[-_TURN_LOOKS - 3 :]
    near = [look for look in looks if abs(look.t_s - t_s) < 2 * _TOGETHER_S]
    if track.left_s <= t_s and near and near[0].t_s >= track.left_s:
        start = Look(track.left_s, track.anchor.x_mm, track.anchor.y_mm, 0.0, 0.0)
        near = [start, *near]
    pairs = pairwise(near)
    return min((_segment_mm(place, one, two) for one, two in pairs), default=math.inf)


def _segment_mm(place: Point, one: Look, two: Look) -> float:
    along_x, along_y = two.x_mm - one.x_mm, two.y_mm - one.y_mm
    square = along_x * along_x + along_y * along_y
    share = ((place.x_mm - one.x_mm) * along_x + (place.y_mm - one.y_mm) * along_y) / square if square else 0.0
    share = min(1.0, max(0.0, share))
    return math.hypot(place.x_mm - one.x_mm - share * along_x, place.y_mm - one.y_mm - share * along_y)


def _place_at(track: Track, t_s: float) -> Point:
    """Where a ball was seen nearest to a time."""
    look = min(track.looks[-_TURN_LOOKS - 3 :], key=lambda look: abs(look.t_s - t_s))
    return Point(look.x_mm, look.y_mm)


def _middle_s(looks: Sequence[Look]) -> float:
    """Between the third and the second look from the end: where a turn that they show lies."""
    return (looks[-3].t_s + looks[-2].t_s) / 2


def _velocity(one: Look, two: Look) -> tuple[float, float]:
    dt = max(two.t_s - one.t_s, 1e-3)
    return (two.x_mm - one.x_mm) / dt, (two.y_mm - one.y_mm) / dt


def _far_mm(one: Look, two: Look) -> float:
    return math.hypot(two.x_mm - one.x_mm, two.y_mm - one.y_mm)
