"""Transports: how a request reaches DynamoDB and its answer comes back, as bytes of JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from singletable.errors import RequestRefused, Unreachable

if TYPE_CHECKING:
    from singletable.client.answers import Pieces  # which loads msgspec

Request = tuple[str, bytes]
"""The name of an operation, and the body of its request."""
Outcome = bytes | RequestRefused | Unreachable
"""The body of an answer, or why there is none."""
Meanwhile = Callable[[], None]
"""Work to do while requests are under way; it raises nothing."""


class Transport(Protocol):
    """One way to DynamoDB; it neither retries nor reads what it carries."""

    name: str
    """The URL it was opened by, without secrets."""

    def send(self, operation: str, body: bytes) -> bytes:
        """The body of the answer; raises RequestRefused for what DynamoDB refuses, and Unreachable for no answer."""
        ...

    async def send_async(self, operation: str, body: bytes) -> bytes:
        """The same, awaited."""
        ...

    def send_each(self, requests: Sequence[Request], meanwhile: Meanwhile | None = None) -> Sequence[Outcome]:
        """The outcome of each of several requests, in order; one after another, unless a transport can do better."""
        if meanwhile is not None:
            meanwhile()
        return [self._outcome(operation, body) for operation, body in requests]

    def _outcome(self, operation: str, body: bytes) -> Outcome:
        try:
            return self.send(operation, body)
        except (RequestRefused, Unreachable) as problem:
            return problem

    def close(self) -> None:
        """Lets go of what it holds; it may be called twice."""
        ...

    async def close_async(self) -> None:
        """The same, awaited."""
        ...


class InProcess(Transport, Protocol):
    """A way to an engine in this process, which has the items of a page at hand in pieces."""

    def send_for_pieces(self, operation: str, body: bytes) -> Pieces:
        """The answer to a Query."""
        ...

    async def send_for_pieces_async(self, operation: str, body: bytes) -> Pieces:
        """The same, awaited."""
        ...


def in_process(transport: Transport) -> InProcess | None:
    """The transport if it gives pieces itself; not one that stands before another, to see all that passes."""
    return cast("InProcess", transport) if hasattr(type(transport), "send_for_pieces") else None
