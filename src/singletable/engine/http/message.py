"""Requests and responses as values: what a connection reads, what the service answers."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

import msgspec

JSON_1_0 = b"application/x-amz-json-1.0"
# A request id is 52 digits and upper-case letters, as DynamoDB gives it.
REQUEST_ID_BITS = 4 * 52


class Request(msgspec.Struct, frozen=True, gc=False):
    """A whole request; the names of its headers are in lower case, and of a repeated one the last is kept."""

    method: bytes
    url: bytes
    headers: dict[bytes, bytes]
    body: bytes
    keep_alive: bool


class Response(msgspec.Struct, frozen=True, gc=False):
    """An answer before it has a head: `extra` is whole header lines, each with its end; a HEAD is answered bodiless."""

    status: int
    body: bytes
    request_id: int
    content_type: bytes = JSON_1_0
    extra: bytes = b""
    wrote: bool = False
    bodiless: bool = False


class EngineAnswer(Protocol):
    """What the engine answers: `wrote` says that the store has changed, and may have to be flushed."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...

    @property
    def body(self) -> bytes:
        """A JSON document."""
        ...

    @property
    def wrote(self) -> bool:
        """Whether something was committed."""
        ...


class RespondingEngine(Protocol):
    """All that this door knows of the engine."""

    def together(self) -> AbstractContextManager[object]:
        """A block of answers that may be sent after its end, and not when its end raises."""
        ...

    def respond(self, target: str, body: bytes) -> EngineAnswer:
        """Answer one request, without waiting for the disk; `target` is `DynamoDB_20120810.GetItem` and the like."""
        ...
