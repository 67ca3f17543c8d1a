"""Compression as DynamoDB does it: large answers when the client asks for it, gzipped requests always."""

from __future__ import annotations

import zlib
from functools import lru_cache

from singletable.engine.http.message import Request

# Captured against the service: shorter answers are never compressed.
COMPRESSED_BYTES_MIN = 4096
# The quickest level: the loop answers nobody else meanwhile, and the network is a loopback most of the time.
_LEVEL = 1
_GZIP_WINDOW = 31
_CODINGS = ("gzip", "deflate")


class NotDecodable(Exception):
    """A request whose body is not what its Content-Encoding says."""


class TooLarge(Exception):
    """A request whose body is longer, once decoded, than a request may be."""


@lru_cache(maxsize=64)
def chosen_coding(accept_encoding: bytes) -> str | None:
    """The coding that an Accept-Encoding header asks for: the best weighted of gzip and deflate, or None for neither.

    Captured against the service: the first of equal weights wins, `identity` is passed over whatever its weight, a
    weight above 1 and one that cannot be read count as 1, and of several weights the first holds.
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
    """The body in a coding."""
    return zlib.compress(body, _LEVEL, _GZIP_WINDOW if coding == "gzip" else zlib.MAX_WBITS)


def decoded_body(request: Request, bytes_max: int) -> bytes:
    """The body without its Content-Encoding; raises NotDecodable or TooLarge."""
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
    """One gzip member, and what follows it: a body may be several, one after another."""
    decoder = zlib.decompressobj(_GZIP_WINDOW)
    try:
        part = decoder.decompress(data, bytes_max + 1)
    except zlib.error as problem:
        raise NotDecodable from problem
    if len(part) > bytes_max:
        raise TooLarge
    if not decoder.eof:
        raise NotDecodable
    return part, decoder.unused_data
