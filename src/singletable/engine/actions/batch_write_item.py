"""BatchWriteItem: up to 25 independent puts and deletes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from singletable.engine.items.consumed_capacity import (
    ConsumedUnits,
    add_units,
    capacity_per_table,
    collection_metrics,
    units_of_write,
)
from singletable.engine.items.item_keys import InvalidItemKey, key_schema_mismatch
from singletable.engine.items.item_writes import (
    PlannedWrite,
    perform,
    perform_all_fast_path,
    planned_delete,
    planned_put,
)
from singletable.engine.tables.stored_table import Item, StoredTable
from singletable.engine.traffic.throttling import ThrottledRequest, UnprocessedParts
from singletable.errors import invalid
from singletable.values.item_validation import ITEM_TOO_LARGE, accept_item
from singletable.values.limits import ITEM_BYTES_MAX
from singletable.wire.item_requests import BatchWriteItem, BatchWriteItemResult, WriteRequest

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

WRITES_MAX = 25


def batch_write_item(engine: Engine, request: BatchWriteItem) -> BatchWriteItemResult:
    """Run all writes in one transaction of the store, and return throttled writes as UnprocessedItems.

    Raise a throttling error if every write is throttled.
    """
    sizes = _accept(request)
    by_table = _planned(engine, request, sizes)
    detail = request.return_consumed_capacity
    returns_capacity = detail is not None and detail != "NONE"
    units: dict[str, ConsumedUnits] = {}
    metrics: dict[str, list[dict[str, Any]]] = {}
    unprocessed = UnprocessedParts()
    needs_savepoint = len(by_table) != 1 or by_table[0][0].needs_savepoint
    with engine.store.writing(savepoint=needs_savepoint) as connection:
        for table, writes in by_table:
            if not returns_capacity and table.writes_items_only:
                perform_all_fast_path(connection, table, writes)
                continue
            for position, write in enumerate(writes):
                try:
                    before, after = perform(connection, write)
                except ThrottledRequest as error:
                    unprocessed.add(table.name, _as_sent(request.request_items[table.name][position]), error)
                    continue
                if returns_capacity:
                    add_units(units, table.name, units_of_write(table, before, after))
        unprocessed.raise_if_all_throttled(sum(len(writes) for _, writes in by_table))
        if request.return_item_collection_metrics == "SIZE":
            for table, writes in by_table:
                if table.has_local_indexes:
                    metrics[table.name] = [collection_metrics(connection, table, write.item) for write in writes]
    return BatchWriteItemResult(
        unprocessed_items=unprocessed.by_table,
        item_collection_metrics=metrics or UNSET,
        consumed_capacity=capacity_per_table(units, detail) if returns_capacity else UNSET,
    )


def _as_sent(write: WriteRequest) -> dict[str, Any]:
    """Return a write in the request format, so that the client can send the write again."""
    if write.put_request is not None:
        return {"PutRequest": {"Item": write.put_request.item}}
    assert write.delete_request is not None
    return {"DeleteRequest": {"Key": write.delete_request.key}}


def _accept(request: BatchWriteItem) -> list[int]:
    """Run the checks that need no table; return the sizes of the items, in request order."""
    if not request.request_items:
        raise invalid("The requestItems parameter is required for BatchWriteItem")
    writes = [write for of_table in request.request_items.values() for write in of_table]
    if len(writes) > WRITES_MAX:
        raise invalid("Too many items requested for the BatchWriteItem call")
    sizes = [accept_item(_only(write)) for write in writes]
    if any(size > ITEM_BYTES_MAX for size in sizes):
        raise invalid(ITEM_TOO_LARGE)
    return sizes


def _only(write: WriteRequest) -> dict[str, Any]:
    put, delete = write.put_request, write.delete_request
    if put is not None and delete is None:
        return put.item
    if delete is not None and put is None:
        return delete.key
    # If a write has both a put and a delete, or neither, DynamoDB returns its error for invalid attribute values.
    raise invalid(
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
    )


def _planned(engine: Engine, request: BatchWriteItem, sizes: list[int]) -> list[tuple[StoredTable, list[PlannedWrite]]]:
    size = iter(sizes)
    by_table = []
    for name, of_table in request.request_items.items():
        table = engine.catalog.require(name)
        writes = [_planned_one(table, each, next(size)) for each in of_table]
        if len({write.key for write in writes}) < len(writes):
            raise invalid("Provided list of item keys contains duplicates")
        by_table.append((table, writes))
    return by_table


def _planned_one(table: StoredTable, each: WriteRequest, size: int) -> PlannedWrite:
    if each.put_request is not None:
        return _planned_put(table, each.put_request.item, size)
    assert each.delete_request is not None
    return planned_delete(table, each.delete_request.key)


def _planned_put(table: StoredTable, item: Item, size: int) -> PlannedWrite:
    """Plan a put. For an invalid key, raise the same error as a delete, as DynamoDB does (captured from AWS)."""
    try:
        return planned_put(table, item, size)
    except InvalidItemKey:
        raise key_schema_mismatch() from None
