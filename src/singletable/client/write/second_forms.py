"""Second forms: attributes that repeat fields under another name while a migration renames the stored attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.client.responses import Item
from singletable.client.write.counter_marks import with_marks
from singletable.client.write.index_key_changes import stored_or_none
from singletable.client.write.prepare_actions import PreparedWrite
from singletable.expressions.tree import Change, Constant, Path
from singletable.lazy_dataclass import replace
from singletable.model.derived_data import DerivedDataRules
from singletable.model.entity import Entity


def second_form_changes(entity: Entity, forms: Mapping[str, str], values: Mapping[str, Any]) -> list[Change]:
    """Return the changes that also write the values of some fields into their second forms."""
    changes: list[Change] = []
    for attribute, name in forms.items():
        stored = stored_or_none(entity, name, values[name])
        path = Path((attribute,))
        changes.append(Change("REMOVE", path) if stored is None else Change("SET", path, Constant(stored)))
    return changes


def with_second_attributes(entity: Entity, forms: Mapping[str, str], item: Item) -> Item:
    """Return an item that contains the second forms of its fields."""
    values = {attribute: item.get(entity.attributes[name]) for attribute, name in forms.items()}
    kept = {name: value for name, value in item.items() if name not in forms}
    return kept | {name: value for name, value in values.items() if value is not None}


def with_both_forms(write: PreparedWrite, rules: DerivedDataRules, stored: Item | None) -> PreparedWrite:
    """Return a write that also writes the marks and the second forms of its item."""
    write = with_marks(write, rules, stored)
    forms, action, entity = rules.second_forms, write.action, write.intent.entity
    is_whole = write.intent.kind in ("put", "create", "upsert")
    if not forms or write.new is None or not (is_whole or write.is_known):
        return write
    if action.kind == "Put":
        return replace(write, action=replace(action, item=with_second_attributes(entity, forms, action.item or {})))
    changes = second_form_changes(entity, forms, write.new)
    kept = tuple(each for each in action.changes if each.path.attribute not in forms)
    return replace(write, action=replace(action, changes=(*kept, *changes)))
