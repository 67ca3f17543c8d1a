"""Transports: how a request reaches DynamoDB and its answer comes back, as bytes of JSON."""

from __future__ import annotations

from typing import Protocol


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

    def close(self) -> None:
        """Lets go of what it holds; it may be called twice."""
        ...

    async def close_async(self) -> None:
        """The same, awaited."""
        ...
