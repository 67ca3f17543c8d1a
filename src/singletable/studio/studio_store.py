"""Connection of the studio to a store: opens tables, counts every request, and knows what a request costs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from singletable.client.connected_table import ConnectedTable
from singletable.client.open_table import OpenOptions, open_table
from singletable.client.request_steps import Call
from singletable.errors import RequestRefused
from singletable.model.design import Design
from singletable.sample_rows.generate_rows import sample_rows
from singletable.studio.recorded_requests import RunningTotal, TimedTransport

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

Document = dict[str, Any]
MEMORY = "memory:"


class StudioStore:
    """The store at a URL; tables are opened when a page first needs them."""

    def __init__(self, url: str, *, may_write: bool, table_name: str | None = None) -> None:
        """`table_name` overrides the name in the model, for a model with one table."""
        self.url = url
        self.is_billed = url.startswith("dynamodb:")
        self.may_write = may_write or not self.is_billed
        self.is_sample = url == MEMORY
        self.table_name = table_name
        self.total = RunningTotal()
        self._engine: Engine | None = None
        self._opened: dict[str, tuple[Design, ConnectedTable]] = {}
        self._lock = Lock()

    @property
    def shown_url(self) -> str:
        """The URL without credentials."""
        from singletable.errors import without_secrets

        return without_secrets(self.url) if self.url.startswith("http") else self.url

    @property
    def access(self) -> str:
        """What the store is and whether the studio may change it, as a label."""
        if self.is_sample:
            return "sample rows, in memory"
        if self.is_billed:
            return "AWS, writable" if self.may_write else "AWS, read-only"
        return "engine, writable" if self.url.startswith("file:") else "server, writable"

    def open(self, design: Design) -> ConnectedTable:
        """Return the open table of a design; a new version of the model opens the table again."""
        with self._lock:
            known = self._opened.get(design.name)
            if known is not None and known[0] is design:
                return known[1]
            opened = self._connect(design)
            self._opened[design.name] = design, opened
            return opened

    def _connect(self, design: Design) -> ConnectedTable:
        place = self._place()
        name = self.table_name or design.name
        options = OpenOptions(create=self.is_sample, name=name, unreadable="report")
        opened = open_table(design, place, options)
        if self.is_sample and design.name not in self._opened:
            _fill(opened, design, name)
        opened.session.transport = TimedTransport(opened.session.transport, self.total)
        return opened

    def _place(self) -> str | Engine:
        """Return the URL, or the one engine of this process, so that its data survives a new version of the model."""
        if not (self.is_sample or self.url.startswith("file:")):
            return self.url
        if self._engine is None:
            from singletable.engine.engine import Engine

            self._engine = Engine(self.url)
        return self._engine

    def close(self) -> None:
        """Close all tables and the engine."""
        for _, opened in self._opened.values():
            opened.session.close()
        if self._engine is not None:
            self._engine.close()


@dataclass(frozen=True)
class RehearsedWrite:
    """One action of a write, run on a copy of the items in memory: its items before and after, and its units."""

    before: Document | None
    after: Document | None
    units: Mapping[str, float]
    """The units of the table (`table`) and of each index."""
    error: str = ""


@dataclass(frozen=True)
class StatementAccess:
    """The operation that a PartiQL statement becomes."""

    operation: str
    index: str
    """The index, or `table`."""
    keys: tuple[str, ...]
    filter: str

    @property
    def is_write(self) -> bool:
        """Whether the statement changes an item."""
        return self.operation in ("PutItem", "UpdateItem", "DeleteItem")


def access_of(design: Design, name: str, statement: str, parameters: Sequence[Any] | None) -> StatementAccess:
    """Return how DynamoDB executes a PartiQL statement on a table, without executing it."""
    from singletable.engine.engine import Engine
    from singletable.engine.partiql.access_description import describe_access

    engine = Engine(MEMORY)
    try:
        open_table(design, engine, OpenOptions(create=True, name=name))
        found = describe_access(engine, statement, parameters)
        return StatementAccess(found.operation, found.index or "table", found.keys, found.filter or "")
    finally:
        engine.close()


def rehearse(
    design: Design, items: Iterable[Document], writes: Sequence[tuple[str, Document, Document]]
) -> list[RehearsedWrite]:
    """Run writes, each an operation with its parameters and its key, on a copy of the items in memory."""
    from singletable.engine.engine import Engine

    engine = Engine(MEMORY)
    try:
        opened = open_table(design, engine, OpenOptions(create=True))
        for item in items:
            send(opened, "PutItem", {"TableName": design.name, "Item": item})
        return [_rehearsed(opened, design.name, *write) for write in writes]
    finally:
        engine.close()


def _rehearsed(
    opened: ConnectedTable, name: str, operation: str, parameters: Document, key: Document
) -> RehearsedWrite:
    read = {"TableName": name, "Key": key, "ConsistentRead": True}
    before = send(opened, "GetItem", read).get("Item")
    try:
        answer = send(opened, operation, {**parameters, "ReturnConsumedCapacity": "INDEXES"})
    except RequestRefused as problem:
        return RehearsedWrite(before, before, {}, str(problem))
    consumed = answer["ConsumedCapacity"]
    (of_table,) = consumed if isinstance(consumed, list) else (consumed,)
    units = {"table": float(of_table["Table"]["CapacityUnits"])}
    for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        units |= {index: float(each["CapacityUnits"]) for index, each in of_table.get(kind, {}).items()}
    return RehearsedWrite(before, send(opened, "GetItem", read).get("Item"), units)


def send(opened: ConnectedTable, operation: str, parameters: Document) -> Document:
    """Send one request and return its response."""
    response: Document = json.loads(opened.session.send(Call(operation, parameters)))
    return response


def _fill(opened: ConnectedTable, design: Design, name: str) -> None:
    """Put the sample rows of the model into an empty table in memory."""
    for item in sample_rows(design).stored:
        send(opened, "PutItem", {"TableName": name, "Item": _plain(item)})


def _plain(item: Mapping[str, Mapping[str, Any]]) -> Document:
    return {name: dict(value) for name, value in item.items()}
