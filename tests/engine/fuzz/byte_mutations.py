"""Mutations of the bytes of a request: flipped, truncated, repeated, replaced, or completely random."""

from __future__ import annotations

from tests.engine.oracle.seeded_choices import SeededChoices

PIECES = (
    b"\x00",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\\u0000",
    b"\\ud800",
    b'"',
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"null",
    b"true",
    b"NaN",
    b"-",
    b"1e999999",
    b"1E400",
    b"0123",
    b"9" * 5_000,
    b"[" * 3_000,
    b'{"a":' * 3_000,
    b" " * 10_000,
    b"/**/",
    b"'",
)


def mutate(chance: SeededChoices, body: bytes) -> bytes:
    """Return the body with one change."""
    if not body or chance.one_in(30):
        return bytes(chance.below(256) for _ in chance.times(0, 60))
    at = chance.below(len(body))
    to = min(len(body), at + 1 + chance.below(12))
    match chance.below(7):
        case 0:
            return body[:at] + bytes([body[at] ^ (1 << chance.below(8))]) + body[at + 1 :]
        case 1:
            return body[:at] + body[to:]
        case 2:
            return body[:to] + body[at:]
        case 3:
            return body[:at]
        case 4:
            return body[:at] + bytes([chance.below(256)]) + body[to:]
        case 5:
            return body[:at] + chance.pick(PIECES) + body[to:]
        case _:
            return body[:at] + chance.pick(PIECES) + body[at:]
