"""Which ball of the truth a ball that was seen is, where looks alone do not tell."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import TypeAlias

import numpy as np
from scipy.optimize import linear_sum_assignment

from scoring.balls import Ball
from scoring.events import Contact, Potted, Rest, TableEvent

Naming: TypeAlias = Mapping[Ball, Ball]

_SAME_PLACE_MM = 25.0
_SAME_REST_S = 1.5
_SAME_FALL_S = 0.3


def colour_namings(events: Sequence[TableEvent]) -> Iterator[Naming]:
    """All ways to name balls of one colour; the first that occur stay as they are."""
    groups: dict[str, set[str]] = {}
    for ball in {ball for event in events for ball in _balls(event)}:
        if "-" in ball.name and not ball.is_unknown:
            groups.setdefault(ball.colour, set()).add(ball.name)
    choices: list[list[dict[Ball, Ball]]] = []
    for colour, members in sorted(groups.items()):
        full = [Ball(name) for name in sorted(members | {f"{colour}-1", f"{colour}-2"})]
        choices.append([dict(zip(full, order, strict=True)) for order in permutations(full)])
    for combination in product(*choices):
        yield {old: new for part in combination for old, new in part.items()}


def number_naming(truth: Sequence[TableEvent], seen: Sequence[TableEvent]) -> Naming:
    """The numbers of balls without a name: those that lay and fell where these did, most often over the recording."""
    votes: dict[tuple[Ball, Ball], int] = {}
    for one, other in _votes(truth, seen):
        votes[one, other] = votes.get((one, other), 0) + 1
    unknown, numbered = sorted({one for one, _ in votes}), sorted({other for _, other in votes})
    count = np.array([[votes.get((one, other), 0) for other in numbered] for one in unknown]).reshape(
        len(unknown), len(numbered)
    )
    rows, columns = linear_sum_assignment(-count)
    return {unknown[i]: numbered[j] for i, j in zip(rows, columns, strict=True) if count[i, j]}


def _votes(truth: Sequence[TableEvent], seen: Sequence[TableEvent]) -> Iterator[tuple[Ball, Ball]]:
    """Pairs of an unknown ball and a numbered one in one place, at a rest or in a fall."""
    for event in truth:
        if isinstance(event, Rest):
            near = [e for e in seen if isinstance(e, Rest) and abs(e.t_s - event.t_s) < _SAME_REST_S]
            told = min(near, key=lambda e: abs(e.t_s - event.t_s), default=None)
            for one, place in (told.balls if told is not None else {}).items():
                for other, its in event.balls.items():
                    if (
                        _may_be(one, other)
                        and math.dist((place.x_mm, place.y_mm), (its.x_mm, its.y_mm)) < _SAME_PLACE_MM
                    ):
                        yield one, other
        elif isinstance(event, Potted):
            falls = [e for e in seen if isinstance(e, Potted) and e.pocket is event.pocket]
            for fall in falls:
                if abs(fall.t_s - event.t_s) < _SAME_FALL_S and _may_be(fall.ball, event.ball):
                    yield fall.ball, event.ball


def _may_be(one: Ball, other: Ball) -> bool:
    return one.is_unknown and other.number is not None


def _balls(event: TableEvent) -> Iterable[Ball]:
    match event:
        case Contact():
            return event.ball, event.other
        case Rest():
            return ()
        case _:
            return (event.ball,)
