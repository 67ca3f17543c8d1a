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
"""The factor of a transaction on the table. Its writes to indexes cost as much as others."""


class _Written(NamedTuple):
    """An item before and after a request; `is_check` if the request only checks it."""

    before: Item | None
    after: Item | None
    is_check: bool = False


def request_units(request: ChangeRequest, table: IndexSnapshot, indexes: Iterable[IndexSnapshot]) -> int:
    """Return the write units of a request, without those of the check of the epoch in a transaction."""
    indexes = tuple(indexes)
    if not request.is_transaction:
        (change,) = request.changes
        return change_units(change.before, change.after, table, indexes)
    written = written_items(request)
    return sum(
        change_units(each.before, each.after, table, () if each.is_check else indexes, factor=TRANSACTION_FACTOR)
        for each in written.values()
    )


def check_units(item: Item) -> int:
    """Return the write units of the check of one item in a transaction."""
    return TRANSACTION_FACTOR * write_units(item_size(item))


def written_items(request: ChangeRequest) -> Mapping[KeyId, _Written]:
    """Return the items of a request before and after it, by key."""
    written = {
        key_id(change.key): _Written(change.before, change.after, not change.writes_item) for change in request.changes
    }
    for each in (each for change in request.changes for each in change.related):
        key = key_id(each.action.key)
        known = written.get(key)
        if each.action.kind == "ConditionCheck":
            written.setdefault(key, _Written(each.before, each.before, is_check=True))
        elif known is not None and each.is_counter:
            written[key] = _Written(known.before, ItemUpdate(each.action.changes).apply(known.after or {}, {}))
        else:
            written[key] = _Written(each.before, each.after)
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
