"""The referee asks instead of guessing: doubtful events, impossible events, who shot, and what ends a match."""

import pytest

from scoring.balls import RED_1, RED_2, WHITE_1, WHITE_2, YELLOW, Ball
from scoring.commands import Answer, Entry, PlayShot, StartMatch
from scoring.doubts import Doubt, Reading, question_about
from scoring.errors import ScoringError
from scoring.events import Alternative, Contact, CushionHit, HouseLine, Moved, OffTable, Potted, Strike
from scoring.games import game_named
from scoring.match import NO_MATCH, apply
from scoring.options import options_of
from scoring.referee import rule
from scoring.rulings import Choice, Message, Question, QuestionKind, Turn
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.shots import Call, RefereeInput, Shot
from scoring.standing import Standing, Terms
from scoring.table import Cushion, Pocket, Point
from scoring.testing import no_stroke, stroke

UNKNOWN = Ball("ball-?1")
CALLED = stroke(WHITE_1).calls(RED_1, Pocket.RL)


def play(*shots, in_hand=None, gone=(), phase=Phase.PLAY, **options):
    setup = Setup(
        game="kaisa", sides=singles("A", "B"), options={f"kz.{name}": value for name, value in options.items()}
    )
    beginning = Beginning(phase=phase, in_hand=in_hand, gone=gone)
    state = apply(NO_MATCH, Entry(seq=1, what=StartMatch(setup, beginning)))
    for shot in shots:
        state = apply(state, Entry(seq=state.next_seq, what=PlayShot(shot)))
    return state


def answered(state, to, value):
    what = Answer(RefereeInput(kind="answer", to=to, value=value))
    return apply(state, Entry(seq=state.next_seq, what=what))


def outcome(state):
    return state.standing.scores, state.standing.shooter, state.pending


def choices(state):
    return [choice.value for choice in state.pending.choices]


def other(event, probability=0.4):
    return (Alternative(probability, event),)


def contact(ball, with_ball=WHITE_1):
    return Contact(t_s=0.2, ball=with_ball, other=ball)


def test_an_alternative_ball_that_changes_the_points_is_asked_about():
    told = CALLED.hits(RED_1).pots(RED_1, Pocket.RL).hits(YELLOW)
    state = play(told.flagged(confidence=0.5, alternatives=other(contact(WHITE_2))).shot())
    assert (state.pending.kind, choices(state)) == ("carom", [True, WHITE_2])
    assert state.pending.about == YELLOW
    assert outcome(answered(state, "carom", YELLOW)) == ((9, 0), "A", None)
    assert outcome(answered(state, "carom", WHITE_2)) == ((5, 0), "A", None)


def test_alternatives_matter_without_a_flag_but_not_when_nearly_impossible():
    told = CALLED.hits(RED_1).pots(RED_1, Pocket.RL).hits(YELLOW)
    event = told.told.events[-1]
    likely = Contact(t_s=event.t_s, ball=WHITE_1, other=YELLOW, alternatives=other(None, 0.3))
    hardly = Contact(t_s=event.t_s, ball=WHITE_1, other=YELLOW, alternatives=other(None, 0.001))
    for doubtful, asked in ((likely, "carom"), (hardly, None)):
        state = play(Shot(call=told.told.call, events=(*told.told.events[:-1], doubtful)))
        assert (state.pending.kind if state.pending else None) == asked


def test_the_choices_come_most_probable_first():
    told = CALLED.hits(RED_1).pots(RED_1, Pocket.RL).hits(YELLOW).flagged(confidence=0.2)
    state = play(told.shot())
    assert choices(state) == [False, True]
    assert [choice.probability for choice in state.pending.choices] == [0.8, 0.2]


def test_each_doubt_that_matters_is_asked_about_in_turn():
    told = CALLED.hits(RED_1).pots(RED_1, Pocket.RL)
    for ball in (YELLOW, WHITE_2):
        told = told.hits(ball).flagged(confidence=0.5)
    state = play(told.shot())
    assert (state.pending.kind, state.pending.about) == ("carom", YELLOW)
    state = answered(state, "carom", value=False)
    assert (state.pending.kind, state.pending.about) == ("carom", WHITE_2)
    assert outcome(answered(state, "carom", value=False)) == ((3, 0), "A", None)


def test_two_doubts_that_matter_only_together_are_asked_about():
    told = stroke(WHITE_1).calls(YELLOW, Pocket.RL).hits(RED_1, RED_2)
    told = told.then(RED_1, YELLOW).flagged().then(RED_2, YELLOW).flagged().pots(YELLOW, Pocket.RL)
    state = play(told.shot())
    assert (state.pending.kind, state.standing.scores) == ("chain", (0, 0))
    assert outcome(answered(state, "chain", RED_1)) == ((6, 0), "A", None)


def test_doubtful_contacts_of_one_pair_stand_or_fall_together():
    told = CALLED.hits(RED_1).pots(RED_1, Pocket.RL).hits(YELLOW).flagged().hits(YELLOW).flagged()
    state = play(told.shot())
    assert state.pending.kind == "carom"
    assert outcome(answered(state, "carom", value=False)) == ((3, 0), "A", None)


def test_a_doubtful_first_contact_matters_when_the_cue_ball_falls():
    told = stroke(WHITE_1).hits(RED_1).flagged(confidence=0.5, alternatives=other(contact(WHITE_2))).scratches()
    state = play(told.shot())
    assert (state.pending.kind, choices(state)) == ("first_contact", [RED_1, WHITE_2])
    assert outcome(answered(state, "first_contact", WHITE_2)) == ((-2, 0), "B", None)
    assert play(stroke(WHITE_1).hits(RED_1).flagged().flies(WHITE_1).shot()).pending.kind == "first_contact"


def test_no_ball_hit_first_is_an_answer_too():
    told = stroke(WHITE_1).hits(RED_1).flagged(confidence=0.5).scratches()
    state = play(told.shot())
    assert choices(state) == [RED_1, False]
    assert outcome(answered(state, "first_contact", value=False)) == ((-2, 0), "B", None)


def test_a_doubtful_contact_with_the_potted_ball_is_about_the_chain():
    told = stroke(WHITE_1).calls(YELLOW, Pocket.RL).hits(RED_1).then(RED_1, YELLOW).hits(YELLOW).flagged(confidence=0.6)
    state = play(told.pots(YELLOW, Pocket.RL).shot())
    assert (state.pending.kind, choices(state)) == ("chain", [WHITE_1, RED_1])
    assert outcome(answered(state, "chain", RED_1)) == ((6, 0), "A", None)
    assert outcome(answered(state, "chain", WHITE_1)) == ((12, 0), "A", None)


def test_a_doubtful_contact_of_two_object_balls_is_about_the_chain():
    told = stroke(WHITE_1).calls(YELLOW, Pocket.RL).hits(RED_1).then(RED_1, YELLOW).flagged(confidence=0.7)
    state = play(told.pots(YELLOW, Pocket.RL).shot())
    assert (state.pending.kind, choices(state)) == ("chain", [RED_1, False])
    assert outcome(answered(state, "chain", value=False)) == ((0, 0), "B", None)


def test_a_link_that_makes_a_chain_shorter_is_asked_about_by_yes_and_no():
    told = stroke(WHITE_1).calls(YELLOW, Pocket.RL).hits(RED_1).then(RED_1, RED_2).hits(RED_2).flagged()
    state = play(told.then(RED_2, YELLOW).pots(YELLOW, Pocket.RL).shot())
    assert (state.pending.kind, state.pending.about, choices(state)) == ("chain", RED_2, [True, False])
    assert outcome(answered(state, "chain", value=True)) == ((6, 0), "A", None)
    assert outcome(answered(state, "chain", value=False)) == ((0, 0), "B", None)


def test_two_ways_to_have_been_a_hand_are_one_answer():
    ways = (Alternative(0.2), Alternative(0.1, Moved(t_s=0.3, ball=RED_1)))
    state = play(CALLED.hits(RED_1).pots(RED_1, Pocket.RL).flagged(confidence=0.7, alternatives=ways).shot())
    assert choices(state) == [Pocket.RL, "hand", "hand"]
    assert outcome(answered(state, "pocket_or_hand", "hand")) == ((0, 0), "B", None)
    assert outcome(answered(state, "pocket_or_hand", Pocket.RL)) == ((3, 0), "A", None)


def test_a_carom_before_or_after_the_target_is_asked_about_where_it_matters():
    later = other(Contact(t_s=0.9, ball=WHITE_1, other=RED_2))
    told = stroke(WHITE_1).calls(YELLOW, Pocket.RL).hits(WHITE_2, RED_2).flagged(alternatives=later).hits(YELLOW)
    setup = Setup(game="kaisa", sides=singles("A", "B"), options={"carom_order": "after_target"})
    state = apply(NO_MATCH, Entry(seq=1, what=StartMatch(setup, Beginning(phase=Phase.PLAY))))
    state = apply(state, Entry(seq=2, what=PlayShot(told.pots(YELLOW, Pocket.RL).shot())))
    assert (state.pending.kind, state.pending.about, choices(state)) == ("carom", RED_2, [True, False])
    assert outcome(answered(state, "carom", value=True)) == ((6, 0), "A", None)
    assert outcome(answered(state, "carom", value=False)) == ((12, 0), "A", None)


def test_a_doubtful_order_of_contacts_can_be_about_the_first_one():
    swapped = other(Contact(t_s=0.05, ball=WHITE_1, other=YELLOW), 0.45)
    told = stroke(WHITE_1).hits(RED_1, YELLOW).flagged(confidence=0.55, alternatives=swapped).scratches()
    state = play(told.shot())
    assert (state.pending.kind, choices(state)) == ("first_contact", [RED_1, YELLOW])


def test_a_pot_whose_pocket_is_doubtful():
    told = CALLED.hits(RED_1).pots(RED_1, Pocket.RL)
    elsewhere = other(Potted(t_s=0.3, ball=RED_1, pocket=Pocket.RR))
    state = play(told.flagged(alternatives=elsewhere).shot())
    assert (state.pending.kind, choices(state)) == ("pocket_or_hand", [Pocket.RL, Pocket.RR])
    assert outcome(answered(state, "pocket_or_hand", Pocket.RR)) == ((0, 0), "B", None)


def test_a_pot_whose_ball_is_doubtful():
    told = CALLED.hits(RED_1).pots(RED_1, Pocket.RL)
    which = other(Potted(t_s=0.3, ball=YELLOW, pocket=Pocket.RL))
    state = play(told.flagged(alternatives=which).shot())
    assert (state.pending.kind, choices(state)) == ("ball_number", [RED_1, YELLOW])
    white = stroke(WHITE_1).calls(WHITE_2, Pocket.RL).hits(WHITE_2).pots(WHITE_2, Pocket.RL)
    swap = other(Potted(t_s=0.3, ball=WHITE_1, pocket=Pocket.RL))
    assert play(white.flagged(alternatives=swap).shot()).pending.kind == "which_white"


def test_a_ball_that_a_hand_may_have_moved():
    lifted = Moved(t_s=0.3, ball=RED_1, flagged=True, alternatives=other(Potted(t_s=0.3, ball=RED_1, pocket=Pocket.RL)))
    told = CALLED.hits(RED_1).told
    state = play(Shot(call=told.call, events=(*told.events, lifted)))
    assert state.pending.kind == "pocket_or_hand"
    assert outcome(answered(state, "pocket_or_hand", "hand")) == ((0, 0), "B", None)
    assert outcome(answered(state, "pocket_or_hand", Pocket.RL)) == ((3, 0), "A", None)


@pytest.mark.parametrize(("returned", "kind"), [(False, "off_table"), (True, "returned")])
def test_a_doubtful_flight(returned, kind):
    told = CALLED.hits(RED_1).pots(RED_1, Pocket.RL).flies(WHITE_1, returned=returned).flagged(confidence=0.6)
    state = play(told.shot())
    assert (state.pending.kind, choices(state)) == (kind, [True, False])
    assert outcome(answered(state, kind, value=False)) == ((3, 0), "A", None)


def test_doubtful_cushions_of_one_ball_are_one_question():
    told = stroke(WHITE_1).calls(YELLOW, Pocket.RL, bank=True).hits(YELLOW)
    told = told.banks(YELLOW, Cushion.LEFT).flagged().banks(YELLOW, Cushion.REAR).flagged().pots(YELLOW, Pocket.RL)
    state = play(told.shot())
    assert (state.pending.kind, choices(state)) == ("bank", [True, False])
    assert outcome(answered(state, "bank", value=False)) == ((0, 0), "B", None)


def test_a_doubtful_moment_that_no_rule_minds_is_not_asked_about():
    told = CALLED.hits(RED_1).banks(WHITE_1, Cushion.REAR).flagged().pots(RED_1, Pocket.RL)
    assert outcome(play(told.shot())) == ((3, 0), "A", None)


def test_a_strike_may_be_doubtful_in_its_ball_but_not_in_having_happened():
    which = other(Strike(t_s=0.0, ball=WHITE_2), 0.3)
    doubtful = Strike(t_s=0.0, ball=WHITE_1, flagged=True, confidence=0.7, alternatives=which)
    told = CALLED.hits(RED_1).pots(RED_1, Pocket.RL).told
    state = play(Shot(call=told.call, events=(doubtful, *told.events[1:])))
    assert (state.pending.kind, choices(state)) == ("which_white", [WHITE_1, WHITE_2])
    plain = Strike(t_s=0.0, ball=WHITE_1, flagged=True)
    assert outcome(play(Shot(call=told.call, events=(plain, *told.events[1:])))) == ((3, 0), "A", None)


def test_an_unknown_ball_is_named_in_all_its_events_at_once():
    told = CALLED.hits(RED_1).pots(RED_1, Pocket.RL).hits(UNKNOWN).then(UNKNOWN, RED_2).banks(UNKNOWN, Cushion.LEFT)
    state = play(told.shot())
    assert state.pending.kind == "which_white"
    assert outcome(answered(state, "which_white", YELLOW)) == ((9, 0), "A", None)


def test_an_unknown_ball_among_two_reds_needs_no_question():
    touched = Contact(t_s=0.9, ball=WHITE_1, other=UNKNOWN, candidates={RED_1: 0.5, RED_2: 0.5, Ball("7"): 0.1})
    told = stroke(WHITE_1).calls(YELLOW, Pocket.RL).hits(YELLOW).pots(YELLOW, Pocket.RL).told
    assert outcome(play(Shot(call=told.call, events=(*told.events, touched)))) == ((12, 0), "A", None)


def test_unknown_object_balls_are_asked_for_by_name():
    pot = Potted(t_s=0.9, ball=UNKNOWN, pocket=Pocket.RL, candidates={YELLOW: 0.6, RED_2: 0.4})
    told = stroke(WHITE_1).calls(YELLOW, Pocket.RL).hits(YELLOW).told
    state = play(Shot(call=told.call, events=(*told.events, pot)))
    assert (state.pending.kind, choices(state)) == ("ball_number", [YELLOW, RED_2])


def test_alternatives_that_cannot_be_are_no_alternatives():
    told = CALLED.hits(RED_1).flagged(alternatives=other(contact(Ball("7")))).pots(RED_1, Pocket.RL)
    state = play(told.shot())
    assert choices(state) == [WHITE_1, False]


@pytest.mark.parametrize(
    "events",
    [
        CALLED.hits(RED_1).pots(RED_1, Pocket.RL).hits(Ball("7")),
        CALLED.hits(RED_1).pots(RED_1, Pocket.RL).pots(RED_1, Pocket.RR),
        CALLED.hits(RED_1).pots(RED_1, Pocket.RL).hits(WHITE_1),
        CALLED.hits(RED_1).pots(RED_1, Pocket.RL).then(RED_1, RED_2),
        CALLED.hits(RED_1, WHITE_2).pots(RED_1, Pocket.RL),
    ],
    ids=["stranger", "down twice", "touches itself", "touched when down", "in a hand"],
)
def test_events_that_cannot_be_are_asked_about_and_can_be_left_out(events):
    state = play(events.shot(), in_hand=(WHITE_2,))
    assert (state.pending.kind, state.standing.scores) == ("layout", (0, 0))
    ignored = answered(state, "layout", value=True)
    assert outcome(ignored) == ((3, 0), "A", None)
    assert ignored.records[0].ruling.warnings[0].message is Message.ODD_EVENTS_IGNORED
    annulled = answered(state, "layout", value=False)
    assert outcome(annulled) == ((0, 0), "A", None)
    assert annulled.records[0].ruling.warnings[0].message is Message.STROKE_ANNULLED


def test_a_question_after_an_answered_one_leaves_the_standing_alone():
    told = stroke(WHITE_1).hits(RED_1, WHITE_2).pots(RED_1, Pocket.RL)
    state = play(told.shot(), in_hand=(WHITE_2,))
    state = answered(state, "layout", {WHITE_2: Point(2000, 0)})
    assert (state.pending.kind, state.standing.in_hand) == ("call", frozenset({WHITE_2}))
    assert outcome(answered(state, "call", value=True)) == ((5, 0), "A", None)


def test_a_struck_twice_stroke_is_asked_about():
    twice = Shot(events=(Strike(t_s=0.0, ball=WHITE_1), Strike(t_s=0.5, ball=WHITE_1)))
    state = play(twice)
    assert (state.pending.kind, state.pending.reason) == ("layout", "struck twice")
    assert outcome(answered(state, "layout", value=True)) == ((0, 0), "B", None)


def test_two_struck_balls_which_one_counts():
    both = Shot(events=(Strike(t_s=0.0, ball=WHITE_2), Strike(t_s=0.1, ball=WHITE_1)))
    state = play(both)
    assert (state.pending.kind, choices(state)) == ("which_white", [WHITE_2, WHITE_1])
    assert answered(state, "which_white", WHITE_1).records[0].ruling.foul is None
    assert answered(state, "which_white", WHITE_2).records[0].ruling.foul == "KZ-47"
    with pytest.raises(ScoringError, match="answer to which_white: 7 is not possible"):
        answered(state, "which_white", Ball("7"))


def test_things_that_happened_without_a_strike_who_struck():
    state = play(no_stroke().then(WHITE_1, RED_1).pots(RED_1, Pocket.RL).calls(RED_1, Pocket.RL).shot())
    assert (state.pending.kind, choices(state)) == ("which_white", [WHITE_1, WHITE_2])
    assert outcome(answered(state, "which_white", WHITE_1)) == ((3, 0), "A", None)


def test_a_ball_that_fell_with_no_strike_fell_by_itself_or_was_struck():
    state = play(no_stroke().pots(RED_1, Pocket.RL).calls(RED_1, Pocket.RL).shot())
    assert state.pending.kind == "fell_by_itself"
    assert outcome(answered(state, "fell_by_itself", value=True)) == ((0, 0), "A", None)
    assert answered(state, "fell_by_itself", value=False).pending.kind == "which_white"
    told = play(no_stroke().pots(RED_1, Pocket.RL).says("fell_by_itself").shot())
    assert told.pending is None


def test_a_ball_put_on_the_table_by_hand_is_there():
    put = Moved(t_s=0.0, ball=WHITE_2, target=Point(2000, 0))
    told = CALLED.hits(RED_1, WHITE_2).pots(RED_1, Pocket.RL).told
    state = play(Shot(call=told.call, events=(put, *told.events)), in_hand=(WHITE_2,))
    assert outcome(state) == ((5, 0), "A", None)


def test_strangers_at_rest_are_not_taken_into_the_layout():
    state = play(stroke(WHITE_1).rests({WHITE_1: (600, 0), Ball("7"): (1, 2)}))
    assert set(state.standing.layout.places) == {WHITE_1}
    before = stroke(WHITE_1).lying({Ball("7"): (1, 2), RED_1: (600, 0)}).shot()
    assert Ball("7") not in play(before).standing.layout.places


def test_who_shot_is_asked_when_the_record_says_another_player():
    shot = stroke(WHITE_2).by("B").calls(RED_1, Pocket.RL).hits(RED_1).pots(RED_1, Pocket.RL).shot()
    state = play(shot)
    assert (state.pending.kind, choices(state)) == ("who_shoots", ["B", "A"])
    by_b = answered(state, "who_shoots", "B")
    assert (outcome(by_b), by_b.records[0].ruling.by) == (((0, 3), "B", None), "B")
    by_a = answered(state, "who_shoots", "A")
    assert (by_a.records[0].ruling.foul, by_a.records[0].ruling.by) == ("KZ-47", None)


def test_a_stranger_who_shot_is_one_of_the_players():
    state = play(stroke(WHITE_1).by("Zed").shot())
    assert choices(state) == ["A", "B"]


def test_a_question_behind_who_shoots_leaves_the_turn_alone():
    state = play(stroke(WHITE_2).by("B").hits(RED_1).pots(RED_1, Pocket.RL).shot())
    state = answered(state, "who_shoots", "B")
    assert (state.pending.kind, state.standing.shooter) == ("call", "A")


def test_of_three_sides_one_may_concede_and_the_others_go_on():

    setup = Setup(game="kaisa", sides=singles("A", "B", "C"))
    terms = Terms(setup, options_of("kaisa", {}))
    state = Standing(phase=Phase.PLAY, scores=(5, 3, 1), shooter="A", cue_balls=(WHITE_1,) * 3, members=(0, 0, 0))
    game = game_named("kaisa")
    shooter_left = rule(game, terms, state, no_stroke().says("concede", by="A").shot())
    assert (shooter_left.state.shooter, shooter_left.ruling.turn) == ("B", Turn.PASSES)
    assert shooter_left.state.active() == (1, 2)
    again = rule(game, terms, shooter_left.state, no_stroke().says("concede", by="A").shot())
    assert again.state == shooter_left.state
    other_left = rule(game, terms, state, no_stroke().says("concede", by="C").shot())
    assert (other_left.state.shooter, other_left.ruling.turn) == ("A", Turn.STAYS)
    last = rule(game, terms, other_left.state, no_stroke().says("concede", by="B").shot())
    assert (last.state.winners, last.state.placings) == ((0,), (0,))


def test_choices_know_the_ways_to_say_the_same():
    question = Question(kind=QuestionKind.POCKET_OR_HAND, choices=(Choice(Pocket.RL), Choice("hand")), about=RED_1)
    assert question.choice_of("hand") == question.choice_of(value := False) == 1
    assert value is False
    assert question.choice_of(Pocket.RL) == 0
    number = Question(kind=QuestionKind.BALL_NUMBER, choices=(Choice(Ball("7")), Choice(Ball("9"))))
    assert number.choice_of(9) == 1
    call = Question(kind=QuestionKind.CALL, choices=(Choice(Call(ball=RED_1, pocket=Pocket.RL, bank=False)),))
    assert call.choice_of(Call(ball=RED_1, pocket=Pocket.RL)) == 0
    assert call.choice_of(3) is None


def test_a_doubtful_house_line_would_be_about_the_layout():

    crossing = HouseLine(t_s=0.1, ball=WHITE_1, direction="out", flagged=True)
    doubt = Doubt((Reading({1: crossing}, 0.6), Reading({1: None}, 0.4)))
    events = (Strike(t_s=0.0, ball=WHITE_1), crossing)
    assert question_about(events, [doubt], doubt, doubt.readings[1]).kind is QuestionKind.LAYOUT
    hit = CushionHit(t_s=0.1, ball=WHITE_1, flagged=True)
    left = OffTable(t_s=0.2, ball=RED_1)
    bank = Doubt((Reading({1: hit}, 0.6), Reading({1: None}, 0.4)))
    assert question_about((events[0], hit, left), [bank], bank, bank.readings[1]).kind is QuestionKind.BANK
