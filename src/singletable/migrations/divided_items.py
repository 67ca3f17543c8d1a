"""Divided items: the changes that split an item into two, and that merge the two items into one again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from singletable.client.items.item_types import ItemTypes
from singletable.client.responses import Item
from singletable.client.write.item_actions import ItemAction, key_id
from singletable.client.write.item_moves import ATTRIBUTES_MAX
from singletable.client.write.stored_expressions import attribute_equals, exists, missing
from singletable.errors import ArgumentRefused, ItemRefused, KeyRefused
from singletable.evolve.divided_entities import DividedEntity
from singletable.evolve.moved_entities import overlaps
from singletable.evolve.operation import Category, Operation
from singletable.evolve.operations.entity_merged import EntityMerged
from singletable.evolve.operations.entity_split import EntitySplit
from singletable.evolve.restored_design import design_of
from singletable.evolve.snapshot_records import Snapshot
from singletable.migrations.item_changes import Found, ItemChange, ItemFailure, NeedsItems, RelatedWrite
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.stored_items import field_value, item_of, key_of, values_of

Computed = ItemChange | ItemFailure | NeedsItems | None


class DividedItems:
    """Computes the changes of the items of divided entities. A migration either splits or merges entities."""

    def __init__(self, before: Snapshot, design: Design, operations: Sequence[Operation]) -> None:
        given = [each for each in operations if isinstance(each, EntitySplit | EntityMerged)]
        self.merges = any(isinstance(each, EntityMerged) for each in given)
        """Whether the migration merges items, and its undo splits them."""
        # Only one of the two designs has both entities.
        self._design = design_of(before) if self.merges else design
        self._types = ItemTypes(self._design)
        named = {each.name: each for each in self._design.entities}
        self._halves = [_Halves(each.entity, named, self._design, self._types) for each in given]

    def contains(self, item: Item) -> bool:
        """Return whether an item is one of the divided entities."""
        entity = self._types.entity_of(item) if self._halves else None
        return any(entity in (each.whole, each.part) for each in self._halves)

    def change(self, item: Item, found: Found, key_text: str, *, is_back: bool = False) -> Computed:
        """Return the change that splits an item, or that merges it with its other half. None if it needs none.

        With `is_back`, the change is the inverse, for an undo.
        """
        unites = self.merges is not is_back
        entity = self._types.entity_of(item)
        try:
            if all(entity is not each.whole for each in self._halves):
                halves = next(each for each in self._halves if entity is each.part)
                return None if is_back or not unites else halves.orphan(item, found, key_text)
            given = [each for each in self._halves if entity is each.whole]
            if is_back:  # the migration can have failed to change an item
                given = [each for each in given if each.can_return(item, unites=unites)]
            return self._change(item, given, found, key_text, unites=unites, is_back=is_back)
        except (ItemRefused, ArgumentRefused, KeyRefused) as problem:
            return ItemFailure(key_text, str(problem))

    def _change(
        self, item: Item, given: Sequence[_Halves], found: Found, key_text: str, *, unites: bool, is_back: bool
    ) -> Computed:
        values = {id(each): each.values(item) for each in given}
        keys = [each.part_key(values[id(each)]) for each in given]
        if unread := tuple(key for key in keys if key_id(key) not in found):
            return NeedsItems(unread)
        made: list[ItemChange] = []
        for each, key in zip(given, keys, strict=True):
            other = found[key_id(key)]
            if is_back and (not each.is_part(other) if unites else other is not None):
                continue  # the migration has not changed the item
            function = each.united if unites else each.divided
            lost = each.lost_by_undo(other) if unites and not is_back else None
            one = lost or function(item, values[id(each)], key, other)
            if isinstance(one, str):
                return ItemFailure(key_text, one)
            made += [] if one is None else [one]
        if not made:
            return None
        sets, unchanged = dict[str, Any](), dict[str, Any]()
        for one in made:
            sets |= one.sets
            unchanged |= one.unchanged
        removes = tuple(name for one in made for name in one.removes)
        related = tuple(write for one in made for write in one.related)
        return ItemChange(made[0].key, item, sets, removes, unchanged, related)


class _Halves:
    """One entity that is divided: its compiled entities, and the attributes of its fields."""

    def __init__(self, entity: DividedEntity, named: Mapping[str, Entity], design: Design, types: ItemTypes) -> None:
        self._entity, self._design, self._types = entity, design, types
        self.whole, self.part = named[entity.divided.name], named[entity.part.name]
        self._names = design.table.key_attributes
        self._moved = {self.part.attributes[name]: each for name, each in entity.moved.items()}
        """The fields that move, by their attributes in the part."""

    def values(self, item: Item) -> Mapping[str, Any]:
        """Return the fields of a whole item that both halves have."""
        return values_of(self.whole, self._types.decoder(self.whole).read(item))

    def part_key(self, values: Mapping[str, Any]) -> Item:
        """Return the key of the other half of an item with these fields."""
        return key_of(self.part, {name: values[other] for name, other in self._entity.shared.items()})

    def is_part(self, item: Item | None) -> bool:
        """Return whether an item is a part."""
        return item is not None and self._types.entity_of(item) is self.part

    def can_return(self, item: Item, *, unites: bool) -> bool:
        """Return whether an undo may have to merge or split a whole item, judging by the moved attributes in it."""
        required = [each.attribute for each in self._moved.values() if each.required]
        has_all = all(name in item for name in required)
        return has_all is not unites if required else True

    def divided(self, item: Item, values: Mapping[str, Any], key: Item, other: Item | None) -> ItemChange | str | None:
        """Return the change that splits an item, the reason why it cannot be split, or None."""
        present = {name: field.attribute for name, field in self._moved.items() if field.attribute in item}
        if not present:  # it is divided already, or none of the fields has a value
            return None
        if other is not None:
            return f"another item already has the key {key}"
        given = {name: item[attribute] for name, attribute in present.items()}
        for name, whole in self._entity.shared.items():
            stored = field_value(self.part, name, values[whole])
            if stored is not None:
                given[self.part.attributes[name]] = stored
        put = item_of(self._design, self.part, values_of(self.part, self._types.decoder(self.part).read(given)))
        # Nested data that the model does not know moves too. A key attribute has only the value that the model writes.
        placed = self._key_attributes()
        put |= {name: item[attribute] for name, attribute in present.items() if name not in placed}
        related = RelatedWrite(ItemAction("Put", key, 0, put, guards=(missing(self._names[0]),)), None, put)
        return self._changed(item, {}, tuple(present.values()), related)

    def united(self, item: Item, values: Mapping[str, Any], key: Item, other: Item | None) -> ItemChange | str | None:
        """Return the change that merges an item with its other half, the reason why it cannot be, or None."""
        label = self._entity.part.label
        if other is None:
            absent = [each.name for each in self._moved.values() if each.required and each.attribute not in item]
            return f"its {label} does not exist, so it has no value for {', '.join(absent)}" if absent else None
        if not self.is_part(other):
            return f"the item with the key of its {label} belongs to another entity"
        theirs = values_of(self.part, self._types.decoder(self.part).read(other))
        if different := [name for name, whole in self._entity.shared.items() if theirs[name] != values[whole]]:
            return f"its {label} has other values: {', '.join(different)}"
        if unknown := sorted(other.keys() - self._known_attributes()):
            return f"its {label} has attributes that are no fields: {', '.join(unknown)}"
        if len(other) > ATTRIBUTES_MAX:
            return f"its {label} has more than {ATTRIBUTES_MAX} attributes"
        sets = {field.attribute: other[name] for name, field in self._moved.items() if name in other}
        if taken := [name for name, value in sets.items() if item.get(name, value) != value]:
            return f"the item and its {label} have different values of {', '.join(taken)}"
        same = (attribute_equals(name, value) for name, value in other.items() if name not in key)
        delete = ItemAction("Delete", key, 0, guards=(exists(self._names[0]), *same))
        return self._changed(item, sets, (), RelatedWrite(delete, other, None))

    def lost_by_undo(self, other: Item | None) -> str | None:
        """Return why an undo of a merge could not restore the other half of an item, or None."""
        if not self.is_part(other) or other is None or any(name in other for name in self._moved):
            return None
        names = ", ".join(each.name for each in self._moved.values())
        return f"its {self._entity.part.label} has no value for {names}, so an undo could not restore it. Delete it"

    def _changed(self, item: Item, sets: Item, removes: tuple[str, ...], related: RelatedWrite) -> ItemChange:
        key = {name: item[name] for name in self._names}
        seen = [*(self.whole.attributes[name] for name in self._entity.shared.values())]
        seen += [each.attribute for each in self._moved.values()]
        unchanged = {name: item.get(name) for name in seen if name not in key}
        return ItemChange(key, item, sets, removes, unchanged, (related,))

    def orphan(self, item: Item, found: Found, key_text: str) -> NeedsItems | ItemFailure | None:
        """Return a failure if the other half of a part does not exist."""
        values = values_of(self.part, self._types.decoder(self.part).read(item))
        key = key_of(self.whole, {whole: values[name] for name, whole in self._entity.shared.items()})
        if key_id(key) not in found:
            return NeedsItems((key,))
        is_whole = (other := found[key_id(key)]) is not None and self._types.entity_of(other) is self.whole
        return None if is_whole else ItemFailure(key_text, f"its {self._entity.divided.label} does not exist")

    def _known_attributes(self) -> set[str]:
        named = self._design.settings.type_attribute
        return {*self.part.attributes.values(), *self._key_attributes(), *([] if named is None else [named])}

    def _key_attributes(self) -> set[str]:
        return {part.attribute for each in self.part.placements.values() for part in each.parts}


def division_conflicts(design: Design, operations: Sequence[Operation]) -> Iterator[str]:
    """Yield the reasons why a migration cannot split or merge entities."""
    kinds = {type(each) for each in operations if each.category is Category.MOVE}
    if len(kinds) > 1:
        yield "one migration cannot move, split and merge items. Make one migration for each"
    yield from _fields_moved_twice([each.entity for each in operations if isinstance(each, EntitySplit | EntityMerged)])
    for each in operations:
        if not isinstance(each, EntitySplit):
            continue
        part = next(one for one in design.entities if one.name == each.entity.part.name)
        for other in design.entities:
            if other is not part and overlaps(part.base, other.base):
                yield f"{part.label}: its key can equal the key of {other.label}. Start it with another literal."


def _fields_moved_twice(entities: Sequence[DividedEntity]) -> Iterator[str]:
    """Yield a message for each field that moves to two parts, or from two parts."""
    first: dict[tuple[str, str], str] = {}
    for each in entities:
        whole, label = each.united, each.part.label
        for field in each.moved.values():
            other = first.setdefault((whole.name, field.name), label)
            if other != label:
                both = f"{other} and {label}"
                yield f"{whole.label}.{field.name} cannot move to or from both {both}. Remove it from one of them."
