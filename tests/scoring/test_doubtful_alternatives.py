"""What random matches found: unknown balls that only another reading names, answers that went to another ball."""

import pytest

from scoring.balls import CUE, RED_1, WHITE_1, WHITE_2, Ball
from scoring.commands import Answer, Entry, PlayShot, StartMatch
from scoring.events import Alternative, Contact, CushionHit, Potted, Rest, Strike
from scoring.match import NO_MATCH, apply
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.shots import RefereeInput, Shot
from scoring.table import Cushion, Pocket

UNKNOWN = Ball("ball-?1")
FELL = Alternative(1.0, Potted(t_s=0.1, ball=UNKNOWN, pocket=Pocket.FL))
TOUCHED = Alternative(1.0, Contact(t_s=0.2, ball=WHITE_2, other=UNKNOWN))


def doubtful(ball, other, alternative):
    return Contact(t_s=0.1, ball=ball, other=other, flagged=True, confidence=0.0, alternatives=(alternative,))


def played(game, phase, *shots):
    setup = Setup(game=game, sides=singles("A", "B"))
    state = apply(NO_MATCH, Entry(seq=1, what=StartMatch(setup, Beginning(phase=phase))))
    for shot in shots:
        state = apply(state, Entry(seq=state.next_seq, what=PlayShot(shot)))
    return state


def answered(state, pick):
    """The state after answering every question by the choice that `pick` takes, and how many there were."""
    for count in range(20):
        question = state.pending
        if question is None:
            return state, count
        answer = RefereeInput(kind="answer", to=question.kind.value, value=pick(question.choices).value)
        state = apply(state, Entry(seq=state.next_seq, what=Answer(answer)))
    pytest.fail(f"it is asked for ever: {state.pending}")


@pytest.mark.parametrize("pick", [lambda choices: choices[0], lambda choices: choices[-1]], ids=["first", "last"])
@pytest.mark.parametrize("game", ["kaisa", "russian-party", "five-balls"])
@pytest.mark.parametrize("alternative", [FELL, TOUCHED], ids=["fell", "touched"])
@pytest.mark.parametrize("cue", [WHITE_1, WHITE_2], ids=str)
def test_a_ball_that_only_another_reading_names_is_asked_about_and_never_unknown_to_the_rules(
    game, alternative, cue, pick
):
    own_fell = Potted(t_s=0.3, ball=cue, pocket=Pocket.FL)
    shot = Shot(events=(Strike(t_s=0.0, ball=cue), doubtful(WHITE_1, RED_1, alternative), own_fell))
    for phase in (Phase.OPENING, Phase.PLAY):
        state, _ = answered(played(game, phase, shot), pick)
        assert state.records[-1].ruling is not None


@pytest.mark.parametrize("game", ["small-pyramid", "big-pyramid"])
def test_an_answer_about_one_ball_in_the_house_is_not_taken_for_another(game):
    """The ball that was only touched, and that nobody follows, uses up no answer about the ball that fell (MP-46)."""
    events = (
        Contact(t_s=0.1, ball=CUE, other=Ball("3")),
        CushionHit(t_s=0.1, ball=CUE, cushion=Cushion.FRONT),
        Potted(t_s=0.1, ball=Ball("1"), pocket=Pocket.FL),
    )
    state, count = answered(played(game, Phase.PLAY, Shot(from_hand=True, events=events)), lambda choices: choices[0])
    assert state.pending is None
    assert count >= 2


def test_a_reading_without_balls_keeps_its_place_beside_a_ball_that_gets_a_name():
    """That nothing but the rest was seen is one reading of a contact with an unknown ball."""
    contact = doubtful(WHITE_1, UNKNOWN, Alternative(0.4, Rest(t_s=0.1)))
    own_fell = Potted(t_s=0.3, ball=WHITE_1, pocket=Pocket.FL)  # so that it matters who was hit first (KZ-42)
    shot = Shot(events=(Strike(t_s=0.0, ball=WHITE_1), contact, own_fell))
    state, _ = answered(played("kaisa", Phase.PLAY, shot), lambda choices: choices[0])
    assert state.records[-1].ruling is not None
