"""Fields and index keys as changes: what an update writes so that every index key stays in sync with its fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from singletable.client.answers import Item
from singletable.client.write.plans import written_parts
from singletable.expressions.tree import Change, Constant, Path
from singletable.model.entity import Entity
from singletable.planner.bind import key_attribute_value
from singletable.planner.items import field_value
from singletable.planner.key_rewrites import KeyRewrite, key_rewrites


def stored_or_none(entity: Entity, name: str, value: Any) -> Any:
    """A field's value as it is stored; None when it is not stored, or not a value of the field."""
    return None if value is None and not entity.fields[name].may_be_none else field_value(entity, name, value)


def set_field(entity: Entity, name: str, value: Any) -> Change:
    """The change that gives a field a value."""
    path = Path((entity.attributes[name],))
    stored = stored_or_none(entity, name, value)
    return Change("REMOVE", path) if stored is None else Change("SET", path, Constant(stored))


def changes_between(entity: Entity, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Change, ...]:
    """The changes from some values to others, index keys included."""
    changed = frozenset(name for name in new if new[name] != old[name])
    fields = (set_field(entity, name, new[name]) for name in sorted(changed))
    return (*fields, *key_changes(entity, key_rewrites(entity, changed, frozenset()), new))


def whole_where_new(rewrite: KeyRewrite, old: Item) -> KeyRewrite:
    """All keys of an index that an item is not in yet, since it was stored before the index was declared."""
    if rewrite.is_left or all(part.attribute in old for part in rewrite.placement.parts):
        return rewrite
    return replace(rewrite, parts=rewrite.placement.parts, needed=rewrite.placement.fields)


def without_old_keys(
    entity: Entity, item: Item, rewrites: Iterable[KeyRewrite], changed: Iterable[str], old: Mapping[str, Any]
) -> Item:
    """A changed item without the index keys that are yet to be written, which still hold the values from before.

    Unchanged fields that only those keys may hold are stored in their place.
    """
    kept = {*entity.attributes.values(), *(part.attribute for part in entity.base.parts)}
    stale = {part.attribute for rewrite in rewrites for part in rewrite.parts} - kept
    names = frozenset[str]().union(*(rewrite.placement.fields for rewrite in rewrites)).difference(changed)
    stored = {entity.attributes[name]: stored_or_none(entity, name, old[name]) for name in names if name in old}
    whole = {**{name: value for name, value in stored.items() if value is not None}, **item}
    return {name: value for name, value in whole.items() if name not in stale}


def key_changes(entity: Entity, rewrites: Iterable[KeyRewrite], values: Mapping[str, Any]) -> Iterable[Change]:
    """The changes of index keys that follow from the fields; an item without one of the fields leaves the index."""
    encoded: dict[int, Any] = {}
    for rewrite, part in written_parts(entity, tuple(rewrites)):
        if id(rewrite) not in encoded:
            encoded[id(rewrite)] = None if rewrite.is_left else rewrite.placement.encode(values, rewrite.parts)
        keys, path = encoded[id(rewrite)], Path((part.attribute,))
        if keys is None:
            yield Change("REMOVE", path)
        else:
            yield Change("SET", path, Constant(key_attribute_value(keys[part.attribute])))
