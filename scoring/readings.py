"""Other ways in which a stroke can be read: one thing in it changed, as people correct it.

First come the readings that the witness itself had of its doubtful events, with their probabilities; then what people
correct most: pots, calls, contacts, banks, the cue ball, fouls.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from scoring.ball_numbers import renamed
from scoring.balls import Ball
from scoring.doubts import Doubt, Events, certain, doubts_of, patched
from scoring.events import Contact, CushionHit, OffTable, Potted, Rest, Strike, TableEvent
from scoring.game import AnyGame
from scoring.questions import Facts, balls_hit_first, balls_touched, banks_before, facts_of, partner
from scoring.shots import Call, RefereeInput, Shot
from scoring.standing import Standing
from scoring.table import Cushion, Pocket

FOULS = ("touch", "push", "wrong_ball", "double_hit", "feet", "moving_balls", "butt")
"""Fouls that people may have seen and nobody entered, the commonest first."""

JUST_S = 1e-4
"""How much earlier or later than its neighbour an event is put."""


class Change(StrEnum):
    """How a reading differs: the names of the sentences that say so, with the fields of the idea that they need."""

    NOT_POTTED = "not_potted"  # ball
    POTTED_IN = "potted_in"  # ball, pocket
    AS_CALLED = "as_called"  # ball, pocket
    NOT_AS_CALLED = "not_as_called"
    BANK = "bank"  # ball
    NO_BANK = "no_bank"  # ball
    FIRST_HIT = "first_hit"  # ball
    TOUCHED = "touched"  # ball
    NOT_TOUCHED = "not_touched"  # ball
    BALLS_MET = "balls_met"  # ball
    BALLS_DID_NOT_MEET = "balls_did_not_meet"  # ball
    STRUCK = "struck"  # ball
    WAS_BALL = "was_ball"  # ball
    CUE_BALL_POTTED = "cue_ball_potted"
    CUE_BALL_OFF = "cue_ball_off"
    CUE_BALL_STAYED = "cue_ball_stayed"
    OFF_TABLE = "off_table"  # ball
    STAYED_ON_TABLE = "stayed_on_table"  # ball
    FOUL = "foul"  # word
    NO_FOUL = "no_foul"  # word
    OPENS = "opens"  # word


@dataclass(frozen=True, slots=True, kw_only=True)
class Idea:
    """A shot as it may have been; `word` is a kind of foul or a player, `probability` the witness's own estimate."""

    change: Change
    shot: Shot
    probability: float | None = None
    ball: Ball | None = None
    pocket: Pocket | None = None
    word: str | None = None


def ideas(game: AnyGame, before: Standing, seen: Shot, read: Shot) -> Iterator[Idea]:
    """The other readings of a shot that was `seen` and `read`; likely kinds of change come first."""
    facts = facts_of(read.events)
    in_play = game.ball_set - before.gone
    yield from _doubted(in_play, seen, read, facts.cue)
    yield from _not_potted(read, facts)
    yield from _calls(read, facts)
    yield from _other_pockets(read, facts)
    yield from _banks(read, facts)
    yield from _contacts(in_play - before.in_hand, read, facts)
    yield from _cue_ball(read, facts)
    yield from _fouls(read)
    yield from _other_cue_balls(game, before, read, facts.cue)


def _with(shot: Shot, events: Iterable[TableEvent]) -> Shot:
    """The shot with other events, in order of time."""
    return replace(shot, events=tuple(sorted(events, key=lambda event: event.t_s)))


def _without(shot: Shot, *gone: TableEvent) -> Shot:
    """The shot without some of its events."""
    return replace(shot, events=tuple(event for event in shot.events if not any(event is one for one in gone)))


def _end_s(facts: Facts, events: Events) -> float:
    """A moment before the rest and after everything else."""
    last_s = max((event.t_s for event in events if not isinstance(event, Rest)), default=0.0)
    return last_s + JUST_S if facts.rest is None else min(last_s + JUST_S, max(facts.rest.t_s, last_s))


def _doubted(in_play: frozenset[Ball], seen: Shot, read: Shot, cue: Ball | None) -> Iterator[Idea]:
    """The witness's own readings of its doubtful events, in place of how they were decided."""
    for doubt in doubts_of(seen.events, in_play, read.call):
        if doubt.unknown is not None:
            yield from _identities(doubt, seen)
            continue
        decided = [event for reading in doubt.readings for event in reading.patch.values() if event in read.events]
        kept = [event for event in read.events if event not in decided]
        original = certain(seen.events[min(doubt.readings[0].patch)])
        for reading in doubt.readings:
            given = [event for event in reading.patch.values() if event is not None]
            idea = _difference(original, given[0] if given else None, cue)
            if idea is not None:
                yield replace(idea, shot=_with(read, (*kept, *given)), probability=reading.probability)


def _identities(doubt: Doubt, seen: Shot) -> Iterator[Idea]:
    """Who a ball may have been that nobody knew."""
    told = ("which_white", "ball_number")
    kept = tuple(entry for entry in seen.referee if entry.to not in told)
    for reading in doubt.readings:
        shot = replace(seen, events=patched(seen.events, [reading]), referee=kept)
        ball = next(iter(reading.names.values()))
        yield Idea(change=Change.WAS_BALL, shot=shot, probability=reading.probability, ball=ball)


def _difference(original: TableEvent, given: TableEvent | None, cue: Ball | None) -> Idea | None:
    """How a reading of one event is said; None for what nobody would correct by itself."""
    event = original if given is None else given
    there = given is not None
    if isinstance(event, Contact):
        return _met(event, cue, there=there)
    match event:
        case Potted():
            change = Change.POTTED_IN if there else Change.NOT_POTTED
        case CushionHit():
            change = Change.BANK if there else Change.NO_BANK
        case OffTable():
            change = Change.OFF_TABLE if there and not event.returned else Change.STAYED_ON_TABLE
        case Strike():
            change = Change.STRUCK
        case _:
            return None
    pocket = event.pocket if isinstance(event, Potted) and there else None
    return Idea(change=change, shot=Shot(), ball=event.ball, pocket=pocket)


def _met(event: Contact, cue: Ball | None, *, there: bool) -> Idea:
    """How a reading of a contact is said: of one with the cue ball the other ball is named."""
    other = partner(event, cue) if cue is not None else None
    if other is None:
        change = Change.BALLS_MET if there else Change.BALLS_DID_NOT_MEET
        return Idea(change=change, shot=Shot(), ball=event.other)
    return Idea(change=Change.TOUCHED if there else Change.NOT_TOUCHED, shot=Shot(), ball=other)


def _not_potted(shot: Shot, facts: Facts) -> Iterator[Idea]:
    """A ball that did not fall after all."""
    for pot in facts.pots:
        if pot.ball != facts.cue:
            sure = _doubt_of(pot)
            said = tuple(one for one in shot.referee if (one.kind, one.ball) != ("fell_by_itself", pot.ball))
            stayed = replace(_without(shot, pot), referee=said)
            yield Idea(change=Change.NOT_POTTED, shot=stayed, ball=pot.ball, probability=sure)


def _other_pockets(shot: Shot, facts: Facts) -> Iterator[Idea]:
    """A ball that fell elsewhere, more likely on the same side of the table."""
    for pot in facts.pots:
        if pot.ball == facts.cue:
            continue
        kept = _without(shot, pot)
        for pocket in sorted(Pocket, key=lambda one: one.value[1] != pot.pocket.value[1]):
            if pocket is not pot.pocket:
                moved = _with(kept, (*kept.events, replace(pot, pocket=pocket)))
                yield Idea(change=Change.POTTED_IN, shot=moved, ball=pot.ball, pocket=pocket)


def _doubt_of(event: TableEvent) -> float | None:
    """How likely it is that an event did not happen, where its witness was not quite sure."""
    return None if event.confidence >= 1.0 else 1.0 - event.confidence


def _calls(shot: Shot, facts: Facts) -> Iterator[Idea]:
    """A stroke that was called as it happened, or was not."""
    said = ("not_as_called",)
    kept = tuple(one for one in shot.referee if one.kind not in said and one.to != "call")
    for pot in facts.pots:
        if pot.ball != facts.cue:
            call = Call(ball=pot.ball, pocket=pot.pocket, bank=banks_before(facts, pot) > 0)
            as_called = replace(shot, call=call, referee=kept)
            yield Idea(change=Change.AS_CALLED, shot=as_called, ball=pot.ball, pocket=pot.pocket)
    if facts.pots:
        refused = (*kept, RefereeInput(kind="not_as_called"))
        yield Idea(change=Change.NOT_AS_CALLED, shot=replace(shot, referee=refused))


def _banks(shot: Shot, facts: Facts) -> Iterator[Idea]:
    """A potted ball that met a cushion on its way, or did not."""
    for pot in facts.pots:
        if pot.ball == facts.cue:
            continue
        if banks_before(facts, pot):
            hits = [hit for hit in facts.cushions if hit.ball == pot.ball]
            yield Idea(change=Change.NO_BANK, shot=_without(shot, *hits), ball=pot.ball)
        else:
            hit = CushionHit(t_s=pot.t_s, ball=pot.ball, cushion=Cushion.LEFT)
            yield Idea(change=Change.BANK, shot=_with(shot, (hit, *shot.events)), ball=pot.ball)


def _contacts(there: frozenset[Ball], shot: Shot, facts: Facts) -> Iterator[Idea]:
    """A ball that the cue ball touched too, or did not; another one hit first, which matters when nothing counts."""
    cue = facts.cue
    if cue is None:
        return
    touched = balls_touched(facts)
    others = tuple(ball for ball in sorted(there - {cue}) if ball not in touched)
    lost = bool(_ends_of(cue, facts))
    if lost or not facts.pots:
        yield from _first_hits(cue, others, shot, facts)
    for ball in touched:
        own = [one for one in facts.contacts if partner(one, cue) == ball]
        sure = None if len(own) > 1 else _doubt_of(own[0])
        yield Idea(change=Change.NOT_TOUCHED, shot=_without(shot, *own), ball=ball, probability=sure)
    for ball in others:
        hit = Contact(t_s=_end_s(facts, shot.events), ball=cue, other=ball)
        yield Idea(change=Change.TOUCHED, shot=_with(shot, (*shot.events, hit)), ball=ball)
    if not lost and facts.pots:
        yield from _first_hits(cue, others, shot, facts)


def _ends_of(ball: Ball, facts: Facts) -> tuple[TableEvent, ...]:
    """The events in which a ball fell or left the table."""
    fell = tuple(pot for pot in facts.pots if pot.ball == ball)
    return (*fell, *(event for event in facts.off if event.ball == ball))


def _first_hits(cue: Ball, others: tuple[Ball, ...], shot: Shot, facts: Facts) -> Iterator[Idea]:
    """Another ball hit first: one hit later, or one not hit at all."""
    first = balls_hit_first(facts)
    first_s = min((one.t_s for one in facts.contacts), default=_end_s(facts, shot.events))
    for ball in (*(one for one in balls_touched(facts) if one not in first), *others):
        own = [one for one in facts.contacts if partner(one, cue) == ball][:1]
        hit = replace(own[0], t_s=first_s - JUST_S) if own else Contact(t_s=first_s - JUST_S, ball=cue, other=ball)
        kept = _without(shot, *own)
        yield Idea(change=Change.FIRST_HIT, shot=_with(kept, (*kept.events, hit)), ball=ball)


def _cue_ball(shot: Shot, facts: Facts) -> Iterator[Idea]:
    """The cue ball that fell, left the table or stayed."""
    cue = facts.cue
    if cue is None:
        return
    lost = _ends_of(cue, facts)
    if lost:
        yield Idea(change=Change.CUE_BALL_STAYED, shot=_without(shot, *lost))
        return
    at_s = _end_s(facts, shot.events)
    fell = Potted(t_s=at_s, ball=cue, pocket=Pocket.FL)
    yield Idea(change=Change.CUE_BALL_POTTED, shot=_with(shot, (*shot.events, fell)))
    flew = OffTable(t_s=at_s, ball=cue)
    yield Idea(change=Change.CUE_BALL_OFF, shot=_with(shot, (*shot.events, flew)))


def _other_cue_balls(game: AnyGame, before: Standing, shot: Shot, cue: Ball | None) -> Iterator[Idea]:
    """The other player's cue ball was struck: the two were taken for each other."""
    if cue not in game.cue_balls:
        return
    for other in game.cue_balls:
        if other != cue:
            known = shot.before if shot.before is not None or before.layout is None else before.layout.places
            swapped = renamed(replace(shot, before=known), {cue: other, other: cue})
            yield Idea(change=Change.STRUCK, shot=swapped, ball=other)


def _fouls(shot: Shot) -> Iterator[Idea]:
    """A foul that was entered and was none; a foul that nobody entered."""
    for entry in shot.referee:
        if entry.kind in FOULS:
            kept = tuple(one for one in shot.referee if one is not entry)
            yield Idea(change=Change.NO_FOUL, shot=replace(shot, referee=kept), word=entry.kind)
    entered = {entry.kind for entry in shot.referee}
    for kind in FOULS:
        if kind not in entered:
            added = (*shot.referee, RefereeInput(kind=kind))
            yield Idea(change=Change.FOUL, shot=replace(shot, referee=added), word=kind)
