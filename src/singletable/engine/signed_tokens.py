"""Signed tokens: opaque text for clients to send back, such as pagination tokens and shard iterators."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Callable

_SIGNATURE_BYTES = 16


class SignedTokens:
    """Signs and verifies tokens with the secret of a store, which is read at the first use."""

    def __init__(self, secret: Callable[[], bytes]) -> None:
        self._read_secret = secret
        self._secret: bytes | None = None

    def sign(self, kind: str, payload: bytes) -> str:
        """Return the token of a payload; verifying it requires the same `kind`."""
        return base64.urlsafe_b64encode(self._signature(kind, payload) + payload).decode("ascii")

    def verify(self, kind: str, token: str) -> bytes | None:
        """Return the payload of a token, or None if it was not signed for this kind."""
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
