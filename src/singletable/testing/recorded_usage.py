"""Record the requests and capacity units of a block of code, and assert how many it uses."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import msgspec

from singletable.client.table import Table
from singletable.client.transport import Transport
from singletable.errors import ArgumentRefused, RequestRefused, Unreachable
from singletable.wire.api_types import decoder_of

_READS = frozenset({"BatchGetItem", "GetItem", "Query", "Scan", "TransactGetItems"})


@dataclass(frozen=True)
class RecordedRequest:
    """One request: the DynamoDB operation, the index it read (None for the table), and its capacity units."""

    operation: str
    index: str | None = None
    read_units: float = 0.0
    write_units: float = 0.0
    error: str | None = None
    """The error code of a failed request. DynamoDB does not report the units that such a request consumed."""

    def __str__(self) -> str:
        units = f"{self.read_units} read" if self.operation in _READS else f"{self.write_units} write"
        result = f"failed: {self.error}" if self.error else f"{units} units"
        return f"{self.operation:<18} {self.index or 'table':<12} {result}"


class RecordedUsage:
    """The requests and capacity units of a block of code. They are complete when the block ends."""

    def __init__(self) -> None:
        self._recorded: list[RecordedRequest] = []
        self._thread = threading.get_ident()

    @property
    def recorded_requests(self) -> tuple[RecordedRequest, ...]:
        """Every request, in the order of the responses."""
        return tuple(self._recorded)

    @property
    def requests(self) -> int:
        """The number of requests, including retries."""
        return len(self._recorded)

    @property
    def operations(self) -> list[str]:
        """The DynamoDB operation of every request, in the order of the responses."""
        return [each.operation for each in self._recorded]

    @property
    def read_units(self) -> float:
        """The read capacity units of all requests."""
        return sum(each.read_units for each in self._recorded)

    @property
    def write_units(self) -> float:
        """The write capacity units of all requests."""
        return sum(each.write_units for each in self._recorded)

    def __str__(self) -> str:
        lines = [f"  {number}. {each}" for number, each in enumerate(self._recorded, start=1)]
        total = f"{self.requests} requests, {self.read_units} read units, {self.write_units} write units"
        return "\n".join([*lines, f"  total: {total}"])


_active_blocks: ContextVar[tuple[RecordedUsage, ...]] = ContextVar("singletable_measure", default=())


@contextmanager
def measure(table: Table) -> Generator[RecordedUsage, None, None]:
    """Record the requests that a block sends to an open table, sync or async: `with measure(shop) as usage: ...`.

    Tasks and threads that the block starts are included. Tasks that run outside the block at the same time are not
    included.
    """
    transport = _recording_transport(table)
    usage = RecordedUsage()
    token = _active_blocks.set((*_active_blocks.get(), usage))
    transport.begin(usage)
    try:
        yield usage
    finally:
        transport.end(usage)
        with suppress(ValueError):  # an async generator fixture can start and end in different contexts
            _active_blocks.reset(token)


@contextmanager
def uses(
    table: Table, *, requests: int | None = None, read_units: float | None = None, write_units: float | None = None
) -> Generator[RecordedUsage, None, None]:
    """Assert that a block uses exactly this many requests or units. The AssertionError lists every request."""
    __tracebackhide__ = True
    expected = _expected(requests, read_units, write_units)
    with measure(table) as usage:
        yield usage
    failed = {name: value for name, value in expected.items() if getattr(usage, name) != value}
    _assert_none(failed, usage, "")


@contextmanager
def uses_at_most(
    table: Table, *, requests: int | None = None, read_units: float | None = None, write_units: float | None = None
) -> Generator[RecordedUsage, None, None]:
    """Assert that a block uses at most this many requests or units. The AssertionError lists every request."""
    __tracebackhide__ = True
    expected = _expected(requests, read_units, write_units)
    with measure(table) as usage:
        yield usage
    failed = {name: value for name, value in expected.items() if getattr(usage, name) > value}
    _assert_none(failed, usage, "at most ")


def _expected(requests: int | None, read_units: float | None, write_units: float | None) -> dict[str, float]:
    given = {"requests": requests, "read_units": read_units, "write_units": write_units}
    expected = {name: value for name, value in given.items() if value is not None}
    if not expected:
        raise ArgumentRefused("pass at least one of requests=, read_units= and write_units=")
    return expected


def _assert_none(failed: dict[str, float], usage: RecordedUsage, bound: str) -> None:
    __tracebackhide__ = True
    if failed:
        differences = "; ".join(
            f"{getattr(usage, name)} {name.replace('_', ' ')}, expected {bound}{value}"
            for name, value in failed.items()
        )
        raise AssertionError(f"the block used {differences}:\n{usage}")


class _Capacity(msgspec.Struct, rename="pascal", frozen=True):
    capacity_units: float = 0.0


class _Response(msgspec.Struct, rename="pascal", frozen=True):
    consumed_capacity: _Capacity | list[_Capacity] | None = None


class _SentRequest(msgspec.Struct, rename="pascal", frozen=True):
    index_name: str | None = None


_read_response = decoder_of(_Response).decode
_read_request = decoder_of(_SentRequest).decode


class RecordingTransport(Transport):
    """A transport that wraps another transport and records its requests for the active `measure` blocks."""

    def __init__(self, transport: Transport) -> None:
        self.name = transport.name
        self._transport = transport
        self._active: tuple[RecordedUsage, ...] = ()
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def begin(self, usage: RecordedUsage) -> None:
        """Start recording for a block."""
        with self._lock:
            self._active = (*self._active, usage)

    def end(self, usage: RecordedUsage) -> None:
        """Stop recording for a block."""
        with self._lock:
            self._active = tuple(each for each in self._active if each is not usage)

    def send(self, operation: str, body: bytes) -> bytes:
        """Send a request through the wrapped transport."""
        try:
            answer = self._transport.send(operation, body)
        except (RequestRefused, Unreachable) as problem:
            self._record(operation, body, b"{}", problem)
            raise
        self._record(operation, body, answer)
        return answer

    async def send_async(self, operation: str, body: bytes) -> bytes:
        """Send a request through the wrapped transport, asynchronously."""
        try:
            answer = await self._transport.send_async(operation, body)
        except (RequestRefused, Unreachable) as problem:
            self._record(operation, body, b"{}", problem)
            raise
        self._record(operation, body, answer)
        return answer

    def close(self) -> None:
        """Close the wrapped transport."""
        self._transport.close()

    async def close_async(self) -> None:
        """Close the wrapped transport, asynchronously."""
        await self._transport.close_async()

    def _record(
        self, operation: str, body: bytes, answer: bytes, problem: RequestRefused | Unreachable | None = None
    ) -> None:
        blocks = [usage for usage in self._active if _belongs_to(usage)]
        if not blocks:
            return
        capacity = _read_response(answer).consumed_capacity
        several = capacity if isinstance(capacity, list) else [] if capacity is None else [capacity]
        units = sum(each.capacity_units for each in several)
        reads, writes = (units, 0.0) if operation in _READS else (0.0, units)
        error = problem.code if isinstance(problem, RequestRefused) else None if problem is None else "no response"
        recorded = RecordedRequest(operation, _read_request(body).index_name, reads, writes, error)
        for usage in blocks:
            usage._recorded.append(recorded)


def _belongs_to(usage: RecordedUsage) -> bool:
    """Return whether the current request belongs to a block.

    A task inherits the context in which it was started, but a thread may not. If a request on a different thread
    belongs to no block, the function assumes that the block started this thread.
    """
    active = _active_blocks.get()
    return usage in active or (not active and threading.get_ident() != usage._thread)


_install_lock = threading.Lock()


def _recording_transport(table: Table) -> RecordingTransport:
    session = table._opened().session
    with _install_lock:
        known = session.transport
        recording = known if isinstance(known, RecordingTransport) else RecordingTransport(known)
        session.transport = recording
        return recording
