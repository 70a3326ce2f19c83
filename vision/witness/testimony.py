"""How a happening is told: the table event, its confidence, and what else it may have been."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from scoring.balls import Ball
from scoring.events import Alternative, Contact, CushionHit, OffTable, Potted, Rest, Strike, TableEvent
from vision.witness.causes import Happening

DOUBTFUL = 0.5
_SAME_MOMENT_S = 0.03
_REASON = "the paths allow more than one reading"

OtherReadings = Sequence[tuple[float, tuple[Happening, ...]]]


def told(happening: Happening, names: Mapping[int, Ball], others: OtherReadings = ()) -> Strike | Contact | CushionHit:
    """The event; one that is doubtful and that scoring reads is flagged, with what the other readings say of it."""
    is_doubtful = happening.confidence < DOUBTFUL and _is_read(happening, names)
    alternatives: tuple[Alternative, ...] = ()
    if is_doubtful:
        alternatives = tuple(
            Alternative(share, _counterpart(happening, reading, names, share))
            for share, reading in others
            if not any(_is_same(happening, one) for one in reading)
        )
    return _told(happening, names, happening.confidence, alternatives, is_doubtful=is_doubtful)


def without_idle_flags(events: Sequence[TableEvent]) -> list[TableEvent]:
    """The events of a stroke without flags on cushions of balls that no cue struck and that are seen to stay.

    No rule asks for one of them. What else they may have been stays with them, for rules that count cushions.
    """
    read = {e.ball for e in events if isinstance(e, Strike | Potted | OffTable)}
    if any(isinstance(e, Rest) and e.flagged for e in events):
        return list(events)
    return [
        replace(e, flagged=False, reason=None) if isinstance(e, CushionHit) and e.ball not in read else e
        for e in events
    ]


def _is_read(happening: Happening, names: Mapping[int, Ball]) -> bool:
    """Whether scoring may read it: no rule minds jaws, or which of the numbered balls touched each other."""
    if happening.other is not None:
        return not (names[happening.ball].may_be_numbered and names[happening.other].may_be_numbered)
    return happening.pocket is None


def _is_same(one: Happening, other: Happening) -> bool:
    """Whether two happenings are the same in all but the time."""
    if one.other is not None or other.other is not None:
        return {one.ball, one.other} == {other.ball, other.other}
    return (one.ball, one.cushion, one.pocket) == (other.ball, other.cushion, other.pocket)


def _told(
    happening: Happening,
    names: Mapping[int, Ball],
    confidence: float,
    alternatives: tuple[Alternative, ...],
    *,
    is_doubtful: bool,
) -> Strike | Contact | CushionHit:
    t_s, ball, at = happening.t_s, names[happening.ball], happening.at
    reason = _REASON if is_doubtful else None
    if happening.other is not None:
        other = names[happening.other]
        return Contact(
            t_s=t_s,
            ball=ball,
            other=other,
            at=at,
            confidence=confidence,
            flagged=is_doubtful,
            reason=reason,
            alternatives=alternatives,
        )
    if happening.cushion is not None:
        return CushionHit(
            t_s=t_s,
            ball=ball,
            cushion=happening.cushion,
            pocket=happening.pocket,
            at=at,
            confidence=confidence,
            flagged=is_doubtful,
            reason=reason,
            alternatives=alternatives,
        )
    return Strike(
        t_s=t_s, ball=ball, confidence=confidence, flagged=is_doubtful, reason=reason, alternatives=alternatives
    )


def _counterpart(
    happening: Happening, reading: Sequence[Happening], names: Mapping[int, Ball], share: float
) -> TableEvent | None:
    """What another reading says of the same ball at the same moment; None when nothing happened to it then."""
    near = [h for h in reading if h.ball == happening.ball and abs(h.t_s - happening.t_s) < _SAME_MOMENT_S]
    if not near:
        return None
    nearest = min(near, key=lambda h: abs(h.t_s - happening.t_s))
    return _told(nearest, names, share, (), is_doubtful=False)
