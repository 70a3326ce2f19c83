"""What pocket sensors say, after the wire: a drop, a state, with the host's time."""

from dataclasses import dataclass

from scoring.table import Pocket


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """A ball fell through a pocket's beam at `t_ns` (host's monotonic clock, as a `Frame`'s)."""

    t_ns: int
    pocket: Pocket
    blocked_ms: int
    confidence: float = 1.0
