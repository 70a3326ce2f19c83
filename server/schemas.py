"""Wire shapes: what goes over HTTP and WebSocket, in the contract's words (sections 2 to 4 and 7)."""

from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from server.config import Game, OptionValue

Places: TypeAlias = dict[str, tuple[float, float]]
EventRecord: TypeAlias = dict[str, Any]
HealthWord: TypeAlias = Literal["ok", "degraded", "failed"]


class _Out(BaseModel):
    """Something that we send."""

    model_config = ConfigDict(frozen=True)


class _In(BaseModel):
    """Something that we are sent: unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class TableOut(_Out):
    """The table as a thing."""

    id: str
    name: str
    length_mm: float
    width_mm: float
    ball_mm: float
    has_pockets: bool
    marker: str | None = Field(description="set when this is no real table: a virtual one, or a replay")


class PlayerOut(_Out):
    """One account: a player, or a pair."""

    name: str
    score: int
    target: int | None
    series: int | None = Field(description="points of the series that is on")
    is_shooting: bool
    shooter: str | None = Field(description="which of a pair's members plays")
    has_won: bool
    cue_ball: str | None
    note: str | None = Field(description="a word more: in hand, first place, ...")


class CallOut(_Out):
    """What was called."""

    ball: str | None = None
    pocket: str | None = None
    bank: bool | None = None
    text: str


class MatchOut(_Out):
    """The match that is on."""

    game: str
    game_name: str
    phase: str
    players: list[PlayerOut]
    scores: dict[str, int]
    shooter: str | None
    target: dict[str, int]
    left: int | None
    winner: str | list[str] | None
    placings: list[str]
    in_hand: list[str]
    call: CallOut | None
    strokes: int


class ChoiceOut(_Out):
    """One answer that makes sense."""

    value: Any
    text: str


class QuestionOut(_Out):
    """What people are asked."""

    kind: str
    text: str
    choices: list[ChoiceOut]


class ReasonOut(_Out):
    """Why, with the rule's number."""

    text: str
    rule: str | None


class RulingOut(_Out):
    """What a stroke was worth, and why."""

    stroke: int | None
    by: str | None
    title: str
    points: dict[str, int]
    points_text: str
    foul: str | None
    rules: list[str]
    reasons: list[ReasonOut]


class PathOut(_Out):
    """Where a ball went during the last stroke, table mm."""

    ball: str
    points: list[tuple[float, float]]


class PositionsOut(_Out):
    """Where the balls are; `t_s` is the table's clock."""

    type: Literal["positions"] = "positions"
    t_s: float
    balls: Places


class HealthOut(_Out):
    """How a table is."""

    state: HealthWord
    text: str
    reasons: list[str]
    detail: str = Field(description="what exactly is wrong, in plain English, for the staff")


class HeartbeatOut(_Out):
    """Sent when nothing else is, at least every 2 s."""

    type: Literal["heartbeat"] = "heartbeat"
    health: HealthOut
    is_fresh: bool
    age_s: float | None


class EventOut(_Out):
    """Something was seen."""

    type: Literal["event"] = "event"
    event: EventRecord


class RulingMessageOut(_Out):
    """Something was ruled."""

    type: Literal["ruling"] = "ruling"
    ruling: RulingOut


class StateOut(_Out):
    """Everything that a board shows of one table."""

    type: Literal["state"] = "state"
    version: int
    language: str
    table: TableOut
    match: MatchOut | None
    headline: str
    pending: list[QuestionOut]
    due: list[str]
    rulings: list[RulingOut]
    positions: PositionsOut | None
    paths: list[PathOut]
    is_moving: bool
    health: HealthOut
    is_fresh: bool
    age_s: float | None = Field(description="age of the newest picture; null before the first")


class StrokeOut(_Out):
    """One stroke of the match: what was seen, and what it was worth."""

    number: int
    shot: dict[str, Any]
    ruling: RulingOut | None


class HallHealthOut(_Out):
    """How the whole hall is."""

    status: HealthWord
    journal: str
    reasons: list[str]
    tables: dict[str, HealthOut]


class HandicapIn(_In):
    """What one side is given before the start (contract, section 4)."""

    credit: int = 0
    off_table: list[str] = Field(default_factory=list)
    not_taken_off: int = 0
    points: int = 0
    caroms: bool = False


class StartIn(_In):
    """Start a match; what is left out comes from the hall file."""

    game: Game | None = None
    players: list[str | list[str]] | None = Field(
        default=None, min_length=2, max_length=4, description="in order of play; a pair is a list of two names"
    )
    format: Literal["singles", "pair-1", "pair-2"] = "singles"
    options: dict[str, OptionValue] = Field(default_factory=dict, description="options that differ from their defaults")
    handicap: dict[str, HandicapIn] = Field(default_factory=dict, description="by account: a pair is named B+C")
    first: str | None = Field(default=None, description="who opens, when there is no lag")


class CallIn(_In):
    """What the shooter announces."""

    ball: str | None = None
    pocket: str | None = None
    bank: bool | None = None


class AnswerIn(_In):
    """The answer to a pending question."""

    to: str
    value: Any


class CorrectIn(_In):
    """What really happened: `shot` in place of `stroke`, or inserted `before` one (null: at the end), or removed."""

    stroke: int | None = Field(default=None, description="the stroke that was another one, or (with remove) none")
    shot: dict[str, Any] | None = Field(default=None, description="a shot record (contract, section 3)")
    before: int | None = None
    remove: bool = False


class RefereeIn(_In):
    """Something that only people can see (contract, section 3)."""

    type: str
    by: str | None = None
    ball: str | None = None
    number: int | None = None
    when: Literal["before", "during", "after"] = "during"
    stroke: int | None = Field(default=None, description="the stroke it is about; left out, its kind decides")


class ConcedeIn(_In):
    """Who gives up."""

    by: str
