"""Balls that left the table, told with what the pocket sensors felt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hardware.signals import Drop
from scoring.balls import Ball
from scoring.events import Alternative, Moved, OffTable, Potted, TableEvent
from scoring.table import Pocket, Point
from vision.witness.ends import End

_EARLY_S = 0.3
_LATE_S = 2.0
_SURE = 0.99
_DOUBTFUL = 0.7
_SENSED_ONLY = 0.8
_SEVERAL = "several balls were out of sight when the sensor felt one"
_LATE_DROP, _HANDLED = 0.9, 0.5  # that a ball which vanished from a mouth fell: by itself, with a hand at it
_BELIEVED = 0.7  # a drop that is less sure decides nothing by itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Departures:
    """The events of balls that left, what became of each ball in the end, and doubts about the whole, in words."""

    events: tuple[TableEvent, ...]
    ends: Mapping[int, End]
    doubts: tuple[str, ...] = ()


def tell_departures(
    ends: Mapping[int, End],
    names: Mapping[int, Ball],
    drops: Sequence[Drop],
    first_s: float,
    *,
    heard: frozenset[Pocket],
) -> Departures:
    """Match what the eyes lost with what the sensors felt; each supports the other, or raises a doubt.

    `heard` are the pockets whose sensors would tell of a ball.
    """
    left = [drop for drop in drops if drop.t_ns * 1e-9 > first_s - _EARLY_S]
    known = dict(ends)
    events: list[TableEvent] = []
    for key in sorted(ends, key=lambda k: ends[k].t_s):
        end = ends[key]
        if end.fate == "potted":
            drop = _matching(end, left)
            if drop is not None:
                left.remove(drop)
            events.append(_potted(end, names[key], drop, is_heard=end.pocket in heard))
        elif end.fate == "off_table" and _late(end, left) is None:
            events.append(_flown(end, names[key]))
    lost = [key for key in sorted(ends, key=lambda k: ends[k].t_s) if _is_open(ends[key], left)]
    for key in lost:
        drop = _late(ends[key], left)
        if drop is None:
            continue
        left.remove(drop)
        surplus = any(other.pocket is drop.pocket for other in left) and len(lost) == 1
        reason = _SEVERAL if len(lost) > 1 else None
        if drop.confidence < _BELIEVED or surplus:
            reason = f"sensor {drop.pocket} is not to be trusted"
        end = replace(ends[key], fate="potted", t_s=drop.t_ns * 1e-9, pocket=drop.pocket)
        known[key] = end
        events.append(_sensed(end, names[key], reason))
    felt = dict.fromkeys(drop.pocket for drop in left if drop.confidence >= _BELIEVED)
    doubts = tuple(f"sensor {pocket} felt a ball that nobody saw fall" for pocket in felt)
    return Departures(events=tuple(events), ends=known, doubts=doubts)


def late_drop(ball: Ball, pocket: Pocket, place: Point, t_s: float, *, is_handled: bool) -> Potted:
    """A ball that lay in a mouth and vanished: it fell by itself, unless a hand that was at it took it."""
    if not is_handled:
        return Potted(t_s=t_s, ball=ball, pocket=pocket, confidence=_LATE_DROP)
    return Potted(
        t_s=t_s,
        ball=ball,
        pocket=pocket,
        confidence=_HANDLED,
        flagged=True,
        reason="something was at it when it vanished from the mouth",
        alternatives=(Alternative(1 - _HANDLED, Moved(t_s=t_s, ball=ball, origin=place)),),
    )


def _is_open(end: End, drops: Sequence[Drop]) -> bool:
    return end.fate == "hidden" or (end.fate == "off_table" and _late(end, drops) is not None)


def _matching(end: End, drops: Sequence[Drop]) -> Drop | None:
    """The drop in the same pocket at about the same time."""
    return next((d for d in drops if d.pocket is end.pocket and -_EARLY_S < d.t_ns * 1e-9 - end.t_s < _LATE_S), None)


def _late(end: End, drops: Sequence[Drop]) -> Drop | None:
    """A drop, in any pocket, soon after a ball was seen last."""
    return next((d for d in drops if -_EARLY_S < d.t_ns * 1e-9 - end.t_s < _LATE_S), None)


def _potted(end: End, ball: Ball, drop: Drop | None, *, is_heard: bool) -> Potted:
    assert end.pocket is not None
    if drop is not None and drop.confidence >= _BELIEVED:
        return Potted(t_s=end.t_s, ball=ball, pocket=end.pocket, confidence=_SURE, sources=("camera", "sensor"))
    reason = None
    is_missing = is_heard and drop is None
    if is_missing:
        reason = f"sensor {end.pocket} felt nothing"
    elif end.confidence <= _DOUBTFUL:
        reason = end.reason or "last seen far from the pocket"
    confidence = min(end.confidence, _DOUBTFUL) if is_missing else end.confidence
    return Potted(
        t_s=end.t_s, ball=ball, pocket=end.pocket, confidence=confidence, flagged=reason is not None, reason=reason
    )


def _flown(end: End, ball: Ball) -> OffTable:
    """A ball that left the table; near a pocket it may have come down in that."""
    if end.pocket is None:
        return OffTable(t_s=end.t_s, ball=ball, at=end.at, confidence=end.confidence)
    fall = Potted(t_s=end.t_s, ball=ball, pocket=end.pocket, confidence=1 - end.confidence)
    return OffTable(
        t_s=end.t_s,
        ball=ball,
        at=end.at,
        confidence=end.confidence,
        flagged=True,
        reason=f"it was over the rubber near {end.pocket}",
        alternatives=(Alternative(1 - end.confidence, fall),),
    )


def _sensed(end: End, ball: Ball, reason: str | None) -> Potted:
    assert end.pocket is not None
    return Potted(
        t_s=end.t_s,
        ball=ball,
        pocket=end.pocket,
        confidence=0.5 if reason else _SENSED_ONLY,
        sources=("sensor",),
        flagged=reason is not None,
        reason=reason,
    )
