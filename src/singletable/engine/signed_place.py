"""Places that are handed out as text and taken back: signed, so that nobody is led to one that was never given."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Callable

_MARK_BYTES = 16


class SignedPlaces:
    """Signs with the secret of a store, which is read when it is first needed."""

    def __init__(self, secret: Callable[[], bytes]) -> None:
        self._read_secret = secret
        self._secret: bytes | None = None

    def text(self, kind: str, place: bytes) -> str:
        """The text for a place; `kind` says what it is a place of, and is needed again to read it."""
        return base64.urlsafe_b64encode(self._mark(kind, place) + place).decode("ascii")

    def place(self, kind: str, text: str) -> bytes | None:
        """The place of a text; None when it is not one that was given for this kind."""
        try:
            signed = base64.b64decode(text.encode("ascii"), altchars=b"-_", validate=True)
        except (binascii.Error, UnicodeEncodeError):
            return None
        mark, place = signed[:_MARK_BYTES], signed[_MARK_BYTES:]
        return place if hmac.compare_digest(mark, self._mark(kind, place)) else None

    def _mark(self, kind: str, place: bytes) -> bytes:
        if self._secret is None:
            self._secret = self._read_secret()
        return hmac.digest(self._secret, kind.encode() + b"\0" + place, hashlib.sha256)[:_MARK_BYTES]
