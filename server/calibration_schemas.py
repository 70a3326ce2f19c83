"""Wire shapes of the calibration wizard: what it is told, and what it asks for."""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from calibration.ball_check import Place
from calibration.table_file import Verdict

PointPx: TypeAlias = tuple[float, float]
Length: TypeAlias = Annotated[float, Field(gt=0, lt=20_000, allow_inf_nan=False)]
Pixel: TypeAlias = Annotated[float, Field(ge=-10_000, le=20_000, allow_inf_nan=False)]


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TableSizeOut(_Shape):
    """A table's measures."""

    length_mm: float
    width_mm: float
    ball_mm: float
    has_pockets: bool


class PlaceOut(_Shape):
    """A spot or a pocket's mouth: what it is called, where a ball there is in the picture and may be wrong by."""

    place: Place
    name: str
    at_px: PointPx
    error_mm: float | None


class CheckOut(_Shape):
    """Where a ball at a known place was seen; the way from there is in table mm."""

    place: Place
    residual_mm: float
    off_mm: tuple[float, float]
    text: str
    light: Verdict


class ColourOut(_Shape):
    """A colour that was learnt, as sRGB."""

    word: str
    name: str
    srgb: tuple[float, float, float]


class ProposalOut(_Shape):
    """What was measured, drawn in px of the whole picture; `asks_house` when nothing tells which end it is."""

    table: TableSizeOut
    light: Verdict
    headline: str
    reasons: list[str]
    doubts: list[str] = Field(description="what would cost exactness in play, and a person can put right")
    worst_mm: float
    rms_px: float
    marks: int
    coverage: float
    corners_px: list[PointPx]
    outline_px: list[PointPx]
    house_line_px: list[PointPx]
    places: list[PlaceOut]
    front: Literal["left", "right", "top", "bottom"]
    asks_house: bool
    colours: list[ColourOut]
    colours_text: str


class StoredOut(_Shape):
    """A calibration on disk; number 0 is the present one, 1 the latest of the earlier ones."""

    number: int
    text: str
    date: str | None
    light: Verdict | None


class InPlayOut(_Shape):
    """What balls that lay against cushions say of the calibration in service."""

    text: str
    mean_mm: float
    balls: int
    light: Verdict


class WizardOut(_Shape):
    """How far a table's calibration is."""

    size_px: tuple[int, int] | None
    has_picture: bool
    views: int
    doing: Literal["", "measure", "colours", "ball"]
    failed: Literal["", "measure", "colours", "ball"]
    failure: str
    proposal: ProposalOut | None
    checks: list[CheckOut]
    is_saved: bool
    can_save: bool
    stored: list[StoredOut]
    usual: TableSizeOut
    in_play: InPlayOut | None


class MeasureIn(_Shape):
    """Find the table; `corners_px` are where a person has dragged the corners of the noses."""

    length_mm: Length
    width_mm: Length
    ball_mm: Length
    pockets: Literal["auto", "six", "none"] = "auto"
    house: Literal["left", "right", "top", "bottom"] | None = None
    corners_px: list[tuple[Pixel, Pixel]] | None = Field(default=None, min_length=4, max_length=4)


class CheckIn(_Shape):
    """Where the ball lies."""

    place: Place


class RestoreIn(_Shape):
    """Which of the earlier calibrations."""

    number: int = Field(ge=1, le=1000)
