"""Doubtful events: the other ways in which a stroke can be read, and the question that decides between them.

An event is doubtful when it is flagged, when it has alternatives, or when it names a ball nobody knows. The referee
judges the readings; only where their rulings differ is anybody asked.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product

from scoring.balls import Ball, BallKind
from scoring.events import Contact, CushionHit, Moved, OffTable, Potted, Rest, Strike, TableEvent
from scoring.questions import Facts, balls_hit_first, balls_in, balls_touched, chain_to, facts_of, partner
from scoring.rulings import Choice, Question, QuestionKind
from scoring.shots import AnswerValue

Events = tuple[TableEvent, ...]
Patch = dict[int, TableEvent | None]

LEAST_PROBABILITY = 0.01
"""Alternatives less likely than this are not worth a question."""

MOST_READINGS = 64
"""A stroke in which more than this is doubtful is read by its likeliest doubts."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a doubt: which events it replaces (None: it did not happen), and how likely it is."""

    patch: Patch
    probability: float


@dataclass(frozen=True, slots=True)
class Doubt:
    """Events that are doubtful together; the first reading is the one that the witness gave."""

    readings: tuple[Reading, ...]
    unknown: Ball | None = None


def certain(event: TableEvent) -> TableEvent:
    """The event without its doubts."""
    return replace(event, flagged=False, reason=None, alternatives=(), candidates={}, confidence=1.0)


def is_doubtful(event: TableEvent) -> bool:
    """Whether the witness was not sure of an event in a way that rules could mind."""
    if not event.flagged and not event.alternatives:
        return False
    likely = any(other.probability >= LEAST_PROBABILITY for other in event.alternatives)
    return not isinstance(event, Rest) and (event.flagged or likely)


def doubts_of(events: Events, in_play: frozenset[Ball]) -> tuple[Doubt, ...]:
    """All doubts of a stroke; identities first, for other doubts may hang on them."""
    unknown = dict.fromkeys(ball for event in events for ball in balls_in(event) if ball.is_unknown)
    groups: dict[object, list[int]] = {}
    for index, event in enumerate(events):
        if is_doubtful(event):
            groups.setdefault(_together(event, index), []).append(index)
    named = tuple(_identity(events, ball, in_play) for ball in unknown)
    return named + tuple(d for indexes in groups.values() if len((d := _doubt(events, indexes, in_play)).readings) > 1)


def _together(event: TableEvent, index: int) -> object:
    """Doubtful contacts of the same two balls stand or fall together, and so do cushions of one ball."""
    if isinstance(event, Contact):
        return frozenset((event.ball, event.other))
    return (event.kind, event.ball) if isinstance(event, CushionHit) else index


def _identity(events: Events, unknown: Ball, in_play: frozenset[Ball]) -> Doubt:
    """Who an unknown ball may be, in all its events at once."""
    chances: dict[Ball, float] = {}
    for event in events:
        if unknown in balls_in(event):
            named = {ball: p for ball, p in event.candidates.items() if ball in in_play}
            chances = chances or named
    chances = chances or dict.fromkeys(sorted(in_play), 1 / max(len(in_play), 1))
    ranked = sorted(chances.items(), key=lambda item: -item[1])
    readings = []
    for ball, chance in ranked:
        patch: Patch = {
            index: _renamed(event, unknown, ball) for index, event in enumerate(events) if unknown in balls_in(event)
        }
        readings.append(Reading(patch, chance))
    return Doubt(tuple(readings), unknown)


def _renamed(event: TableEvent, unknown: Ball, ball: Ball) -> TableEvent:
    """The event with a name for its unknown ball."""
    if isinstance(event, Contact):
        one, other = (ball if name == unknown else name for name in (event.ball, event.other))
        return replace(event, ball=one, other=other)
    return event if isinstance(event, Rest) else replace(event, ball=ball)


def _doubt(events: Events, indexes: Sequence[int], in_play: frozenset[Ball]) -> Doubt:
    """The readings of events that stand or fall together."""
    first = events[indexes[0]]
    readings = [Reading({index: certain(events[index]) for index in indexes}, first.confidence)]
    for other in first.alternatives:
        known = other.event is None or all(ball in in_play or ball.is_unknown for ball in balls_in(other.event))
        if other.probability >= LEAST_PROBABILITY and known:
            patch: Patch = dict.fromkeys(indexes)
            if other.event is not None:
                patch[indexes[0]] = certain(other.event)
            readings.append(Reading(patch, other.probability))
    if first.flagged and len(readings) == 1:
        readings.append(Reading(dict.fromkeys(indexes), 1 - first.confidence))
    if isinstance(first, Strike):  # somebody struck: only which ball is in doubt
        readings = [reading for reading in readings if None not in reading.patch.values()]
    return Doubt(tuple(readings))


def patched(events: Events, patches: Iterable[Patch]) -> Events:
    """The events as a reading has them."""
    merged: Patch = {}
    for patch in patches:
        merged |= patch
    read = (merged.get(index, event) for index, event in enumerate(events))
    return tuple(event for event in read if event is not None)


def differing(
    events: Events, doubts: Sequence[Doubt], outcome: Callable[[Events], object]
) -> tuple[Doubt, Reading] | None:
    """The first doubt, and its reading, on which the outcome hangs; None when no doubt matters.

    Doubts are tried one at a time and then together, for two of them may matter only jointly.
    """
    likeliest = [doubt.readings[0] for doubt in doubts]
    base = outcome(patched(events, (reading.patch for reading in likeliest)))
    combinations = product(*(range(len(doubt.readings)) for doubt in doubts))
    chosen = sorted(combinations, key=lambda picks: sum(map(bool, picks)))[1:MOST_READINGS]
    for picks in chosen:
        readings = [doubt.readings[pick] for doubt, pick in zip(doubts, picks, strict=True)]
        if outcome(patched(events, (reading.patch for reading in readings))) != base:
            index = next(index for index, pick in enumerate(picks) if pick)
            return doubts[index], readings[index]
    return None


def question_about(events: Events, doubts: Sequence[Doubt], doubt: Doubt, other: Reading) -> Question:
    """The question that decides a doubt: its choices are the doubt's readings, in their order."""
    rest = [one.readings[0].patch for one in doubts if one is not doubt]
    read = [facts_of(patched(events, [*rest, reading.patch])) for reading in doubt.readings]
    index = min(doubt.readings[0].patch)
    event = events[index]
    base, changed = read[0], read[doubt.readings.index(other)]
    kind = _kind(event, doubt, base, changed)
    about = _about(event, base)
    values = [_value(kind, event, doubt, number, facts) for number, facts in enumerate(read)]
    if len(set(map(str, values))) < len(values):
        values = [number == 0 for number in range(len(values))]
    ranked = sorted(zip(values, doubt.readings, strict=True), key=lambda pair: -pair[1].probability)
    choices = tuple(Choice(value, reading.probability) for value, reading in ranked)
    return Question(kind=kind, choices=choices, about=about, reason=event.reason)


def readings_by_choice(doubt: Doubt) -> tuple[Reading, ...]:
    """The readings in the order of the question's choices."""
    return tuple(sorted(doubt.readings, key=lambda reading: -reading.probability))


def _about(event: TableEvent, base: Facts) -> Ball | None:
    """The ball that a question is about: of a contact with the cue ball the other one."""
    if isinstance(event, Contact) and base.cue is not None:
        return partner(event, base.cue) or event.ball
    balls = balls_in(event)
    return balls[0] if balls else None


def _kind(event: TableEvent, doubt: Doubt, base: Facts, other: Facts) -> QuestionKind:
    """Which of the contract's questions a doubt is."""
    if doubt.unknown is not None or isinstance(event, Strike):
        named = [
            ball
            for reading in doubt.readings
            for changed in reading.patch.values()
            if changed
            for ball in balls_in(changed)
        ]
        white = any(ball.kind is BallKind.WHITE for ball in named)
        return QuestionKind.WHICH_WHITE if white else QuestionKind.BALL_NUMBER
    match event:
        case Contact():
            return _contact_kind(event, base, other)
        case OffTable():
            return QuestionKind.RETURNED if event.returned else QuestionKind.OFF_TABLE
        case Potted() | Moved():
            return _pot_kind(event, base, other)
        case _:
            return QuestionKind.BANK if isinstance(event, CushionHit) else QuestionKind.LAYOUT


def _pot_kind(event: Potted | Moved, base: Facts, other: Facts) -> QuestionKind:
    """Whether it is in doubt that a ball fell, or which ball it was."""
    pots = {pot.ball for pot in other.pots}
    if not isinstance(event, Potted) or event.ball in pots or len(other.pots) != len(base.pots):
        return QuestionKind.POCKET_OR_HAND
    return QuestionKind.WHICH_WHITE if event.ball.kind is BallKind.WHITE else QuestionKind.BALL_NUMBER


def _contact_kind(event: Contact, base: Facts, other: Facts) -> QuestionKind:
    """What a doubtful contact puts in doubt."""
    if base.cue is None or partner(event, base.cue) is None:
        return QuestionKind.CHAIN
    down = any(pot.ball == base.cue for pot in base.pots) or any(gone.ball == base.cue for gone in base.off)
    if balls_hit_first(base) != balls_hit_first(other) and (down or not base.pots):
        return QuestionKind.FIRST_CONTACT
    if any(chain_to(base, pot) != chain_to(other, pot) for pot in base.pots):
        return QuestionKind.CHAIN
    return QuestionKind.CAROM if balls_touched(base) != balls_touched(other) else QuestionKind.FIRST_CONTACT


def _value(kind: QuestionKind, event: TableEvent, doubt: Doubt, number: int, facts: Facts) -> AnswerValue:
    """The answer that stands for one reading."""
    changed = next(iter(doubt.readings[number].patch.values()))
    match kind:
        case QuestionKind.WHICH_WHITE | QuestionKind.BALL_NUMBER:
            return _named(event, changed, doubt)
        case QuestionKind.FIRST_CONTACT:
            first = balls_hit_first(facts)
            return first[0] if first else False
        case QuestionKind.CHAIN:
            chains = [chain_to(facts, pot) for pot in facts.pots if pot.ball in balls_in(event) or len(facts.pots) == 1]
            if not chains or chains[0] is None:
                return False
            return chains[0][-1] if chains[0] else facts.cue
        case QuestionKind.POCKET_OR_HAND:
            return changed.pocket if isinstance(changed, Potted) else "hand"
        case _:
            return number == 0 if not isinstance(changed, Contact) else (number == 0 or changed.other)


def _named(event: TableEvent, changed: TableEvent | None, doubt: Doubt) -> AnswerValue:
    """The ball that a reading of an identity names."""
    if changed is None:
        return False
    names = balls_in(changed)
    if doubt.unknown is None:
        return names[0]
    place = balls_in(event).index(doubt.unknown)
    return names[place]
