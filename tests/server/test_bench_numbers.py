"""Counting names of numbered balls, and making the network that reads them."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner

from hardware.virtual.difficulty import Difficulty
from hardware.virtual.numbered import NumberedPlan
from hardware.virtual.scene import BallPose, Instant
from scoring.balls import CUE, Ball
from scoring.table import Point
from server import training_numbers
from server.bench.numbers import NumbersCount, _compare
from server.commands.bench import bench
from server.commands.train import train
from vision.errors import VisionError
from vision.numbers.windows import BALL, WINDOW_PX
from vision.training.numbers import _smear


def test_balls_count_as_named_where_they_lie_and_as_right_by_their_name():
    poses = [BallPose(ball=ball, center_mm=(300.0 * row, 0.0, 34.0))
             for row, ball in enumerate([CUE, Ball("1"), Ball("2"), Ball("3"), Ball("4")], 1)]  # fmt: skip
    names = [CUE, Ball("1"), Ball("9"), Ball("ball-?1")]
    positions = {ball: Point(300.0 * row, 5.0) for row, ball in enumerate(names, 1)}
    count = NumbersCount()
    _compare(count, 7, Instant(balls=tuple(poses)), SimpleNamespace(witness=SimpleNamespace(positions=positions)))
    assert (count.balls, count.named, count.right) == ([3], [2], [1])
    assert (count.told_right.count, count.told_right.total) == (1, 2)
    count.add(NumbersCount(balls=[2, 2], named=[1, 2], right=[1, 2], told={(8, Ball("1"), Ball("1"))}))
    assert (count.balls, count.named, count.right) == ([5, 2], [3, 2], [2, 2])
    assert count.figures()["told_right"] == pytest.approx(2 / 3, abs=1e-4)
    assert "names told: 2 of 3 right" in "\n".join(count.lines())


def test_windows_to_learn_from_are_those_of_every_ball_with_what_it_shows():
    plan = NumberedPlan(
        seed=5, halls=1, pictures=2, balls=9, sizes_px=((480, 270),), difficulties=(Difficulty.EASY,)
    )  # fmt: skip
    told = []
    learnt = training_numbers.windows_in(plan, told.append)
    assert learnt.windows.shape == (18, WINDOW_PX, WINDOW_PX)
    assert np.abs(learnt.windows[:, BALL].mean(axis=1)).max() < 1e-3
    assert set(learnt.numbers) <= set(range(16))
    assert 0 < np.count_nonzero(learnt.numbers) < 18
    assert told == ["hall 1 of 1"]
    again = training_numbers.windows_in(plan, told.append)
    assert (again.windows == learnt.windows).all()


def test_a_smear_keeps_the_brightness_and_lies_along_its_direction():
    across = _smear(2.0, 0.0)
    assert across.sum() == pytest.approx(1.0)
    assert across[2, 1] > 0.1 > across[1, 2] == pytest.approx(0.0)


def test_without_torch_no_hall_is_filmed_and_the_way_out_is_told(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(training_numbers, "windows_in", lambda *_: pytest.fail("filmed"))
    with pytest.raises(VisionError, match="pip install"):
        training_numbers.make_reader(training_numbers.NumbersPlan(), tmp_path / "numbers.onnx", lambda _: None)


def test_numbers_and_a_folder_are_not_trained_together(tmp_path):
    result = CliRunner().invoke(train, [str(tmp_path), "--numbers", "--out", str(tmp_path / "out")])
    assert result.exit_code == 2
    assert "--numbers" in result.output


def test_the_bench_of_numbers_shows_an_example():
    result = CliRunner().invoke(bench, ["numbers", "--help"])
    assert result.exit_code == 0
    assert "cuemarker bench numbers" in result.output
