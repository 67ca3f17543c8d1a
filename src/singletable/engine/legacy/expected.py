"""Expected: the condition of a write, by a value that an attribute has, by its absence, or by a ComparisonOperator."""

from __future__ import annotations

from collections.abc import Mapping

from singletable.engine.asked import Check
from singletable.engine.legacy.conditions import INVALID, check_arguments, combined, tree_of
from singletable.errors import RequestRefused, invalid
from singletable.expressions.tree import Condition
from singletable.values.accept import ITEM_TOO_LARGE
from singletable.values.item_size import texts_size, value_size
from singletable.values.limits import ITEM_BYTES_MAX
from singletable.wire.items import ItemWrite
from singletable.wire.shape import ExpectedAttributeValue


def expected_of(request: ItemWrite) -> Check | None:
    """The condition of a write."""
    trees = [_tree(name, expected) for name, expected in (request.expected or {}).items()]
    if trees:
        _refuse_more_than_an_item(request.expected or {})
    condition = combined(trees, request.conditional_operator)
    return None if condition is None else condition.holds


def _tree(name: str, expected: ExpectedAttributeValue) -> Condition:
    _refuse_contradictions(name, expected)
    operator, values = expected.comparison_operator, expected.attribute_value_list
    if operator is None:
        operator = "NULL" if expected.exists is False else "EQ"
    if values is None:
        values = [] if expected.value is None else [expected.value]
    check_arguments(name, operator, values)
    return tree_of(name, operator, values)


def _refuse_more_than_an_item(expected: Mapping[str, ExpectedAttributeValue]) -> None:
    """What is expected is measured as if it were an item; so does DynamoDB Local."""
    size = texts_size(expected)
    for each in expected.values():
        values = each.attribute_value_list or ([] if each.value is None else [each.value])
        size += sum(map(value_size, values))
    if size > ITEM_BYTES_MAX:
        raise invalid(ITEM_TOO_LARGE)


def _refuse_contradictions(name: str, expected: ExpectedAttributeValue) -> None:
    operator, values, value = expected.comparison_operator, expected.attribute_value_list, expected.value
    if operator is not None and expected.exists is not None:
        raise _refused("Exists and ComparisonOperator cannot be used together", name)
    if values is not None and value is not None:
        raise _refused("Value and AttributeValueList cannot be used together", name)
    if operator is not None:
        if values is None and value is None and operator not in ("NULL", "NOT_NULL"):
            raise _refused(f"Value or AttributeValueList must be used with ComparisonOperator: {operator}", name)
    elif values is not None:
        raise _refused("AttributeValueList can only be used with a ComparisonOperator", name)
    elif expected.exists is False and value is not None:
        raise _refused("Value cannot be used when Exists is false", name)
    elif expected.exists is not False and value is None:
        exists = "null" if expected.exists is None else "true"
        raise _refused(f"Value must be provided when Exists is {exists}", name)


def _refused(rule: str, name: str) -> RequestRefused:
    return invalid(f"{INVALID}{rule} for Attribute: {name}")
