"""Players who tell the truth: what they answer when asked, and whether a stroke as it was seen counts what it was."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

from scoring.commands import Answer, Command, Entry, PlayShot
from scoring.errors import ScoringError
from scoring.events import Strike
from scoring.match import MatchState, Record, apply
from scoring.rulings import Question, QuestionKind
from scoring.shots import AnswerValue, RefereeInput, Shot

_MOST_QUESTIONS = 4  # about one stroke


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a stroke counted, seen from who played it; where the match stood before does not matter."""

    own: int
    others: int
    passes: bool
    ends: bool

    @classmethod
    def of(cls, state: MatchState, record: Record) -> Self:
        """The effect of one stroke of a match."""
        side = state.started.terms.setup.side_of(record.before.shooter)
        gained = [after - before for before, after in zip(record.before.scores, record.after.scores, strict=True)]
        return cls(
            own=gained[side],
            others=sum(gained) - gained[side],
            passes=record.before.shooter != record.after.shooter,
            ends=bool(record.after.winners),
        )


def entered(state: MatchState, what: Command) -> MatchState:
    """The match after one more entry.

    Raises:
        ScoringError: It cannot be entered.
    """
    return apply(state, Entry(seq=state.next_seq, what=what))


def truthful_answers(
    state: MatchState, truth: Shot, effect: Effect, most: int = _MOST_QUESTIONS
) -> tuple[RefereeInput, ...] | None:
    """Answers after which the stroke that is asked about counts what it did; None when none of them are true."""
    question, record = state.pending, state.asking
    if question is None or record is None:
        return None
    for value in _values(question, truth):
        answer = RefereeInput(kind="answer", to=question.kind.value, value=value)
        try:
            then = entered(state, Answer(answer))
        except ScoringError:
            continue  # no answer to this question
        if then.pending is None and Effect.of(then, then.record(record.number)) == effect:
            return (answer,)
        if then.pending is not None and most > 1:
            more = truthful_answers(then, truth, effect, most - 1)
            if more is not None:
                return (answer, *more)
    return None


def first_answer(question: Question, truth: Shot) -> RefereeInput | None:
    """What is said when nothing that may be said is true; None when nothing may be said at all."""
    value = next(_values(question, truth), None)
    return None if value is None else RefereeInput(kind="answer", to=question.kind.value, value=value)


def counts_right(before: MatchState, truth: Shot, seen: Shot) -> bool:
    """Whether a stroke as it was seen would have counted what it was, had all before it been right."""
    effect = effect_of(before, truth)
    played = replace(seen, by=None, referee=tuple(entry for entry in seen.referee if entry.kind != "answer"))
    try:
        then = entered(before, PlayShot(played))
    except ScoringError:
        return False
    if then.pending is not None:
        return truthful_answers(then, truth, effect) is not None
    return Effect.of(then, then.records[-1]) == effect


def effect_of(before: MatchState, truth: Shot) -> Effect:
    """What a stroke really counted."""
    after = entered(before, PlayShot(truth))
    return Effect.of(after, after.records[-1])


def _values(question: Question, truth: Shot) -> Iterator[AnswerValue]:
    """What may be answered, the likeliest first; which ball was struck everybody knows."""
    struck = next((event.ball for event in truth.events if isinstance(event, Strike)), None)
    if question.kind is QuestionKind.WHICH_WHITE and question.about is None and question.choice_of(struck) is not None:
        yield struck
        return
    for choice in question.choices:
        yield choice.value
    if question.open and truth.call is not None:
        yield truth.call
