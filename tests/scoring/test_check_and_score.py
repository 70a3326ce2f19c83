"""`cuemarker check` and `cuemarker score`: what they print, and how they exit."""

import io
import json

import pytest

from scoring.errors import ScoringError
from server.cli import main
from server.scenarios import _spelled, scenario_from_text

SCENARIO = """
id: T-1
game: kaisa
players: [A, B]
before: {phase: play, shooter: A, balls: {red-1: S1, white-1: [600, 40]}}
shots:
  - call: {ball: red-1, pocket: RL}
    events:
      - {type: strike, ball: white-1}
      - {type: contact, ball: white-1, other: red-1}
      - {type: pocket, ball: red-1, pocket: RL}
      - {type: rest}
expect:
  - {scores: {A: 3}, shooter: A, respot: {red-1: S1}, winner: null, pending: null, left: null, placings: [],
     put_back: []}
"""
PAIRS = """
id: 2
game: kaisa
format: pair-1
players: [A, [B, C]]
table: {length: 2840, width: 1420, ball: 67}
handicap: {B+C: {points: 10}}
notes: a remark
shots:
  - phase: lag
    events: [{type: strike, ball: white-1}, {type: strike, ball: white-2}]
    referee: [{type: answer, to: who_shoots, value: B}]
  - {}
expect:
  - {shooter: B+C, target: {B: 50, A: 60}}
  - null
"""


@pytest.fixture
def run(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as exit_:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return exit_.value.code, printed.out, printed.err

    return run


@pytest.fixture
def write(tmp_path):
    def write(content, name="one.yaml"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_check_passes_what_comes_out_as_expected(run, write):
    code, out, _ = run("check", write(SCENARIO), write(PAIRS, "two.yaml"))
    assert (code, out) == (0, "2 passed, 0 failed\n")


def test_check_prints_one_line_for_a_file_that_differs_with_both_values(run, write):
    wrong = "{scores: {A: 5}, shooter: B, respot: {red-1: S3, yellow: S2}, foul: KZ-41, rules: [KZ-23],"
    wrong += " in_hand: [white-1]}"
    path = write(SCENARIO.split("  - {scores", maxsplit=1)[0] + f"  - {wrong}\n")
    code, out, _ = run("check", path, write(SCENARIO, "good.yaml"))
    lines = out.splitlines()
    assert code == 1
    assert lines[-1] == "1 passed, 1 failed"
    assert len(lines) == 2
    assert lines[0].startswith(f"{path}: shot 1: scores.A: expected 5, got 3; shot 1: shooter: expected B, got A")
    for part in (
        "respot.red-1: expected S3, got S1",
        "respot.yellow: expected S2, got null",
        "foul: expected KZ-41, got null",
        "rules: expected [KZ-23] among them, got [KZ-20, KZ-15, KZ-18, KZ-55, KZ-50]",
        "in_hand: expected [white-1], got []",
    ):
        assert part in lines[0]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("id: T-1", "id: [T"), "not readable as YAML: line"),
        (("id: T-1", "name: T-1"), "scenario: id is missing"),
        (("game: kaisa", "game: chess"), "no game is called 'chess'"),
        (("game: kaisa", "game: kaisa\ncolour: red"), "scenario: unknown key colour"),
        (("game: kaisa", "game: kaisa\noptions: {kz.speed: 1}"), "kaisa has no option 'kz.speed'"),
        (("game: kaisa", "game: kaisa\nformat: pair-9"), "format: must be one of singles, pair-1, pair-2"),
        (("game: kaisa", "game: kaisa\ntable: {length: 10}"), "a table of 10 x 1775 mm"),
        (("game: kaisa", "game: kaisa\nhandicap: {Z: {points: 3}}"), "handicap: 'Z' does not play"),
        (("game: kaisa", "game: kaisa\nhandicap: {A: {gift: 3}}"), "handicap.A: unknown key gift"),
        (("[A, B]", "[A]"), "at least two sides"),
        (("[A, B]", "{A: B}"), "players: must be a list"),
        (("shooter: A,", "shooter: Q,"), "before: shooter: 'Q' does not play"),
        (("phase: play", "phase: pause"), "before: phase: must be one of lag, opening, play"),
        (("phase: play", "phase: play, scores: {A: many}"), "before: scores.A: must be a whole number"),
        (("phase: play", "phase: play, last: {seen: A}"), "before: last: unknown key seen"),
        (("red-1: S1", "red-1: S9"), "before.balls.red-1: must be one of S1, S2, S3"),
        (("red-1: S1", "red-1: [1]"), "before.balls.red-1: must be [x, y] in mm or a spot"),
        (("type: strike", "type: hop"), "shots[0]: events[0]: hop: unknown type"),
        (("ball: white-1}", "ball: white 1}"), "no ball is called 'white 1'"),
        (("{scores: {A: 3}", "{points: {A: 3}"), "expect[0]: unknown key points"),
        (("{scores: {A: 3}", "{scores: {Z: 3}"), "expect: scores: 'Z' does not play"),
        (("{scores: {A: 3}", "{scores: 3"), "expect: scores: must be a mapping"),
        (("respot: {red-1: S1}", "respot: {red-1: S8}"), "expect: respot.red-1: 'S8' is no place"),
        (("respot: {red-1: S1}", "respot: {red 1: S1}"), "no ball is called 'red 1'"),
        (("expect:\n  - ", "expect:\n  - {}\n  - "), "expect has 2 entries for 1 shots"),
        (("      - {type: rest}", "    referee: [{type: answer, to: carom, value: true}]"), None),
    ],
)
def test_check_names_what_is_wrong_with_a_file_in_one_line(run, write, change, reason):
    code, out, err = run("check", write(SCENARIO.replace(*change)))
    lines = out.splitlines()
    assert err == ""
    assert lines[-1] == ("1 passed, 0 failed" if reason is None else "0 passed, 1 failed")
    assert code == (0 if reason is None else 1)
    if reason is not None:
        assert len(lines) == 2
        assert reason in lines[0]


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", "", "just text", "- 1"])
def test_check_survives_what_is_no_scenario_at_all(run, write, content):
    code, out, _ = run("check", write(content))
    assert (code, out.splitlines()[-1], len(out.splitlines())) == (1, "0 passed, 1 failed", 2)


def test_check_says_at_which_shot_an_entry_cannot_be(run, write):
    second = "  - {referee: [{type: answer, to: carom, value: true}]}\nexpect:\n  - {}\n"
    code, out, _ = run("check", write(SCENARIO.replace("expect:\n", second)))
    assert code == 1
    assert "shot 2: nobody asked carom" in out


def test_check_without_files_or_with_a_missing_one_is_wrong_use(run, tmp_path):
    assert run("check")[0] == 2
    assert run("check", tmp_path / "none.yaml")[0] == 2


def test_pyramid_balls_may_be_bare_numbers():
    given = {"events": [{"ball": 7, "other": 9, "t": 1}], "balls": {7: [1, 2]}, "value": 7, "flagged": True}
    spelled = {"events": [{"ball": "7", "other": "9", "t": 1}], "balls": {"7": [1, 2]}, "value": 7, "flagged": True}
    assert _spelled(given) == spelled


SHOT = {
    "call": {"ball": "red-1", "pocket": "RL"},
    "events": [
        {"t": 0, "type": "strike", "ball": "white-1"},
        {"t": 1, "type": "contact", "ball": "white-1", "other": "red-1"},
        {"t": 2, "type": "pocket", "ball": "red-1", "pocket": "RL"},
        {"t": 3, "type": "rest"},
    ],
}


def lines_of(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


def test_score_prints_a_ruling_for_each_shot(run, write):
    second = {"events": [{"type": "strike", "ball": "white-1"}, {"type": "off_table", "ball": "white-1"}]}
    shots = write("\n" + lines_of(SHOT | {"call": {"ball": "red-2", "pocket": "RL"}}, second), "shots.jsonl")
    code, out, _ = run("score", shots, "--game", "kaisa", "--players", "A,B", "--option", "kz.call=none")
    first, last = (json.loads(line) for line in out.splitlines())
    assert code == 0
    assert (first["scores"], first["foul"], first["respot"]) == ({"A": 0, "B": 0}, None, {"red-1": "S1"})
    assert (last["stroke"], last["by"], last["foul"], last["in_hand"]) == (2, "B", "KZ-47", ["white-1", "white-2"])


def test_score_tells_again_what_an_answer_changed(run, write):
    uncalled = {"events": SHOT["events"]}
    answer = {"referee": [{"type": "answer", "to": "call", "value": True}]}
    red_2 = json.loads(json.dumps(uncalled).replace("red-1", "red-2"))
    shots = write(lines_of(red_2, SHOT, answer), "shots.jsonl")
    _, out, _ = run("score", shots, "--game", "kaisa", "--players", "A,B")
    told = [json.loads(line) for line in out.splitlines()]
    assert [(line["stroke"], line["ruled"]) for line in told] == [(1, True), (2, False), (1, True), (2, True)]
    assert told[0]["pending"]["kind"] == "call"
    assert told[3]["scores"] == {"A": 6, "B": 0}


def test_score_takes_a_first_record_with_two_strikes_for_the_lag(run, write):
    lag = {
        "events": [
            {"type": "strike", "ball": "white-1"},
            {"type": "strike", "ball": "white-2"},
            {"type": "cushion", "ball": "white-2", "cushion": "rear"},
        ]
    }
    code, out, _ = run("score", write(lines_of(lag)), "--game", "kaisa", "--players", "A,B")
    assert (code, json.loads(out)["shooter"], json.loads(out)["phase"]) == (0, "B", "opening")


def test_score_spells_places_and_probabilities(run, write):
    rail = {"type": "off_table", "ball": "red-2", "on_rail": True, "at": [2000, 900]}
    doubt = {"type": "contact", "ball": "white-1", "other": "yellow", "flagged": True, "confidence": 0.7}
    calm = {"events": [{"type": "strike", "ball": "white-1"}, rail, {"type": "rest"}]}
    torn = {"call": {"ball": "red-2", "pocket": "RL"}, "events": [{"type": "strike", "ball": "white-2"}, doubt]}
    torn["events"] = json.loads(json.dumps(torn["events"]).replace("white-1", "white-2"))
    torn["events"] += [
        {"type": "contact", "ball": "white-2", "other": "red-2"},
        {"type": "pocket", "ball": "red-2", "pocket": "RL"},
    ]
    _, out, _ = run("score", write(lines_of(calm, torn)), "--game", "kaisa", "--players", "A,B")
    first, second = (json.loads(line) for line in out.splitlines())
    assert first["respot"] == {"red-2": [2000, 853.5]}
    assert second["pending"]["choices"][0] == {"value": True, "probability": 0.7}


@pytest.mark.parametrize(
    "arguments",
    [
        ("--game", "chess", "--players", "A,B"),
        ("--game", "kaisa", "--players", "A"),
        ("--game", "kaisa", "--players", "A,B,C"),
        ("--game", "kaisa", "--players", "A,B", "--option", "kz.call"),
        ("--game", "kaisa", "--players", "A,B", "--option", "kz.target=many"),
        ("--game", "kaisa"),
    ],
)
def test_score_refuses_wrong_use_with_exit_code_2(run, write, arguments):
    code, out, err = run("score", write(lines_of(SHOT)), *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("cuemarker: ")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('{"events": []}\n{"x', "line 2: not JSON"),
        ('{"colour": 1}', "line 1: unknown key colour"),
        (b"\xff\xfe", "not UTF-8 text"),
        ('{"referee": [{"type": "answer", "to": "call", "value": true}]}', "line 1: nobody asked call"),
    ],
)
def test_score_fails_with_one_line_that_names_the_line(run, write, content, reason):
    code, _, err = run("score", write(content), "--game", "kaisa", "--players", "A,B")
    assert (code, len(err.splitlines())) == (1, 1)
    assert reason in err


def test_score_reads_standard_input_and_options_by_their_kind(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(lines_of(SHOT)))
    options = [word for given in ("kz.target=3", "kz.bank_must_match=false") for word in ("--option", given)]
    code, out, _ = run("score", "-", "--game", "kaisa", "--players", "A,B", *options)
    assert (code, json.loads(out)["rules"][:2]) == (0, ["KZ-8", "KZ-9"])


@pytest.mark.parametrize("command", ["check", "score"])
def test_help_shows_an_example(run, command):
    code, out, _ = run(command, "--help")
    assert code == 0
    assert f"Example: cuemarker {command}" in out


@pytest.mark.parametrize(
    ("before", "first", "phase"),
    [
        ("", "{events: [{type: strike, ball: white-1}, {type: rest}]}", "play"),
        ("", "{from_hand: true, events: [{type: strike, ball: white-1}, {type: rest}]}", "opening"),
        ("", "{events: [{type: strike, ball: white-1}, {type: house_line, ball: white-1, direction: out}]}", "opening"),
        ("", "{events: [{type: strike, ball: white-1}, {type: house_line, ball: red-1, direction: out}]}", "play"),
        ("", "{}", "opening"),
        ("", "{phase: play, from_hand: true, events: [{type: strike, ball: white-1}]}", "play"),
        ("before: {shooter: A}", "{from_hand: true, events: [{type: strike, ball: white-1}]}", "play"),
        ("before: {shooter: A}", "{phase: opening, events: [{type: strike, ball: white-1}]}", "opening"),
    ],
)
def test_a_scenario_without_a_phase_is_in_play_unless_its_first_entry_begins_a_match(before, first, phase):
    text = f"id: 3\ngame: kaisa\nplayers: [A, B]\n{before}\nshots:\n  - {first}\nexpect: [null]\n"
    assert scenario_from_text(text).beginning.phase == phase


def test_a_shot_with_an_unknown_phase_is_refused():
    with pytest.raises(ScoringError, match=r"shots\[0\].phase: must be one of lag, opening, play"):
        scenario_from_text("id: 3\ngame: kaisa\nplayers: [A, B]\nshots: [{phase: pause}]\nexpect: [null]\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id: 1\ngame: kaisa\nid: 2\n", "line 3: the key id is written twice"),
        ("a: {b: 1, b: 2}\n", "line 1: the key b is written twice"),
        ("[" * 5000, "it is nested too deeply"),
        ("a: &a [*a]\n", "line 1: found unconstructable recursive node"),
    ],
)
def test_a_scenario_that_says_something_twice_or_without_end_is_refused(text, said):
    with pytest.raises(ScoringError, match="not readable as YAML: " + said):
        scenario_from_text(text)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"by": "A", "by": "B"}', "the key by is written twice"),
        ('{"t": ' + "9" * 5000 + "}", "Exceeds the limit"),
        ("[" * 100000, "recursion"),
    ],
)
def test_score_refuses_lines_that_no_reader_can_take_whole(run, write, line, said):
    code, _, err = run("score", write(line, "shots.jsonl"), "--game", "kaisa", "--players", "A,B")
    assert code == 1
    assert "line 1: not readable JSON" in err
    assert said in err


def test_a_record_may_hold_any_letter_and_begin_with_a_mark(run, write):
    line = '\ufeff{"by": "A\u2028", "events": []}\n'
    code, out, _ = run("score", write(line, "shots.jsonl"), "--game", "kaisa", "--players", "A,B")
    assert (code, len(out.splitlines())) == (0, 1)
