"""A table lives through every fault: noticed, told and healed in time, no event lost or doubled, nothing grows."""

import os

import pytest

from server.bench.soak import Soak
from server.bench.soak_board import hub_teller
from server.bench.soak_lines import soak_lines, soaked
from server.bench.soak_stage import FAULTS, SoakStage

CYCLES = int(os.environ.get("CUEMARKER_SOAK_CYCLES", "100"))


def test_a_table_lives_through_a_cut_camera_and_pulled_sensors(tmp_path):
    faults = tuple(fault for fault in FAULTS if fault.name in {"cut", "sensors unplugged"})
    with SoakStage(tmp_path, faults=faults) as stage, hub_teller(stage.config, tmp_path) as tell:
        report = Soak(stage, tell).run(2)
    assert report.lost_or_doubled == 0, report
    assert report.late() == ()
    assert next(soak_lines(report)).startswith("2 faults, 0.1 hours")


@pytest.mark.nightly
@pytest.mark.timeout(60 * CYCLES + 300)
def test_a_hundred_faults_in_turn_are_told_and_healed_and_leave_memory_threads_and_handles_flat():
    report = soaked(CYCLES)
    print("\n".join(soak_lines(report)))  # noqa: T201 -- the nightly log tells the delays
    assert report.lost_or_doubled == 0
    assert report.late() == ()
    assert abs(report.slope(lambda size: size.memory_kb)) < 2000
    assert abs(report.slope(lambda size: size.threads)) < 1
    assert abs(report.slope(lambda size: size.handles)) < 1
