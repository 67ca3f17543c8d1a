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
def signing_key(secret: str, scope: Scope) -> bytes:
    """The key that the owner of a secret signs with, in one scope."""
    key = f"AWS4{secret}".encode()
    for part in (scope.day, scope.region, scope.service, TERMINATOR):
        key = hmac.digest(key, part.encode(), "sha256")
    return key


def preamble(moment: str, scope: Scope) -> bytes:
    """What stands before the hash of every request that is signed at this moment, such as `20260410T120000Z`."""
    return f"{ALGORITHM}\n{moment}\n{scope}\n".encode()


def signature_of(key: bytes, before: bytes, canonical: bytes) -> str:
    """The signature of a request in its canonical form; `before` is the preamble of its moment."""
    digest = hashlib.sha256(canonical).hexdigest().encode()
    return hmac.digest(key, before + digest, "sha256").hex()
