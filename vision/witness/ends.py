"""How balls leave play: into a pocket, over a cushion, or out of sight."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from scoring.table import Pocket, Point, Table
from vision.surroundings import SHELF_MM, Surroundings, beyond_mouth_mm, mouth, outward
from vision.whereabouts import is_inside
from vision.witness.kinks import Story
from vision.witness.legs import Leg

Fate: TypeAlias = Literal["potted", "off_table", "hidden"]

_FALL_S = 0.04  # from the mouth's edge to out of sight, about
_LOOK_AHEAD_S = 0.3
_STEP_S = 0.004
_NEAR_MM = 75.0
_AIMED_MM = 200.0  # a ball that is lost on its way to a place so near a pocket fell into it
_AT_MOUTH_MM = -8.0
_DEEPEST_MM = 78.0  # beyond the mouth line a falling ball is out of sight before this
_CHANNEL_SLACK_MM = 14.0
_IN_RUBBER_MM = 10.0  # so far no rebound and no error of a calibration brings a ball
_BESIDE_MM = 40.0
_LEAST_FLYING = 2  # looks


@dataclass(frozen=True, slots=True)
class End:
    """What became of a ball that is seen no more, when, where, and how sure that is.

    A ball that is off the table has a pocket if it may have fallen into that instead; `reason` says why it is doubtful.
    """

    fate: Fate
    t_s: float
    at: Point
    pocket: Pocket | None = None
    confidence: float = 1.0
    reason: str | None = None


def find_end(around: Surroundings, leg: Leg, last_s: float, seen: Sequence[Point]) -> End:
    """Where a ball went that was seen last on this leg, `seen` clearly at these places, the last one last."""
    table, last = around.table, seen[-1]
    near = _nearest(table, last)
    if sum(_is_over_rubber(around, place) for place in seen) >= _LEAST_FLYING:
        pocket = near[0] if near is not None and near[1] < _AIMED_MM else None
        return End("off_table", last_s, last, pocket, confidence=0.85)
    if near is not None and near[1] < _AIMED_MM and _flew_over(table, near[0], last):
        return End("off_table", last_s, last, confidence=0.8)  # seen where a ball that falls is no more: it flew over
    if near is not None and near[1] < _NEAR_MM and beyond_mouth_mm(table, near[0], last) > _AT_MOUTH_MM:
        return End("potted", last_s + _FALL_S / 2, last, near[0])
    ahead = _look_ahead(table, leg, last_s, last)
    if ahead is None and near is not None and near[1] < _NEAR_MM:
        return End("potted", last_s + _FALL_S, last, near[0], 0.7)
    return ahead or End("hidden", last_s, last)


def _look_ahead(table: Table, leg: Leg, last_s: float, last: Point) -> End | None:
    """Where the leg leads soon: into a pocket, over a cushion, or nowhere (None)."""
    for step in range(1, int(_LOOK_AHEAD_S / _STEP_S)):
        t_s = last_s + step * _STEP_S
        place = leg.point(t_s)
        near = _nearest(table, place)
        if near is not None and _is_in_channel(table, near[0], place):
            return End("potted", t_s + _FALL_S / 2, place, near[0], _sureness(last, place))
        if not is_inside(table, place):
            if near is not None and near[1] < _AIMED_MM:
                confidence = 0.75 if near[1] > 1.6 * _NEAR_MM else 0.9
                return End("potted", t_s + _FALL_S / 2, place, near[0], confidence)
            return End("off_table", t_s, place, confidence=0.8)
    return None


def fall_s(table: Table, pocket: Pocket, story: Story, latest_s: float) -> float:
    """When a ball passed a pocket's drop edge: seen before it and beyond it (or no more), it went on at its speed."""
    samples = story.samples
    dx, dy = outward(table, pocket)
    before_s, beyond_s, gap_mm = samples.t_s[0], latest_s, 0.0
    for t_s, (x_mm, y_mm) in zip(samples.t_s[::-1], samples.xy_mm[::-1], strict=True):
        depth_mm = beyond_mouth_mm(table, pocket, Point(float(x_mm), float(y_mm)))
        before_s, gap_mm = t_s, SHELF_MM - depth_mm
        if gap_mm > 0.0:
            break
        beyond_s = t_s
    leg = story.leg_at(before_s)
    assert leg is not None
    vx, vy = leg.velocity(before_s)
    onward = vx * dx + vy * dy
    wanted_s = before_s + gap_mm / onward if onward > 0.0 else beyond_s
    return float(min(max(wanted_s, before_s), beyond_s))


def pocket_at_mouth(table: Table, place: Point) -> Pocket | None:
    """The pocket in whose mouth a ball lies that may fall by itself."""
    near = _nearest(table, place)
    if near is None or near[1] > _NEAR_MM or beyond_mouth_mm(table, near[0], place) < _AT_MOUTH_MM:
        return None
    return near[0]


def _is_over_rubber(around: Surroundings, place: Point) -> bool:
    """Whether no ball that rolls can be here: its middle is too near to a nose, or beyond it and in no mouth."""
    nose = around.nearest_nose(place)
    if nose is not None and nose[1] < -_IN_RUBBER_MM:
        return True
    near = _nearest(around.table, place)
    if near is None or beyond_mouth_mm(around.table, near[0], place) < 0.0:
        return False
    _, aside, clearance = _in_channel_mm(around.table, near[0], place)
    return aside > clearance + _BESIDE_MM


def _flew_over(table: Table, pocket: Pocket, place: Point) -> bool:
    """Whether a ball was seen at a place where one that falls into the pocket cannot be."""
    return beyond_mouth_mm(table, pocket, place) > _DEEPEST_MM


def _in_channel_mm(table: Table, pocket: Pocket, place: Point) -> tuple[float, float, float]:
    """How deep a place lies beyond a mouth line, how far beside the pocket's axis, and how far a ball can be there."""
    assert table.pockets is not None
    middle, (dx, dy) = mouth(table, pocket), outward(table, pocket)
    rx, ry = place.x_mm - middle.x_mm, place.y_mm - middle.y_mm
    width = table.pockets.middle_mm if pocket.is_middle else table.pockets.corner_mm
    return rx * dx + ry * dy, abs(rx * dy - ry * dx), width / 2 - table.ball_radius_mm


def _nearest(table: Table, place: Point) -> tuple[Pocket, float] | None:
    """The pocket whose mouth is nearest, and how far it is."""
    if table.pockets is None:
        return None
    pocket = min(Pocket, key=lambda p: mouth(table, p).distance_mm(place))
    return pocket, mouth(table, pocket).distance_mm(place)


def _is_in_channel(table: Table, pocket: Pocket, place: Point) -> bool:
    """Whether a place lies beyond a pocket's mouth line, between its jaws."""
    depth, aside, clearance = _in_channel_mm(table, pocket, place)
    return 0.0 <= depth <= 4 * SHELF_MM and aside < clearance + _CHANNEL_SLACK_MM


def _sureness(last: Point, entry: Point) -> float:
    """A ball last seen far from the mouth may have met something on the way."""
    return max(0.6, 1.0 - last.distance_mm(entry) / 1500.0)
