"""What a frame costs: phases, the costs of a small recording, and tables told to a person and to a program."""

import json
import os

import pytest

from hardware.virtual.scene import Instant
from scoring.balls import WHITE_1
from scoring.events import Rest, Strike
from server.bench import speed as bench
from server.bench.hall_process import HallTable, cpu_s, peak_mb
from server.bench.speed_tables import speed_json, speed_line, speed_table
from server.bench.tables import LiveRun, LiveTable, live_json
from server.cli import main


class Film:
    """A stroke from 2 to 3 s; somebody's arm is in the picture until 1 s."""

    events = (Strike(t_s=2.0, ball=WHITE_1), Rest(t_s=3.0, balls={}))

    @staticmethod
    def at(t_s):
        return Instant(balls=(), cues=(), limbs=("arm",) if t_s <= 1.0 else ())


def test_frames_are_play_until_the_stroke_has_been_read_and_rest_only_when_nobody_is_near():
    phases = bench.phases_of(Film(), 10.0, 60)
    assert phases[:15] == ["people"] * 15
    assert phases[15:20] == ["rest"] * 5
    assert phases[20:41] == ["play"] * 21
    assert phases[41:] == ["rest"] * 19


def test_a_recording_is_at_the_asked_rate_and_each_phase_has_both_costs(tmp_path):
    plan = bench.SpeedPlan(size_px=(640, 360), fps=10.0, bits_s=400_000, strokes=1)
    recorded = bench.make_recording(plan, tmp_path)
    rate = (tmp_path / "video.mp4").stat().st_size * 8 / recorded.timeline.duration_s
    assert rate == pytest.approx(400_000, rel=0.25)
    phases = bench.phases_of(recorded.timeline, plan.fps, recorded.frames)
    costs, peak_mb = bench.costs_of(tmp_path, phases)
    assert sum(cost.frames for cost in costs.values()) == recorded.frames
    assert set(costs) == set(phases)
    assert all(0 < cost.decode_ms < cost.path_ms for cost in costs.values())
    assert peak_mb > 50


def test_speed_is_told_with_its_ratio_and_its_limit():
    cost = bench.PhaseCost(frames=10, decode_ms=4.0, path_ms=6.0)
    speed = bench.Speed(name="one", mb_s=6.0, phases={"play": cost}, frames_per_cpu_s=160.0, peak_mb=200.0)
    assert speed_json([speed])["recordings"][0]["phases"]["play"]["ratio"] == 1.5
    assert "160 frames per CPU second" in speed_line(speed)
    assert [column.header for column in speed_table([speed]).columns][-2:] == ["ratio", "at most"]


def test_live_tables_are_told_for_programs():
    table = LiveTable(frames=600, dropped=2, cpu_share=0.5, peak_mb=200.0)
    run = LiveRun(name="two", seconds=10.0, tables=(table, table), hub_cpu_share=0.01, hub_peak_mb=90, cold_start_s=3.0)
    told = json.loads(json.dumps(live_json([run])))["runs"][0]
    assert [one["dropped"] for one in told["tables"]] == [2, 2]
    assert told["hub"]["peak_mb"] == 90


def test_the_system_tells_cpu_and_memory_of_a_process():
    assert cpu_s(os.getpid()) > 0.1
    assert peak_mb(os.getpid()) > 20


def test_a_table_before_a_recording_is_a_live_camera(tmp_path):
    lines = HallTable(id="one", folder=tmp_path, loops=False).lines()
    assert f'"file:{tmp_path}/video.mp4?realtime=1"' in lines
    assert "loop=1" in HallTable(id="one", folder=tmp_path).lines()


@pytest.mark.parametrize("arguments", [("speed", "--strokes", "0"), ("tables", "--seconds", "1")])
def test_wrong_use_of_the_speed_benches_is_refused(arguments):
    with pytest.raises(SystemExit) as exit_:
        main(["bench", *arguments])
    assert exit_.value.code == 2
