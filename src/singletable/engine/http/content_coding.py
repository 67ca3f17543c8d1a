"""Compression like DynamoDB's: compresses large responses if the client accepts it, and decompresses gzip requests."""

from __future__ import annotations

import zlib
from functools import lru_cache

from singletable.engine.http.http_messages import HttpRequest

# Captured against the service: it never compresses shorter responses.
COMPRESSED_BYTES_MIN = 4096
# The fastest level: compression blocks the event loop, and most clients run on the same machine.
_LEVEL = 1
_GZIP_WINDOW = 31
_CODINGS = ("gzip", "deflate")


class NotDecodable(Exception):
    """The body of a request does not match its Content-Encoding."""


class TooLarge(Exception):
    """The decoded body of a request exceeds the size limit."""


@lru_cache(maxsize=64)
def chosen_coding(accept_encoding: bytes) -> str | None:
    """Return the coding with the highest weight in an Accept-Encoding header: gzip, deflate, or None for neither.

    Captured against the service: the first of equal weights wins, `identity` is ignored whatever its weight, a
    weight above 1 or an unreadable weight counts as 1, and the first of several weights counts.
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
    """Return the decoded body; raise NotDecodable or TooLarge."""
    coding = request.headers[b"content-encoding"].strip().lower()
    if coding in (b"", b"identity"):
        return request.body
    if coding != b"gzip":
        raise NotDecodable
    parts: list[bytes] = []
    rest, room = request.body, bytes_max
    while rest or not parts:
        part, rest = _member(rest, room)
        room -= len(part)
        parts.append(part)
    return b"".join(parts)


def _member(data: bytes, bytes_max: int) -> tuple[bytes, bytes]:
    """Return one decoded gzip member and the remaining bytes: a body may consist of several members."""
    decoder = zlib.decompressobj(_GZIP_WINDOW)
    try:
        part = decoder.decompress(data, bytes_max + 1)
    except zlib.error as error:
        raise NotDecodable from error
    if len(part) > bytes_max:
        raise TooLarge
    if not decoder.eof:
        raise NotDecodable
    return part, decoder.unused_data
