"""Judges each pocket's beam by what the board tells of it: which drops are believed, what is broken."""

from collections import deque
from dataclasses import dataclass, field

from hardware.signals import BeamHealth, BeamState
from scoring.table import Pocket

_NS_PER_S = 1_000_000_000
STUCK_S = 4.0  # no ball takes so long; a full net or a hand does
CALM_S = 10.0  # without a false word, before a beam that chattered is heard again,
PROBATION_S = 300.0  # and before it is believed as others are
_CROWD, _CROWD_S = 3, 2.0  # no more balls than this fall into one pocket within so long,
_MANY, _MANY_S = 8, 60.0  # and hardly more than this within a minute
_SURE_MS = (4, 1000)  # so long falling balls break a beam
DOUBT = 0.6  # the confidence of anything else


@dataclass(slots=True)
class Beam:
    """One pocket's beam. All times are the host's."""

    pocket: Pocket
    _said: bool | None = None
    _is_heard: bool = False
    _blocked_since_ns: int | None = None
    _told_ns: deque[int] = field(default_factory=lambda: deque(maxlen=_MANY + 1))
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

    def confidence(self, t_ns: int, blocked_ms: int, now_ns: int) -> float:
        """Take a drop at `t_ns`; how surely it is one, 0 when it is none.

        Of several in short order only the first is believed without other evidence, and none of a beam that chattered
        lately.
        """
        is_long = blocked_ms >= 1000 * STUCK_S
        if is_long:
            self._ended_long = True
        if self._told_ns and self._told_ns[-1] < (self._chatter_until_ns or 0) <= now_ns:
            self._told_ns.clear()  # it has been calm since it chattered
        has_company = bool(self._told_ns) and abs(t_ns - self._told_ns[-1]) < _CROWD_S * _NS_PER_S
        self._told_ns.append(t_ns)
        if self._is_crowd(t_ns, _CROWD, _CROWD_S) or self._is_before(now_ns, self._chatter_until_ns):
            self._chatter_until_ns = now_ns + round(CALM_S * _NS_PER_S)
        is_many = self._is_crowd(t_ns, _MANY, _MANY_S)  # balls rolled in by hand, or a slow chatter: heard, in doubt
        self._blocked_since_ns = None  # it ended with the drop
        is_on_probation = self._is_before(now_ns - round(PROBATION_S * _NS_PER_S), self._chatter_until_ns)
        state = self.state(now_ns)
        if is_long or not (state.is_well or state is BeamState.UNKNOWN):
            self._withheld += 1
            return 0.0
        self._drops += 1
        self._last_drop_ns = t_ns
        shortest_ms, longest_ms = _SURE_MS
        is_like_a_ball = shortest_ms <= blocked_ms <= longest_ms
        return 1.0 if is_like_a_ball and not (has_company or is_many or is_on_probation) else DOUBT

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

    def _is_crowd(self, t_ns: int, most: int, within_s: float) -> bool:
        """Whether more than so many drops were told within so long."""
        told = self._told_ns
        return len(told) > most and abs(t_ns - told[-1 - most]) < within_s * _NS_PER_S

    @staticmethod
    def _is_before(now_ns: int, until_ns: int | None) -> bool:
        return until_ns is not None and now_ns < until_ns
