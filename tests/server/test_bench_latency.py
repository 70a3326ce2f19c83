"""Latencies: what showed first after a strike and after rest, on the clock that the strikes tell."""

import json
from types import SimpleNamespace

import pytest

from scoring.balls import WHITE_1
from scoring.events import Rest, Strike
from server.bench import latency
from server.bench.latency import Latency, StrokeLatency, latencies, percentile, recording_start_s
from server.cli import main
from server.errors import ServerError


def timeline(*strokes):
    """Strokes that are struck and at rest at these times."""
    parts = [
        SimpleNamespace(events=(Strike(t_s=strike_s, ball=WHITE_1), Rest(t_s=rest_s))) for strike_s, rest_s in strokes
    ]
    return SimpleNamespace(parts=parts)


def test_the_recording_began_where_most_strikes_fit_although_one_was_missed_and_one_invented():
    assert recording_start_s([3.0, 15.0, 29.0], [503.004, 507.0, 529.002]) == pytest.approx(500.003)


def test_without_a_strike_nothing_can_be_measured():
    with pytest.raises(ServerError, match="no stroke"):
        recording_start_s([3.0], [])


def test_a_stroke_counts_from_the_frame_that_shows_its_rest_to_what_shows_first():
    play = timeline((2.0, 5.02), (30.0, 34.0))
    found = list(latencies(play, 10.0, 100.0, board=[101.0, 106.0, 105.6], glimpse=[102.08]))
    assert found[0].board_s == pytest.approx(105.6 - 105.1)
    assert found[0].glimpse_s == pytest.approx(0.08)
    assert found[1] == StrokeLatency(board_s=None, glimpse_s=None)


def test_percentiles_are_times_that_were_measured():
    times = [float(number) for number in range(20)]
    assert (percentile(times, 0.5), percentile(times, 0.95), percentile([], 0.5)) == (9.0, 18.0, None)
    assert percentile([0.4, 0.9], 0.5) == 0.4


def test_the_command_tells_the_load_and_the_pictures_that_were_dropped(monkeypatch, capsys):
    strokes = (StrokeLatency(board_s=0.9, glimpse_s=0.11), StrokeLatency(board_s=1.1, glimpse_s=None))
    measured = Latency(strokes=strokes, load=(1.25, 2.5), frames=900, dropped=4)
    monkeypatch.setattr(latency, "measure_latency", lambda *_: measured)
    for more in ([], ["--json"]):
        with pytest.raises(SystemExit) as exit_:
            main(["bench", "latency", "--strokes", "2", *more])
        assert exit_.value.code == 0
        told = capsys.readouterr().out
        if more:
            figures = json.loads(told)
            assert figures["glimpse_s"]["each"] == [0.11, None]
            assert figures["load"] == [1.25, 2.5]
        else:
            assert "1100" in told
            assert "load 1.2 before and 2.5 after; 900 pictures looked at, 4 dropped" in told
