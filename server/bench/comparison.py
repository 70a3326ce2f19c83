"""Deduced events against the truth: per type, and per stroke in all that scoring reads.

Strokes are paired by the time of their strikes. Balls of one colour are interchangeable: their naming is chosen once
per recording so that most events agree, and so are the numbers of balls that were seen without one; a swap within it
is wrong. A stroke is exact when the struck ball, the first
ball hit, the balls that the cue ball touched, the pots (with pocket, bank, and whether the cue ball had touched the
ball) and the balls off the table are right; flagged when it is not but something in it is; else silent.

In a rack a push truly goes to and fro between two balls within a moment: that is one contact. Noses are the cushions
without the pockets' jaws, which no rule reads.
"""

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from scoring.balls import Ball
from scoring.events import Contact, CushionHit, OffTable, Potted, Rest, Strike, TableEvent
from scoring.table import Pocket
from server.bench.naming import Naming, colour_namings, number_naming

KINDS = ("strike", "contact", "cushion", "pocket", "off_table", "rest")
NOSE = "nose"
SAME_MOMENT_S = 0.12
_SLACK_S = {"rest": 1.0, "pocket": 0.5, "strike": 0.6, "off_table": 0.5}
_SAME_STROKE_S = 0.6
_ONE_CONTACT_S = 0.002

Pot: TypeAlias = tuple[Ball, Pocket, bool, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class KindFigures:
    """How well events of one kind were found; time errors in ms of those that were."""

    kind: str
    true: int
    predicted: int
    gaps_ms: tuple[float, ...]

    @property
    def matched(self) -> int:
        """How many true events were found."""
        return len(self.gaps_ms)

    @property
    def precision(self) -> float:
        """The share of what was told that is true."""
        return self.matched / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The share of what is true that was told."""
        return self.matched / self.true if self.true else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    @property
    def median_ms(self) -> float | None:
        """The usual time error."""
        return statistics.median(self.gaps_ms) if self.gaps_ms else None

    @property
    def p95_ms(self) -> float | None:
        """The time error that 95 of 100 stay below."""
        return sorted(self.gaps_ms)[int(0.95 * (len(self.gaps_ms) - 1))] if self.gaps_ms else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What scoring reads of a stroke."""

    cue: Ball
    first: Ball | None
    touched: frozenset[Ball]
    pots: frozenset[Pot]
    off: frozenset[Ball]

    def differences(self, seen: "Signature") -> Iterator[str]:
        """What is not as it was, in words."""
        if self.cue != seen.cue:
            yield f"struck {seen.cue} instead of {self.cue}"
        if self.first != seen.first:
            yield f"first ball {seen.first or 'none'} instead of {self.first or 'none'}"
        if self.touched != seen.touched:
            yield f"touched {_names(seen.touched)} instead of {_names(self.touched)}"
        if self.pots != seen.pots:
            yield f"potted {_pots(seen.pots)} instead of {_pots(self.pots)}"
        if self.off != seen.off:
            yield f"off the table {_names(seen.off)} instead of {_names(self.off)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StrokeVerdict:
    """One stroke: `verdict` is exact, flagged, silent or invented; `asks`: something in it is flagged."""

    t_s: float
    verdict: str
    asks: bool
    first_is_right: bool
    difference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All that one recording tells."""

    kinds: tuple[KindFigures, ...]
    strokes: tuple[StrokeVerdict, ...]


def compare(truth: Sequence[TableEvent], seen: Sequence[TableEvent]) -> Comparison:
    """Compare all events of one recording."""
    truth, seen = (sorted(events, key=lambda event: event.t_s) for events in (truth, seen))
    truth = _once(truth)
    pairs: list[tuple[TableEvent, TableEvent]] = []
    naming: Naming = {}
    numbers = number_naming(truth, seen)
    for colours in colour_namings(seen):
        candidate = {**colours, **numbers}
        matched = _matched(truth, seen, candidate)
        if not naming or len(matched) > len(pairs):
            naming, pairs = candidate, matched
    kinds = tuple(
        KindFigures(
            kind=kind,
            true=sum(_is_of(kind, event) for event in truth),
            predicted=sum(_is_of(kind, event) for event in seen),
            gaps_ms=tuple(
                1e3 * abs(one.t_s - other.t_s) for one, other in pairs if _is_of(kind, one) and _is_of(kind, other)
            ),
        )
        for kind in (*KINDS, NOSE)
    )
    return Comparison(kinds=kinds, strokes=tuple(_verdicts(truth, seen, naming)))


def _is_of(kind: str, event: TableEvent) -> bool:
    return isinstance(event, CushionHit) and not event.is_jaw if kind == NOSE else event.kind == kind


def _once(events: Sequence[TableEvent]) -> list[TableEvent]:
    """Events in order of time without the repeats of a contact."""
    kept: list[TableEvent] = []
    last_s: dict[frozenset[Ball], float] = {}
    for event in events:
        if isinstance(event, Contact):
            pair = frozenset((event.ball, event.other))
            if event.t_s - last_s.get(pair, -math.inf) < _ONE_CONTACT_S:
                continue
            last_s[pair] = event.t_s
        kept.append(event)
    return kept


def _verdicts(truth: Sequence[TableEvent], seen: Sequence[TableEvent], naming: Naming) -> Iterator[StrokeVerdict]:
    """Every true stroke with what was seen of it, then those that nobody played."""
    left = _strokes(seen)
    for stroke in _strokes(truth):
        start_s = stroke[0].t_s
        near = [other for other in left if abs(other[0].t_s - start_s) <= _SAME_STROKE_S]
        if not near:
            yield StrokeVerdict(t_s=start_s, verdict="silent", asks=False, first_is_right=False, difference="not seen")
            continue
        other = min(near, key=lambda one: abs(one[0].t_s - start_s))
        left.remove(other)
        true, told = _signature(stroke, {}), _signature(other, naming)
        asks = any(event.flagged for event in other)
        verdict = "exact" if true == told else "flagged" if asks else "silent"
        yield StrokeVerdict(
            t_s=start_s,
            verdict=verdict,
            asks=asks,
            first_is_right=(true.cue, true.first) == (told.cue, told.first),
            difference="; ".join(true.differences(told)),
        )
    for invented in left:
        asks = any(event.flagged for event in invented)
        what = f"a stroke of {_named(_struck(invented), naming)} that nobody played"
        yield StrokeVerdict(t_s=invented[0].t_s, verdict="invented", asks=asks, first_is_right=False, difference=what)


def _strokes(events: Sequence[TableEvent]) -> list[list[TableEvent]]:
    """Events from each strike to the next."""
    groups: list[list[TableEvent]] = []
    for event in events:
        if isinstance(event, Strike):
            groups.append([event])
        elif groups and event.kind in KINDS:
            groups[-1].append(event)
    return groups


def _struck(stroke: Sequence[TableEvent]) -> Ball:
    strike = stroke[0]
    assert isinstance(strike, Strike)
    return strike.ball


def _signature(stroke: Sequence[TableEvent], naming: Naming) -> Signature:
    cue = _named(_struck(stroke), naming)
    first: Ball | None = None
    touched: set[Ball] = set()
    banked: set[Ball] = set()
    pots: set[Pot] = set()
    off: set[Ball] = set()
    for event in stroke[1:]:
        match event:
            case Contact():
                pair = {_named(event.ball, naming), _named(event.other, naming)}
                if cue in pair and len(pair) > 1:
                    (other,) = pair - {cue}
                    first = first or other
                    touched.add(other)
            case CushionHit() if not event.is_jaw:
                banked.add(_named(event.ball, naming))
            case Potted():
                ball = _named(event.ball, naming)
                pots.add((ball, event.pocket, ball in touched, ball in banked and ball != cue))
            case OffTable():
                off.add(_named(event.ball, naming))
            case _:
                pass
    return Signature(cue=cue, first=first, touched=frozenset(touched), pots=frozenset(pots), off=frozenset(off))


def _matched(
    truth: Sequence[TableEvent], seen: Sequence[TableEvent], naming: Naming
) -> list[tuple[TableEvent, TableEvent]]:
    """Events that say the same at the same time; the nearest first, each once."""
    known: dict[object, list[int]] = {}
    for index, event in enumerate(seen):
        known.setdefault(_key(event, naming), []).append(index)
    pairs = []
    for number, event in enumerate(truth):
        slack_s = _SLACK_S.get(event.kind, SAME_MOMENT_S)
        for index in known.get(_key(event, {}), ()):
            gap_s = abs(event.t_s - seen[index].t_s)
            if event.kind in KINDS and gap_s <= slack_s:
                pairs.append((gap_s, number, index))
    used_truth: set[int] = set()
    used_seen: set[int] = set()
    matched = []
    for _, number, index in sorted(pairs):
        if number not in used_truth and index not in used_seen:
            used_truth.add(number)
            used_seen.add(index)
            matched.append((truth[number], seen[index]))
    return matched


def _key(event: TableEvent, naming: Naming) -> object:
    """What must agree besides the time."""
    match event:
        case Contact():
            return event.kind, frozenset((_named(event.ball, naming), _named(event.other, naming)))
        case CushionHit():
            return event.kind, _named(event.ball, naming), event.cushion
        case Potted():
            return event.kind, _named(event.ball, naming), event.pocket
        case Rest():
            return event.kind
        case _:
            return event.kind, _named(event.ball, naming)


def _named(ball: Ball, naming: Naming) -> Ball:
    return naming.get(ball, ball)


def _names(balls: frozenset[Ball]) -> str:
    return ", ".join(sorted(ball.name for ball in balls)) or "none"


def _pots(pots: frozenset[Pot]) -> str:
    told = [
        f"{ball} in {pocket}{'' if is_hit else ' untouched'}{' off a cushion' if is_banked else ''}"
        for ball, pocket, is_hit, is_banked in pots
    ]
    return ", ".join(sorted(told)) or "none"
