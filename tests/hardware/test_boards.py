import contextlib
import os
import pty
import time

import pytest
import serial

from hardware.board import DropReader, open_board
from hardware.errors import DeviceAbsentError, DeviceMisconfiguredError, ProtocolError
from hardware.wire import DropSeen, Heartbeat, Hello, decode, encode
from scoring.table import Pocket

MS = 1_000_000
HELLO = Hello(seq=0, board_ms=5, firmware="1.0", board_id="cm-1", pockets=tuple(Pocket))


def heartbeat(seq, board_ms):
    return Heartbeat(seq=seq, board_ms=board_ms, uptime_s=board_ms // 1000, blocked=(False,) * 6)


def drop(seq, board_ms, pocket=Pocket.ML):
    return DropSeen(seq=seq, board_ms=board_ms, pocket=pocket, blocked_ms=40)


def test_a_resent_drop_counts_once():
    reader = DropReader()
    reader.read([HELLO], 0)
    first = reader.read([drop(1, 1000)], 1000 * MS)
    again = reader.read([drop(1, 1000)], 1200 * MS)
    assert [d.pocket for d in first] == [Pocket.ML]
    assert again == []


def test_a_late_message_keeps_the_time_at_which_the_beam_broke():
    reader = DropReader()
    for second in range(5):
        reader.read([heartbeat(second, 1000 * second)], (1000 * second + 3) * MS)
    (late,) = reader.read([drop(9, 4500)], (4500 + 180) * MS)
    assert late.t_ns == (4500 + 3) * MS


def test_the_boards_clock_may_wrap():
    reader = DropReader()
    reader.read([heartbeat(1, 2**32 - 500)], 10_000 * MS)
    (seen,) = reader.read([drop(2, 300)], 10_800 * MS)
    assert seen.t_ns == 10_800 * MS


def test_after_a_reset_the_clock_and_the_numbers_start_again():
    reader = DropReader()
    reader.read([HELLO], 0)
    reader.read([drop(1, 900_000)], 900_000 * MS)
    reader.read([HELLO], 950_005 * MS)
    (seen,) = reader.read([drop(1, 2005)], 952_005 * MS)
    assert seen.t_ns == 952_005 * MS


def test_after_a_reset_whose_greeting_was_lost_a_drop_like_an_earlier_one_is_another_drop():
    reader = DropReader()
    reader.read([HELLO, heartbeat(1, 9000)], 9000 * MS)
    reader.read([drop(2, 9500)], 9540 * MS)
    reader.read([heartbeat(1, 8000)], 30_000 * MS)
    assert len(reader.read([drop(2, 9500)], 31_540 * MS)) == 1


@pytest.fixture
def terminal():
    master, slave = pty.openpty()
    yield master, os.ttyname(slave)
    for handle in (master, slave):
        with contextlib.suppress(OSError):
            os.close(handle)


def poll_until(board, count, seconds=2.0):
    drops, end = [], time.monotonic() + seconds
    while len(drops) < count and time.monotonic() < end:
        drops += board.poll(time.monotonic_ns())
        time.sleep(0.002)
    return drops


def test_a_serial_board_gives_drops_and_acknowledges_each(terminal):
    master, name = terminal
    board = open_board(name)
    line = encode(drop(3, 1500, Pocket.RR))
    os.write(master, encode(HELLO) + line[:9])
    assert poll_until(board, 1, 0.1) == []
    os.write(master, line[9:])
    (seen,) = poll_until(board, 1)
    assert seen.pocket is Pocket.RR
    answer = decode(os.read(master, 200).decode().removesuffix("\r\n"))
    assert answer.acknowledged == 3
    board.close()


def test_an_unplugged_board_is_absent_not_silent(terminal):
    master, name = terminal
    board = open_board(name)
    os.close(master)
    with pytest.raises(DeviceAbsentError, match="check its cable"):
        poll_until(board, 1)
    board.close()


def test_a_drop_that_came_before_the_line_failed_is_told_before_the_failure(terminal):
    master, name = terminal
    board = open_board(name)
    for _ in range(2):
        with pytest.raises(serial.SerialTimeoutException):
            board.port.write(bytes(1_000_000))  # nobody reads: no acknowledgement will get through
    os.write(master, encode(HELLO) + encode(drop(3, 1500, Pocket.RR)))
    (seen,) = poll_until(board, 1)
    assert seen.pocket is Pocket.RR
    with pytest.raises(DeviceAbsentError, match="check its cable"):
        board.poll(time.monotonic_ns())
    board.close()


def test_a_missing_port_says_what_to_do(tmp_path):
    with pytest.raises(DeviceAbsentError, match="no sensor board on"):
        open_board(str(tmp_path / "nothing"))


@pytest.mark.parametrize("address", ["", "nonsense://x"])
def test_an_address_without_sense_is_refused(address):
    with pytest.raises(DeviceMisconfiguredError):
        open_board(address)


def write_recording(path, *lines):
    path.write_text("\n".join(lines) + "\n")
    return open_board(f"file:{path}")


def recorded(seconds, message):
    return f"{seconds:.3f} {encode(message).decode().strip()}"


def test_a_recording_gives_each_drop_when_its_time_comes(tmp_path):
    board = write_recording(
        tmp_path / "sensors.txt",
        recorded(1.0, heartbeat(1, 1000)),
        recorded(3.5, drop(2, 3500)),
        recorded(3.7, drop(2, 3500)),
        "4.0 $CM,DR,3,4000,FL,40*0000",
        recorded(9.0, drop(4, 9000, Pocket.FL)),
    )
    assert board.rejected == 1
    assert board.poll(3_499 * MS) == []
    assert [d.pocket for d in board.poll(3_500 * MS)] == [Pocket.ML]
    assert [d.pocket for d in board.poll(20_000 * MS)] == [Pocket.FL]
    assert board.poll(30_000 * MS) == []


def test_a_file_that_is_no_recording_is_refused(tmp_path):
    with pytest.raises(ProtocolError, match="not a sensor recording"):
        write_recording(tmp_path / "x.txt", "hello", "nan $CM,HB,1,1,1,000000*0000")


def test_a_missing_recording_is_refused(tmp_path):
    with pytest.raises(DeviceAbsentError, match="cannot be read"):
        open_board(f"file:{tmp_path / 'none.txt'}")
