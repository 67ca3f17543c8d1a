"""Connection of the studio to a store: opens tables, counts every request, and computes the cost of requests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from singletable.client.connected_table import ConnectedTable
from singletable.client.items.item_types import ItemTypes
from singletable.client.open_table import OpenOptions, open_table
from singletable.client.request_steps import Call
from singletable.errors import RequestRefused, SingletableError
from singletable.model.design import Design
from singletable.model.table_schema import RESERVED_PREFIX
from singletable.planner.stored_items import item_of, values_of
from singletable.sample_rows.generate_rows import sample_rows
from singletable.studio.recorded_requests import RunningTotal, TimedTransport

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

Document = dict[str, Any]
MEMORY = "memory:"


class StudioStore:
    """The store at a URL. A table is opened when a page first needs it."""

    def __init__(self, url: str, *, may_write: bool, table_name: str | None = None) -> None:
        """Store the settings. `table_name` overrides the name in the model, for a model with one table."""
        self.url = url
        self.is_billed = url.startswith("dynamodb:")
        self.may_write = may_write or not self.is_billed
        self.is_sample = url == MEMORY
        self.is_in_process = self.is_sample or url.startswith("file:")
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
        """The kind of store, and whether the studio may change it, as a label."""
        if self.is_sample:
            return "sample rows, in memory"
        if self.is_billed:
            return "AWS, writable" if self.may_write else "AWS, read-only"
        return "engine, writable" if self.url.startswith("file:") else "server, writable"

    def open(self, design: Design) -> ConnectedTable:
        """Return the open table of a design. A new version of the model opens the table again."""
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
        known = self._opened.get(design.name)
        items = self._taken(design, name) if self.is_sample and known is not None else None
        options = OpenOptions(create=self.is_sample, name=name, unreadable="report")
        opened = open_table(design, place, options)
        if self.is_sample and design.name not in self._opened:
            _fill(opened, design, name)
        for item in items or ():
            send(opened, "PutItem", {"TableName": name, "Item": item})
        opened.session.transport = TimedTransport(opened.session.transport, self.total)
        return opened

    def _taken(self, design: Design, name: str) -> list[Document]:
        """Delete a table in memory whose model has changed; return its items with the keys of the new model."""
        assert self._engine is not None, "a table in memory has an engine"
        items: list[Document] = []
        request: Document = {"TableName": name}
        while True:
            answer = self._engine.call("Scan", request)
            items += answer["Items"]
            if "LastEvaluatedKey" not in answer:
                break
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
        self._engine.call("DeleteTable", {"TableName": name})
        types = ItemTypes(design)
        found = (_with_new_keys(design, types, item) for item in items if not _is_state(design, item))
        return [item for item in found if item is not None]

    def _place(self) -> str | Engine:
        """Return the URL, or the one engine of this process, whose data remains after a new version of the model."""
        if not self.is_in_process:
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
    """The operation with which DynamoDB executes a PartiQL statement, such as a Query or a Scan."""

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


def _is_state(design: Design, item: Document) -> bool:
    """Return whether an item is the design state, which a new table gets again."""
    partition = item.get(design.table.partition[0].name) or {}
    return str(partition.get("S", "")).startswith(RESERVED_PREFIX)


def _with_new_keys(design: Design, types: ItemTypes, item: Document) -> Document | None:
    """Return an item with the keys that a model writes; None if the table of the model cannot store it."""
    keys = {name for index in design.indexes.values() for name in index.key_attributes}
    entity = types.entity_of(item)
    if entity is not None and not types.is_marker(item):
        try:
            written = item_of(design, entity, values_of(entity, types.decoder(entity).read(item)))
        except SingletableError:
            return item if _has_key(design, item) else None
        return {**{name: value for name, value in item.items() if name not in keys}, **_plain(written)}
    return item if _has_key(design, item) else None


def _has_key(design: Design, item: Document) -> bool:
    return all(each.type in item.get(each.name, {}) for each in (*design.table.partition, *design.table.sort))


def _fill(opened: ConnectedTable, design: Design, name: str) -> None:
    """Put the sample rows of the model into an empty table in memory."""
    for item in sample_rows(design).stored:
        send(opened, "PutItem", {"TableName": name, "Item": _plain(item)})


def _plain(item: Mapping[str, Mapping[str, Any]]) -> Document:
    return {name: dict(value) for name, value in item.items()}
