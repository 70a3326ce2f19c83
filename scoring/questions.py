"""What rules ask of a stroke: first contact, balls touched, the shortest chain to a ball, banks, jaws."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from scoring.balls import Ball
from scoring.events import Contact, CushionHit, HouseLine, Moved, OffTable, Potted, Rest, Strike, TableEvent
from scoring.table import Cushion, Point


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """A stroke's events by kind, each in order of time; equal times mean at once."""

    strikes: tuple[Strike, ...]
    contacts: tuple[Contact, ...]
    cushions: tuple[CushionHit, ...]
    lines: tuple[HouseLine, ...]
    pots: tuple[Potted, ...]
    off: tuple[OffTable, ...]
    moved: tuple[Moved, ...]
    rest: Rest | None

    @property
    def cue(self) -> Ball | None:
        """The ball that the cue set in motion; None when nobody struck."""
        return self.strikes[0].ball if self.strikes else None


def facts_of(events: Iterable[TableEvent]) -> Facts:
    """Sort a stroke's events by time and kind; of several pots of one ball the first counts."""
    kinds: dict[str, list[TableEvent]] = {}
    down: set[Ball] = set()
    for event in sorted(events, key=lambda event: event.t_s):
        if isinstance(event, Potted):
            if event.ball in down:
                continue
            down.add(event.ball)
        kinds.setdefault(event.kind, []).append(event)
    rests = [event for event in kinds.get("rest", ()) if isinstance(event, Rest)]
    return Facts(
        strikes=tuple(event for event in kinds.get("strike", ()) if isinstance(event, Strike)),
        contacts=tuple(event for event in kinds.get("contact", ()) if isinstance(event, Contact)),
        cushions=tuple(event for event in kinds.get("cushion", ()) if isinstance(event, CushionHit)),
        lines=tuple(event for event in kinds.get("house_line", ()) if isinstance(event, HouseLine)),
        pots=tuple(event for event in kinds.get("pocket", ()) if isinstance(event, Potted)),
        off=tuple(event for event in kinds.get("off_table", ()) if isinstance(event, OffTable)),
        moved=tuple(event for event in kinds.get("moved", ()) if isinstance(event, Moved)),
        rest=rests[-1] if rests else None,
    )


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


def balls_moved(facts: Facts) -> frozenset[Ball]:
    """Every ball that the events set in motion or lost."""
    moved = {event.ball for event in facts.strikes} | {event.ball for event in facts.cushions}
    moved |= {event.ball for event in facts.lines} | {event.ball for event in facts.pots}
    moved |= {event.ball for event in facts.off} | {event.ball for event in facts.moved}
    for contact in facts.contacts:
        moved |= {contact.ball, contact.other}
    return frozenset(moved)


def last_place(facts: Facts, ball: Ball) -> Point | None:
    """Where a ball came to rest, as far as it was seen."""
    return facts.rest.balls.get(ball) if facts.rest else None


def final_off(facts: Facts) -> tuple[OffTable, ...]:
    """The last word on each ball that left the field."""
    return tuple({event.ball: event for event in facts.off}.values())
