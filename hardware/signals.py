"""What pocket sensors say, after the wire: a drop, a state, with the host's time."""

from dataclasses import dataclass
from enum import StrEnum

from scoring.table import Pocket


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """A ball fell through a pocket's beam at `t_ns` (host's monotonic clock, as a `Frame`'s)."""

    t_ns: int
    pocket: Pocket
    blocked_ms: int
    confidence: float = 1.0


class BeamState(StrEnum):
    """How a pocket's beam does; drops are believed of the first two only."""

    CLEAR = "clear"
    BLOCKED = "blocked"  # at this moment, as by a ball that falls
    UNKNOWN = "unknown"  # nothing has been heard of it
    STUCK = "stuck"  # blocked for longer than any ball takes
    CHATTERING = "chattering"  # more drops than balls can fall
    INVERTED = "inverted"  # blocked when nothing is there, clear when a ball passes
    FAULT = "fault"  # the board says so itself

    @property
    def is_well(self) -> bool:
        """Whether there is nothing to mend."""
        return self in (BeamState.CLEAR, BeamState.BLOCKED)


@dataclass(frozen=True, slots=True, kw_only=True)
class BeamHealth:
    """One pocket's beam: its state, how many drops it has told and how many were not believed."""

    pocket: Pocket
    state: BeamState
    drops: int = 0
    withheld: int = 0
    last_drop_ns: int | None = None


class LinkState(StrEnum):
    """Where a device that may come and go stands."""

    ABSENT = "absent"
    OPENING = "opening"
    READY = "ready"
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardHealth:
    """How a sensor board does, for the journal, the staff's page and the technician; sensors absent is a normal state.

    `detail` is a line for people when something is wrong. `rejected` counts torn lines, `resent` drops that came
    again, `resets` starts of the board, `opened` how often the port was opened; `drift` is by how much the host's clock
    runs faster than the board's.
    """

    state: LinkState
    detail: str = ""
    firmware: str = ""
    board_id: str = ""
    beams: tuple[BeamHealth, ...] = ()
    last_heard_ns: int | None = None
    messages: int = 0
    rejected: int = 0
    resent: int = 0
    resets: int = 0
    opened: int = 0
    drift: float = 0.0

    @property
    def is_well(self) -> bool:
        """Whether every beam can be believed."""
        return self.state is LinkState.READY and all(beam.state.is_well for beam in self.beams)

    @property
    def deaf(self) -> frozenset[Pocket]:
        """The pockets whose sensor would not tell of a ball."""
        if self.state is not LinkState.READY:
            return frozenset(Pocket)
        return frozenset(Pocket) - {beam.pocket for beam in self.beams if beam.state.is_well}
