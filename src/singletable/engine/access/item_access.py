"""The access that requests for items need: single items, batches, transactions, Query and Scan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from singletable.engine.access.policy_pattern import Values
from singletable.engine.access.requested_access import PartitionValues, RequestedAccess, facts, partition_values
from singletable.engine.items.item_keys import exact_key, item_key
from singletable.engine.items.page_selection import source_of
from singletable.engine.items.query_ranges import query_range
from singletable.engine.items.request_expressions import (
    PageExpressions,
    attributes_of,
    page_expressions,
    read_projection,
    update_expressions,
    write_condition,
)
from singletable.engine.legacy.parameters import has_legacy_parameters
from singletable.engine.legacy.read_parameters import attributes_to_get, legacy_page
from singletable.engine.tables.stored_table import Item, StoredTable
from singletable.errors import invalid
from singletable.expressions.tree import paths
from singletable.values.item_validation import accept_item
from singletable.wire.item_requests import (
    BatchGetItem,
    BatchWriteItem,
    ConditionCheck,
    Delete,
    DeleteItem,
    Get,
    GetItem,
    KeysAndAttributes,
    Put,
    PutItem,
    TransactGetItems,
    TransactWriteItems,
    Update,
    UpdateItem,
)
from singletable.wire.query_and_scan import PageRequest, Query, Scan

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

Accesses = Iterable[RequestedAccess]
_ALL, _PROJECTED, _SPECIFIC = "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES"


def _partition(table: StoredTable, key: Item) -> PartitionValues:
    """Return the partition key values of a key in a request. First check the key in the same way as the action does."""
    accept_item(key)
    exact_key(table, key)
    return partition_values(table.order.partition, key)


def _partition_of_item(table: StoredTable, item: Item) -> PartitionValues:
    accept_item(item)
    item_key(table, item)
    return partition_values(table.order.partition, item)


def _read(
    engine: Engine, request: GetItem | KeysAndAttributes | Get, name: str, keys: Sequence[Item]
) -> dict[str, Any]:
    """Return the condition values of a read by key: the partitions, the attributes in the request, and Select."""
    table = engine.catalog.require(name)
    names = None if isinstance(request, Get) else request.attributes_to_get
    if not isinstance(request, Get):
        has_legacy_parameters(request)
    projection = read_projection(request) if names is None else attributes_to_get(names)
    return {
        "partitions": [_partition(table, key) for key in keys],
        "attributes": projection.attributes.union(*keys),
        "select": _ALL if projection.is_whole else _SPECIFIC,
    }


def get_item(engine: Engine, request: GetItem) -> Accesses:
    """Return the access that a GetItem needs."""

    def known() -> Values:
        return facts(
            **_read(engine, request, request.table_name, [request.key]),
            capacity=request.return_consumed_capacity or "NONE",
        )

    yield RequestedAccess.of("GetItem", engine.arn(request.table_name), known)


def batch_get_item(engine: Engine, request: BatchGetItem) -> Accesses:
    """Return the access that a BatchGetItem needs, for each table."""

    def known(name: str, part: KeysAndAttributes) -> Callable[[], Values]:
        capacity = request.return_consumed_capacity or "NONE"
        return lambda: facts(**_read(engine, part, name, part.keys), capacity=capacity)

    for name, part in request.request_items.items():
        yield RequestedAccess.of("BatchGetItem", engine.arn(name), known(name, part))


def transact_get_items(engine: Engine, request: TransactGetItems) -> Accesses:
    """Return the access that a TransactGetItems needs: GetItem on each table, for all keys of the table together."""
    by_table: dict[str, list[Get]] = {}
    for each in request.transact_items:
        by_table.setdefault(each.get.table_name, []).append(each.get)

    def known(name: str, gets: list[Get]) -> Callable[[], Values]:
        def of_all() -> Values:
            parts = [_read(engine, get, name, [get.key]) for get in gets]
            return facts(
                partitions=[partition for part in parts for partition in part["partitions"]],
                attributes=[attribute for part in parts for attribute in part["attributes"]],
                # The reads of one table are authorised together. Policies test the Select value of the read that
                # returns the most data.
                select=_ALL if any(part["select"] == _ALL for part in parts) else _SPECIFIC,
                capacity=request.return_consumed_capacity or "NONE",
                enclosing="TransactGetItems",
            )

        return of_all

    for name, gets in by_table.items():
        yield RequestedAccess.of("GetItem", engine.arn(name), known(name, gets))


def query(engine: Engine, request: Query) -> Accesses:
    """Return the access that a Query needs. LeadingKeys is the partition key of the table or index that it reads."""

    def known() -> Values:
        expressions = _page_expressions(request)
        condition = expressions.key_condition
        if condition is None:
            raise invalid(
                "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
            )
        source = source_of(engine.catalog.require(request.table_name), request)
        values = query_range(source, condition).values
        return facts(
            partitions=[partition_values(source.order.partition, values)],
            **_page(request, expressions, condition.tests),
        )

    yield RequestedAccess.of("Query", _page_resource(engine, request), known)


def scan(engine: Engine, request: Scan) -> Accesses:
    """Return the access that a Scan needs. A Scan has no LeadingKeys."""

    def known() -> Values:
        return facts(**_page(request, _page_expressions(request), ()))

    yield RequestedAccess.of("Scan", _page_resource(engine, request), known)


def _page_resource(engine: Engine, request: PageRequest) -> str:
    arn = engine.arn(request.table_name)
    return arn if request.index_name is None else f"{arn}/index/{request.index_name}"


def _page_expressions(request: Query | Scan) -> PageExpressions:
    legacy = legacy_page(request) if has_legacy_parameters(request) else None
    expressions = page_expressions(request)
    return expressions if legacy is None else legacy.combine_with(expressions, request)


def _page(request: PageRequest, expressions: PageExpressions, keys: Iterable[str]) -> dict[str, Any]:
    filtered = () if expressions.filter is None else expressions.filter.attributes
    default = _ALL if request.index_name is None else _PROJECTED
    return {
        "attributes": expressions.projection.attributes.union(keys, filtered),
        "select": request.select or (default if expressions.projection.is_whole else _SPECIFIC),
        "capacity": request.return_consumed_capacity or "NONE",
    }


SingleWrite = PutItem | UpdateItem | DeleteItem
AnyWrite = SingleWrite | Put | Update | Delete | ConditionCheck


def write_item(engine: Engine, request: SingleWrite) -> Accesses:
    """Return the access that a PutItem, an UpdateItem or a DeleteItem needs."""

    def known() -> Values:
        has_legacy_parameters(request)
        partition, attributes = _write(engine.catalog.require(request.table_name), request)
        return facts(
            partitions=[partition],
            attributes=attributes,
            return_values=_return_values(request),
            capacity=request.return_consumed_capacity or "NONE",
        )

    yield RequestedAccess.of(type(request).__name__, engine.arn(request.table_name), known)


def _return_values(request: AnyWrite) -> str:
    """Return the value of ReturnValues.

    In a transaction, ReturnValuesOnConditionCheckFailure counts as ReturnValues (Developer Guide, "Using IAM with
    DynamoDB transactions", example 4). Outside a transaction, the option reveals the same item, so it counts there too.
    """
    given: str | None = getattr(request, "return_values", None)
    return "ALL_OLD" if request.return_values_on_condition_check_failure == "ALL_OLD" else given or "NONE"


def _write(table: StoredTable, request: AnyWrite) -> tuple[PartitionValues, frozenset[str]]:
    """Return the partition key of the item that a write changes, and the names of all attributes in the request."""
    attributes = set(getattr(request, "expected", None) or ()) | set(getattr(request, "attribute_updates", None) or ())
    if isinstance(request, PutItem | Put):
        partition, item = _partition_of_item(table, request.item), request.item
    else:
        partition, item = _partition(table, request.key), request.key
    attributes |= set(item)
    if isinstance(request, UpdateItem | Update):
        update, condition = update_expressions(request)
        for change in () if update is None else update.update.changes:
            attributes |= {path.attribute for path in paths(change)}
    else:
        condition = write_condition(request)
    return partition, frozenset(attributes | attributes_of(condition))


def batch_write_item(engine: Engine, request: BatchWriteItem) -> Accesses:
    """Return the access that a BatchWriteItem needs, for each table."""

    def known(name: str) -> Callable[[], Values]:
        def of_table() -> Values:
            table = engine.catalog.require(name)
            writes = request.request_items[name]
            items = [write.put_request.item for write in writes if write.put_request is not None]
            keys = [write.delete_request.key for write in writes if write.delete_request is not None]
            return facts(
                partitions=[
                    *(_partition_of_item(table, item) for item in items),
                    *(_partition(table, key) for key in keys),
                ],
                attributes=[attribute for item in (*items, *keys) for attribute in item],
                capacity=request.return_consumed_capacity or "NONE",
            )

        return of_table

    for name in request.request_items:
        yield RequestedAccess.of("BatchWriteItem", engine.arn(name), known(name))


_OF_PART = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}


def transact_write_items(engine: Engine, request: TransactWriteItems) -> Accesses:
    """Return the access that a TransactWriteItems needs: the actions of its parts, grouped by table."""
    grouped: dict[tuple[str, str, str], list[AnyWrite]] = {}
    for each in request.transact_items:
        for part in (each.put, each.update, each.delete, each.condition_check):
            if part is not None:
                permission = _OF_PART[type(part).__name__]
                grouped.setdefault((permission, part.table_name, _return_values(part)), []).append(part)

    def known(name: str, return_values: str, parts: list[AnyWrite]) -> Callable[[], Values]:
        def of_all() -> Values:
            table = engine.catalog.require(name)
            writes = [_write(table, part) for part in parts]
            return facts(
                partitions=[partition for partition, _ in writes],
                attributes=frozenset().union(*(attributes for _, attributes in writes)),
                return_values=return_values,
                capacity=request.return_consumed_capacity or "NONE",
                enclosing="TransactWriteItems",
            )

        return of_all

    for (permission, name, return_values), parts in grouped.items():
        yield RequestedAccess.of(permission, engine.arn(name), known(name, return_values, parts))


AccessOf = Callable[["Engine", Any], Accesses]
ITEM_ACCESS: Mapping[str, AccessOf] = {
    "GetItem": get_item,
    "BatchGetItem": batch_get_item,
    "TransactGetItems": transact_get_items,
    "Query": query,
    "Scan": scan,
    "PutItem": write_item,
    "UpdateItem": write_item,
    "DeleteItem": write_item,
    "BatchWriteItem": batch_write_item,
    "TransactWriteItems": transact_write_items,
}
"""The functions that return the access that a request for items needs, by action."""
