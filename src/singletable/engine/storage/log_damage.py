"""Finds a changed bit in a write-ahead log. SQLite does not distinguish it from the torn end of an interrupted write.

After a crash, SQLite reads the log up to the first frame with a wrong checksum and discards the rest, because the last
frames may be incomplete. If bit rot has changed a frame in the middle, this would lose confirmed writes without an
error. The checksum is a linear function of the words of a frame, so the effect of a single changed bit on it is known.
If one changed bit explains a wrong checksum, the log is damaged. Any other wrong checksum is a torn end.

The format of the log and its checksum are described at sqlite.org/fileformat2.html, "The Write-Ahead Log".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import BinaryIO

_MASK = 0xFFFFFFFF
_MAGIC = {0x377F0682: "<", 0x377F0683: ">"}
_HEADER = struct.Struct(">8I")
_FRAME_HEADER = struct.Struct(">6I")
_CHECKED_HEADER_BYTES = 24
_CHECKED_FRAME_HEADER_BYTES = 8
_BITS_OF_BYTE = 8
_WORD_BITS = 32

Checksum = tuple[int, int]


def log_damage(path: Path) -> str | None:
    """Return the place in the log where one bit was changed after it was written, such as `frame 3`.

    Return None for an intact log, and for a wrong checksum that one changed bit does not explain.
    """
    try:
        with path.open("rb") as log:
            return _damage(log)
    except FileNotFoundError:
        return None


def _damage(log: BinaryIO) -> str | None:
    header = log.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return None
    if not _is_header(header):
        return next((f"header, byte {at}" for at, fixed in _with_one_bit_flipped(header) if _is_header(fixed)), None)
    magic, _, page_bytes, _, *salts, first, second = _HEADER.unpack(header)
    order, checksum = _MAGIC[magic], (first, second)
    number = 0
    while len(frame := log.read(_FRAME_HEADER.size + page_bytes)) == _FRAME_HEADER.size + page_bytes:
        number += 1
        stored_salts, stored = list(_FRAME_HEADER.unpack_from(frame)[2:4]), _FRAME_HEADER.unpack_from(frame)[4:]
        if stored_salts != salts and _bit_count(stored_salts, salts) != 1:
            return None  # the frame is from an earlier use of the file
        words = _words(frame[:_CHECKED_FRAME_HEADER_BYTES] + frame[_FRAME_HEADER.size :], order)
        computed = _checksum(words, checksum)
        is_damaged = stored_salts != salts if computed == stored else _is_one_bit_off(words, computed, stored)
        if is_damaged:
            return f"frame {number}"
        if computed != stored:
            return None
        checksum = computed
    return None


def _is_header(header: bytes) -> bool:
    order = _MAGIC.get(int.from_bytes(header[:4], "big"))
    if order is None:
        return False
    return _checksum(_words(header[:_CHECKED_HEADER_BYTES], order), (0, 0)) == _HEADER.unpack(header)[6:]


def _with_one_bit_flipped(data: bytes) -> Iterator[tuple[int, bytes]]:
    for at in range(len(data)):
        for bit in range(_BITS_OF_BYTE):
            yield at, data[:at] + bytes((data[at] ^ 1 << bit,)) + data[at + 1 :]


def _words(data: bytes, order: str) -> tuple[int, ...]:
    return struct.unpack(f"{order}{len(data) // 4}I", data)


def _checksum(words: tuple[int, ...], start: Checksum) -> Checksum:
    first, second = start
    pairs = iter(words)
    for even, odd in zip(pairs, pairs, strict=True):
        first = (first + even + second) & _MASK
        second = (second + odd + first) & _MASK
    return first, second


def _is_one_bit_off(words: tuple[int, ...], computed: Checksum, stored: Checksum) -> bool:
    """Return whether one changed bit, in the words or in the stored checksum, explains why the checksums differ."""
    if _bit_count(computed, stored) == 1:
        return True
    first, second = ((a - b) & _MASK for a, b in zip(computed, stored, strict=True))
    for word, (weight_in_first, weight_in_second) in zip(words, _weights(len(words)), strict=True):
        for bit in range(_WORD_BITS):
            change = 1 << bit if word >> bit & 1 else -(1 << bit)
            if change * weight_in_second & _MASK == second and change * weight_in_first & _MASK == first:
                return True
    return False


@cache
def _weights(count: int) -> list[Checksum]:
    """Return how often each word of a frame counts in the two sums of the checksum.

    These are Fibonacci numbers, because each of the two sums is added to the other one in turn.
    """
    weights = [(0, 1), (1, 1)]
    while len(weights) < count:
        (before, last) = weights[-1]
        weights.append((last, (before + last) & _MASK))
    return weights[:count][::-1]


def _bit_count(left: tuple[int, ...] | list[int], right: tuple[int, ...] | list[int]) -> int:
    return sum((a ^ b).bit_count() for a, b in zip(left, right, strict=True))
