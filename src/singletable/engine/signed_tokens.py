"""Signed tokens that clients receive and send back, such as shard iterators and the NextToken of a SELECT."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from singletable.engine.tables.stored_table import Item
from singletable.errors import RequestRefused, invalid
from singletable.wire.api_types import decoder_of

_SIGNATURE_BYTES = 16
_PAGE_KIND = "NextToken"
_encode = msgspec.json.Encoder(order="deterministic").encode


class SignedTokens:
    """Signs and verifies tokens with the secret of a store. The secret is read when it is first used."""

    def __init__(self, secret: Callable[[], bytes]) -> None:
        self._read_secret = secret
        self._secret: bytes | None = None

    def sign(self, kind: str, payload: bytes) -> str:
        """Return a signed token that contains a payload. `verify` accepts the token only for the same `kind`."""
        return base64.urlsafe_b64encode(self._signature(kind, payload) + payload).decode("ascii")

    def verify(self, kind: str, token: str) -> bytes | None:
        """Return the payload of a token, or None if the token was not signed for this kind."""
        try:
            signed = base64.b64decode(token.encode("ascii"), altchars=b"-_", validate=True)
        except (binascii.Error, UnicodeEncodeError):
            return None
        signature, payload = signed[:_SIGNATURE_BYTES], signed[_SIGNATURE_BYTES:]
        return payload if hmac.compare_digest(signature, self._signature(kind, payload)) else None

    def _signature(self, kind: str, payload: bytes) -> bytes:
        if self._secret is None:
            self._secret = self._read_secret()
        return hmac.digest(self._secret, kind.encode() + b"\0" + payload, hashlib.sha256)[:_SIGNATURE_BYTES]


class TokenContent(msgspec.Struct, frozen=True, array_like=True):
    """The content of a NextToken: the digest of its request, and the position where the next page starts.

    A SELECT can consist of several reads. `read` is the number of the read to continue, and `key` is its last key.
    """

    request: bytes
    read: int
    key: Item


class Continuation(NamedTuple):
    """The position where the next page starts: the number of the read to continue, and the last key of that read."""

    read: int
    key: Item


_decode = decoder_of(TokenContent).decode


def request_digest(text: str, parameters: list[Any] | None) -> bytes:
    """Return the digest that binds a NextToken to its statement and parameters, but not to Limit or ConsistentRead."""
    return hashlib.sha256(_encode([text, parameters])).digest()


def encode_next_token(tokens: SignedTokens, digest: bytes, read: int, key: Item) -> str:
    """Return the NextToken for the position where the next page starts."""
    return tokens.sign(_PAGE_KIND, _encode(TokenContent(digest, read, key)))


def decode_next_token(tokens: SignedTokens, digest: bytes, token: str) -> Continuation:
    """Return the position in a NextToken. Reject an invalid token, and a token from another request."""
    content = tokens.verify(_PAGE_KIND, token)
    if content is None:
        raise invalid_token()
    decoded = _decode(content)
    if not hmac.compare_digest(decoded.request, digest):
        raise invalid("NextToken does not match request")
    return Continuation(decoded.read, decoded.key)


def invalid_token() -> RequestRefused:
    """Return the error for an invalid NextToken."""
    return invalid("Invalid NextToken")
