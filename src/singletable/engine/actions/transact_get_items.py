"""TransactGetItems: up to a hundred items as they are at one moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from singletable.engine.asked import Projected, projected_by, refuse_parts_of_keys
from singletable.engine.cancellation import NO_REASON, Reason, cancelled, invalid_action
from singletable.engine.capacity import Consumed, told_of_each
from singletable.engine.keys import exact_key
from singletable.engine.table import Item, OpenTable
from singletable.engine.traffic.throttled import Throttled
from singletable.errors import RequestRefused, invalid
from singletable.values.accept import accept_item
from singletable.values.capacity_units import TRANSACTIONAL, read_units
from singletable.values.limits import TRANSACTION_BYTES_MAX
from singletable.wire.transactions import ItemResponse, TransactGetItems, TransactGetItemsResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def transact_get_items(engine: Engine, request: TransactGetItems) -> TransactGetItemsResult:
    """Reads every item from one snapshot of the store."""
    gets = [each.get for each in request.transact_items]
    projections = []
    for get in gets:
        accept_item(get.key)
        projections.append(projected_by(get))
    tables = [engine.catalog.require(get.table_name) for get in gets]
    keys = _keys(tables, [get.key for get in gets], projections)
    if len(set(zip((table.name for table in tables), keys, strict=True))) < len(keys):
        raise invalid("Transaction request cannot include multiple operations on one item")
    units: dict[str, Consumed] = {}
    responses, reasons = [], []
    size_bytes = 0
    with engine.store.snapshot() as connection:
        for table, key, get, projection in zip(tables, keys, gets, projections, strict=True):
            row = table.tree.get(connection, key)
            size = 0 if row is None else row[1]
            size_bytes += size
            reasons.append(_passed(table, key, get.key, size))
            units.setdefault(table.name, Consumed()).table += read_units(size, TRANSACTIONAL)
            responses.append(ItemResponse(item=UNSET if row is None else projection.bytes_of(row[0])))
    if any(reason is not NO_REASON for reason in reasons):
        raise cancelled(reasons)
    if size_bytes > TRANSACTION_BYTES_MAX:
        raise invalid("Aggregated size of all items in the transaction has exceeded the maximum size limit of 4 MB")
    detail = request.return_consumed_capacity
    is_told = detail is not None and detail != "NONE"
    return TransactGetItemsResult(
        responses=responses,
        consumed_capacity=told_of_each(units, detail, "ReadCapacityUnits") if is_told else UNSET,
    )


def _passed(table: OpenTable, key: bytes, named: Item, size: int) -> Reason:
    """Why a read is not let through, if it is not."""
    try:
        if table.traffic is not None:
            table.traffic.read_item(key, named, size, TRANSACTIONAL)
    except Throttled as refusal:
        return invalid_action(refusal)
    return NO_REASON


def _keys(tables: list[OpenTable], named: list[Item], projections: list[Projected]) -> list[bytes]:
    """The stored keys; a read that does not fit its table cancels the transaction and is its reason."""
    keys, reasons = [], []
    for table, key, projection in zip(tables, named, projections, strict=True):
        try:
            stored_key = exact_key(table, key)
            refuse_parts_of_keys(projection.nested_attributes, table)
            keys.append(stored_key)
            reasons.append(NO_REASON)
        except RequestRefused as refusal:
            reasons.append(invalid_action(refusal))
    if len(keys) < len(reasons):
        raise cancelled(reasons)
    return keys
