"""Conditions of counters: whether an item is counted, evaluated on its fields as DynamoDB evaluates stored items."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from singletable.expressions.evaluate import Test, compiled
from singletable.expressions.tree import Constant, Leaf, with_leaves
from singletable.model.counts import Count
from singletable.model.entity import Entity
from singletable.planner.items import Item, field_value
from singletable.planner.stored import stored_value


def is_counted(entity: Entity, count: Count, values: Mapping[str, Any]) -> bool:
    """Whether a counter counts an item of the entity with these fields."""
    return count.condition is None or _test(count)(_stored_fields(entity, count, values), {})


@lru_cache(maxsize=256)
def _test(count: Count) -> Test:
    """The condition over stored values by the names of their fields."""
    assert count.condition is not None, "the caller tests for a condition"
    return compiled(with_leaves(count.condition, _stored_constant))


def _stored_constant(leaf: Leaf) -> Leaf:
    return Constant(stored_value(leaf.value)) if isinstance(leaf, Constant) else leaf


def _stored_fields(entity: Entity, count: Count, values: Mapping[str, Any]) -> Item:
    """The stored values of the fields that the condition reads; a value that is not stored is missing."""
    item: Item = {}
    for name in count.tested:
        value = values.get(name)
        if value is None and not entity.fields[name].may_be_none:
            continue  # nothing can be stored for it
        stored = field_value(entity, name, value)
        if stored is not None:
            item[name] = stored
    return item
