"""What a table's process tells the hub: facts, places, and how well it is. Sent through a pipe, in order."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from scoring.balls import Ball
from scoring.commands import Announce, StartMatch
from scoring.events import TableEvent
from scoring.shots import Shot
from scoring.table import Point, Table
from server.calibration_orders import Reply

Trouble: TypeAlias = Literal[
    "starting",
    "no_picture",
    "not_calibrated",
    "camera_moved",
    "disturbed",
    "sensors_lost",
    "camera_rate",
    "no_finder",
    "no_numbers",
    "faint_ball",
    "slow",
    "failed",
    "stopped",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The camera is open and looks at this field; what the witness saw before is of no use."""

    table: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Facts, oldest first; never dropped."""

    events: tuple[TableEvent, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Supposed:
    """What seems to have happened in the stroke that is under way; the facts that follow it at rest replace it."""

    events: tuple[TableEvent, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where the balls are at `t_s` of a steady clock; a newer one makes it worthless."""

    t_s: float
    balls: Mapping[Ball, Point] = field(default_factory=dict)
    is_moving: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Virtual players begin a match, or announce a stroke."""

    what: StartMatch | Announce


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Virtual players know what the n-th stroke of their match really was; the stroke is over."""

    number: int
    shot: Shot


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraFigures:
    """What a live camera achieves: its rate, the pictures that were torn, how often it was opened, its shutter."""

    fps: float
    torn: int
    opened: int
    shutter_ms: float | None = None  # where the driver tells it


@dataclass(frozen=True, slots=True, kw_only=True)
class Vitals:
    """How well the process is, at least twice a second.

    `picture_ns` is the monotonic time at which the newest picture came (None before the first); `fps` counts the
    pictures that vision has looked at, `dropped` those that came too fast for it since the start.
    """

    picture_ns: int | None
    fps: float = 0.0
    frames: int = 0
    dropped: int = 0
    step_ms: float = 0.0  # what vision takes for one picture
    camera: CameraFigures | None = None
    trouble: Trouble | None = None
    detail: str = ""  # plain English, for the log and the staff
    clips: str = ""  # what keeps clips of strokes from being kept, in plain English


@dataclass(frozen=True, slots=True)
class Noted:
    """Something for the log."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A node says: a process has been started; the witness has not seen what went before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """A node says: its process has died or been killed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The source has come to its end and nothing more will follow."""


TableMessage: TypeAlias = (
    Opened | Seen | Supposed | Places | Said | Known | Vitals | Noted | Reply | Started | Lost | Finished
)
