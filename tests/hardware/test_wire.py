import binascii
import itertools
import os
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.board import DropReader
from hardware.errors import ProtocolError
from hardware.signals import LinkState
from hardware.twins import twins
from hardware.wire import Acknowledgement, DropSeen, Heartbeat, Hello, LineSplitter, checksum, decode, encode
from scoring.table import Pocket

NUMBERS = {"seq": st.integers(0, 65535), "board_ms": st.integers(0, 2**32 - 1)}
WORDS = st.text("abcXYZ019._-", min_size=1, max_size=3)  # longer ones may have twins, see below
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
FUZZ_S = float(os.environ.get("CUEMARKER_FUZZ_S", "600"))
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
        assert not is_believed(damaged(line, wrong))


def damaged(line, bits):
    torn = bytearray(line)
    for bit in bits:
        torn[bit // 8] ^= 1 << bit % 8
    return torn.decode("ascii", errors="replace")


def is_believed(text):
    try:
        decode(text)
    except ProtocolError:
        return False
    return True


def flips_in_text(chars):
    """What one wrong bit does to the checksum, by its place counted from the text's end; digits change four bits."""
    return {
        (place, bit): binascii.crc_hqx(bytes([1 << bit]) + bytes(place), 0)
        for place in range(chars)
        for bit in range(4)
    }


def flips_in_checksum(count):
    """What so many wrong bits in any four hex digits do to the number that they write."""
    digits = b"0123456789ABCDEF"
    pairs = list(itertools.product(range(16), repeat=2))
    by_count = {n: {a ^ b for a, b in pairs if (digits[a] ^ digits[b]).bit_count() == n} for n in (1, 2)}
    single = {n: {change << 4 * place for change in by_count[n] for place in range(4)} for n in (1, 2)}
    if count == 1:
        return single[1]
    return single[2] | {a ^ b for a, b in itertools.product(single[1], repeat=2)}


def test_no_number_of_any_line_can_be_changed_by_three_bits():
    """Exhaustive over places: numbers stand within 40 signs of the checksum in drops, heartbeats and acknowledgements.

    Three wrong bits in the text alone are always found: the polynomial has the factor x + 1.
    """
    flips = flips_in_text(40)
    assert not set(flips.values()) & flips_in_checksum(2)
    two = {a ^ b for a, b in itertools.combinations(flips.values(), 2)}
    assert not two & flips_in_checksum(1)
    assert 0 not in two


@given(MESSAGES, st.data())
def test_every_error_of_up_to_three_bits_is_rejected(message, data):
    line = encode(message)[:-2]
    wrong = data.draw(st.sets(st.integers(0, 8 * len(line) - 1), min_size=1, max_size=3))
    assert not is_believed(damaged(line, wrong))


def test_a_greeting_that_three_bits_could_have_made_is_not_believed():
    """The same two greetings, three bits apart, each with its right checksum."""
    one = "$CM,HI,14207,124713501,1.0.1,cm-23,FL.FR.ML.MR.RL.RR*4C3E"
    other = "$CM,HI,54207,124713501,1.0.1,Cm-23,FL.FR.ML.MR.RL.RR*4C3D"
    assert checksum(one[1:-5]) == one[-4:]
    assert checksum(other[1:-5]) == other[-4:]
    assert sum((a ^ b).bit_count() for a, b in zip(one.encode(), other.encode(), strict=True)) == 3
    assert not is_believed(one)
    assert not is_believed(other)


def test_no_two_believed_greetings_are_three_bits_apart():
    generator = np.random.default_rng(4)
    apart = 0
    for number in range(60):
        board_id = "".join(generator.choice(list("abcdefgh-0123")) for _ in range(12))
        text = f"CM,HI,{number},{generator.integers(9999)},1.0,x{board_id},FL.FR.ML.MR.RL.RR"
        near = [f"${twin}*{checksum(twin)}" for twin in twins(text)]
        apart += len(near)
        assert not any(is_believed(twin) for twin in near) or not is_believed(f"${text}*{checksum(text)}")
    assert apart


@pytest.mark.parametrize("greeting", [("1.0", "cm-1"), ("1.0.0", "cm-17"), ("1.0", "CM-7"), ("virtual-1", "virtual")])
def test_greetings_of_short_words_are_believed(greeting):
    hello = Hello(seq=0, board_ms=1734, firmware=greeting[0], board_id=greeting[1], pockets=tuple(Pocket))
    assert is_believed(encode(hello).decode().strip())


@pytest.mark.parametrize("is_first_bit_low", [True, False])
def test_every_burst_of_up_to_16_bits_is_rejected(is_first_bit_low):
    """Every place and length, first and last bit wrong, the bits between sampled; in both orders of bits."""
    line = encode(DROP)[:-2]
    generator = np.random.default_rng(1)
    count = 0
    for length in range(1, 17):
        for start in range(8 * len(line) - length + 1):
            for _ in range(6):
                inner = [start + k for k in range(1, length - 1) if generator.random() < 0.5]
                bits = {start, start + length - 1, *inner}
                if not is_first_bit_low:
                    bits = {bit // 8 * 8 + 7 - bit % 8 for bit in bits}
                assert not is_believed(damaged(line, bits))
                count += 1
    assert count > 15_000


def test_no_burst_in_the_text_leaves_the_checksum_as_it_is():
    """Exhaustive: a burst of 16 bits touches three signs at most; none changes nothing, whatever the text around."""
    for start, pattern in itertools.product(range(8), range(1, 1 << 16, 2)):
        changed = (pattern << start).to_bytes(3, "little")
        if not any(byte & 0x80 for byte in changed):  # else it is no ASCII any more
            assert binascii.crc_hqx(changed, 0)


@pytest.mark.parametrize("byte", range(1, 256))
def test_any_change_of_one_byte_is_rejected(byte):
    line = encode(DROP)[:-2]
    for place in range(len(line)):
        torn = bytearray(line)
        torn[place] ^= byte
        assert not is_believed(torn.decode("ascii", errors="replace"))


@given(st.lists(st.one_of(st.binary(max_size=100), MESSAGES.map(encode)), max_size=8), st.integers(1, 60))
def test_the_parser_takes_anything_and_forgets_what_it_has_rejected(parts, size):
    stream = b"".join(parts)
    splitter = LineSplitter()
    messages = [m for start in range(0, len(stream), size) for m in splitter.feed(stream[start : start + size])]
    assert len(splitter._pending) <= 81
    for message in messages:
        assert encode(message) in stream


@pytest.mark.nightly
@pytest.mark.timeout(FUZZ_S + 300)
def test_ten_minutes_of_torn_streams_give_no_exception():
    """Lines cut, doubled, mixed and with wrong bytes, and what is still read of them: `CUEMARKER_FUZZ_S=600`."""
    seed = int(os.environ.get("CUEMARKER_FUZZ_SEED", str(time.time_ns() % 10**9)))
    print(f"CUEMARKER_FUZZ_SEED={seed}")  # noqa: T201 -- pytest shows it when the test fails
    generator = np.random.default_rng(seed)
    splitter, reader, end_s, fed, now_ms = LineSplitter(), DropReader(), time.monotonic() + FUZZ_S, 0, 0
    while time.monotonic() < end_s:
        now_ms += int(generator.integers(0, 50))
        piece = bytearray(encode(any_message(generator, now_ms)))
        for _ in range(generator.integers(0, 4)):
            piece[generator.integers(len(piece))] = generator.integers(256)
        piece = piece[generator.integers(0, 5) :] if generator.random() < 0.3 else piece
        piece = piece + piece[: generator.integers(len(piece))] if generator.random() < 0.1 else piece
        cut = int(generator.integers(len(piece) + 1))
        for part in (piece[:cut], piece[cut:]):
            reader.read(splitter.feed(bytes(part)), now_ms * 1_000_000)
        fed += 1
    health = reader.health(now_ms * 1_000_000, LinkState.READY, rejected=splitter.rejected)
    print(f"{fed} lines fed, {reader.messages} understood, {splitter.rejected} rejected")  # noqa: T201
    assert health.rejected > fed / 10
    assert reader.messages > fed / 10


def any_message(generator, now_ms):
    """One of the board's lines, with numbers from everywhere."""
    head = {"seq": int(generator.integers(1 << 16)), "board_ms": now_ms % (1 << 32)}
    if generator.random() < 0.01:
        head["board_ms"] = int(generator.integers(1 << 32))
    match generator.integers(4):
        case 0:
            return Hello(**head, firmware="1.0", board_id="b", pockets=tuple(generator.permutation(list(Pocket))))
        case 1:
            states = tuple([False, True, None][k] for k in generator.integers(0, 3, 6))
            return Heartbeat(**head, uptime_s=int(generator.integers(1 << 32)), blocked=states)
        case 2:
            pocket = list(Pocket)[generator.integers(6)]
            return DropSeen(**head, pocket=pocket, blocked_ms=int(generator.integers(1 << generator.integers(1, 33))))
        case _:
            return Acknowledgement(**head, acknowledged=int(generator.integers(1 << 16)))


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
