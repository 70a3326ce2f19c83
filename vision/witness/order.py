"""What came first: nearer in time than their errors, contacts may be the other way; a ball that fell meets nothing."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from scoring.balls import Ball
from scoring.events import Alternative, Contact, CushionHit, Potted, Strike, TableEvent
from scoring.questions import balls_in

_ERROR_S = 0.0009  # of the time between two contacts of one ball, on 97 computed strokes
_LIKELY = 0.05  # an order that is less sure than this is told with the other one
_EARLIER_S = 1e-4
_ROUGHLY_S = 0.1  # by so much the time of a hit at a jaw may be off


def with_order_doubts(events: Sequence[TableEvent]) -> list[TableEvent]:
    """The events in order of time, with a flag on contacts that may have been before the struck ball's first one."""
    struck = next((event.ball for event in events if isinstance(event, Strike)), None)
    met = [(event, other) for event in events if isinstance(event, Contact) and (other := _partner(event, struck))]
    if not met:
        return list(events)
    first, first_ball = met[0]
    is_alike = first_ball.may_be_numbered
    late = {id(one) for one, other in met if other != first_ball and not (is_alike and other.may_be_numbered)}
    return [_doubted(e, first) if isinstance(e, Contact) and id(e) in late else e for e in events]


def strikes_first(events: Sequence[TableEvent]) -> list[TableEvent]:
    """The events, each strike before what its ball met: one that falls at once is seen to set out only as it falls."""
    return [_before_its_own(event, events) if isinstance(event, Strike) else event for event in events]


def _before_its_own(strike: Strike, events: Sequence[TableEvent]) -> Strike:
    own_s = [other.t_s for other in events if strike.ball in balls_in(other) and not isinstance(other, Strike)]
    first_s = min((t_s for t_s in own_s if t_s > strike.t_s - _ROUGHLY_S), default=strike.t_s)
    return strike if first_s >= strike.t_s else replace(strike, t_s=first_s - _EARLIER_S)


def before_falls(events: Sequence[TableEvent]) -> list[TableEvent]:
    """The events; what a ball met just after its fall it met before, as a jaw is timed only roughly.

    What it seems to have met later, in a pocket where it is still seen, it has not met, if the fall is sure.
    """
    falls = {event.ball: event for event in events if isinstance(event, Potted)}
    return [told for event in events if (told := _at_latest(event, falls)) is not None]


def _at_latest(event: TableEvent, falls: Mapping[Ball, Potted]) -> TableEvent | None:
    if not isinstance(event, Contact | CushionHit):
        return event
    first = min((falls[ball] for ball in balls_in(event) if ball in falls), key=lambda fall: fall.t_s, default=None)
    if first is None or event.t_s < first.t_s:
        return event
    if event.t_s - first.t_s < _ROUGHLY_S:
        return replace(event, t_s=first.t_s - _EARLIER_S)
    return event if first.flagged else None


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
