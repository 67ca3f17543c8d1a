"""Copies of a second table: the changes that copy the items of a table, and delete copies without an item."""

from __future__ import annotations

import json

from singletable.client.items.table_copies import TableCopies
from singletable.client.responses import Item
from singletable.client.write.item_actions import ItemAction, key_id
from singletable.client.write.item_moves import ATTRIBUTES_MAX
from singletable.client.write.stored_expressions import attribute_equals, exists, missing
from singletable.errors import ItemRefused
from singletable.evolve.second_table import SecondTable
from singletable.expressions.tree import Condition
from singletable.migrations.item_changes import Found, ItemChange, ItemFailure, NeedsItems, RelatedWrite

Computed = ItemChange | ItemFailure | NeedsItems | None


class SecondTableCopies:
    """Computes the changes of both tables while the items are copied."""

    def __init__(self, tables: SecondTable) -> None:
        self._old, self._new = tables.old, tables.new
        self._forwards, self._back = TableCopies(tables.old, tables.new), TableCopies(tables.new, tables.old)

    def copy(self, item: Item, now: float, found: Found) -> Computed:
        """Return the write of the copy of an item of the old table, or None if the copy is up to date.

        The transaction requires that the item is unchanged, and that its copy is as it was read: missing, or outdated.
        """
        key = {name: item[name] for name in self._forwards.key_names}
        if _is_expired(item, self._old.ttl_attribute, now):
            return None
        try:
            made = self._forwards.item(item)
        except ItemRefused as problem:
            return ItemFailure(_text(key), str(problem))
        target = {name: made[name] for name in self._forwards.target_key_names}
        if key_id(target) not in found:
            return NeedsItems((target,))
        current = found[key_id(target)]
        if current == made:
            return None
        names, copied_names = self._forwards.names(item), self._back.names({**made, **(current or {})})
        if max(len(names), len(copied_names)) > ATTRIBUTES_MAX:
            return ItemFailure(_text(key), f"it has more than {ATTRIBUTES_MAX} attributes, so it cannot be copied")
        partition = self._forwards.target_key_names[0]
        guards: tuple[Condition, ...] = (missing(partition),)
        if current is not None:
            same = (attribute_equals(name, current.get(name)) for name in sorted(copied_names))
            guards = (exists(partition), *same)
        put = ItemAction("Put", target, 0, made, guards=guards, table=self._new.name)
        unchanged = {name: item.get(name) for name in sorted(names)}
        return ItemChange(key, item, unchanged=unchanged, related=(RelatedWrite(put, current, made),))

    def delete_orphan(self, item: Item, now: float, found: Found) -> Computed:
        """Return the delete of an item of the new table, or None if the old table contains the item too.

        A client that wrote only the old table can have deleted the item after another client had written both.
        """
        key = {name: item[name] for name in self._back.key_names}
        if _is_expired(item, self._new.ttl_attribute, now):
            return None
        source = self._back.key(key)
        if source is None:
            return ItemFailure(_text(key), "the item belongs to no entity")
        if key_id(source) not in found:
            return NeedsItems((source,))
        if found[key_id(source)] is not None:
            return None
        guards = (missing(self._back.target_key_names[0]),)
        check = ItemAction("ConditionCheck", source, 0, guards=guards, table=self._old.name)
        unchanged = {name: item.get(name) for name in sorted(self._back.names(item))}
        return ItemChange(key, item, unchanged=unchanged, related=(RelatedWrite(check, None, None),), deletes=True)

    def verify_copy(self, item: Item, now: float, found: Found) -> ItemFailure | NeedsItems | None:
        """Return why an item of the old table has no equal copy, or None."""
        change = self.copy(item, now, found)
        if not isinstance(change, ItemChange):
            return change
        what = "has no copy" if change.related[0].before is None else "differs from its copy"
        return ItemFailure(_text(change.key), f"the item {what} in table {self._new.name!r}")

    def verify_origin(self, item: Item, now: float, found: Found) -> ItemFailure | NeedsItems | None:
        """Return why an item of the new table has no item in the old one, or None."""
        change = self.delete_orphan(item, now, found)
        if not isinstance(change, ItemChange):
            return change
        return ItemFailure(_text(change.key), f"table {self._old.name!r} does not contain the item of this copy")


def _is_expired(item: Item, attribute: str | None, now: float) -> bool:
    stored = item.get(attribute or "", {}).get("N")
    return stored is not None and float(stored) <= now


def _text(key: Item) -> str:
    return json.dumps(key, ensure_ascii=False)
