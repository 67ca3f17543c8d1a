"""BatchGetItem: up to a hundred items of several tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET, Raw

from singletable.engine.asked import Projected, projected_by, refuse_parts_of_keys
from singletable.engine.capacity import Consumed, told_of_each
from singletable.engine.keys import exact_key
from singletable.engine.legacy.attributes import attributes_of
from singletable.engine.legacy.parameters import uses_legacy
from singletable.engine.table import Item, OpenTable
from singletable.engine.traffic.left_over import LeftOver
from singletable.engine.traffic.throttled import Throttled
from singletable.errors import invalid
from singletable.values.accept import accept_item
from singletable.values.capacity_units import CONSISTENT, EVENTUAL, read_units
from singletable.values.limits import BATCH_GET_KEYS_MAX, RESPONSE_BYTES_MAX
from singletable.wire.batches import BatchGetItem, BatchGetItemResult, KeysAndAttributes

if TYPE_CHECKING:
    from singletable.engine.engine import Engine


DUPLICATES = "Provided list of item keys contains duplicates"


def batch_get_item(engine: Engine, request: BatchGetItem) -> BatchGetItemResult:
    """Reads until 16 MB are full; those behind that, and those that are throttled, are left to be asked for again."""
    projections = _accept(request)
    reads = [
        (table := engine.catalog.require(name), _keys(table, wanted, projection), wanted, projection)
        for (name, wanted), projection in zip(request.request_items.items(), projections, strict=True)
    ]
    responses: dict[str, list[Raw]] = {}
    left = LeftOver()
    units: dict[str, Consumed] = {}
    room = RESPONSE_BYTES_MAX
    with engine.store.reading() as connection:
        for table, keys, wanted, projection in reads:
            found = responses.setdefault(table.name, [])
            factor = CONSISTENT if wanted.consistent_read else EVENTUAL
            of_table = units.setdefault(table.name, Consumed())
            for position, key in enumerate(keys):
                row = table.tree.get(connection, key)
                size = 0 if row is None else row[1]
                if size > room:
                    room = 0
                    left.add_all(table.name, wanted.keys[position:])
                    break
                try:
                    if table.traffic is not None:
                        table.traffic.read_item(key, wanted.keys[position], size, factor)
                except Throttled as refusal:
                    left.add(table.name, wanted.keys[position], refusal)
                    continue
                room -= size
                of_table.table += read_units(size, factor)
                if row is not None:
                    found.append(projection.bytes_of(row[0]))
    left.refuse_if_all(sum(len(keys) for _, keys, _, _ in reads))
    detail = request.return_consumed_capacity
    is_told = detail is not None and detail != "NONE"
    return BatchGetItemResult(
        responses=responses,
        unprocessed_keys={name: _left(request.request_items[name], keys) for name, keys in left.by_table.items()},
        consumed_capacity=told_of_each(units, detail) if is_told else UNSET,
    )


def _accept(request: BatchGetItem) -> list[Projected]:
    """Checks what does not depend on the tables."""
    if not request.request_items:
        raise invalid("The requestItems parameter is required for BatchGetItem")
    for name, wanted in request.request_items.items():
        if len(wanted.keys) > BATCH_GET_KEYS_MAX:
            raise invalid(
                f"1 validation error detected: Value at 'RequestItems.{name}.member.Keys' failed to satisfy "
                f"constraint: Member must have length less than or equal to {BATCH_GET_KEYS_MAX}"
            )
    if sum(len(wanted.keys) for wanted in request.request_items.values()) > BATCH_GET_KEYS_MAX:
        raise invalid("Too many items requested for the BatchGetItem call")
    is_legacy = uses_legacy(*request.request_items.values())
    projections = []
    for wanted in request.request_items.values():
        projections.append(attributes_of(wanted.attributes_to_get) if is_legacy else projected_by(wanted))
        for key in wanted.keys:
            accept_item(key)
        if len({repr(sorted(key.items())) for key in wanted.keys}) < len(wanted.keys):
            raise invalid(DUPLICATES)
    return projections


def _keys(table: OpenTable, wanted: KeysAndAttributes, projection: Projected) -> list[bytes]:
    keys = [exact_key(table, key) for key in wanted.keys]
    refuse_parts_of_keys(projection.nested_attributes, table)
    if len(set(keys)) < len(keys):
        raise invalid(DUPLICATES)
    return keys


def _left(wanted: KeysAndAttributes, keys: list[Item]) -> dict[str, object]:
    """The request for the keys that were not read, ready to be sent again."""
    parameters = {
        "Keys": keys,
        "AttributesToGet": wanted.attributes_to_get,
        "ConsistentRead": wanted.consistent_read,
        "ProjectionExpression": wanted.projection_expression,
        "ExpressionAttributeNames": wanted.expression_attribute_names,
    }
    return {name: value for name, value in parameters.items() if value is not None}
