"""A board kept through everything that happens to cables, over real pseudo-terminals and sockets; time is simulated."""

import contextlib
import gc
import logging
import os
import pty
import socket
import threading
import tracemalloc
import tty
from pathlib import Path

import numpy as np
import pytest

from hardware.board import keep_board, open_board
from hardware.boards.kept import KeptBoard
from hardware.errors import DeviceAbsentError, DeviceMisconfiguredError
from hardware.ports import Port, device_of, stable_address
from hardware.signals import BeamState, LinkState
from hardware.wire import Acknowledgement, DropSeen, Heartbeat, Hello, LineSplitter, encode
from scoring.table import Pocket

MS = 1_000_000
NUMBER = "A50285BI"


class Plug:
    """A board on a pseudo-terminal that can be pulled out and put in again, each time as another device."""

    def __init__(self, number=NUMBER):
        self.number, self.master, self.slave = number, None, None
        self.seq, self.splitter, self.acknowledged, self.out = 0, LineSplitter(), [], b""

    def plug(self):
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        return self

    def pull(self):
        for handle in filter(None, (self.master, self.slave)):
            os.close(handle)
        self.master, self.slave = None, None

    def ports(self):
        return [] if self.slave is None else [Port(device=os.ttyname(self.slave), serial_number=self.number)]

    def head(self, now_ms):
        self.seq += 1
        return {"seq": self.seq, "board_ms": now_ms % 2**32}

    def hello(self, now_ms):
        self.send(Hello(**self.head(now_ms), firmware="1.0", board_id="cm-1", pockets=tuple(Pocket)))

    def beat(self, now_ms):
        self.send(Heartbeat(**self.head(now_ms), uptime_s=now_ms // 1000, blocked=(False,) * 6))

    def drop(self, now_ms, pocket=Pocket.ML, blocked_ms=40):
        seen = DropSeen(**self.head(now_ms), pocket=pocket, blocked_ms=blocked_ms)
        self.send(seen)
        return seen

    def send(self, message):
        self.write(encode(message))

    def write(self, data):
        with contextlib.suppress(BlockingIOError):  # nobody reads: bytes are lost, as on a wire
            os.write(self.master, data)

    def hear(self):
        with contextlib.suppress(BlockingIOError):
            for message in self.splitter.feed(os.read(self.master, 65536)):
                assert isinstance(message, Acknowledgement)
                self.acknowledged.append(message.acknowledged)
        return self.acknowledged


class World:
    """A kept board and its plug, moved through simulated time."""

    def __init__(self):
        self.plug, self.now_ms, self.drops = Plug(), 10_000, []
        self.board = KeptBoard(f"serial:{NUMBER}", self.plug.ports)

    def pass_ms(self, duration_ms, *, beats=True, step_ms=50):
        for _ in range(duration_ms // step_ms):
            self.now_ms += step_ms
            is_second = self.now_ms // 1000 > (self.now_ms - step_ms) // 1000
            if beats and is_second and self.plug.master is not None:
                self.plug.beat(self.now_ms)
            self.drops += self.board.poll(self.now_ms * MS)

    @property
    def health(self):
        return self.board.health(self.now_ms * MS)

    def plug_in(self):
        """Plug the board in; opening its port starts it again, and then it greets."""
        self.plug.plug()
        opened = self.health.opened
        while self.health.opened == opened:
            self.pass_ms(50, beats=False)
        self.plug.hello(self.now_ms)

    def ms_until(self, state, limit_ms=20_000, **how):
        start_ms = self.now_ms
        while self.health.state is not state:
            self.pass_ms(50, **how)
            assert self.now_ms - start_ms < limit_ms, f"not {state}: {self.health}"
        return self.now_ms - start_ms


@pytest.fixture
def world():
    made = World()
    yield made
    made.board.close()
    made.plug.pull()


@pytest.fixture
def ready(world):
    world.plug_in()
    world.ms_until(LinkState.READY)
    return world


def test_a_board_that_is_away_is_a_normal_state(world):
    world.pass_ms(5_000)
    assert world.drops == []
    assert world.health.state is LinkState.ABSENT
    assert NUMBER in world.health.detail
    assert {beam.state for beam in world.health.beams} == {BeamState.UNKNOWN}


def test_a_board_that_is_plugged_in_later_is_found(world):
    world.pass_ms(60_000)
    plugged_ms = world.now_ms
    world.plug_in()
    world.ms_until(LinkState.READY)
    assert world.now_ms - plugged_ms <= 3_000
    assert world.health.board_id == "cm-1"


def test_pulled_in_the_middle_of_a_line_and_plugged_in_elsewhere_it_is_back_within_three_seconds(ready):
    line = encode(DropSeen(seq=900, board_ms=ready.now_ms, pocket=Pocket.RR, blocked_ms=40))
    ready.plug.write(line[:17])
    ready.pass_ms(100, beats=False)
    first = ready.plug.ports()[0].device
    ready.plug.pull()
    assert ready.ms_until(LinkState.LOST, beats=False) <= 3_000
    blocker = Plug().plug()  # takes the name that the board had
    ready.pass_ms(30_000)
    ready.plug.plug()
    assert ready.plug.ports()[0].device != first
    ready.plug.write(line[17:])  # the rest of the torn line is no line
    ready.plug.beat(ready.now_ms)
    assert ready.ms_until(LinkState.READY) <= 3_000
    ready.plug.write(line)
    ready.pass_ms(100)
    assert [drop.pocket for drop in ready.drops] == [Pocket.RR]
    assert ready.health.rejected >= 1
    blocker.pull()


def test_a_drop_acknowledged_in_vain_before_the_cable_went_counts_once(ready):
    seen = ready.plug.drop(ready.now_ms)
    ready.pass_ms(100)
    ready.plug.pull()
    ready.pass_ms(1_000)
    ready.plug.plug()
    ready.pass_ms(2_000)
    ready.plug.send(seen)  # powered by something else: it has not started again
    ready.pass_ms(3_000)
    assert len(ready.drops) == 1
    assert seen.seq in ready.plug.hear()
    assert ready.health.resent == 1


def test_silence_is_absence_within_three_seconds_and_healed_when_it_speaks(ready):
    ready.pass_ms(3_000)
    assert ready.ms_until(LinkState.LOST, beats=False) <= 3_000
    assert "silent" in ready.health.detail
    assert ready.ms_until(LinkState.READY) <= 3_000


def test_a_port_that_never_says_anything_is_waiting_not_ready(world):
    world.plug.plug()
    world.pass_ms(1_000, beats=False)
    assert world.health.state is LinkState.OPENING
    world.pass_ms(5_000, beats=False)
    assert "silent" in world.health.detail


def test_a_reset_on_opening_with_its_boot_loader_is_waited_for(world):
    world.plug.plug()
    world.pass_ms(500, beats=False)
    world.plug.write(bytes(range(256)))
    world.pass_ms(2_000, beats=False)
    world.plug.hello(1)
    world.ms_until(LinkState.READY)
    assert world.health.opened == 1
    assert world.health.resets == 1


def test_a_reset_in_play_starts_clock_and_numbers_again(ready):
    ready.pass_ms(5_000)
    ready.plug.seq = 0
    ready.plug.hello(3)
    ready.pass_ms(100, beats=False)
    ready.plug.drop(500)
    ready.pass_ms(500, beats=False)
    (drop,) = ready.drops
    assert abs(drop.t_ns / MS - (ready.now_ms - 100 - 500 - 3 + 500)) < 110
    assert ready.health.resets == 2


def test_a_flood_of_garbage_costs_no_drop_and_does_not_hold_up_the_host(ready):
    generator = np.random.default_rng(3)
    for _ in range(40):
        ready.plug.write(generator.integers(0, 256, 3000, dtype=np.uint8).tobytes())
        ready.pass_ms(50, beats=False)
    seen = ready.plug.drop(ready.now_ms)
    ready.pass_ms(200)
    ready.plug.send(seen)
    ready.pass_ms(200)
    assert len(ready.drops) == 1
    assert ready.health.rejected > 100


def test_the_clock_wraps_unnoticed(ready):
    ready.now_ms = 2**32 - 30_000
    ready.plug.hello(ready.now_ms)
    ready.pass_ms(60_000)
    ready.plug.drop(ready.now_ms)
    ready.pass_ms(100, beats=False)
    (drop,) = ready.drops
    assert abs(drop.t_ns / MS - (ready.now_ms - 100)) < 60
    assert ready.health.resets == 2  # the greetings', none by the wrap


def test_lines_stolen_by_a_program_without_manners_are_resent_or_told(ready):
    thief = os.dup(ready.plug.slave)
    os.set_blocking(thief, False)
    stolen = ready.plug.drop(ready.now_ms)
    assert os.read(thief, 4096)
    for _ in range(60):
        ready.plug.beat(ready.now_ms)
        with contextlib.suppress(BlockingIOError):
            os.read(thief, 4096)
        ready.pass_ms(50, beats=False)
    assert ready.health.state is not LinkState.READY
    os.close(thief)
    ready.ms_until(LinkState.READY)
    ready.plug.send(stolen)
    ready.pass_ms(100)
    assert len(ready.drops) == 1


def test_a_second_reader_is_refused_in_one_line(ready):
    device = ready.plug.ports()[0].device
    with pytest.raises(DeviceAbsentError, match="another program reads the sensor board") as caught:
        open_board(device)
    assert "\n" not in str(caught.value)
    second = KeptBoard(device)
    assert second.poll(0) == []
    assert second.health(0).state is LinkState.ABSENT
    assert "another program" in second.health(0).detail
    ready.board.close()
    open_board(device).close()


def test_a_device_is_known_by_its_number_after_its_first_opening(world):
    world.plug.plug().hello(world.now_ms)
    world.board = KeptBoard(world.plug.ports()[0].device, world.plug.ports)
    world.ms_until(LinkState.READY)
    assert world.board.address == f"serial:{NUMBER}"


def test_a_name_by_id_is_followed_to_another_device(world, tmp_path):
    name = tmp_path / "usb-cuemarker-if00"
    world.board = KeptBoard(str(name), list)
    for _ in range(2):
        world.plug.plug().hello(world.now_ms)
        name.symlink_to(world.plug.ports()[0].device)
        assert world.ms_until(LinkState.READY) <= 3_000
        world.plug.pull()
        name.unlink()
        world.ms_until(LinkState.LOST, beats=False)


def test_a_board_behind_a_socket_is_kept_too():
    server = socket.create_server(("127.0.0.1", 0))
    board = keep_board(f"socket://127.0.0.1:{server.getsockname()[1]}")
    board.poll(0)
    connection, _ = server.accept()
    lines = encode(Hello(seq=0, board_ms=0, firmware="1.0", board_id="b", pockets=tuple(Pocket)))
    lines += b"".join(encode(DropSeen(seq=k, board_ms=1000 * k, pocket=Pocket.FL, blocked_ms=40)) for k in range(40))
    connection.sendall(lines)
    drops, now_ms = [], 0
    while len(drops) < 40 and now_ms < 100_000:
        now_ms += 10
        drops += board.poll(now_ms * MS)
    assert len(drops) == 40
    connection.close()
    board.poll((now_ms + 10) * MS)
    board.poll((now_ms + 20) * MS)
    assert board.health(now_ms * MS).state is LinkState.LOST
    server.close()
    board.close()


def test_two_boards_of_one_number_are_not_guessed_between():
    twice = [Port(device="/dev/ttyUSB0", serial_number="1"), Port(device="/dev/ttyUSB1", serial_number="1")]
    with pytest.raises(DeviceMisconfiguredError, match="by-path"):
        device_of("serial:1", lambda: twice)
    assert stable_address("/dev/null", lambda: [Port(device="/dev/null", serial_number="1"), *twice]) == "/dev/null"


@pytest.mark.parametrize("address", ["", "nonsense://x"])
def test_an_address_without_sense_is_refused_at_once(address):
    with pytest.raises(DeviceMisconfiguredError):
        keep_board(address)


def cycle(world, number):
    """One fault and its healing; a drop before, during where it can be, and after."""
    sent = []

    def drop():
        sent.append(world.plug.drop(world.now_ms, list(Pocket)[len(sent) % 6], 30 + number % 50))
        world.pass_ms(600)

    drop()
    match number % 5:
        case 0:
            world.plug.write(b"$CM,DR,7,")
            world.plug.pull()
            world.pass_ms(5_000)
            world.plug.plug()
        case 1:
            world.pass_ms(4_000, beats=False)
        case 2:
            world.plug.write(bytes(range(256)) * 8)
        case 3:
            world.plug.seq = 0
            world.plug.hello(world.now_ms)
        case 4:
            sent.append(world.plug.drop(world.now_ms))
            world.pass_ms(100)
            world.plug.send(sent[-1])
    world.plug.beat(world.now_ms)
    world.ms_until(LinkState.READY)
    world.pass_ms(1_000)
    drop()
    world.pass_ms(50_000, step_ms=500)
    return sent


def open_handles():
    return len(list(Path("/proc/self/fd").iterdir()))


def soak(world, cycles):
    sent = []
    for number in range(cycles):
        sent += cycle(world, number)
    return sent


@pytest.mark.parametrize("cycles", [20, pytest.param(600, marks=pytest.mark.nightly)])
def test_a_cycle_of_faults_loses_and_doubles_nothing_and_leaves_memory_and_handles_flat(ready, cycles, monkeypatch):
    """600 cycles of a minute each are ten hours of the table's time."""
    monkeypatch.setattr(logging.getLogger("hardware.boards.kept"), "disabled", True)  # pytest keeps every line
    sent = soak(ready, 15)
    gc.collect()
    handles, threads = open_handles(), threading.active_count()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    sent += soak(ready, cycles)
    counted = [(drop.pocket, drop.blocked_ms) for drop in ready.drops]
    assert counted == [(seen.pocket, seen.blocked_ms) for seen in sent]
    del counted
    ready.drops.clear()
    sent.clear()
    ready.plug.acknowledged.clear()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 100_000
    assert open_handles() == handles
    assert threading.active_count() == threads
