"""Wire shapes: what goes over HTTP and WebSocket, in the contract's words (sections 2 to 4 and 7)."""

from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from server.config import OptionValue

Places: TypeAlias = dict[str, tuple[float, float]]
EventRecord: TypeAlias = dict[str, Any]
HealthWord: TypeAlias = Literal["ok", "degraded", "failed"]


class _Out(BaseModel):
    """Something that we send."""

    model_config = ConfigDict(frozen=True)


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
    handicap: str | None = Field(default=None, description="what it was given before the start")
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
    probability: float | None = Field(default=None, description="how likely the witness finds it; null: unknown")


class QuestionOut(_Out):
    """What people are asked."""

    kind: str
    text: str
    choices: list[ChoiceOut] = Field(description="the most probable first")
    stroke: int | None = Field(default=None, description="the stroke that it is about")
    is_open: bool = Field(default=False, description="an answer may be none of the choices")


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
    """Something was seen; what is provisional is told while the balls roll, and told anew when they lie still."""

    type: Literal["event"] = "event"
    event: EventRecord
    provisional: bool = False
    corrects: bool = Field(default=False, description="ends a stroke that was something else than was provisional")


class RulingMessageOut(_Out):
    """Something was ruled."""

    type: Literal["ruling"] = "ruling"
    ruling: RulingOut


class ControlsOut(_Out):
    """What people may do now."""

    due: str = Field(description="what the table waits for: start, lag, answer, call, stroke or nothing")
    call: str = Field(description="what a call names: none, ball, ball_pocket or ball_pocket_bank")
    cue_ball: str | None
    balls: list[str] = Field(description="balls that may be called or hit")
    gone: list[str] = Field(description="balls that are out of the game")
    members: list[str] = Field(description="everybody who plays")
    entries: int = Field(description="how many entries the match has; see `after`")
    can_undo: bool
    can_redo: bool
    undo_text: str | None = Field(description="what an undo takes back")


class ClockOut(_Out):
    """How long the match has been on, or was."""

    elapsed_s: float
    left_s: float | None = Field(description="null: there is no time limit")
    is_running: bool


class DuePlaceOut(_Out):
    """Where a ball is to be put, and where it lies now, table mm."""

    ball: str
    at: tuple[float, float]
    lies: tuple[float, float] | None


class OfferOut(_Out):
    """The balls are set up for a game that nobody has started."""

    game: str
    game_name: str


class PutAsideOut(_Out):
    """A match that everybody had left; it may go on."""

    game_name: str
    scores: dict[str, int]


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
    due_places: list[DuePlaceOut] = Field(description="the places of balls that people must put somewhere")
    clock: ClockOut | None
    offer: OfferOut | None
    put_aside: PutAsideOut | None
    rulings: list[RulingOut]
    controls: ControlsOut
    positions: PositionsOut | None
    paths: list[PathOut]
    is_moving: bool
    health: HealthOut
    is_fresh: bool
    age_s: float | None = Field(description="age of the newest picture; null before the first")


class AlternativeOut(_Out):
    """How a stroke may be read otherwise; `shot` is what to send to `correct`."""

    text: str
    outcome: str = Field(description="what it would be worth")
    probability: float | None
    shot: dict[str, Any]


class StrokeOut(_Out):
    """One stroke of the match: what was seen, and what it was worth."""

    number: int
    shot: dict[str, Any]
    ruling: RulingOut | None
    events: list[str] = Field(description="what was seen, in words, with its time")
    alternatives: list[AlternativeOut] = Field(description="other readings, the most probable first")


class SecondLookOut(_Out):
    """What a second, slow look at a stroke's clip came to; `shot` is what to send to `correct`."""

    state: Literal["none", "running", "done", "failed"]
    why: str = Field(description="why it failed, in plain English")
    agrees: bool | None = Field(default=None, description="whether the stroke would be worth the same")
    outcome: str = ""
    events: list[str] = Field(default_factory=list)
    shot: dict[str, Any] | None = None


class ClipOut(_Out):
    """The evidence that there is of a stroke."""

    has_clip: bool
    has_drawn: bool = Field(description="there is a copy of the clip with what the second look saw drawn in")
    strike_s: float | None = Field(description="where in the clip the stroke begins")
    look: SecondLookOut | None


class OptionValueOut(_Out):
    """One value that an option can have, or one that its list can hold."""

    value: str | int
    text: str


class OptionOut(_Out):
    """A choice that the rules leave open."""

    name: str
    text: str
    kind: Literal["flag", "number", "word", "list"]
    default: OptionValue
    choices: list[OptionValueOut]
    is_ordered: bool = Field(description="it is a list whose order means something")
    is_main: bool = Field(description="people choose it often")


class LineUpOut(_Out):
    """Who plays against whom: the number of members of each side."""

    text: str
    format: Literal["singles", "pair-1", "pair-2"]
    sides: list[int]


class GameOut(_Out):
    """A game that can be played."""

    name: str
    text: str
    line_ups: list[LineUpOut]
    handicaps: list[str] = Field(description="which handicaps it knows: points, caroms, credit, off_table")
    options: list[OptionOut]


class SessionOut(_Out):
    """Who asks, and what he may do."""

    who: str
    is_staff: bool
    tables: list[str] = Field(description="the tables that he may command")
    is_open: bool = Field(description="no code is needed")
    has_pin: bool


class CodeOut(_Out):
    """A table's join code, and what a display's address must hold to show it."""

    code: str
    display_key: str
    is_needed: bool


class LogOut(_Out):
    """One entry of a match's journal: what, and who gave it, when, and why."""

    seq: int
    what: str
    who: str | None
    at: str | None = Field(description="ISO 8601, UTC")
    why: str | None
    is_taken_back: bool


class SideSummaryOut(_Out):
    """One side of a match."""

    name: str
    score: int
    strokes: int
    highest_series: int
    fouls: int
    points_per_stroke: float
    carom_rate: float = Field(description="the share of strokes in which the cue ball touched two balls or more")


class PlayerOfHallOut(_Out):
    """What somebody did in all matches that are over."""

    name: str
    matches: int
    won: int
    strokes: int
    points: int
    points_per_stroke: float
    highest_series: int
    fouls: int
    carom_rate: float


class MatchSummaryOut(_Out):
    """One match of a table, counted from 1."""

    table: str
    table_name: str
    number: int
    game: str
    game_name: str
    started: str | None
    is_over: bool
    scores: dict[str, int]
    winner: str | list[str] | None
    strokes: int
    sides: list[SideSummaryOut]


class ImportedOut(_Out):
    """A match that was brought from elsewhere."""

    is_new: bool = Field(description="false: the hall had it already")
    match: MatchSummaryOut


class HallHealthOut(_Out):
    """How the whole hall is."""

    status: HealthWord
    journal: str
    reasons: list[str]
    tables: dict[str, HealthOut]
