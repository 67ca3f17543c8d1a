"""GetItem: reads one item by its key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET, Raw, UnsetType

from singletable.engine.items.consumed_capacity import ConsumedUnits, capacity_document
from singletable.engine.items.item_keys import exact_key, fast_request_key
from singletable.engine.items.request_expressions import WHOLE, read_projection, reject_nested_keys
from singletable.engine.legacy.parameters import has_legacy_parameters
from singletable.engine.legacy.read_parameters import attributes_to_get
from singletable.values.fast_path import NotOnFastPath
from singletable.values.item_size import CONSISTENT, EVENTUAL, read_units
from singletable.values.item_validation import accept_item
from singletable.wire.item_requests import GetItem, GetItemResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


def get_item(engine: Engine, request: GetItem) -> GetItemResult:
    """Return the item. If it does not exist, return a result without an item."""
    table = engine.catalog.cached(request.table_name)
    key: bytes | None = None
    if table is not None and table.has_text_keys and request.attributes_to_get is None:
        try:
            key = fast_request_key(table, request.key)
        except NotOnFastPath:
            key = None
    if table is not None and key is not None:
        is_whole = request.projection_expression is None and request.expression_attribute_names is None
        projection = WHOLE if is_whole else read_projection(request)
    else:
        is_legacy = has_legacy_parameters(request)
        accept_item(request.key)
        projection = attributes_to_get(request.attributes_to_get) if is_legacy else read_projection(request)
        table = engine.catalog.require(request.table_name)
        key = exact_key(table, request.key)
    if projection.nested_attributes:
        reject_nested_keys(projection.nested_attributes, table)
    with engine.store.reading() as connection:
        row = table.tree.get(connection, key)
    if table.traffic is not None:
        factor = CONSISTENT if request.consistent_read else EVENTUAL
        table.traffic.read_item(key, request.key, row[1] if row else 0, factor)
    item: Raw | UnsetType = UNSET
    if row is not None:
        item = Raw(row[0]) if projection is WHOLE else projection.bytes_of(row[0])
    detail = request.return_consumed_capacity
    if detail is None or detail == "NONE":
        return GetItemResult(item=item)
    factor = CONSISTENT if request.consistent_read else EVENTUAL
    units = ConsumedUnits(table=read_units(row[1] if row else 0, factor))
    return GetItemResult(item=item, consumed_capacity=capacity_document(table.name, units, detail))
