"""Moved items: the changes that give the items of an entity their new keys, and the old ones in an undo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from singletable.client.items.item_types import ItemTypes, key_matches
from singletable.client.responses import Item
from singletable.client.write.derived_actions import OWNER
from singletable.client.write.item_actions import key_id
from singletable.client.write.item_moves import ATTRIBUTES_MAX, marker_keys, move_actions
from singletable.client.write.prepare_actions import Preparer
from singletable.errors import ArgumentRefused, ItemRefused, KeyRefused
from singletable.evolve.moved_entities import MovedEntity
from singletable.migrations.item_changes import Found, ItemChange, ItemFailure, NeedsItems, RelatedWrite
from singletable.model.design import Design


class MovedItems:
    """Computes the moves of the items of one table."""

    def __init__(self, design: Design, moved: Sequence[MovedEntity], types: ItemTypes) -> None:
        self._moved, self._types = tuple(moved), types
        self._by_name: Mapping[str, MovedEntity] = {each.new.name: each for each in moved}
        self._preparer = Preparer(design, design.name, types, lambda: 0.0)
        self._key_names = design.table.key_attributes

    def entity_of(self, item: Item) -> MovedEntity | None:
        """Return the moved entity of an item, or None."""
        if not self._moved:
            return None
        entity = self._types.entity_of(item)
        if entity is not None:
            return self._by_name.get(entity.name)
        # Without a type attribute, only the key of an item shows its entity.
        return next((each for each in self._moved if key_matches(each.old.base, item)), None)

    def change(
        self, moved: MovedEntity, item: Item, found: Found, key_text: str, *, is_back: bool = False
    ) -> ItemChange | ItemFailure | NeedsItems | None:
        """Return the move of an item to its new key, or to its old key. Return None if it already has this key.

        `found` contains the item with the target key if an earlier attempt has found one.
        """
        key = {name: item[name] for name in self._key_names}
        try:
            values = self._preparer.read_fields(moved.new, item)
            old, new = moved.keys(values)
        except (ItemRefused, ArgumentRefused, KeyRefused) as problem:
            known = moved.keys_of(key) if is_back else None
            has_old_key = known is not None and known[0] == key  # then an undo has nothing to move
            return None if has_old_key else ItemFailure(key_text, str(problem))
        source, target = (new, old) if is_back else (old, new)
        if key == target:
            return None
        if key != source:
            return ItemFailure(key_text, "the key of the item does not match its fields; write the item again")
        if found.get(key_id(target)) is not None:
            return ItemFailure(key_text, f"another item already has the key {_shown(target)}")
        if len(item) > ATTRIBUTES_MAX:
            return ItemFailure(key_text, f"it has more than {ATTRIBUTES_MAX} attributes, so it cannot move")
        needed = list(marker_keys(self._preparer, moved.new, values))
        unread = tuple(each for each in needed if key_id(each) not in found)
        if unread:
            return NeedsItems(unread)
        markers = [marker for each in needed if (marker := found[key_id(each)]) is not None]
        _, put, *updates = move_actions(item, source, target, markers)
        related = [RelatedWrite(put, None, put.item)]
        stored = {key_id({name: each[name] for name in key}): each for each in markers}
        for update in updates:
            marker = stored[key_id(update.key)]
            related.append(RelatedWrite(update, marker, {**marker, OWNER: {"M": target}}))
        unchanged = {name: value for name, value in item.items() if name not in key}
        return ItemChange(key, item, unchanged=unchanged, related=tuple(related), deletes=True)


def _shown(key: Item) -> str:
    return ", ".join(f"{name} {next(iter(value.values()))!r}" for name, value in key.items())
