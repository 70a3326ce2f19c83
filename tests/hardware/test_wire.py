import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.errors import ProtocolError
from hardware.wire import Acknowledgement, DropSeen, Heartbeat, Hello, LineSplitter, checksum, decode, encode
from scoring.table import Pocket

NUMBERS = {"seq": st.integers(0, 65535), "board_ms": st.integers(0, 2**32 - 1)}
WORDS = st.text("abcXYZ019._-", min_size=1, max_size=8)
MESSAGES = st.one_of(
    st.builds(Hello, **NUMBERS, firmware=WORDS, board_id=WORDS, pockets=st.permutations(list(Pocket)).map(tuple)),
    st.builds(
        Heartbeat,
        **NUMBERS,
        uptime_s=st.integers(0, 10**9),
        blocked=st.tuples(*[st.sampled_from([True, False, None])] * 6),
    ),
    st.builds(DropSeen, **NUMBERS, pocket=st.sampled_from(Pocket), blocked_ms=st.integers(0, 60_000)),
    st.builds(Acknowledgement, **NUMBERS, acknowledged=st.integers(0, 65535)),
)
DROP = DropSeen(seq=7, board_ms=123456, pocket=Pocket.RL, blocked_ms=42)


def test_checksum_is_crc_16_ccitt_false():
    assert checksum("123456789") == "29B1"


def test_a_drop_is_written_as_the_contract_says():
    text = "CM,DR,7,123456,RL,42"
    assert encode(DROP) == f"${text}*{checksum(text)}\r\n".encode()


@given(MESSAGES)
def test_every_message_round_trips_within_80_characters(message):
    line = encode(message)
    assert len(line) <= 82
    assert decode(line.decode().removesuffix("\r\n")) == message


@given(st.lists(MESSAGES, max_size=4), st.integers(1, 40))
def test_a_stream_gives_the_same_messages_however_it_is_split(messages, size):
    stream = b"".join(map(encode, messages))
    splitter = LineSplitter()
    got = [m for start in range(0, len(stream), size) for m in splitter.feed(stream[start : start + size])]
    assert got == messages
    assert splitter.rejected == 0


@given(st.binary(max_size=200))
def test_garbage_gives_nothing_and_the_next_line_is_still_read(garbage):
    splitter = LineSplitter()
    assert splitter.feed(garbage) == []
    assert splitter.feed(b"\r\n" + encode(DROP)) == [DROP]


def test_every_error_of_one_or_two_bits_is_rejected():
    line = encode(DROP)[:-2]
    bits = range(8 * len(line))
    for wrong in itertools.chain(itertools.combinations(bits, 1), itertools.combinations(bits, 2)):
        damaged = bytearray(line)
        for bit in wrong:
            damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ProtocolError):
            decode(damaged.decode("ascii", errors="replace"))


@pytest.mark.parametrize(
    "text",
    [
        "CM,DR,7,123456,RL",
        "CM,DR,65536,1,RL,42",
        "CM,DR,07,1,RL,42",
        "CM,DR,7,4294967296,RL,42",
        "CM,DR,7,1,XX,42",
        "CM,DR,7,1,RL,-4",
        "CM,HB,1,1,5,2",
        "CM,HB,1,1,5,",
        "CM,HI,1,1,1.0,board,FL.FL",
        "CM,HI,1,1,,board,FL",
        "CM,ZZ,1,1,2",
        "CM",
    ],
)
def test_a_right_checksum_does_not_excuse_an_impossible_field(text):
    with pytest.raises(ProtocolError):
        decode(f"${text}*{checksum(text)}")


def test_a_line_that_never_ends_is_dropped_and_counted_once():
    splitter = LineSplitter()
    assert splitter.feed(b"$CM" + b"x" * 500) == []
    assert splitter.rejected == 1
    assert splitter.feed(encode(DROP)) == [DROP]
