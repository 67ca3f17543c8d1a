"""NextToken: the position of the next page, signed and bound to its statement, parameters and store."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any, NamedTuple

import msgspec

from singletable.engine.signed_tokens import SignedTokens
from singletable.engine.tables.stored_table import Item
from singletable.errors import RequestRefused, invalid
from singletable.wire.decoders import decoder_of

_KIND = "NextToken"
_encode = msgspec.json.Encoder(order="deterministic").encode


class TokenContent(msgspec.Struct, frozen=True, array_like=True):
    """The content of a token: the digest of its request, the read to continue, and the last key of that read."""

    request: bytes
    read: int
    key: Item


class Continuation(NamedTuple):
    """The verified position of a token: the read to continue, and the last key of that read."""

    read: int
    key: Item


_decode = decoder_of(TokenContent).decode


def request_digest(text: str, parameters: list[Any] | None) -> bytes:
    """Return the digest that binds a token to a statement and its parameters, but not to Limit or ConsistentRead."""
    return hashlib.sha256(_encode([text, parameters])).digest()


def encode_next_token(tokens: SignedTokens, digest: bytes, read: int, key: Item) -> str:
    """Return the token of a position."""
    return tokens.sign(_KIND, _encode(TokenContent(digest, read, key)))


def decode_next_token(tokens: SignedTokens, digest: bytes, token: str) -> Continuation:
    """Return the position of a token; raise if it is invalid or belongs to another request."""
    content = tokens.verify(_KIND, token)
    if content is None:
        raise invalid_token()
    decoded = _decode(content)
    if not hmac.compare_digest(decoded.request, digest):
        raise invalid("NextToken does not match request")
    return Continuation(decoded.read, decoded.key)


def invalid_token() -> RequestRefused:
    """Return the error for an invalid token."""
    return invalid("Invalid NextToken")
