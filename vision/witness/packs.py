"""Packs: balls that lie against each other, as in a rack. A hit on one reaches the others within a millisecond.

No picture shows the order of such contacts, and replays of them only repeat the errors of the places. What is known is
who lay against whom, and when the pack was hit.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from scoring.table import Point
from vision.witness.causes import Explanation, Happening
from vision.witness.kinks import Story

_TOUCH_MM = 2.5  # a gap that may be none
_LEAST_BALLS = 4
_SEEN_LATE_S = 0.3  # balls that are hidden by others are seen to have moved so much later
_CONFIDENCE = 0.85  # of balls of a rack that lay against each other, so many passed the hit on
_DOUBTFUL = 0.5
_SIDE_BY_SIDE = 0.3

Pair = frozenset[int]


@dataclass(frozen=True, slots=True)
class Pack:
    """Balls that lay against each other before a stroke: who against whom, and where."""

    pairs: frozenset[Pair]
    places: Mapping[int, Point]

    @property
    def balls(self) -> frozenset[int]:
        """All of them."""
        return frozenset(self.places)

    def middles(self) -> Iterator[tuple[tuple[int, int], Point]]:
        """The pairs in order, with the middle of each."""
        for one, two in sorted((min(pair), max(pair)) for pair in self.pairs):
            a, b = self.places[one], self.places[two]
            yield (one, two), a.midway(b)


def find_packs(stories: Mapping[int, Story], ball_mm: float) -> list[Pack]:
    """The packs among the balls that lay still when the stroke began."""
    places = {key: one.legs[0].point(one.legs[0].to_s) for key, one in stories.items() if one.legs[0].kind == "rest"}
    packs: list[Pack] = []
    for one, two in combinations(sorted(places), 2):
        if places[one].distance_mm(places[two]) < ball_mm + _TOUCH_MM:
            near = [pack for pack in packs if pack.balls & {one, two}]
            pairs = frozenset((frozenset((one, two)), *(pair for pack in near for pair in pack.pairs)))
            grown = Pack(pairs, {ball: places[ball] for pair in pairs for ball in pair})
            packs = [*(pack for pack in packs if pack not in near), grown]
    return [pack for pack in packs if len(pack.balls) >= _LEAST_BALLS]


def with_packs(
    explanations: Sequence[Explanation], packs: Sequence[Pack], stories: Mapping[int, Story]
) -> list[Explanation]:
    """The explanations with the contacts in each pack at the moment in which it was hit."""
    result = list(explanations)
    for pack in packs:
        hit = _hit(result, pack)
        if hit is None:
            continue
        result = [
            replace(one, happenings=tuple(h for h in one.happenings if not _is_within(h, pack, hit.t_s)))
            for one in result
        ]
        moved = {ball: legs[1] for ball in pack.balls if len(legs := stories[ball].legs) > 1}
        onward = _sum(leg.velocity(leg.from_s) for leg in moved.values())
        passed = tuple(
            Happening(hit.t_s, one, other=two, at=middle, confidence=_CONFIDENCE)
            for (one, two), middle in pack.middles()
            if {one, two} <= moved.keys() and _is_along(onward, pack.places[one], pack.places[two])
        )
        result.append(Explanation(happenings=passed, error=0.0))
    return result


def _hit(explanations: Sequence[Explanation], pack: Pack) -> Happening | None:
    """The first contact of a ball from outside with the pack."""
    hits = [
        h for one in explanations for h in one.happenings if h.other is not None and len(_pair(h) & pack.balls) == 1
    ]
    return min(hits, key=lambda h: h.t_s, default=None)


def _sum(vectors: Iterable[tuple[float, float]]) -> tuple[float, float]:
    x, y = 0.0, 0.0
    for one, two in vectors:
        x, y = x + one, y + two
    return x, y


def _is_along(push: tuple[float, float], one: Point, two: Point) -> bool:
    """Whether a push goes through two balls: not through those that lie side by side to it."""
    size = math.hypot(*push) * one.distance_mm(two)
    along = push[0] * (two.x_mm - one.x_mm) + push[1] * (two.y_mm - one.y_mm)
    return abs(along) > _SIDE_BY_SIDE * size


def _is_within(happening: Happening, pack: Pack, hit_s: float) -> bool:
    """Whether a contact is one that passed the hit on, or a mere guess at one."""
    pair = _pair(happening)
    if happening.other is None or not pair <= pack.balls or not abs(happening.t_s - hit_s) < _SEEN_LATE_S:
        return False
    return pair in pack.pairs or happening.confidence < _DOUBTFUL


def _pair(happening: Happening) -> Pair:
    return frozenset((happening.ball,) if happening.other is None else (happening.ball, happening.other))
