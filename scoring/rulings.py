"""Ruling: what one stroke was worth. Score changes with their rules, fouls, turn, what to put where, what to ask.

Sentences are message ids with parameters (`Reason`), so that a board can say them in any language.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from scoring.balls import Ball
from scoring.errors import ScoringError
from scoring.shots import AnswerValue, Call
from scoring.table import Point


class QuestionKind(StrEnum):
    """What can be asked (contract, section 4)."""

    CALL = "call"
    BALL_NUMBER = "ball_number"
    FIRST_CONTACT = "first_contact"
    CAROM = "carom"
    CHAIN = "chain"
    BANK = "bank"
    POCKET_OR_HAND = "pocket_or_hand"
    FELL_BY_ITSELF = "fell_by_itself"
    OFF_TABLE = "off_table"
    RETURNED = "returned"
    WHICH_WHITE = "which_white"
    PUT_BACK = "put_back"
    WHO_SHOOTS = "who_shoots"
    LAYOUT = "layout"


@dataclass(frozen=True, slots=True)
class Choice:
    """One possible answer; `probability` is None where nobody estimated it."""

    value: AnswerValue
    probability: float | None = None

    def matches(self, answer: AnswerValue) -> bool:
        """Whether an answer means this choice: `hand` and false, a ball and its number, a call with no bank named."""
        return _plain(self.value) == _plain(answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something only people know: `choices` are the likely answers, the most probable first.

    An `open` question may be answered by something that is not among them (a call, places, balls).
    """

    kind: QuestionKind
    choices: tuple[Choice, ...] = ()
    about: Ball | None = None
    open: bool = False
    reason: str | None = None

    def choice_of(self, answer: AnswerValue) -> int | None:
        """The index of the choice that an answer means; a ball asked about is as good as `true`."""
        if answer == self.about and self.about is not None and not any(c.value == answer for c in self.choices):
            answer = True
        for index, choice in enumerate(self.choices):
            if choice.matches(answer):
                return index
        return None


def _plain(value: AnswerValue) -> object:
    """An answer without the ways of spelling it."""
    if isinstance(value, Ball):
        return value.number if value.number is not None else value
    if isinstance(value, Call):
        return (value.ball, value.pocket, value.bank or False)
    if isinstance(value, bool) or value in ("hand", "none", "pocket"):
        return ("said", value is True or value == "pocket")
    return value


class Turn(StrEnum):
    """Who shoots after the stroke."""

    STAYS = "stays"
    PASSES = "passes"


class Place(StrEnum):
    """Where a ball is put."""

    S1 = "S1"
    S2 = "S2"
    S3 = "S3"
    FRONT_MIDDLE = "front-middle"
    IN_HAND = "in-hand"
    WHERE_IT_STOOD = "where-it-stood"
    AT = "at"


@dataclass(frozen=True, slots=True)
class Respot:
    """A ball that people must put somewhere; `at` is the place in table mm where it is known (not in hand)."""

    ball: Ball
    place: Place
    at: Point | None = None


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """Points for or against a side, and the rule that gives them."""

    side: int
    points: int
    rule: str


class Message(StrEnum):
    """What a ruling says, with the parameters that its sentence needs."""

    POTTED = "potted"  # ball, pocket, points
    POTTED_WITH_CAROM = "potted_with_carom"  # ball, pocket, points, caroms
    NOTHING_POTTED = "nothing_potted"
    MISS = "miss"
    NOT_AS_CALLED = "not_as_called"  # ball, pocket
    BANK_NOT_CALLED = "bank_not_called"  # ball
    BANK_NOT_PLAYED = "bank_not_played"  # ball
    BANK_INTO_CORNER = "bank_into_corner"  # ball
    CHAIN_TOO_LONG = "chain_too_long"  # ball
    CAROM_VOID_AFTER_COMBINATION = "carom_void_after_combination"  # ball
    NO_CAROM = "no_carom"  # ball
    FORBIDDEN_FIRST_SHOT = "forbidden_first_shot"  # ball
    HOUSE_BALL_DIRECT = "house_ball_direct"  # ball
    YELLOW_MIDDLE_TWICE = "yellow_middle_twice"
    EXTRA_BALL = "extra_ball"  # ball
    FELL_BY_ITSELF = "fell_by_itself"  # ball
    CUE_BALL_POTTED = "cue_ball_potted"  # points
    CUE_BALL_OFF_TABLE = "cue_ball_off_table"  # points
    BALL_OFF_TABLE = "ball_off_table"  # ball
    BALL_CAME_BACK = "ball_came_back"  # ball
    BALL_ON_RAIL = "ball_on_rail"  # ball
    FOUL = "foul"  # kind, player, points
    CLOSING_BALL_NEEDED = "closing_ball_needed"  # score
    WINS = "wins"  # side
    DRAW = "draw"
    CONCEDED = "conceded"  # player
    OPENS = "opens"  # player
    LAG_LOST = "lag_lost"  # player, why
    YELLOW_RETURNS = "yellow_returns"
    MATCH_IS_OVER = "match_is_over"
    ODD_EVENTS_IGNORED = "odd_events_ignored"  # count
    STROKE_ANNULLED = "stroke_annulled"
    MANDATORY_BALL = "mandatory_ball"
    OPENING_REPEATED = "opening_repeated"
    BALL_WAITS = "ball_waits"  # ball
    BALL_TO_FREE_SPOT = "ball_to_free_spot"  # ball
    PRIZE_TO_OPPONENT = "prize_to_opponent"  # points
    CAROM_OF_STRONGER = "carom_of_stronger"  # ball
    BALLS_PUT_BACK = "balls_put_back"  # balls
    HAS_NO_EFFECT = "has_no_effect"  # kind
    PLACED = "placed"  # side, place
    LAST_BALL = "last_ball"  # points
    POT_VOID = "pot_void"  # ball
    HOUSE_BALL_VOID = "house_ball_void"  # ball
    TEMPORARY_HOUSE = "temporary_house"
    MISS_WAIVED = "miss_waived"
    SAFETY_NOT_REACHED = "safety_not_reached"  # points
    CLUSTER = "cluster"
    FREE_STROKES = "free_strokes"
    STALEMATE_WARNED = "stalemate_warned"
    STALEMATE = "stalemate"
    TARGET_OVERLOOKED = "target_overlooked"  # side
    CANNOT_LOSE = "cannot_lose"  # side, score
    DRAW_REPLAYED = "draw_replayed"
    DRAW_HALVED = "draw_halved"
    HANDICAP_TAKEN_OFF = "handicap_taken_off"  # side, points
    CALL_ASSUMED = "call_assumed"  # ball, pocket
    TIME_UP = "time_up"
    SHOOT_OUT = "shoot_out"  # count
    SHOOT_OUT_MADE = "shoot_out_made"  # player, score
    SHOOT_OUT_MISSED = "shoot_out_missed"  # player, score


@dataclass(frozen=True, slots=True)
class Reason:
    """A message id, the values of its parameters in the order above, and the rule it rests on."""

    message: Message
    parameters: tuple[str | int, ...] = ()
    rule: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """The referee's word on one stroke. With a `question` nothing is decided yet and nothing has changed.

    `by` is who shot, where that was not the expected shooter. Only `put_back` is asked after the decision: the stroke
    counts, the proposed balls are in `put_back`, and what is asked is whether people agree to them (MP-62).
    """

    changes: tuple[ScoreChange, ...] = ()
    foul: str | None = None
    fouls: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    turn: Turn = Turn.STAYS
    next_shooter: str | None = None
    by: str | None = None
    respots: tuple[Respot, ...] = ()
    put_back: tuple[Ball, ...] = ()
    question: Question | None = None
    reasons: tuple[Reason, ...] = ()
    warnings: tuple[Reason, ...] = ()
    winners: tuple[int, ...] = ()

    @property
    def is_undecided(self) -> bool:
        """Whether a question must be answered before the stroke counts."""
        return self.question is not None and self.question.kind is not QuestionKind.PUT_BACK

    def points_of(self, side: int) -> int:
        """How many points a side won or lost."""
        return sum(change.points for change in self.changes if change.side == side)


def asking(question: Question, *rules: str) -> Ruling:
    """A ruling that waits for an answer."""
    return Ruling(question=question, rules=rules)


def cited(*groups: Iterable[str | None]) -> tuple[str, ...]:
    """Rule numbers, each once, in the order of first mention."""
    return tuple(dict.fromkeys(rule for group in groups for rule in group if rule))


def refuse_answer(question: Question, answer: AnswerValue) -> ScoringError:
    """The error of an answer that is none of the possible ones."""
    possible = ", ".join(_said(choice.value) for choice in question.choices)
    return ScoringError(f"answer to {question.kind}: {_said(answer)} is not possible (possible: {possible})")


def _said(value: AnswerValue) -> str:
    """An answer in words."""
    if isinstance(value, Call):
        bank = "bank" if value.bank else None
        return " ".join(str(word) for word in (value.ball, value.pocket, bank) if word) or "nothing"
    if isinstance(value, tuple | Mapping):
        return " ".join(map(str, value)) or "nothing"
    return str(value).lower() if isinstance(value, bool) else str(value)
