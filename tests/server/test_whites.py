"""Two whites that were taken for each other: the first stroke with the wrong one is asked about, the rest are right."""

import pytest

from scoring.balls import RED_1, RED_2, WHITE_1, WHITE_2, YELLOW, Ball
from scoring.commands import Announce, Answer
from scoring.events import Contact, Rest, Strike
from scoring.shots import Call, RefereeInput
from scoring.table import Point
from server.messages import Opened, Places, Said, Seen, Supposed

ID = "one"
REDS = {RED_1: Point(900, 500), RED_2: Point(2600, -500), YELLOW: Point(1775, 0)}
ONE, TWO = Point(600, 200), Point(3000, 300)


@pytest.fixture
def hub(kaisa_hub):
    return kaisa_hub


def see_miss(hub, start_s, white, other):
    """A stroke that touches the other white and pots nothing; `white` is struck, as the witness names it."""
    lying = {**REDS, white: ONE, other: TWO}
    events = (
        Rest(t_s=start_s - 0.5, balls=lying),
        Strike(t_s=start_s, ball=white),
        Contact(t_s=start_s + 0.4, ball=white, other=other),
        Rest(t_s=start_s + 2.0, balls=lying),
    )
    hub.receive(ID, Seen(events=events))


def match_of(hub):
    return hub.table(ID).match


def answer(hub, value, to="which_white"):
    hub.give(ID, Answer(RefereeInput(kind="answer", to=to, value=value)), "Anna")


def test_a_player_who_seems_to_strike_the_other_white_is_not_fined_before_somebody_is_asked(hub):
    see_miss(hub, 1.0, WHITE_2, WHITE_1)
    question = match_of(hub).pending
    assert (question.kind, [choice.value for choice in question.choices]) == ("which_white", [WHITE_1, WHITE_2])
    assert match_of(hub).standing.scores == (20, 20)


def test_whites_that_were_taken_for_each_other_change_places_in_all_that_is_seen(hub):
    see_miss(hub, 1.0, WHITE_2, WHITE_1)
    answer(hub, WHITE_1)
    record = match_of(hub).records[-1]
    assert (record.ruling.foul, match_of(hub).standing.shooter) == (None, "Boris")
    assert match_of(hub).standing.layout.places[WHITE_1] == ONE
    see_miss(hub, 11.0, WHITE_1, WHITE_2)
    assert match_of(hub).pending is None
    assert [event.ball for event in match_of(hub).records[-1].shot.events if isinstance(event, Strike)] == [WHITE_2]
    hub.receive(ID, Places(t_s=14.0, balls={WHITE_1: TWO, WHITE_2: ONE}))
    assert hub.table(ID).live.places.balls == {WHITE_2: TWO, WHITE_1: ONE}


def test_a_call_and_what_is_supposed_are_told_by_the_right_names_too(hub):
    see_miss(hub, 1.0, WHITE_2, WHITE_1)
    answer(hub, WHITE_1)
    hub.receive(ID, Said(what=Announce(Call(ball=WHITE_1))))
    assert match_of(hub).call.ball == WHITE_2
    told = hub.table(ID).whites.told(Supposed(events=(Strike(t_s=20.0, ball=WHITE_1),)))
    assert told.events[0].ball == WHITE_2


def test_a_player_who_did_strike_the_other_white_is_fined_and_the_names_stay(hub):
    see_miss(hub, 1.0, WHITE_2, WHITE_1)
    answer(hub, WHITE_2)
    assert [choice.value for choice in match_of(hub).pending.choices] == ["Boris", "Anna"]
    answer(hub, "Anna", to="who_shoots")
    assert (match_of(hub).records[-1].ruling.foul, match_of(hub).standing.shooter) == ("KZ-47", "Boris")
    see_miss(hub, 11.0, WHITE_2, WHITE_1)
    assert match_of(hub).pending is None


def test_where_a_stroke_was_not_seen_the_other_player_may_have_shot(hub):
    see_miss(hub, 1.0, WHITE_2, WHITE_1)
    answer(hub, WHITE_2)
    answer(hub, "Boris", to="who_shoots")
    (record,) = match_of(hub).records
    assert (record.ruling.foul, record.ruling.by, match_of(hub).standing.shooter) == (None, "Boris", "Anna")


def test_a_ball_that_nobody_knew_and_that_is_named_by_people_swaps_no_names(hub):
    unknown = Ball("ball-?1")
    lying = {**REDS, unknown: ONE, WHITE_2: TWO}
    candidates = {WHITE_1: 0.6, WHITE_2: 0.4}
    events = (
        Rest(t_s=0.5, balls=lying, candidates=candidates),
        Strike(t_s=1.0, ball=unknown, candidates=candidates),
        Contact(t_s=1.4, ball=unknown, other=RED_1, candidates=candidates),
        Rest(t_s=3.0, balls=lying, candidates=candidates),
    )
    hub.receive(ID, Seen(events=events))
    assert match_of(hub).pending.kind == "which_white"
    answer(hub, WHITE_1)
    see_miss(hub, 11.0, WHITE_2, WHITE_1)
    assert [event.ball for event in match_of(hub).records[-1].shot.events if isinstance(event, Strike)] == [WHITE_2]


def test_fresh_eyes_begin_with_the_names_as_they_see_them(hub):
    see_miss(hub, 1.0, WHITE_2, WHITE_1)
    answer(hub, WHITE_1)
    hub.receive(ID, Opened(table=match_of(hub).started.terms.setup.table))
    see_miss(hub, 11.0, WHITE_2, WHITE_1)
    assert match_of(hub).pending is None
