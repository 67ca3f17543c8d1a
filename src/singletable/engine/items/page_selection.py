"""The steps that Query, Scan and PartiQL SELECT share to read a page: source, start key, selection and result."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, Raw

from singletable.engine.items.consumed_capacity import ConsumedUnits, capacity_document, units_of_page
from singletable.engine.items.item_keys import exact_key, stored_key
from singletable.engine.items.page_reader import PageRange, StoredPage, read_filtered_page, read_page
from singletable.engine.items.request_expressions import WHOLE, ItemPredicate, ItemProjection
from singletable.engine.storage.item_tree import Tree
from singletable.engine.tables.stored_table import PUT_ERRORS, Item, KeyOrder, StoredIndex, StoredTable, decode_item
from singletable.engine.tables.table_definition import KeyElement
from singletable.errors import RequestRefused, invalid
from singletable.values.item_size import CONSISTENT, EVENTUAL
from singletable.values.item_validation import accept_item
from singletable.wire.query_and_scan import PageRequest, PageResult

STARTING_KEY = "The provided starting key is invalid"
NO_SPECIFIC = "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"

# If a start key is invalid, DynamoDB returns these messages unchanged, and all other messages with a prefix (captured
# from AWS).
_MESSAGES_WITHOUT_PREFIX = (
    "contains duplicates",
    "number set",
    "numeric value",
    "significant digits",
    "number with magnitude",
)

_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class PageSource:
    """The table or index from which a page is read."""

    table: StoredTable
    index: StoredIndex | None

    @property
    def tree(self) -> Tree:
        """Return the tree that holds the items of the table or the entries of the index."""
        return self.table.tree if self.index is None else self.index.tree

    @property
    def order(self) -> KeyOrder:
        """Return the key by which the items are ordered."""
        return self.table.order if self.index is None else self.index.order

    @property
    def key_attributes(self) -> tuple[KeyElement, ...]:
        """Return the key attributes of the table or index."""
        return (self.index or self.table).definition.key_attributes

    @property
    def key_names(self) -> tuple[str, ...]:
        """Return the names of the attributes in LastEvaluatedKey."""
        return self.table.key_names if self.index is None else self.index.key_names

    @property
    def has_single_items(self) -> bool:
        """Return whether each partition has at most one item, because the table has no sort key."""
        return self.index is None and not self.order.sort


class PageSelection(NamedTuple):
    """The content of a page: the filter, the projection, and whether to only count items or to fetch whole items."""

    filter: ItemPredicate | None
    projection: ItemProjection
    is_count: bool
    fetches: bool


WHOLE_ITEMS = PageSelection(None, WHOLE, is_count=False, fetches=False)


def check_select(request: PageRequest, message_without_attributes: str) -> None:
    """Reject a Select parameter that contradicts the rest of the request."""
    has_projection = request.projection_expression is not None or request.attributes_to_get is not None
    if request.select == "SPECIFIC_ATTRIBUTES" and not has_projection:
        raise invalid(message_without_attributes)
    if has_projection and request.select not in (None, "SPECIFIC_ATTRIBUTES"):
        name = "ProjectionExpression" if request.projection_expression is not None else "AttributesToGet"
        chosen = "only the Count" if request.select == "COUNT" else request.select
        raise invalid(f"Cannot specify the {name} when choosing to get {chosen}")
    if request.select == "ALL_PROJECTED_ATTRIBUTES" and request.index_name is None:
        raise invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")


def accept_start_key(request: PageRequest) -> None:
    """Reject an ExclusiveStartKey with invalid attribute values."""
    if request.exclusive_start_key is None:
        return
    try:
        accept_item(request.exclusive_start_key)
    except RequestRefused as error:
        if error.code != "ValidationException" or any(words in error.message for words in _MESSAGES_WITHOUT_PREFIX):
            raise
        raise invalid(f"{STARTING_KEY}: {error.message}") from None


def source_of(table: StoredTable, request: PageRequest) -> PageSource:
    """Return the table or index that a request reads. Reject an index that is unknown or not filled yet."""
    if request.index_name is None:
        return PageSource(table, None)
    index = table.index(request.index_name)
    if index is None:
        raise invalid(f"The table does not have the specified index: {request.index_name}")
    if not index.definition.is_local:
        if request.consistent_read:
            raise invalid("Consistent reads are not supported on global secondary indexes")
        if index.definition.status == "CREATING":
            raise invalid(f"Cannot read from backfilling global secondary index: {index.name}")
    return PageSource(table, index)


def selection_of(
    source: PageSource, request: PageRequest, predicate: ItemPredicate | None, projection: ItemProjection
) -> PageSelection:
    """Return the selection of a page. Attributes that a local index does not project are fetched from the table."""
    return PageSelection(predicate, projection, request.select == "COUNT", _fetches(source, request, projection))


def _fetches(source: PageSource, request: PageRequest, projection: ItemProjection) -> bool:
    index = source.index
    if index is None or index.definition.projection == "ALL":
        return False
    if request.select == "ALL_ATTRIBUTES":
        if not index.definition.is_local:
            raise invalid(
                "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global "
                f"secondary index {index.name} because its projection type is not ALL"
            )
        return True
    lacking = [name for name in projection.attributes if not index.holds(name)]
    if lacking and not index.definition.is_local:
        raise invalid(
            "One or more parameter values were invalid: "
            f"Global secondary index {index.name} does not project [{', '.join(lacking)}]"
        )
    return bool(lacking)


def check_start_key(source: PageSource, start: Item, keys: tuple[KeyElement, ...], mismatch: str) -> None:
    """Reject a start key with the wrong number of attributes, or with a key attribute missing or of the wrong type."""
    if len(start) != len(source.key_names):
        raise invalid(mismatch)
    for attribute in keys:
        value = start.get(attribute.name)
        if value is None:
            raise invalid(STARTING_KEY)
        if attribute.kind not in value:
            raise invalid("The provided key element does not match the schema")


def start_position(source: PageSource, start: Item) -> bytes:
    """Return the stored key for an ExclusiveStartKey."""
    index = source.index
    try:
        base_key = exact_key(source.table, {name: start[name] for name in source.table.key_names if name in start})
        if index is None:
            return base_key
        key = index.key_of(start, base_key, PUT_ERRORS)
    except RequestRefused as error:
        raise invalid(f"{STARTING_KEY}: {error.message}") from None
    assert key is not None
    return key


def read_page_result(
    connection: sqlite3.Connection,
    source: PageSource,
    range_: PageRange,
    request: PageRequest,
    selection: PageSelection,
    partition: Item | None = None,
) -> PageResult:
    """Read one page and return the response.

    `partition` is the partition key if the page is from only one partition. If that partition has a single item, no
    page follows, even if this page has reached its limit (as in DynamoDB Local).
    """
    page, fetched = read_selected(connection, source, range_, selection)
    if source.table.traffic is not None:
        units = _units(source, request, page, fetched)
        source.table.traffic.read_page(source.index, units, range_.keys.low, partition)
    last: Any = UNSET
    if page.last_item is not None and not (partition is not None and source.has_single_items):
        item = decode_item(page.last_item)
        last = {name: item[name] for name in source.key_names}
    return PageResult(
        items=UNSET if selection.is_count else page.items,
        count=page.count,
        scanned_count=page.scanned,
        last_evaluated_key=last,
        consumed_capacity=_consumed(source, request, page, fetched),
    )


def read_selected(
    connection: sqlite3.Connection, source: PageSource, range_: PageRange, selection: PageSelection
) -> tuple[StoredPage, list[int]]:
    """Return one page, and the sizes of the items that the read fetched from the table for local index entries."""
    fetched: list[int] = []
    if selection.fetches:
        return read_filtered_page(
            connection, range_, _fetch_and_select(connection, source, selection, fetched)
        ), fetched
    if selection.filter is None and selection.projection.is_whole:
        return read_page(connection, range_), fetched
    return read_filtered_page(connection, range_, _filter_and_project(selection)), fetched


def _filter_and_project(selection: PageSelection) -> Any:
    predicate, project = selection.filter, selection.projection.of

    def select(item: Item) -> Raw | None:
        return Raw(_encode(project(item))) if predicate is None or predicate(item) else None

    return select


def _fetch_and_select(
    connection: sqlite3.Connection, source: PageSource, selection: PageSelection, fetched: list[int]
) -> Any:
    """Return a filter that fetches the item of each local index entry, and appends its billed size to `fetched`."""
    select = _filter_and_project(selection)
    table = source.table

    def fetch_and_select(entry: Item) -> Raw | None:
        row = table.tree.get(connection, stored_key(table, entry))
        assert row is not None
        fetched.append(row[1])
        selected: Raw | None = select(decode_item(row[0]))
        return selected

    return fetch_and_select


def _consumed(source: PageSource, request: PageRequest, page: StoredPage, fetched: list[int]) -> Any:
    detail = request.return_consumed_capacity
    if detail is None or detail == "NONE":
        return UNSET
    return capacity_document(source.table.name, _units(source, request, page, fetched), detail)


def _units(source: PageSource, request: PageRequest, page: StoredPage, fetched: list[int]) -> ConsumedUnits:
    factor = CONSISTENT if request.consistent_read else EVENTUAL
    return units_of_page(source.index, page.read_bytes, fetched, factor)
