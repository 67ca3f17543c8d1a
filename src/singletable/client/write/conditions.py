"""Conditions and changes in terms of what is stored: attribute names, and values in DynamoDB's JSON."""

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
from singletable.planner.stored import stored_value
from singletable.values.attribute_value import AttributeValue


def stored_path(entity: Entity, path: Path) -> Path:
    """A path of fields as a path of attributes."""
    first, *others = path.steps
    return Path((entity.attributes.get(str(first), first), *others))


def stored_condition(entity: Entity, condition: Condition, arguments: Mapping[str, Any]) -> Condition:
    """A condition over fields as one over attributes, with stored values in place of constants and parameters."""

    def stored(leaf: Leaf) -> Leaf:
        if isinstance(leaf, Path):
            return stored_path(entity, leaf)
        value = arguments[leaf.name] if isinstance(leaf, Parameter) else leaf.value
        return Constant(value if isinstance(value, Slot) else stored_value(value))

    return with_leaves(condition, stored)


def attribute_equals(attribute: str, value: AttributeValue | None) -> Condition:
    """The attribute has this value; for None, it is missing."""
    return missing(attribute) if value is None else Compare("=", Path((attribute,)), Constant(value))


def exists(attribute: str) -> Condition:
    """The attribute exists."""
    return Function("attribute_exists", (Path((attribute,)),))


def missing(attribute: str) -> Condition:
    """The attribute does not exist."""
    return Function("attribute_not_exists", (Path((attribute,)),))


def absent(design: Design, entity: Entity, now: Any) -> Condition:
    """The item does not exist, or it has expired and no read returns it any more."""
    none = missing(design.table.partition[0].name)
    expiry = entity.declaration.ttl
    if expiry is None:
        return none
    return Or((none, Compare("<=", Path((entity.attributes[expiry],)), Constant(now))))


def moment(seconds: float) -> AttributeValue:
    """A time as conditions compare it with the time to live."""
    return {"N": f"{seconds:.3f}"}


def all_of(*conditions: Condition | None) -> Condition | None:
    """The conjunction of the conditions that are not None."""
    given = [condition for condition in conditions if condition is not None]
    if len(given) < 2:
        return given[0] if given else None
    return And(tuple(given))


class Slot:
    """Stands for a value in an expression that is printed once; the value is filled in for each request."""

    def __init__(self, number: int) -> None:
        self.number = number


def printed(condition: Condition | None, changes: tuple[Change, ...] = ()) -> dict[str, Any]:
    """The parameters of a request for a condition and changes."""
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
    assert isinstance(value, Constant), "parameters were replaced by their arguments"
    return value.value
