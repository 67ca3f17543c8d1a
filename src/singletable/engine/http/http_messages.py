"""HTTP request and response types, HTTP dates, and the engine interface that the server uses."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from typing import Protocol

import msgspec

from singletable.engine.storage.process_locks import WriteWait

JSON_1_0 = b"application/x-amz-json-1.0"
# DynamoDB's request ids have 52 digits and upper-case letters.
REQUEST_ID_BITS = 4 * 52


class HttpRequest(msgspec.Struct, frozen=True, gc=False):
    """A complete request. Header names are in lower case. If a header is repeated, its last value counts.

    `repeated` has all values of each repeated header, separated by commas, as its signature covers them.
    """

    method: bytes
    url: bytes
    headers: dict[bytes, bytes]
    body: bytes
    keep_alive: bool
    repeated: dict[bytes, bytes] = {}


class HttpResponse(msgspec.Struct, frozen=True, gc=False):
    """A response without its head. `extra` contains complete header lines. `bodiless` is set for HEAD requests."""

    status: int
    body: bytes
    request_id: int
    content_type: bytes = JSON_1_0
    extra: bytes = b""
    wrote: bool = False
    bodiless: bool = False


class EngineReply(Protocol):
    """The reply of the engine to one request."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...

    @property
    def body(self) -> bytes:
        """The body, a JSON document."""
        ...

    @property
    def wrote(self) -> bool:
        """Whether the request committed a write, which may have to be flushed."""
        ...


class RespondingEngine(Protocol):
    """The methods of the engine that the HTTP server uses."""

    @property
    def waits(self) -> WriteWait:
        """Whether the current thread waits for its turn to write. If it does not wait, `respond` raises WriterBusy."""
        ...

    def group_commit(self) -> AbstractContextManager[object]:
        """Return a context manager for several requests.

        Send the replies only after its block has ended without an error.
        """
        ...

    def respond(self, target: str, body: bytes) -> EngineReply:
        """Return the reply to a request without waiting for the disk. `target` is like `DynamoDB_20120810.GetItem`."""
        ...


def http_date(seconds: float) -> str:
    """Format a time since the epoch like `Fri, 10 Apr 2026 12:00:00 GMT`.

    The standard library's function is in its mail package, whose import takes long.
    """
    moment = time.gmtime(seconds)
    day = f"{_DAYS[moment.tm_wday]}, {moment.tm_mday:02} {_MONTHS[moment.tm_mon - 1]} {moment.tm_year:04}"
    return f"{day} {moment.tm_hour:02}:{moment.tm_min:02}:{moment.tm_sec:02} GMT"


_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
