"""Kinks: the joints of a path at which something other than the cloth acted."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from vision.surroundings import Surroundings
from vision.witness.legs import Leg, Samples

_LEAST_JUMP_MM_S = 22.0
_SUDDEN_STOP_MM_S = 70.0
_STOP_AT_NOSE_MM_S = 22.0  # into the nose: it would have rolled on for millimetres
_AT_NOSE_MM = 4.0
_SURE = 4.5  # standard errors
_LIKELY = 2.5  # standard errors, where a cause is at hand
_NEAR_MM = 6.0
_NUDGE_MM = 0.8
_CREEPS_MM = 3.0  # that a ball goes by so little that its picture hardly changes
_SHORT_FRAMES = 2
_MOST_SLACK_S = 0.08


@dataclass(frozen=True, slots=True, eq=False)
class Story:
    """One ball's measurements during a stroke and the legs they were cut into."""

    samples: Samples
    legs: tuple[Leg, ...]

    def leg_at(self, t_s: float) -> Leg | None:
        """The leg that holds at a time, or the last one before it."""
        found = None
        for leg in self.legs:
            if leg.from_s > t_s and found is not None:
                break
            found = leg
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Kink:
    """Where one ball's path turns, starts or stops abruptly: between two of its legs."""

    ball: int
    before: Leg
    after: Leg

    @property
    def low_s(self) -> float:
        """The last measurement before it."""
        return self.before.to_s

    @property
    def high_s(self) -> float:
        """The first measurement after it."""
        return self.after.from_s

    @property
    def middle_s(self) -> float:
        """The middle of the time in which it happened."""
        return (self.low_s + self.high_s) / 2

    @property
    def slack_s(self) -> float:
        """How far outside its measurements a weak kink may lie, because noise hides it for a while."""
        sigma = math.hypot(self.before.sigma_mm, self.after.sigma_mm)
        return min(3.0 * sigma / max(self.jump_mm_s, 1.0), _MOST_SLACK_S)

    @property
    def is_start(self) -> bool:
        """Whether a resting ball started to move."""
        return self.before.kind == "rest"

    @property
    def jump_mm_s(self) -> float:
        """How much the velocity changed."""
        a, b = self.before.velocity(self.middle_s), self.after.velocity(self.middle_s)
        return math.hypot(b[0] - a[0], b[1] - a[1])

    @property
    def shift_mm(self) -> float:
        """How far off the ball was when it was seen next."""
        return math.dist(self.before.place(self.low_s), self.after.place(self.high_s))


def find_kinks(ball: int, stories: Mapping[int, Story], around: Surroundings) -> list[Kink]:
    """The abrupt joints of one ball's path; smooth ones (sliding turns to rolling) are left out."""
    legs = stories[ball].legs
    kinks = [Kink(ball, before, after) for before, after in pairwise(legs)]
    return [
        kink
        for kink in kinks
        if _is_abrupt(kink, sure=_LIKELY if _has_cause(kink, stories, around) else _SURE)
        or _stops_at_nose(kink, around)
    ]


def _has_cause(kink: Kink, stories: Mapping[int, Story], around: Surroundings) -> bool:
    """Whether there is rubber or a ball near that may have turned this one."""
    place = kink.before.point(kink.middle_s)
    if around.reach_mm(place) < _NEAR_MM + kink.before.speed_mm_s(kink.middle_s) * (kink.high_s - kink.low_s):
        return True
    for ball, story in stories.items():
        leg = story.leg_at(kink.middle_s)
        if ball != kink.ball and leg is not None:
            speed = kink.before.speed_mm_s(kink.middle_s) + leg.speed_mm_s(kink.middle_s)
            reach = 2 * around.radius_mm + _NEAR_MM + speed * (kink.high_s - kink.low_s)
            if leg.point(kink.middle_s).distance_mm(place) < reach:
                return True
    return False


def _is_abrupt(kink: Kink, *, sure: float) -> bool:
    before, after, middle = kink.before, kink.after, kink.middle_s
    if before.kind == "rest" and after.kind == "rest":
        error = math.hypot(before.sigma_place_mm(middle), after.sigma_place_mm(middle))
        crept_mm = min(_SURE * math.hypot(before.stray_mm, after.stray_mm), _CREEPS_MM)
        return kink.shift_mm > max(_NUDGE_MM, _SURE * error, crept_mm)
    if before.kind == "rest":
        return True
    if after.kind == "rest":
        return before.speed_mm_s(middle) > _SUDDEN_STOP_MM_S + 3 * before.sigma_velocity_mm_s(middle)
    error = math.hypot(before.sigma_velocity_mm_s(middle), after.sigma_velocity_mm_s(middle))
    if is_short(before) or is_short(after):
        return True
    return kink.jump_mm_s > max(_LEAST_JUMP_MM_S, sure * error)


def is_nudge(kink: Kink) -> bool:
    """Whether a resting ball seems to have shifted; by a little it may have crept before, unnoticed."""
    return kink.before.kind == kink.after.kind == "rest" and kink.shift_mm > _NUDGE_MM


def _stops_at_nose(kink: Kink, around: Surroundings) -> bool:
    """Whether a ball that ran softly into a nose lies before it at once."""
    before, after, last_s = kink.before, kink.after, kink.low_s
    if before.kind == "rest" or after.kind == "move" or is_short(before):
        return False
    nose = around.nearest_nose(after.point(kink.high_s))
    if nose is None or nose[1] > _AT_NOSE_MM:
        return False
    vx, vy = before.velocity(last_s)
    into = -(vx * nose[0].nx + vy * nose[0].ny)
    return into > _STOP_AT_NOSE_MM_S + 3 * before.sigma_velocity_mm_s(last_s)


def is_short(leg: Leg) -> bool:
    """Whether a leg is too short to tell a velocity."""
    return leg.kind == "move" and leg.last - leg.first < _SHORT_FRAMES


def group_kinks(kinks: Sequence[Kink], reach_mm: float, frame_s: float) -> list[list[Kink]]:
    """Kinks that may have to do with each other: of neighbours at one time, or of one ball in quick succession."""
    parent = list(range(len(kinks)))

    def root(i: int) -> int:
        while parent[i] != i:
            i = parent[i]
        return i

    for i, one in enumerate(kinks):
        for j in range(i):
            if _belong_together(one, kinks[j], reach_mm, frame_s):
                parent[root(i)] = root(j)
    groups: dict[int, list[Kink]] = {}
    for i, kink in enumerate(kinks):
        groups.setdefault(root(i), []).append(kink)
    return sorted(groups.values(), key=lambda group: min(k.low_s for k in group))


def _belong_together(one: Kink, two: Kink, reach_mm: float, frame_s: float) -> bool:
    if one.ball == two.ball:
        first, second = (one, two) if one.low_s <= two.low_s else (two, one)
        return first.after is second.before and is_short(first.after)
    gap_s = max(one.low_s, two.low_s) - min(one.high_s, two.high_s)
    if gap_s > max(frame_s, one.slack_s, two.slack_s):
        return False
    t_s = (one.middle_s + two.middle_s) / 2
    speed = max(k.before.speed_mm_s(k.middle_s) for k in (one, two))
    speed = max(speed, *(k.after.speed_mm_s(k.middle_s) for k in (one, two)))
    return (
        min(math.dist(a.place(t_s), b.place(t_s)) for a in (one.before, one.after) for b in (two.before, two.after))
        < reach_mm + 12.0 + min(speed, 6000.0) * frame_s
    )
