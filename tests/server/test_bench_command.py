"""The command `cuemarker bench`: what it refuses, and that its figures come as tables and as JSON."""

import json

import pytest

from hardware.virtual.difficulty import Difficulty
from scoring.balls import WHITE_1, YELLOW
from scoring.events import Contact, Rest, Strike
from server.bench import cases, matches
from server.bench.cases import verdict_of
from server.bench.comparison import compare
from server.cli import main
from server.commands.analyze import analyze
from server.commands.bench import vision
from server.config import TableConfig
from vision.detectors import USUAL


def run(*arguments):
    with pytest.raises(SystemExit) as exit_:
        main(["bench", *arguments])
    return exit_.value.code


@pytest.fixture
def quick(monkeypatch):
    """Matches that need no pictures: one stroke right, one with a contact that nobody saw."""
    truth = [
        Strike(t_s=1.0, ball=WHITE_1),
        Contact(t_s=1.5, ball=WHITE_1, other=YELLOW),
        Strike(t_s=9.0, ball=WHITE_1),
        Contact(t_s=9.5, ball=WHITE_1, other=YELLOW),
    ]
    plans = []

    def see(plan, seed, progress):
        plans.append((plan, seed))
        progress(10)
        return matches.SeenMatch(seed=seed, fps=60.0, frames=10, look_s=0.02, comparison=compare(truth, truth[:3]))

    monkeypatch.setattr(matches, "see_match", see)
    return plans


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("events", "--seeds", "5..2"), "no range of seeds"),
        (("events", "--seeds", "some"), "no range of seeds"),
        (("events", "--size", "1281x720"), "no picture size"),
        (("events", "--game", "chess"), "chess"),
        (("--json", "events"), "bench events --json"),
        (("real", "--reference", "nowhere"), "nowhere"),
    ],
)
def test_wrong_use_is_refused(arguments, words, capsys):
    assert run(*arguments) == 2
    assert words in capsys.readouterr().err


def test_folders_without_what_is_needed_fail_in_one_line(tmp_path, capsys):
    for name in ("real", "vision", "physics"):
        assert run(name, *(["--reference"] if name == "real" else []), str(tmp_path)) == 1
        assert capsys.readouterr().err.count("\n") == 1


def test_seeds_are_a_range_and_every_stroke_that_is_not_exact_is_listed(quick, capsys):
    assert run("events", "--seeds", "3..4", "--difficulty", "hard", "--strokes", "2", "--fps", "30") == 0
    assert [seed for _, seed in quick] == [3, 4]
    assert {(plan.difficulty, plan.strokes, plan.fps) for plan, _ in quick} == {("hard", 2, 30.0)}
    told = capsys.readouterr().out
    assert "seed 4, 9.00 s: silent: first ball none instead of yellow" in told
    assert "2.00 ms of CPU for each of 20 frames" in told


@pytest.mark.usefixtures("quick")
def test_json_has_the_machine_the_events_and_intervals(capsys):
    assert run("events", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["machine"]["cores"] >= 1
    assert told["events"]["contact"] == {
        "true": 2,
        "predicted": 1,
        "matched": 1,
        "precision": 1.0,
        "recall": 0.5,
        "f1": 0.6667,
        "median_ms": 0.0,
        "p95_ms": 0.0,
    }
    assert told["strokes"]["silent"] == {"count": 1, "of": 2, "low": 0.0945, "high": 0.9055}


def test_without_a_name_a_short_run_of_events_is_made(quick, capsys):
    assert run() == 0
    assert [plan.strokes for plan, _ in quick] == [3]
    assert "strokes" in capsys.readouterr().out


def case_read(told):
    truth = [Strike(t_s=1.0, ball=WHITE_1), Contact(t_s=1.5, ball=WHITE_1, other=YELLOW)]
    return compare(truth, told)


@pytest.mark.parametrize(
    ("told", "verdict"),
    [
        ([Strike(t_s=1.0, ball=WHITE_1), Contact(t_s=1.5, ball=WHITE_1, other=YELLOW)], "exact"),
        ([Strike(t_s=1.0, ball=WHITE_1), Rest(t_s=2.0, balls={}, flagged=True)], "flagged"),
        ([Strike(t_s=1.0, ball=WHITE_1)], "silent"),
        ([], "silent"),
        (
            [Strike(t_s=1.0, ball=WHITE_1), Contact(t_s=1.5, ball=WHITE_1, other=YELLOW), Strike(t_s=6.0, ball=YELLOW)],
            "invented",
        ),
    ],
    ids=["exact", "flagged", "silent", "not-seen", "invented"],
)
def test_a_case_is_as_good_as_its_worst_stroke(told, verdict):
    assert verdict_of("thin-cut", Difficulty.EASY, 1, case_read(told)).verdict == verdict


def test_cases_are_chosen_by_name_and_what_differs_is_told(monkeypatch, capsys):
    def see(name, difficulty, seed):
        return verdict_of(name, difficulty, seed, case_read([Strike(t_s=1.0, ball=WHITE_1)]))

    monkeypatch.setattr(cases, "see_case", see)
    assert run("cases", "--only", "jaw", "--difficulty", "normal", "--seed", "2") == 0
    told = capsys.readouterr().out
    assert (
        "jaw-hanger, normal, seed 2: silently wrong: at 1.00 s first ball none instead of yellow; "
        "touched none instead of yellow; (contact: 1 missed)"
    ) in told
    assert "2 cases: 0 exact, 0 flagged, 0 invented, 2 silently wrong" in told
    assert run("cases", "--only", "jaw-rattle", "--json") == 0
    (case,) = json.loads(capsys.readouterr().out)["cases"]
    assert (case["name"], case["difficulty"], case["verdict"]) == ("jaw-rattle", "easy", "silent")


def test_a_case_that_nobody_wrote_is_wrong_use(capsys):
    assert run("cases", "--only", "earthquake") == 2
    assert "no case has a name that contains 'earthquake'" in capsys.readouterr().err


def test_benches_and_recordings_are_looked_at_as_tables_are():
    """What is measured is what plays: a bench once looked with contrast alone, tables with the network too."""
    defaults = {
        command.name: option.default
        for command in (analyze, vision)
        for option in command.params
        if "--detector" in option.opts
    }
    assert TableConfig(id="t", name="T", source="virtual:kaisa").detector == USUAL
    assert defaults == {"analyze": USUAL, "vision": (USUAL,)}
