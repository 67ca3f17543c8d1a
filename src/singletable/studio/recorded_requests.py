"""Recorded requests: the requests of one page of the studio with their durations, and the total units of all pages."""

from __future__ import annotations

import json
import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Lock
from typing import Any

from singletable.client.tracing import current_pattern
from singletable.client.transport import Transport
from singletable.demo.request_capture import CapturedRequest, Cost
from singletable.errors import RequestRefused
from singletable.model.table_schema import RESERVED_PREFIX


@dataclass(frozen=True)
class TimedRequest:
    """One request as sent, with its response and its duration."""

    request: CapturedRequest
    seconds: float


_recording: ContextVar[list[TimedRequest] | None] = ContextVar("studio_recording", default=None)


@contextmanager
def recorded() -> Generator[list[TimedRequest], None, None]:
    """Yield a list, to which every request of this thread in the block is added, except reads of reserved items."""
    requests: list[TimedRequest] = []
    before = _recording.set(requests)
    try:
        yield requests
    finally:
        _recording.reset(before)


class RunningTotal:
    """The requests and units since the studio started."""

    def __init__(self) -> None:
        self._cost = Cost()
        self._lock = Lock()

    def add(self, cost: Cost) -> None:
        """Add the cost of one request."""
        with self._lock:
            self._cost += cost

    @property
    def cost(self) -> Cost:
        """The total so far."""
        return self._cost


class TimedTransport(Transport):
    """A transport that records the requests sent through another transport, and adds up their units."""

    def __init__(self, transport: Transport, total: RunningTotal) -> None:
        self.name = transport.name
        self._transport = transport
        self._total = total

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def send(self, operation: str, body: bytes) -> bytes:
        """Send a request through the wrapped transport."""
        started = time.perf_counter()
        try:
            response = self._transport.send(operation, body)
        except RequestRefused as problem:
            self._record(operation, body, b"{}", started, problem.code)
            raise
        self._record(operation, body, response, started, None)
        return response

    async def send_async(self, operation: str, body: bytes) -> bytes:
        """Send a request on the calling thread, because the pages of the studio run in threads."""
        return self.send(operation, body)

    def close(self) -> None:
        """Close the wrapped transport."""
        self._transport.close()

    async def close_async(self) -> None:
        """Close the wrapped transport."""
        self._transport.close()

    def _record(self, operation: str, body: bytes, response: bytes, started: float, error: str | None) -> None:
        seconds = time.perf_counter() - started
        answer = json.loads(response)
        request = CapturedRequest(operation, json.loads(body), answer, error, current_pattern.get())
        self._total.add(request.cost)
        requests = _recording.get()
        if requests is not None and not _reads_reserved_item(request):
            requests.append(TimedRequest(request, seconds))


def _reads_reserved_item(request: CapturedRequest) -> bool:
    """Return whether the client reads an item of its own, such as the design state, which belongs to no call."""
    key = request.parameters.get("Key") or {}
    texts = (str(text) for value in key.values() for text in value.values())
    return request.is_read and any(text.startswith(RESERVED_PREFIX) for text in texts)
