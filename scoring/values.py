"""What five-ball pots are worth: the carom table of rules section 2.3, in its closed form."""

from collections.abc import Iterable

from scoring.balls import Ball, BallKind

_PLAIN = {BallKind.WHITE: 2, BallKind.RED: 3, BallKind.YELLOW: 6}
_WITH_CAROM = {BallKind.WHITE: 1, BallKind.RED: 3, BallKind.YELLOW: 9}
_CAROM = {BallKind.WHITE: 2, BallKind.RED: 3, BallKind.YELLOW: 6}
DEAR = 6
"""What a yellow in a middle pocket (or a 12-point bank) is worth above one in a corner."""


def plain_value(ball: Ball, *, dear: bool = False) -> int:
    """The value without carom (RP-10, RP-11, KZ-20, KZ-21)."""
    return _PLAIN[ball.kind] + (DEAR if dear and ball.kind is BallKind.YELLOW else 0)


def value_of(target: Ball, caroms: Iterable[Ball], *, dear: bool = False) -> int:
    """The value of a pot with the balls that the cue ball met besides; each carom ball once (C-30, C-31)."""
    met = frozenset(caroms)
    if not met:
        return plain_value(target, dear=dear)
    pot = _WITH_CAROM[target.kind] + (DEAR if dear and target.kind is BallKind.YELLOW else 0)
    return pot + sum(_CAROM[ball.kind] for ball in met)
