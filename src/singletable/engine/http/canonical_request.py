"""Signature Version 4 without its rules of refusal: the canonical form of a request, and its signature."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from urllib.parse import quote, unquote_to_bytes

from singletable.engine.http.message import Request
from singletable.wire.signing import Scope, Signing

_UNRESERVED = "-_.~"

Query = Sequence[tuple[str, str]]


def query_of(request: Request) -> Query:
    """The query of a request's URL, decoded, in the order it was written in."""
    _, _, query = request.url.partition(b"?")
    pairs = (part.partition(b"=") for part in query.split(b"&") if part)
    return [(_decoded(name), _decoded(value)) for name, _, value in pairs]


def _decoded(text: bytes) -> str:
    # Bytes that are no UTF-8 survive the way there and back, so that whoever signed them is still believed.
    return unquote_to_bytes(text).decode("utf-8", "surrogateescape")


def signature(secret: str, moment: str, scope: Scope, request: Request, query: Query, signed: Sequence[str]) -> str:
    """The signature that the owner of the secret gives this request, over the headers named in `signed`."""
    canonical = _canonical(request, query, signed)
    return Signing(secret, moment, scope).signature(canonical)


def _canonical(request: Request, query: Query, signed: Sequence[str]) -> bytes:
    path, _, _ = request.url.partition(b"?")
    pairs = sorted((_encoded(name), _encoded(value)) for name, value in query if name != "X-Amz-Signature")
    headers = b"".join(b"%b:%b\n" % (name, _trimmed(request, name)) for name in map(_header_name, signed))
    return b"\n".join(
        (
            request.method,
            quote(path, safe="/~").encode(),
            "&".join(f"{name}={value}" for name, value in pairs).encode(),
            headers,
            ";".join(signed).encode(),
            hashlib.sha256(request.body).hexdigest().encode(),
        )
    )


def _header_name(name: str) -> bytes:
    return name.encode("latin-1", "replace")


def _trimmed(request: Request, name: bytes) -> bytes:
    return b" ".join(request.headers.get(name, b"").split())


def _encoded(text: str) -> str:
    return quote(text, safe=_UNRESERVED, errors="surrogateescape")
