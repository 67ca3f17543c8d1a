"""A wrapper around a table's transport, with which a test observes, changes or rejects requests and responses."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from singletable import Table
from singletable.client.retries import Retries
from singletable.client.transport import Transport

Document = dict[str, Any]
Change = Callable[[str, Document], Document | None]
"""Receives an operation and its parameters or response. Returns a replacement, or None for no change."""

AT_ONCE = Retries(attempts=3, first_seconds=0.0)
"""Retries without pauses."""


class Between(Transport):
    """Passes requests and responses through the functions of the test."""

    def __init__(self, inner: Transport, request: Change | None, answer: Change | None) -> None:
        self.inner, self.name = inner, inner.name
        self.operations: list[str] = []
        self.requests: list[Document] = []
        self._request, self._answer = request, answer

    def send(self, operation: str, body: bytes) -> bytes:
        return self._back(operation, self.inner.send(operation, self._there(operation, body)))

    async def send_async(self, operation: str, body: bytes) -> bytes:
        return self._back(operation, await self.inner.send_async(operation, self._there(operation, body)))

    def close(self) -> None:
        self.inner.close()

    async def close_async(self) -> None:
        await self.inner.close_async()

    def _there(self, operation: str, body: bytes) -> bytes:
        document = json.loads(body)
        self.operations.append(operation)
        self.requests.append(document)
        changed = self._request(operation, document) if self._request else None
        return body if changed is None else json.dumps(changed).encode()

    def _back(self, operation: str, body: bytes) -> bytes:
        changed = self._answer(operation, json.loads(body)) if self._answer else None
        return body if changed is None else json.dumps(changed).encode()


def between(table: Table, request: Change | None = None, answer: Change | None = None) -> Between:
    """Wrap the transport of an open table. Retries have no pauses."""
    session = table._opened().session
    stands = Between(session.transport, request, answer)
    session.transport = stands
    session.retries = AT_ONCE
    table._opened().reader.retries = AT_ONCE
    return stands
