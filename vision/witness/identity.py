"""Balls whose identity is not known: the events that name them say who they may be, and that it matters."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from scoring.balls import Ball
from scoring.events import Alternative, Contact, Potted, Rest, TableEvent

_SAME_TO_ALL = "numbered"  # balls that no camera tells apart: their numbers are asked for when a rule needs them


def with_candidates(
    events: Sequence[TableEvent], candidates: Mapping[Ball, Mapping[Ball, float]]
) -> tuple[TableEvent, ...]:
    """The events with the candidates of each unknown ball of a known set; flagged where scoring may read it wrong."""
    return tuple(_with_candidates(event, candidates) for event in events) if candidates else tuple(events)


def with_other_numbers(
    events: Sequence[TableEvent], numbers: Mapping[Ball, Mapping[Ball, float]]
) -> tuple[TableEvent, ...]:
    """The events with the other numbers that a ball that fell may have: beside a call even unlikely ones matter."""
    return tuple(
        replace(event, alternatives=(*event.alternatives, *_as_others(event, numbers[event.ball])))
        if isinstance(event, Potted) and event.ball in numbers
        else event
        for event in events
    )


def with_doubt_at_rest(events: Sequence[TableEvent], doubt: str | None) -> tuple[TableEvent, ...]:
    """The events with a doubt about who is who after the stroke, in words, on the rest that ends it."""
    if doubt is None:
        return tuple(events)
    return tuple(
        replace(event, flagged=True, reason=f"{event.reason}; {doubt}" if event.reason else doubt)
        if isinstance(event, Rest)
        else event
        for event in events
    )


def _as_others(pot: Potted, numbers: Mapping[Ball, float]) -> tuple[Alternative, ...]:
    """The same fall, of balls of other numbers, the likeliest first."""
    ranked = sorted(numbers.items(), key=lambda item: -item[1])
    return tuple(Alternative(chance, replace(pot, ball=ball, alternatives=())) for ball, chance in ranked)


def _with_candidates(event: TableEvent, candidates: Mapping[Ball, Mapping[Ball, float]]) -> TableEvent:
    unknown = [ball for ball in _balls_of(event) if ball in candidates]
    if not unknown:
        return event
    chances: dict[Ball, float] = {}
    for ball in unknown:
        for member, chance in candidates[ball].items():
            chances[member] = max(chance, chances.get(member, 0.0))
    event = replace(event, candidates=chances)
    doubtful = [ball for ball in unknown if _matters(event, candidates[ball])]
    if not doubtful:
        return event
    doubt = f"which ball is {', '.join(ball.name for ball in doubtful)}?"
    return replace(event, flagged=True, reason=f"{event.reason}; {doubt}" if event.reason else doubt)


def _matters(event: TableEvent, candidates: Mapping[Ball, float]) -> bool:
    """Whether scoring may read a difference: what only lies there while the whole set lies elsewhere makes none."""
    if not candidates:
        return not isinstance(event, Rest)
    return any(ball.colour != _SAME_TO_ALL for ball in candidates)


def _balls_of(event: TableEvent) -> tuple[Ball, ...]:
    match event:
        case Rest():
            return tuple(event.balls)
        case Contact():
            return (event.ball, event.other)
        case _:
            return (event.ball,)
