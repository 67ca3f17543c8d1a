"""TransactGetItems: reads up to 100 items from one snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from singletable.engine.items.consumed_capacity import ConsumedUnits, capacity_per_table
from singletable.engine.items.item_keys import exact_key
from singletable.engine.items.request_expressions import ItemProjection, read_projection, reject_nested_keys
from singletable.engine.items.transaction_execution import NO_REASON, Reason, cancelled_error, invalid_action_reason
from singletable.engine.tables.stored_table import Item, StoredTable
from singletable.engine.traffic.throttling import ThrottledRequest
from singletable.errors import RequestRefused, invalid
from singletable.values.item_size import TRANSACTIONAL, read_units
from singletable.values.item_validation import accept_item
from singletable.values.limits import TRANSACTION_BYTES_MAX
from singletable.wire.item_requests import ItemResponse, TransactGetItems, TransactGetItemsResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def transact_get_items(engine: Engine, request: TransactGetItems) -> TransactGetItemsResult:
    """Read all items from one snapshot of the store."""
    gets = [each.get for each in request.transact_items]
    projections = []
    for get in gets:
        accept_item(get.key)
        projections.append(read_projection(get))
    tables = [engine.catalog.require(get.table_name) for get in gets]
    keys = _keys(tables, [get.key for get in gets], projections)
    if len(set(zip((table.name for table in tables), keys, strict=True))) < len(keys):
        raise invalid("Transaction request cannot include multiple operations on one item")
    units: dict[str, ConsumedUnits] = {}
    responses, reasons = [], []
    size_bytes = 0
    with engine.store.snapshot() as connection:
        for table, key, get, projection in zip(tables, keys, gets, projections, strict=True):
            row = table.tree.get(connection, key)
            size = 0 if row is None else row[1]
            size_bytes += size
            reasons.append(_throttling_reason(table, key, get.key, size))
            units.setdefault(table.name, ConsumedUnits()).table += read_units(size, TRANSACTIONAL)
            responses.append(ItemResponse(item=UNSET if row is None else projection.bytes_of(row[0])))
    if any(reason is not NO_REASON for reason in reasons):
        raise cancelled_error(reasons)
    if size_bytes > TRANSACTION_BYTES_MAX:
        raise invalid("Aggregated size of all items in the transaction has exceeded the maximum size limit of 4 MB")
    detail = request.return_consumed_capacity
    returns_capacity = detail is not None and detail != "NONE"
    return TransactGetItemsResult(
        responses=responses,
        consumed_capacity=capacity_per_table(units, detail, "ReadCapacityUnits") if returns_capacity else UNSET,
    )


def _throttling_reason(table: StoredTable, key: bytes, named: Item, size: int) -> Reason:
    """Return the cancellation reason for a throttled read, or else NO_REASON."""
    try:
        if table.traffic is not None:
            table.traffic.read_item(key, named, size, TRANSACTIONAL)
    except ThrottledRequest as error:
        return invalid_action_reason(error)
    return NO_REASON


def _keys(tables: list[StoredTable], named: list[Item], projections: list[ItemProjection]) -> list[bytes]:
    """Return the stored key of each read. A read that is invalid for its table cancels the transaction."""
    keys, reasons = [], []
    for table, key, projection in zip(tables, named, projections, strict=True):
        try:
            stored_key = exact_key(table, key)
            reject_nested_keys(projection.nested_attributes, table)
            keys.append(stored_key)
            reasons.append(NO_REASON)
        except RequestRefused as error:
            reasons.append(invalid_action_reason(error))
    if len(keys) < len(reasons):
        raise cancelled_error(reasons)
    return keys
