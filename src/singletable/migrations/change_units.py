"""The write units that a change request consumes on the table and on each index, by DynamoDB's rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from singletable.client.responses import Item
from singletable.client.write.item_actions import KeyId, key_id
from singletable.evolve.snapshot_records import IndexSnapshot
from singletable.expressions.update_expression import ItemUpdate
from singletable.migrations.item_changes import ChangeRequest
from singletable.model.table_schema import TABLE
from singletable.values.item_size import entry_write_units, item_size, write_units

TRANSACTION_FACTOR = 2
"""A transaction consumes twice the write units on the table. Its writes to indexes consume the usual units."""


class WrittenItem(NamedTuple):
    """An item before and after a request; `is_check` if the request only checks it."""

    before: Item | None
    after: Item | None
    is_check: bool = False

    @property
    def is_changed(self) -> bool:
        """Whether the request changes the item. Only then does DynamoDB write a stream record."""
        return not self.is_check and self.before != self.after


def request_units(
    request: ChangeRequest, written: Mapping[KeyId, WrittenItem], table: IndexSnapshot, indexes: Iterable[IndexSnapshot]
) -> int:
    """Return the write units of a request with these items. They do not include the check of the runner's epoch."""
    indexes, factor = tuple(indexes), TRANSACTION_FACTOR if request.is_transaction else 1
    return sum(
        change_units(each.before, each.after, table, () if each.is_check else indexes, factor=factor)
        for each in written.values()
    )


def check_units(item: Item) -> int:
    """Return the write units of the check of one item in a transaction."""
    return TRANSACTION_FACTOR * write_units(item_size(item))


def written_items(request: ChangeRequest, current: Mapping[KeyId, Item | None]) -> Mapping[KeyId, WrittenItem]:
    """Return the items of a request before and after it, by key.

    `current` contains items that have changed since the changes were computed.
    """
    written: dict[KeyId, WrittenItem] = {}
    for change in request.changes:
        key = key_id(change.key)
        before = current.get(key, change.before)
        after = None if change.deletes or before is None else change.applied_to(before)
        written[key] = WrittenItem(before, after, not change.writes_item)
    for each in (each for change in request.changes for each in change.related):
        key = key_id(each.action.key)
        known = written.get(key, WrittenItem(current.get(key, each.before), current.get(key, each.before), True))
        if each.action.kind == "ConditionCheck":
            written.setdefault(key, known)
        else:
            after = ItemUpdate(each.action.changes).apply(known.after or {}, {}) if each.is_counter else each.after
            written[key] = WrittenItem(known.before, after)
    return written


def change_units(
    before: Item | None, after: Item | None, table: IndexSnapshot, indexes: Iterable[IndexSnapshot], *, factor: int = 1
) -> int:
    """Return the write units of a write, given the item before and after it. None is an item that does not exist."""
    sizes = [item_size(each) for each in (before, after) if each is not None]
    units = factor * write_units(max(sizes, default=0))
    for index in indexes:
        if index.alias == TABLE:
            continue
        old, new = _entry(before, table, index), _entry(after, table, index)
        if old is None and new is None:
            continue
        is_moved = old is not None and new is not None and any(old[name] != new[name] for name in index.attributes)
        units += entry_write_units(
            None if old is None else item_size(old),
            None if new is None else item_size(new),
            is_moved=is_moved,
            is_changed=old != new,
        )
    return units


def _entry(item: Item | None, table: IndexSnapshot, index: IndexSnapshot) -> Item | None:
    """Return the projected attributes of an item, or None if the index does not contain the item."""
    if item is None or any(each.type not in item.get(each.name, {}) for each in (*index.partition, *index.sort)):
        return None
    if index.projection == "ALL":
        return item
    names = {*table.attributes, *index.attributes, *index.included}
    return {name: value for name, value in item.items() if name in names}
