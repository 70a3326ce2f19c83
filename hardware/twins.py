"""Finds lines that three wrong bits could turn into another line with a right checksum.

The checksum alone finds every error of up to three bits only where it stands as bits. In a line it stands as text:
one wrong bit makes an `E` of a `D`, which changes two bits of the number, and two more in the fields can hide that.
No drop, heartbeat or acknowledgement has room for it; a greeting with its free words has.
"""

import binascii
import itertools
from collections.abc import Iterator

_START = 0xFFFF
_HEX = frozenset(b"0123456789ABCDEF")
_CHECKSUM_CHARS = 4
_TEXT_BITS = range(7)


def twins(text: str) -> Iterator[str]:
    """All texts (what stands between `$` and `*`) within three bits of this one, their checksums' bits counted.

    The checksums of both are meant to be right. Texts with signs that end or begin a line are left out.
    """
    plain = text.encode("ascii")
    own = binascii.crc_hqx(plain, _START)
    flips: dict[int, list[tuple[int, int]]] = {}
    for place, bit in itertools.product(range(len(plain)), _TEXT_BITS):
        if _is_printable(plain[place] ^ 1 << bit):
            flips.setdefault(_change(len(plain), place, bit), []).append((place, bit))
    for change in _changes(own, 2):
        for flip in flips.get(change, ()):
            yield _flipped(plain, flip)
    for change in _changes(own, 1):
        for first_change, firsts in flips.items():
            for first, second in itertools.product(firsts, flips.get(first_change ^ change, ())):
                if first < second:
                    yield _flipped(plain, first, second)


def _is_printable(byte: int) -> bool:
    return 0x20 <= byte < 0x7F and byte not in b"$*"


def _change(length: int, place: int, bit: int) -> int:
    """What one wrong bit in a text changes in its checksum; the checksum is linear, so nothing else matters."""
    return binascii.crc_hqx(bytes([1 << bit]) + bytes(length - 1 - place), 0)


def _changes(checksum: int, bits: int) -> Iterator[int]:
    """What so many wrong bits in the written checksum change in its number."""
    written = f"{checksum:04X}".encode("ascii")
    for wrong in itertools.combinations(range(_CHECKSUM_CHARS * len(_TEXT_BITS)), bits):
        torn = bytearray(written)
        for bit in wrong:
            torn[bit // len(_TEXT_BITS)] ^= 1 << bit % len(_TEXT_BITS)
        if _HEX.issuperset(torn):
            yield int(torn, 16) ^ checksum


def _flipped(plain: bytes, *flips: tuple[int, int]) -> str:
    torn = bytearray(plain)
    for place, bit in flips:
        torn[place] ^= 1 << bit
    return torn.decode("ascii")
