"""The differences between two designs, as operations in the order of deployment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from singletable.evolve.divided_entities import DividedEntity, fields_of_part
from singletable.evolve.operation import Category, Operation
from singletable.evolve.operations.attribute_renamed import AttributeRenamed
from singletable.evolve.operations.base_key_changed import BaseKeyChanged
from singletable.evolve.operations.control_table_changed import ControlTableChanged
from singletable.evolve.operations.copy_added import CopyAdded
from singletable.evolve.operations.copy_dropped import CopyDropped
from singletable.evolve.operations.counter_added import CounterAdded
from singletable.evolve.operations.counter_dropped import CounterDropped
from singletable.evolve.operations.entity_added import EntityAdded
from singletable.evolve.operations.entity_merged import EntityMerged
from singletable.evolve.operations.entity_removed import EntityRemoved
from singletable.evolve.operations.entity_renamed import EntityRenamed
from singletable.evolve.operations.entity_split import EntitySplit
from singletable.evolve.operations.field_added import FieldAdded
from singletable.evolve.operations.field_changed import FieldChanged
from singletable.evolve.operations.field_removed import FieldRemoved
from singletable.evolve.operations.field_renamed import FieldRenamed
from singletable.evolve.operations.index_added import IndexAdded
from singletable.evolve.operations.index_changed import IndexChanged
from singletable.evolve.operations.index_dropped import IndexDropped
from singletable.evolve.operations.keys_added import KeysAdded
from singletable.evolve.operations.keys_changed import KeysChanged
from singletable.evolve.operations.keys_dropped import KeysDropped
from singletable.evolve.operations.mirror_added import MirrorAdded
from singletable.evolve.operations.mirror_changed import MirrorChanged
from singletable.evolve.operations.mirror_dropped import MirrorDropped
from singletable.evolve.operations.option_changed import OptionChanged
from singletable.evolve.operations.schema_version_changed import SchemaVersionChanged
from singletable.evolve.operations.table_changed import SETTINGS, TableChanged
from singletable.evolve.operations.ttl_changed import TtlChanged
from singletable.evolve.operations.ttl_field_changed import TtlFieldChanged
from singletable.evolve.operations.unique_added import UniqueAdded
from singletable.evolve.operations.unique_dropped import UniqueDropped
from singletable.evolve.renamed_fields import possible_renames, with_renamed_field
from singletable.evolve.snapshot_records import EntitySnapshot, FieldSnapshot, KeysSnapshot, Snapshot
from singletable.model.table_schema import TABLE


def differences(before: Snapshot, after: Snapshot) -> tuple[Operation, ...]:
    """Return the operations that turn one design into another.

    Return none if both designs store items in the same way.
    """
    return tuple(_operations(before, after))


def needs_migration(operations: tuple[Operation, ...]) -> bool:
    """Return whether a change of the design needs more than the deployment of the new code."""
    return any(each.category is not Category.INSTANT for each in operations)


def works_in_all_phases(operations: tuple[Operation, ...]) -> bool:
    """Return whether new code can work with the old keys until the new ones are complete."""
    return all(each.works_in_all_phases for each in operations)


def _operations(before: Snapshot, after: Snapshot) -> Iterator[Operation]:
    if before.indexes[TABLE] != after.indexes[TABLE]:
        yield TableChanged(TABLE, before.indexes[TABLE], after.indexes[TABLE])
    yield from _setting_operations(before, after)
    if before.ttl_attribute != after.ttl_attribute:
        yield TtlChanged(before.ttl_attribute, after.ttl_attribute)
    yield from _index_operations(before, after)
    # The part of a split can be in an index that the old design does not have.
    before = msgspec.structs.replace(before, indexes={**after.indexes, **before.indexes})
    renamed = _renamed_entities(before, after)
    for old_name, new_name in renamed.items():
        new = after.entities[new_name]
        is_unique = bool(before.entities[old_name].unique or new.unique)
        change = EntityRenamed(old_name, new_name, new.label, is_unique, before.type_attribute is not None)
        yield change
        before = change.apply(before)
    for divided in (*_splits(before, after), *_merges(before, after)):
        yield divided
        before = divided.apply(before)
    old_entities = before.entities
    for name, entity in after.entities.items():
        if name in old_entities:
            yield from _entity_operations(before, after, old_entities[name], entity)
        else:
            yield EntityAdded(entity) if entity.mirror_of is None else MirrorAdded(entity)
    for name, entity in old_entities.items():
        if name not in after.entities:
            yield EntityRemoved(entity) if entity.mirror_of is None else MirrorDropped(entity)
    for alias, index in before.indexes.items():
        if alias not in after.indexes:
            yield IndexDropped(index)


def _setting_operations(before: Snapshot, after: Snapshot) -> Iterator[Operation]:
    for setting in SETTINGS:
        old, new = getattr(before, setting), getattr(after, setting)
        if old != new:
            yield TableChanged(setting, old, new)
    if before.control_table != after.control_table:
        yield ControlTableChanged(before.control_table, after.control_table)


def _index_operations(before: Snapshot, after: Snapshot) -> Iterator[Operation]:
    for alias, index in after.indexes.items():
        if alias not in before.indexes:
            yield IndexAdded(index)
        elif alias != TABLE and before.indexes[alias] != index:
            yield IndexChanged(before.indexes[alias], index)


def _renamed_entities(before: Snapshot, after: Snapshot) -> dict[str, str]:
    """Return the new name of each renamed entity: a removed and an added entity with the same class and table key."""
    gone = [each for name, each in before.entities.items() if name not in after.entities]
    new = [each for name, each in after.entities.items() if name not in before.entities]
    return {
        old.name: each.name
        for old in gone
        for each in new
        if old.label == each.label and old.keys.get(TABLE) == each.keys.get(TABLE)
    }


def _splits(before: Snapshot, after: Snapshot) -> Iterator[EntitySplit]:
    for part in after.entities.values():
        for whole, names in part.split_from.items():
            if part.name not in before.entities and whole in before.entities and whole in after.entities:
                united, divided = before.entities[whole], after.entities[whole]
                yield EntitySplit(DividedEntity(united, divided, part, fields_of_part(part, names)))


def _merges(before: Snapshot, after: Snapshot) -> Iterator[EntityMerged]:
    for whole in after.entities.values():
        for name, names in whole.merged_from.items():
            part = before.entities.get(name)
            if part is not None and name not in after.entities and whole.name in before.entities:
                of_part = fields_of_part(part, {ours: theirs for theirs, ours in names.items()})
                yield EntityMerged(DividedEntity(whole, before.entities[whole.name], part, of_part))


def _entity_operations(
    before: Snapshot, after: Snapshot, old: EntitySnapshot, new: EntitySnapshot
) -> Iterator[Operation]:
    name, label = new.name, new.label
    is_upgraded = (new.schema_version or 0) > (old.schema_version or 0)
    if old.schema_version != new.schema_version:
        yield SchemaVersionChanged(name, label, old.schema_version, new.schema_version)
    for renamed in _renames(old, new, is_upgraded):
        yield renamed
        old = with_renamed_field(old, renamed.before.name, renamed.after)
    yield from _field_operations(old, new, is_upgraded)
    if old.ttl != new.ttl:
        yield TtlFieldChanged(name, label, old.ttl, new.ttl, _stored_as_text(old, new))
    for option in ("identity", "version"):
        if getattr(old, option) != getattr(new, option):
            yield OptionChanged(name, label, option, getattr(old, option), getattr(new, option))
    yield from _derived_data_operations(before, old, new)
    yield from _key_operations(before, after, old, new)


def _derived_data_operations(before: Snapshot, old: EntitySnapshot, new: EntitySnapshot) -> Iterator[Operation]:
    name, label = new.name, new.label
    for fields in sorted({*old.unique} - {*new.unique}):
        yield UniqueDropped(name, label, fields)
    for fields in sorted({*new.unique} - {*old.unique}):
        yield UniqueAdded(name, label, fields)
    yield from (CounterDropped(name, label, each) for each in old.counted if each not in new.counted)
    for count in new.counted:
        if count not in old.counted:
            owner = before.entities.get(count.owner)
            yield CounterAdded(name, label, count, owner is None or owner.field(count.field) is None)
    yield from (CopyDropped(name, label, each) for each in old.copies if each not in new.copies)
    yield from (CopyAdded(name, label, each) for each in new.copies if each not in old.copies)
    if old.mirror_of != new.mirror_of:
        yield MirrorChanged(name, label, old.mirror_of, new.mirror_of)


def _renames(old: EntitySnapshot, new: EntitySnapshot, is_upgraded: bool) -> Iterator[FieldRenamed]:
    for after_name, before_name in new.renamed_from.items():
        field, previous = new.field(after_name), old.field(before_name)
        if field is None or previous is None or old.field(after_name) is not None:
            continue  # the rename belongs to an earlier migration
        attribute = field.attribute if is_upgraded else previous.attribute
        renamed = msgspec.structs.replace(previous, name=after_name, attribute=attribute)
        yield FieldRenamed(new.name, new.label, previous, renamed)


def _field_operations(old: EntitySnapshot, new: EntitySnapshot, is_upgraded: bool) -> Iterator[Operation]:
    known = {each.name: each for each in old.fields}
    old_names = {after_name: before_name for before_name, after_name in possible_renames(old, new)}
    for field in new.fields:
        previous = known.pop(field.name, None)
        if previous is not None and previous.attribute != field.attribute and not is_upgraded:
            yield AttributeRenamed(new.name, new.label, previous, field.attribute, _rename_problem(old, new, previous))
            previous = msgspec.structs.replace(previous, attribute=field.attribute)
        if previous is None:
            yield FieldAdded(new.name, new.label, field, is_upgraded, old_names.get(field.name))
        elif previous != field:
            yield FieldChanged(new.name, new.label, previous, field, is_upgraded)
    for removed in known.values():
        yield FieldRemoved(new.name, new.label, removed)


def _rename_problem(old: EntitySnapshot, new: EntitySnapshot, field: FieldSnapshot) -> str | None:
    """Return why an item cannot contain a field under its old and its new attribute, or None."""
    name, wanted = field.name, new.field(field.name)
    attribute = None if wanted is None else wanted.attribute
    if any(each.attribute == attribute for each in old.fields if each.name != name):
        return f"old items use the attribute {attribute} for another field"
    if any(each.attribute == field.attribute for each in new.fields if each.name != name):
        return f"new items use the attribute {field.attribute} for another field"
    keys = [each for entity in (old, new) for each in entity.keys.values()]
    if any(each.native == name for key in keys for each in (*key.partition, *key.sort)):
        return "the attribute is part of a key"
    if name in (old.ttl, new.ttl) and (old.unique or new.unique):
        return "unique markers expire by the same attribute"
    return "the attribute counts the versions of an item" if new.version == name else None


def _stored_as_text(old: EntitySnapshot, new: EntitySnapshot) -> FieldSnapshot | None:
    """Return a datetime field that becomes the TTL field or stops being it, or None if there is none.

    Only a TTL field stores a datetime as a number, so the stored form of such a field changes.
    """
    for name in (old.ttl, new.ttl):
        field = None if name is None else old.field(name)
        if field is not None and field.type == "datetime" and name is not None and new.field(name) is not None:
            return field
    return None


def _key_operations(before: Snapshot, after: Snapshot, old: EntitySnapshot, new: EntitySnapshot) -> Iterator[Operation]:
    name, label = new.name, new.label
    for alias, keys in new.keys.items():
        previous = old.keys.get(alias)
        if previous is None:
            yield KeysAdded(name, label, alias, keys)
            continue
        is_retyped = _texts_differ(old, new, alias)
        is_changed = previous != keys or is_retyped
        if alias == TABLE and is_changed:
            yield BaseKeyChanged(name, label, previous, keys, is_retyped or _texts_differ(old, new, alias, previous))
        elif alias != TABLE and (is_changed or before.indexes[alias].attributes != after.indexes[alias].attributes):
            yield KeysChanged(name, label, previous, keys, before.indexes[alias], after.indexes[alias])
    for alias, previous in old.keys.items():
        if alias not in new.keys:
            yield KeysDropped(name, label, alias, previous)


def _texts_differ(old: EntitySnapshot, new: EntitySnapshot, alias: str, keys: KeysSnapshot | None = None) -> bool:
    """Return whether equal templates produce different texts, because a field in them has another type."""
    used = (keys or new.keys[alias]).fields
    pairs: list[tuple[Any, Any]] = [(old.field(each), new.field(each)) for each in used]
    return any(one is not None and other is not None and one.type != other.type for one, other in pairs)
