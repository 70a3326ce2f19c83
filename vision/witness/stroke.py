"""Reading a whole stroke when everything lies still again: all tracks at once, to table events in order."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hardware.signals import Drop
from scoring.balls import Ball, BallKind
from scoring.events import Contact, CushionHit, HouseLine, Moved, OffTable, Potted, Rest, Strike, TableEvent
from scoring.table import Point
from vision.motion import replay
from vision.surroundings import Surroundings
from vision.track import Track
from vision.witness.causes import Explanation, Happening, Scene
from vision.witness.ends import End, find_end
from vision.witness.kinks import Kink, Story, find_kinks, group_kinks
from vision.witness.legs import Leg, Samples, cut

_SOUGHT_S = 0.3  # a ball unseen for so long at the end is gone or hidden
_CUE_KINDS = (BallKind.WHITE, BallKind.CUE)
_BAD_FIT = 14.0
_SLOWEST_STRIKE_MM_S = 60.0
_DROP_WINDOW_S = 1.5
_MOVED_MM = 3.0
_LEAST_WAY_MM = 12.0
_DOUBTFUL = 0.5
_INTO_POCKET_S = 0.2
_UNSEEN_CONFIDENCE = 0.5
_CLEAR_WITHIN_S = 0.25
_CLEAR_LOOKS = 3
_WILDEST_MM_S2 = 10_000.0  # a flying ball seems to bend by its height


@dataclass(frozen=True, slots=True, eq=False)
class StrokeReading:
    """What a stretch of motion was: its events in order, and the balls that are no more on the table."""

    events: tuple[TableEvent, ...]
    ends: Mapping[int, End]
    hidden: frozenset[int]


class StrokeReader:
    """Reads one stretch of motion from the tracks that were measured during it."""

    def __init__(
        self,
        around: Surroundings,
        tracks: Sequence[Track],
        names: Mapping[int, Ball],
        drops: Sequence[Drop],
        now_s: float,
        *,
        any_cue: bool,
    ) -> None:
        self.around = around
        self.table = around.table
        self.names = names
        self.tracks = {t.key: t for t in tracks if t.looks and t.key in names}
        self.drops = drops
        self.now_s = now_s
        self.any_cue = any_cue
        self.stories: dict[int, Story] = {}
        for key, track in self.tracks.items():
            samples = Samples.of(track.looks)
            self.stories[key] = Story(samples, tuple(cut(samples)))
        self.stories = {key: story for key, story in self.stories.items() if story.legs}
        self.frame_s = self._frame_s()

    def read(self) -> StrokeReading:
        """The events of the stroke."""
        ends = self._find_ends()
        explanations = self._explain(ends)
        strikes = [h for e in explanations for h in e.happenings if h.is_strike]
        events: list[TableEvent] = []
        if strikes:
            first_s = min(h.t_s for h in strikes)
            events += self._happened(explanations, first_s)
            events += self._unseen_jaws(ends, events)
            events += self._gone(ends, first_s)
            events += self._house_lines(first_s)
            events.sort(key=lambda e: (e.t_s, not isinstance(e, Strike)))
            events.append(self._rest(ends))
        else:
            events += self._moved(ends)
        hidden = frozenset(key for key, end in ends.items() if end.fate == "hidden")
        gone = {key: end for key, end in ends.items() if end.fate != "hidden"}
        return StrokeReading(tuple(events), gone, hidden)

    def _frame_s(self) -> float:
        steps = [np.diff(story.samples.t_s) for story in self.stories.values() if len(story.samples.t_s) > 1]
        return float(np.median(np.concatenate(steps))) if steps else 1 / 60

    def _find_ends(self) -> dict[int, End]:
        ends = {}
        for key, story in self.stories.items():
            last_s = float(story.samples.t_s[-1])
            if last_s > self.now_s - _SOUGHT_S:
                continue
            leg = story.legs[-1]
            end = find_end(self.table, leg, last_s, _last_place(story))
            ends[key] = replace(end, fate="hidden") if leg.kind == "rest" and end.fate != "potted" else end
        return ends

    def _explain(self, ends: Mapping[int, End]) -> list[Explanation]:
        kinks = [kink for key in self.stories for kink in find_kinks(key, self.stories, self.around)]
        result = []
        moved: set[int] = set()
        for number, group in enumerate(group_kinks(kinks, self.table.ball_mm, self.frame_s)):
            scene = Scene(self.stories, group, self.around, self.frame_s)
            strikers = [ball for ball in self._strikers(scene, group) if ball not in moved]
            explanation = scene.explain(strikers, seed=number)
            moved |= {kink.ball for kink in group if kink.after.kind == "move"}
            result.append(explanation)
        del ends
        return result

    def _strikers(self, scene: Scene, group: Sequence[Kink]) -> list[int]:
        """Balls that a cue may have struck: they rested, nothing near moved, and they went off as free balls do."""
        if not scene.is_strike:
            return []
        starters = [k.ball for k in group if k.is_start and k.after.kind == "move" and self._runs_free(k)]
        if self.any_cue:
            return sorted(starters, key=lambda b: not self._is_cue(b))
        return [b for b in starters if self._is_cue(b)]

    def _is_cue(self, key: int) -> bool:
        return self.names[key].kind in _CUE_KINDS

    def _runs_free(self, kink: Kink) -> bool:
        """Whether a ball went off at once, far enough, and in the clear: a hand stays with the ball that it moves."""
        leg, story = kink.after, self.stories[kink.ball]
        start = kink.before.point(kink.low_s)
        away = max(start.distance_mm(one.point(one.to_s)) for one in story.legs if one.from_s >= leg.from_s)
        bend = 2 * math.hypot(leg.path[2, 0], leg.path[2, 1])
        error = 2 * math.sqrt(leg.spread[2, 2])
        if away < _LEAST_WAY_MM or leg.speed_mm_s(leg.from_s) < _SLOWEST_STRIKE_MM_S:
            return False
        looks = [x for x in self.tracks[kink.ball].looks if kink.high_s <= x.t_s < kink.high_s + _CLEAR_WITHIN_S]
        clear = sum(not (x.is_merged or x.is_near_cover) for x in looks)
        return clear >= min(_CLEAR_LOOKS, len(looks)) and bend < _WILDEST_MM_S2 + 3 * error

    def _happened(self, explanations: Sequence[Explanation], first_s: float) -> list[TableEvent]:
        events: list[TableEvent] = []
        for explanation in explanations:
            confidence = explanation.share * math.exp(-max(0.0, explanation.error - _BAD_FIT) / 10.0)
            for happening in explanation.happenings:
                if happening.t_s < first_s - 0.05:
                    continue
                event = self._event(happening, confidence)
                if isinstance(event, Strike) and explanation.error < _BAD_FIT:
                    others = [h.t_s for h in explanation.happenings if not h.is_strike]
                    event = self._timed(event, happening, min(others, default=math.inf) - 1e-4)
                events.append(event)
        return events

    def _timed(self, event: Strike, happening: Happening, latest_s: float) -> Strike:
        """A strike's time, from where the struck ball's path leads back to its resting place."""
        story = self.stories[happening.ball]
        for before, after in zip(story.legs, story.legs[1:], strict=False):
            if before.kind == "rest" and after.kind == "move" and after.from_s >= happening.t_s - self.frame_s:
                if after.last - after.first < 2:
                    return event
                low, high = before.to_s - 0.5 * self.frame_s, min(after.from_s, latest_s)
                t_s = _nearest_time(after, before.place(high), low, high)
                return replace(event, t_s=t_s)
        return event

    def _event(self, happening: Happening, confidence: float) -> TableEvent:
        ball = self.names[happening.ball]
        flagged = confidence < _DOUBTFUL and happening.pocket is None
        reason = "the paths allow more than one reading" if flagged else None
        if happening.other is not None:
            return Contact(
                t_s=happening.t_s,
                ball=ball,
                other=self.names[happening.other],
                at=happening.at,
                confidence=confidence,
                flagged=flagged,
                reason=reason,
            )
        if happening.cushion is not None:
            return CushionHit(
                t_s=happening.t_s,
                ball=ball,
                cushion=happening.cushion,
                pocket=happening.pocket,
                at=happening.at,
                confidence=confidence,
                flagged=flagged,
                reason=reason,
            )
        return Strike(t_s=happening.t_s, ball=ball, confidence=confidence, flagged=flagged, reason=reason)

    def _unseen_jaws(self, ends: Mapping[int, End], events: Sequence[TableEvent]) -> list[TableEvent]:
        """Jaws that balls met between their last sightings and their fall: their last leg, replayed into the pocket."""
        found: list[TableEvent] = []
        for key, end in ends.items():
            leg = self.stories[key].legs[-1]
            if end.pocket is None or leg.last - leg.first < 2:
                continue
            ball = self.names[key]
            told = [e.t_s for e in events if isinstance(e, CushionHit) and e.ball == ball]
            start_s = max([leg.to_s - self.frame_s, leg.from_s, *(t + 2e-3 for t in told)])
            run = replay([leg.state(start_s)], _INTO_POCKET_S, self.around)
            for impact in run.impacts:
                if impact.cushion is None or start_s + impact.t_s > end.t_s:
                    break
                here = run.state_at(0, impact.t_s)
                found.append(
                    CushionHit(
                        t_s=start_s + impact.t_s,
                        ball=ball,
                        cushion=impact.cushion,
                        pocket=end.pocket,
                        at=Point(here.x_mm, here.y_mm),
                        confidence=_UNSEEN_CONFIDENCE,
                    )
                )
        return found

    def _gone(self, ends: Mapping[int, End], first_s: float) -> list[TableEvent]:
        events: list[TableEvent] = []
        drops = [d for d in self.drops if d.t_ns * 1e-9 > first_s - 0.1]
        for key, end in sorted(ends.items(), key=lambda pair: pair[1].t_s):
            ball = self.names[key]
            if end.fate == "potted" and end.pocket is not None:
                near = [d for d in drops if d.pocket is end.pocket and abs(d.t_ns * 1e-9 - end.t_s) < _DROP_WINDOW_S]
                if near:
                    drops.remove(near[0])
                confidence = max(end.confidence, 0.99) if near else end.confidence
                events.append(
                    Potted(
                        t_s=end.t_s,
                        ball=ball,
                        pocket=end.pocket,
                        confidence=confidence,
                        sources=("camera", "sensor") if near else ("camera",),
                        flagged=confidence < 0.7,
                        reason="last seen far from the pocket" if confidence < 0.7 else None,
                    )
                )
            elif end.fate == "off_table":
                events.append(OffTable(t_s=end.t_s, ball=ball, at=end.at, confidence=end.confidence))
        return events

    def _house_lines(self, first_s: float) -> list[TableEvent]:
        line = self.table.house_line_x_mm
        events: list[TableEvent] = []
        for key, story in self.stories.items():
            side = None
            previous = None
            for leg in story.legs:
                for t_s in np.arange(leg.from_s, leg.to_s + 1e-9, max(self.frame_s, 1e-3)):
                    x = leg.place(float(t_s))[0]
                    inside = x < line
                    if side is not None and inside is not side and previous is not None:
                        t0, x0 = previous
                        when = t0 + (float(t_s) - t0) * (line - x0) / ((x - x0) or 1.0)
                        if when >= first_s and leg.kind == "move":
                            events.append(
                                HouseLine(t_s=when, ball=self.names[key], direction="in" if inside else "out")
                            )
                    side = inside
                    previous = (float(t_s), x)
        return events

    def _moved(self, ends: Mapping[int, End]) -> list[TableEvent]:
        events: list[TableEvent] = []
        for key, story in self.stories.items():
            origin, target = story.legs[0].point(story.legs[0].from_s), story.legs[-1].point(story.legs[-1].to_s)
            gone = key in ends and ends[key].fate != "hidden"
            if gone or origin.distance_mm(target) > _MOVED_MM:
                t_s = story.legs[1].from_s if len(story.legs) > 1 else story.legs[0].to_s
                events.append(Moved(t_s=t_s, ball=self.names[key], origin=origin, target=None if gone else target))
        return events

    def _rest(self, ends: Mapping[int, End]) -> Rest:
        places = {}
        last_s = 0.0
        for key, story in self.stories.items():
            if key in ends and ends[key].fate != "hidden":
                last_s = max(last_s, ends[key].t_s)
                continue
            leg = story.legs[-1]
            places[self.names[key]] = leg.point(leg.to_s)
            moving = [one for one in story.legs if one.kind == "move"]
            if moving:
                last_s = max(last_s, min(moving[-1].to_s, self.now_s))
        return Rest(t_s=last_s, balls=places)


def _last_place(story: Story) -> Point:
    x_mm, y_mm = story.samples.xy_mm[-1]
    return Point(float(x_mm), float(y_mm))


def _nearest_time(leg: Leg, place: tuple[float, float], low_s: float, high_s: float) -> float:
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
