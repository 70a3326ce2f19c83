"""Judges each pocket's beam by what the board tells of it: which drops are believed, what is broken."""

from collections import deque
from dataclasses import dataclass, field

from hardware.signals import BeamHealth, BeamState
from scoring.table import Pocket

_NS_PER_S = 1_000_000_000
STUCK_S = 4.0  # no ball takes so long; a full net or a hand does
CALM_S = 10.0  # without a false word, before a beam that chattered is believed again
_CROWD, _CROWD_S = 3, 2.0  # no more balls than this fall into one pocket within so long
_SURE_MS = (4, 1000)  # so long falling balls break a beam
_DOUBT = 0.6  # the confidence of anything else


@dataclass(slots=True)
class Beam:
    """One pocket's beam. All times are the host's."""

    pocket: Pocket
    _said: bool | None = None
    _is_heard: bool = False
    _blocked_since_ns: int | None = None
    _crowd_ns: deque[int] = field(default_factory=lambda: deque(maxlen=_CROWD + 1))
    _chatter_until_ns: int | None = None
    _ended_long: bool = False  # it told the end of a long break; if it says blocked again, it is inverted
    _inverted_until_ns: int | None = None
    _drops: int = 0
    _withheld: int = 0
    _last_drop_ns: int | None = None

    def heartbeat(self, *, blocked: bool | None, now_ns: int) -> None:
        """The board's word for the beam: clear, broken, or None for a fault."""
        if blocked and (self._ended_long or self._is_before(now_ns, self._inverted_until_ns)):
            self._inverted_until_ns = now_ns + round(CALM_S * _NS_PER_S)
        self._ended_long = False
        if not blocked:
            self._blocked_since_ns = None
        elif self._blocked_since_ns is None:
            self._blocked_since_ns = now_ns
        self._said, self._is_heard = blocked, True

    def believes(self, t_ns: int, blocked_ms: int, now_ns: int) -> bool:
        """Take a drop at `t_ns`; whether it is one."""
        is_long = blocked_ms >= 1000 * STUCK_S
        if is_long:
            self._ended_long = True
        self._crowd_ns.append(t_ns)
        is_crowd = len(self._crowd_ns) > _CROWD and abs(t_ns - self._crowd_ns[0]) < _CROWD_S * _NS_PER_S
        if is_crowd or self._is_before(now_ns, self._chatter_until_ns):
            self._chatter_until_ns = now_ns + round(CALM_S * _NS_PER_S)
        self._blocked_since_ns = None  # it ended with the drop
        state = self.state(now_ns)
        if is_long or not (state.is_well or state is BeamState.UNKNOWN):
            self._withheld += 1
            return False
        self._drops += 1
        self._last_drop_ns = t_ns
        return True

    def state(self, now_ns: int) -> BeamState:
        """How it does now."""
        if self._is_heard and self._said is None:
            return BeamState.FAULT
        if self._is_before(now_ns, self._inverted_until_ns):
            return BeamState.INVERTED
        if self._is_before(now_ns, self._chatter_until_ns):
            return BeamState.CHATTERING
        if self._blocked_since_ns is None:
            return BeamState.CLEAR if self._is_heard or self._drops else BeamState.UNKNOWN
        is_stuck = now_ns - self._blocked_since_ns >= STUCK_S * _NS_PER_S
        return BeamState.STUCK if is_stuck else BeamState.BLOCKED

    def health(self, now_ns: int) -> BeamHealth:
        """For people."""
        return BeamHealth(
            pocket=self.pocket,
            state=self.state(now_ns),
            drops=self._drops,
            withheld=self._withheld,
            last_drop_ns=self._last_drop_ns,
        )

    @staticmethod
    def _is_before(now_ns: int, until_ns: int | None) -> bool:
        return until_ns is not None and now_ns < until_ns


def confidence(blocked_ms: int) -> float:
    """How much a break of the beam looks like a ball."""
    shortest_ms, longest_ms = _SURE_MS
    return 1.0 if shortest_ms <= blocked_ms <= longest_ms else _DOUBT
