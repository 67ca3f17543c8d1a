"""Item writes: they are planned and checked first, then performed individually, in a batch or in a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import UNSET, Raw, UnsetType

from singletable.engine.items.consumed_capacity import capacity_document, collection_metrics, units_of_write
from singletable.engine.items.item_keys import exact_key, item_key
from singletable.engine.items.request_expressions import (
    ItemPredicate,
    check_index_keys,
    nested_attributes_of,
    reject_nested_keys,
)
from singletable.engine.tables.stored_table import Image, Item, StoredTable, UpdateIndexKeyErrors
from singletable.errors import RequestRefused, invalid
from singletable.expressions.bound_expressions import BoundUpdate
from singletable.values.fast_path import FastPath
from singletable.values.item_size import item_size, texts_size, value_size
from singletable.values.item_validation import ITEM_TOO_LARGE
from singletable.values.limits import ITEM_BYTES_MAX
from singletable.values.value_checks import check_nesting
from singletable.wire.item_requests import ItemWrite, ItemWriteResult

if TYPE_CHECKING:
    from singletable.engine.engine import Engine

FAST_WRITES = FastPath("writes without a read")
"""Counts the writes on this fast path. A write that needs the old item does not count as a miss."""
UPDATED_ITEM_TOO_LARGE = "Item size to update has exceeded the maximum allowed size"


class PlannedWrite(NamedTuple):
    """A checked write of one item. A put has the new item, and an update computes the new item from the old one."""

    kind: Literal["put", "update", "delete", "check"]
    table: StoredTable
    key: bytes
    item: Item
    condition: ItemPredicate | None = None
    returns_old_on_failure: bool = False
    image: Image | None = None
    updated: Callable[[Image | None], Image | None] | None = None

    @property
    def takes_fast_path(self) -> bool:
        """Whether the write does not read the old item: an unconditional put or delete that changes only the item."""
        return self.condition is None and self.updated is None and self.table.writes_items_only and self.kind != "check"


class BeforeAndAfter(NamedTuple):
    """The item before and after a write."""

    before: Image | None
    after: Image | None


class ConditionNotMet(Exception):  # internal exception, which the action turns into an error response
    """Raised when the stored item does not meet the condition of a write."""

    def __init__(self, old: Image | None) -> None:
        self.old = old
        super().__init__()


def planned_put(
    table: StoredTable, item: Item, size: int, condition: ItemPredicate | None = None, returns_old: bool = False
) -> PlannedWrite:
    """Return the write that puts a whole item, replacing an existing item with the same key."""
    if size > ITEM_BYTES_MAX:
        raise invalid(ITEM_TOO_LARGE)
    key = item_key(table, item)
    if condition is not None:
        reject_nested_keys(nested_attributes_of(condition), table)
    image = table.image(key, item, size)
    if table.has_local_indexes:
        check_item_size(table, image, ITEM_TOO_LARGE)
    return PlannedWrite("put", table, key, item, condition, returns_old, image=image)


def planned_delete(
    table: StoredTable, key: Item, condition: ItemPredicate | None = None, returns_old: bool = False
) -> PlannedWrite:
    """Return the write that deletes an item."""
    key_bytes = exact_key(table, key)
    if condition is not None:
        reject_nested_keys(nested_attributes_of(condition), table)
    return PlannedWrite("delete", table, key_bytes, key, condition, returns_old)


def planned_check(table: StoredTable, key: Item, condition: ItemPredicate, returns_old: bool) -> PlannedWrite:
    """Return a condition check, which changes nothing."""
    key_bytes = exact_key(table, key)
    reject_nested_keys(nested_attributes_of(condition), table)
    return PlannedWrite("check", table, key_bytes, key, condition, returns_old)


def planned_update(
    table: StoredTable,
    key: Item,
    update: BoundUpdate | None,
    condition: ItemPredicate | None,
    returns_old: bool,
    extra_bytes: int = 0,
) -> PlannedWrite:
    """Return the write that updates or creates an item. `extra_bytes` count towards the limit of non-key attributes."""
    key_bytes = exact_key(table, key)
    if update is not None:
        for name in table.key_names:
            if name in update.update.attributes:
                raise invalid(
                    "One or more parameter values were invalid: "
                    f"Cannot update attribute {name}. This attribute is part of the key"
                )
    if condition is not None:
        reject_nested_keys(nested_attributes_of(condition), table)

    def updated(before: Image | None) -> Image | None:
        old, size = (key, item_size(key)) if before is None else (before.item, before.size)
        new = old
        if update is not None:
            check_index_keys(table, update)
            if before is None and update.update.only_removes:
                # A removal creates no item, and its path is not checked. An update without changes creates an item (API
                # reference of the legacy parameter AttributeUpdates, and tests of Alternator that pass on DynamoDB).
                return None
            new = update.apply(old)
            size += _growth(old, new, update.update.attributes)
        image = table.image(key_bytes, new, size, UpdateIndexKeyErrors(old))
        check_item_size(table, image, UPDATED_ITEM_TOO_LARGE)
        if image.size + extra_bytes > ITEM_BYTES_MAX and image.size - item_size(key) + extra_bytes > ITEM_BYTES_MAX:
            raise invalid(UPDATED_ITEM_TOO_LARGE)
        return image

    return PlannedWrite("update", table, key_bytes, key, condition, returns_old, updated=updated)


def _growth(old: Item, new: Item, attributes: Iterable[str]) -> int:
    """Return by how many bytes an update of these attributes enlarges the item.

    Reject values that are nested too deeply.
    """
    growth = 0
    for name in attributes:
        was, is_now = old.get(name), new.get(name)
        if was is not None:
            growth -= texts_size((name,)) + value_size(was)
        if is_now is not None:
            growth += texts_size((name,)) + value_size(is_now)
            if "M" in is_now or "L" in is_now:
                check_nesting({name: is_now})
    return growth


def check_item_size(table: StoredTable, image: Image, message: str) -> None:
    """Reject an item if the item and its local index entries together are too large."""
    size = image.size
    if table.has_local_indexes:
        for index, entry in zip(table.indexes, image.entries, strict=True):
            if entry is not None and index.definition.is_local:
                size += entry.size
    if size > ITEM_BYTES_MAX:
        raise invalid(message)


def perform(connection: sqlite3.Connection, write: PlannedWrite, factor: int = 1) -> BeforeAndAfter:
    """Perform a write. Raise ConditionNotMet if the stored item does not meet the condition of the write.

    If throughput limits are enforced, raise ThrottledRequest before anything is written. `factor` multiplies the units
    that the write consumes. A transaction passes 2.
    """
    before = read_image(connection, write.table, write.key)
    traffic = write.table.traffic
    is_failed = write.condition is not None and not write.condition({} if before is None else before.item)
    if is_failed or write.kind == "check":
        if traffic is not None:
            # A write whose condition fails consumes as many units as one that succeeds.
            traffic.write(write.table, write.key, before, before, write.item, factor)
        if is_failed:
            raise ConditionNotMet(before)
        return BeforeAndAfter(before, before)
    after = write.image if write.updated is None else write.updated(before)
    if traffic is not None:
        traffic.write(write.table, write.key, before, after, write.item, factor)
    replace_item(connection, write.table, write.key, before, after)
    return BeforeAndAfter(before, after)


def perform_fast_path(connection: sqlite3.Connection, write: PlannedWrite) -> None:
    """Perform a write that needs no read of the old item. The caller must have checked `takes_fast_path`."""
    FAST_WRITES.hits += 1
    if write.image is None:
        write.table.tree.delete(connection, write.key)
    else:
        write.table.tree.put(connection, write.key, write.image.body, write.image.size)


def perform_all_fast_path(connection: sqlite3.Connection, table: StoredTable, writes: Iterable[PlannedWrite]) -> None:
    """Perform several fast-path writes to one table. Their keys must be distinct."""
    FAST_WRITES.hits += 1
    rows = []
    for write in writes:
        if write.image is None:
            table.tree.delete(connection, write.key)
        else:
            rows.append((write.key, write.image.body, write.image.size))
    table.tree.put_many(connection, rows)


def read_image(connection: sqlite3.Connection, table: StoredTable, key: bytes) -> Image | None:
    """Return the image of the item stored under a key, or None if there is no such item."""
    row = table.tree.get(connection, key)
    return None if row is None else table.stored_image(key, row[0], row[1])


def replace_item(
    connection: sqlite3.Connection,
    table: StoredTable,
    key: bytes,
    before: Image | None,
    after: Image | None,
    by_service: bool = False,
) -> None:
    """Replace an item in the table and in every index.

    `before` is None if the item did not exist, and `after` is None if it is deleted.
    """
    if after is not None:
        table.tree.put(connection, key, after.body, after.size)
    elif before is not None:
        table.tree.delete(connection, key)
    for position, index in enumerate(table.indexes):
        old = before.entries[position] if before is not None else None
        new = after.entries[position] if after is not None else None
        if old is not None and (new is None or new.key != old.key):
            index.tree.delete(connection, old.key)
        if new is not None and new != old:
            index.tree.put(connection, new.key, new.body, new.size)
    if table.changes is not None:
        table.changes.record(connection, key, before, after, by_service)
    if table.expiry is not None:
        table.expiry.record(connection, key, before, after)


def condition_failed_error(write: PlannedWrite, failure: ConditionNotMet) -> RequestRefused:
    """Return the error for a single write whose condition failed."""
    fields = {}
    if write.returns_old_on_failure and failure.old is not None:
        fields["Item"] = Raw(failure.old.body)
    return RequestRefused("ConditionalCheckFailedException", "The conditional request failed", **fields)


def conflict_error() -> RequestRefused:
    """Return the error for a write that conflicts with a transaction on the same item."""
    return RequestRefused("TransactionConflictException", "Transaction is ongoing for the item")


_EMPTY_RESULT = ItemWriteResult()


def check_return_values(request: ItemWrite) -> None:
    """Reject a ReturnValues setting other than ALL_OLD or NONE for a put or delete."""
    if request.return_values not in (None, "NONE", "ALL_OLD"):
        raise invalid("ReturnValues can only be ALL_OLD or NONE")


def run_single_write(
    engine: Engine, request: ItemWrite, write: PlannedWrite, update: BoundUpdate | None = None
) -> ItemWriteResult:
    """Perform a PutItem, UpdateItem or DeleteItem, and return the result that the request specifies."""
    detail = request.return_consumed_capacity
    returns_capacity = detail is not None and detail != "NONE"
    returns_no_item = request.return_values is None or request.return_values == "NONE"
    returns_metrics = request.return_item_collection_metrics == "SIZE" and write.table.has_local_indexes
    with engine.store.writing(savepoint=write.table.needs_savepoint) as connection:
        if engine.faults.conflict():
            raise conflict_error()
        if returns_no_item and not returns_capacity and not returns_metrics and write.takes_fast_path:
            perform_fast_path(connection, write)
            return _EMPTY_RESULT
        try:
            written = perform(connection, write)
        except ConditionNotMet as failure:
            raise condition_failed_error(write, failure) from None
        metrics = collection_metrics(connection, write.table, write.item) if returns_metrics else UNSET
    return ItemWriteResult(
        attributes=UNSET if returns_no_item else _attributes(request, written, update),
        consumed_capacity=capacity_document(write.table.name, units_of_write(write.table, *written), detail)
        if returns_capacity
        else UNSET,
        item_collection_metrics=metrics,
    )


def _attributes(request: ItemWrite, written: BeforeAndAfter, update: BoundUpdate | None) -> Raw | Item | UnsetType:
    match request.return_values:
        case "ALL_OLD":
            image = written.before
        case "ALL_NEW":
            image = written.after
        case "UPDATED_OLD":
            return _updated_attributes(written.before, update)
        case _:
            return _updated_attributes(written.after, update)
    return UNSET if image is None else Raw(image.body)


def _updated_attributes(image: Any, update: BoundUpdate | None) -> Item | UnsetType:
    """Return the attributes that the update names, from this image of the item.

    Return UNSET if the image has none of them.
    """
    if image is None or update is None:
        return UNSET
    return update.updated(image.item) or UNSET
