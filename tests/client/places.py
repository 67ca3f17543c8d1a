"""The places where the tests of the data layer open tables: the engine, our server, and servers of other projects.

The peers are installed into the folder of the benchmarks. dynalite and ExtendDB install and start within seconds, so
every run uses them. DynamoDB Local is used only if it was installed before.
"""

from __future__ import annotations

import dataclasses
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
    singletable_program,
)
from bench.engine_bench.server import run_server
from singletable import RequestRefused, Table
from singletable.client.open_table import transport_for
from singletable.engine import Engine

T = TypeVar("T", bound=Table)

EMBEDDED = ("memory", "file")
OURS = "http"
# A client of boto3, which sends every request to an engine in this process.
BOTO3 = "boto3"
PEERS = ("dynalite", "dynamodb-local", "extenddb")
PLACES = (*EMBEDDED, OURS, BOTO3, *PEERS)

LACKS = {
    # Every open table has its own database.
    "memory": frozenset({"several openings"}),
    # They count capacity differently: dynalite counts no index writes, DynamoDB Local counts no missing keys and ends
    # pages by their size after the filter. dynalite has no transactions. In its conditions, no map or list equals
    # another map or list.
    "dynalite": frozenset({"exact units", "transactions", "transactional reads", "equal maps and lists"}),
    "dynamodb-local": frozenset({"exact units", "pages by what is read"}),
    # ExtendDB counts no units for indexes in BatchWriteItem and TransactWriteItems, nor for missing keys in
    # BatchGetItem. It measures the 1 MB of a page after the filter, and returns no LastEvaluatedKey if the last item
    # fills the page. Its begins_with does not find keys that continue with U+10FFFF.
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
    """The place where a test opens its tables."""

    kind: str
    url: Any
    """A URL, or a client of boto3."""
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def open(self, table: type[T], **options: Any) -> T:
        """Return the open table. Create it if it does not exist."""
        return table.open(self.url, **{"create": True, **options})

    def fresh(self, table: type[T], **options: Any) -> T:
        """Return a new table with a unique name, for tests that need many tables."""
        if self.kind == "memory":
            return self.open(table, **options)
        return self.open(table, name=f"{table.design.name}-{next(self._numbers)}", **options)

    @contextmanager
    def clocked(self, table: type[T], now: Callable[[], float]) -> Iterator[T]:
        """Return the table with its own clock. The server deletes no expired items during the test."""
        if self.kind not in EMBEDDED:
            with self.open(table, now=now) as opened:
                yield opened
            return
        with Engine(self.url, now=now, sweep_seconds=None) as engine, table.open(engine, create=True) as opened:
            yield opened

    def needs(self, feature: str) -> None:
        """Skip the test if the server does not support a feature."""
        if not self.has(feature):
            pytest.skip(f"{self.kind} has no {feature}")

    def has(self, feature: str) -> bool:
        """Return whether the server supports a feature."""
        return feature not in LACKS.get(self.kind, ())

    def examples(self, wanted: int) -> int:
        """Return the number of examples of a property test.

        Slow servers run fewer, because the test in memory runs all of them.
        """
        if self.kind == "memory":
            return wanted
        return max(3, wanted // 4) if self.kind == "file" else max(2, wanted // 10)


def call(table: Table, operation: str, **parameters: Any) -> dict[str, Any]:
    """Send one request to the server of an open table."""
    opened = table._opened()
    sent = {"TableName": opened.reader.name, **parameters}
    answer: dict[str, Any] = json.loads(opened.session.transport.send(operation, json.dumps(sent).encode()))
    return answer


def forget_tables(url: Any) -> None:
    """Delete every table of a server."""
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
    """Yield the URL of a server of this worker. Skip the test if the server is not available."""
    try:
        with run_server(kind, _program(kind, folder)) as started:
            yield started.url
    except NotAvailable as reason:
        pytest.skip(f"{kind} cannot be had here: {reason}")


def _program(kind: str, folder: Path) -> Program:
    if kind == OURS:
        return singletable_program(folder / "served.db")
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
    return _with_brief_compilation(program)


def _with_brief_compilation(program: Program) -> Program:
    """Let the Java process of DynamoDB Local only compile quickly: the tests end before it profits from optimizing."""

    def command(port: int) -> list[str]:
        java, *options = program.command(port)
        return [java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", *options]

    return dataclasses.replace(program, command=command)


_INSTALLS: dict[str, Callable[[Path], Program]] = {
    "dynalite": install_dynalite,
    "dynamodb-local": install_dynamodb_local,
}
