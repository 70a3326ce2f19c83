"""A board that resends and a host that acknowledges, over a line that tears: each drop once, in order, at its time."""

import os
import pty
import threading
import time
from collections import deque

import numpy as np
import pytest

from hardware.boards.serial import SerialBoard, open_board
from hardware.wire import Acknowledgement, DropSeen, Heartbeat, Hello, LineSplitter, encode
from scoring.table import Pocket

MS = 1_000_000


class ModelBoard:
    """What a board does: greets, beats, and resends its oldest drop until it is acknowledged."""

    def __init__(self, *, boot_ms=0, resend_ms=200):
        self.seq, self.next_beat_ms, self.boot_ms, self.resend_ms = 0, 1000, boot_ms, resend_ms
        self.waiting, self.sent_ms, self.splitter = deque(), None, LineSplitter()
        self.greeting = True

    def head(self, now_ms):
        seq, self.seq = self.seq, (self.seq + 1) % 65536
        return {"seq": seq, "board_ms": (self.boot_ms + now_ms) % 2**32}

    def falls(self, pocket, now_ms, blocked_ms=40):
        self.waiting.append(DropSeen(**self.head(now_ms), pocket=pocket, blocked_ms=blocked_ms))

    def step(self, now_ms, received):
        """Bytes from the host in, bytes for it out."""
        for message in self.splitter.feed(received):
            is_mine = isinstance(message, Acknowledgement) and self.waiting
            if is_mine and message.acknowledged == self.waiting[0].seq:
                self.waiting.popleft()
                self.sent_ms = None
        out = b""
        if self.greeting:
            self.greeting = False
            out += encode(Hello(**self.head(now_ms), firmware="1.0", board_id="cm-1", pockets=tuple(Pocket)))
        if now_ms >= self.next_beat_ms:
            self.next_beat_ms += 1000
            out += encode(Heartbeat(**self.head(now_ms), uptime_s=now_ms // 1000, blocked=(False,) * 6))
        if self.waiting and (self.sent_ms is None or now_ms - self.sent_ms >= self.resend_ms):
            self.sent_ms = now_ms
            out += encode(self.waiting[0])
        return out


class MemoryPort:
    """The part of a serial port that a board needs, in memory."""

    port = "memory"

    def __init__(self):
        self.to_host, self.to_board = bytearray(), bytearray()

    def read(self, size):
        got = bytes(self.to_host[:size])
        del self.to_host[:size]
        return got

    def write(self, data):
        self.to_board += data


class Noise:
    """One byte in a hundred is another one."""

    def __init__(self, share, seed):
        self.share, self.generator = share, np.random.default_rng(seed)

    def __call__(self, data):
        if not data:
            return data
        torn = np.frombuffer(data, np.uint8).copy()
        hit = self.generator.random(len(torn)) < self.share
        torn[hit] ^= self.generator.integers(1, 256, hit.sum(), dtype=np.uint8)
        return torn.tobytes()


def test_at_one_per_cent_noise_ten_thousand_drops_arrive_once_each_in_order_at_their_times():
    """Simulated time; noise both ways; the board's clock wraps on the way and runs 0.2 % fast."""
    count, step_ms, every_ms = 10_000, 20, 420
    port, noise = MemoryPort(), Noise(0.01, 1)
    host, board = SerialBoard(port), ModelBoard(boot_ms=2**32 - 1_000_000)
    pockets, sent_ns, drops, now_ms = list(Pocket), [], [], 0
    while len(drops) < count:
        now_ms += step_ms
        board_ms = round(now_ms * 1.002)
        if len(sent_ns) < count and now_ms >= every_ms * (len(sent_ns) + 1):
            board.falls(pockets[len(sent_ns) % 6], board_ms, 30 + len(sent_ns) % 50)
            sent_ns.append(now_ms * MS)
        back = noise(bytes(port.to_board))
        port.to_board.clear()
        port.to_host += noise(board.step(board_ms, back))
        drops += host.poll(now_ms * MS)
        assert now_ms < 2 * every_ms * count, f"only {len(drops)} drops have arrived"
    assert [(d.pocket, d.blocked_ms) for d in drops] == [(pockets[k % 6], 30 + k % 50) for k in range(count)]
    assert host.splitter.rejected > count / 10
    assert host.reader.resent > 100
    errors_ms = np.abs([drop.t_ns - at_ns for drop, at_ns in zip(drops, sent_ns, strict=True)][100:]) / MS
    assert errors_ms.max() < 10


def test_over_a_real_terminal_with_noise_drops_arrive_once_each_in_order():
    """A pseudo-terminal, a board in its own thread, wrong bytes both ways; a resend every 15 ms to be quick."""
    count = 300
    master, slave = pty.openpty()
    os.set_blocking(master, False)
    host, board, noise = open_board(os.ttyname(slave)), ModelBoard(resend_ms=15), Noise(0.01, 2)
    is_over = threading.Event()

    def work():
        for number in range(count):  # far apart in the board's time: as many as can fall
            board.falls(list(Pocket)[number % 6], 1000 * number, 30 + number % 50)
        start_s = time.monotonic()
        while not is_over.is_set():
            try:
                received = os.read(master, 4096)
            except BlockingIOError:
                received = b""
            out = noise(board.step(round(1000 * (time.monotonic() - start_s)), noise(received)))
            if out:
                os.write(master, out)
            time.sleep(0.001)

    worker = threading.Thread(target=work)
    worker.start()
    try:
        drops, end_s = [], time.monotonic() + 60
        while len(drops) < count and time.monotonic() < end_s:
            drops += host.poll(time.monotonic_ns())
            time.sleep(0.001)
        time.sleep(0.05)
        drops += host.poll(time.monotonic_ns())
    finally:
        is_over.set()
        worker.join()
        host.close()
        os.close(master)
        os.close(slave)
    assert [(d.pocket, d.blocked_ms) for d in drops] == [(list(Pocket)[k % 6], 30 + k % 50) for k in range(count)]
    assert host.splitter.rejected


@pytest.mark.parametrize("seed", range(3))
def test_bytes_that_are_lost_or_doubled_cost_nothing_but_time(seed):
    """A line that swallows and repeats bytes, as a port without flow control does."""
    generator = np.random.default_rng(seed)

    def tear(data):
        return b"".join(bytes([byte]) * generator.choice(3, p=[0.005, 0.99, 0.005]) for byte in data)

    port, count = MemoryPort(), 200
    host, board = SerialBoard(port), ModelBoard()
    drops, now_ms, fallen = [], 0, 0
    while len(drops) < count and now_ms < 1_000_000:
        now_ms += 20
        if fallen < count and now_ms >= 420 * (fallen + 1):
            board.falls(list(Pocket)[fallen % 6], now_ms, 30 + fallen % 50)
            fallen += 1
        back = tear(bytes(port.to_board))
        port.to_board.clear()
        port.to_host += tear(board.step(now_ms, back))
        drops += host.poll(now_ms * MS)
    assert [d.blocked_ms for d in drops] == [30 + k % 50 for k in range(count)]
