"""GetItem: one item by its key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET, Raw, UnsetType

from singletable.engine.asked import projected_by, refuse_parts_of_keys
from singletable.engine.capacity import Consumed, told
from singletable.engine.keys import exact_key, plain_key
from singletable.engine.legacy.attributes import attributes_of
from singletable.engine.legacy.parameters import uses_legacy
from singletable.values.accept import accept_item
from singletable.values.capacity_units import CONSISTENT, EVENTUAL, read_units
from singletable.wire.items import GetItem, GetItemResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def get_item(engine: Engine, request: GetItem) -> GetItemResult:
    """Reads the item, or nothing."""
    table = engine.catalog.known(request.table_name)
    key = None if table is None else plain_key(table, request.key)
    if table is None or key is None or request.attributes_to_get is not None:
        is_legacy = uses_legacy(request)
        accept_item(request.key)
        projection = attributes_of(request.attributes_to_get) if is_legacy else projected_by(request)
        table = engine.catalog.require(request.table_name)
        key = exact_key(table, request.key)
    else:
        projection = projected_by(request)
    if projection.nested_attributes:
        refuse_parts_of_keys(projection.nested_attributes, table)
    with engine.store.reading() as connection:
        row = table.tree.get(connection, key)
    if table.traffic is not None:
        factor = CONSISTENT if request.consistent_read else EVENTUAL
        table.traffic.read_item(key, request.key, row[1] if row else 0, factor)
    item: Raw | UnsetType = UNSET if row is None else projection.bytes_of(row[0])
    detail = request.return_consumed_capacity
    if detail is None or detail == "NONE":
        return GetItemResult(item=item)
    factor = CONSISTENT if request.consistent_read else EVENTUAL
    units = Consumed(table=read_units(row[1] if row else 0, factor))
    return GetItemResult(item=item, consumed_capacity=told(table.name, units, detail))
