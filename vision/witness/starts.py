"""How balls set out: seen to be struck, or only seen to run when nobody could see how they had started."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

import numpy as np

from scoring.balls import Ball
from scoring.events import Alternative, Moved, Strike
from scoring.table import Point, Table
from vision.track import Track
from vision.witness.excursions import is_beyond_noses
from vision.witness.kinks import Kink, Story
from vision.witness.legs import Leg

RAN = "it ran like a struck ball, but no strike was seen"
_FLOWN = "it lay on the cloth and lies on the rail: it may have been struck while it was hidden"
_SENT = "it sent off another ball: it may have been struck while a cue or an arm was over it"
_RAN_MM_S = 300.0
_RAN_LOOKS = 8
_ROLLED_MM_S = 250.0
_ROLLED_S = 0.6  # so long no hand leads a ball straight while it slows down as the cloth does it
_IN_SIGHT = 0.8  # of the pictures
_ROLLING_MM_S2 = (-350.0, 30.0)
_ASIDE_MM_S2 = 60.0
_SURE = 3.0  # standard errors
_SENT_MM_S = 150.0
_TOUCHING_MM = 12.0
_SENT_WITHIN_S = 0.15
_BESIDE_MM = 100.0
_STILL_MM_S = 30.0  # a ball at rest that is seen badly seems to creep
_UNSEEN_S = 0.3  # a start that took longer than this to show was hidden
_ALOFT_S = 0.85  # about so long before a ball shows up that flew, and came down on the rail or came back
_SHAKEN_MM = 40.0  # farther off its place no tremor makes a ball seem,
_FAR_MM = 300.0  # and so far apart none push each other
_AT_ONCE_S = 0.1
_TREMBLES_S = 0.5
_ALIKE = 0.5  # of a shift by which that of another ball differs at most where the camera trembles
_LEAST_SHAKEN = 3
_BACK_MM, _FARTHEST_BACK_MM = (25.0, 60.0)  # how near a path must lead back to where its ball had lain


@dataclass(frozen=True, slots=True, eq=False)
class Starts:
    """The balls of one stretch of motion, asked for how they set out."""

    table: Table
    stories: Mapping[int, Story]
    tracks: Mapping[int, Track]
    frame_s: float

    def is_seen(self, kink: Kink) -> bool:
        """Whether a ball set out from where it had lain on the cloth, seen at once or as its path leads back there."""
        if not kink.is_start or is_beyond_noses(self.table, kink.before.point(kink.low_s)):
            return False
        return kink.high_s - kink.low_s < _UNSEEN_S or _leads_back(kink)

    def strike(self, cues: Sequence[int], names: Mapping[int, Ball]) -> list[Strike]:
        """A ball, one of `cues`, that was played although nobody saw how: a stroke, but a doubtful one.

        It ran like a struck one, or sent off another ball, or flew from the cloth onto the rail.
        """
        ran = {key: legs for key in self.stories if (legs := self._fast(key))}
        if ran and not ran.keys() & set(cues):
            sent = min(ran, key=lambda key: ran[key][0].from_s)
            ran = {key: legs for key in cues if (legs := self._sending_legs(key, sent, ran[sent][0].from_s))}
        runners = [key for key in ran if key in cues]
        if len(runners) == 1 and self._left_first(runners[0], ran):
            return [self._doubtful(runners[0], ran[runners[0]][0], names[runners[0]], RAN)]
        if ran:
            return []
        rolled = [(key, legs[0], RAN) for key in cues if (legs := self._rolling(key))]
        rolled += [(key, leg, _SENT) for key in cues if (leg := self._sent_another(key)) is not None]
        flown = [(key, leg, _FLOWN) for key in cues if (leg := self._flight(key)) is not None]
        return [self._doubtful(key, leg, names[key], reason) for key, leg, reason in rolled or flown][:1]

    def _left_first(self, key: int, ran: Mapping[int, Sequence[Leg]]) -> bool:
        """Whether a ball lay no longer when the others that ran set off: they may have been sent off by it."""
        lay, others_s = self.stories[key].legs[0], [legs[0].from_s for other, legs in ran.items() if other != key]
        return not others_s or (lay.kind == "rest" and lay.to_s <= min(others_s))

    def has_run(self, key: int) -> bool:
        """Whether a ball ran as none does in a hand: fast in the clear, or slowing down as the cloth does it."""
        return bool(self._fast(key) or self._rolling(key))

    def trembles(self, kink: Kink) -> bool:
        """Whether a ball that went nowhere at once only seemed to set off, as one far away did: the camera trembled."""
        if self._off_mm(kink.ball, kink.high_s + _TREMBLES_S) > _SHAKEN_MM:
            return False
        place, (x_mm, y_mm) = kink.before.point(kink.low_s), self._shift(kink.ball, kink)
        far = [key for key in self.stories if self.stories[key].legs[0].point(kink.low_s).distance_mm(place) > _FAR_MM]
        return any(math.dist((x_mm, y_mm), self._shift(key, kink)) < _ALIKE * math.hypot(x_mm, y_mm) for key in far)

    def _shift(self, key: int, kink: Kink) -> tuple[float, float]:
        """How far off a ball was seen after a kink from where it was seen before."""
        samples = self.stories[key].samples
        before = max(0, int(np.searchsorted(samples.t_s, kink.low_s + self.frame_s / 2)) - 1)
        after = min(len(samples.t_s) - 1, int(np.searchsorted(samples.t_s, kink.high_s - self.frame_s / 2)))
        x_mm, y_mm = samples.xy_mm[after] - samples.xy_mm[before]
        return float(x_mm), float(y_mm)

    def _off_mm(self, key: int, until_s: float = math.inf) -> float:
        """How far a ball was seen from where it had lain, until a time."""
        first, samples = self.stories[key].legs[0], self.stories[key].samples
        away_mm = np.hypot(*(samples.xy_mm - first.place(first.to_s)).T)
        return float(away_mm[samples.t_s <= until_s].max(initial=0.0))

    def is_shaken(self) -> bool:
        """Whether the camera trembled: balls far apart left their places at one moment, and none went anywhere."""
        left: list[tuple[float, Point]] = []
        for key, story in self.stories.items():
            first = story.legs[0]
            if first.kind != "rest" or self._off_mm(key) > _SHAKEN_MM:
                return False
            if len(story.legs) > 1:
                left.append((first.to_s, first.point(first.to_s)))
        return any(
            len(_far_apart([place for t_s, place in left if 0.0 <= t_s - from_s < _AT_ONCE_S])) >= _LEAST_SHAKEN
            for from_s, _ in left
        )

    def _fast(self, key: int) -> list[Leg]:
        """The legs of a ball that ran fast in the clear; none if it was seen too little."""
        fast = [one for one in self.stories[key].legs if one.kind == "move" and one.speed_mm_s(one.from_s) > _RAN_MM_S]
        looks = [x for x in self.tracks[key].looks if not (x.is_merged or x.is_near_cover)]
        clear = [one for one in fast if any(one.from_s <= x.t_s <= one.to_s for x in looks)]
        seen = sum(any(one.from_s <= x.t_s <= one.to_s for one in clear) for x in looks)
        return clear if seen >= _RAN_LOOKS else []

    def _rolling(self, key: int, least_mm_s: float = _ROLLED_MM_S) -> list[Leg]:
        return [one for one in self.stories[key].legs if one.kind == "move" and _rolls(one, self.frame_s, least_mm_s)]

    def _sent_another(self, key: int) -> Leg | None:
        """The leg in which a ball left its place, and came up to one that lay there and then rolled off."""
        for other, story in self.stories.items():
            if other == key or len(story.legs) < 2 or story.legs[0].kind != "rest":
                continue
            place, sent_s, legs = story.legs[0].place(story.legs[0].to_s), story.legs[1].from_s, self.stories[key].legs
            for index, (before, after) in enumerate(pairwise(legs), 1):
                set_off = before.kind == "rest" and after.kind == "move"
                if set_off and self._touches(legs[index:], place, sent_s) and self._rolling(other, _SENT_MM_S):
                    return after
        return None

    def _touches(self, legs: Sequence[Leg], place: tuple[float, float], t_s: float) -> bool:
        """Whether a ball, before it rests again, touches one at a place at a time."""
        moving = takewhile(lambda leg: leg.kind == "move", legs)
        there = [leg for leg in moving if leg.from_s <= t_s <= leg.to_s + 2 * self.frame_s]
        apart_mm = [math.dist(leg.place(min(t_s, leg.to_s)), place) - self.table.ball_mm for leg in there]
        return any(abs(gap_mm) < _TOUCHING_MM for gap_mm in apart_mm)

    def _flight(self, key: int) -> Leg | None:
        """Where a ball lies on the rail that lay on the cloth before and was seen nowhere between."""
        for before, after in pairwise(self.stories[key].legs):
            lay_on_cloth = before.kind == "rest" and not is_beyond_noses(self.table, before.point(before.to_s))
            if lay_on_cloth and after.kind == "rest" and is_beyond_noses(self.table, after.point(after.from_s)):
                return after
        return None

    def _doubtful(self, key: int, leg: Leg, ball: Ball, reason: str) -> Strike:
        story = self.stories[key]
        lay_until_s = max(
            (one.to_s for one in story.legs if one.kind == "rest" and one.to_s < leg.from_s), default=None
        )
        t_s = leg.from_s
        if lay_until_s is not None and leg.from_s - lay_until_s > _UNSEEN_S:
            t_s = max(leg.from_s - _ALOFT_S, lay_until_s)
        x_mm, y_mm = story.samples.xy_mm[-1]
        origin, target = (story.legs[0].point(story.legs[0].from_s), Point(float(x_mm), float(y_mm)))
        moved = Moved(t_s=leg.from_s, ball=ball, origin=origin, target=target, confidence=0.5)
        return Strike(
            t_s=t_s, ball=ball, confidence=0.5, alternatives=(Alternative(0.5, moved),), flagged=True, reason=reason
        )

    def _sending_legs(self, key: int, sent: int, sent_s: float) -> list[Leg]:
        """The leg of a ball that started close beside one that ran off, just before it; none if there is none."""
        other = self.stories[sent].legs[0]
        for before, after in pairwise(self.stories[key].legs):
            gap_mm = before.point(before.to_s).distance_mm(other.point(other.from_s)) - self.table.ball_mm
            is_still = before.kind == "rest" or before.speed_mm_s(before.to_s) < _STILL_MM_S
            is_first = sent_s - _SENT_WITHIN_S <= after.from_s <= sent_s + self.frame_s
            if is_still and is_first and after.kind == "move" and gap_mm < _BESIDE_MM:
                return [after]
        return []


def _far_apart(places: Sequence[Point]) -> list[Point]:
    """Some of the places, of which none can have passed a push on to another at once."""
    found: list[Point] = []
    for place in places:
        if all(place.distance_mm(other) > _FAR_MM for other in found):
            found.append(place)
    return found


def nearest_time(leg: Leg, place: tuple[float, float], low_s: float, high_s: float) -> float:
    """When a leg, followed back, is nearest to a place."""
    t_s = high_s
    for _ in range(4):
        x, y = leg.place(t_s)
        vx, vy = leg.velocity(t_s)
        speed = vx * vx + vy * vy
        if speed <= 0.0:
            break
        t_s -= ((x - place[0]) * vx + (y - place[1]) * vy) / speed
    return min(max(t_s, low_s), high_s)


def _leads_back(kink: Kink) -> bool:
    """Whether the path after a kink, followed back, leads to where the ball had lain."""
    place = kink.before.place(kink.low_s)
    t_s = nearest_time(kink.after, place, kink.low_s, kink.high_s)
    near_mm = min(_BACK_MM + _SURE * kink.after.sigma_place_mm(t_s), _FARTHEST_BACK_MM)
    return math.dist(kink.after.place(t_s), place) < near_mm


def _rolls(leg: Leg, frame_s: float, least_mm_s: float) -> bool:
    """Whether a ball, always in sight, went straight and slowed down steadily, as the cloth does it and no hand."""
    looks = leg.last - leg.first + 1
    if leg.to_s - leg.from_s < _ROLLED_S or looks * frame_s < _IN_SIGHT * (leg.to_s - leg.from_s):
        return False
    vx, vy = leg.velocity((leg.from_s + leg.to_s) / 2)
    speed = math.hypot(vx, vy)
    if leg.speed_mm_s(leg.from_s) < least_mm_s or speed <= 0.0:
        return False
    bend_x, bend_y = 2 * leg.path[2, 0], 2 * leg.path[2, 1]
    along, aside = ((bend_x * vx + bend_y * vy) / speed, abs(bend_x * vy - bend_y * vx) / speed)
    error = 2 * math.sqrt(leg.spread[2, 2])
    slowest, fastest = _ROLLING_MM_S2
    return slowest < along < fastest and aside < _ASIDE_MM_S2 and error < _ASIDE_MM_S2
