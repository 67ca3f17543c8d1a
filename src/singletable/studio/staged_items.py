"""Staged items: changes of items that wait on the server until they are written, and the conflicts of a write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

from singletable.client.items.item_types import ItemTypes
from singletable.client.write.stored_expressions import same_stored_value
from singletable.document.item_collections import text_of
from singletable.document.svg import clean
from singletable.errors import ArgumentRefused
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.stored_items import item_of, values_of

Item = dict[str, Any]
NEW = "new:"
_STAGED_MAX = 1_000


@dataclass(frozen=True)
class StagedItem:
    """A change of one item: its state as it was read, and its state after the change."""

    id: str
    """The table key as JSON; `new:NUMBER` for a new item."""
    before: Item | None
    """The item as it was read; None for a new item."""
    after: Item | None
    """The attributes after the change; None deletes the item. The model computes the keys of an entity's item."""
    entity: str = ""
    """The name of the entity; empty for an item that is written as it is."""

    @property
    def kind(self) -> str:
        """The kind of the change."""
        return "delete" if self.after is None else "create" if self.before is None else "edit"


class StagedItems:
    """The staged changes of one table, in the order in which they were staged."""

    def __init__(self) -> None:
        self._items: dict[str, StagedItem] = {}
        self._lock = Lock()
        self._numbers = 0
        self.revision = 0
        """A number that increases with every change, so that a page writes only the changes that it shows."""

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[StagedItem]:
        return iter(tuple(self._items.values()))

    def get(self, id_: str) -> StagedItem | None:
        """Return the staged change of an item, or None."""
        return self._items.get(id_)

    def new_id(self) -> str:
        """Return the ID of a new item."""
        with self._lock:
            self._numbers += 1
            return f"{NEW}{self._numbers}"

    def stage(self, item: StagedItem) -> None:
        """Add a change, or replace the change of the same item."""
        with self._lock:
            if item.id not in self._items and len(self._items) >= _STAGED_MAX:
                raise ArgumentRefused(f"{_STAGED_MAX:,} changes are staged; write or discard some of them first")
            self._items[item.id] = item
            self.revision += 1

    def discard(self, id_: str | None = None) -> None:
        """Remove the change of an item, or all changes."""
        with self._lock:
            if id_ is None:
                self._items.clear()
            else:
                self._items.pop(id_, None)
            self.revision += 1


def canonical_item(design: Design, types: ItemTypes, entity: Entity, item: Item) -> Item:
    """Return an item as the model writes it; raises ItemRefused if the model cannot read it."""
    return dict(item_of(design, entity, values_of(entity, types.decoder(entity).read(item))))


def unknown_attributes(design: Design, entity: Entity, item: Mapping[str, Any]) -> Item:
    """Return the attributes of an item that the model does not declare; an edit keeps them."""
    settings = design.settings
    known = {*entity.attributes.values(), settings.type_attribute, settings.schema_version_attribute}
    known |= {name for index in design.indexes.values() for name in index.key_attributes}
    return {name: value for name, value in item.items() if name not in known}


def locked_fields(entity: Entity, design: Design, *, is_new: bool) -> dict[str, str]:
    """Return the fields that a form does not change, each with the reason."""
    found: dict[str, str] = {}
    version = entity.declaration.version
    if version is not None:
        found[version] = "the version; every write increments it"
    for count in (each for other in design.entities for each in other.declaration.counted if each.owner is entity.cls):
        found[count.field] = "a counter; writes of the counted items change it"
    if not is_new:
        for copy in entity.declaration.copies:
            found |= {ours: f"a copy of {copy.source.__name__}.{theirs}" for theirs, ours in copy.fields.items()}
    return found


@dataclass(frozen=True)
class ConflictRow:
    """An attribute that another writer has changed: its values as read, as stored now, and as staged."""

    name: str
    read: str
    stored: str
    staged: str


@dataclass(frozen=True)
class ItemConflict:
    """A staged change of an item that another writer has changed since it was read."""

    id: str
    stored: Item | None
    rows: tuple[ConflictRow, ...]


def conflict_of(staged: StagedItem, stored: Item | None, entity: Entity | None, design: Design) -> ItemConflict | None:
    """Return the conflict between a staged change and the stored item; None if the item is as it was read."""
    before, after = staged.before or {}, staged.after or {}
    now = stored or {}
    changed = [name for name in {**before, **now} if not same_stored_value(before.get(name), now.get(name))]
    if not changed:
        return None
    own = _editable(design, entity, {**before, **now, **after})
    rows = tuple(
        ConflictRow(name, _shown(before, name), _shown(now, name), _shown(after, name) if staged.after else "deleted")
        for name in ([name for name in changed if name in own] or changed)
    )
    return ItemConflict(staged.id, stored, rows)


def _editable(design: Design, entity: Entity | None, item: Item) -> set[str]:
    """Return the attributes that an editor changes: the fields, and attributes that the model does not declare."""
    if entity is None:
        return set(item)
    return {*entity.attributes.values(), *unknown_attributes(design, entity, item)}


def _shown(item: Mapping[str, Any], name: str) -> str:
    return (clean(text_of(item[name])) or '""') if name in item else "not set"


def staged_on_top(
    design: Design, types: ItemTypes, entity: Entity | None, staged: StagedItem, stored: Item | None
) -> StagedItem:
    """Return a staged change that starts from the stored item, and differs from it only in the changes of the user."""
    if staged.after is None or staged.before is None or stored is None:
        return replace(staged, before=stored)
    before = staged.before if entity is None else canonical_item(design, types, entity, staged.before)
    after: Item = dict(stored)
    for name in _editable(design, entity, {**before, **staged.after}):
        old, new = before.get(name), staged.after.get(name)
        if same_stored_value(old, new) or (old is None and new == {"NULL": True}):
            continue
        if new is None:
            after.pop(name, None)
        else:
            after[name] = new
    return replace(staged, before=stored, after=after)
