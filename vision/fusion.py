"""Two cameras over one table: their sightings in pairs, each ball from the camera that sees it best.

Detections keep their own instants (`Detection.early_s`), so nothing is moved to a time at which nobody has seen it.
"""

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from calibration.table_file import TableFile
from scoring.table import Point
from vision.alignment import ClockAlignment
from vision.detection import Cover, Detection, Sighting
from vision.detectors.outline import SphereOutline
from vision.motion import FASTEST_MM_S
from vision.views import View

_USUAL_FRAME_S, _LONGEST_FRAME_S = 1 / 30, 0.2
_MOVING_MM_S = 150.0
_CALM_S = 0.6
_PATIENCE_S = 6.0  # so long a first stroke is held back until the clocks are known
_GAP_MM, _SPEED_ERROR = 20.0, 0.5  # two cameras' sightings of one ball are no further apart, with this share of its way
_SAME_BALL_MM = 30.0  # from one pair to the next
_LOYALTY = 1.15  # a ball changes its camera for one that sees it so much larger
_LEAST_ALIKE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ball:
    """A detection as one camera gave it, how fast it goes, and how large balls are where it lies for each camera."""

    view: int
    t_s: float
    detection: Detection
    velocity_mm_s: tuple[float, float]
    radii_px: tuple[float, float]

    @property
    def speed_mm_s(self) -> float:
        return math.hypot(*self.velocity_mm_s)

    def place_at(self, t_s: float) -> tuple[float, float]:
        """Where it was or will be a moment earlier or later, mm."""
        place, (vx, vy) = self.detection.place, self.velocity_mm_s
        return place.x_mm + vx * (t_s - self.t_s), place.y_mm + vy * (t_s - self.t_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """What one camera saw, at its own time."""

    t_s: float
    sighting: Sighting
    balls: tuple[_Ball, ...]


@dataclass(slots=True)
class Fusion:
    """Takes sightings of either camera as they come, gives fused ones; none while it waits for the other camera.

    The first stroke is held back until a ball that rolls from one picture into the other has told how the cameras'
    clocks differ, or until it is over.
    """

    views: tuple[View, View]
    alignment: ClockAlignment = field(default_factory=ClockAlignment)
    offset_s: float = 0.0
    _waiting: tuple[deque[_Seen], deque[_Seen]] = field(default_factory=lambda: (deque(), deque()))
    _last: list[_Seen | None] = field(default_factory=lambda: [None, None])
    _frame_s: list[float] = field(default_factory=lambda: [_USUAL_FRAME_S, _USUAL_FRAME_S])
    _moved_s: float = -math.inf
    _held_since_s: float | None = None
    _chosen: tuple[_Ball, ...] = ()

    @classmethod
    def of(cls, first: TableFile, second: TableFile) -> "Fusion":
        """The fusion of two calibrated cameras."""
        one, two = (
            View(file.camera, SphereOutline(file.camera, file.table.ball_radius_mm)) for file in (first, second)
        )
        return cls((one, two))

    def take(self, view: int, sighting: Sighting) -> list[Sighting]:
        """One more sighting of a camera."""
        seen = self._judged(view, sighting)
        self._last[view] = seen
        self._waiting[view].append(seen)
        if sighting.disturbed is None:
            shared = [ball.detection for ball in seen.balls if min(ball.radii_px) > 0]
            self.alignment.see(view, seen.t_s, shared)
        return [] if self._holds_back(seen.t_s) else self._pairs()

    def finish(self) -> list[Sighting]:
        """What was still waiting when the cameras ended."""
        self._align()
        return self._pairs()

    def _judged(self, view: int, sighting: Sighting) -> _Seen:
        """A sighting with its balls' speeds and sizes."""
        t_s, before = sighting.t_ns * 1e-9, self._last[view]
        if before is not None and 0 < t_s - before.t_s < _LONGEST_FRAME_S:
            self._frame_s[view] += 0.1 * (t_s - before.t_s - self._frame_s[view])
        places = [(each.place.x_mm, each.place.y_mm) for each in sighting.detections]
        radii = np.column_stack([each.radii_px(places) for each in self.views]) if places else ()
        balls = tuple(
            _Ball(
                view=view,
                t_s=t_s,
                detection=detection,
                velocity_mm_s=_velocity(detection, t_s, before),
                radii_px=(float(first), float(second)),
            )
            for detection, (first, second) in zip(sighting.detections, radii, strict=True)
        )
        if any(ball.speed_mm_s > _MOVING_MM_S for ball in balls):
            self._moved_s = t_s
        return _Seen(t_s=t_s, sighting=sighting, balls=balls)

    def _holds_back(self, t_s: float) -> bool:
        """Whether the clocks have to be known first; they are set only while everything is at rest."""
        is_calm = t_s - self._moved_s > _CALM_S
        if is_calm or (self._held_since_s is not None and self.alignment.offset is not None):
            self._align()
            self._held_since_s = None
            return False
        if self.offset_s or self.alignment.offset is not None:
            return False
        self._held_since_s = t_s if self._held_since_s is None else self._held_since_s
        return t_s - self._held_since_s < _PATIENCE_S

    def _align(self) -> None:
        if self.alignment.offset is not None:
            self.offset_s = self.alignment.offset.offset_s

    def _pairs(self) -> list[Sighting]:
        """All pairs of sightings that are as near in time as the cameras' rates allow."""
        fused = []
        ones, twos = self._waiting
        most_s = max(self._frame_s) / 2
        while ones and twos:
            apart_s = ones[0].t_s - (twos[0].t_s - self.offset_s)
            if abs(apart_s) <= most_s:
                fused.append(self._fused(ones.popleft(), twos.popleft()))
            else:
                (twos if apart_s > 0 else ones).popleft()
        return fused

    def _fused(self, one: _Seen, two: _Seen) -> Sighting:
        """One sighting made of two."""
        two_s = two.t_s - self.offset_s
        t_s = max(one.t_s, two_s)
        mine = one.balls
        others = tuple(replace(ball, t_s=ball.t_s - self.offset_s) for ball in two.balls)
        partner = _partners(mine, others)
        chosen = []
        for ball in (*mine, *others):
            twin = partner.get(id(ball))
            if twin is None:
                if ball.radii_px[ball.view] or not ball.radii_px[1 - ball.view]:
                    chosen.append(ball)
            elif ball.view == 0:
                chosen.append(self._better(ball, twin))
        self._chosen = tuple(chosen)
        return Sighting(
            t_ns=round(t_s * 1e9),
            index=one.sighting.index,
            detections=tuple(replace(ball.detection, early_s=t_s - ball.t_s) for ball in chosen),
            covers=(*self._covers(0, one.sighting.covers), *self._covers(1, two.sighting.covers)),
            doubts=(*one.sighting.doubts, *two.sighting.doubts),
            is_still=one.sighting.is_still and two.sighting.is_still,
            disturbed=one.sighting.disturbed or two.sighting.disturbed,
        )

    def _better(self, one: _Ball, two: _Ball) -> _Ball:
        """The sighting of a ball by the camera that sees it best; it does not change to and fro."""
        before = min(
            self._chosen, key=lambda ball: math.dist(ball.place_at(one.t_s), one.place_at(one.t_s)), default=None
        )
        is_same = before is not None and math.dist(before.place_at(one.t_s), one.place_at(one.t_s)) < _SAME_BALL_MM

        def worth(ball: _Ball) -> tuple[bool, float]:
            is_loyal = is_same and before is not None and ball.view == before.view
            return not ball.detection.is_merged, ball.radii_px[ball.view] * (_LOYALTY if is_loyal else 1.0)

        return max((one, two), key=worth)

    def _covers(self, view: int, covers: Sequence[Cover]) -> tuple[Cover, ...]:
        """The covers that hide something from the camera that would see it best."""
        kept = []
        for cover in covers:
            places = [(point.x_mm, point.y_mm) for point in cover.outline]
            if (self.views[view].radii_px(places) >= self.views[1 - view].radii_px(places)).any():
                kept.append(cover)
        return tuple(kept)


def unseen_by(first: TableFile, second: TableFile) -> tuple[Point, ...]:
    """The places on the table at which a ball would be wholly in neither camera's picture."""
    table = first.table
    rim = table.ball_radius_mm
    x_mm = np.linspace(rim, table.length_mm - rim, 40)
    y_mm = np.linspace(rim - table.width_mm / 2, table.width_mm / 2 - rim, 20)
    places = np.array([(x, y) for x in x_mm for y in y_mm])
    radii = [view.radii_px(places) for view in Fusion.of(first, second).views]
    return tuple(Point(float(x), float(y)) for x, y in places[np.max(radii, axis=0) == 0])


def _velocity(detection: Detection, t_s: float, before: _Seen | None) -> tuple[float, float]:
    """How a ball has moved since its camera's sighting before, mm/s; not at all when it was not seen then."""
    if before is None or not 0 < t_s - before.t_s < _LONGEST_FRAME_S:
        return 0.0, 0.0
    passed_s, place = t_s - before.t_s, detection.place
    alike = [ball for ball in before.balls if _alike(ball.detection, detection) > _LEAST_ALIKE]
    nearest = min(alike, key=lambda ball: ball.detection.place.distance_mm(place), default=None)
    if nearest is None or nearest.detection.place.distance_mm(place) > FASTEST_MM_S * passed_s:
        return 0.0, 0.0
    there = nearest.detection.place
    return (place.x_mm - there.x_mm) / passed_s, (place.y_mm - there.y_mm) / passed_s


def _partners(ones: Sequence[_Ball], twos: Sequence[_Ball]) -> dict[int, _Ball]:
    """Which sightings of the two cameras are of one ball; by `id`, both ways."""
    ways = []
    for one, two in product(ones, twos):
        middle_s = (one.t_s + two.t_s) / 2
        gap_mm = math.dist(one.place_at(middle_s), two.place_at(middle_s))
        way_mm = max(one.speed_mm_s, two.speed_mm_s) * abs(one.t_s - two.t_s)
        errors_mm = 3 * (one.detection.sigma_along_mm + two.detection.sigma_along_mm)
        if gap_mm < _GAP_MM + errors_mm + _SPEED_ERROR * way_mm and _alike(one.detection, two.detection) > _LEAST_ALIKE:
            ways.append((gap_mm, one, two))
    partner: dict[int, _Ball] = {}
    for _, one, two in sorted(ways, key=lambda way: way[0]):
        if id(one) not in partner and id(two) not in partner:
            partner[id(one)], partner[id(two)] = two, one
    return partner


def _alike(one: Detection, two: Detection) -> float:
    """The probability that two balls have one colour; 1 where nobody knows colours."""
    if not one.looks or not two.looks:
        return 1.0
    return sum(share * two.looks.get(word, 0.0) for word, share in one.looks.items())
