"""Why a group of kinks happened: replays of what may have happened in it, weighed by what was seen after it.

The balls' states before the kinks are known with their errors. Each replay starts from one draw of these states; the
readings (who met whom, in what order) are weighed by how well their replays meet the paths that were measured after.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from scoring.table import Cushion, Pocket, Point
from vision.motion import FASTEST_MM_S, Bounce, Impact, Replay, State, replay
from vision.surroundings import Surroundings
from vision.track import MOVED_MM
from vision.witness.kinks import Kink, Story
from vision.witness.legs import Leg

_DRAWS = (8, 40, 160)  # tried in turn until a reading explains what was seen
_DRAWS_IN_CROWDS = (6, 14)
_CROWD = 6  # balls
_GOOD = 9.0  # squared error per ball that needs no further search
_CAP = 30.0  # an error beyond this counts no more
_PASSIVE_MM = 12.0
_BAD_FIT = 14.0  # squared error per ball beyond which no reading is believed for fitting best
_BAD_FIT_SCALE = 10.0
_LEAST_SHARE = 0.02
_REPEAT_S = 0.015
_LEAST_WAY_S = 0.002

Meeting: TypeAlias = tuple[int, int | Cushion | Pocket]
Reading: TypeAlias = tuple[Meeting, ...]


@dataclass(frozen=True, slots=True)
class Happening:
    """What happened to `ball`: it met `other`, a cushion, or a jaw; the cue set it in motion when there is none."""

    t_s: float
    ball: int
    other: int | None = None
    cushion: Cushion | None = None
    pocket: Pocket | None = None
    at: Point | None = None
    confidence: float = 1.0

    @property
    def is_strike(self) -> bool:
        """Whether it is the start of a ball that no other ball met."""
        return self.other is None and self.cushion is None


@dataclass(frozen=True, slots=True)
class Explanation:
    """What happened in one group of kinks, each with its probability, how well that fits, what else may have been."""

    happenings: tuple[Happening, ...]
    error: float  # squared, per ball
    others: tuple[tuple[float, tuple[Happening, ...]], ...] = ()


@dataclass(slots=True)
class _Draw:
    run: Replay
    start_s: float
    error: float
    strike: tuple[int, float] | None  # who was struck, when after the start


@dataclass(frozen=True, slots=True)
class _Known:
    """What a leg says of a ball at an instant."""

    state: State
    sigma_place_mm: float
    sigma_velocity_mm_s: float

    @classmethod
    def of(cls, leg: Leg, t_s: float) -> "_Known":
        return cls(leg.state(t_s), leg.sigma_place_mm(t_s), leg.sigma_velocity_mm_s(t_s))


class Scene:
    """The balls around one group of kinks, before and after it."""

    def __init__(
        self, stories: Mapping[int, Story], kinks: Sequence[Kink], around: Surroundings, frame_s: float
    ) -> None:
        self.around = around
        self.kinks = kinks
        self.stories = stories
        members = {k.ball for k in kinks}
        self.before = {b: min((k for k in kinks if k.ball == b), key=lambda k: k.low_s).before for b in members}
        self.after = {b: max((k for k in kinks if k.ball == b), key=lambda k: k.high_s).after for b in members}
        self.start_s, self.end_s = self._between(frame_s)
        self.members = sorted(members)
        fastest = max(max(k.before.speed_mm_s(k.low_s), k.after.speed_mm_s(k.high_s)) for k in kinks)
        for ball, story in stories.items():
            leg = story.leg_at(self.start_s)
            if ball in members or leg is None or (leg is story.legs[-1] and leg.to_s < self.start_s - 0.3):
                continue
            speed = fastest + leg.speed_mm_s(self.start_s)
            reach = 2 * around.radius_mm + _PASSIVE_MM + min(speed, FASTEST_MM_S) * (self.end_s - self.start_s)
            if any(leg.point(self.start_s).distance_mm(self.before[b].point(self.start_s)) < reach for b in members):
                self.before[ball] = leg
                self.after[ball] = story.leg_at(self.end_s) or leg
        self.balls = self.members + sorted(set(self.before) - members)
        self.starters = {k.ball for k in kinks if k.is_start}
        self.measured = {b: self._measured(b) for b in self.members}
        self._begins = {b: _Known.of(self.before[b], self.start_s) for b in self.balls}
        self._ends = {b: _Known.of(self.after[b], self.end_s) for b in self.balls}

    def _between(self, frame_s: float) -> tuple[float, float]:
        """When the replays begin and end: as long before and after the kinks as noise may hide them.

        But not beyond the motions that lead to the kinks and away from them: what was before and after those is known.
        """
        low_s, high_s = min(k.low_s for k in self.kinks), max(k.high_s for k in self.kinks)
        start_s = min(k.low_s - max(k.slack_s, frame_s / 2) for k in self.kinks)
        end_s = max(k.high_s + max(k.slack_s, frame_s / 2) for k in self.kinks)
        began_s = [leg.from_s for leg in self.before.values() if leg.kind == "move"]
        ended_s = [leg.to_s for leg in self.after.values() if leg.kind == "move"]
        return min(low_s - frame_s / 2, max([start_s, *began_s])), max(high_s + frame_s / 2, min([end_s, *ended_s]))

    def _measured(self, ball: int) -> list[tuple[float, float, float, float]]:
        samples = self.stories[ball].samples
        inside = (samples.t_s > self.start_s) & (samples.t_s < self.end_s)
        return [
            (float(t), float(xy[0]), float(xy[1]), float(s))
            for t, xy, s in zip(samples.t_s[inside], samples.xy_mm[inside], samples.sigma_mm[inside], strict=True)
        ]

    @property
    def is_strike(self) -> bool:
        """Whether nothing near moved before, but something moves after."""
        return all(self.before[b].kind == "rest" or self._stands(b) for b in self.balls)

    def _stands(self, ball: int) -> bool:
        return self.before[ball].speed_mm_s(self.start_s) < 5.0

    def explain(self, strikers: Sequence[int], seed: int) -> Explanation:
        """The reading that explains the group best; `strikers` are the balls that a cue may have struck, best first."""
        generator = np.random.default_rng(seed)
        draws: list[_Draw] = []
        for number in _DRAWS if len(self.balls) < _CROWD else _DRAWS_IN_CROWDS:
            draws += list(self._strikes(strikers, number, generator) if strikers else self._draw(number, generator))
            if min(draw.error for draw in draws) < _GOOD * len(self.members):
                break
        return self._judge(draws)

    def _draw(self, number: int, generator: np.random.Generator) -> Iterator[_Draw]:
        duration = self.end_s - self.start_s
        for k in range(number):
            states = [self._state(ball, generator, exact=k == 0) for ball in self.balls]
            run = replay(states, duration, self.around, _bounce(generator, exact=k == 0))
            yield _Draw(run, self.start_s, self._error(run, self.start_s), None)

    def _strikes(self, strikers: Sequence[int], number: int, generator: np.random.Generator) -> Iterator[_Draw]:
        """Replays in which the cue gives one ball all the momentum that the group has afterwards."""
        total_x = sum(self.after[b].velocity(self.end_s)[0] for b in self.members)
        total_y = sum(self.after[b].velocity(self.end_s)[1] for b in self.members)
        for striker in strikers:
            index = self.balls.index(striker)
            kink = next(k for k in self.kinks if k.ball == striker)
            for k in range(number):
                states = [self._state(ball, generator, exact=k == 0) for ball in self.balls]
                low, high = kink.low_s, max(kink.high_s, kink.low_s + 1e-3)
                strike_s = low + (high - low) * (0.5 if k == 0 else float(generator.random()))
                vx, vy = (total_x, total_y) if k == 0 else self._struck(total_x, total_y, states[index], generator)
                seen = self._seen_off(striker, strike_s) if k % 2 else None
                if seen is not None:
                    vx, vy = _strayed(*seen, generator)
                states[index] = State(states[index].x_mm, states[index].y_mm, vx, vy)
                run = replay(states, self.end_s - strike_s, self.around, _bounce(generator, exact=k == 0))
                yield _Draw(run, strike_s, self._error(run, strike_s, striker), (striker, strike_s))

    def _struck(self, vx: float, vy: float, place: State, generator: np.random.Generator) -> tuple[float, float]:
        """A guess at the velocity that the cue gave: all momentum seen afterwards, but for what a cushion near took."""
        vx, vy = _strayed(vx, vy, generator)
        nose = self.around.nearest_nose(Point(place.x_mm, place.y_mm))
        if nose is None or nose[1] > _PASSIVE_MM + math.hypot(vx, vy) * (self.end_s - self.start_s):
            return vx, vy
        if generator.random() < 0.5:
            return vx, vy
        edge = nose[0]
        into = vx * edge.nx + vy * edge.ny
        other = -into * generator.uniform(-1.0, 2.0)
        return vx + (other - into) * edge.nx, vy + (other - into) * edge.ny

    def _seen_off(self, striker: int, strike_s: float) -> tuple[float, float] | None:
        """The velocity by which a ball struck then came to where it was seen first on its way, if it was."""
        start = self.before[striker].point(strike_s)
        for t_s, x_mm, y_mm, _ in self.measured.get(striker, ()):
            since_s = t_s - strike_s
            if since_s > _LEAST_WAY_S and start.distance_mm(Point(x_mm, y_mm)) > MOVED_MM:
                return (x_mm - start.x_mm) / since_s, (y_mm - start.y_mm) / since_s
        return None

    def _state(self, ball: int, generator: np.random.Generator, *, exact: bool) -> State:
        begin = self._begins[ball]
        state = begin.state
        if exact:
            return state
        place, speed = begin.sigma_place_mm + 0.3, begin.sigma_velocity_mm_s
        dx, dy, dvx, dvy = generator.standard_normal(4).tolist()
        return State(
            state.x_mm + place * dx, state.y_mm + place * dy, state.vx_mm_s + speed * dvx, state.vy_mm_s + speed * dvy
        )

    def _error(self, run: Replay, start_s: float, striker: int | None = None) -> float:
        """The squared distance between a replay and what was measured, in standard errors."""
        touched = {i.ball for i in run.impacts} | {i.other for i in run.impacts}
        total = sum(_CAP for ball in self.starters if ball != striker and self.balls.index(ball) not in touched)
        for index, ball in enumerate(self.balls):
            end, seen = run.state_at(index, self.end_s - start_s), self._ends[ball]
            speed = max(end.speed_mm_s, seen.state.speed_mm_s)
            sigma_v = math.hypot(15.0 + 0.05 * speed, seen.sigma_velocity_mm_s)
            sigma_p = math.hypot(2.0 + 0.002 * speed, seen.sigma_place_mm)
            error = ((end.vx_mm_s - seen.state.vx_mm_s) ** 2 + (end.vy_mm_s - seen.state.vy_mm_s) ** 2) / sigma_v**2
            error += ((end.x_mm - seen.state.x_mm) ** 2 + (end.y_mm - seen.state.y_mm) ** 2) / sigma_p**2
            total += min(error, _CAP)
            for t_s, seen_x, seen_y, sigma in self.measured.get(ball, ()):
                if t_s <= start_s:
                    continue
                here = run.state_at(index, t_s - start_s)
                sigma_p = math.hypot(2.0 + 0.002 * here.speed_mm_s, sigma)
                total += min(((here.x_mm - seen_x) ** 2 + (here.y_mm - seen_y) ** 2) / sigma_p**2, _CAP) / 2
        return total

    def _judge(self, draws: Sequence[_Draw]) -> Explanation:
        best = min(draw.error for draw in draws)
        members: dict[Reading, list[tuple[float, _Draw]]] = {}
        for draw in draws:
            weight = math.exp(-(draw.error - best) / 2)
            members.setdefault(self._reading(draw), []).append((weight, draw))
        # A reading's weight is its best replay's, and how many of them agree counts a little.
        weights = {r: max(w for w, _ in m) * (1 + math.log1p(sum(w for w, _ in m))) for r, m in members.items()}
        order = sorted(weights, key=lambda r: -weights[r])
        total = sum(weights.values())
        error = best / len(self.balls)
        trust = math.exp(-max(0.0, error - _BAD_FIT) / _BAD_FIT_SCALE)
        chances: dict[Meeting, float] = {}
        for reading, group in members.items():
            for meeting in set(reading):
                share = trust * weights[reading] / total + (1 - trust) * len(group) / len(draws)
                chances[meeting] = chances.get(meeting, 0.0) + share
        return Explanation(
            happenings=_once(self._happenings(members[order[0]], chances)),
            error=error,
            others=tuple(
                (weights[r] / total, self._happenings(members[r], chances))
                for r in order[1:4]
                if weights[r] / total > _LEAST_SHARE
            ),
        )

    def _reading(self, draw: _Draw) -> Reading:
        reading: list[Meeting] = [] if draw.strike is None else [(draw.strike[0], draw.strike[0])]
        return (*reading, *(self._meeting(impact) for impact in draw.run.impacts))

    def _meeting(self, impact: Impact) -> Meeting:
        ball = self.balls[impact.ball]
        if impact.other is not None:
            other = self.balls[impact.other]
            return min(ball, other), max(ball, other)
        what = impact.pocket if impact.cushion is None or impact.pocket is not None else impact.cushion
        assert what is not None
        return ball, what

    def _happenings(
        self, draws: Sequence[tuple[float, _Draw]], chances: Mapping[Meeting, float]
    ) -> tuple[Happening, ...]:
        """The happenings of one reading, at the weighted mean of its replays' times, with the chances of each."""
        total = sum(weight for weight, _ in draws)
        _, best = max(draws, key=lambda pair: pair[0])
        result = []
        if best.strike is not None:
            ball = best.strike[0]
            t_s = float(sum(w * d.strike[1] for w, d in draws if d.strike is not None) / total)
            result.append(Happening(t_s, ball, at=self.before[ball].point(t_s), confidence=chances[ball, ball]))
        for k, impact in enumerate(best.run.impacts):
            if impact.other is None and impact.cushion is None:
                continue  # it fell: told by its end
            t_s = float(sum(w * (d.start_s + d.run.impacts[k].t_s) for w, d in draws) / total)
            result.append(self._happening(best.run, impact, t_s, min(1.0, chances[self._meeting(impact)])))
        return tuple(result)

    def _happening(self, run: Replay, impact: Impact, t_s: float, confidence: float) -> Happening:
        here = run.state_at(impact.ball, impact.t_s)
        ball = self.balls[impact.ball]
        if impact.other is not None:
            there = run.state_at(impact.other, impact.t_s)
            at = Point(float(here.x_mm + there.x_mm) / 2, float(here.y_mm + there.y_mm) / 2)
            return Happening(t_s, ball, other=self.balls[impact.other], at=at, confidence=confidence)
        at = Point(float(here.x_mm), float(here.y_mm))
        return Happening(t_s, ball, cushion=impact.cushion, pocket=impact.pocket, at=at, confidence=confidence)


def _once(happenings: Sequence[Happening]) -> tuple[Happening, ...]:
    """Without the repeats by which a replay passes an impulse on through balls that touch."""
    kept: list[Happening] = []
    for one in happenings:
        pair = {one.ball, one.other}
        if one.other is None or not any({k.ball, k.other} == pair and one.t_s - k.t_s < _REPEAT_S for k in kept):
            kept.append(one)
    return tuple(kept)


def without_repeats(explanations: Sequence[Explanation]) -> list[Explanation]:
    """The explanations without what two of them tell of the same moment: the surer one tells it."""
    told = sorted(
        ((number, h) for number, one in enumerate(explanations) for h in one.happenings),
        key=lambda pair: -pair[1].confidence,
    )
    kept: list[tuple[int, Happening]] = []
    for number, one in told:
        if one.is_strike or not any(number != its and _is_repeated(one, other) for its, other in kept):
            kept.append((number, one))
    left = {id(one) for _, one in kept}
    return [replace(one, happenings=tuple(h for h in one.happenings if id(h) in left)) for one in explanations]


def _is_repeated(one: Happening, other: Happening) -> bool:
    """Whether two happenings are the same, too soon after each other to be two."""
    if abs(one.t_s - other.t_s) > _REPEAT_S:
        return False
    if one.other is not None:
        return {one.ball, one.other} == {other.ball, other.other}
    return (one.ball, one.cushion, one.pocket) == (other.ball, other.cushion, other.pocket)


def _strayed(vx: float, vy: float, generator: np.random.Generator) -> tuple[float, float]:
    """A velocity near this one."""
    along, across = 1 + 0.08 * generator.standard_normal(), 0.04 * generator.standard_normal()
    return along * vx - across * vy, along * vy + across * vx


def _bounce(generator: np.random.Generator, *, exact: bool) -> Bounce:
    if exact:
        return Bounce()
    ball, cushion, grip = generator.random(3)
    return Bounce(ball=0.9 + 0.09 * ball, cushion=0.5 + 0.45 * cushion, grip=0.55 + 0.5 * grip)
