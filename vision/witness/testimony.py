"""How a happening is told: the table event, its confidence, and what else it may have been."""

from collections.abc import Mapping, Sequence

from scoring.balls import Ball
from scoring.events import Alternative, Contact, CushionHit, Strike, TableEvent
from vision.witness.causes import Happening

DOUBTFUL = 0.5
_SAME_MOMENT_S = 0.03
_REASON = "the paths allow more than one reading"

OtherReadings = Sequence[tuple[float, tuple[Happening, ...]]]


def told(
    happening: Happening, names: Mapping[int, Ball], confidence: float, others: OtherReadings = ()
) -> Strike | Contact | CushionHit:
    """The event; one that is doubtful and that scoring reads is flagged, with what the other readings say of it."""
    is_doubtful = confidence < DOUBTFUL and happening.pocket is None
    alternatives: tuple[Alternative, ...] = ()
    if is_doubtful:
        alternatives = tuple(
            Alternative(share, _counterpart(happening, reading, names, share)) for share, reading in others
        )
    return _told(happening, names, confidence, alternatives, is_doubtful=is_doubtful)


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
