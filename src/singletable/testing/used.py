"""What a block of code asked of a table: its requests with their units, counted, listed, and held against a promise."""

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
from singletable.wire.decoders import decoder_of

_READS = frozenset({"BatchGetItem", "GetItem", "Query", "Scan", "TransactGetItems"})


@dataclass(frozen=True)
class Made:
    """One request: the operation by DynamoDB's name, the index it read (None for the table), and its units."""

    operation: str
    index: str | None = None
    read_units: float = 0.0
    write_units: float = 0.0
    refusal: str | None = None
    """Why it was refused. What a refused request consumed DynamoDB does not say."""

    def __str__(self) -> str:
        units = f"{self.read_units} read" if self.operation in _READS else f"{self.write_units} write"
        said = f"refused: {self.refusal}" if self.refusal else f"{units} units"
        return f"{self.operation:<18} {self.index or 'the table':<12} {said}"


class Used:
    """What was used so far; complete when its block is over."""

    def __init__(self) -> None:
        self._made: list[Made] = []
        self._thread = threading.get_ident()

    @property
    def made(self) -> tuple[Made, ...]:
        """Every request, in the order of the answers."""
        return tuple(self._made)

    @property
    def requests(self) -> int:
        """How many requests were sent, those included that were sent again."""
        return len(self._made)

    @property
    def operations(self) -> list[str]:
        """The operations by DynamoDB's names, in the order of the answers."""
        return [each.operation for each in self._made]

    @property
    def read_units(self) -> float:
        """The read capacity units of all of them."""
        return sum(each.read_units for each in self._made)

    @property
    def write_units(self) -> float:
        """The write capacity units of all of them."""
        return sum(each.write_units for each in self._made)

    def __str__(self) -> str:
        lines = [f"  {number}. {each}" for number, each in enumerate(self._made, start=1)]
        total = f"{self.requests} requests, {self.read_units} read units, {self.write_units} write units"
        return "\n".join([*lines, f"  together {total}"])


_inside: ContextVar[tuple[Used, ...]] = ContextVar("singletable_measured", default=())


@contextmanager
def measured(table: Table) -> Generator[Used, None, None]:
    """Counts what a block asks of an open table, awaited or not: `with measured(shop) as used: ...`.

    Tasks and threads that the block starts count as its own; what other tasks do at the same time does not.
    """
    recording = _recording(table)
    used = Used()
    token = _inside.set((*_inside.get(), used))
    recording.begin(used)
    try:
        yield used
    finally:
        recording.end(used)
        with suppress(ValueError):  # a generator that is an async fixture ends in another context than it began in
            _inside.reset(token)


@contextmanager
def uses(
    table: Table, *, requests: int | None = None, read_units: float | None = None, write_units: float | None = None
) -> Generator[Used, None, None]:
    """Holds a block to exactly so many requests or units; an AssertionError lists every request otherwise."""
    __tracebackhide__ = True
    promised = _promised(requests, read_units, write_units)
    with measured(table) as used:
        yield used
    broken = {name: said for name, said in promised.items() if getattr(used, name) != said}
    _hold(used, broken, "")


@contextmanager
def uses_at_most(
    table: Table, *, requests: int | None = None, read_units: float | None = None, write_units: float | None = None
) -> Generator[Used, None, None]:
    """Holds a block to no more than so many requests or units; an AssertionError lists every request otherwise."""
    __tracebackhide__ = True
    promised = _promised(requests, read_units, write_units)
    with measured(table) as used:
        yield used
    broken = {name: said for name, said in promised.items() if getattr(used, name) > said}
    _hold(used, broken, "at most ")


def _promised(requests: int | None, read_units: float | None, write_units: float | None) -> dict[str, float]:
    given = {"requests": requests, "read_units": read_units, "write_units": write_units}
    promised = {name: value for name, value in given.items() if value is not None}
    if not promised:
        raise ArgumentRefused("say what the block may use: requests=, read_units= or write_units=")
    return promised


def _hold(used: Used, broken: dict[str, float], bound: str) -> None:
    __tracebackhide__ = True
    if broken:
        said = "; ".join(
            f"{getattr(used, name)} {name.replace('_', ' ')}, not {bound}{value}" for name, value in broken.items()
        )
        raise AssertionError(f"the block used {said}:\n{used}")


class _Capacity(msgspec.Struct, rename="pascal", frozen=True):
    capacity_units: float = 0.0


class _Answer(msgspec.Struct, rename="pascal", frozen=True):
    consumed_capacity: _Capacity | list[_Capacity] | None = None


class _Asked(msgspec.Struct, rename="pascal", frozen=True):
    index_name: str | None = None


_read_answer = decoder_of(_Answer).decode
_read_asked = decoder_of(_Asked).decode


class Recording(Transport):
    """A transport that notes what goes through another one, for the blocks that are being measured."""

    def __init__(self, transport: Transport) -> None:
        self.name = transport.name
        self._transport = transport
        self._active: tuple[Used, ...] = ()
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def begin(self, used: Used) -> None:
        """Notes requests for a block from now on."""
        with self._lock:
            self._active = (*self._active, used)

    def end(self, used: Used) -> None:
        """Notes no more of them."""
        with self._lock:
            self._active = tuple(each for each in self._active if each is not used)

    def send(self, operation: str, body: bytes) -> bytes:
        """The answer of the transport behind it."""
        try:
            answer = self._transport.send(operation, body)
        except (RequestRefused, Unreachable) as problem:
            self._note(operation, body, b"{}", problem)
            raise
        self._note(operation, body, answer)
        return answer

    async def send_async(self, operation: str, body: bytes) -> bytes:
        """The same, awaited."""
        try:
            answer = await self._transport.send_async(operation, body)
        except (RequestRefused, Unreachable) as problem:
            self._note(operation, body, b"{}", problem)
            raise
        self._note(operation, body, answer)
        return answer

    def close(self) -> None:
        """Closes the transport behind it."""
        self._transport.close()

    async def close_async(self) -> None:
        """The same, awaited."""
        await self._transport.close_async()

    def _note(
        self, operation: str, body: bytes, answer: bytes, problem: RequestRefused | Unreachable | None = None
    ) -> None:
        blocks = [used for used in self._active if _is_of(used)]
        if not blocks:
            return
        capacity = _read_answer(answer).consumed_capacity
        several = capacity if isinstance(capacity, list) else [] if capacity is None else [capacity]
        units = sum(each.capacity_units for each in several)
        reads, writes = (units, 0.0) if operation in _READS else (0.0, units)
        refusal = problem.code if isinstance(problem, RequestRefused) else None if problem is None else "no answer"
        made = Made(operation, _read_asked(body).index_name, reads, writes, refusal)
        for used in blocks:
            used._made.append(made)


def _is_of(used: Used) -> bool:
    """Whether the request that is under way belongs to a block.

    A task carries the context that it was started in. A thread may carry none: on another thread than the block's, a
    request of no block at all is taken for one of a thread that the block has started.
    """
    inside = _inside.get()
    return used in inside or (not inside and threading.get_ident() != used._thread)


_INSTALLING = threading.Lock()


def _recording(table: Table) -> Recording:
    session = table._opened().session
    with _INSTALLING:
        known = session.transport
        recording = known if isinstance(known, Recording) else Recording(known)
        session.transport = recording
        return recording
