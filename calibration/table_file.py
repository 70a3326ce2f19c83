"""What a table file says: the field, the camera over it, how good that is, what the balls look like (contract, 6)."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from calibration.camera import CameraModel
from scoring.balls import FIVE_BALL_SET, Ball
from scoring.table import Cushion, Pocket, Spot, Table

Verdict: TypeAlias = Literal["pass", "warn", "refuse"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """How well the camera model fits: residual in px, expected ball-centre error at each pocket in mm, and a verdict.

    On a table without pockets the errors are those at the four corners, under the corner pockets' names. `marks` counts
    the sights, spots and points of the house line that agree with the model; `coverage` is the share of the noses'
    length that was seen. What is empty or 0 was not examined. `covered_x_mm` is from where to where balls are in the
    picture, and exact enough, when the camera sees one end of the table only; places beyond have no error.
    """

    date: dt.datetime
    rms_px: float
    pocket_error_mm: Mapping[Pocket, float]
    verdict: Verdict
    reasons: tuple[str, ...] = ()
    spot_error_mm: Mapping[Spot, float] = field(default_factory=dict)
    cushion_error_mm: Mapping[Cushion, float] = field(default_factory=dict)
    marks: int = 0
    coverage: float = 0.0
    covered_x_mm: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BallSet:
    """The balls that may lie on this table, and the colours learnt for them.

    `colours` maps a colour word (`Ball.colour`) to its mean as 8-bit sRGB (red, green, blue) in this table's light; a
    word that is missing has its usual colour.
    """

    balls: tuple[Ball, ...] = FIVE_BALL_SET
    colours: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFile:
    """One table with its camera: everything vision needs to know before the first frame.

    `controls` are the values at which the camera's automatics were locked, by name, where it can be locked.
    """

    name: str
    table: Table
    camera: CameraModel
    source: str = ""
    fps: float = 0.0  # 0: unknown
    controls: Mapping[str, int] = field(default_factory=dict)
    certificate: Certificate | None = None
    ball_set: BallSet = field(default_factory=BallSet)
