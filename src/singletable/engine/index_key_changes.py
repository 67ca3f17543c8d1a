"""What an update says of index keys before any item is looked at: their types, and that it reaches into none."""

from __future__ import annotations

from typing import Any

from singletable.engine.asked import refuse_parts_of_keys
from singletable.engine.table import OpenTable
from singletable.errors import invalid
from singletable.expressions.request import BoundUpdate
from singletable.expressions.tree import Arithmetic, Change, Constant, Function, Parameter


def check_index_keys(table: OpenTable, update: BoundUpdate) -> None:
    """Refuses a value of another type than an index key has, and a path into a key.

    The type of a value that is copied from another attribute is not known here; such a value is refused when it is
    written, and in other words (captured).
    """
    if not table.index_keys and not update.update.looked_into:
        return
    wrong = []
    for change in update.update.changes:
        if len(change.path.steps) > 1 or change.path.attribute not in table.index_keys:
            continue
        attribute, index = table.index_keys[change.path.attribute]
        actual = _kind(change, update)
        if actual is not None and actual != attribute.kind:
            wrong.append((index, attribute, actual))
    if wrong:
        index, attribute, actual = min(wrong, key=lambda each: each[0])
        raise invalid(
            f"One or more parameter values were invalid: Type mismatch for Index Key {attribute.name} "
            f"Expected: {attribute.kind} Actual: {actual} IndexName: {index}"
        )
    refuse_parts_of_keys(update.update.looked_into, table)


def _kind(change: Change, update: BoundUpdate) -> str | None:
    """The type of what the change writes, whatever the item; None when it depends on the item."""
    if change.action not in ("SET", "ADD"):
        return None
    match change.value:
        case Parameter(name):
            return _only(update.values[name])
        case Constant(value):
            return _only(value)
        case Arithmetic():
            return "N"
        case Function("list_append"):
            return "L"
        case _:
            return None


def _only(value: dict[str, Any]) -> str:
    return next(iter(value))
