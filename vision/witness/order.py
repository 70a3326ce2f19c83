"""What came first: nearer in time than their errors, contacts may be the other way; a ball that fell meets nothing."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from scoring.balls import Ball, BallKind
from scoring.events import Alternative, Contact, CushionHit, Potted, Strike, TableEvent

_ERROR_S = 0.0009  # of the time between two contacts of one ball, on 97 computed strokes
_LIKELY = 0.05  # an order that is less sure than this is told with the other one
_EARLIER_S = 1e-4
_ROUGHLY_S = 0.1  # so far after a fall the time of a hit is off at most; later than that something else is wrong
_ALIKE = (BallKind.NUMBERED, BallKind.UNKNOWN)


def with_order_doubts(events: Sequence[TableEvent]) -> list[TableEvent]:
    """The events in order of time, with a flag on contacts that may have been before the struck ball's first one."""
    struck = next((event.ball for event in events if isinstance(event, Strike)), None)
    met = [(event, other) for event in events if isinstance(event, Contact) and (other := _partner(event, struck))]
    if not met:
        return list(events)
    first, first_ball = met[0]
    late = {id(event) for event, other in met if other != first_ball and not {other.kind, first_ball.kind} <= {*_ALIKE}}
    return [_doubted(e, first) if isinstance(e, Contact) and id(e) in late else e for e in events]


def before_falls(events: Sequence[TableEvent]) -> list[TableEvent]:
    """The events; what a ball met just after its fall it met before: a jaw is timed only roughly."""
    fell_s = {event.ball: event.t_s for event in events if isinstance(event, Potted)}
    return [_at_latest(e, fell_s) if isinstance(e, Contact | CushionHit) else e for e in events]


def _at_latest(event: Contact | CushionHit, fell_s: Mapping[Ball, float]) -> Contact | CushionHit:
    balls = (event.ball, event.other) if isinstance(event, Contact) else (event.ball,)
    first_s = min((fell_s[ball] for ball in balls if ball in fell_s), default=math.inf)
    is_just_after = 0.0 <= event.t_s - first_s < _ROUGHLY_S
    return replace(event, t_s=first_s - _EARLIER_S) if is_just_after else event


def _doubted(event: Contact, first: Contact) -> Contact:
    chance = 0.5 * math.erfc((event.t_s - first.t_s) / (_ERROR_S * math.sqrt(2)))
    if event.flagged or chance < _LIKELY:
        return event
    before = replace(event, t_s=first.t_s - _EARLIER_S, confidence=chance)
    reason = f"{event.ball} and {event.other} met within {1e3 * (event.t_s - first.t_s):.1f} ms of the first contact"
    alternatives = (*event.alternatives, Alternative(chance, before))
    return replace(event, flagged=True, reason=reason, alternatives=alternatives)


def _partner(contact: Contact, ball: Ball | None) -> Ball | None:
    """Who met a ball in a contact; None when it took no part."""
    pair = (contact.ball, contact.other)
    return None if ball not in pair else pair[1 - pair.index(ball)]
