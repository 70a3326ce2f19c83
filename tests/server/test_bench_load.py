"""`bench load`: every change is timed on every display, and what does not read is noticed."""

import json

import pytest
from click.testing import CliRunner

from server.bench.load import LoadPlan, LoadReport, load_lines, run_load
from server.commands.bench_load import load


def report(**changes):
    figures = {
        "plan": LoadPlan(displays=2, tables=1, seconds=10),
        "changes": 50,
        "delays_ms": tuple(float(number) for number in range(100)),
        "missed": 0,
        "left": 0,
        "silent_dropped_s": None,
        "memory_mb": tuple((float(second), 100 + second / 360) for second in range(10)),
        "cpu_share": 0.1,
    }
    return LoadReport(**figures | changes)


def test_the_figures_are_those_of_the_delays_and_the_memory():
    assert [report().delay_ms(share) for share in (0.5, 0.95, 1.0)] == [50, 95, 99]
    assert report().growth_mb_h == pytest.approx(10)
    assert "still there at the end" in load_lines(report())[2]
    assert "sent away after 42 s" in load_lines(report(silent_dropped_s=42.0))[2]


def test_a_small_hall_is_measured_from_the_command_to_every_display():
    plan = LoadPlan(displays=3, tables=1, seconds=2, changes_a_second=5, warm_up_s=0.5)
    found = run_load(plan, lambda *_: None)
    assert found.changes >= 3
    assert len(found.delays_ms) == 3 * found.changes
    assert (found.missed, found.left) == (0, 0)
    assert all(0 < delay < 20_000 for delay in found.delays_ms)
    assert found.memory_mb[0][1] > 20


@pytest.mark.parametrize("wrong", [["--displays", "0"], ["--seconds", "soon"]])
def test_what_cannot_be_measured_is_wrong_use(wrong):
    assert CliRunner().invoke(load, wrong).exit_code == 2


def test_programs_are_told_the_same(monkeypatch):
    monkeypatch.setattr("server.bench.load.run_load", lambda *_: report(silent_dropped_s=42.0))
    told = json.loads(CliRunner().invoke(load, ["--json"]).stdout)
    assert (told["delay_ms"], told["silent_dropped_s"]) == ({"p50": 50, "p95": 95, "max": 99}, 42)
