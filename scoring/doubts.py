"""Doubtful events: the other ways in which a stroke can be read, and the question that decides between them.

An event is doubtful when it is flagged, when it has alternatives, or when it names a ball nobody knows. The referee
judges the readings; only where their rulings differ is anybody asked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice, product

from scoring.ball_numbers import renamed_places
from scoring.balls import Ball, BallKind
from scoring.events import Contact, CushionHit, Moved, OffTable, Potted, Rest, Strike, TableEvent
from scoring.questions import Facts, balls_hit_first, balls_in, chain_to, facts_of, partner
from scoring.rulings import Choice, Question, QuestionKind
from scoring.shots import AnswerValue, Call

Events = tuple[TableEvent, ...]
Patch = dict[int, TableEvent | None]

LEAST_PROBABILITY = 0.01
"""Alternatives less likely than this are not worth a question."""

CALLED_TO_OTHERS = 50.0
"""How much oftener the ball that was called falls into the pocket that was called than any one of the others."""

MOST_READINGS = 32
"""A stroke in which more than this is doubtful is read by its likeliest doubts."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a doubt: which events it replaces (None: it did not happen), how likely it is, who is who."""

    patch: Patch
    probability: float
    names: Mapping[Ball, Ball] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Doubt:
    """Events that are doubtful together; the first reading is the likeliest, or the one that the witness gave.

    `unknown` is the ball of which only the name is in doubt.
    """

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


def doubts_of(events: Events, in_play: frozenset[Ball], call: Call | None = None) -> tuple[Doubt, ...]:
    """All doubts of a stroke; identities first, for other doubts may hang on them."""
    unknown = dict.fromkeys(ball for event in events for ball in _balls_told(event) if ball.is_unknown)
    groups: dict[object, list[int]] = {}
    named = [_identity(events, ball, in_play, call) for ball in unknown]
    for index, event in enumerate(events):
        numbers = _numbers(event, index, in_play, call) if isinstance(event, Potted) else None
        if numbers is not None:
            named.append(numbers)
        elif is_doubtful(event):
            groups.setdefault(_together(event, index), []).append(index)
    others = (_doubt(events, indexes, in_play) for indexes in groups.values())
    return (*named, *(doubt for doubt in others if len(doubt.readings) > 1))


def _told(event: TableEvent) -> Events:
    """The event, and what it may have been instead."""
    others = () if isinstance(event, Rest) else event.alternatives
    return (event, *(other.event for other in others if other.event is not None))


def _balls_named(event: TableEvent) -> Iterable[Ball]:
    """The balls whose names stand in an event."""
    return event.balls if isinstance(event, Rest) else _balls_told(event)


def _balls_told(event: TableEvent) -> tuple[Ball, ...]:
    """The balls that an event names in any of its readings."""
    return tuple(ball for told in _told(event) for ball in balls_in(told))


def _together(event: TableEvent, index: int) -> object:
    """Doubtful contacts of the same two balls stand or fall together, and so do cushions of one ball."""
    if isinstance(event, Contact):
        return frozenset((event.ball, event.other))
    return (event.kind, event.ball) if isinstance(event, CushionHit) else index


def _identity(events: Events, unknown: Ball, in_play: frozenset[Ball], call: Call | None) -> Doubt:
    """Who an unknown ball may be, in all its events at once; a numbered one that fell may have any number."""
    chances: dict[Ball, float] = {}
    pots: list[Potted] = []
    for told in (told for event in events for told in _told(event)):
        if unknown in balls_in(told):
            chances = chances or {ball: p for ball, p in told.candidates.items() if ball in in_play}
            pots += [told] if isinstance(told, Potted) else []
    chances = chances or dict.fromkeys(sorted(in_play), 1 / max(len(in_play), 1))
    if pots and any(ball.number for ball in chances):
        chances = {ball: LEAST_PROBABILITY for ball in in_play if ball.number} | chances
        chances = _with_call(chances, pots[0], call)
    ranked = sorted(chances.items(), key=lambda item: (-item[1], item[0].number or 0))
    return Doubt(tuple(Reading({}, chance, {unknown: ball}) for ball, chance in ranked), unknown)


def _numbers(pot: Potted, index: int, in_play: frozenset[Ball], call: Call | None) -> Doubt | None:
    """Which number a ball had that fell under one; None when the witness was sure of it, even beside the call."""
    others = [other for other in pot.alternatives if _is_renumbered(pot, other.event)]
    chances = {pot.ball: 1.0 - sum(other.probability for other in others)}
    chances |= {other.event.ball: other.probability for other in others if isinstance(other.event, Potted)}
    likely = {
        ball: chance
        for ball, chance in _with_call(chances, pot, call).items()
        if ball == pot.ball or (chance >= LEAST_PROBABILITY and ball in in_play)
    }
    if len(likely) < 2:
        return None
    plain = replace(pot, alternatives=tuple(other for other in pot.alternatives if other not in others))
    readings = [Reading({index: plain}, chance, {pot.ball: ball, ball: pot.ball}) for ball, chance in likely.items()]
    return Doubt(tuple(readings), pot.ball)


def _is_renumbered(pot: TableEvent, other: TableEvent | None) -> bool:
    """Whether the same fall is told of a ball of another number."""
    if not isinstance(pot, Potted) or not isinstance(other, Potted) or pot.pocket != other.pocket:
        return False
    return bool(pot.ball.number and other.ball.number) and pot.ball != other.ball


def _with_call(chances: Mapping[Ball, float], pot: Potted, call: Call | None) -> dict[Ball, float]:
    """Who a ball that fell may be, when it is known which one was called into that pocket."""
    called = call.ball if call is not None and call.pocket == pot.pocket else None
    weights = {ball: chance * (CALLED_TO_OTHERS if ball == called else 1.0) for ball, chance in chances.items()}
    total = sum(weights.values())
    return {ball: weight / total for ball, weight in weights.items()} if total > 0 else dict(chances)


def renamed_event(event: TableEvent, names: Mapping[Ball, Ball]) -> TableEvent:
    """The event with other names for its balls, in all its readings."""
    if isinstance(event, Rest):
        return replace(event, balls=renamed_places(event.balls, names))
    others = tuple(
        other if other.event is None else replace(other, event=renamed_event(other.event, names))
        for other in event.alternatives
    )
    ball = names.get(event.ball, event.ball)
    if isinstance(event, Contact):
        return replace(event, ball=ball, other=names.get(event.other, event.other), alternatives=others)
    return replace(event, ball=ball, alternatives=others)


def _doubt(events: Events, indexes: Sequence[int], in_play: frozenset[Ball]) -> Doubt:
    """The readings of events that stand or fall together."""
    first = events[indexes[0]]
    readings = [Reading({index: certain(events[index]) for index in indexes}, first.confidence)]
    for other in first.alternatives:
        known = other.event is None or all(ball in in_play or ball.is_unknown for ball in balls_in(other.event))
        if other.probability >= LEAST_PROBABILITY and known and not _is_renumbered(first, other.event):
            patch: Patch = dict.fromkeys(indexes)
            if other.event is not None:
                patch[indexes[0]] = certain(other.event)
            readings.append(Reading(patch, other.probability))
    if first.flagged and len(readings) == 1:
        readings.append(Reading(dict.fromkeys(indexes), 1 - first.confidence))
    if isinstance(first, Strike):  # somebody struck: only which ball is in doubt
        readings = [reading for reading in readings if None not in reading.patch.values()]
    return Doubt(tuple(readings))


def patched(events: Events, readings: Iterable[Reading]) -> Events:
    """The events as readings have them; what they cannot be (a ball that touches itself) is left out."""
    merged: Patch = {}
    names: dict[Ball, Ball] = {}
    for reading in readings:
        merged |= reading.patch
        names |= reading.names
    read = [change for index, event in enumerate(events) if (change := merged.get(index, event)) is not None]
    named = [renamed_event(event, names) if names.keys() & _balls_named(event) else event for event in read]
    return tuple(event for event in named if not isinstance(event, Contact) or event.ball != event.other)


def _picks(counts: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """One reading of each doubt, by its index: all likeliest, then one read otherwise, then two of them, and so on.

    The second reading of each comes before the third of any.
    """
    yield (0,) * len(counts)
    for otherwise in range(1, len(counts) + 1):
        for most in range(1, max(counts)):
            for places in combinations(range(len(counts)), otherwise):
                for changed in product(*(range(1, min(counts[place], most + 1)) for place in places)):
                    if max(changed) == most:
                        others = dict(zip(places, changed, strict=True))
                        yield tuple(others.get(place, 0) for place in range(len(counts)))


def differing(
    events: Events, doubts: Sequence[Doubt], outcome: Callable[[Events], object]
) -> tuple[Doubt, Reading] | None:
    """The first doubt, and its reading, on which the outcome hangs; None when no doubt matters.

    Doubts are tried one at a time and then together, for two of them may matter only jointly.
    """
    likeliest = [doubt.readings[0] for doubt in doubts]
    base = outcome(patched(events, likeliest))
    for picks in islice(_picks([len(doubt.readings) for doubt in doubts]), 1, MOST_READINGS):
        readings = [doubt.readings[pick] for doubt, pick in zip(doubts, picks, strict=True)]
        if outcome(patched(events, readings)) != base:
            index = next(index for index, pick in enumerate(picks) if pick)
            return doubts[index], readings[index]
    return None


def question_about(events: Events, doubts: Sequence[Doubt], doubt: Doubt, other: Reading) -> Question:
    """The question that decides a doubt: its choices are the doubt's readings, in their order."""
    rest = [one.readings[0] for one in doubts if one is not doubt]
    read = [facts_of(patched(events, [*rest, reading])) for reading in doubt.readings]
    event = _first_event(events, doubt)
    base, changed = read[0], read[doubt.readings.index(other)]
    kind = _kind(event, doubt, base, changed)
    about = _about(event, base)
    values = [_value(kind, event, doubt, number, facts) for number, facts in enumerate(read)]
    if values[0] == values[doubt.readings.index(other)]:  # the word does not tell them apart: as seen, or not
        values = [number == 0 for number in range(len(values))]
    ranked = sorted(zip(values, doubt.readings, strict=True), key=lambda pair: -pair[1].probability)
    choices = tuple(Choice(value, reading.probability) for value, reading in ranked)
    return Question(kind=kind, choices=choices, about=about, reason=event.reason)


def _first_event(events: Events, doubt: Doubt) -> TableEvent:
    """The first event that a doubt is about."""
    if doubt.unknown is not None:
        return next(event for event in events if doubt.unknown in _balls_told(event))
    return events[min(doubt.readings[0].patch)]


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
        named = [ball for reading in doubt.readings for ball in reading.names.values()]
        white = isinstance(event, Strike) or any(ball.kind is BallKind.WHITE for ball in named)
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
    return QuestionKind.CAROM


def _value(kind: QuestionKind, event: TableEvent, doubt: Doubt, number: int, facts: Facts) -> AnswerValue:
    """The answer that stands for one reading."""
    reading = doubt.readings[number]
    changed = next(iter(reading.patch.values()), None)
    match kind:
        case QuestionKind.WHICH_WHITE | QuestionKind.BALL_NUMBER:
            named = balls_in(changed) if changed is not None else ()
            return next(iter(reading.names.values()), named[0] if named else False)
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
            renamed = isinstance(changed, Contact) and changed.other not in balls_in(event)
            return changed.other if renamed and isinstance(changed, Contact) else number == 0
