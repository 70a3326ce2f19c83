"""The board's own program in the simulator simavr: beams on its pins, its serial line at the real host code."""

import os
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from hardware.boards.serial import SerialBoard
from hardware.firmware.wiring import FIRST_PIN, wiring_svg
from hardware.signals import BeamState
from hardware.wire import Acknowledgement, DropSeen, Heartbeat, Hello, LineSplitter, encode
from scoring.table import Pocket

FIRMWARE = Path(__file__).parents[2] / "hardware" / "firmware"
HARNESS = Path(__file__).parent / "firmware" / "simulator.c"
POCKETS = list(Pocket)
MS = 1_000_000


def missing_tools():
    """What has to be installed before the board's program can be built and simulated."""
    missing = [tool for tool in ("make", "cc", "avr-g++", "avr-objcopy") if shutil.which(tool) is None]
    if not Path("/usr/include/simavr/sim_avr.h").exists():
        missing.append("libsimavr-dev")
    return ", ".join(missing)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The board's program and the simulator, built once."""
    if missing := missing_tools():
        message = f"the firmware cannot be built or simulated without {missing}; install gcc-avr avr-libc libsimavr-dev"
        if os.environ.get("CUEMARKER_REQUIRE_FIRMWARE") == "1":
            pytest.fail(message)
        pytest.skip(message)
    folder = tmp_path_factory.mktemp("firmware")
    for command in (
        ["make", "-C", str(FIRMWARE), f"BUILD={folder}"],
        ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", str(folder / "simulator"), str(HARNESS), "-lsimavr"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return folder


class Nano:
    """A simulated board: its time is told by whoever runs it; `read` and `write` are its end of the serial line."""

    port = "simavr"

    def __init__(self, folder, noise=lambda data: data):
        command = [str(folder / "simulator"), str(folder / "sensors.elf")]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.now_us, self.broken, self.cut, self.noise = 0, 0, 0, noise
        self.to_board, self.to_host = b"", b""

    def run(self, duration_ms):
        self.now_us += round(1000 * duration_ms)
        data, self.to_board = self.noise(self.to_board), b""
        self.to_host += self.noise(self.tell(f"run {self.now_us} {self.broken} {self.cut} {data.hex() or '-'}"))

    def tell(self, line):
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        assert answer not in {"", "crashed"}, "the board's program has crashed"
        return b"" if answer == "-" else bytes.fromhex(answer)

    def read(self, size):
        got, self.to_host = self.to_host[:size], self.to_host[size:]
        return got

    def write(self, data):
        self.to_board += data

    def beam(self, pocket, *, broken):
        bit = 1 << POCKETS.index(pocket)
        self.broken = self.broken | bit if broken else self.broken & ~bit

    def pulse(self, pocket, duration_ms):
        self.beam(pocket, broken=True)
        self.run(duration_ms)
        self.beam(pocket, broken=False)

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


@pytest.fixture
def nano(built):
    board = Nano(built)
    yield board
    board.close()


def messages(nano):
    return LineSplitter().feed(nano.read(1_000_000))


def drops(nano):
    return [message for message in messages(nano) if isinstance(message, DropSeen)]


def acknowledge(nano, seq):
    nano.write(encode(Acknowledgement(seq=1, board_ms=77, acknowledged=seq)))


def test_the_program_fits_the_board(built):
    sizes = subprocess.run(["avr-size", built / "sensors.elf"], capture_output=True, text=True, check=True).stdout
    text, data, bss = (int(number) for number in sizes.splitlines()[1].split()[:3])
    assert text + data < 30_000  # flash, beside a boot loader
    assert data + bss < 1_600  # of 2048, the rest for the stack


def test_it_greets_and_beats_every_second(nano):
    nano.run(5_100)
    hello, *beats = messages(nano)
    assert hello == Hello(seq=0, board_ms=0, firmware="1.0", board_id="cm-1", pockets=tuple(POCKETS))
    assert all(isinstance(beat, Heartbeat) for beat in beats)
    assert [beat.uptime_s for beat in beats] == [1, 2, 3, 4, 5]
    assert [beat.seq for beat in beats] == [1, 2, 3, 4, 5]
    assert all(abs(beat.board_ms - 1000 * beat.uptime_s) <= 1 for beat in beats)


@pytest.mark.parametrize("pocket", POCKETS)
def test_a_ball_is_told_with_its_pocket_instant_and_length(nano, pocket):
    nano.run(1_500)
    nano.pulse(pocket, 43)
    nano.run(100)
    (seen,) = drops(nano)
    assert seen.pocket is pocket
    assert abs(seen.board_ms - 1_500) <= 1
    assert abs(seen.blocked_ms - 43) <= 1


@pytest.mark.parametrize("duration_ms", [0.4, 1, 2, 4])
def test_a_flicker_is_no_ball(nano, duration_ms):
    nano.run(100)
    for _ in range(50):
        nano.pulse(Pocket.ML, duration_ms)
        nano.run(5)
    nano.run(300)
    assert drops(nano) == []


@pytest.mark.parametrize("duration_ms", [6, 12, 30, 250, 3000])
def test_anything_as_long_as_a_ball_is_told(nano, duration_ms):
    nano.run(100)
    nano.pulse(Pocket.ML, duration_ms)
    nano.run(30)
    (seen,) = drops(nano)
    assert abs(seen.blocked_ms - duration_ms) <= 1


def test_a_break_with_a_glint_in_it_is_one_ball(nano):
    nano.run(100)
    for _ in range(3):
        nano.pulse(Pocket.RL, 12)
        nano.run(5)
    nano.run(50)
    (seen,) = drops(nano)
    assert abs(seen.blocked_ms - 46) <= 1


def test_six_balls_at_once_are_told_in_turn(nano):
    nano.run(100)
    nano.broken = 0b111111
    nano.run(40)
    nano.broken = 0
    told = []
    for _ in range(200):
        nano.run(5)
        for seen in drops(nano):
            told.append(seen)
            acknowledge(nano, seen.seq)
    assert [seen.pocket for seen in told] == POCKETS
    assert {seen.board_ms for seen in told} == {told[0].board_ms}


def test_a_drop_is_resent_every_200_ms_unchanged_until_it_is_acknowledged(nano):
    nano.run(100)
    nano.pulse(Pocket.FR, 40)
    nano.run(1_010)
    told = drops(nano)
    assert len(told) == 6  # at once, and after 200, 400, 600, 800 and 1000 ms
    assert len(set(told)) == 1
    acknowledge(nano, told[0].seq + 1)  # another one's
    nano.run(400)
    assert len(drops(nano)) == 2
    acknowledge(nano, told[0].seq)
    nano.run(1_000)
    assert drops(nano) == []


def test_a_torn_acknowledgement_is_none(nano):
    nano.run(100)
    nano.pulse(Pocket.FR, 40)
    nano.run(50)
    (seen,) = drops(nano)
    line = encode(Acknowledgement(seq=1, board_ms=77, acknowledged=seen.seq))
    for place in range(len(line) - 2):
        nano.write(line[:place] + bytes([line[place] ^ 1]) + line[place + 1 :])
    nano.run(500)
    assert drops(nano)
    nano.write(b"$CM,AK,9,$CM" + line)
    nano.run(500)
    messages(nano)
    nano.run(500)
    assert drops(nano) == []


def test_drops_wait_for_a_host_that_is_away_and_come_in_their_order(nano):
    nano.run(100)
    for number in range(30):
        nano.pulse(POCKETS[number % 6], 30 + number)
        nano.run(60)
    messages(nano)
    told = []
    for _ in range(1_000):
        nano.run(10)
        for seen in drops(nano):
            told += [seen] if seen not in told else []
            acknowledge(nano, seen.seq)
    assert len(told) == 30
    assert [seen.board_ms for seen in told] == sorted(seen.board_ms for seen in told)
    assert [seen.blocked_ms for seen in told] == [pytest.approx(30 + number, abs=1) for number in range(30)]


def test_after_more_than_sixty_four_the_oldest_are_forgotten_not_the_newest(nano):
    nano.run(100)
    for number in range(70):
        nano.pulse(POCKETS[number % 6], 20 + number)
        nano.run(30)
    messages(nano)
    told = []
    for _ in range(1_000):
        nano.run(10)
        for seen in drops(nano):
            told += [seen] if seen not in told else []
            acknowledge(nano, seen.seq)
    assert [seen.blocked_ms for seen in told[-64:]] == [pytest.approx(26 + number, abs=1) for number in range(64)]


def test_a_beam_whose_wire_is_cut_is_a_fault_within_its_test_and_well_when_mended(nano):
    nano.cut = 1 << POCKETS.index(Pocket.MR)
    nano.run(4_000)
    assert messages(nano)[-1].blocked == tuple(None if pocket is Pocket.MR else False for pocket in POCKETS)
    nano.cut = 0
    nano.run(11_000)
    told = messages(nano)
    assert told[-1].blocked == (False,) * 6
    assert not [message for message in told if isinstance(message, DropSeen)]


def test_a_board_without_a_light_switch_makes_no_test_and_finds_no_fault(nano):
    nano.cut = 1 << 6  # the jumper
    nano.run(13_000)
    assert messages(nano)[-1].blocked == (False,) * 6


def test_a_ball_during_the_self_test_is_not_lost(nano):
    """The light goes out at 2 s, 12 s and so on; balls fall just before, in, and after it."""
    starts_ms = [1_990, 12_003, 22_006, 32_008]
    told = []
    for start_ms in starts_ms:
        nano.run(start_ms - nano.now_us / 1000)
        nano.pulse(Pocket.ML, 35)
        nano.run(100)
        for seen in set(drops(nano)):
            told.append(seen)
            acknowledge(nano, seen.seq)
    assert [seen.board_ms for seen in told] == [pytest.approx(start_ms, abs=10) for start_ms in starts_ms]


def test_a_program_that_hangs_is_started_again_by_the_watchdog(nano):
    nano.run(3_000)
    messages(nano)
    nano.tell("hang")
    nano.run(400)
    assert messages(nano) == []
    nano.run(3_000)
    hello, *beats = messages(nano)
    assert isinstance(hello, Hello)
    assert [beat.uptime_s for beat in beats] == [1, 2]
    nano.pulse(Pocket.FL, 40)
    nano.run(50)
    assert len(drops(nano)) == 1


def test_garbage_from_the_host_does_not_disturb_it(nano):
    generator = np.random.default_rng(5)
    for _ in range(100):
        nano.write(generator.integers(0, 256, 100, dtype=np.uint8).tobytes())
        nano.run(30)
    messages(nano)
    nano.pulse(Pocket.FL, 40)
    nano.run(1_100)
    told = messages(nano)
    assert any(isinstance(message, DropSeen) for message in told)
    assert [message.uptime_s for message in told if isinstance(message, Heartbeat)][-1] == 4


def run_with_host(nano, host, duration_ms, step_ms=10):
    """Board and host together: the host's clock started long before the board's."""
    got = []
    for _ in range(round(duration_ms / step_ms)):
        nano.run(step_ms)
        got += host.poll((7_000_000 + nano.now_us // 1000) * MS)
    return got


def test_the_host_finds_stuck_and_inverted_beams_of_the_real_program(nano):
    host = SerialBoard(nano)
    run_with_host(nano, host, 1_500)
    nano.beam(Pocket.RR, broken=True)  # something lies in it
    nano.beam(Pocket.FL, broken=True)  # wired the wrong way round
    got = run_with_host(nano, host, 8_000)
    nano.beam(Pocket.FL, broken=False)
    got += run_with_host(nano, host, 50)
    nano.beam(Pocket.FL, broken=True)
    got += run_with_host(nano, host, 2_000)
    states = {beam.pocket: beam.state for beam in host.health((7_000_000 + nano.now_us // 1000) * MS).beams}
    assert states[Pocket.RR] is BeamState.STUCK
    assert states[Pocket.FL] is BeamState.INVERTED
    assert got == []


def play(nano, host, duration_s, seed):
    """Balls fall at random instants for so long; what fell, and what the host heard."""
    generator = np.random.default_rng(seed)
    fell, heard = [], []
    while nano.now_us < duration_s * 1_000_000:
        pause_ms = float(generator.integers(300, 3_000))
        heard += run_with_host(nano, host, pause_ms, 20)
        pocket, length_ms = POCKETS[len(fell) % 6], int(generator.integers(15, 90))
        fell.append((7_000_000 * MS + nano.now_us * 1000, pocket, length_ms))
        nano.pulse(pocket, length_ms)
    heard += run_with_host(nano, host, 3_000, 20)
    return fell, heard


@pytest.mark.parametrize(
    "duration_s", [120, pytest.param(3600, marks=[pytest.mark.nightly, pytest.mark.timeout(3000)])]
)
def test_board_and_host_lose_double_and_shuffle_nothing_over_a_noisy_line(built, duration_s):
    """One byte in a hundred wrong in both directions; times are right within ten milliseconds from half a minute on.

    A ball that falls while the board tests its beams, 7 ms of every ten seconds, seems so much shorter.
    """
    generator = np.random.default_rng(8)

    def noise(data):
        torn = np.frombuffer(data, np.uint8).copy()
        hit = generator.random(len(torn)) < 0.01
        torn[hit] ^= generator.integers(1, 256, hit.sum(), dtype=np.uint8)
        return torn.tobytes()

    nano = Nano(built, noise)
    host = SerialBoard(nano)
    fell, heard = play(nano, host, duration_s, 6)
    nano.close()
    assert [drop.pocket for drop in heard] == [pocket for _, pocket, _ in fell]
    shorter_ms = np.array([length_ms - drop.blocked_ms for drop, (_, _, length_ms) in zip(heard, fell, strict=True)])
    assert shorter_ms.min() >= -1
    assert shorter_ms.max() <= 8
    assert (shorter_ms > 1).mean() < 0.02
    late_ns = [drop.t_ns - at_ns for drop, (at_ns, _, _) in zip(heard, fell, strict=True)]
    settled = [abs(late) for late, (at_ns, _, _) in zip(late_ns, fell, strict=True) if at_ns - fell[0][0] > 30_000 * MS]
    assert max(settled) < (10 + 7) * MS
    assert np.percentile(settled, 99) < 10 * MS
    assert len(fell) >= duration_s / 2.5
    assert host.splitter.rejected


def test_the_wiring_diagram_in_the_documentation_is_the_one_that_the_code_draws():
    assert (FIRMWARE.parents[1] / "docs" / "sensors-wiring.svg").read_text(encoding="utf-8") == wiring_svg()


def test_the_wiring_diagram_names_the_pins_that_the_program_reads():
    picture = ET.fromstring(wiring_svg())
    words = {element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert {f"{pocket} receiver" for pocket in POCKETS} | {f"D{pin}" for pin in range(2, 9)} <= words
    source = (FIRMWARE / "clock.hpp").read_text(encoding="utf-8")
    assert f"kFirstPin = {FIRST_PIN};" in source
