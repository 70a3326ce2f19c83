"""Two contacts of the struck ball almost at once: told with the other order, as scoring can ask about it."""

from dataclasses import replace

import pytest

from scoring.balls import RED_1, RED_2, WHITE_1, YELLOW, Ball
from scoring.events import Contact, CushionHit, Potted, Strike
from scoring.questions import balls_hit_first, facts_of
from scoring.table import Cushion, Pocket
from vision.witness.order import before_falls, strikes_first, with_order_doubts

STRIKE = Strike(t_s=1.0, ball=WHITE_1)


def contact(t_s, other, ball=WHITE_1):
    return Contact(t_s=t_s, ball=ball, other=other, confidence=0.98)


def test_a_contact_that_may_have_been_the_first_is_told_with_the_other_order():
    events = with_order_doubts([STRIKE, contact(1.5, RED_1), contact(1.5003, YELLOW)])
    assert [event.flagged for event in events] == [False, False, True]
    (other,) = events[2].alternatives
    assert 0.3 < other.probability < 0.5
    assert balls_hit_first(facts_of(events)) == (RED_1,)
    assert balls_hit_first(facts_of([*events[:2], other.event])) == (YELLOW,)


def test_the_order_is_in_doubt_whichever_ball_a_contact_names_first():
    events = with_order_doubts([STRIKE, contact(1.5, WHITE_1, ball=RED_1), contact(1.5, WHITE_1, ball=RED_2)])
    assert events[2].flagged


@pytest.mark.parametrize(
    "events",
    [
        [STRIKE, contact(1.5, RED_1), contact(1.504, YELLOW)],  # four milliseconds are seen
        [STRIKE, contact(1.5, RED_1), contact(1.5, RED_2, ball=RED_1)],  # not of the struck ball
        [STRIKE, contact(1.5, RED_1), contact(1.5005, RED_1)],  # the same ball
        [STRIKE, contact(1.5, Ball("3")), contact(1.5, Ball("4"))],  # no rule minds
        [STRIKE],
        [contact(1.5, RED_1), contact(1.5, YELLOW)],  # nobody struck
    ],
    ids=["apart", "others", "same", "numbered", "no-contact", "no-strike"],
)
def test_an_order_that_is_sure_or_that_nobody_minds_is_left_alone(events):
    assert with_order_doubts(events) == events


def test_a_doubtful_contact_keeps_its_own_doubt():
    doubtful = Contact(t_s=1.5001, ball=WHITE_1, other=YELLOW, flagged=True, reason="seen badly")
    assert with_order_doubts([STRIKE, contact(1.5, RED_1), doubtful])[2] == doubtful


FELL = Potted(t_s=2.0, ball=RED_1, pocket=Pocket.RL)


def test_a_jaw_that_was_met_just_before_a_fall_is_told_before_it():
    jaw = CushionHit(t_s=2.006, ball=RED_1, cushion=Cushion.REAR, pocket=Pocket.RL)
    other = CushionHit(t_s=2.01, ball=YELLOW, cushion=Cushion.LEFT)
    told = before_falls([FELL, jaw, other])
    assert [event.t_s for event in told] == [2.0, pytest.approx(2.0, abs=1e-3), 2.01]
    assert told[1].t_s < 2.0


def test_a_ball_that_surely_fell_meets_nothing_afterwards():
    later = contact(2.5, RED_1)
    assert before_falls([FELL, later]) == [FELL]
    doubtful = replace(FELL, flagged=True, confidence=0.6)
    assert before_falls([doubtful, later]) == [doubtful, later]


@pytest.mark.parametrize(("fell_s", "is_first"), [(0.988, True), (1.5, True), (0.6, False)])
def test_a_ball_that_falls_as_it_is_struck_was_struck_first(fell_s, is_first):
    fell = Potted(t_s=fell_s, ball=WHITE_1, pocket=Pocket.FL)
    strike, told = strikes_first([STRIKE, fell])
    assert (strike.t_s < told.t_s) == is_first
    assert told == fell
