"""How far a cue must be turned so that, as physics has it, the target goes where it should: throw, slide, rebounds."""

import math

from hardware.virtual.aiming import Aim, Sight, direction_to, mouth, turn_between
from hardware.virtual.physics import Motion
from scoring.balls import Ball
from scoring.events import Contact, CushionHit, Potted
from scoring.table import Point

_JUST_AFTER_S = 0.001
_LEAST_GAIN = 1.0
_LARGEST_TURN_RAD = 0.1


def correction_rad(motion: Motion, sight: Sight, aim: Aim) -> float | None:
    """By how much to turn the cue after a trial, or None when the trial went another way altogether."""
    contact = next((event for event in motion.events if isinstance(event, Contact)), None)
    if contact is None or {contact.ball, contact.other} != {sight.cue_ball, aim.first_ball}:
        return None
    left_rad = _leaving_rad(motion, aim.first_ball, contact.t_s)
    if left_rad is None:
        return None
    turn_rad = -turn_between(left_rad, aim.leave_rad) / max(aim.gain - 1.0, _LEAST_GAIN)
    if aim.second:
        second = _after_second_rad(motion, aim)
        turn_rad = turn_rad if second is None else second / max(aim.second.gain, _LEAST_GAIN)
    elif aim.is_bank:
        rebound = _after_rebound_rad(motion, sight, aim)
        turn_rad = turn_rad if rebound is None else rebound / max(aim.gain - 1.0, _LEAST_GAIN)
    return min(max(turn_rad, -_LARGEST_TURN_RAD), _LARGEST_TURN_RAD)


def _leaving_rad(motion: Motion, ball: Ball, contact_s: float) -> float | None:
    """The direction in which a ball leaves a contact, None when it stays."""
    along, across, _ = motion.velocity_mm_s(ball, contact_s + _JUST_AFTER_S)
    return math.atan2(across, along) if math.hypot(along, across) > 1.0 else None


def _after_second_rad(motion: Motion, aim: Aim) -> float | None:
    """By how much the target of a combination should leave otherwise."""
    assert aim.second is not None
    pair = {aim.second.through, aim.target}
    contacts = (event for event in motion.events if isinstance(event, Contact) and {event.ball, event.other} == pair)
    contact = next(contacts, None)
    left_rad = _leaving_rad(motion, aim.target, contact.t_s) if contact else None
    return None if left_rad is None else turn_between(left_rad, aim.second.leave_rad)


def _after_rebound_rad(motion: Motion, sight: Sight, aim: Aim) -> float | None:
    """By how much a banked target should run otherwise off its cushion, seen from where it started."""
    met = [
        event
        for event in motion.events
        if isinstance(event, CushionHit | Contact | Potted)
        and (event.ball == aim.target or (isinstance(event, Contact) and event.other == aim.target))
    ]
    first = next((index for index, event in enumerate(met) if isinstance(event, CushionHit)), None)
    hit = None if first is None else met[first]
    if first is None or not isinstance(hit, CushionHit) or hit.cushion is not aim.cushion or hit.is_jaw:
        return None
    until_s = met[first + 1].t_s if first + 1 < len(met) else motion.duration_s
    bounce, end = motion.pose(aim.target, hit.t_s), motion.pose(aim.target, until_s - _JUST_AFTER_S / 10)
    if bounce is None or end is None:
        return None
    place, hole = Point(bounce.center_mm[0], bounce.center_mm[1]), mouth(sight.table, aim.pocket)
    ran_rad = direction_to(place, Point(end.center_mm[0], end.center_mm[1]))
    share = min(place.distance_mm(hole) / aim.to_pocket_mm, 1.0)
    return turn_between(ran_rad, direction_to(place, hole)) * share
