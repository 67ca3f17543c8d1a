"""NextToken: where the next page of a statement starts, signed so that it fits that statement in its store alone."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any, NamedTuple

import msgspec

from singletable.engine.signed_place import SignedPlaces
from singletable.engine.table import Item
from singletable.errors import RequestRefused, invalid
from singletable.wire.decoders import decoder_of

_KIND = "NextToken"
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


_decode = decoder_of(Place).decode


def request_digest(text: str, parameters: list[Any] | None) -> bytes:
    """What a token is bound to: the text of the statement and its parameters; neither Limit nor consistency."""
    return hashlib.sha256(_encode([text, parameters])).digest()


def sealed(places: SignedPlaces, digest: bytes, read: int, key: Item) -> str:
    """The token of a position."""
    return places.text(_KIND, _encode(Place(digest, read, key)))


def opened(places: SignedPlaces, digest: bytes, token: str) -> Continuation:
    """The position of a token; refuses one that is none, or of another request."""
    content = places.place(_KIND, token)
    if content is None:
        raise invalid_token()
    place = _decode(content)
    if not hmac.compare_digest(place.request, digest):
        raise invalid("NextToken does not match request")
    return Continuation(place.read, place.key)


def invalid_token() -> RequestRefused:
    """The refusal of a token that names no position."""
    return invalid("Invalid NextToken")
