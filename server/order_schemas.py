"""Wire shapes of what we are sent: commands, in the contract's words (sections 3, 4 and 7)."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from server.config import Game, OptionValue

Name: TypeAlias = Annotated[str, Field(max_length=40)]


class _In(BaseModel):
    """Something that we are sent: unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class JoinIn(_In):
    """The code on a table's display."""

    code: str = Field(max_length=40)


class PinIn(_In):
    """Staff's PIN."""

    pin: str = Field(max_length=200)


class OrderIn(_In):
    """What somebody asks for, and why."""

    why: str | None = Field(default=None, max_length=200, description="the reason, kept in the journal")
    after: int | None = Field(
        default=None,
        description="the last entry that the asker has seen (controls.entries); refused when there is a newer",
    )


class HandicapIn(_In):
    """What one side is given before the start (contract, section 4)."""

    credit: int = 0
    off_table: list[str] = Field(default_factory=list)
    not_taken_off: int = 0
    points: int = 0
    caroms: bool = False


class StartIn(OrderIn):
    """Start a match; what is left out comes from the hall file."""

    game: Game | None = None
    players: list[Name | list[Name]] | None = Field(
        default=None, min_length=2, max_length=4, description="in order of play; a pair is a list of two names"
    )
    format: Literal["singles", "pair-1", "pair-2"] = "singles"
    options: dict[str, OptionValue] = Field(default_factory=dict, description="options that differ from their defaults")
    handicap: dict[str, HandicapIn] = Field(default_factory=dict, description="by account: a pair is named B+C")
    first: str | None = Field(default=None, description="who opens, when there is no lag")
    lag: bool = Field(default=False, description="a lag decides who opens")


class CallIn(OrderIn):
    """What the shooter announces."""

    ball: str | None = None
    pocket: str | None = None
    bank: bool | None = None


class AnswerIn(OrderIn):
    """The answer to a pending question."""

    to: str
    value: Any
    stroke: int | None = Field(default=None, description="the stroke that is asked about; refused when it is another")


class CorrectIn(OrderIn):
    """What really happened: `shot` in place of `stroke`, or inserted `before` one (null: at the end), or removed."""

    stroke: int | None = Field(default=None, description="the stroke that was another one, or (with remove) none")
    shot: dict[str, Any] | None = Field(default=None, description="a shot record (contract, section 3)")
    before: int | None = None
    remove: bool = False


class RefereeIn(OrderIn):
    """Something that only people can see (contract, section 3)."""

    type: str
    by: str | None = None
    ball: str | None = None
    number: int | None = None
    when: Literal["before", "during", "after"] = "during"
    stroke: int | None = Field(default=None, description="the stroke it is about; left out, its kind decides")


class ConcedeIn(OrderIn):
    """Who gives up."""

    by: str


class LagIn(OrderIn):
    """Who has won the lag."""

    winner: str


class HandPotIn(_In):
    """A ball that fell."""

    ball: str
    pocket: str
    bank: bool = False


class HandStrokeIn(OrderIn):
    """A stroke as people saw it: in place of `stroke`, inserted `before` one, or played now."""

    stroke: int | None = None
    before: int | None = None
    hit: list[str] = Field(default_factory=list, max_length=16, description="balls that the cue ball touched, in order")
    potted: list[HandPotIn] = Field(default_factory=list, max_length=16)
    cue_ball: Literal["stayed", "potted", "off_table"] = "stayed"
    called: bool = Field(default=True, description="it fell as it was called")
