"""Following balls from sighting to sighting: which detection is which ball, in mm."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, count

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from scoring.table import Point, Table
from vision.detection import Cover, Detection, Sighting
from vision.motion import FASTEST_MM_S, Replay, State, replay
from vision.numbers.evidence import mix_up
from vision.surroundings import Surroundings
from vision.track import MOVED_MM, REST_WINDOW_S, Track
from vision.whereabouts import distance_to_cover_mm, is_covered, is_inside, nearest_pocket_mm

_MISS = 14.0  # costs are negative log likelihoods: a ball that should be seen and is not
_MISS_COVERED = 5.0
_EXTRA = 6.0  # a detection that is none of the balls
_EXTRA_DIM = 1.5  # the same, merged with something: hands often look like balls
_SURPRISE = 6.0  # a ball that is not where its motion leads
_SURPRISE_DIM = 2.0
_SURPRISE_ANYWHERE = 3.0  # a ball long out of sight may be anywhere, so at this very place it is unlikelier than one
_NEAR_REACH_MM = 300.0  # that can have come no farther than so since it was seen
_ADRIFT_S = 0.5  # so long a ball that lay still may drift unseen; after that it lies there, or was moved
_COLOUR_WEIGHT = 2.0
_LOST_COLOUR_WEIGHT = 4.0
_LEAST_MATCH = 0.002  # the chance that two looks at one ball show colours that have nothing in common
_IMPOSSIBLE = 1e6
_LEAST_LEAD = 2.0  # by which one way to tell two balls of one colour apart must beat the other
_BIRTH_S = 8 / 60  # so long a ball has to be seen in one place before it is believed,
_BIRTH_MERGED_S = 15 / 60
_BIRTH_NEAR_HANDS_S = 1.0
_STRANGER_S = 2.5  # for a ball that the set does not have,
_LEAST_BIRTH_LOOKS = 3  # and so often
_HANDS_NEAR_MM = 150.0
_LOST_AT_POCKET_MM = 150.0
_NEWCOMER_MM = 8.0
_RUNNING_MM_S = 250.0  # no ball stops from this between two pictures without touching something that changes too
_FASTEST_SHARP_MM_S = 9000.0  # a ball that is faster leaves a streak, wherever it is stopped
_SAME_MM = 1.0
_MOST_REPEATS = 3
_USUAL_FRAME_S, _SHORTEST_FRAME_S = 1 / 60, 1 / 250


@dataclass(frozen=True, slots=True, kw_only=True)
class _Forecast:
    """Where every track should be at a sighting's time, and before it back to the last."""

    states: list[State]
    run: Replay | None = None
    duration_s: float = 0.0

    def at(self, track: int, early_s: float) -> State:
        """Where a track should have been so long before the sighting's time."""
        if self.run is None or not early_s:
            return self.states[track]
        return self.run.state_at(track, self.duration_s - early_s)


class Tracker:
    """Keeps one track per ball on the table; knows nothing of names, strokes or rules."""

    def __init__(
        self,
        table: Table,
        is_missed: Callable[[Mapping[str, float]], bool] = lambda _: True,
        is_whole: Callable[[Sequence[Mapping[str, float]]], bool] = lambda _: False,
    ) -> None:
        """`is_missed` tells of the colours of a ball that turned up whether such a one was missing.

        `is_whole` tells of the colours of several balls whether they are the whole set, each once.
        """
        self.table = table
        self._is_missed, self._is_whole = is_missed, is_whole
        self.tracks: list[Track] = []
        self._around = Surroundings.of(table)
        self._newcomers: list[Track] = []
        self._mixed: dict[tuple[int, int], tuple[Track, Track]] = {}
        self._keys = count(1)
        self._before_s: float | None = None
        self._lag_s = 0.0
        self._before: tuple[Detection, ...] = ()
        self._repeats = 0

    def step(self, sighting: Sighting) -> tuple[Track, ...]:
        """Follow every ball into the next frame; returns the tracks that were born in it."""
        t_s = sighting.t_ns * 1e-9
        if sighting.disturbed is not None or self._is_repeated(sighting):
            return ()
        forecast = self._forecast(t_s)
        predicted = forecast.states
        dim = [d.is_merged or is_covered(d.place, sighting.covers, self.table) for d in sighting.detections]
        pairs = self._assign(forecast, sighting, dim, t_s)
        taken = set()
        for index, track in enumerate(self.tracks):
            chosen = pairs.get(index)
            track.is_covered = is_covered(
                Point(predicted[index].x_mm, predicted[index].y_mm), sighting.covers, self.table
            )
            track.is_visible = chosen is not None
            if track.is_covered and not track.is_visible and not track.is_moving:
                track.hidden_s = t_s
            if chosen is not None:
                taken.add(chosen)
                detection = sighting.detections[chosen]
                near_cover = self._is_in_hands(detection, _gap_mm(detection, sighting.covers))
                expected = forecast.at(index, detection.early_s)
                track.follow(detection, expected, t_s - detection.early_s, near_cover=near_cover)
        left = [d for k, d in enumerate(sighting.detections) if k not in taken]
        born = self._welcome(left, sighting.covers, t_s)
        if self._before_s is None and self._is_whole([track.colours() for track in self._newcomers]):
            born = tuple(self._newcomers)  # the first picture shows every ball of the set: nothing else is there
            self.tracks, self._newcomers = list(born), []
        self._before_s = t_s
        self._lag_s = max((detection.early_s for detection in sighting.detections), default=0.0)
        return born

    def _is_repeated(self, sighting: Sighting) -> bool:
        """Whether a camera gave its last picture again: nothing in it moves on although balls were under way."""
        before, self._before = self._before, sighting.detections
        is_running = any(
            track.is_moving and track.is_visible and track.state.speed_mm_s > _RUNNING_MM_S for track in self.tracks
        )
        is_same = len(before) == len(sighting.detections) and all(
            any(one.place.distance_mm(other.place) < _SAME_MM for other in before) for one in sighting.detections
        )
        self._repeats = self._repeats + 1 if is_same and is_running else 0
        return 0 < self._repeats <= _MOST_REPEATS

    def forget(self, track: Track) -> None:
        """Drop the track of a ball that is on the table no more."""
        self.tracks.remove(track)

    def trim(self, before_s: float) -> None:
        """Forget measurements from before a time."""
        for track in self.tracks:
            track.trim(before_s)

    def _forecast(self, t_s: float) -> "_Forecast":
        dt = 0.0 if self._before_s is None else t_s - self._before_s
        movers = [k for k, track in enumerate(self.tracks) if track.is_moving]
        states = [track.state if track.is_moving else _resting(track.anchor) for track in self.tracks]
        if not movers or not 0.0 < dt < REST_WINDOW_S:
            return _Forecast(states=states)
        dt += self._lag_s  # from when the earliest of what was seen together was seen
        for k in movers:
            gone_s = t_s - dt - self.tracks[k].seen_s
            if gone_s > REST_WINDOW_S:
                states[k] = _resting(self.tracks[k].place)
            else:
                s = states[k]
                states[k] = State(s.x_mm + s.vx_mm_s * gone_s, s.y_mm + s.vy_mm_s * gone_s, s.vx_mm_s, s.vy_mm_s)
        run = replay(states, dt, self._around)
        for impact in run.impacts:
            if impact.other is None and impact.cushion is None:
                self.tracks[impact.ball].fell_s = t_s
        return _Forecast(states=[run.state_at(k, dt) for k in range(len(states))], run=run, duration_s=dt)

    def _assign(self, forecast: "_Forecast", sighting: Sighting, dim: Sequence[bool], t_s: float) -> dict[int, int]:
        detections, predicted = sighting.detections, forecast.states
        quick = self._assign_resting(detections)
        if quick is not None:
            return quick
        n_tracks, n_seen = len(self.tracks), len(detections)
        cost = np.zeros((n_tracks + n_seen, n_tracks + n_seen))
        cost[:n_tracks, n_seen:] = _IMPOSSIBLE
        cost[n_tracks:, :n_seen] = _IMPOSSIBLE
        for i, track in enumerate(self.tracks):
            where = Point(predicted[i].x_mm, predicted[i].y_mm)
            covered = is_covered(where, sighting.covers, self.table)
            cost[i, n_seen + i] = _MISS_COVERED if covered else _MISS
            colours = track.colours()
            for j, detection in enumerate(detections):
                seen_s, expected = t_s - detection.early_s, forecast.at(i, detection.early_s)
                cost[i, j] = self._cost(track, expected, detection, seen_s, dim=dim[j])
                cost[i, j] += _colour_cost(colours, detection, seen_s - track.seen_s)
        for j, detection in enumerate(detections):
            cost[n_tracks + j, j] = _EXTRA_DIM if dim[j] else _EXTRA * detection.score
        rows, columns = linear_sum_assignment(cost)
        pairs = {
            int(i): int(j)
            for i, j in zip(rows, columns, strict=True)
            if i < n_tracks and j < n_seen and cost[i, j] < _IMPOSSIBLE
        }
        self._note_mixed(pairs, cost)
        return pairs

    def _note_mixed(self, pairs: Mapping[int, int], cost: npt.NDArray[np.float64]) -> None:
        """Remember pairs of one colour that may as well have been taken for each other."""
        for (i, j), (other, its) in combinations(pairs.items(), 2):
            swapped = cost[i, its] + cost[other, j] - cost[i, j] - cost[other, its]
            one, two = self.tracks[i], self.tracks[other]
            if swapped < _LEAST_LEAD and _is_like(one, two):
                self._mixed[one.key, two.key] = one, two
                mix_up(one.numbers, two.numbers, 1 / (1 + math.exp(swapped)))

    def mixed_up(self) -> tuple[tuple[Track, Track], ...]:
        """The pairs of balls of one colour that may have been taken for each other since the last call."""
        pairs, self._mixed = self._mixed, {}
        return tuple(pairs.values())

    def _assign_resting(self, detections: Sequence[Detection]) -> dict[int, int] | None:
        """The plain case: every ball rests and is seen where it lay, and nothing else is seen."""
        if len(detections) != len(self.tracks) or any(track.is_moving for track in self.tracks):
            return None
        pairs = {}
        for j, detection in enumerate(detections):
            near = [i for i, t in enumerate(self.tracks) if t.anchor.distance_mm(detection.place) < MOVED_MM]
            if len(near) != 1 or near[0] in pairs:
                return None
            pairs[near[0]] = j
        return pairs

    def _cost(self, track: Track, predicted: State, detection: Detection, t_s: float, *, dim: bool) -> float:
        away = math.hypot(detection.place.x_mm - predicted.x_mm, detection.place.y_mm - predicted.y_mm)
        gone_s = t_s - track.seen_s
        adrift_s = gone_s if track.is_moving else min(gone_s, _ADRIFT_S)
        spread = 2.5 + 2 * detection.sigma_along_mm + adrift_s * (60.0 + 0.15 * predicted.speed_mm_s)
        reach = 30.0 + (FASTEST_MM_S if detection.streak_mm is not None else _FASTEST_SHARP_MM_S) * gone_s
        from_last = detection.place.distance_mm(track.place)
        if track.seen_s < track.fell_s or (gone_s > REST_WINDOW_S / 2 and self._is_at_pocket(track)):
            reach = 0.0 if dim else _LOST_AT_POCKET_MM
        if from_last >= reach:
            return _IMPOSSIBLE
        anywhere = min(_SURPRISE_ANYWHERE, 2 * math.log(max(1.0, reach / _NEAR_REACH_MM)))
        surprise = _SURPRISE + anywhere + (_SURPRISE_DIM if dim else 0.0)
        cost = min(0.5 * (away / spread) ** 2, surprise + 4.0 * away / reach)
        if track.may_have_stayed:
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

    def _welcome(self, left: Sequence[Detection], covers: Sequence[Cover], t_s: float) -> tuple[Track, ...]:
        """Detections that belong to no ball: one is believed that has lain long enough in one place, in the open."""
        born = []
        frame_s = _USUAL_FRAME_S if self._before_s is None else max(t_s - self._before_s, _SHORTEST_FRAME_S)
        for detection in left:
            place = detection.place
            gap_mm = _gap_mm(detection, covers)
            if self._is_in_hands(detection, gap_mm) or detection.streak_mm is not None:
                continue
            known = next((t for t in self._newcomers if t.anchor.distance_mm(place) < _NEWCOMER_MM), None)
            if known is None:
                known = Track(next(self._keys), _resting(place), t_s - detection.early_s, place)
                self._newcomers.append(known)
            known.follow(detection, _resting(known.anchor), t_s - detection.early_s, near_cover=False)
            if len(known.looks) >= self._needed_looks(known, detection, gap_mm, frame_s):
                self._newcomers.remove(known)
                born.append(self._unmoved(known) or known)
                self.tracks.append(known)
        self._newcomers = [t for t in self._newcomers if t_s - t.seen_s < REST_WINDOW_S / 2]
        return tuple(born)

    def _unmoved(self, known: Track) -> Track | None:
        """The true newcomer, if this ball lies where another left unseen: that one never moved at all."""
        for track in self.tracks:
            place = track.left_at
            if place is not None and place.distance_mm(known.anchor) < MOVED_MM and _is_like(track, known):
                track.give_back(known)
                return track
        return None

    def _is_in_hands(self, detection: Detection, gap_mm: float) -> bool:
        """Whether what was seen may be part of a person or a cue."""
        return gap_mm < (_HANDS_NEAR_MM if detection.is_merged else self.table.ball_radius_mm)

    def _needed_looks(self, known: Track, detection: Detection, gap_mm: float, frame_s: float) -> int:
        """In how many frames a ball has to be seen, at this rate, before it is believed."""
        needed_s = _BIRTH_MERGED_S if detection.is_merged else _BIRTH_S
        if gap_mm < _HANDS_NEAR_MM:
            needed_s = _BIRTH_NEAR_HANDS_S
        if not self._is_missed(known.colours()):
            needed_s = _STRANGER_S
        return max(_LEAST_BIRTH_LOOKS, round(needed_s / frame_s))


def _gap_mm(detection: Detection, covers: Sequence[Cover]) -> float:
    return min((distance_to_cover_mm(cover, detection.place) for cover in covers), default=math.inf)


def _is_like(one: Track, two: Track) -> bool:
    """Whether two balls have one colour, more likely than not."""
    colours, others = one.colours(), two.colours()
    return sum(p * others.get(word, 0.0) for word, p in colours.items()) > 0.5


def _resting(place: Point) -> State:
    return State(place.x_mm, place.y_mm)


def _colour_cost(colours: Mapping[str, float], detection: Detection, gone_s: float) -> float:
    """What colours that differ cost; a ball that has been out of sight does not come back in another colour."""
    if not colours or not detection.looks:
        return 0.0
    match = sum(p * detection.looks.get(word, 0.0) for word, p in colours.items())
    weight = _COLOUR_WEIGHT + _LOST_COLOUR_WEIGHT * min(1.0, gone_s / REST_WINDOW_S)
    return -weight * math.log(max(match, _LEAST_MATCH))
