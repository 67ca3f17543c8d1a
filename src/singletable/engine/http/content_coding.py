"""Compresses large responses if the client accepts it, and decompresses requests, as DynamoDB does."""

from __future__ import annotations

import zlib
from functools import lru_cache

from singletable.engine.http.http_messages import HttpRequest

# DynamoDB never compresses shorter responses (captured from AWS).
COMPRESSED_BYTES_MIN = 4096
# The fastest compression level, because compression blocks the event loop and most clients run on the same machine.
_LEVEL = 1
_GZIP_WINDOW = 31
_CODINGS = ("gzip", "deflate")
# Clients send one gzip member. Each member needs a new decoder, so a body of many empty members would take seconds.
_MEMBERS_MAX = 1000
_FIRST_PIECE_BYTES = 512


class NotDecodable(Exception):
    """Raised when the body of a request does not match its Content-Encoding."""


class TooLarge(Exception):
    """Raised when the decoded body of a request exceeds the size limit."""


@lru_cache(maxsize=64)
def chosen_coding(accept_encoding: bytes) -> str | None:
    """Return the coding with the highest weight in an Accept-Encoding header: gzip, deflate, or None for neither.

    Captured from AWS: of two codings with equal weights, the first one is used. `identity` is always ignored. A weight
    that is not a number or is above 1 counts as 1. If an entry has several weights, the first one counts; if a coding
    has several entries, the largest weight counts.
    """
    weights = _weights(accept_encoding.decode("latin-1"))
    if (rest := weights.pop("*", 0.0)) > 0:
        for coding in _CODINGS:
            weights.setdefault(coding, rest)
    best = max((weight for coding, weight in weights.items() if coding in _CODINGS), default=0.0)
    return next((c for c, weight in weights.items() if c in _CODINGS and weight == best), None) if best > 0 else None


def _weights(text: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    for part in text.lower().split(","):
        coding, _, parameters = part.partition(";")
        _, given, weight = parameters.partition("q=")
        number = _weight(weight.partition(";")[0]) if given else 1.0
        coding = coding.strip()
        weights[coding] = max(number, weights.get(coding, 0.0))
    return weights


def _weight(text: str) -> float:
    try:
        return max(0.0, min(float(text), 1.0))
    except ValueError:
        return 1.0


def compressed(body: bytes, coding: str) -> bytes:
    """Return the compressed body."""
    return zlib.compress(body, _LEVEL, _GZIP_WINDOW if coding == "gzip" else zlib.MAX_WBITS)


def decoded_body(request: HttpRequest, bytes_max: int) -> bytes:
    """Return the decoded body of a request. Raise NotDecodable or TooLarge if this is not possible."""
    coding = request.headers[b"content-encoding"].strip().lower()
    if coding in (b"", b"identity"):
        return request.body
    if coding == b"gzip":
        return _gunzipped(request.body, bytes_max)
    if coding == b"deflate":
        return _inflated(request.body, bytes_max)
    raise NotDecodable


def _gunzipped(data: bytes, bytes_max: int) -> bytes:
    """Decode the gzip members of a body, one after the other."""
    parts: list[bytes] = []
    start, room = 0, bytes_max
    while start < len(data) or not parts:
        if len(parts) == _MEMBERS_MAX:
            raise NotDecodable
        part, start = _member(data, start, room)
        room -= len(part)
        parts.append(part)
    return b"".join(parts)


def _member(data: bytes, start: int, bytes_max: int) -> tuple[bytes, int]:
    """Decode the gzip member at a position. Return its content and the position after it.

    The decoder gets pieces of increasing size, because it copies all bytes after the end of the member.
    """
    decoder, parts, room, piece_bytes = zlib.decompressobj(_GZIP_WINDOW), [], bytes_max, _FIRST_PIECE_BYTES
    while start < len(data):
        piece = data[start : start + piece_bytes]
        part = _decompressed(decoder, piece, room)
        parts.append(part)
        room -= len(part)
        start += len(piece)
        if decoder.eof:
            return b"".join(parts), start - len(decoder.unused_data)
        piece_bytes *= 2
    raise NotDecodable


def _inflated(data: bytes, bytes_max: int) -> bytes:
    """Decode a `deflate` body: a zlib stream or, from some clients, a raw deflate stream."""
    is_zlib = len(data) >= 2 and data[0] & 0x0F == zlib.DEFLATED and (data[0] << 8 | data[1]) % 31 == 0
    decoder = zlib.decompressobj(zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS)
    body = _decompressed(decoder, data, bytes_max)
    if not decoder.eof or decoder.unused_data:
        raise NotDecodable
    return body


def _decompressed(decoder: zlib._Decompress, data: bytes, bytes_max: int) -> bytes:
    try:
        part = decoder.decompress(data, bytes_max + 1)
    except zlib.error as error:
        raise NotDecodable from error
    if len(part) > bytes_max:
        raise TooLarge
    return part
