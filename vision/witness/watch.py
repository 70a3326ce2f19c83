"""The witness: follows the balls live, and testifies when a stroke is over."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hardware.signals import Drop
from scoring.balls import Ball
from scoring.events import Moved, Strike, TableEvent
from scoring.table import Pocket, Point, Table
from vision.detection import Sighting
from vision.surroundings import Surroundings
from vision.track import Track
from vision.tracking import Tracker
from vision.whereabouts import as_placed
from vision.witness.departures import late_drop
from vision.witness.ends import pocket_at_mouth
from vision.witness.glimpses import Glimpses
from vision.witness.identity import with_candidates, with_doubt_at_rest, with_other_numbers
from vision.witness.naming import Namer
from vision.witness.stroke import StrokeReader

_BEFORE_S = 1.0  # how much of the rest before a stroke is read with it
_QUIET_S = 0.35
_LOST_S = 0.6
_TAKEN_S = 2.0
_AT_HAND_S = 1.0  # so long before a ball vanishes a hand at it may have had to do with that
_FALL_S = 0.1  # for so long a ball that falls may itself look like something else
_HIDDEN_S = 2.5  # how long a ball that rolled under something is waited for
_STIRRED_MM = 1.0  # a ball that a stroke moved into a mouth by more may creep on unseen,
_CREEPS_S = 3.0  # and if it falls so soon after rest the stroke potted it
_SETTING_OUT_S = 1.0  # balls found so soon after the first frame lay there already
_MOSTLY = 0.5
_RENAMED = "it was taken for another ball before"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackPoint:
    """Where a ball was in one frame, for the list of tracks."""

    t_s: float
    ball: Ball
    place: Point
    visible: bool


class Witness:
    """Turns sightings and pocket signals into table events; pure in what it is given, no clock, no threads."""

    def __init__(self, table: Table, balls: tuple[Ball, ...] = ()) -> None:
        self.table = table
        self.balls = balls
        self._around = Surroundings.of(table)
        self._namer = Namer(balls, table)
        self._tracker = Tracker(table, self._namer.is_missed, self._namer.is_whole)
        self._drops: list[Drop] = []
        self.deaf: frozenset[Pocket] = frozenset()  # pockets whose sensors would not tell of a ball
        self._has_sensors = False
        self._now_s = 0.0
        self._began_s: float | None = None
        self._quiet_s: float | None = None
        self._still_s = self._rested_s = 0.0  # when nothing moved last, and since when after the last stroke
        self._stirred: frozenset[int] = frozenset()  # the balls that it moved
        self._shot = 0
        self._glimpses = Glimpses(self._around)
        self._points: list[tuple[int, float, Point, bool]] = []
        self._put: list[Track] = []  # balls that came onto the table and are not reported yet
        self._lay: dict[int, Point] = {}  # where the balls lay before the stroke that is under way
        self._first_s: float | None = None

    def step(self, sighting: Sighting, drops: Sequence[Drop] = ()) -> tuple[TableEvent, ...]:
        """Take in one frame and what the pockets said since the last; returns the events that became final."""
        self._drops.extend(drops)
        if self._first_s is not None and sighting.t_ns * 1e-9 <= self._now_s:
            return ()
        self._now_s = sighting.t_ns * 1e-9
        self._has_sensors = self._has_sensors or bool(drops)
        born = self._tracker.step(sighting)
        self._first_s = self._now_s if self._first_s is None else self._first_s
        if self._now_s - self._first_s > _SETTING_OUT_S:
            self._put += born
        events = self._name()
        self._note_points()
        moving = [track for track in self._tracker.tracks if self._is_under_way(track)]
        if self._began_s is not None and any(map(self._sets_out_anew, moving)):
            events += self._read(self._still_s)
        if self._began_s is None:
            if moving:
                self._began_s, self._glimpses = self._now_s, Glimpses(self._around)
                self._lay = {track.key: track.anchor for track in self._tracker.tracks}
                events += self._name(now=True)
            else:
                events += self._taken()
                self._tracker.trim(self._now_s - _BEFORE_S)
            return tuple(events)
        if moving:
            self._quiet_s = None
            return tuple(events)
        self._quiet_s, self._still_s = self._quiet_s or self._now_s, self._now_s
        patience_s = _HIDDEN_S if any(map(self._is_hidden, self._tracker.tracks)) else _QUIET_S
        if self._now_s - self._quiet_s >= patience_s:
            events += self._read()
        return tuple(events)

    def finish(self) -> tuple[TableEvent, ...]:
        """The source has ended: read what is under way."""
        return self._read() if self._began_s is not None else ()

    @property
    def positions(self) -> Mapping[Ball, Point]:
        """Where the balls on the table are now."""
        names = self._namer.names
        return {names[t.key]: as_placed(self.table, t.place) for t in self._tracker.tracks if t.key in names}

    @property
    def moving(self) -> frozenset[Ball]:
        """The balls that are moving now."""
        return frozenset(
            self._namer.names[t.key]
            for t in self._tracker.tracks
            if t.is_moving and t.is_visible and t.key in self._namer.names
        )

    def tracks(self) -> tuple[TrackPoint, ...]:
        """Where every ball was in every frame since the last call."""
        names = self._namer.names
        points = tuple(
            TrackPoint(t_s=t_s, ball=names[key], place=place, visible=visible)
            for key, t_s, place, visible in self._points
            if key in names
        )
        self._points = [point for point in self._points if point[0] not in names]
        return points

    def provisional(self) -> tuple[TableEvent, ...]:
        """What seems to have happened since the last call in a stroke that is under way; its reading decides."""
        if self._began_s is None:
            return ()
        return tuple(self._identified(self._glimpses.look(self._tracker.tracks, self._namer.names, self._now_s)))

    def _is_under_way(self, track: Track) -> bool:
        return track.is_moving and track.is_sure and self._now_s - track.seen_s < _LOST_S

    def _sets_out_anew(self, track: Track) -> bool:
        """Whether a ball that lay while others were waited for goes off: another stroke; but not one that falls."""
        lay_s = -math.inf if self._quiet_s is None else track.lay_s - self._quiet_s
        return lay_s >= _QUIET_S and pocket_at_mouth(self.table, track.anchor) is None

    def _is_hidden(self, track: Track) -> bool:
        """Whether a ball went out of sight under something while it moved."""
        return track.is_moving and not track.is_visible and track.is_covered

    def _is_potted_yet(self, track: Track) -> bool:
        """Whether a ball that fell from a mouth fell by the stroke that moved it there."""
        return track.key in self._stirred and track.seen_s - self._rested_s < _CREEPS_S

    def _is_handled(self, track: Track) -> bool:
        """Whether something (a hand, as a rule) was at a resting ball when it was seen last, or since."""
        since_s = track.seen_s - _AT_HAND_S
        was_beside = any(look.is_near_cover and look.t_s > since_s for look in track.looks)
        return was_beside or track.hidden_s > track.seen_s + _FALL_S or since_s < track.hidden_s < track.seen_s

    def _note_points(self) -> None:
        for track in self._tracker.tracks:
            self._points.append((track.key, self._now_s, track.place, track.is_visible))

    def _name(self, *, now: bool = False) -> list[TableEvent]:
        """Name what needs a name (now, or once it is sure), and tell of balls put on the table and of other names."""
        if now:
            for ghost in self._namer.ghosts(self._tracker.tracks):
                self._drop(ghost)
        tracks, names = self._tracker.tracks, self._namer.names
        renamed = self._namer.name(tracks, now=now)
        told = {track.key for track in self._put if now or (track.key in names and not self._is_in_doubt(track))}
        ready = [track for track in self._put if track.key in told]
        waiting = {track.key for track in self._put}
        self._put = [track for track in self._put if track.key not in told]
        events: list[TableEvent] = [
            Moved(t_s=track.looks[0].t_s, ball=names[track.key], target=as_placed(self.table, track.place))
            for track in ready
        ]
        told_before = [each for each in renamed if each.key not in waiting]
        places = {track.key: self._lay.get(track.key, track.place) for track in tracks}
        events += [self._renamed(each.before, origin=places[each.key]) for each in told_before]
        events += [self._renamed(each.after, target=places[each.key]) for each in told_before]
        return self._identified(events)

    def _renamed(self, ball: Ball, origin: Point | None = None, target: Point | None = None) -> Moved:
        return Moved(t_s=self._now_s, ball=ball, origin=origin, target=target, reason=_RENAMED)

    def _is_in_doubt(self, track: Track) -> bool:
        """Whether a newcomer may yet get the name of a ball that is missing; of a set of numbered balls none may."""
        ball = self._namer.names[track.key]
        return ball.is_unknown and any(not missing.number for missing in self._namer.missing)

    def _identified(self, events: Sequence[TableEvent]) -> list[TableEvent]:
        told = with_other_numbers(events, self._namer.other_numbers())
        return list(with_candidates(told, self._namer.candidates(self._tracker.tracks)))

    def _taken(self) -> list[TableEvent]:
        """Resting balls that vanished although nothing hides them: they fell from a mouth, or somebody took them."""
        events: list[TableEvent] = []
        for track in [t for t in self._tracker.tracks if t.key in self._namer.names]:
            gone_s = self._now_s - max(track.seen_s, track.hidden_s)
            if track.is_visible or track.is_covered or gone_s < _LOST_S:
                continue
            ball = self._namer.names[track.key]
            pocket = pocket_at_mouth(self.table, track.place)
            if pocket is not None:
                drop = late_drop(ball, pocket, track.place, track.seen_s, is_handled=self._is_handled(track))
                shot = self._shot if self._is_potted_yet(track) else None
                events += self._identified([replace(drop, shot=shot)])
                self._drop(track)
            elif gone_s > _TAKEN_S:
                events += self._identified([Moved(t_s=track.seen_s, ball=ball, origin=track.place)])
                self._drop(track, in_hand=True)
        return events

    def _read(self, until_s: float = math.inf) -> tuple[TableEvent, ...]:
        """Read what was seen until then; what set out since lies there still as far as that is concerned."""
        before = self._name(now=True)
        tracks = [track.until(until_s) for track in self._tracker.tracks]
        reader = StrokeReader(
            self._around,
            tracks,
            self._namer.names,
            self._drops,
            min(self._now_s, until_s),
            any_cue=not self.balls,
            heard=frozenset(Pocket) - self.deaf if self._has_sensors else frozenset(),
        )
        reading = reader.read()
        events = with_doubt_at_rest(self._identified(reading.events), self._mixed_up())
        struck = {event.ball for event in events if isinstance(event, Strike)}
        gone = [track for track in self._tracker.tracks if track.key in reading.ends]
        # Who played comes last among those that fell: the other player's ball is put back first.
        gone.sort(key=lambda t: (self._namer.names[t.key] in struck, reading.ends[t.key].t_s))
        for track in gone:
            self._drop(track, in_hand=not struck)
        for track in self._tracker.tracks:
            if track.is_moving and track.left_s <= until_s:
                track.rest_here()
        self._drops.clear()
        self._stirred = frozenset(track.key for track in self._tracker.tracks if self._is_stirred(track))
        self._rested_s, self._began_s, self._quiet_s = self._quiet_s or self._now_s, None, None
        self._lay = {}
        self._tracker.trim(self._now_s - _QUIET_S)
        if any(isinstance(event, Strike) for event in events):
            self._shot += 1
            events = tuple(replace(event, shot=self._shot) for event in events)
        return (*before, *events)

    def _is_stirred(self, track: Track) -> bool:
        lay = self._lay.get(track.key)
        return lay is None or lay.distance_mm(track.place) > _STIRRED_MM

    def _mixed_up(self) -> str | None:
        """In words, which balls of one colour may have been taken for each other in this stroke."""
        names = self._namer.names
        pairs = {
            " and ".join(sorted((names[one.key].name, two_name.name)))
            for one, two in self._tracker.mixed_up()
            if one.key in names and (two_name := names.get(two.key)) is not None and not _is_numbered(two, two_name)
        }
        return f"{', '.join(sorted(pairs))} may be mixed up" if pairs else None

    def _drop(self, track: Track, *, in_hand: bool = False) -> None:
        self._tracker.forget(track)
        self._put = [other for other in self._put if other is not track]
        self._namer.release(track, in_hand=in_hand)


def _is_numbered(track: Track, ball: Ball) -> bool:
    """Whether a ball is one of those that look alike but for their numbers."""
    return bool(ball.number) or track.colours().get("numbered", 0.0) > _MOSTLY
