"""The virtual table as a source: what its players say is in order and goes on where a process stopped."""

import numpy as np
import pytest

from hardware.errors import HardwareError
from hardware.virtual.board import MANNERS, VirtualSensors
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.match import MatchPlan, VirtualMatch
from hardware.virtual.timeline import placed
from scoring.commands import Announce
from scoring.table import Table
from server.config import TableConfig
from server.messages import Known, Said
from server.table_process import TableTask
from server.virtual_table import VirtualPlay, VirtualTable

TABLE = Table(length_mm=2840.0, width_mm=1420.0)


def play(strokes, skip=0):
    match = VirtualMatch(MatchPlan(game="kaisa", seed=3, table=TABLE, players=("Anna", "Boris")))
    parts = list(placed(episode for _, episode in zip(range(skip + strokes), match, strict=False)))[skip:]
    sensors = VirtualSensors(MANNERS[Difficulty.EASY], np.random.default_rng(1))
    return parts, VirtualPlay(TABLE, iter(parts), sensors)


def test_a_call_comes_before_the_truth_of_its_stroke():
    parts, scene = play(3)
    for part in parts:
        scene.at(part.starts_s)
    told = list(scene.told_until(parts[-1].ends_s))
    assert [one.t_s for one in told] == sorted(one.t_s for one in told)
    known = [one.what for one in told if isinstance(one.what, Known)]
    assert [(one.number, one.shot) for one in known] == [(part.episode.number, part.shot) for part in parts]
    calls = [one.what for one in told if isinstance(one.what, Said)]
    assert all(isinstance(one.what, Announce) for one in calls)


def test_the_scene_is_that_of_the_episodes_and_ends_with_the_last():
    parts, scene = play(2)
    assert scene.duration_s == float("inf")
    assert scene.at(1.0) == parts[0].at(1.0)
    middle_s = parts[1].starts_s + 1.0
    assert scene.at(middle_s) == parts[1].at(middle_s)
    assert scene.duration_s == parts[1].ends_s


@pytest.mark.parametrize("source", ["virtual:chess", "virtual:kaisa?seed=one", "virtual:kaisa?size=9"])
def test_a_senseless_address_is_refused(source):
    with pytest.raises(HardwareError):
        VirtualTable.open(TableTask(config=TableConfig(id="one", name="One", source=source)))
