"""Whole matches scored untouched: a perfect eye is exact, what an eye misses is counted, questions get true answers."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from hardware.frame import Frame
from hardware.virtual.difficulty import Difficulty
from scoring.balls import RED_1, WHITE_1, YELLOW
from scoring.commands import PlayShot, StartMatch
from scoring.events import Alternative, Contact, Potted, Rest, Strike
from scoring.match import NO_MATCH
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.shots import Call, Shot
from scoring.table import Pocket, Point
from server.bench import whole_matches
from server.bench.matches import EventsPlan
from server.bench.truthful import counts_right, entered
from server.bench.whole_match_tables import match_line, matches_json, shares_of, wrong_line
from server.bench.whole_matches import ScoredMatch, ScoredStroke, score_match
from server.cli import main

FPS = 5
START = StartMatch(Setup(game="kaisa", sides=singles("A", "B")), Beginning(phase=Phase.PLAY, shooter="A"))
LAYOUT = {WHITE_1: Point(600, 200), RED_1: Point(887.5, 0), YELLOW: Point(1775, 0)}
POT = Potted(t_s=2.0, ball=RED_1, pocket=Pocket.RL)
TRUTH = Shot(
    before=LAYOUT,
    call=Call(ball=RED_1, pocket=Pocket.RL, bank=False),
    events=(Strike(t_s=1.0, ball=WHITE_1), Contact(t_s=1.4, ball=WHITE_1, other=RED_1), POT, Rest(t_s=4.0)),
)


def seen(pot):
    return replace(TRUTH, events=tuple(pot if event is POT else event for event in TRUTH.events))


def test_a_stroke_counts_right_when_it_was_seen_right_or_the_question_about_it_can_be_answered():
    before = entered(NO_MATCH, START)
    assert counts_right(before, TRUTH, TRUTH)
    assert not counts_right(before, TRUTH, replace(TRUTH, events=(*TRUTH.events[:2], TRUTH.events[3])))
    doubtful = replace(POT, flagged=True, confidence=0.5, alternatives=(Alternative(0.5, None),))
    assert entered(before, PlayShot(seen(doubtful))).pending is not None
    assert counts_right(before, TRUTH, seen(doubtful))


class Eye:
    """Tells the truth about every stroke at its rest, but for those it misses."""

    def __init__(self, performance, missed):
        self.witness, self.sighting, self.ailment = self, None, None
        self.positions, self.moving, self.deaf = {}, frozenset(), frozenset()
        parts = [part for number, part in enumerate(performance.timeline.parts) if number not in missed]
        self.left = [event for part in parts for event in part.events]

    def step(self, frame, _):
        due = [event for event in self.left if event.t_s <= frame.t_ns / 1e9]
        self.left = self.left[len(due) :]
        return tuple(due)

    def finish(self):
        return tuple(self.left)

    def tracks(self):
        return ()

    def provisional(self):
        return ()


@pytest.fixture
def scored(monkeypatch):
    """A match without pictures, seen by an eye that misses some strokes."""

    def score(game, strokes, missed=()):
        made = []

        def pipeline(_, balls):
            del balls
            return Eye(made[0], missed)

        def frames(performance, *_):
            for index in range(int(performance.timeline.duration_s * FPS)):
                yield Frame(t_ns=index * 1_000_000_000 // FPS, index=index, pixels=np.zeros((2, 2, 3), np.uint8))

        def record(performance, *_):
            made.append(performance)

        monkeypatch.setattr(whole_matches, "record", record)
        monkeypatch.setattr(whole_matches, "load_table_file", lambda _: SimpleNamespace(fps=FPS))
        monkeypatch.setattr(whole_matches, "Pipeline", pipeline)
        monkeypatch.setattr(whole_matches, "rendered_frames", frames)
        return score_match(EventsPlan(game=game, difficulty=Difficulty.EASY, strokes=strokes), seed=5)

    return score


@pytest.mark.parametrize("game", ["kaisa", "big-pyramid"])
def test_a_match_that_is_seen_as_it_was_is_exact_and_has_the_right_result(scored, game):
    match = scored(game, 6)
    assert len(match.strokes) == 6
    assert match.is_exact, [wrong_line(5, stroke) for stroke in match.strokes if not stroke.is_right]
    assert match.has_right_result


def test_a_stroke_that_nobody_saw_is_silently_wrong_and_those_after_it_are_not(scored):
    match = scored("kaisa", 6, missed={2})
    assert [stroke.number for stroke in match.strokes if stroke.is_silent] == [3]
    assert match.strokes[2].difference == "not seen"
    assert not match.is_exact


MATCH = ScoredMatch(
    seed=7,
    strokes=(
        ScoredStroke(number=1, t_s=1.0, is_right=True, asked=True),
        ScoredStroke(number=2, t_s=9.0, is_right=False, difference="not seen"),
        ScoredStroke(number=None, t_s=12.0, is_right=False, asked=True, difference="nobody played this"),
    ),
    questions=3,
    scores=(6, 0),
    true_scores=(6, 2),
    has_right_result=False,
    is_over=True,
    frames=10,
)


def test_figures_count_strokes_that_were_played_and_wrong_ones_that_nobody_asked_about():
    shares = {name: (share.count, share.total) for name, share in shares_of([MATCH]).items()}
    assert shares == {
        "matches exact in every stroke": (0, 1),
        "matches with the right result": (0, 1),
        "strokes right": (1, 2),
        "strokes asked about": (2, 2),
        "strokes silently wrong": (1, 2),
    }
    figures = matches_json([MATCH])
    assert (figures["silent_wrong_per_1000"], figures["questions_per_match"]) == (500.0, 3.0)
    assert match_line(MATCH) == "seed 7, to its end: 1 of 3 strokes right, 3 questions, 6:0 (played 6:2)"


def test_the_command_plays_so_many_matches_and_says_what_was_wrong(monkeypatch, capsys):
    plans = []

    def score(plan, seed, progress):
        plans.append((plan.game, plan.strokes, plan.has_sensors, seed))
        progress(1, 2)
        return MATCH

    monkeypatch.setattr(whole_matches, "score_match", score)
    arguments = ["bench", "match", "--game", "kaisa", "--seeds", "4", "--matches", "2", "--sensors"]
    for more in ([], ["--json"]):
        with pytest.raises(SystemExit) as exit_:
            main([*arguments, *more])
        assert exit_.value.code == 0
        told = capsys.readouterr().out
        if more:
            assert json.loads(told)["seeds"] == [7, 7]
        else:
            assert "seed 7, stroke 2, 9.00 s, wrong silently: not seen" in told
    assert plans[:2] == [("kaisa", whole_matches.WHOLE, True, 4), ("kaisa", whole_matches.WHOLE, True, 5)]
    with pytest.raises(SystemExit) as exit_:
        main(["bench", "match", "--game", "chess"])
    assert exit_.value.code == 2
