"""Table events: what a witness saw, one frozen class per fact and a union of them (contract, section 2).

Times `t_s` are seconds, sub-frame estimates: from the first frame of a video, or on the table's monotonic clock.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from scoring.balls import Ball
from scoring.table import Cushion, Pocket, Point

Source: TypeAlias = Literal["camera", "sensor"]


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another reading of the same moment: `event` as it may have been, or None when it may not have happened."""

    probability: float
    event: "TableEvent | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What every event carries beside its fact: when, how sure, who saw it, what else it may have been.

    `candidates` gives, for each ball named `ball-?n` in the event, who it may be with what probability; in a strike it
    may also say that the two whites were taken for each other.
    A doubtful event is `flagged` with a `reason` in words.
    """

    t_s: float
    shot: int | None = None
    confidence: float = 1.0
    sources: tuple[Source, ...] = ("camera",)
    alternatives: tuple[Alternative, ...] = ()
    candidates: Mapping[Ball, float] = field(default_factory=dict)
    flagged: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Strike(Observed):
    """The cue set this ball in motion."""

    kind: ClassVar[Literal["strike"]] = "strike"
    ball: Ball


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact(Observed):
    """Two balls touched; `at` is the point midway between their centres."""

    kind: ClassVar[Literal["contact"]] = "contact"
    ball: Ball
    other: Ball
    at: Point | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CushionHit(Observed):
    """A ball met a cushion, or (with `pocket` set) a jaw of that pocket."""

    kind: ClassVar[Literal["cushion"]] = "cushion"
    ball: Ball
    cushion: Cushion | None = None
    at: Point | None = None
    pocket: Pocket | None = None

    @property
    def is_jaw(self) -> bool:
        """Whether a pocket's jaw was met, which is no bank (C-30, O3)."""
        return self.pocket is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseLine(Observed):
    """A ball's centre crossed the house line."""

    kind: ClassVar[Literal["house_line"]] = "house_line"
    ball: Ball
    direction: Literal["out", "in"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Potted(Observed):
    """A ball fell into a pocket and stayed."""

    kind: ClassVar[Literal["pocket"]] = "pocket"
    ball: Ball
    pocket: Pocket


@dataclass(frozen=True, slots=True, kw_only=True)
class OffTable(Observed):
    """A ball left the field: to the floor, back again (`returned`), or lying on the rail (`on_rail`)."""

    kind: ClassVar[Literal["off_table"]] = "off_table"
    ball: Ball
    at: Point | None = None
    returned: bool = False
    on_rail: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved(Observed):
    """A resting ball changed place with no stroke: a hand, a sleeve, spotting.

    `origin` is None for a ball put on the table, `target` None for one taken off it.
    """

    kind: ClassVar[Literal["moved"]] = "moved"
    ball: Ball
    origin: Point | None = None
    target: Point | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest(Observed):
    """Everything is at rest: the stroke is over."""

    kind: ClassVar[Literal["rest"]] = "rest"
    balls: Mapping[Ball, Point] = field(default_factory=dict)


TableEvent: TypeAlias = Strike | Contact | CushionHit | HouseLine | Potted | OffTable | Moved | Rest
