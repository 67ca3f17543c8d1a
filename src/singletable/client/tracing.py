"""Request events for hooks, and OpenTelemetry spans that follow the semantic conventions for DynamoDB.

A span records the operation, the table, the pattern and the consumed capacity. It never contains keys, items or
expression values.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import Any

import msgspec

from singletable.errors import RequestRefused, Unreachable
from singletable.lazy_dataclass import dataclass
from singletable.wire.api_types import decoder_of

current_pattern: ContextVar[str | None] = ContextVar("current_pattern", default=None)
"""The name of the running pattern; set only if a hook or a tracer receives its requests."""


def caller_for_recording() -> AbstractContextManager[None]:
    """Return a context manager in which tasks and threads know the caller of the requests that they send.

    A recording names requests after their callers. If the program records none, the context manager does nothing.
    """
    callers = sys.modules.get("singletable.catalogue.callers")
    return nullcontext() if callers is None else callers.caller_in_context()


@dataclass
class RequestEvent:
    """One finished request, which the client passes to a hook: its parameters, attempts, duration and error."""

    operation: str
    parameters: dict[str, Any]
    attempts: int
    seconds: float
    error: RequestRefused | Unreachable | None = None
    pattern: str | None = None
    """The name of the pattern; None for a read or write by key or object."""


RequestHook = Callable[[RequestEvent], None]


# The request parameters that contain no user data.
_SPAN_PARAMETERS = {
    "IndexName": "aws.dynamodb.index_name",
    "ConsistentRead": "aws.dynamodb.consistent_read",
    "Limit": "aws.dynamodb.limit",
    "ScanIndexForward": "aws.dynamodb.scan_forward",
    "Select": "aws.dynamodb.select",
    "Segment": "aws.dynamodb.segment",
    "TotalSegments": "aws.dynamodb.total_segments",
}


class _ResponseCounts(msgspec.Struct, rename="pascal"):
    """The consumed capacity and the item counts in a response."""

    consumed_capacity: msgspec.Raw = msgspec.Raw(b"")
    count: int | None = None
    scanned_count: int | None = None


_read_counts = decoder_of(_ResponseCounts).decode
_read_list = decoder_of(list[msgspec.Raw]).decode


class Tracing:
    """Creates an OpenTelemetry span for each finished request. The span begins at the time when the request began."""

    def __init__(self, server: tuple[str, int] | None, trace: Any = None) -> None:
        """Use `trace`, or the module `opentelemetry.trace` once the program has imported it."""
        self._trace = trace
        self._is_on = False
        self._next_check = 0.0
        self._tracer: Any = None
        self._common: dict[str, Any] = {
            "db.system.name": "aws.dynamodb",
            "rpc.system": "aws-api",
            "rpc.service": "DynamoDB",
        }
        if server is not None:
            self._common |= {"server.address": server[0], "server.port": server[1]}

    def is_on(self) -> bool:
        """Return whether the program has configured OpenTelemetry. The check runs at most once per second."""
        if not self._is_on:
            # without this module, nothing can have configured a tracer
            if self._trace is None and "opentelemetry.trace" not in sys.modules:
                return False
            if time.monotonic() >= self._next_check:
                self._check()
        return self._is_on

    def _check(self) -> None:
        if self._trace is None:
            from opentelemetry import trace

            self._trace = trace
        self._is_on = not isinstance(self._trace.get_tracer_provider(), self._trace.ProxyTracerProvider)
        self._next_check = time.monotonic() + 1.0
        if self._is_on:
            self._tracer = self._trace.get_tracer("singletable")

    def record(self, event: RequestEvent, response: bytes | None) -> None:
        """Create the span for a finished request."""
        ended = time.time_ns()
        span = self._tracer.start_span(
            f"DynamoDB.{event.operation}",
            kind=self._trace.SpanKind.CLIENT,
            attributes=self._request_attributes(event),
            start_time=ended - int(event.seconds * 1e9),
        )
        if span.is_recording():
            if event.attempts > 1:
                span.set_attribute("singletable.attempts", event.attempts)
            if response is not None:
                span.set_attributes(dict(_response_attributes(response)))
            if event.error is not None:
                code = event.error.code if isinstance(event.error, RequestRefused) else type(event.error).__name__
                span.set_attributes({"error.type": code, "db.response.status_code": code})
                span.set_status(self._trace.StatusCode.ERROR, code)
        span.end(ended)

    def _request_attributes(self, event: RequestEvent) -> dict[str, Any]:
        parameters = event.parameters
        attributes = {**self._common, "db.operation.name": event.operation, "rpc.method": event.operation}
        tables = table_names(parameters)
        if tables:
            attributes["aws.dynamodb.table_names"] = tables
        if event.pattern is not None:
            attributes["singletable.pattern"] = event.pattern
        for parameter, name in _SPAN_PARAMETERS.items():
            if parameter in parameters:
                attributes[name] = parameters[parameter]
        return attributes


def table_names(parameters: dict[str, Any]) -> list[str]:
    """Return the sorted names of the tables in a request."""
    return sorted(set(_tables(parameters)))


def _tables(parameters: dict[str, Any]) -> Iterator[str]:
    if "TableName" in parameters:
        yield parameters["TableName"]
    yield from parameters.get("RequestItems", ())
    for action in parameters.get("TransactItems", ()):
        for what in action.values():
            yield what["TableName"]


def _response_attributes(body: bytes) -> Iterator[tuple[str, Any]]:
    try:
        counts = _read_counts(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    raw = bytes(counts.consumed_capacity)
    if raw:
        parts = _read_list(raw) if raw.startswith(b"[") else [raw]
        yield "aws.dynamodb.consumed_capacity", [bytes(part).decode() for part in parts]
    if counts.count is not None:
        yield "aws.dynamodb.count", counts.count
    if counts.scanned_count is not None:
        yield "aws.dynamodb.scanned_count", counts.scanned_count
