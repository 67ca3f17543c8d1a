"""AttributeUpdates: what becomes of each attribute, by PUT, ADD or DELETE."""

from __future__ import annotations

from typing import Any

from singletable.engine.legacy.conditions import INVALID
from singletable.errors import RequestRefused, invalid
from singletable.expressions.apply import INCORRECT_TYPE, Update
from singletable.expressions.checks import SET_TYPES
from singletable.expressions.evaluate import Item
from singletable.expressions.request import BoundUpdate
from singletable.expressions.tree import Change, Constant, Function, Path
from singletable.values.accept import accept_value
from singletable.values.checks import check_name
from singletable.wire.items import UpdateItem
from singletable.wire.shape import AttributeValueUpdate

_ADDED_TYPES = SET_TYPES | {"N", "L"}


class AttributeUpdates(BoundUpdate):
    """Changes that refuse a value of another type than the item has in words of their own."""

    __slots__ = ()

    def apply(self, item: Item) -> dict[str, Any]:
        """The item after the update."""
        try:
            return super().apply(item)
        except RequestRefused as refusal:
            if refusal.message != INCORRECT_TYPE:
                raise
            raise invalid("Type mismatch for attribute to update") from None


def updates_of(request: UpdateItem) -> AttributeUpdates | None:
    """The changes of an update."""
    if not request.attribute_updates:
        return None
    changes = [_change(name, update) for name, update in request.attribute_updates.items()]
    return AttributeUpdates(Update(changes), {})


def _change(name: str, update: AttributeValueUpdate) -> Change:
    check_name(name)
    path, action, value = Path((name,)), update.action, update.value
    if value is None:
        if action != "DELETE":
            raise invalid(f"{INVALID}Only DELETE action is allowed when no attribute value is specified")
        return Change("REMOVE", path)
    accept_value(value)
    kind = next(iter(value))
    if action == "DELETE":
        if kind not in SET_TYPES:
            raise invalid(f"{INVALID}DELETE action with value is not supported for the type {kind}")
        return Change("DELETE", path, Constant(value))
    if action == "ADD":
        if kind not in _ADDED_TYPES:
            raise invalid(f"{INVALID}ADD action is not supported for the type {kind}")
        if kind == "L":
            before = Function("if_not_exists", (path, Constant({"L": []})))
            return Change("SET", path, Function("list_append", (before, Constant(value))))
        return Change("ADD", path, Constant(value))
    return Change("SET", path, Constant(value))
