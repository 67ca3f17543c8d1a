"""HTTP requests signed with AWS Signature Version 4.

The parts that are equal for all requests within one second are cached.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from typing import NamedTuple

from singletable.client.http.credentials import CredentialSource
from singletable.client.transport import STREAM_READS
from singletable.wire.signing import ALGORITHM, Scope, Signing

CONTENT_TYPE = "application/x-amz-json-1.0"
TARGET = "DynamoDB_20120810."
STREAM_TARGET = "DynamoDBStreams_20120810."
SERVICE = "dynamodb"
# DynamoDB accepts a signature if its clock and the client's clock differ by less than this.
SKEW_SECONDS_MIN = 30.0


class _Second(NamedTuple):
    """The parts that all signatures within one second share, and the prepared requests of each operation."""

    second: int
    signing: Signing
    prepared: dict[str, tuple[bytes, bytes]]
    moment: str
    credential: str
    token: str | None


class Signer:
    """Builds signed requests to one host, as bytes."""

    def __init__(
        self, authority: str, region: str, credentials: CredentialSource, clock: Callable[[], float] = time.time
    ) -> None:
        self.credentials = credentials
        self._authority = authority
        self._region = region
        self._clock = clock
        self._skew = 0.0
        self._now: _Second | None = None

    def for_authority(self, authority: str) -> Signer:
        """Return a signer for requests to another host, with the same region and credentials."""
        return Signer(authority, self._region, self.credentials, self._clock)

    def request(self, operation: str, body: bytes) -> bytes:
        """Return the whole signed request as bytes."""
        second = int(self._clock() + self._skew)
        now = self._now
        if now is None or now.second != second:
            now = self._now = self._new_second(second)
        prepared = now.prepared.get(operation)
        if prepared is None:
            prepared = now.prepared[operation] = self._prepared(operation, now)
        head, canonical = prepared
        signed = canonical + hashlib.sha256(body).hexdigest().encode()
        signature = now.signing.signature(signed).encode()
        return b"%b%b\r\ncontent-length: %d\r\n\r\n%b" % (head, signature, len(body), body)

    def corrected(self, date: bytes | None) -> bool:
        """Adopt the server's clock from its Date header.

        Return whether the clocks differ enough that the request must be signed again.
        """
        from email.utils import parsedate_to_datetime  # rarely needed, and slow to load

        try:
            theirs = parsedate_to_datetime((date or b"").decode("ascii")).timestamp()
        except (ValueError, UnicodeDecodeError):
            return False
        skew = theirs - self._clock()
        if abs(skew - self._skew) < SKEW_SECONDS_MIN:
            return False
        self._skew = skew
        self._now = None
        return True

    def _new_second(self, second: int) -> _Second:
        credentials = self.credentials.current()
        moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(second))
        scope = Scope(moment[:8], self._region, SERVICE)
        signing = Signing(credentials.secret, moment, scope)
        return _Second(second, signing, {}, moment, f"{credentials.key_id}/{scope}", credentials.token)

    def _prepared(self, operation: str, now: _Second) -> tuple[bytes, bytes]:
        """Return a request up to its signature, and its canonical form up to the hash of the body."""
        headers = {"content-type": CONTENT_TYPE, "host": self._authority, "x-amz-date": now.moment}
        if now.token is not None:
            headers["x-amz-security-token"] = now.token
        headers["x-amz-target"] = (STREAM_TARGET if operation in STREAM_READS else TARGET) + operation
        names = ";".join(headers)
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        authorization = f"{ALGORITHM} Credential={now.credential}, SignedHeaders={names}, Signature="
        head = f"POST / HTTP/1.1\r\n{lines}user-agent: singletable\r\nauthorization: {authorization}"
        listed = "".join(f"{name}:{' '.join(value.split())}\n" for name, value in headers.items())
        return head.encode(), f"POST\n/\n\n{listed}\n{names}\n".encode()
