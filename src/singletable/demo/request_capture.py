"""Recording of the requests that a table sends, with responses and consumed capacity."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from singletable.client.tracing import current_pattern
from singletable.client.transport import Transport
from singletable.errors import RequestRefused

READS = frozenset({"BatchGetItem", "GetItem", "Query", "Scan", "TransactGetItems"})
Document = dict[str, Any]


@dataclass(frozen=True)
class Cost:
    """A number of requests, and the capacity units that they consumed."""

    requests: int = 0
    read_units: float = 0.0
    write_units: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.requests + other.requests,
            self.read_units + other.read_units,
            self.write_units + other.write_units,
        )

    @property
    def units(self) -> float:
        """Read and write units together."""
        return self.read_units + self.write_units


@dataclass(frozen=True)
class CapturedRequest:
    """One request as sent, with the response or the error code."""

    operation: str
    parameters: Document
    answer: Document = field(default_factory=dict)
    error: str | None = None
    pattern: str | None = None
    """The access pattern that sent the request. None for reads and writes by key or object."""

    @property
    def is_read(self) -> bool:
        """Whether the request is a read; PartiQL statements are reads if they select."""
        return self.operation in READS or any(
            statement.lstrip()[:6].upper() == "SELECT" for statement in self._statements()
        )

    def _statements(self) -> Iterator[str]:
        """Yield the PartiQL statements of the request; DynamoDB rejects requests that mix reads and writes."""
        if "Statement" in self.parameters:
            yield self.parameters["Statement"]
        for each in (*self.parameters.get("Statements", ()), *self.parameters.get("TransactStatements", ())):
            yield each["Statement"]

    @property
    def cost(self) -> Cost:
        """One request with the units in its response. An error response reports none."""
        consumed = self.answer.get("ConsumedCapacity") or ()
        units = sum(each["CapacityUnits"] for each in ([consumed] if isinstance(consumed, dict) else consumed))
        return Cost(1, read_units=units) if self.is_read else Cost(1, write_units=units)

    def items(self) -> Iterator[Document]:
        """Yield the items of the response."""
        yield from self.answer.get("Items", ())
        if "Item" in self.answer:
            yield self.answer["Item"]
        responses = self.answer.get("Responses", ())
        if isinstance(responses, dict):
            yield from (item for items in responses.values() for item in items)
        else:
            yield from (response["Item"] for response in responses if "Item" in response)


def cost_of(requests: Iterable[CapturedRequest]) -> Cost:
    """Return the total cost of the requests."""
    return sum((request.cost for request in requests), Cost())


class CapturingTransport(Transport):
    """A transport that records the requests sent through another transport."""

    def __init__(self, transport: Transport) -> None:
        self.name = transport.name
        self._transport = transport
        self._captured: list[CapturedRequest] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def take_requests(self) -> tuple[CapturedRequest, ...]:
        """Return the requests that were recorded since the last call."""
        captured, self._captured = tuple(self._captured), []
        return captured

    def send(self, operation: str, body: bytes) -> bytes:
        """Send a request through the wrapped transport."""
        try:
            answer = self._transport.send(operation, body)
        except RequestRefused as problem:
            self._capture(operation, body, b"{}", problem.code)
            raise
        self._capture(operation, body, answer)
        return answer

    async def send_async(self, operation: str, body: bytes) -> bytes:
        """Send a request through the wrapped transport, asynchronously."""
        try:
            answer = await self._transport.send_async(operation, body)
        except RequestRefused as problem:
            self._capture(operation, body, b"{}", problem.code)
            raise
        self._capture(operation, body, answer)
        return answer

    def close(self) -> None:
        """Close the wrapped transport."""
        self._transport.close()

    async def close_async(self) -> None:
        """Close the wrapped transport, asynchronously."""
        await self._transport.close_async()

    def _capture(self, operation: str, body: bytes, answer: bytes, error: str | None = None) -> None:
        self._captured.append(
            CapturedRequest(operation, json.loads(body), json.loads(answer), error, current_pattern.get())
        )
