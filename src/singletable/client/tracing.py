"""Requests as spans of OpenTelemetry, where it is installed, named as its conventions for DynamoDB name them.

A span says which operation was asked of which table, by which pattern, and what it consumed. It holds no values: no
keys, no items, no arguments of expressions.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import msgspec

from singletable.client.watched import Watched
from singletable.errors import RequestRefused
from singletable.wire.decoders import decoder_of

# The parameters that say how is asked, and not for what.
_TOLD_PARAMETERS = {
    "IndexName": "aws.dynamodb.index_name",
    "ConsistentRead": "aws.dynamodb.consistent_read",
    "Limit": "aws.dynamodb.limit",
    "ScanIndexForward": "aws.dynamodb.scan_forward",
    "Select": "aws.dynamodb.select",
    "Segment": "aws.dynamodb.segment",
    "TotalSegments": "aws.dynamodb.total_segments",
}


class _Told(msgspec.Struct, rename="pascal"):
    """What an answer tells beside items."""

    consumed_capacity: msgspec.Raw = msgspec.Raw(b"")
    count: int | None = None
    scanned_count: int | None = None


_read_told = decoder_of(_Told).decode
_read_list = decoder_of(list[msgspec.Raw]).decode


class Tracing:
    """Makes a span of each request, after it, with the time that it began at."""

    def __init__(self, trace: Any, server: tuple[str, int] | None) -> None:
        self._trace = trace
        self._is_on = False
        self._next_look = 0.0
        self._tracer = trace.get_tracer("singletable")
        self._kind = trace.SpanKind.CLIENT
        self._error = trace.StatusCode.ERROR
        self._common: dict[str, Any] = {
            "db.system.name": "aws.dynamodb",
            "rpc.system": "aws-api",
            "rpc.service": "DynamoDB",
        }
        if server is not None:
            self._common |= {"server.address": server[0], "server.port": server[1]}

    def is_on(self) -> bool:
        """Whether the program has set up OpenTelemetry, and not only installed it; looked at once a second."""
        if not self._is_on and time.monotonic() >= self._next_look:
            self._is_on = not isinstance(self._trace.get_tracer_provider(), self._trace.ProxyTracerProvider)
            self._next_look = time.monotonic() + 1.0
        return self._is_on

    def note(self, watched: Watched, answer: bytes | None) -> None:
        """Makes the span of a request that is over."""
        ended = time.time_ns()
        span = self._tracer.start_span(
            f"DynamoDB.{watched.operation}",
            kind=self._kind,
            attributes=self._asked(watched),
            start_time=ended - int(watched.seconds * 1e9),
        )
        if span.is_recording():
            if watched.attempts > 1:
                span.set_attribute("singletable.attempts", watched.attempts)
            if answer is not None:
                span.set_attributes(dict(_answered(answer)))
            if watched.refusal is not None:
                refusal = watched.refusal
                code = refusal.code if isinstance(refusal, RequestRefused) else type(refusal).__name__
                span.set_attributes({"error.type": code, "db.response.status_code": code})
                span.set_status(self._error, code)
        span.end(ended)

    def _asked(self, watched: Watched) -> dict[str, Any]:
        parameters = watched.parameters
        attributes = {**self._common, "db.operation.name": watched.operation, "rpc.method": watched.operation}
        tables = sorted(set(_tables(parameters)))
        if tables:
            attributes["aws.dynamodb.table_names"] = tables
        if watched.pattern is not None:
            attributes["singletable.pattern"] = watched.pattern
        for parameter, name in _TOLD_PARAMETERS.items():
            if parameter in parameters:
                attributes[name] = parameters[parameter]
        return attributes


def tracing(server: tuple[str, int] | None) -> Tracing | None:
    """The tracing of requests to a server; None where OpenTelemetry is not installed."""
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    return Tracing(trace, server)


def _tables(parameters: dict[str, Any]) -> Iterator[str]:
    if "TableName" in parameters:
        yield parameters["TableName"]
    yield from parameters.get("RequestItems", ())
    for action in parameters.get("TransactItems", ()):
        for what in action.values():
            yield what["TableName"]


def _answered(body: bytes) -> Iterator[tuple[str, Any]]:
    try:
        told = _read_told(body)
    except msgspec.DecodeError:
        return
    raw = bytes(told.consumed_capacity)
    if raw:
        parts = _read_list(raw) if raw.startswith(b"[") else [raw]
        yield "aws.dynamodb.consumed_capacity", [bytes(part).decode() for part in parts]
    if told.count is not None:
        yield "aws.dynamodb.count", told.count
    if told.scanned_count is not None:
        yield "aws.dynamodb.scanned_count", told.scanned_count
