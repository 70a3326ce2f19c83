"""What rules ask of a stroke: first contact, touched balls, chains, banks, jaws."""

from itertools import combinations

from scoring.balls import NUMBERED, RED_1, RED_2, WHITE_1, WHITE_2, YELLOW
from scoring.doubts import MOST_READINGS, differing, doubts_of
from scoring.events import Contact, HouseLine
from scoring.questions import (
    balls_hit_first,
    balls_touched,
    banks_before,
    carom_balls,
    chain_to,
    cushions_before_contact,
    facts_of,
    final_off,
)
from scoring.table import Cushion, Pocket
from scoring.testing import no_stroke, stroke


def facts(sentence):
    return facts_of(sentence.shot().events)


def chain(sentence, frozen=()):
    told = facts(sentence)
    return chain_to(told, told.pots[0], frozen)


def test_the_first_ball_hit_and_several_at_once():
    assert balls_hit_first(facts(stroke(WHITE_1).hits(RED_1, YELLOW))) == (RED_1,)
    assert balls_hit_first(facts(stroke(WHITE_1).hits(RED_1).at_once().hits(YELLOW))) == (RED_1, YELLOW)
    assert balls_hit_first(facts(stroke(WHITE_1).then(RED_1, WHITE_1))) == (RED_1,)
    assert balls_hit_first(facts(stroke(WHITE_1))) == ()
    assert balls_hit_first(facts_of(())) == ()


def test_each_touched_ball_counts_once():
    told = facts(stroke(WHITE_1).hits(RED_1, YELLOW, RED_1).then(RED_1, RED_2))
    assert balls_touched(told) == (RED_1, YELLOW)
    assert balls_touched(facts_of(())) == ()


def test_carom_balls_are_the_others_and_may_have_to_come_after_the_target():
    told = facts(stroke(WHITE_1).hits(RED_2, YELLOW, WHITE_2))
    assert carom_balls(told, YELLOW) == (RED_2, WHITE_2)
    assert carom_balls(told, YELLOW, after_target=True) == (WHITE_2,)
    assert carom_balls(told, RED_1, after_target=True) == ()


def test_the_chain_to_a_ball_that_the_cue_ball_drove_in_is_empty():
    assert chain(stroke(WHITE_1).hits(YELLOW).pots(YELLOW, Pocket.RL)) == ()


def test_the_shortest_chain_counts():
    told = stroke(WHITE_1).hits(RED_1).then(RED_1, RED_2).hits(RED_2).then(RED_2, YELLOW)
    assert chain(told.pots(YELLOW, Pocket.RL)) == (RED_2,)


def test_a_chain_runs_forward_in_time_and_ends_with_the_pot():
    backwards = stroke(WHITE_1).then(RED_1, YELLOW).hits(RED_1).pots(YELLOW, Pocket.RL)
    assert chain(backwards) is None
    late = stroke(WHITE_1).pots(YELLOW, Pocket.RL).hits(YELLOW)
    assert chain(late) is None
    assert chain(no_stroke().pots(YELLOW, Pocket.RL)) is None


def test_contacts_at_once_pass_the_shock_on_in_any_order():
    told = stroke(WHITE_1).then(RED_1, YELLOW).at_once().hits(RED_1).pots(YELLOW, Pocket.RL)
    assert chain(told) == (RED_1,)


def test_a_frozen_ball_passes_the_shock_on_without_a_contact():
    told = stroke(WHITE_1).hits(RED_1).pots(YELLOW, Pocket.RL)
    assert chain(told, frozen=((RED_1, YELLOW),)) == (RED_1,)
    assert chain(stroke(WHITE_1).pots(YELLOW, Pocket.RL), frozen=((WHITE_1, YELLOW),)) is None


def test_banks_are_counted_before_the_pot_without_the_jaws_of_its_pocket():
    told = facts(
        stroke(WHITE_1)
        .hits(YELLOW)
        .banks(YELLOW, Cushion.LEFT)
        .brushes_jaw(YELLOW, Pocket.FL)
        .brushes_jaw(YELLOW, Pocket.RL)
        .pots(YELLOW, Pocket.RL)
        .banks(WHITE_1, Cushion.REAR)
    )
    assert banks_before(told, told.pots[0]) == 2, "the cushion, and the jaw of another pocket"


def test_cushions_before_a_meeting():
    told = facts(stroke(WHITE_1).banks(WHITE_1, Cushion.REAR).hits(RED_1).banks(WHITE_1, Cushion.LEFT))
    assert cushions_before_contact(told, WHITE_1, RED_1) == (Cushion.REAR,)
    assert cushions_before_contact(told, WHITE_1, YELLOW) == (Cushion.REAR, Cushion.LEFT)


def test_facts_keep_the_first_pot_of_a_ball_and_the_last_word_on_a_flight():
    told = facts(stroke(WHITE_1).pots(RED_1, Pocket.RL).pots(RED_1, Pocket.RR).flies(RED_2).flies(RED_2, returned=True))
    assert [pot.pocket for pot in told.pots] == [Pocket.RL]
    assert [event.returned for event in final_off(told)] == [True]
    crossed = facts_of((HouseLine(t_s=0.0, ball=WHITE_1, direction="out"),))
    assert (crossed.lines[0].ball, crossed.in_motion, crossed.rest) == (WHITE_1, frozenset({WHITE_1}), None)


def test_a_stroke_full_of_doubts_is_read_in_few_ways():
    pairs = list(combinations(NUMBERED, 2))[:60]
    events = tuple(
        Contact(t_s=float(place), ball=one, other=other, flagged=True, confidence=0.6)
        for place, (one, other) in enumerate(pairs)
    )
    doubts = doubts_of(events, frozenset(NUMBERED))
    assert len(doubts) == 60
    read = []
    assert differing(events, doubts, read.append) is None
    assert len(read) == MOST_READINGS
    assert {len(one) for one in read} == {59, 60}, "one doubt at a time comes first"
