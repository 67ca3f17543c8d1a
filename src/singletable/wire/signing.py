"""Signature Version 4 apart from HTTP: the scope of a signature, the key of a day, and the signature itself.

The server that verifies signatures and the client that makes them share this; each has its own way to the canonical
form of a request.
"""

from __future__ import annotations

import hashlib
import hmac
from functools import lru_cache
from typing import NamedTuple

ALGORITHM = "AWS4-HMAC-SHA256"
TERMINATOR = "aws4_request"


class Scope(NamedTuple):
    """What a signing key is good for: `20260410/eu-west-1/dynamodb/aws4_request`."""

    day: str
    region: str
    service: str

    def __str__(self) -> str:
        return f"{self.day}/{self.region}/{self.service}/{TERMINATOR}"


# A key serves a whole day, and is four hashes away from its secret. Only those of known access keys get here.
@lru_cache(maxsize=256)
def _signing_key(secret: str, scope: Scope) -> hmac.HMAC:
    key = f"AWS4{secret}".encode()
    for part in (scope.day, scope.region, scope.service, TERMINATOR):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.new(key, digestmod="sha256")


class Signing:
    """Signs requests of one moment, such as `20260410T120000Z`, and one scope, as the owner of a secret."""

    def __init__(self, secret: str, moment: str, scope: Scope) -> None:
        self._begun = _signing_key(secret, scope).copy()
        self._begun.update(f"{ALGORITHM}\n{moment}\n{scope}\n".encode())

    def signature(self, canonical: bytes) -> str:
        """The signature of a request in its canonical form."""
        signed = self._begun.copy()  # which takes a third of the time that a key anew does
        signed.update(hashlib.sha256(canonical).hexdigest().encode())
        return signed.hexdigest()
