"""What the wizard asks of a table's process, and what the process answers: plain values that go through its pipe."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from calibration.ball_check import BallCheck, Place
from calibration.cushion_check import InPlay
from calibration.pose import House, HouseBy
from calibration.table_file import Certificate
from scoring.table import Table
from server.errors import Refusal

Doing: TypeAlias = Literal["", "measure", "colours", "ball"]
PointPx: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class TellState:
    """How far the calibration is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeStill:
    """The newest picture, at most so wide."""

    most_px: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Find the table and fit the camera; `corners_px` are where a person has dragged the noses' corners."""

    table: Table
    pockets: Literal["auto", "six", "none"] = "auto"
    house: House | None = None
    corners_px: tuple[PointPx, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnColours:
    """Learn the colours of the balls that lie on the table now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckBall:
    """Look for a ball that lies at a known place."""

    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Save:
    """Store what was measured, and look through it from now on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore:
    """Bring an earlier calibration back by its number."""

    number: int


Order: TypeAlias = TellState | TakeStill | Measure | LearnColours | CheckBall | Save | Restore


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An order to the camera `view` of a table, numbered."""

    number: int
    what: Order
    view: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Still:
    """A picture as JPEG."""

    jpeg: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Why an order cannot be carried out now."""

    refusal: Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What was measured, in px of the whole picture: `corners_px` and `outline_px` along the noses, marks by name.

    `front` is the side of the picture at which the house was taken to be; `doubts` would cost exactness in play.
    """

    table: Table
    certificate: Certificate
    corners_px: tuple[PointPx, ...]
    outline_px: tuple[PointPx, ...]
    house_line_px: tuple[PointPx, ...]
    places_px: Mapping[Place, PointPx]
    front: House
    house_by: HouseBy
    doubts: tuple[str, ...] = ()
    colours: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    unseen: tuple[str, ...] = ()
    colours_refusal: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A calibration on disk; `number` counts back from 1, the latest of the earlier ones; 0 is the present one."""

    number: int
    table: Table
    certificate: Certificate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationState:
    """How far a table's calibration is; `failure` says why the last thing that was done came to nothing.

    `size_px` and `age_s` are those of the newest picture, None before the first. `views` is how many cameras there are.
    `in_play` is what balls against cushions say of the calibration in service, None while they say nothing.
    """

    size_px: tuple[int, int] | None = None
    age_s: float | None = None
    views: int = 1
    doing: Doing = ""
    failed: Doing = ""
    failure: str = ""
    proposal: Proposal | None = None
    checks: tuple[BallCheck, ...] = ()
    is_saved: bool = False
    can_save: bool = True
    stored: tuple[Stored, ...] = ()
    usual: Table = field(default_factory=Table)
    in_play: InPlay | None = None


Answer: TypeAlias = CalibrationState | Still | Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The answer to the question of a number."""

    number: int
    answer: Answer
