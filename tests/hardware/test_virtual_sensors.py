"""The virtual sensor board speaks the contract's lines and behaves like a board at a distance."""

import numpy as np
import pytest

from hardware.boards.recorded import open_board
from hardware.virtual.board import MANNERS, VirtualBoard, VirtualSensors, recorded_lines
from hardware.virtual.difficulty import Difficulty
from hardware.wire import DropSeen, Heartbeat, Hello, decode
from scoring.balls import RED_1, RED_2
from scoring.events import Potted
from scoring.table import Pocket

POTS = (Potted(t_s=3.2, ball=RED_1, pocket=Pocket.ML), Potted(t_s=7.9, ball=RED_2, pocket=Pocket.RR))


def sensors(difficulty: Difficulty, seed: int = 1) -> VirtualSensors:
    return VirtualSensors(MANNERS[difficulty], np.random.default_rng(seed))


def test_greets_beats_every_second_and_reports_each_drop():
    lines = list(recorded_lines(POTS, 10.0, sensors(Difficulty.EASY)))
    messages = [decode(line.text) for line in lines]
    assert isinstance(messages[0], Hello)
    assert sum(isinstance(message, Heartbeat) for message in messages) in (9, 10)
    drops = [message for message in messages if isinstance(message, DropSeen)]
    assert [drop.pocket for drop in drops] == [Pocket.ML, Pocket.RR]
    assert all(30 <= drop.blocked_ms <= 75 for drop in drops)
    assert [line.t_s for line in lines] == sorted(line.t_s for line in lines)


@pytest.mark.parametrize("difficulty", list(Difficulty))
def test_a_recording_gives_each_drop_once_just_after_the_pot(tmp_path, difficulty):
    path = tmp_path / "sensors.txt"
    path.write_text("".join(f"{line}\n" for line in recorded_lines(POTS, 10.0, sensors(difficulty, 5))))
    drops = open_board(str(path)).poll(10_000_000_000)
    assert [drop.pocket for drop in drops] == [Pocket.ML, Pocket.RR]
    for drop, pot in zip(drops, POTS, strict=True):
        assert 0.0 < drop.t_ns / 1e9 - pot.t_s < 0.25


def test_a_hard_line_tears_and_resends_but_an_easy_one_does_not():
    pots = [Potted(t_s=float(k), ball=RED_1, pocket=Pocket.FL) for k in range(1, 200)]
    easy = list(recorded_lines(pots, 210.0, sensors(Difficulty.EASY)))
    hard = list(recorded_lines(pots, 210.0, sensors(Difficulty.HARD)))
    assert all("*" in line.text for line in easy)
    assert any("*" not in line.text for line in hard)
    assert len(hard) > len(easy)


def test_the_live_board_gives_drops_as_time_passes_in_the_hosts_time():
    start_ns = 77_000_000_000
    twin = sensors(Difficulty.EASY)
    board = VirtualBoard(twin, start_ns)
    twin.tell(POTS[:1])
    assert board.poll(start_ns + 3_200_000_000) == []
    (drop,) = board.poll(start_ns + 4_000_000_000)
    assert drop.pocket is Pocket.ML
    assert 0.0 < (drop.t_ns - start_ns) / 1e9 - 3.2 < 0.25
    assert board.poll(start_ns + 5_000_000_000) == []


def test_the_same_seed_gives_the_same_lines():
    first, second = (list(recorded_lines(POTS, 10.0, sensors(Difficulty.HARD, 3))) for _ in range(2))
    assert first == second
