"""What rules ask of a stroke: first contact, balls touched, the shortest chain to a ball, banks, jaws."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import TypeVar, cast

from scoring.balls import Ball
from scoring.events import Contact, CushionHit, HouseLine, Moved, OffTable, Potted, Rest, Strike, TableEvent
from scoring.table import Cushion, Point

Kind = TypeVar("Kind", bound=TableEvent)
BY_TIME = attrgetter("t_s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """A stroke's events by kind, each in order of time; equal times mean at once.

    `in_motion` are the balls that the events set in motion, moved or lost.
    """

    strikes: tuple[Strike, ...]
    contacts: tuple[Contact, ...]
    cushions: tuple[CushionHit, ...]
    lines: tuple[HouseLine, ...]
    pots: tuple[Potted, ...]
    off: tuple[OffTable, ...]
    moved: tuple[Moved, ...]
    rest: Rest | None
    in_motion: frozenset[Ball]

    @property
    def cue(self) -> Ball | None:
        """The ball that the cue set in motion; None when nobody struck."""
        return self.strikes[0].ball if self.strikes else None


def facts_of(events: Iterable[TableEvent]) -> Facts:
    """Sort a stroke's events by time and kind; of several pots of one ball the first counts."""
    kinds: dict[type, list[TableEvent]] = {}
    in_motion: set[Ball] = set()
    for event in sorted(events, key=BY_TIME):
        if isinstance(event, Potted) and any(event.ball in balls_in(pot) for pot in kinds.get(Potted, ())):
            continue
        in_motion.update(balls_in(event))
        kinds.setdefault(type(event), []).append(event)
    rests = _of_kind(kinds, Rest)
    return Facts(
        strikes=_of_kind(kinds, Strike),
        contacts=_of_kind(kinds, Contact),
        cushions=_of_kind(kinds, CushionHit),
        lines=_of_kind(kinds, HouseLine),
        pots=_of_kind(kinds, Potted),
        off=_of_kind(kinds, OffTable),
        moved=_of_kind(kinds, Moved),
        rest=rests[-1] if rests else None,
        in_motion=frozenset(in_motion),
    )


def balls_in(event: TableEvent) -> tuple[Ball, ...]:
    """The balls that an event speaks of (a rest speaks of all, and of none in particular)."""
    if isinstance(event, Contact):
        return (event.ball, event.other)
    return () if isinstance(event, Rest) else (event.ball,)


def _of_kind(kinds: Mapping[type, list[TableEvent]], kind: type[Kind]) -> tuple[Kind, ...]:
    """The events of one class."""
    return cast("tuple[Kind, ...]", tuple(kinds.get(kind, ())))


def partner(contact: Contact, ball: Ball) -> Ball | None:
    """The ball that met `ball` in a contact, None when it took no part."""
    if contact.ball == ball:
        return contact.other
    return contact.ball if contact.other == ball else None


def balls_hit_first(facts: Facts) -> tuple[Ball, ...]:
    """The first ball that the cue ball met; several when it met them at once, none when it met no ball."""
    if facts.cue is None:
        return ()
    met = [(contact.t_s, other) for contact in facts.contacts if (other := partner(contact, facts.cue)) is not None]
    return tuple(dict.fromkeys(other for t_s, other in met if t_s == met[0][0]))


def balls_touched(facts: Facts) -> tuple[Ball, ...]:
    """The balls that the cue ball met, each once, in the order of first contact (C-31)."""
    cue = facts.cue
    if cue is None:
        return ()
    return tuple(dict.fromkeys(other for contact in facts.contacts if (other := partner(contact, cue)) is not None))


def carom_balls(facts: Facts, target: Ball, *, after_target: bool = False) -> tuple[Ball, ...]:
    """The further balls that the cue ball met (C-30); only after the target, if the option says so (C-32)."""
    met = [other for contact in facts.contacts if facts.cue and (other := partner(contact, facts.cue)) is not None]
    if after_target:
        met = met[met.index(target) :] if target in met else []
    return tuple(dict.fromkeys(other for other in met if other != target))


def chain_to(facts: Facts, pot: Potted, frozen: Sequence[tuple[Ball, Ball]] = ()) -> tuple[Ball, ...] | None:
    """The balls between the cue ball and a potted ball on the shortest chain of contacts before the pot (KZ-23).

    Empty when the cue ball drove it in by itself; None when nothing is known to have driven it in. A ball that was
    frozen to another at the start passes the shock on though no contact is seen.
    """
    if facts.cue is None:
        return None
    chains: dict[Ball, tuple[Ball, ...]] = {facts.cue: (facts.cue,)}
    before = (contact for contact in facts.contacts if contact.t_s <= pot.t_s)
    for _, group in groupby(before, key=lambda contact: contact.t_s):
        pairs = [(contact.ball, contact.other) for contact in group]
        while _spread(chains, pairs):
            pass
    if pot.ball not in chains:
        object_pairs = [pair for pair in frozen if facts.cue not in pair]
        while _spread(chains, object_pairs):
            pass
    chain = chains.get(pot.ball)
    return None if chain is None else chain[1:-1]


def _spread(chains: dict[Ball, tuple[Ball, ...]], pairs: Sequence[tuple[Ball, Ball]]) -> bool:
    """Lengthen the chains by contacts made at once; true while something changes."""
    changed = False
    for one, other in pairs:
        for driver, driven in ((one, other), (other, one)):
            chain = chains.get(driver)
            if chain is not None and (driven not in chains or len(chain) + 1 < len(chains[driven])):
                chains[driven] = (*chain, driven)
                changed = True
    return changed


def banks_before(facts: Facts, pot: Potted) -> int:
    """How many cushions a ball met before it fell; the jaws of the pocket it fell into are no bank (O3)."""
    return sum(
        1
        for hit in facts.cushions
        if hit.ball == pot.ball and hit.t_s <= pot.t_s and not (hit.is_jaw and hit.pocket == pot.pocket)
    )


def cushions_before_contact(facts: Facts, ball: Ball, other: Ball) -> tuple[Cushion | None, ...]:
    """The cushions that `ball` met before it first met `other`; all of them when it never did."""
    meetings = [contact.t_s for contact in facts.contacts if partner(contact, ball) == other]
    until_s = meetings[0] if meetings else float("inf")
    return tuple(hit.cushion for hit in facts.cushions if hit.ball == ball and hit.t_s < until_s and not hit.is_jaw)


def last_place(facts: Facts, ball: Ball) -> Point | None:
    """Where a ball came to rest, as far as it was seen."""
    return facts.rest.balls.get(ball) if facts.rest else None


def final_off(facts: Facts) -> tuple[OffTable, ...]:
    """The last word on each ball that left the field."""
    return tuple({event.ball: event for event in facts.off}.values())
