"""Reading a whole stroke when everything lies still again: all tracks at once, to table events in order."""

import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from hardware.signals import Drop
from scoring.balls import Ball, BallKind
from scoring.events import CushionHit, Moved, Potted, Rest, Strike, TableEvent
from scoring.table import Pocket, Point
from vision.surroundings import Surroundings
from vision.track import Track
from vision.whereabouts import as_placed
from vision.witness.brushes import find_brush, with_brush
from vision.witness.causes import Explanation, Happening, Scene, without_repeats
from vision.witness.crossings import house_line_crossings
from vision.witness.departures import Departures, tell_departures
from vision.witness.doubts import soft_touches, unexplained_starts, unseen_touches, with_unmoved_doubts
from vision.witness.ends import End, fall_s, find_end
from vision.witness.excursions import Excursion, find_excursion, find_lying_on_rail
from vision.witness.kinks import Kink, Story, find_kinks, group_kinks
from vision.witness.legs import Samples, cut
from vision.witness.nudges import nudges
from vision.witness.order import before_falls, strikes_first, with_order_doubts
from vision.witness.packs import find_packs, with_packs
from vision.witness.starts import RAN, Starts, nearest_time
from vision.witness.testimony import DOUBTFUL, told, without_idle_flags
from vision.witness.unseen_cues import unseen_strike

_COVERED = "something was over the mouth in which it lay when it was seen last"
_BEFORE_LOST_S = 0.25
_SOUGHT_S = 0.3  # a ball unseen for so long at the end is gone or hidden
_CUE_KINDS = (BallKind.WHITE, BallKind.CUE)
_CAROM_CUE_KINDS = (*_CUE_KINDS, BallKind.YELLOW)  # without pockets each player has a cue ball, white or yellow
_BAD_FIT = 14.0
_SLOWEST_STRIKE_MM_S = 60.0
_MOVED_MM = 3.0
_LEAST_WAY_MM = 12.0
_LEAST_RUN_S = 0.12  # a ball that rolls so far takes longer, if it meets nothing
_CLEAR_WITHIN_S = 0.25
_CLEAR_LOOKS = 3
_CLEAR_SHARE = 0.25  # of a struck ball's way lies in the clear; a hand stays over the ball that it carries
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
        heard: frozenset[Pocket] = frozenset(),
    ) -> None:
        self.around = around
        self.table = around.table
        self.names = names
        self.tracks = {t.key: t for t in tracks if t.looks and t.key in names}
        self.drops = drops
        self.now_s = now_s
        self.any_cue = any_cue
        self.heard = heard
        self.stories: dict[int, Story] = {}
        for key, track in self.tracks.items():
            samples = Samples.of(track.looks)
            self.stories[key] = Story(samples, tuple(cut(samples)))
        self.stories = {key: story for key, story in self.stories.items() if story.legs}
        self.frame_s = self._frame_s()
        self.starts = Starts(self.table, self.stories, self.tracks, self.frame_s)

    def read(self) -> StrokeReading:
        """The events of the stroke."""
        ends = self._find_ends()
        is_shaken = self.starts.is_shaken()
        packs = find_packs(self.stories, self.table.ball_mm)
        explained = [] if is_shaken else with_packs(self._explain(ends), packs, self.stories)
        explanations = without_repeats(explained)
        if not is_shaken:
            explanations += nudges(self.stories, explanations, self.table.ball_mm, self.frame_s)
        strikes = [h.t_s for e in explanations for h in e.happenings if h.is_strike]
        unseen = [] if strikes or is_shaken else self._unseen_strike()
        events: list[TableEvent] = [*unseen]
        if strikes or unseen:
            first_s = min([*strikes, *(event.t_s for event in unseen)])
            events += self._happened(explanations, first_s)
            departures = tell_departures(ends, self.names, self.drops, first_s, heard=self.heard)
            events += self._with_brushes(departures, events, first_s)
            events += self._brushes(events, first_s)
            excursions = self._excursions(departures, first_s)
            events += [excursion.told(self.names[key]) for key, excursion in excursions.items()]
            events += house_line_crossings(self.table, self.stories, self.names, first_s, self.frame_s)
            events += soft_touches(self.stories, self.names, events, self.table.ball_mm)
            events += unseen_touches(self.stories, self.names, events, self.table.ball_mm, self.frame_s)
            events = with_unmoved_doubts(self.stories, self.names, events)
            events = with_order_doubts(
                sorted(strikes_first(before_falls(events)), key=lambda e: (e.t_s, not isinstance(e, Strike)))
            )
            on_rail = {key for key, excursion in excursions.items() if excursion.is_on_rail}
            doubts = unexplained_starts(self.stories, self.names, events)
            departures = replace(departures, doubts=(*departures.doubts, *doubts))
            events = without_idle_flags([*events, self._rest(ends, departures, on_rail, first_s)])
            ends = dict(departures.ends)
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
            end = find_end(self.around, leg, last_s, self._seen_last(key, last_s))
            if end.fate == "potted" and end.pocket is not None:
                end = replace(end, t_s=fall_s(self.table, end.pocket, story, end.t_s))
            ends[key] = self._unless_it_lies(end, self.tracks[key]) if leg.kind == "rest" else end
        return ends

    def _unless_it_lies(self, end: End, track: Track) -> End:
        """The end of a ball that lay still when it was seen last: one that something covers may lie there yet."""
        if end.fate != "potted" or track.is_covered:
            return replace(end, fate="hidden")
        was_covered = track.hidden_s > track.seen_s
        return replace(end, confidence=min(end.confidence, DOUBTFUL), reason=_COVERED) if was_covered else end

    def _seen_last(self, key: int, last_s: float) -> list[Point]:
        """Where a ball was seen clearly before it was lost, and where it was seen last."""
        looks = [x for x in self.tracks[key].looks if last_s - _BEFORE_LOST_S < x.t_s < last_s]
        clear = [Point(x.x_mm, x.y_mm) for x in looks if not (x.is_merged or x.is_near_cover)]
        return [*clear, _last_place(self.stories[key])]

    def _explain(self, ends: Mapping[int, End]) -> list[Explanation]:
        kinks = [kink for key in self.stories for kink in find_kinks(key, self.stories, self.around)]
        result = []
        moved: set[int] = set()
        struck = False
        for number, group in enumerate(group_kinks(kinks, self.table.ball_mm, self.frame_s)):
            scene = Scene(self.stories, group, self.around, self.frame_s)
            strikers = [ball for ball in self._strikers(scene, group) if ball not in moved]
            if struck:
                strikers = [ball for ball in strikers if self._is_in_the_clear(ball, scene)]
            explanation = scene.explain(strikers, seed=number)
            struck = struck or any(h.is_strike for h in explanation.happenings)
            moved |= {kink.ball for kink in group if kink.after.kind == "move"}
            result.append(explanation)
        del ends
        return result

    def _strikers(self, scene: Scene, group: Sequence[Kink]) -> list[int]:
        """Balls that a cue may have struck: they rested, nothing near moved, and they went off as free balls do."""
        if not scene.is_strike:
            return []
        seen = [k for k in group if k.after.kind == "move" and self.starts.is_seen(k) and not self.starts.trembles(k)]
        starters = [kink.ball for kink in seen if self._runs_free(kink)]
        if self.any_cue:
            return sorted(starters, key=lambda b: not self._is_cue(b))
        return [b for b in starters if self._is_cue(b)]

    def _cues(self) -> list[int]:
        """The balls that may be struck at all."""
        return [key for key in self.stories if self.any_cue or self._is_cue(key)]

    def _unseen_strike(self) -> Sequence[TableEvent]:
        """A doubtful strike, where none was seen but something ran that a stroke sets in motion."""
        cues = self._cues()
        return self.starts.strike(cues, self.names) or unseen_strike(self.starts, self.tracks, cues, self.names)

    def _is_in_the_clear(self, key: int, scene: Scene) -> bool:
        """Whether a ball was seen well around its start, as a second strike within one stroke (a lag) must be."""
        looks = [x for x in self.tracks[key].looks if abs(x.t_s - scene.start_s) < _CLEAR_WITHIN_S]
        clear = sum(not (x.is_merged or x.is_near_cover) for x in looks)
        return clear * self.frame_s > 1.5 * _CLEAR_WITHIN_S

    def _is_cue(self, key: int) -> bool:
        kinds = _CUE_KINDS if self.table.pockets is not None else _CAROM_CUE_KINDS
        return self.names[key].kind in kinds

    def _runs_free(self, kink: Kink) -> bool:
        """Whether a ball went off at once, far enough, and in the clear: a hand stays with the ball that it moves."""
        leg, story = kink.after, self.stories[kink.ball]
        start = kink.before.point(kink.low_s)
        rests = [one for one in story.legs if one.kind == "rest" and one.from_s > leg.from_s]
        settled_s = min((one.from_s for one in rests if one.to_s - one.from_s > _LEAST_RUN_S), default=math.inf)
        way = [one for one in story.legs if leg.from_s <= one.from_s <= settled_s]
        away = max(start.distance_mm(one.point(one.to_s)) for one in way)
        bend = 2 * math.hypot(leg.path[2, 0], leg.path[2, 1])
        error = 2 * math.sqrt(leg.spread[2, 2])
        if away < _LEAST_WAY_MM or leg.speed_mm_s(leg.from_s) < _SLOWEST_STRIKE_MM_S:
            return False
        # What is near its start (a bridge hand, a neighbour) does not matter if its path leads smoothly into the clear.
        later = [k.low_s for k in find_kinks(kink.ball, self.stories, self.around) if k.low_s > kink.low_s]
        stopped_s = min((one.from_s for one in rests), default=math.inf)
        if min(stopped_s, self.now_s) - kink.high_s < _LEAST_RUN_S and not self._has_moved(kink):
            return False  # it jumped, and lay still again at once: nothing that rolls does
        until_s = min(max(kink.high_s + _CLEAR_WITHIN_S, min(later, default=self.now_s)), stopped_s)
        looks = [x for x in self.tracks[kink.ball].looks if kink.high_s <= x.t_s < until_s]
        clear = sum(not (x.is_merged or x.is_near_cover) for x in looks)
        on_way = [x for x in self.tracks[kink.ball].looks if kink.high_s <= x.t_s < stopped_s]
        if sum(not x.is_near_cover for x in on_way) < _CLEAR_SHARE * len(on_way):
            return False
        return clear >= min(_CLEAR_LOOKS, len(looks)) and bend < _WILDEST_MM_S2 + 3 * error

    def _has_moved(self, kink: Kink) -> bool:
        """Whether another ball set off when this one did, or soon after."""
        return any(
            leg.kind == "move" and kink.low_s <= leg.from_s < kink.high_s + 2 * _LEAST_RUN_S
            for key, story in self.stories.items()
            if key != kink.ball
            for leg in story.legs
        )

    def _happened(self, explanations: Sequence[Explanation], first_s: float) -> list[TableEvent]:
        events: list[TableEvent] = []
        for explanation in explanations:
            for happening in explanation.happenings:
                if happening.t_s < first_s - 0.05:
                    continue
                event = told(happening, self.names, explanation.others)
                if isinstance(event, Strike) and explanation.error < _BAD_FIT:
                    others = [h.t_s for h in explanation.happenings if not h.is_strike]
                    event = self._timed(event, happening, min(others, default=math.inf) - 1e-4)
                events.append(event)
        return events

    def _timed(self, event: Strike, happening: Happening, latest_s: float) -> Strike:
        """A strike's time, from where the struck ball's path leads back to its resting place."""
        story = self.stories[happening.ball]
        for before, after in pairwise(story.legs):
            if before.kind == "rest" and after.kind == "move" and after.from_s >= happening.t_s - self.frame_s:
                if after.last - after.first < 2:
                    return event
                low, high = (before.to_s - 0.5 * self.frame_s, min(after.from_s, latest_s))
                t_s = nearest_time(after, before.place(high), low, high)
                return replace(event, t_s=t_s)
        return event

    def _with_brushes(self, departures: Departures, events: Sequence[TableEvent], first_s: float) -> list[TableEvent]:
        """The balls that left; a fall that may have been a bank by a touch too soft for a kink is told with it."""
        result: list[TableEvent] = []
        keys = {ball: key for key, ball in self.names.items()}
        known = {e.ball for e in events if isinstance(e, Strike)}
        known |= {e.ball for e in events if isinstance(e, CushionHit) and not e.is_jaw}
        for event in departures.events:
            if isinstance(event, Potted) and event.ball not in known:
                story = self.stories[keys[event.ball]]
                result += with_brush(event, find_brush(story, self.around, first_s, event.t_s))
            else:
                result.append(event)
        return result

    def _brushes(self, events: Sequence[TableEvent], first_s: float) -> list[TableEvent]:
        """Sure touches of noses, too soft for a kink, by balls that stay and met no cushion otherwise."""
        told = {e.ball for e in events if isinstance(e, Potted) or (isinstance(e, CushionHit) and not e.is_jaw)}
        found = {
            key: find_brush(story, self.around, first_s, self.now_s)
            for key, story in self.stories.items()
            if self.names[key] not in told
        }
        return [brush.told(self.names[key]) for key, brush in found.items() if brush is not None and brush.is_sure]

    def _moved(self, ends: Mapping[int, End]) -> list[TableEvent]:
        events: list[TableEvent] = []
        for key, story in self.stories.items():
            origin, target = (story.legs[0].point(story.legs[0].from_s), story.legs[-1].point(story.legs[-1].to_s))
            gone = key in ends and ends[key].fate != "hidden"
            if gone or origin.distance_mm(target) > _MOVED_MM:
                t_s = story.legs[1].from_s if len(story.legs) > 1 else story.legs[0].to_s
                ran = self.starts.has_run(key)
                events.append(
                    Moved(
                        t_s=t_s,
                        ball=self.names[key],
                        origin=origin,
                        target=None if gone else as_placed(self.table, target),
                        confidence=0.5 if ran else 1.0,
                        flagged=ran,
                        reason=RAN if ran else None,
                    )
                )
        return events

    def _excursions(self, departures: Departures, first_s: float) -> dict[int, Excursion]:
        """Balls that were seen outside the field and did not vanish."""
        found = {}
        for key in self.stories:
            end = departures.ends.get(key)
            excursion = find_excursion(self.table, self.tracks[key].looks, first_s) if end is None else None
            if end is None and excursion is None:
                excursion = find_lying_on_rail(self.table, self.stories[key].legs[-1])
            if excursion is not None:
                found[key] = excursion
        return found

    def _rest(self, ends: Mapping[int, End], departures: Departures, on_rail: AbstractSet[int], first_s: float) -> Rest:
        places = {}
        unseen = []
        last_s = first_s
        for key, story in self.stories.items():
            end = departures.ends.get(key)
            if end is not None and end.fate != "hidden":
                last_s = max(last_s, end.t_s)
                continue
            if key in on_rail:
                continue
            if key in ends:
                unseen.append(self.names[key].name)
            leg = story.legs[-1]
            places[self.names[key]] = as_placed(self.table, leg.point(leg.to_s))
            moving = [one for one in story.legs if one.kind == "move"]
            if moving:
                last_s = max(last_s, min(moving[-1].to_s, self.now_s))
        doubts = list(departures.doubts)
        if unseen:
            doubts.append(f"not seen at rest: {', '.join(sorted(unseen))}")
        return Rest(
            t_s=last_s,
            balls=places,
            confidence=0.5 if doubts else 1.0,
            flagged=bool(doubts),
            reason="; ".join(doubts) or None,
        )


def _last_place(story: Story) -> Point:
    x_mm, y_mm = story.samples.xy_mm[-1]
    return Point(float(x_mm), float(y_mm))
