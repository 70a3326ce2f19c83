"""A ball that contrast does not see and the network does: while it rolls nobody may see it, and people must know."""

from dataclasses import dataclass

_FAINT_S = 8.0  # such a ball is told of when it has lain in sight for so long,
_FORGOTTEN = 0.1  # of which so much is forgotten for each second without one
_NS_PER_S = 1e9


@dataclass(slots=True)
class Faintness:
    """For how long there has been a ball that only the network sees."""

    is_lasting: bool = False
    _faint_s: float = 0.0
    _before_ns: int | None = None

    def look(self, t_ns: int, *, is_faint: bool) -> None:
        """Take in one picture."""
        since_s = 0.0 if self._before_ns is None else (t_ns - self._before_ns) / _NS_PER_S
        self._before_ns = t_ns
        self._faint_s += since_s if is_faint else -_FORGOTTEN * since_s
        self._faint_s = min(max(self._faint_s, 0.0), 2 * _FAINT_S)
        self.is_lasting = self._faint_s > (0.0 if self.is_lasting else _FAINT_S)
