"""Beams that misbehave are quarantined and told; the board's clock is fitted under jitter and drift."""

import numpy as np
import pytest

from hardware.board import DropReader
from hardware.clock import BoardClock
from hardware.signals import BeamState, LinkState
from hardware.wire import DropSeen, Heartbeat, Hello
from scoring.table import Pocket

MS = 1_000_000
S = 1000 * MS


class Board:
    """Tells a reader what a board would, second by second; beams by pocket."""

    def __init__(self):
        self.reader, self.now_ms, self.seq, self.drops = DropReader(), 0, 0, []

    def head(self, at_ms):
        self.seq += 1
        return {"seq": self.seq, "board_ms": at_ms}

    def tell(self, message):
        self.drops += self.reader.read([message], self.now_ms * MS)

    def greet(self):
        self.tell(Hello(**self.head(self.now_ms), firmware="1.0", board_id="cm-1", pockets=tuple(Pocket)))

    def seconds(self, count, **states):
        for _ in range(count):
            self.now_ms += 1000
            blocked = tuple(states.get(pocket.value, False) for pocket in Pocket)
            self.tell(Heartbeat(**self.head(self.now_ms), uptime_s=self.now_ms // 1000, blocked=blocked))

    def drop(self, pocket, blocked_ms=45):
        self.tell(DropSeen(**self.head(self.now_ms - blocked_ms), pocket=pocket, blocked_ms=blocked_ms))

    def health(self):
        return self.reader.health(self.now_ms * MS, LinkState.READY, rejected=0)

    def state(self, pocket):
        return next(beam.state for beam in self.health().beams if beam.pocket is pocket)


@pytest.fixture
def board():
    told = Board()
    told.greet()
    told.seconds(3)
    return told


def test_beams_that_are_clear_are_well(board):
    assert board.health().is_well
    assert board.health().detail == ""
    assert (board.health().firmware, board.health().board_id) == ("1.0", "cm-1")


def test_nothing_is_known_of_a_beam_before_the_board_has_spoken():
    assert {beam.state for beam in DropReader().health(0, LinkState.ABSENT, rejected=0).beams} == {BeamState.UNKNOWN}


def test_a_ball_in_the_beam_is_not_stuck_yet(board):
    board.seconds(2, ML=True)
    assert board.state(Pocket.ML) is BeamState.BLOCKED
    assert board.health().is_well


def test_a_beam_blocked_too_long_is_stuck_and_told_by_its_pocket(board):
    board.seconds(6, ML=True)
    assert board.state(Pocket.ML) is BeamState.STUCK
    assert not board.health().is_well
    assert "ML stuck" in board.health().detail


def test_a_stuck_beam_is_believed_again_when_it_is_clear(board):
    board.seconds(20, ML=True)
    board.drop(Pocket.ML, 20_000)  # the end of the long break: no ball
    board.seconds(1)
    board.drop(Pocket.ML)
    assert [drop.blocked_ms for drop in board.drops] == [45]
    assert board.state(Pocket.ML) is BeamState.CLEAR


def test_a_chattering_beam_is_withheld_until_it_has_been_calm(board):
    for _ in range(40):
        board.now_ms += 100
        board.drop(Pocket.FR, 6)
    assert len(board.drops) == 3
    assert board.state(Pocket.FR) is BeamState.CHATTERING
    board.seconds(9)
    assert board.state(Pocket.FR) is BeamState.CHATTERING
    board.seconds(2)
    assert board.state(Pocket.FR) is BeamState.CLEAR
    board.drop(Pocket.FR)
    assert len(board.drops) == 4
    beam = next(beam for beam in board.health().beams if beam.pocket is Pocket.FR)
    assert (beam.drops, beam.withheld) == (4, 37)


def test_of_a_chattering_beam_only_the_first_word_is_not_doubtful_at_once_and_later_none_is(board):
    for _ in range(40):
        board.now_ms += 100
        board.drop(Pocket.FR, 45)
    assert [drop.confidence for drop in board.drops] == [1.0, 0.6, 0.6]
    board.seconds(12)
    board.drop(Pocket.FR)
    assert board.drops[-1].confidence == 0.6  # it has been calm for a while; it is heard, not believed
    board.seconds(400)
    board.drop(Pocket.FR)
    assert board.drops[-1].confidence == 1.0
    for _ in range(40):
        board.now_ms += 100
        board.drop(Pocket.FR, 45)
    assert board.state(Pocket.FR) is BeamState.CHATTERING
    assert len(board.drops) == 7


def test_of_many_drops_within_a_minute_none_is_lost_and_the_later_ones_are_in_doubt(board):
    for _ in range(30):
        board.seconds(4)
        board.drop(Pocket.FR)
    assert [drop.confidence == 1.0 for drop in board.drops] == [True] * 8 + [False] * 22
    assert board.state(Pocket.FR) is BeamState.CLEAR


@pytest.mark.parametrize("trouble", ["stuck", "chattering", "inverted"])
def test_a_board_that_is_well_is_deaf_at_no_pocket_and_one_with_a_broken_beam_there(board, trouble):
    assert board.health().deaf == frozenset()
    if trouble == "chattering":
        for _ in range(10):
            board.now_ms += 100
            board.drop(Pocket.ML)
    else:
        board.seconds(6, ML=True)
        if trouble == "inverted":
            board.drop(Pocket.ML, 6_000)
            board.seconds(1, ML=True)
    assert board.state(Pocket.ML) is BeamState(trouble)
    assert board.health().deaf == {Pocket.ML}
    assert DropReader().health(0, LinkState.LOST, rejected=0).deaf == set(Pocket)


def test_one_chattering_beam_does_not_silence_the_others(board):
    for _ in range(40):
        board.now_ms += 100
        board.drop(Pocket.FR, 6)
    board.drop(Pocket.RL)
    assert board.drops[-1].pocket is Pocket.RL


def test_three_balls_at_once_into_one_pocket_are_believed(board):
    for _ in range(3):
        board.now_ms += 300
        board.drop(Pocket.RR)
    assert len(board.drops) == 3
    assert board.health().is_well


def test_an_inverted_beam_gives_no_drops_and_is_told(board):
    board.seconds(10, RL=True)
    for _ in range(4):
        board.drop(Pocket.RL, 9_000)  # a ball makes it clear for a moment: the end of a long break
        board.seconds(9, RL=True)
    assert board.drops == []
    assert board.state(Pocket.RL) is BeamState.INVERTED
    board.drop(Pocket.RL, 500)  # two balls in short order
    assert board.drops == []
    assert "RL inverted" in board.health().detail


def test_an_inverted_beam_that_is_wired_right_is_believed_again(board):
    board.seconds(10, RL=True)
    board.drop(Pocket.RL, 10_000)
    board.seconds(3, RL=True)
    assert board.state(Pocket.RL) is BeamState.INVERTED
    board.seconds(12)
    assert board.state(Pocket.RL) is BeamState.CLEAR
    board.drop(Pocket.RL)
    assert len(board.drops) == 1


def test_a_fault_that_the_board_tells_is_told(board):
    board.seconds(1, FL=None)
    board.drop(Pocket.FL)
    assert board.drops == []
    assert board.state(Pocket.FL) is BeamState.FAULT


def test_a_break_unlike_a_balls_is_less_sure(board):
    board.drop(Pocket.FL, 1)
    board.drop(Pocket.FR, 45)
    board.drop(Pocket.ML, 2500)
    assert [drop.confidence for drop in board.drops] == [0.6, 1.0, 0.6]


def test_a_reset_is_known_by_the_uptime_when_the_greeting_was_torn(board):
    board.seconds(600)
    before = board.reader.resets
    board.tell(Heartbeat(**board.head(1_000), uptime_s=1, blocked=(False,) * 6))
    assert board.reader.resets == before + 1
    board.tell(DropSeen(seq=1, board_ms=900, pocket=Pocket.ML, blocked_ms=40))
    assert board.drops[-1].t_ns == board.now_ms * MS - 100 * MS


def test_a_drop_that_is_resent_with_the_time_of_saying_it_counts_once(board):
    board.tell(DropSeen(seq=9, board_ms=2000, pocket=Pocket.ML, blocked_ms=40))
    board.tell(DropSeen(seq=9, board_ms=2200, pocket=Pocket.ML, blocked_ms=40))
    assert len(board.drops) == 1
    assert board.health().resent == 1


def fitted_errors_ms(*, drift, delays_s, wander=0.0, seconds=400, seed=0):
    """How wrong the clock is about instants between heartbeats, from half a minute on."""
    generator, clock = np.random.default_rng(seed), BoardClock()
    board_ms, host_s, errors = 4_294_900_000.0, 1000.0, []
    for second in range(seconds):
        drift += wander
        clock.received(int(board_ms) % 2**32, round((host_s + delays_s(generator)) * 1e9))
        later_s = generator.uniform(0, 1)
        at_ns = clock.host_ns(int(board_ms + 1000 * later_s) % 2**32)
        if second >= 30:
            errors.append(at_ns / 1e6 - 1000 * (host_s + later_s * (1 + drift)))
        board_ms += 1000
        host_s += 1 + drift
    return np.abs(errors)


@pytest.mark.parametrize("drift", [0.0, 0.0002, -0.0002, 0.005, -0.005])
@pytest.mark.parametrize(
    "delays_s",
    [
        lambda generator: generator.uniform(0.001, 0.020),
        lambda generator: 0.001 + generator.exponential(0.010),
        lambda generator: generator.uniform(0.001, 0.006) + (generator.random() < 0.1) * generator.exponential(0.3),
    ],
    ids=["even", "tailed", "spiky"],
)
def test_the_boards_clock_is_fitted_within_ten_milliseconds(drift, delays_s):
    """A quartz and a ceramic resonator, across the wrap, with the delays of USB adapters and of a busy host."""
    assert fitted_errors_ms(drift=drift, delays_s=delays_s).max() < 10


def test_a_resonator_that_warms_up_is_followed():
    errors = fitted_errors_ms(drift=0.001, wander=2e-6, delays_s=lambda generator: generator.uniform(0.001, 0.020))
    assert errors.max() < 10


def test_the_drift_is_told():
    clock = BoardClock()
    for second in range(60):
        clock.received(1000 * second, round(1.002 * second * S))
    assert clock.drift == pytest.approx(0.002, rel=0.01)
    assert clock.host_ns(60_500) == pytest.approx(1.002 * 60.5 * S, abs=2 * MS)
