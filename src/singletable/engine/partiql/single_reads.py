"""A SELECT of one item by its key and nothing else, as batches and transactions ask for it."""

from __future__ import annotations

from singletable.engine.asked import WHOLE, Projected, refuse_parts_of_keys
from singletable.engine.keys import exact_key
from singletable.engine.partiql.bind import Bound, value_of
from singletable.engine.partiql.branches import branches_of, key_test
from singletable.engine.table import Item, OpenTable
from singletable.errors import invalid
from singletable.expressions.tree import Condition
from singletable.partiql.columns import Columns
from singletable.partiql.statements import Select
from singletable.values.comparison import equal


def planned_get(table: OpenTable, bound: Bound, select: Select, key_needed: str) -> tuple[bytes, Projected]:
    """The stored key of the item, and what is returned of it; `key_needed` is what is said of any other SELECT."""
    key = selected_key(table, bound, select, key_needed)
    return exact_key(table, key), selected_columns(table, select)


def selected_key(table: OpenTable, bound: Bound, select: Select, key_needed: str) -> Item:
    """The key that a SELECT names, one value for every attribute, and nothing beside it."""
    if select.source.index is not None:
        raise invalid(key_needed)
    branch = _only_branch(table, select.where, key_needed)
    key: Item = {}
    for condition in branch:
        test = key_test(condition, table.key_names)
        if test is None or test.operator != "=":
            raise invalid(key_needed)
        value = value_of(test.operands[0], bound.values)
        if not equal(key.setdefault(test.attribute, value), value):
            raise invalid(key_needed)
    if len(key) < len(table.key_names):
        raise invalid(key_needed)
    return key


def selected_columns(table: OpenTable, select: Select) -> Projected:
    """What a SELECT returns of an item."""
    projection = WHOLE if select.columns is None else Projected(Columns(select.columns))
    refuse_parts_of_keys(projection.nested_attributes, table)
    return projection


def _only_branch(table: OpenTable, where: Condition | None, key_needed: str) -> tuple[Condition, ...]:
    names = table.key_names
    branches = None if where is None else branches_of(where, names[:1], names)
    if branches is None or len(branches) > 1:
        raise invalid(key_needed)
    return branches[0]
