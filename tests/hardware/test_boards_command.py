"""The technician's tools, run as commands against a board on a pseudo-terminal."""

import contextlib
import os
import pty
import subprocess
import sys
import threading
import time
import tty

import pytest

from hardware.boards.recorded import open_board
from hardware.wire import DropSeen, Heartbeat, Hello, encode
from scoring.table import Pocket


@pytest.fixture
def device():
    """A board that greets, beats four times a second and drops a ball through each pocket in turn."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    is_over = threading.Event()

    def work():
        seq = 0
        while not is_over.wait(0.25):
            head = {"seq": seq, "board_ms": 250 * seq}
            pocket = list(Pocket)[seq % 6]
            lines = encode(Hello(**head, firmware="1.0", board_id="cm-1", pockets=tuple(Pocket))) if seq == 0 else b""
            lines += encode(Heartbeat(**head, uptime_s=seq // 4, blocked=(False,) * 6))
            lines += encode(DropSeen(**head, pocket=pocket, blocked_ms=40))
            with contextlib.suppress(BlockingIOError):
                os.write(master, lines)
                os.read(master, 4096)
            seq += 1

    worker = threading.Thread(target=work)
    worker.start()
    yield os.ttyname(slave)
    is_over.set()
    worker.join()
    os.close(master)
    os.close(slave)


def cuemarker(*arguments):
    code = f"from server.cli import main; main({['sensors', *map(str, arguments)]!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def test_monitor_shows_the_six_pockets(device):
    code, out, _ = cuemarker("monitor", device, "--seconds", 2)
    assert code == 0
    assert all(pocket in out for pocket in Pocket)
    assert "ready" in out


def test_the_test_ends_well_when_each_pocket_has_seen_a_ball(device):
    code, out, _ = cuemarker("test", device, "--seconds", 30)
    assert code == 0
    assert all(f"{pocket}: a ball" in out for pocket in Pocket)
    assert out.endswith("every sensor works\n")


def test_the_test_of_an_absent_board_fails_in_one_line(tmp_path):
    code, _, complaint = cuemarker("test", tmp_path / "nothing", "--seconds", 1)
    assert code == 1
    assert complaint.count("\n") == 1
    assert "no sensor board on" in complaint


def test_a_recording_can_be_played_back(device, tmp_path):
    path = tmp_path / "sensors.txt"
    code, out, _ = cuemarker("record", device, "--out", path, "--seconds", 3)
    assert code == 0
    assert f"lines in {path}" in out
    drops = open_board(str(path)).drops
    assert len(drops) >= 4
    code, out, _ = cuemarker("replay", path)
    assert code == 0
    assert out.count("broken for 40 ms") == len(drops)
    assert "cm-1 1.0" in out or "board" in out


def test_playing_back_at_its_pace_takes_its_time(tmp_path):
    path = tmp_path / "sensors.txt"
    seen = DropSeen(seq=1, board_ms=1, pocket=Pocket.FL, blocked_ms=40)
    path.write_text(f"3.0 {encode(seen).decode().strip()}\n")
    start_s = time.monotonic()
    assert cuemarker("replay", path, "--speed", 2)[0] == 0
    assert time.monotonic() - start_s > 1.5


@pytest.mark.parametrize("tool", ["monitor", "test"])
def test_an_address_without_sense_is_one_line(tool):
    code, _, complaint = cuemarker(tool, "nonsense://x")
    assert code == 1
    assert complaint.count("\n") == 1


def test_a_recording_that_cannot_be_written_or_read_is_one_line(tmp_path):
    for arguments in (("record", "/dev/null", "--out", tmp_path / "a" / "b"), ("replay", tmp_path / "none")):
        code, _, complaint = cuemarker(*arguments)
        assert code == 1
        assert complaint.count("\n") == 1


@pytest.mark.parametrize("tool", ["ports", "monitor", "test", "record", "replay"])
def test_each_tool_has_an_example(tool):
    code, out, _ = cuemarker(tool, "--help")
    assert code == 0
    assert f"Example: cuemarker sensors {tool}" in out
