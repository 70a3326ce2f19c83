"""Strokes whose cue ball was out of sight: told by the ball that it sent off, and doubtful."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoring.balls import Ball
from scoring.events import Alternative, Contact, Moved, Strike, TableEvent
from scoring.table import Point
from vision.track import Look, Track
from vision.witness.kinks import Story
from vision.witness.starts import Starts

_CLEAR_S = 0.25  # for so long around its start no hand and no cue is at a ball that another sent off
_LAY_S = 0.1
_LATEST_S = 0.85  # a cue ball that left its place longer before is taken to have lain elsewhere, unseen
_AWAY_MM = 20.0  # a ball that lies nearer to where it lay has sent off none
_BESIDE_MM = 100.0  # so near the other it was seen when that set off, or not at all
_SENT_OFF = "nothing else can have set {sent} in motion: it may have been struck out of sight"


@dataclass(frozen=True, slots=True)
class _Sent:
    """A ball that set off in the clear: between when, from where."""

    key: int
    low_s: float
    high_s: float
    place: Point


def unseen_strike(
    starts: Starts, tracks: Mapping[int, Track], cues: Sequence[int], names: Mapping[int, Ball]
) -> list[TableEvent]:
    """The strike of a cue ball out of sight, and its contact with the ball that it sent off; none if none was."""
    sent = _first_sent(starts, tracks, cues)
    if sent is None:
        return []
    for key in cues:
        left_s = _left_s(starts.stories[key], tracks[key], sent, starts.table.ball_mm)
        if left_s is not None:
            return _doubtful(starts.stories[key], names[key], names[sent.key], sent, left_s)
    return []


def _first_sent(starts: Starts, tracks: Mapping[int, Track], cues: Sequence[int]) -> _Sent | None:
    """The first ball that set off by itself as far as anybody saw, and ran as none does in a hand."""
    found = []
    for key, story in starts.stories.items():
        if key in cues or len(story.legs) < 2 or not starts.has_run(key):
            continue
        lay, off = story.legs[:2]
        around = [look for look in tracks[key].looks if lay.to_s - _CLEAR_S < look.t_s < off.from_s + _CLEAR_S]
        if lay.kind == "rest" and lay.to_s - lay.from_s > _LAY_S and not any(look.is_near_cover for look in around):
            found.append(_Sent(key, lay.to_s, off.from_s, lay.point(lay.to_s)))
    return min(found, key=lambda sent: sent.high_s, default=None)


def _left_s(story: Story, track: Track, sent: _Sent, ball_mm: float) -> float | None:
    """When a cue ball left its place that may have met the other as that set off; None if it lay or was elsewhere."""
    lay = story.legs[0]
    if lay.kind != "rest" or lay.to_s > sent.low_s:
        return None
    last = track.looks[-1]
    if last.t_s > sent.high_s and _apart_mm(last, lay.point(lay.to_s)) < _AWAY_MM:
        return None
    then = [look for look in track.looks if sent.low_s <= look.t_s <= sent.high_s]
    is_elsewhere = any(_apart_mm(look, sent.place) - ball_mm > _BESIDE_MM for look in then)
    return None if is_elsewhere else lay.to_s


def _apart_mm(look: Look, place: Point) -> float:
    return place.distance_mm(Point(look.x_mm, look.y_mm))


def _doubtful(story: Story, cue: Ball, other: Ball, sent: _Sent, left_s: float) -> list[TableEvent]:
    lay, reason = story.legs[0].point(left_s), _SENT_OFF.format(sent=other)
    t_s, met_s = max(left_s, sent.low_s - _LATEST_S), (sent.low_s + sent.high_s) / 2
    moved = Alternative(0.5, Moved(t_s=met_s, ball=cue, origin=lay, confidence=0.5))
    strike = Strike(
        t_s=min(t_s, met_s - 1e-3), ball=cue, confidence=0.5, alternatives=(moved,), flagged=True, reason=reason
    )
    contact = Contact(t_s=met_s, ball=cue, other=other, at=sent.place, confidence=0.5, flagged=True, reason=reason)
    return [strike, contact]
