"""The virtual sensor board speaks the contract's lines and behaves like a board at a distance."""

import os
import select

import numpy as np
import pytest

from hardware.boards.recorded import open_board
from hardware.boards.serial import open_board as open_port
from hardware.virtual.board import MANNERS, VirtualBoard, VirtualSensors, recorded_lines
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.terminal import VirtualTerminal
from hardware.wire import Acknowledgement, DropSeen, Heartbeat, Hello, decode, encode
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


def test_a_bad_line_loses_bounces_and_babbles_but_each_ball_is_reported(tmp_path):
    pots = [Potted(t_s=10.0 * k, ball=RED_1, pocket=list(Pocket)[k % 6]) for k in range(1, 100)]
    lines = list(recorded_lines(pots, 1000.0, sensors(Difficulty.HARD)))
    assert any(not line.text.startswith("$") for line in lines)
    path = tmp_path / "sensors.txt"
    path.write_text("".join(f"{line}\n" for line in lines))
    drops = open_board(str(path)).poll(1_000_000_000_000)
    found = {round(drop.t_ns / 1e10) for drop in drops}
    assert len(found) >= 96
    assert all(drop.t_ns / 1e9 % 10.0 < 0.6 for drop in drops)


def test_a_program_that_opens_the_terminal_meets_a_real_board():
    with VirtualTerminal(sensors(Difficulty.EASY)) as terminal:
        board = open_port(terminal.path)
        terminal.sensors.tell(POTS[:1])
        drops, told_s = [], []
        for step in range(100):
            t_s = step / 20
            terminal.run_until(t_s)
            found = board.poll(round(t_s * 1e9))
            drops += found
            told_s += [t_s] * len(found)
        board.close()
    assert [drop.pocket for drop in drops] == [Pocket.ML]
    assert told_s[0] == pytest.approx(3.4, abs=0.15)


def test_a_drop_is_sent_again_until_the_host_answers():
    with VirtualTerminal(sensors(Difficulty.EASY)) as terminal:
        host = os.open(terminal.path, os.O_RDWR | os.O_NOCTTY)
        terminal.sensors.tell(POTS[:1])
        received = b""
        for step in range(100):
            terminal.run_until(step / 20)
            if select.select([host], [], [], 0)[0]:
                received += os.read(host, 4096)
        assert received.count(b"$CM,DR,") >= 6
        (seq,) = {int(line.split(b",")[2]) for line in received.split(b"\r\n") if line.startswith(b"$CM,DR,")}
        os.write(host, encode(Acknowledgement(seq=0, board_ms=0, acknowledged=seq)))
        terminal.run_until(5.1)
        if select.select([host], [], [], 0)[0]:
            os.read(host, 4096)
        for step in range(20):
            terminal.run_until(5.2 + step / 20)
        rest = os.read(host, 4096) if select.select([host], [], [], 0)[0] else b""
        os.close(host)
    assert b"$CM,DR," not in rest
