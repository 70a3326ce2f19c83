"""Following balls from sighting to sighting: which detection is which ball, in mm."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from scipy.optimize import linear_sum_assignment

from scoring.table import Point, Table
from vision.detection import Cover, Detection, Sighting
from vision.motion import FASTEST_MM_S, State, replay
from vision.surroundings import Surroundings

_MISS = 14.0  # costs are negative log likelihoods: a ball that should be seen and is not
_MISS_COVERED = 5.0
_EXTRA = 6.0  # a detection that is none of the balls
_SURPRISE = 6.0  # a ball that is not where its motion leads
_IMPOSSIBLE = 1e6
_MOVED_MM = 4.0
_HISTORY_S = 1.2
_REST_WINDOW_S = 0.5
_REST_DRIFT_MM = 0.8
_BIRTH_SIGHTINGS = 5
_LOST_AT_POCKET_MM = 150.0
_LOST_REACH_MM = 60.0
_DOUBTFUL_S = 0.12  # so soon after its start a ball may turn out not to have moved


@dataclass(frozen=True, slots=True)
class Look:
    """One ball in one frame, as measured; `sigma_along_mm` is the error along its streak."""

    t_s: float
    x_mm: float
    y_mm: float
    sigma_mm: float
    sigma_along_mm: float
    streak_mm: tuple[float, float] | None = None
    is_merged: bool = False
    is_near_cover: bool = False


@dataclass(slots=True)
class Track:
    """One ball's story so far: where it is, how it moves, what it looks like."""

    key: int
    state: State
    seen_s: float
    anchor: Point
    looks: list[Look] = field(default_factory=list)
    evidence: dict[str, float] = field(default_factory=dict)  # colour word -> summed log probability
    is_moving: bool = False
    is_visible: bool = True
    is_covered: bool = False
    doubts: int = 0  # sightings in a row away from the resting place
    left_s: float = -math.inf  # when it was seen away from its resting place first

    @property
    def place(self) -> Point:
        """Where the ball was seen last, smoothed while it rests."""
        return Point(self.state.x_mm, self.state.y_mm) if self.is_moving else self.anchor

    def colours(self) -> dict[str, float]:
        """The probability of each colour word, from all sightings so far."""
        if not self.evidence:
            return {}
        top = max(self.evidence.values())
        weights = {word: math.exp(max(-30.0, value - top)) for word, value in self.evidence.items()}
        total = sum(weights.values())
        return {word: weight / total for word, weight in weights.items()}

    def rest_here(self) -> None:
        """Take the ball for resting where it was seen last."""
        self.anchor = Point(self.state.x_mm, self.state.y_mm)
        self.state = _resting(self.anchor)
        self.is_moving = False
        self.doubts = 0

    def trim(self, before_s: float) -> None:
        """Forget what was measured before a time."""
        keep = 0
        while keep < len(self.looks) and self.looks[keep].t_s < before_s:
            keep += 1
        del self.looks[:keep]


class Tracker:
    """Keeps one track per ball on the table; knows nothing of names, strokes or rules."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.tracks: list[Track] = []
        self._around = Surroundings.of(table)
        self._newcomers: list[Track] = []
        self._keys = count(1)
        self._before_s: float | None = None

    def step(self, sighting: Sighting) -> tuple[Track, ...]:
        """Follow every ball into the next frame; returns the tracks that were born in it."""
        t_s = sighting.t_ns * 1e-9
        if sighting.disturbed is not None:
            return ()
        predicted = self._predict(t_s)
        pairs = self._assign(predicted, sighting, t_s)
        taken = set()
        for index, track in enumerate(self.tracks):
            chosen = pairs.get(index)
            covered = _is_covered(Point(predicted[index].x_mm, predicted[index].y_mm), sighting.covers, self.table)
            track.is_covered = covered
            track.is_visible = chosen is not None
            if chosen is not None:
                taken.add(chosen)
                _follow(track, sighting.detections[chosen], predicted[index], t_s, near_cover=covered)
        left = [d for k, d in enumerate(sighting.detections) if k not in taken]
        born = self._welcome(left, t_s)
        self._before_s = t_s
        return born

    def forget(self, track: Track) -> None:
        """Drop the track of a ball that is on the table no more."""
        self.tracks.remove(track)

    def trim(self, before_s: float) -> None:
        """Forget measurements from before a time."""
        for track in self.tracks:
            track.trim(before_s)

    def _predict(self, t_s: float) -> list[State]:
        dt = 0.0 if self._before_s is None else t_s - self._before_s
        movers = [k for k, track in enumerate(self.tracks) if track.is_moving]
        states = [track.state if track.is_moving else _resting(track.anchor) for track in self.tracks]
        if not movers or not 0.0 < dt < _REST_WINDOW_S:
            return states
        for k in movers:
            gone_s = t_s - dt - self.tracks[k].seen_s
            if gone_s > _REST_WINDOW_S:
                states[k] = _resting(self.tracks[k].place)
            elif gone_s > 0.0:
                s = states[k]
                states[k] = State(s.x_mm + s.vx_mm_s * gone_s, s.y_mm + s.vy_mm_s * gone_s, s.vx_mm_s, s.vy_mm_s)
        run = replay(states, dt, self._around)
        return [run.state_at(k, dt) for k in range(len(states))]

    def _assign(self, predicted: Sequence[State], sighting: Sighting, t_s: float) -> dict[int, int]:
        detections = sighting.detections
        quick = self._assign_resting(detections)
        if quick is not None:
            return quick
        n_tracks, n_seen = len(self.tracks), len(detections)
        cost = np.zeros((n_tracks + n_seen, n_tracks + n_seen))
        cost[:n_tracks, n_seen:] = _IMPOSSIBLE
        cost[n_tracks:, :n_seen] = _IMPOSSIBLE
        for i, track in enumerate(self.tracks):
            where = Point(predicted[i].x_mm, predicted[i].y_mm)
            covered = _is_covered(where, sighting.covers, self.table)
            cost[i, n_seen + i] = _MISS_COVERED if covered else _MISS
            colours = track.colours()
            for j, detection in enumerate(detections):
                cost[i, j] = self._cost(track, predicted[i], detection, t_s) + _colour_cost(colours, detection)
        for j, detection in enumerate(detections):
            cost[n_tracks + j, j] = _EXTRA * detection.score
        rows, columns = linear_sum_assignment(cost)
        return {
            int(i): int(j)
            for i, j in zip(rows, columns, strict=True)
            if i < n_tracks and j < n_seen and cost[i, j] < _IMPOSSIBLE
        }

    def _assign_resting(self, detections: Sequence[Detection]) -> dict[int, int] | None:
        """The plain case: every ball rests and is seen where it lay, and nothing else is seen."""
        if len(detections) != len(self.tracks) or any(track.is_moving for track in self.tracks):
            return None
        pairs = {}
        for j, detection in enumerate(detections):
            near = [i for i, t in enumerate(self.tracks) if t.anchor.distance_mm(detection.place) < _MOVED_MM]
            if len(near) != 1 or near[0] in pairs:
                return None
            pairs[near[0]] = j
        return pairs

    def _cost(self, track: Track, predicted: State, detection: Detection, t_s: float) -> float:
        away = math.hypot(detection.place.x_mm - predicted.x_mm, detection.place.y_mm - predicted.y_mm)
        gone_s = t_s - track.seen_s
        spread = 2.5 + 2 * detection.sigma_along_mm + gone_s * (60.0 + 0.15 * predicted.speed_mm_s)
        reach = 30.0 + FASTEST_MM_S * gone_s
        from_last = detection.place.distance_mm(track.place)
        if gone_s > _REST_WINDOW_S / 2 and self._is_at_pocket(track):
            reach = _LOST_AT_POCKET_MM
        if from_last > reach:
            return _IMPOSSIBLE
        cost = min(0.5 * (away / spread) ** 2, _SURPRISE + 4.0 * away / reach)
        if track.is_moving and t_s - track.left_s < _DOUBTFUL_S:
            back = detection.place.distance_mm(track.anchor)
            cost = min(cost, 1.0 + 0.5 * (back / spread) ** 2)
        return cost

    def _is_at_pocket(self, track: Track) -> bool:
        if self.table.pockets is None or not track.is_moving:
            return False
        state = track.state
        ahead = Point(state.x_mm + 0.05 * state.vx_mm_s, state.y_mm + 0.05 * state.vy_mm_s)
        return nearest_pocket_mm(self.table, track.place) < _LOST_AT_POCKET_MM or (
            not is_inside(self.table, ahead) and nearest_pocket_mm(self.table, ahead) < 2 * _LOST_AT_POCKET_MM
        )

    def _welcome(self, left: Sequence[Detection], t_s: float) -> tuple[Track, ...]:
        """Detections that belong to no ball: a ball is believed when it has lain in one place for some sightings."""
        born = []
        for detection in left:
            place = detection.place
            known = next((t for t in self._newcomers if t.anchor.distance_mm(place) < _LOST_REACH_MM / 6), None)
            if known is None:
                known = Track(next(self._keys), _resting(place), t_s, place)
                self._newcomers.append(known)
            _follow(known, detection, _resting(known.anchor), t_s, near_cover=False)
            if len(known.looks) >= _BIRTH_SIGHTINGS:
                self._newcomers.remove(known)
                self.tracks.append(known)
                born.append(known)
        self._newcomers = [t for t in self._newcomers if t_s - t.seen_s < _REST_WINDOW_S / 2]
        return tuple(born)


def nearest_pocket_mm(table: Table, place: Point) -> float:
    """The distance to the nearest pocket's corner on the nose rectangle; infinite on a table without pockets."""
    if table.pockets is None:
        return math.inf
    across = abs(abs(place.y_mm) - table.width_mm / 2)
    along = min(abs(place.x_mm - share * table.length_mm) for share in (0.0, 0.5, 1.0))
    return math.hypot(across, along)


def is_inside(table: Table, place: Point) -> bool:
    """Whether a place lies between the cushion noses."""
    return 0.0 <= place.x_mm <= table.length_mm and abs(place.y_mm) <= table.width_mm / 2


def _resting(place: Point) -> State:
    return State(place.x_mm, place.y_mm)


def _colour_cost(colours: Mapping[str, float], detection: Detection) -> float:
    if not colours or not detection.looks:
        return 0.0
    match = sum(p * detection.looks.get(word, 0.0) for word, p in colours.items())
    return -math.log(max(match, 0.02))


def _follow(track: Track, detection: Detection, predicted: State, t_s: float, *, near_cover: bool) -> None:
    place = detection.place
    track.looks.append(
        Look(
            t_s,
            place.x_mm,
            place.y_mm,
            detection.sigma_mm,
            detection.sigma_along_mm,
            detection.streak_mm,
            detection.is_merged,
            near_cover,
        )
    )
    for word, p in detection.looks.items():
        weight = 0.2 if detection.is_merged else 1.0
        track.evidence[word] = 0.98 * track.evidence.get(word, 0.0) + weight * math.log(max(p, 0.02))
    before_s, track.seen_s = track.seen_s, t_s
    if track.is_moving and t_s - track.left_s < _DOUBTFUL_S and place.distance_mm(track.anchor) < _MOVED_MM:
        _recant(track)
    elif track.is_moving:
        _follow_motion(track, place, predicted, t_s - before_s)
        _settle(track)
    else:
        _follow_rest(track, detection, t_s - before_s)


def _recant(track: Track) -> None:
    """The ball lies where it lay: what was seen elsewhere was something else."""
    last = track.looks[-1]
    track.looks = [*(look for look in track.looks if look.t_s < track.left_s), last]
    track.state = _resting(track.anchor)
    track.is_moving = False
    track.doubts = 0


def _follow_motion(track: Track, place: Point, predicted: State, dt: float) -> None:
    last = track.state
    if dt <= 0.0:
        return
    straight_x, straight_y = (place.x_mm - last.x_mm) / dt, (place.y_mm - last.y_mm) / dt
    off = math.hypot(place.x_mm - predicted.x_mm, place.y_mm - predicted.y_mm)
    if off > 4.0 + 0.1 * predicted.speed_mm_s * dt:
        track.state = State(place.x_mm, place.y_mm, straight_x, straight_y)
        return
    gain = 0.5
    track.state = State(
        place.x_mm,
        place.y_mm,
        predicted.vx_mm_s + gain * (place.x_mm - predicted.x_mm) / dt,
        predicted.vy_mm_s + gain * (place.y_mm - predicted.y_mm) / dt,
    )


def _follow_rest(track: Track, detection: Detection, dt: float) -> None:
    place, anchor = detection.place, track.anchor
    away = anchor.distance_mm(place)
    tolerance = max(_MOVED_MM, 5 * detection.sigma_mm) * (2 if detection.is_merged else 1)
    if away > tolerance:
        track.doubts += 1
        if track.doubts == 1:
            track.left_s = track.looks[-1].t_s
        if track.doubts >= 2 or away > 4 * tolerance:
            dt = max(dt, 1e-3)
            track.is_moving = True
            track.state = State(
                place.x_mm, place.y_mm, (place.x_mm - anchor.x_mm) / dt, (place.y_mm - anchor.y_mm) / dt
            )
            if track.doubts >= 2 and len(track.looks) >= 2:
                last = track.looks[-2]
                dt = max(track.looks[-1].t_s - last.t_s, 1e-3)
                vx, vy = (place.x_mm - last.x_mm) / dt, (place.y_mm - last.y_mm) / dt
                track.state = State(place.x_mm, place.y_mm, vx, vy)
            track.doubts = 0
        return
    track.doubts = 0
    share = 0.1
    track.anchor = Point(
        anchor.x_mm + share * (place.x_mm - anchor.x_mm), anchor.y_mm + share * (place.y_mm - anchor.y_mm)
    )
    track.state = _resting(track.anchor)


def _settle(track: Track) -> None:
    """Call a moving ball resting when it has stayed in one place for half a second."""
    end = track.looks[-1].t_s
    recent = []
    for look in reversed(track.looks):
        if look.t_s < end - _REST_WINDOW_S:
            break
        recent.append(look)
    if len(recent) < 6 or recent[0].t_s - recent[-1].t_s < 0.8 * _REST_WINDOW_S:
        return
    half = len(recent) // 2
    xs, ys = [look.x_mm for look in recent], [look.y_mm for look in recent]
    late = Point(sum(xs[:half]) / half, sum(ys[:half]) / half)
    early = Point(sum(xs[half:]) / (len(xs) - half), sum(ys[half:]) / (len(ys) - half))
    sigma = max(recent[0].sigma_mm, 0.3)
    widest = max(math.hypot(x - late.x_mm, y - late.y_mm) for x, y in zip(xs, ys, strict=True))
    if late.distance_mm(early) < max(_REST_DRIFT_MM, 2 * sigma / math.sqrt(half)) and widest < max(3.0, 5 * sigma):
        track.is_moving = False
        track.anchor = late
        track.state = _resting(late)
        track.doubts = 0


def _is_covered(place: Point, covers: Sequence[Cover], table: Table) -> bool:
    """Whether something hides this place, or the edge of a ball that lies there."""
    return any(_distance_to(cover, place) < table.ball_radius_mm for cover in covers)


def _distance_to(cover: Cover, place: Point) -> float:
    """The distance from a place to a cover's outline, 0 inside it."""
    outline = cover.outline
    if len(outline) < 3:
        return min((place.distance_mm(p) for p in outline), default=math.inf)
    inside, nearest = False, math.inf
    x, y = place.x_mm, place.y_mm
    for a, b in zip(outline, (*outline[1:], outline[0]), strict=True):
        if (a.y_mm > y) != (b.y_mm > y) and x < a.x_mm + (b.x_mm - a.x_mm) * (y - a.y_mm) / (b.y_mm - a.y_mm):
            inside = not inside
        nearest = min(nearest, _distance_to_edge(place, a, b))
    return 0.0 if inside else nearest


def _distance_to_edge(place: Point, a: Point, b: Point) -> float:
    dx, dy = b.x_mm - a.x_mm, b.y_mm - a.y_mm
    length = dx * dx + dy * dy
    share = 0.0 if length == 0.0 else ((place.x_mm - a.x_mm) * dx + (place.y_mm - a.y_mm) * dy) / length
    share = min(1.0, max(0.0, share))
    return place.distance_mm(Point(a.x_mm + share * dx, a.y_mm + share * dy))
