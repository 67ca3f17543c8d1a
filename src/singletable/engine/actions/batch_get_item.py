"""BatchGetItem: reads up to 100 items from one or more tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET, Raw

from singletable.engine.items.consumed_capacity import ConsumedUnits, capacity_per_table
from singletable.engine.items.item_keys import exact_key
from singletable.engine.items.request_expressions import ItemProjection, read_projection, reject_nested_keys
from singletable.engine.legacy.parameters import has_legacy_parameters
from singletable.engine.legacy.read_parameters import attributes_to_get
from singletable.engine.tables.stored_table import Item, StoredTable
from singletable.engine.traffic.throttling import ThrottledRequest, UnprocessedParts
from singletable.errors import invalid
from singletable.values.item_size import CONSISTENT, EVENTUAL, read_units
from singletable.values.item_validation import accept_item
from singletable.values.limits import BATCH_GET_KEYS_MAX, RESPONSE_BYTES_MAX
from singletable.wire.item_requests import BatchGetItem, BatchGetItemResult, KeysAndAttributes

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


DUPLICATES = "Provided list of item keys contains duplicates"


def batch_get_item(engine: Engine, request: BatchGetItem) -> BatchGetItemResult:
    """Read items up to a total of 16 MB. Return throttled keys, and keys beyond this limit, as UnprocessedKeys."""
    projections = _accept(request)
    reads = [
        (table := engine.catalog.require(name), _keys(table, requested, projection), requested, projection)
        for (name, requested), projection in zip(request.request_items.items(), projections, strict=True)
    ]
    responses: dict[str, list[Raw]] = {}
    unprocessed = UnprocessedParts()
    units: dict[str, ConsumedUnits] = {}
    bytes_left = RESPONSE_BYTES_MAX
    with engine.store.reading() as connection:
        for table, keys, requested, projection in reads:
            found = responses.setdefault(table.name, [])
            factor = CONSISTENT if requested.consistent_read else EVENTUAL
            of_table = units.setdefault(table.name, ConsumedUnits())
            for position, key in enumerate(keys):
                row = table.tree.get(connection, key)
                size = 0 if row is None else row[1]
                if size > bytes_left:
                    bytes_left = 0
                    unprocessed.add_all(table.name, requested.keys[position:])
                    break
                try:
                    if table.traffic is not None:
                        table.traffic.read_item(key, requested.keys[position], size, factor)
                except ThrottledRequest as error:
                    unprocessed.add(table.name, requested.keys[position], error)
                    continue
                bytes_left -= size
                of_table.table += read_units(size, factor)
                if row is not None:
                    found.append(projection.bytes_of(row[0]))
    unprocessed.raise_if_all_throttled(sum(len(keys) for _, keys, _, _ in reads))
    detail = request.return_consumed_capacity
    returns_capacity = detail is not None and detail != "NONE"
    return BatchGetItemResult(
        responses=responses,
        unprocessed_keys={
            name: _unprocessed(request.request_items[name], keys) for name, keys in unprocessed.by_table.items()
        },
        consumed_capacity=capacity_per_table(units, detail) if returns_capacity else UNSET,
    )


def _accept(request: BatchGetItem) -> list[ItemProjection]:
    """Run the checks that need no table. Return the projection of each table's request, in order."""
    if not request.request_items:
        raise invalid("The requestItems parameter is required for BatchGetItem")
    for name, requested in request.request_items.items():
        if len(requested.keys) > BATCH_GET_KEYS_MAX:
            raise invalid(
                f"1 validation error detected: Value at 'RequestItems.{name}.member.Keys' failed to satisfy "
                f"constraint: Member must have length less than or equal to {BATCH_GET_KEYS_MAX}"
            )
    if sum(len(requested.keys) for requested in request.request_items.values()) > BATCH_GET_KEYS_MAX:
        raise invalid("Too many items requested for the BatchGetItem call")
    is_legacy = has_legacy_parameters(*request.request_items.values())
    projections = []
    for requested in request.request_items.values():
        projections.append(attributes_to_get(requested.attributes_to_get) if is_legacy else read_projection(requested))
        for key in requested.keys:
            accept_item(key)
        if len({repr(sorted(key.items())) for key in requested.keys}) < len(requested.keys):
            raise invalid(DUPLICATES)
    return projections


def _keys(table: StoredTable, requested: KeysAndAttributes, projection: ItemProjection) -> list[bytes]:
    keys = [exact_key(table, key) for key in requested.keys]
    reject_nested_keys(projection.nested_attributes, table)
    if len(set(keys)) < len(keys):
        raise invalid(DUPLICATES)
    return keys


def _unprocessed(requested: KeysAndAttributes, keys: list[Item]) -> dict[str, object]:
    """Return the request for the unprocessed keys, ready to be sent again."""
    parameters = {
        "Keys": keys,
        "AttributesToGet": requested.attributes_to_get,
        "ConsistentRead": requested.consistent_read,
        "ProjectionExpression": requested.projection_expression,
        "ExpressionAttributeNames": requested.expression_attribute_names,
    }
    return {name: value for name, value in parameters.items() if value is not None}
