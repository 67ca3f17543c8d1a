"""Legacy parameters for writes: Expected (the condition) and AttributeUpdates (the changes)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.engine.items.request_expressions import ItemPredicate
from singletable.engine.legacy.comparison_operators import INVALID, LegacyTest, check_arguments, combine_conditions
from singletable.errors import RequestRefused, invalid
from singletable.expressions.bound_expressions import BoundUpdate
from singletable.expressions.evaluate import Item
from singletable.expressions.operand_checks import SET_TYPES
from singletable.expressions.tree import Change, Constant, Function, Path
from singletable.expressions.update_expression import INCORRECT_TYPE, ItemUpdate
from singletable.values.item_size import texts_size, value_size
from singletable.values.item_validation import ITEM_TOO_LARGE, accept_value
from singletable.values.limits import ITEM_BYTES_MAX
from singletable.values.value_checks import check_name
from singletable.wire.api_types import AttributeValueUpdate, ExpectedAttributeValue
from singletable.wire.item_requests import ItemWrite, UpdateItem


def expected_condition(request: ItemWrite) -> ItemPredicate | None:
    """Return the condition of a write, or None if the request has no Expected parameter."""
    tests = [_test(name, expected) for name, expected in (request.expected or {}).items()]
    if tests:
        _check_size(request.expected or {})
    condition = combine_conditions(tests, request.conditional_operator)
    return None if condition is None else condition.holds


def _test(name: str, expected: ExpectedAttributeValue) -> LegacyTest:
    _check_contradictions(name, expected)
    operator, values = expected.comparison_operator, expected.attribute_value_list
    if operator is None:
        operator = "NULL" if expected.exists is False else "EQ"
    if values is None:
        values = [] if expected.value is None else [expected.value]
    check_arguments(name, operator, values)
    return name, operator, values


def _check_size(expected: Mapping[str, ExpectedAttributeValue]) -> None:
    """Reject an Expected parameter that exceeds the size limit of an item, as DynamoDB Local does."""
    size = texts_size(expected)
    for each in expected.values():
        values = each.attribute_value_list or ([] if each.value is None else [each.value])
        size += sum(map(value_size, values))
    if size > ITEM_BYTES_MAX:
        raise invalid(ITEM_TOO_LARGE)


def _check_contradictions(name: str, expected: ExpectedAttributeValue) -> None:
    operator, values, value = expected.comparison_operator, expected.attribute_value_list, expected.value
    if operator is not None and expected.exists is not None:
        raise _error("Exists and ComparisonOperator cannot be used together", name)
    if values is not None and value is not None:
        raise _error("Value and AttributeValueList cannot be used together", name)
    if operator is not None:
        if values is None and value is None and operator not in ("NULL", "NOT_NULL"):
            raise _error(f"Value or AttributeValueList must be used with ComparisonOperator: {operator}", name)
    elif values is not None:
        raise _error("AttributeValueList can only be used with a ComparisonOperator", name)
    elif expected.exists is False and value is not None:
        raise _error("Value cannot be used when Exists is false", name)
    elif expected.exists is not False and value is None:
        exists = "null" if expected.exists is None else "true"
        raise _error(f"Value must be provided when Exists is {exists}", name)


def _error(rule: str, name: str) -> RequestRefused:
    return invalid(f"{INVALID}{rule} for Attribute: {name}")


_ADDED_TYPES = SET_TYPES | {"N", "L"}


class AttributeUpdates(BoundUpdate):
    """Legacy changes. They have their own error message for a value whose type does not match the item."""

    __slots__ = ()

    def apply(self, item: Item) -> dict[str, Any]:
        """Return the item after the update."""
        try:
            return super().apply(item)
        except RequestRefused as error:
            if error.message != INCORRECT_TYPE:
                raise
            raise invalid("Type mismatch for attribute to update") from None


def attribute_updates(request: UpdateItem) -> AttributeUpdates | None:
    """Return the changes of an update, or None if the request has no AttributeUpdates."""
    if not request.attribute_updates:
        return None
    changes = [_change(name, update) for name, update in request.attribute_updates.items()]
    return AttributeUpdates(ItemUpdate(changes), {})


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
