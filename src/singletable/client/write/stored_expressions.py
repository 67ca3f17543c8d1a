"""Conditions and changes in stored form: attribute names, and values as DynamoDB JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.expressions.printer import Placeholders, Printer
from singletable.expressions.tree import (
    And,
    Change,
    Compare,
    Condition,
    Constant,
    Function,
    Leaf,
    Or,
    Parameter,
    Path,
    with_leaves,
)
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.stored_items import stored_value
from singletable.values.attribute_value import AttributeValue


def stored_path(entity: Entity, path: Path) -> Path:
    """Return a path of fields as a path of attributes."""
    first, *others = path.steps
    return Path((entity.attributes.get(str(first), first), *others))


def stored_condition(entity: Entity, condition: Condition, arguments: Mapping[str, Any]) -> Condition:
    """Return a condition on fields as a condition on attributes, with stored values for constants and parameters."""

    def stored(leaf: Leaf) -> Leaf:
        if isinstance(leaf, Path):
            return stored_path(entity, leaf)
        value = arguments[leaf.name] if isinstance(leaf, Parameter) else leaf.value
        return Constant(value if isinstance(value, Slot) else stored_value(value, entity.declaration.codecs))

    return with_leaves(condition, stored)


def attribute_equals(attribute: str, value: AttributeValue | None) -> Condition:
    """Return the condition that an attribute has this value, or is missing if the value is None."""
    return missing(attribute) if value is None else Compare("=", Path((attribute,)), Constant(value))


def exists(attribute: str) -> Condition:
    """Return the condition that an attribute exists."""
    return Function("attribute_exists", (Path((attribute,)),))


def missing(attribute: str) -> Condition:
    """Return the condition that an attribute does not exist."""
    return Function("attribute_not_exists", (Path((attribute,)),))


def absent_or_expired(design: Design, entity: Entity, now: Any) -> Condition:
    """Return the condition that the item does not exist or has expired, so that no read returns it."""
    none = missing(design.table.partition[0].name)
    expiry = entity.declaration.ttl
    if expiry is None:
        return none
    return Or((none, Compare("<=", Path((entity.attributes[expiry],)), Constant(now))))


def stored_time(seconds: float) -> AttributeValue:
    """Return a time in the form in which conditions compare it with the time to live."""
    return {"N": f"{seconds:.3f}"}


def all_of(*conditions: Condition | None) -> Condition | None:
    """Return the conjunction of the conditions that are not None."""
    given = [condition for condition in conditions if condition is not None]
    if len(given) < 2:
        return given[0] if given else None
    return And(tuple(given))


class Slot:
    """A placeholder for a value in an expression that is formatted once. Each request fills in its own value."""

    def __init__(self, number: int) -> None:
        self.number = number


def expression_parameters(condition: Condition | None, changes: tuple[Change, ...] = ()) -> dict[str, Any]:
    """Return the request parameters that express a condition and changes."""
    placeholders = Placeholders()
    printer = Printer(placeholders, lambda name: name, _value)
    parameters: dict[str, Any] = {}
    if changes:
        parameters["UpdateExpression"] = printer.update(changes)
    if condition is not None:
        parameters["ConditionExpression"] = printer.condition(condition)
    if placeholders.names:
        parameters["ExpressionAttributeNames"] = placeholders.names
    if placeholders.values:
        parameters["ExpressionAttributeValues"] = placeholders.values
    return parameters


def _value(value: Constant | Parameter) -> Any:
    assert isinstance(value, Constant), "arguments have replaced all parameters"
    return value.value


def same_stored_value(one: Any, other: Any) -> bool:
    """Return whether two stored values are equal, regardless of the order of set members."""
    if one == other or one is None or other is None:
        return bool(one == other)
    ((kind, content),), ((other_kind, other_content),) = one.items(), other.items()
    return kind == other_kind and kind in ("SS", "NS", "BS") and set(content) == set(other_content)
