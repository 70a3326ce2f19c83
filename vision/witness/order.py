"""Which ball the struck one met first: two contacts that are nearer in time than their errors may be the other way."""

import math
from collections.abc import Sequence
from dataclasses import replace

from scoring.balls import Ball, BallKind
from scoring.events import Alternative, Contact, Strike, TableEvent

_ERROR_S = 0.0009  # of the time between two contacts of one ball, on 97 computed strokes
_LIKELY = 0.05  # an order that is less sure than this is told with the other one
_EARLIER_S = 1e-4
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
