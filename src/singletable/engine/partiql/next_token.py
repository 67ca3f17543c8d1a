"""NextToken: where the next page of a statement starts, sealed so that it fits that statement and its table alone.

A token names a position and nothing else, as an ExclusiveStartKey does; the seal is there so that a token that was
changed, cut or sent with another statement is refused, instead of leaving out items.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from typing import Any, NamedTuple

import msgspec

from singletable.engine.table import Item, OpenTable
from singletable.errors import RequestRefused, invalid

SEAL_BYTES = 32
_encode = msgspec.json.Encoder(order="deterministic").encode


class Place(msgspec.Struct, frozen=True, array_like=True):
    """Which of the statement's reads goes on, and behind which item."""

    request: bytes
    read: int
    key: Item


class Continuation(NamedTuple):
    """The same, once it is known to fit the request."""

    read: int
    key: Item


_decode = msgspec.json.Decoder(Place).decode


def request_digest(text: str, parameters: list[Any] | None) -> bytes:
    """What a token is bound to: the text of the statement and its parameters; neither Limit nor consistency."""
    return hashlib.sha256(_encode([text, parameters])).digest()


def sealed(table: OpenTable, digest: bytes, read: int, key: Item) -> str:
    """The token of a position."""
    place = _encode(Place(digest, read, key))
    return urlsafe_b64encode(_seal(table, place) + place).decode()


def opened(table: OpenTable, digest: bytes, token: str) -> Continuation:
    """The position of a token; refuses one that is none, or of another request."""
    try:
        content = urlsafe_b64decode(token.encode("ascii"))
        place = _decode(content[SEAL_BYTES:])
        # Decoding passes over characters that do not belong there.
        if urlsafe_b64encode(content).decode() != token:
            raise invalid_token()
    except (NotBase64, UnicodeEncodeError, ValueError, msgspec.MsgspecError, RecursionError):
        raise invalid_token() from None
    if not hmac.compare_digest(place.request, digest):
        raise invalid("NextToken does not match request")
    if not hmac.compare_digest(content[:SEAL_BYTES], _seal(table, content[SEAL_BYTES:])):
        raise invalid_token()
    return Continuation(place.read, place.key)


def invalid_token() -> RequestRefused:
    """The refusal of a token that names no position."""
    return invalid("Invalid NextToken")


def _seal(table: OpenTable, place: bytes) -> bytes:
    return hmac.digest(table.definition.identifier.encode(), place, "sha256")
