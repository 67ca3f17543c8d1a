"""Transport interface: sends requests to DynamoDB as JSON bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from singletable.errors import RequestRefused, Unreachable

if TYPE_CHECKING:
    from singletable.client.responses import PageChunks  # imports msgspec

EncodedRequest = tuple[str, bytes]
"""The name of an operation, and the request body."""
SendResult = bytes | RequestRefused | Unreachable
"""The body of a response, or the error."""
Meanwhile = Callable[[], None]
"""A function to call while waiting for responses; it must not raise."""
STREAM_READS = frozenset(("ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"))
"""The operations of DynamoDB Streams, which have another prefix, and at AWS another endpoint."""


class Transport(Protocol):
    """Sends requests to DynamoDB, without retries and without interpreting their bodies."""

    name: str
    """The URL of the transport, without credentials."""
    retries_itself: bool = False
    """Whether the transport retries throttled requests, internal errors and connection errors."""

    def send(self, operation: str, body: bytes) -> bytes:
        """Send a request and return the body of the response.

        Raises RequestRefused if DynamoDB rejects the request, and Unreachable if there is no response.
        """
        ...

    async def send_async(self, operation: str, body: bytes) -> bytes:
        """Send a request on the running event loop, like `send`."""
        ...

    def send_each(self, requests: Sequence[EncodedRequest], meanwhile: Meanwhile | None = None) -> Sequence[SendResult]:
        """Send several requests and return their results in order. By default, they are sent one after another."""
        if meanwhile is not None:
            meanwhile()
        return [self._result(operation, body) for operation, body in requests]

    def _result(self, operation: str, body: bytes) -> SendResult:
        try:
            return self.send(operation, body)
        except (RequestRefused, Unreachable) as problem:
            return problem

    def close(self) -> None:
        """Release all resources; can be called more than once."""
        ...

    async def close_async(self) -> None:
        """Release all resources, like `close`."""
        ...


class InProcessTransport(Transport, Protocol):
    """A transport to an engine in this process, which can return the items of a page in chunks."""

    def send_for_chunks(self, operation: str, body: bytes) -> PageChunks:
        """Send a Query and return its page in chunks."""
        ...

    async def send_for_chunks_async(self, operation: str, body: bytes) -> PageChunks:
        """Send a Query and return its page in chunks."""
        ...

    def release_memory(self) -> None:
        """Release the memory of earlier reads that later reads may not need."""
        ...


def in_process(transport: Transport) -> InProcessTransport | None:
    """Return the transport if its own class supports chunks, otherwise None.

    The result is None for a wrapper around another transport, because the wrapper must see all response bodies.
    """
    return cast("InProcessTransport", transport) if hasattr(type(transport), "send_for_chunks") else None
