"""Where the tests of the data layer open their tables: the engine, our server, and servers that are not ours.

The peers are installed into the folder of the benchmarks. dynalite and ExtendDB install and start within seconds, so
every run has them; DynamoDB Local takes part where it was installed before.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import pytest

from bench.engine_bench.command import CACHE
from bench.engine_bench.peers import (
    NotAvailable,
    Program,
    install_dynalite,
    install_dynamodb_local,
    install_extenddb,
    ours,
)
from bench.engine_bench.server import running
from singletable import RequestRefused, Table
from singletable.client.connecting import transport_for
from singletable.engine import Engine

T = TypeVar("T", bound=Table)

EMBEDDED = ("memory", "file")
OURS = "http"
PEERS = ("dynalite", "dynamodb-local", "extenddb")
PLACES = (*EMBEDDED, OURS, *PEERS)

LACKS = {
    # Every table that is opened there is alone.
    "memory": frozenset({"several openings"}),
    # They count units by rules of their own: dynalite none of what indexes take, DynamoDB Local none for keys that are
    # not there, and its pages end by what a filter leaves of them. dynalite knows no transactions, and to it no map or
    # list equals another in a condition.
    "dynalite": frozenset({"exact units", "transactions", "transactional reads", "equal maps and lists"}),
    "dynamodb-local": frozenset({"exact units", "pages by what is read"}),
    # ExtendDB counts no units for indexes in BatchWriteItem and TransactWriteItems, nor for missing keys in
    # BatchGetItem. It measures the 1 MB of a page after the filter, returns no LastEvaluatedKey when the last item
    # fills the page, and its begins_with misses keys that continue with U+10FFFF.
    "extenddb": frozenset(
        {
            "exact units",
            "pages by what is read",
            "LastEvaluatedKey after a full last page",
            "begins_with for U+10FFFF",
        }
    ),
}


@dataclass(frozen=True)
class Place:
    """Where a test opens its tables."""

    kind: str
    url: str
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def open(self, table: type[T], **options: Any) -> T:
        """The table, made when it is not there."""
        return table.open(self.url, **{"create": True, **options})

    def fresh(self, table: type[T], **options: Any) -> T:
        """A table that nobody has opened before, under a name of its own; for what one test does many times."""
        if self.kind == "memory":
            return self.open(table, **options)
        return self.open(table, name=f"{table.design.name}-{next(self._numbers)}", **options)

    @contextmanager
    def clocked(self, table: type[T], now: Callable[[], float]) -> Iterator[T]:
        """The table with a clock of its own, in which nothing is deleted by time while a test looks at it."""
        if self.kind not in EMBEDDED:
            with self.open(table, now=now) as opened:
                yield opened
            return
        with Engine(self.url, now=now, sweep_seconds=None) as engine, table.open(engine, create=True) as opened:
            yield opened

    def needs(self, feature: str) -> None:
        """Skips the test where the server does not have what it is about."""
        if not self.has(feature):
            pytest.skip(f"{self.kind} has no {feature}")

    def has(self, feature: str) -> bool:
        """Whether the server has something that not all of them have."""
        return feature not in LACKS.get(self.kind, ())

    def examples(self, wanted: int) -> int:
        """How many examples a property is tried with: fewer where each takes its time, or memory has tried them."""
        if self.kind == "memory":
            return wanted
        return max(3, wanted // 4) if self.kind == "file" else max(2, wanted // 10)


def call(table: Table, operation: str, **parameters: Any) -> dict[str, Any]:
    """One request of a test's own, to wherever a table is open."""
    opened = table._opened()
    sent = {"TableName": opened.reader.name, **parameters}
    answer: dict[str, Any] = json.loads(opened.session.transport.send(operation, json.dumps(sent).encode()))
    return answer


def forget_tables(url: str) -> None:
    """Deletes every table of a server, so that the next test finds none."""
    transport = transport_for(url)
    try:
        for name in json.loads(transport.send("ListTables", b"{}"))["TableNames"]:
            try:
                transport.send("DeleteTable", json.dumps({"TableName": name}).encode())
            except RequestRefused as refusal:
                if refusal.code != "ResourceNotFoundException":
                    raise
    finally:
        transport.close()


@contextmanager
def server(kind: str, folder: Path) -> Iterator[str]:
    """The URL of a server of this worker's own; skips the tests that need one which cannot be had."""
    try:
        with running(kind, _program(kind, folder)) as started:
            yield started.url
    except NotAvailable as reason:
        pytest.skip(f"{kind} cannot be had here: {reason}")


def _program(kind: str, folder: Path) -> Program:
    if kind == OURS:
        return ours(folder / "served.db")
    if kind == "dynamodb-local" and not (CACHE.expanduser() / kind / "resolved").exists():
        raise NotAvailable("it was not installed before; make differential does")
    installed = CACHE.expanduser().resolve() / kind
    installed.mkdir(parents=True, exist_ok=True)
    with (installed.parent / f"{kind}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if kind == "extenddb":
            return install_extenddb(installed, folder / "extenddb.db")
        program = _INSTALLS[kind](installed)
    if kind == "dynalite":
        return Program(program.version, lambda port: [*program.command(port), "--deleteTableMs", "0"])
    return program


_INSTALLS: dict[str, Callable[[Path], Program]] = {
    "dynalite": install_dynalite,
    "dynamodb-local": install_dynamodb_local,
}
