"""What is done to the bytes of a trace. The same generator gives the same damage."""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Callable

EXTREMES = (
    0,
    1,
    -1,
    2**15 - 1,
    2**16 - 1,
    2**31 - 1,
    2**32 - 1,
    2**53,
    2**62,
    2**63 - 1,
    -(2**63),
    10**9,
    10**15,
    10**18,
)
"""Numbers at which counts, sizes, CPUs, threads and stamps go wrong."""
MOST = 8
"""Mutations of one file, at most."""

Mutation = Callable[[random.Random, bytearray], None]


def mutated(chosen: random.Random, data: bytes) -> bytes:
    """The bytes with one to MOST mutations."""
    out = bytearray(data)
    kinds = [*MUTATIONS, *([decimal] * 4 if is_text(data) else [])]
    for _ in range(chosen.choice((1, 1, 1, 2, 3, 5, MOST))):
        if out:
            chosen.choice(kinds)(chosen, out)
    return bytes(out)


def is_text(data: bytes) -> bool:
    """Numbers are written in digits."""
    return b"\0" not in data[:4096]


def _place(chosen: random.Random, data: bytearray) -> int:
    """Anywhere, the head of the file more often: that is where sizes stand."""
    return chosen.randrange(min(len(data), 1024) if chosen.random() < 0.3 else len(data))


def bit(chosen: random.Random, data: bytearray) -> None:
    """One bit is another."""
    data[_place(chosen, data)] ^= 1 << chosen.randrange(8)


def byte(chosen: random.Random, data: bytearray) -> None:
    """One byte is another."""
    data[_place(chosen, data)] = chosen.choice((0, 0xFF, 0x7F, 0x80, chosen.randrange(256)))


def number(chosen: random.Random, data: bytearray) -> None:
    """A number of 2, 4 or 8 bytes, aligned as a rule, is an extreme one."""
    width = chosen.choice((2, 4, 8))
    at = _place(chosen, data)
    if chosen.random() < 0.8:
        at -= at % width
    value = chosen.choice(EXTREMES) & ((1 << (8 * width)) - 1)
    written = value.to_bytes(width, chosen.choice(("little", "little", "big")))
    data[at : at + width] = written[: len(data) - at]


def stamp(chosen: random.Random, data: bytearray) -> None:
    """Eight bytes that may be a time are one a good deal later or earlier."""
    at = _place(chosen, data) & ~7
    if at + 8 <= len(data):
        (value,) = struct.unpack_from("<q", data, at)
        moved = value + chosen.choice((1, -1)) * 10 ** chosen.randrange(9, 19)
        struct.pack_into("<q", data, at, moved if -(2**63) <= moved < 2**63 else chosen.choice((2**62, -(2**62))))


def decimal(chosen: random.Random, data: bytearray) -> None:
    """A number in digits is another one."""
    found = list(re.finditer(rb"\d+", bytes(data[: 1 << 16])))
    if found:
        match = chosen.choice(found)
        digits = chosen.choice(
            (
                str(chosen.choice(EXTREMES)),
                match[0].decode() + "0" * chosen.randrange(1, 12),
                str(chosen.randrange(10**12)),
            )
        )
        data[match.start() : match.end()] = digits.encode()


def cut(chosen: random.Random, data: bytearray) -> None:
    """The file ends early."""
    del data[_place(chosen, data) :]


def removed(chosen: random.Random, data: bytearray) -> None:
    """A piece is missing."""
    at = _place(chosen, data)
    del data[at : at + 1 + chosen.randrange(64 if chosen.random() < 0.7 else 8192)]


def repeated(chosen: random.Random, data: bytearray) -> None:
    """A piece stands at another place too."""
    at = _place(chosen, data)
    piece = data[at : at + 1 + chosen.randrange(256 if chosen.random() < 0.7 else 8192)]
    to = _place(chosen, data)
    data[to:to] = bytes(piece) * chosen.choice((1, 1, 2, 16))


def swapped(chosen: random.Random, data: bytearray) -> None:
    """Two pieces of one length change places."""
    length = 1 + chosen.randrange(256)
    a, b = sorted((_place(chosen, data), _place(chosen, data)))
    if a + length <= b and b + length <= len(data):
        data[a : a + length], data[b : b + length] = data[b : b + length], data[a : a + length]


def noise(chosen: random.Random, data: bytearray) -> None:
    """A piece is noise."""
    at = _place(chosen, data)
    length = min(1 + chosen.randrange(64), len(data) - at)
    data[at : at + length] = chosen.randbytes(length)


MUTATIONS: tuple[Mutation, ...] = (bit, byte, number, number, stamp, stamp, cut, removed, repeated, swapped, noise)
