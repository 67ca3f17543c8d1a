"""Requests captured on their way to DynamoDB, just as they were sent, with their answers and what they consumed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from singletable.client.transport import Transport
from singletable.client.watched import asking
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
        """Units of both kinds."""
        return self.read_units + self.write_units


@dataclass(frozen=True)
class Captured:
    """One request: its operation and parameters as they were sent, and the answer, or the code of its refusal."""

    operation: str
    parameters: Document
    answer: Document = field(default_factory=dict)
    refusal: str | None = None
    pattern: str | None = None
    """The pattern that asked; None for what was asked by key and object."""

    @property
    def is_read(self) -> bool:
        """Whether it changes nothing."""
        return self.operation in READS

    @property
    def cost(self) -> Cost:
        """One request, with the units that its answer tells of; a refusal tells of none."""
        consumed = self.answer.get("ConsumedCapacity") or ()
        units = sum(each["CapacityUnits"] for each in ([consumed] if isinstance(consumed, dict) else consumed))
        return Cost(1, read_units=units) if self.is_read else Cost(1, write_units=units)

    def items(self) -> Iterator[Document]:
        """The items of the answer."""
        yield from self.answer.get("Items", ())
        if "Item" in self.answer:
            yield self.answer["Item"]
        responses = self.answer.get("Responses", ())
        if isinstance(responses, dict):
            yield from (item for items in responses.values() for item in items)
        else:
            yield from (response["Item"] for response in responses if "Item" in response)


def cost_of(requests: Iterable[Captured]) -> Cost:
    """What all of them cost together."""
    return sum((request.cost for request in requests), Cost())


class Capturing(Transport):
    """A transport that keeps what goes through another one."""

    def __init__(self, transport: Transport) -> None:
        self.name = transport.name
        self._transport = transport
        self._captured: list[Captured] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def taken(self) -> tuple[Captured, ...]:
        """What was captured since this was last asked."""
        taken, self._captured = tuple(self._captured), []
        return taken

    def send(self, operation: str, body: bytes) -> bytes:
        """The answer of the transport behind it."""
        try:
            answer = self._transport.send(operation, body)
        except RequestRefused as refusal:
            self._keep(operation, body, b"{}", refusal.code)
            raise
        self._keep(operation, body, answer)
        return answer

    async def send_async(self, operation: str, body: bytes) -> bytes:
        """The same, awaited."""
        try:
            answer = await self._transport.send_async(operation, body)
        except RequestRefused as refusal:
            self._keep(operation, body, b"{}", refusal.code)
            raise
        self._keep(operation, body, answer)
        return answer

    def close(self) -> None:
        """Closes the transport behind it."""
        self._transport.close()

    async def close_async(self) -> None:
        """The same, awaited."""
        await self._transport.close_async()

    def _keep(self, operation: str, body: bytes, answer: bytes, refusal: str | None = None) -> None:
        self._captured.append(Captured(operation, json.loads(body), json.loads(answer), refusal, asking.get()))
