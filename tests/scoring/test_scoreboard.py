"""The scoreboard shows what a spectator may see."""

from scoring.balls import RED_1, WHITE_1, WHITE_2
from scoring.commands import Announce, Entry, Observe, PlayShot, StartMatch
from scoring.match import NO_MATCH, apply
from scoring.rulings import Place
from scoring.scoreboard import LAST_RULINGS, Due, due_of, scoreboard_of
from scoring.setup import Beginning, Handicap, Phase, Setup, singles
from scoring.shots import Call, RefereeInput
from scoring.table import Pocket
from scoring.testing import stroke

RED = stroke(WHITE_1).calls(RED_1, Pocket.RL).hits(RED_1).pots(RED_1, Pocket.RL).shot()
UNCALLED = stroke(WHITE_1).hits(RED_1).pots(RED_1, Pocket.RL).shot()


def match(*commands, phase=Phase.PLAY, **setup):
    start = StartMatch(Setup(game="kaisa", sides=singles("A", "B"), **setup), Beginning(phase=phase))
    state = apply(NO_MATCH, Entry(seq=1, what=start))
    for command in commands:
        state = apply(state, Entry(seq=state.next_seq, what=command))
    return state


def test_it_shows_scores_series_targets_and_whose_turn_it_is():
    board = scoreboard_of(match(PlayShot(RED), PlayShot(RED), handicaps=(Handicap(), Handicap(points=30))))
    first, second = board.sides
    assert (first.name, first.score, first.series, first.target, first.shooter) == ("A", 6, 6, 60, "A")
    assert (second.name, second.score, second.series, second.target, second.shooter) == ("B", 0, 0, 30, None)
    assert (first.cue_ball, second.cue_ball) == (WHITE_1, WHITE_2)
    assert [row.stroke for row in board.rulings] == [1, 2]
    assert [(respot.ball, respot.place) for respot in board.put] == [(RED_1, Place.S1)]


def test_it_says_what_is_due():
    assert due_of(NO_MATCH) is Due.START
    assert due_of(match(phase=Phase.LAG)) is Due.LAG
    assert due_of(match()) is Due.CALL
    assert due_of(match(Announce(Call(ball=RED_1, pocket=Pocket.RL)))) is Due.STROKE
    assert due_of(match(PlayShot(UNCALLED))) is Due.ANSWER
    assert due_of(match(Observe(RefereeInput(kind="concede")))) is Due.NOTHING


def test_it_shows_the_open_question_and_how_many_strokes_wait_for_it():
    board = scoreboard_of(match(PlayShot(UNCALLED), PlayShot(RED)))
    assert (board.question.kind, board.asked_about, board.waiting) == ("call", 1, 1)
    assert board.sides[0].score == 0


def test_it_shows_balls_in_hand():
    scratch = stroke(WHITE_1).hits(RED_1).scratches().shot()
    board = scoreboard_of(match(PlayShot(scratch)))
    assert (board.in_hand, board.sides[0].in_hand, board.shooter, board.from_hand) == ((WHITE_1,), True, "B", False)
    assert scoreboard_of(match(phase=Phase.OPENING)).from_hand


def test_it_shows_the_winner_or_the_draw():
    won = scoreboard_of(match(Observe(RefereeInput(kind="concede", by="A"))))
    assert (won.winners, won.placings, won.shooter, won.is_draw) == (("B",), ("B",), None, False)
    assert (won.sides[0].conceded, won.sides[1].place) == (True, 1)
    assert scoreboard_of(match(Observe(RefereeInput(kind="draw")))).is_draw


def test_it_shows_only_the_last_rulings_and_who_shot_them():
    board = scoreboard_of(match(*[PlayShot(RED)] * 7))
    assert len(board.rulings) == LAST_RULINGS
    assert {row.shooter for row in board.rulings} == {"A"}
