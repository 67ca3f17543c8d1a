"""A write of one item, planned before the store is touched: by itself, in a batch, or in a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from msgspec import Raw

from singletable.engine.asked import Check, looked_into_by, refuse_parts_of_keys
from singletable.engine.index_key_changes import check_index_keys
from singletable.engine.keys import exact_key, item_key
from singletable.engine.table import Image, Item, OpenTable, UpdatedIndexKeyWords
from singletable.engine.write import check_size, replace, stored
from singletable.errors import RequestRefused, invalid
from singletable.expressions.request import BoundUpdate
from singletable.values.accept import ITEM_TOO_LARGE
from singletable.values.checks import check_nesting
from singletable.values.item_size import item_size, texts_size, value_size
from singletable.values.limits import ITEM_BYTES_MAX

UPDATED_ITEM_TOO_LARGE = "Item size to update has exceeded the maximum allowed size"


class PlannedWrite(NamedTuple):
    """What will happen to one item: a put has its image, an update makes it out of the old one."""

    kind: Literal["put", "update", "delete", "check"]
    table: OpenTable
    key: bytes
    item: Item
    condition: Check | None = None
    returns_old_on_failure: bool = False
    image: Image | None = None
    updated: Callable[[Image | None], Image] | None = None

    @property
    def is_blind(self) -> bool:
        """Whether it can be done without looking at what is there: no condition, and nothing to move along."""
        return self.condition is None and self.updated is None and self.table.is_bare and self.kind != "check"


class Written(NamedTuple):
    """The item before and after."""

    before: Image | None
    after: Image | None


class ConditionFailed(Exception):  # it is caught and told by the action, never seen by users
    """The condition of a write does not hold for the item."""

    def __init__(self, old: Image | None) -> None:
        self.old = old
        super().__init__()


def planned_put(
    table: OpenTable, item: Item, size: int, condition: Check | None = None, returns_old: bool = False
) -> PlannedWrite:
    """A whole item, in place of whatever has its key."""
    if size > ITEM_BYTES_MAX:
        raise invalid(ITEM_TOO_LARGE)
    key = item_key(table, item)
    if condition is not None:
        refuse_parts_of_keys(looked_into_by(condition), table)
    image = table.image(key, item, size)
    if table.has_local_indexes:
        check_size(table, image, ITEM_TOO_LARGE)
    return PlannedWrite("put", table, key, item, condition, returns_old, image=image)


def planned_delete(
    table: OpenTable, key: Item, condition: Check | None = None, returns_old: bool = False
) -> PlannedWrite:
    """The end of one item."""
    key_bytes = exact_key(table, key)
    if condition is not None:
        refuse_parts_of_keys(looked_into_by(condition), table)
    return PlannedWrite("delete", table, key_bytes, key, condition, returns_old)


def planned_check(table: OpenTable, key: Item, condition: Check, returns_old: bool) -> PlannedWrite:
    """A condition on an item that is left as it is."""
    key_bytes = exact_key(table, key)
    refuse_parts_of_keys(looked_into_by(condition), table)
    return PlannedWrite("check", table, key_bytes, key, condition, returns_old)


def planned_update(
    table: OpenTable,
    key: Item,
    update: BoundUpdate | None,
    condition: Check | None,
    returns_old: bool,
    extra_bytes: int = 0,
) -> PlannedWrite:
    """Changes to one item, which is made when it is not there; `extra_bytes` count beside what is not its key."""
    key_bytes = exact_key(table, key)
    if update is not None:
        for name in table.key_names:
            if name in update.update.attributes:
                raise invalid(
                    "One or more parameter values were invalid: "
                    f"Cannot update attribute {name}. This attribute is part of the key"
                )
    if condition is not None:
        refuse_parts_of_keys(looked_into_by(condition), table)

    def updated(before: Image | None) -> Image:
        old, size = (key, item_size(key)) if before is None else (before.item, before.size)
        new = old
        if update is not None:
            check_index_keys(table, update)
            new = update.apply(old)
            size += _growth(old, new, update.update.attributes)
        image = table.image(key_bytes, new, size, UpdatedIndexKeyWords(old))
        check_size(table, image, UPDATED_ITEM_TOO_LARGE)
        if image.size + extra_bytes > ITEM_BYTES_MAX and image.size - item_size(key) + extra_bytes > ITEM_BYTES_MAX:
            raise invalid(UPDATED_ITEM_TOO_LARGE)
        return image

    return PlannedWrite("update", table, key_bytes, key, condition, returns_old, updated=updated)


def _growth(old: Item, new: Item, attributes: Iterable[str]) -> int:
    """The bytes that an update adds by these attributes, which are all that it changes; refuses too deep a nesting."""
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


def perform(connection: sqlite3.Connection, write: PlannedWrite, factor: int = 1) -> Written:
    """Checks the condition against the item as it is, and writes; raises ConditionFailed.

    Where traffic is limited it raises Throttled before anything is written; `factor` is that of a transaction.
    """
    before = stored(connection, write.table, write.key)
    traffic = write.table.traffic
    is_refused = write.condition is not None and not write.condition({} if before is None else before.item)
    if is_refused or write.kind == "check":
        if traffic is not None:
            # Looking at an item to no avail costs as much as writing it.
            traffic.write(write.table, write.key, before, before, write.item, factor)
        if is_refused:
            raise ConditionFailed(before)
        return Written(before, before)
    after = write.image if write.updated is None else write.updated(before)
    if traffic is not None:
        traffic.write(write.table, write.key, before, after, write.item, factor)
    replace(connection, write.table, write.key, before, after)
    return Written(before, after)


def perform_blind(connection: sqlite3.Connection, write: PlannedWrite) -> None:
    """Does a write that needs no look at what is there."""
    if write.image is None:
        write.table.tree.delete(connection, write.key)
    else:
        write.table.tree.put(connection, write.key, write.image.body, write.image.size)


def perform_all_blind(connection: sqlite3.Connection, table: OpenTable, writes: Iterable[PlannedWrite]) -> None:
    """Does several of one table at once; their keys differ."""
    rows = []
    for write in writes:
        if write.image is None:
            table.tree.delete(connection, write.key)
        else:
            rows.append((write.key, write.image.body, write.image.size))
    table.tree.put_many(connection, rows)


def condition_failed(write: PlannedWrite, failure: ConditionFailed) -> RequestRefused:
    """The answer to a single write whose condition does not hold."""
    fields = {}
    if write.returns_old_on_failure and failure.old is not None:
        fields["Item"] = Raw(failure.old.body)
    return RequestRefused("ConditionalCheckFailedException", "The conditional request failed", **fields)


def conflict() -> RequestRefused:
    """The answer to a write that met a transaction on the same item."""
    return RequestRefused("TransactionConflictException", "Transaction is ongoing for the item")
