"""BatchWriteItem: up to 25 puts and deletes, each by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from singletable.engine.capacity import Consumed, add, told_of_each
from singletable.engine.collection_metrics import collection_metrics
from singletable.engine.item_write import (
    PlannedWrite,
    perform,
    perform_all_blind,
    planned_delete,
    planned_put,
)
from singletable.engine.keys import UnfitKey, no_match
from singletable.engine.table import Item, OpenTable
from singletable.engine.traffic.left_over import LeftOver
from singletable.engine.traffic.throttled import Throttled
from singletable.engine.write import consumed
from singletable.errors import invalid
from singletable.values.accept import ITEM_TOO_LARGE, accept_item
from singletable.values.limits import ITEM_BYTES_MAX
from singletable.wire.batches import BatchWriteItem, BatchWriteItemResult, WriteRequest

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

WRITES_MAX = 25


def batch_write_item(engine: Engine, request: BatchWriteItem) -> BatchWriteItemResult:
    """Writes everything in one go; what is throttled is left over, and refused when that is all."""
    sizes = _accept(request)
    by_table = _planned(engine, request, sizes)
    detail = request.return_consumed_capacity
    is_told = detail is not None and detail != "NONE"
    units: dict[str, Consumed] = {}
    metrics: dict[str, list[dict[str, Any]]] = {}
    left = LeftOver()
    certain = len(by_table) == 1 and by_table[0][0].is_certain
    with engine.store.writing(certain=certain) as connection:
        for table, writes in by_table:
            if not is_told and table.is_bare:
                perform_all_blind(connection, table, writes)
                continue
            for position, write in enumerate(writes):
                try:
                    before, after = perform(connection, write)
                except Throttled as refusal:
                    left.add(table.name, _as_sent(request.request_items[table.name][position]), refusal)
                    continue
                if is_told:
                    add(units, table.name, consumed(table, before, after))
        left.refuse_if_all(sum(len(writes) for _, writes in by_table))
        if request.return_item_collection_metrics == "SIZE":
            for table, writes in by_table:
                if table.has_local_indexes:
                    metrics[table.name] = [collection_metrics(connection, table, write.item) for write in writes]
    return BatchWriteItemResult(
        unprocessed_items=left.by_table,
        item_collection_metrics=metrics or UNSET,
        consumed_capacity=told_of_each(units, detail) if is_told else UNSET,
    )


def _as_sent(write: WriteRequest) -> dict[str, Any]:
    """A write in the form in which it is sent again."""
    if write.put_request is not None:
        return {"PutRequest": {"Item": write.put_request.item}}
    assert write.delete_request is not None
    return {"DeleteRequest": {"Key": write.delete_request.key}}


def _accept(request: BatchWriteItem) -> list[int]:
    """Checks what does not depend on the tables; returns the sizes of the items, in order."""
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
    # The service uses the words of attribute values here, for none as for both.
    raise invalid(
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
    )


def _planned(engine: Engine, request: BatchWriteItem, sizes: list[int]) -> list[tuple[OpenTable, list[PlannedWrite]]]:
    size = iter(sizes)
    by_table = []
    for name, of_table in request.request_items.items():
        table = engine.catalog.require(name)
        writes = [_planned_one(table, each, next(size)) for each in of_table]
        if len({write.key for write in writes}) < len(writes):
            raise invalid("Provided list of item keys contains duplicates")
        by_table.append((table, writes))
    return by_table


def _planned_one(table: OpenTable, each: WriteRequest, size: int) -> PlannedWrite:
    if each.put_request is not None:
        return _planned_put(table, each.put_request.item, size)
    assert each.delete_request is not None
    return planned_delete(table, each.delete_request.key)


def _planned_put(table: OpenTable, item: Item, size: int) -> PlannedWrite:
    """In a batch a put's key is refused in the words of a delete's (captured)."""
    try:
        return planned_put(table, item, size)
    except UnfitKey:
        raise no_match() from None
