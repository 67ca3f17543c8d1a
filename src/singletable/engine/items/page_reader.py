"""Reads one page of a table or an index: up to one megabyte, the requested limit, or the end of the key range."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, Raw

from singletable.engine.items.consumed_capacity import ConsumedUnits, capacity_document, units_of_page
from singletable.engine.items.item_keys import stored_key
from singletable.engine.items.request_expressions import WHOLE, ItemPredicate, ItemProjection
from singletable.engine.storage.entry_keys import EntryRange
from singletable.engine.storage.item_tree import Tree
from singletable.engine.tables.stored_table import Item, KeyOrder, StoredIndex, StoredTable, decode_item
from singletable.engine.tables.table_definition import KeyElement
from singletable.values.item_size import CONSISTENT, EVENTUAL
from singletable.values.limits import PAGE_BYTES_MAX
from singletable.wire.query_and_scan import PageRequest, PageResult, warm_up_allocator

# Most of a page is read in strides: SQLite returns several items joined into one string. Near the end of the page,
# items are read one by one. The first stride is short, so that little work is wasted even if its items have the maximum
# size. Each stride costs a statement, so later strides are long; above this length, they do not become faster.
_FIRST_STRIDE = 128
_STRIDE_BYTES = 200_000
_SHORTEST_STRIDE = 12
_SMALL_PAGE_ITEMS = 64
_SMALL_ITEM_BYTES = 4_096

_encode = msgspec.json.Encoder().encode

warm_up_allocator()


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page of items, with the number of items and bytes read.

    `last_item` is the last item read if the page ends before the range does. Otherwise it is None.
    """

    items: list[Raw]
    """Fragments of the JSON array: each fragment is one item, or several items separated by commas."""
    count: int
    scanned: int
    read_bytes: int
    last_item: bytes | None


class PageRange(NamedTuple):
    """A key range of a tree, the direction in which to read it, and the maximum number of items."""

    tree: Tree
    keys: EntryRange
    descending: bool
    limit: int | None


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


def read_page(connection: sqlite3.Connection, range_: PageRange) -> StoredPage:
    """Return a page read from one snapshot. The JSON of stored items is copied without decoding it."""
    tree, keys, descending, limit = range_
    if limit is not None and (page := _small_page(connection, range_, limit)) is not None:
        return page
    edge = keys.high if descending else keys.low
    is_short = tree.typical_items < _SMALL_PAGE_ITEMS or (limit is not None and limit <= _SHORTEST_STRIDE)
    if is_short or not tree.joins:  # for few items, reading one by one is faster
        return _read_rest(connection, range_, _Strides([], 0, 0, edge))
    # Each stride is a separate statement. Without a common snapshot, an entry that moves in its index between two
    # strides would appear twice or not at all.
    starts_snapshot = not connection.in_transaction
    if starts_snapshot:
        connection.execute("BEGIN")
    try:
        return _read_rest(connection, range_, _read_strides(connection, range_, edge))
    finally:
        if starts_snapshot and connection.in_transaction:
            connection.execute("ROLLBACK")


def _read_rest(connection: sqlite3.Connection, range_: PageRange, strides_read: _Strides) -> StoredPage:
    """Read the part of a page that follows the strides, item by item."""
    tree, keys, descending, limit = range_
    if strides_read.is_whole:
        tree.typical_items = strides_read.count
        return StoredPage(strides_read.strides, strides_read.count, strides_read.count, strides_read.read_bytes, None)
    # As in DynamoDB, the item that crosses the size limit is still part of the page.
    bytes_left = PAGE_BYTES_MAX - strides_read.read_bytes
    items_left = -1 if limit is None else limit - strides_read.count
    low, high = (keys.low, strides_read.edge) if descending else (strides_read.edge, keys.high)
    body, found, size, last_item = tree.page(connection, low, high, descending, items_left, bytes_left)
    count = tree.typical_items = strides_read.count + found
    read_bytes = strides_read.read_bytes + size
    if count:
        tree.typical_bytes = read_bytes / count
    items = strides_read.strides
    if found:
        items.append(Raw(body))
    return StoredPage(items, count, count, read_bytes, last_item)


def _small_page(connection: sqlite3.Connection, range_: PageRange, limit: int) -> StoredPage | None:
    """Read a small page in one SQL statement.

    Return None if its items may be too many or too large for one statement.
    """
    tree, (low, high), descending, _ = range_
    if (
        not tree.joins
        or not _SHORTEST_STRIDE <= limit <= _SMALL_PAGE_ITEMS
        or not 0 < tree.typical_bytes < _SMALL_ITEM_BYTES
    ):
        return None
    body, found, size, last = tree.first(connection, low, high, descending, limit)
    if not found:
        return StoredPage([], 0, 0, 0, None)
    tree.typical_items, tree.typical_bytes = found, size / found
    return StoredPage([Raw(body)], found, found, size, last) if size < PAGE_BYTES_MAX else None


@dataclass(slots=True)
class _Strides:
    """The first part of a page, read in strides that end before the last item of the page."""

    strides: list[Raw]
    """The strides. Each one contains several items, separated by commas."""
    count: int
    read_bytes: int
    edge: bytes
    """The key where the next read starts: at this key in ascending order, before this key in descending order."""
    is_whole: bool = False


def _read_strides(connection: sqlite3.Connection, range_: PageRange, edge: bytes) -> _Strides:
    tree, (low, high), descending, limit = range_
    read = _Strides([], 0, 0, edge)
    while True:
        if not tree.typical_bytes:
            return read
        # Leave a margin of ten percent, because item sizes vary and a stride that exceeds the page must be discarded.
        room = min(_STRIDE_BYTES, (PAGE_BYTES_MAX - read.read_bytes) * 0.9)
        count = int(room / tree.typical_bytes)
        if not read.count:
            count = min(count, _FIRST_STRIDE)
        if limit is not None:
            count = min(count, limit - 1 - read.count)
        if count < _SHORTEST_STRIDE:
            return read
        low, high = (low, read.edge) if descending else (read.edge, high)
        body, found, size, last = tree.joined(connection, low, high, descending, count)
        if not found:
            read.is_whole = True
            return read
        tree.typical_bytes = size / found
        if read.read_bytes + size >= PAGE_BYTES_MAX:
            return read
        read.strides.append(Raw(body))
        read.count += found
        read.read_bytes += size
        if last is None:  # the range ends here
            read.is_whole = True
            return read
        read.edge = last if descending else last + b"\x00"


def read_filtered_page(
    connection: sqlite3.Connection, range_: PageRange, select: Callable[[Item], Raw | None]
) -> StoredPage:
    """Return a page of the items for which `select` does not return None."""
    tree, keys, descending, limit = range_
    items = []
    scanned = read_bytes = 0
    for body, size in tree.items(connection, keys.low, keys.high, descending):
        scanned += 1
        read_bytes += size
        selected = select(decode_item(body))
        if selected is not None:
            items.append(selected)
        if read_bytes >= PAGE_BYTES_MAX or scanned == limit:
            return StoredPage(items, len(items), scanned, read_bytes, body)
    return StoredPage(items, len(items), scanned, read_bytes, None)


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
