"""One ball's story while it is followed: where it is, how it moves, what it looks like."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from scoring.table import Point
from vision.detection import Detection
from vision.motion import State
from vision.numbers.evidence import NumberEvidence

MOVED_MM = 4.0  # nearer to its resting place a ball has not moved
REST_WINDOW_S = 0.5
UNSEEN_S = 0.05
DOUBTFUL_S = 0.12  # so soon after its start a ball may turn out not to have moved
_REST_DRIFT_MM = 0.8
_WORST_SIGMA_MM = 2.5  # of a resting ball whose outline touches another's
_SURE_LOOKS = 2
_SURE_DIM_LOOKS = 6
_SURE_MM = 15.0
_LEAST_COLOUR = 0.02
_FADING = 0.98
_MERGED_COLOUR = 0.3
_LAY_S = 0.25  # so much of how a ball lay before it left is remembered,
_REMEMBERED_S = 30.0  # and so long
_TAKEN_FOR_ANOTHER = 0.01  # the share of ways, from rest to rest, in which a ball is taken for another unnoticed


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
    unheard: float = 0.0  # the same for a word that no look has named
    is_moving: bool = False
    is_visible: bool = True
    is_covered: bool = False
    lay_s: float = -math.inf  # when it was seen at its resting place last
    hidden_s: float = -math.inf  # when something hid that place last
    is_sure: bool = True  # while it moves: whether more than a doubtful look says so
    left_s: float = -math.inf  # when it was seen away from its resting place first
    left_at: Point | None = None  # that resting place, if nobody saw it leave
    fell_s: float = -math.inf  # when its motion led it into a pocket
    clear_looks: int = 0  # since then, not merged with anything
    dim_looks: int = 0
    numbers: NumberEvidence = field(default_factory=NumberEvidence)

    @property
    def place(self) -> Point:
        """Where the ball was seen last, smoothed while it rests."""
        return Point(self.state.x_mm, self.state.y_mm) if self.is_moving else self.anchor

    @property
    def may_have_stayed(self) -> bool:
        """Whether it may yet turn out to lie where it lay."""
        return self.is_moving and (not self.is_sure or self.seen_s - self.left_s < DOUBTFUL_S)

    def colours(self) -> dict[str, float]:
        """The probability of each colour word, from all sightings so far."""
        if not self.evidence:
            return {}
        top = max(self.evidence.values())
        weights = {word: math.exp(max(-30.0, value - top)) for word, value in self.evidence.items()}
        total = sum(weights.values())
        return {word: weight / total for word, weight in weights.items()}

    def until(self, t_s: float) -> "Track":
        """The track with no more than what was seen by then."""
        if not self.looks or self.looks[-1].t_s <= t_s:
            return self
        return replace(self, looks=[look for look in self.looks if look.t_s <= t_s])

    def rest_here(self) -> None:
        """Take the ball for resting where it was seen last."""
        self.anchor = Point(self.state.x_mm, self.state.y_mm)
        self.state = State(self.anchor.x_mm, self.anchor.y_mm)
        self.is_moving, self.is_sure = False, True
        self.lay_s = self.seen_s
        self.numbers.doubt(_TAKEN_FOR_ANOTHER)

    def give_back(self, stayed: "Track") -> None:
        """The ball lay all the time where `stayed` is seen now: this is the newcomer, `stayed` is the ball."""
        before = [look for look in self.looks if look.t_s < self.left_s]
        self.looks = self.looks[len(before) :]
        stayed.looks = [*before, *stayed.looks]
        self.key, stayed.key = stayed.key, self.key
        self.numbers, stayed.numbers = stayed.numbers, self.numbers
        self.left_at = None
        first = Point(self.looks[0].x_mm, self.looks[0].y_mm)
        if self.is_moving and all(math.hypot(x.x_mm - first.x_mm, x.y_mm - first.y_mm) < MOVED_MM for x in self.looks):
            self.rest_here()

    def trim(self, before_s: float) -> None:
        """Forget what was measured before a time, but not at once where a ball lay before something hid it."""
        before_s = min(before_s, max(self.lay_s - _LAY_S, before_s - _REMEMBERED_S))
        keep = 0
        while keep < len(self.looks) and self.looks[keep].t_s < before_s:
            keep += 1
        del self.looks[:keep]

    def follow(self, detection: Detection, predicted: State, t_s: float, *, near_cover: bool) -> None:
        """Take in one more look at the ball."""
        place, dim = detection.place, detection.is_merged or near_cover
        self.looks.append(
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
        if not near_cover and detection.looks:
            self._weigh(detection.looks, _MERGED_COLOUR if detection.is_merged else 1.0)
        if detection.numbers and not near_cover:
            self.numbers.add(detection.numbers)
        before_s, self.seen_s = self.seen_s, t_s
        away = self.anchor.distance_mm(place)
        tolerance = max(MOVED_MM, 5 * detection.sigma_mm) * (2 if detection.is_merged else 1)
        if not self.is_moving:
            if away <= tolerance:
                self._stay(place, t_s)
                return
            self._leave(place, t_s, max(t_s - before_s, 1e-3))
            self.left_at = self.anchor if self.is_covered or t_s - before_s > UNSEEN_S else None
        elif self.may_have_stayed and away < MOVED_MM:
            self._recant()
            return
        else:
            self._go_on(place, predicted, t_s - before_s)
        self._note(away, dim=dim)
        self._settle()

    def _weigh(self, looks: Mapping[str, float], weight: float) -> None:
        """Take in what a look says of the colour; a word that it leaves out is as unlikely as can be."""
        for word in {*self.evidence, *looks}:
            known = _FADING * self.evidence.get(word, self.unheard)
            self.evidence[word] = known + weight * math.log(max(looks.get(word, 0.0), _LEAST_COLOUR))
        self.unheard = _FADING * self.unheard + weight * math.log(_LEAST_COLOUR)

    def _note(self, away_mm: float, *, dim: bool) -> None:
        """Count what speaks for the ball's having moved."""
        self.clear_looks += not dim
        self.dim_looks += dim
        if self.clear_looks >= _SURE_LOOKS or (self.dim_looks >= _SURE_DIM_LOOKS and away_mm > _SURE_MM):
            self.is_sure = True

    def _stay(self, place: Point, t_s: float) -> None:
        self.lay_s = t_s
        anchor, share = self.anchor, 0.1
        self.anchor = Point(
            anchor.x_mm + share * (place.x_mm - anchor.x_mm), anchor.y_mm + share * (place.y_mm - anchor.y_mm)
        )
        self.state = State(self.anchor.x_mm, self.anchor.y_mm)

    def _leave(self, place: Point, t_s: float, dt: float) -> None:
        self.is_moving, self.is_sure = True, False
        self.left_s, self.clear_looks, self.dim_looks = t_s, 0, 0
        vx, vy = (place.x_mm - self.anchor.x_mm) / dt, (place.y_mm - self.anchor.y_mm) / dt
        self.state = State(place.x_mm, place.y_mm, vx, vy)

    def _recant(self) -> None:
        """The ball lies where it lay: what was seen elsewhere was something else."""
        last = self.looks[-1]
        self.looks = [*(look for look in self.looks if look.t_s < self.left_s), last]
        self.state = State(self.anchor.x_mm, self.anchor.y_mm)
        self.is_moving, self.is_sure = False, True
        self.lay_s = self.seen_s

    def _go_on(self, place: Point, predicted: State, dt: float) -> None:
        last = self.state
        if dt <= 0.0:
            return
        vx, vy = (place.x_mm - last.x_mm) / dt, (place.y_mm - last.y_mm) / dt
        off = math.hypot(place.x_mm - predicted.x_mm, place.y_mm - predicted.y_mm)
        if self.is_sure and off <= 4.0 + 0.1 * predicted.speed_mm_s * dt:
            gain = 0.5
            vx = predicted.vx_mm_s + gain * (place.x_mm - predicted.x_mm) / dt
            vy = predicted.vy_mm_s + gain * (place.y_mm - predicted.y_mm) / dt
        self.state = State(place.x_mm, place.y_mm, vx, vy)

    def _settle(self) -> None:
        """Call a moving ball resting when it has stayed in one place for half a second."""
        end = self.looks[-1].t_s
        recent = []
        for look in reversed(self.looks):
            if look.t_s < end - REST_WINDOW_S:
                break
            recent.append(look)
        if len(recent) < 6 or recent[0].t_s - recent[-1].t_s < 0.8 * REST_WINDOW_S:
            return
        if _apart_mm(recent[0], recent[-1]) >= 2 * max(3.0, 5 * max(recent[0].sigma_mm, _WORST_SIGMA_MM)):
            return  # too wide for a ball at rest, whatever lies between
        half = len(recent) // 2
        xs, ys = [look.x_mm for look in recent], [look.y_mm for look in recent]
        late = Point(sum(xs[:half]) / half, sum(ys[:half]) / half)
        early = Point(sum(xs[half:]) / (len(xs) - half), sum(ys[half:]) / (len(ys) - half))
        spread = math.sqrt((_variance(xs) + _variance(ys)) / 2)
        sigma = max(recent[0].sigma_mm, 0.3, min(spread, _WORST_SIGMA_MM))
        widest = max(math.hypot(x - late.x_mm, y - late.y_mm) for x, y in zip(xs, ys, strict=True))
        drift = late.distance_mm(early)
        if drift < max(_REST_DRIFT_MM, 2 * sigma / math.sqrt(half)) and widest < max(3.0, 5 * sigma):
            self.anchor = late
            self.state = State(late.x_mm, late.y_mm)
            self.is_moving, self.is_sure = False, True
            self.lay_s = self.seen_s
            self.numbers.doubt(_TAKEN_FOR_ANOTHER)


def _apart_mm(one: Look, other: Look) -> float:
    return math.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm)


def _variance(values: Sequence[float]) -> float:
    """As `statistics.pvariance`, which takes exact fractions and a hundred times as long."""
    middle = sum(values) / len(values)
    return sum((value - middle) ** 2 for value in values) / len(values)
