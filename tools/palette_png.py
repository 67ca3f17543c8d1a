"""Reduce a PNG picture to a palette of 256 colours, which makes a screenshot less than half as large."""

from __future__ import annotations

import struct
import sys
import zlib
from collections import Counter
from collections.abc import Iterator

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS_MAX = 256
_CHANNELS = {2: 3, 6: 4}
"""The bytes of a pixel, by colour type: RGB, and RGB with alpha."""
Colour = tuple[int, int, int]


def with_palette(picture: bytes) -> bytes:
    """Return an opaque 8-bit PNG with at most 256 colours, and the nearest of them for all others."""
    width, height, channels, data = _read(picture)
    pixels = [_colours(line, channels) for line in _lines(data, width * channels, channels)]
    counts = Counter(colour for line in pixels for colour in line)
    palette = list(_palette(counts))
    number_of = {colour: number for number, colour in enumerate(palette)}
    for colour in counts.keys() - number_of.keys():
        number_of[colour] = min(range(len(palette)), key=lambda number: _distance(palette[number], colour))
    lines = b"".join(b"\0" + bytes(number_of[colour] for colour in line) for line in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = (("IHDR", header), ("PLTE", bytes(part for colour in palette for part in colour)),
              ("IDAT", zlib.compress(lines, 9)), ("IEND", b""))  # fmt: skip
    return SIGNATURE + b"".join(_chunk(kind.encode(), content) for kind, content in chunks)


def _palette(counts: Counter[Colour]) -> Iterator[Colour]:
    """Yield colours that are frequent and differ from those before, so that a rare hue keeps its own colours."""
    (chosen, _), *_ = counts.most_common(1)
    nearest = dict.fromkeys(counts, sys.maxsize)
    for _ in range(min(COLOURS_MAX, len(counts))):
        yield chosen
        for colour, distance in nearest.items():
            if distance:
                nearest[colour] = min(distance, _distance(colour, chosen))
        chosen = max(nearest, key=lambda colour: nearest[colour] * counts[colour] ** 0.5)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _read(picture: bytes) -> tuple[int, int, int, bytes]:
    """Return the width, the height, the bytes of a pixel and the filtered lines of an RGB picture."""
    width, height, depth, kind = struct.unpack(">IIBB", picture[16:26])
    assert depth == 8, "a browser writes 8 bits per channel"
    data, place = b"", len(SIGNATURE)
    while place < len(picture):
        (size,) = struct.unpack(">I", picture[place : place + 4])
        if picture[place + 4 : place + 8] == b"IDAT":
            data += picture[place + 8 : place + 8 + size]
        place += size + 12
    return width, height, _CHANNELS[kind], zlib.decompress(data)


def _lines(data: bytes, size: int, channels: int) -> Iterator[bytes]:
    """Yield the lines of a picture without their filters."""
    above = bytearray(size)
    for start in range(0, len(data), size + 1):
        line = bytearray(data[start + 1 : start + 1 + size])
        kind = data[start]
        for place in range(size if kind else 0):
            left = line[place - channels] if place >= channels else 0
            corner = above[place - channels] if place >= channels else 0
            line[place] = (line[place] + _predicted(kind, left, above[place], corner)) & 255
        above = line
        yield bytes(line)


def _predicted(kind: int, left: int, up: int, corner: int) -> int:
    if kind == 1:
        return left
    if kind == 2:
        return up
    if kind == 3:
        return (left + up) // 2
    return min((left, up, corner), key=lambda each: abs(left + up - corner - each))


def _colours(line: bytes, channels: int) -> list[Colour]:
    return list(zip(line[::channels], line[1::channels], line[2::channels], strict=True))


def _distance(one: Colour, other: Colour) -> int:
    return sum((first - second) ** 2 for first, second in zip(one, other, strict=True))
