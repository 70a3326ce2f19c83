"""Wire shapes of the staff's page: how the tables are kept, and the settings that a browser may change."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from server.config import Game, Language


class _Shape(BaseModel):
    """Something that staff is told, or tells us."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class CalibrationOut(_Shape):
    """How well a table is calibrated; `worst_mm` is the largest error of a ball's centre at a pocket."""

    verdict: Literal["pass", "warn", "refuse", "none"] = Field(description="none: no certificate, or none can be read")
    date: str | None = Field(default=None, description="ISO 8601")
    worst_mm: float | None = None
    reasons: list[str] = Field(default_factory=list)


class KeptTableOut(_Shape):
    """How a table is kept: whether it is watched, how often its process was started again, its calibration."""

    id: str
    is_stopped: bool
    restarts: int
    calibration: CalibrationOut | None = Field(description="null: it needs none, being no real table")


class HallOut(_Shape):
    """What staff sees beside the tables' states."""

    version: str
    tables: list[KeptTableOut]
    waiting_messages: dict[str, int] = Field(description="by webhook: messages that have not been taken")
    has_settings: bool = Field(description="there is a hall file that may be edited here")


class TableSettings(_Shape):
    """One table of the hall file."""

    id: str = Field(max_length=40)
    name: str = Field(max_length=40)
    source: str = Field(max_length=500, description="the camera's address; a password in it is shown as ***")
    table_file: str = Field(default="", max_length=200, description="its name beside the hall file; empty: none")
    game: Game = "kaisa"
    players: list[str] = Field(default_factory=list, max_length=4)
    sensors: str = Field(default="", max_length=200, description="the sensor board's address; empty: none")
    ask_below: float = Field(default=0.8, ge=0, le=1)


class SettingsOut(_Shape):
    """What staff may change of the hall file."""

    version: str = Field(description="give it back when you change something")
    language: Language | None
    public_url: str
    tables: list[TableSettings]


class SettingsIn(_Shape):
    """The hall file as staff wants it."""

    version: str
    language: Language | None = None
    public_url: str = Field(default="", max_length=200)
    tables: list[TableSettings] = Field(min_length=1, max_length=100)
