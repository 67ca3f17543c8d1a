from __future__ import annotations

import random
import struct
import zlib

import pytest

from tools.palette_png import COLOURS_MAX, SIGNATURE, _lines, _read, with_palette

Colour = tuple[int, int, int]


def filtered(kind: int, line: bytes, above: bytes, channels: int) -> bytes:
    """Return a line with one of the five filters of PNG."""
    shown = bytearray([kind])
    for place, value in enumerate(line):
        left = line[place - channels] if place >= channels else 0
        up, corner = above[place], above[place - channels] if place >= channels else 0
        distances = [(abs(left + up - corner - each), number) for number, each in enumerate((left, up, corner))]
        paeth = (left, up, corner)[min(distances)[1]]
        shown.append((value - (0, left, up, (left + up) // 2, paeth)[kind]) & 255)
    return bytes(shown)


def png(rows: list[list[Colour]], channels: int) -> bytes:
    """Return an RGB or RGBA picture that uses every filter."""
    alpha = b"\xff" * (channels - 3)
    lines = [b"".join(bytes(colour) + alpha for colour in row) for row in rows]
    above = [bytes(len(lines[0])), *lines[:-1]]
    data = b"".join(
        filtered(number % 5, line, before, channels)
        for number, (line, before) in enumerate(zip(lines, above, strict=True))
    )
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2 if channels == 3 else 6, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(data)), (b"IEND", b""))
    return SIGNATURE + b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in chunks
    )


def colours_of(picture: bytes) -> list[list[Colour]]:
    """Return the colours of a picture with a palette."""
    place = picture.index(b"PLTE")
    (size,) = struct.unpack(">I", picture[place - 4 : place])
    palette = [tuple(picture[place + 4 + each : place + 7 + each]) for each in range(0, size, 3)]
    place = picture.index(b"IDAT")
    (size,) = struct.unpack(">I", picture[place - 4 : place])
    width, _ = struct.unpack(">II", picture[16:24])
    data = zlib.decompress(picture[place + 4 : place + 4 + size])
    return [[palette[each] for each in line] for line in _lines(data, width, 1)]  # type: ignore[misc]  # three bytes


@pytest.mark.parametrize("channels", [3, 4])
def test_a_palette_png_of_few_colours_keeps_every_pixel(channels: int) -> None:
    chance = random.Random(channels)
    known = [(chance.randrange(256), chance.randrange(256), chance.randrange(256)) for _ in range(40)]
    rows = [[chance.choice(known) for _ in range(17)] for _ in range(23)]
    assert colours_of(with_palette(png(rows, channels))) == rows


def test_a_palette_png_keeps_a_rare_hue() -> None:
    greys = [(each % 200, each % 200, each // 4 % 200) for each in range(3 * COLOURS_MAX)]
    rows = [[*greys, *greys, (200, 20, 20)]]
    (found,) = colours_of(with_palette(png(rows, 3)))
    assert found[-1] == (200, 20, 20)
    assert len(set(found)) == COLOURS_MAX


def test_a_palette_png_is_made_only_of_pictures_with_8_bits() -> None:
    picture = png([[(1, 2, 3)]], 3)
    with pytest.raises(AssertionError, match="8 bits"):
        _read(picture[:24] + b"\x10" + picture[25:])
