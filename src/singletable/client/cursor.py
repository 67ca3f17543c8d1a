"""Cursors for clients of one's own API: where a page ended, signed, and good for its pattern and arguments alone."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from singletable.errors import ArgumentRefused, CursorRefused
from singletable.wire.decoders import decoder_of

VERSION = 1
_MARK_BYTES = 16
_encode = msgspec.json.Encoder(order="deterministic", enc_hook=repr).encode


class Place(msgspec.Struct, frozen=True, array_like=True):
    """Which way a pattern is read, and where each of its Queries goes on: behind a key, at its start, or nowhere."""

    version: int
    issued_at: int
    backwards: bool
    positions: list[dict[str, Any] | bool | None]


_decode = decoder_of(Place).decode


class Cursors:
    """Signs with the user's secret; without one, with one of this process, which no other process knows."""

    def __init__(self, secret: bytes | str | None, *, seconds: float | None, now: Callable[[], float]) -> None:
        given = secret.encode() if isinstance(secret, str) else secret
        if given is not None and len(given) < 16:
            raise ArgumentRefused("a secret for cursors has at least 16 bytes; secrets.token_bytes(32) makes one")
        self._secret = given or secrets.token_bytes(32)
        self._seconds = seconds
        self._now = now

    def text(
        self,
        pattern: str,
        arguments: Mapping[str, Any],
        positions: list[dict[str, Any] | bool | None],
        *,
        backwards: bool = False,
    ) -> str:
        """The cursor of a position."""
        place = msgspec.json.encode(Place(VERSION, int(self._now()), backwards, positions))
        return _shown(self._mark(pattern, arguments, place) + place)

    def place(self, pattern: str, arguments: Mapping[str, Any], text: str) -> Place:
        """The position of a cursor; raises CursorRefused for any that was not given for this very question."""
        try:
            signed = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        except (binascii.Error, UnicodeEncodeError, ValueError, AttributeError):  # not even text
            raise CursorRefused(f"{pattern}: the cursor is no cursor") from None
        if _shown(signed) != text:  # the decoder passes over what it does not know
            raise CursorRefused(f"{pattern}: the cursor was changed")
        mark, body = signed[:_MARK_BYTES], signed[_MARK_BYTES:]
        if not hmac.compare_digest(mark, self._mark(pattern, arguments, body)):
            raise CursorRefused(
                f"{pattern}: the cursor was changed, or given for another pattern, other arguments or another secret"
            )
        place = _decode(body)
        if place.version != VERSION:
            raise CursorRefused(f"{pattern}: the cursor is of version {place.version}; ask for the first page again")
        if self._seconds is not None and self._now() - place.issued_at > self._seconds:
            raise CursorRefused(f"{pattern}: the cursor has expired; ask for the first page again")
        return place

    def _mark(self, pattern: str, arguments: Mapping[str, Any], place: bytes) -> bytes:
        question = _encode([pattern, {name: _plain(value) for name, value in arguments.items()}])
        return hmac.digest(self._secret, hashlib.sha256(question).digest() + place, hashlib.sha256)[:_MARK_BYTES]


def _shown(signed: bytes) -> str:
    return base64.urlsafe_b64encode(signed).rstrip(b"=").decode()


def _plain(value: Any) -> Any:
    """An argument in a form that is the same in every process, and that of no other argument."""
    return value if isinstance(value, str | int | bool) else [type(value).__name__, repr(value)]
