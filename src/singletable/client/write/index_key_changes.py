"""Field and index key changes: the update actions that keep every index key in sync with its fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from singletable.client.responses import Item
from singletable.client.write.stored_expressions import attribute_equals, missing
from singletable.client.write.write_plans import written_parts
from singletable.expressions.tree import Change, Condition, Constant, Function, Or, Path
from singletable.lazy_dataclass import replace
from singletable.model.derived_data import DerivedDataRules
from singletable.model.entity import Entity
from singletable.planner.stored_items import field_value, key_attribute_value
from singletable.planner.write_effects import KeyRewrite, key_rewrites


def stored_or_none(entity: Entity, name: str, value: Any) -> Any:
    """Return the stored form of a field's value. Return None if the value is not stored."""
    return None if value is None and not entity.fields[name].may_be_none else field_value(entity, name, value)


def set_field(entity: Entity, name: str, value: Any) -> Change:
    """Return the change that sets a field to a value."""
    path = Path((entity.attributes[name],))
    stored = stored_or_none(entity, name, value)
    return Change("REMOVE", path) if stored is None else Change("SET", path, Constant(stored))


def changes_between(entity: Entity, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Change, ...]:
    """Return the changes that turn old values into new ones, including index keys."""
    changed = frozenset(name for name in new if new[name] != old[name])
    fields = (set_field(entity, name, new[name]) for name in sorted(changed))
    return (*fields, *key_changes(entity, key_rewrites(entity, changed, frozenset()), new))


def with_all_new_keys(rewrite: KeyRewrite, old: Item) -> KeyRewrite:
    """Return a rewrite of all keys of an index, if the item is not in the index yet.

    Otherwise, return the given rewrite. An item has no key of an index that was declared after the item was stored.
    """
    if rewrite.is_left or all(part.attribute in old for part in rewrite.placement.parts):
        return rewrite
    return replace(rewrite, parts=rewrite.placement.parts, needed=rewrite.placement.fields)


def without_stale_keys(
    entity: Entity, item: Item, rewrites: Iterable[KeyRewrite], changed: Iterable[str], old: Mapping[str, Any]
) -> Item:
    """Return a changed item without the index keys that still contain old values.

    An unchanged field may be stored only in these keys. Such a field is added as an attribute.
    """
    permanent = {*entity.attributes.values(), *(part.attribute for part in entity.base.parts)}
    stale = {part.attribute for rewrite in rewrites for part in rewrite.parts} - permanent
    names = frozenset[str]().union(*(rewrite.placement.fields for rewrite in rewrites)).difference(changed)
    stored = {entity.attributes[name]: stored_or_none(entity, name, old[name]) for name in names if name in old}
    whole = {**{name: value for name, value in stored.items() if value is not None}, **item}
    return {name: value for name, value in whole.items() if name not in stale}


def key_changes(entity: Entity, rewrites: Iterable[KeyRewrite], values: Mapping[str, Any]) -> Iterable[Change]:
    """Yield the index key changes that follow from the fields.

    Without one of its key fields, the item leaves the index.
    """
    encoded: dict[int, Any] = {}
    for rewrite, part in written_parts(entity, tuple(rewrites)):
        if id(rewrite) not in encoded:
            encoded[id(rewrite)] = None if rewrite.is_left else rewrite.placement.encode(values, rewrite.parts)
        keys, path = encoded[id(rewrite)], Path((part.attribute,))
        if keys is None:
            yield Change("REMOVE", path)
        else:
            yield Change("SET", path, Constant(key_attribute_value(keys[part.attribute])))


VERSION_INCREMENT = Constant({"N": "1"})
"""The amount that every write adds to the version of an item."""


def upsert_changes(entity: Entity, derived_data: DerivedDataRules, item: Item, key: Item) -> Iterable[Change]:
    """Yield the changes of an upsert: set every field, keep counters, increment the version, remove missing fields."""
    counters = {entity.attributes[name] for name in derived_data.counters}
    version = entity.declaration.version
    incremented = None if version is None else entity.attributes[version]
    for name, value in item.items():
        path = Path((name,))
        if name in counters:
            yield Change("SET", path, Function("if_not_exists", (path, Constant({"N": "0"}))))
        elif name == incremented:
            yield Change("ADD", path, VERSION_INCREMENT)
        elif name not in key:
            yield Change("SET", path, Constant(value))
    placed = {part.attribute for placement in entity.placements.values() for part in placement.parts}
    for name in sorted({*entity.attributes.values(), *placed} - item.keys()):
        yield Change("REMOVE", Path((name,)))


def field_equals(entity: Entity, name: str, value: Any) -> Condition:
    """Return a condition that the field has this value. For a default value, the attribute may be missing."""
    attribute, field = entity.attributes[name], entity.fields[name]
    same = attribute_equals(attribute, stored_or_none(entity, name, value))
    return Or((same, missing(attribute))) if value is not None and field.is_default(value) else same
