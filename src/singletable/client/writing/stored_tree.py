"""Recorded conditions and changes in the terms of what is stored: names of attributes, values in DynamoDB JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from singletable.expressions.printer import Placeholders, Printer
from singletable.expressions.tree import And, Change, Compare, Condition, Constant, Function, Or, Parameter, Path
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.items import field_value
from singletable.planner.stored import stored_value
from singletable.values.attribute_value import AttributeValue

N = TypeVar("N")


class Stored:
    """Translates trees over an entity's fields, with the caller's arguments in place of parameters."""

    def __init__(self, entity: Entity, arguments: Mapping[str, Any]) -> None:
        self._entity = entity
        self._arguments = arguments

    def condition(self, condition: Condition) -> Condition:
        """A condition on what is stored."""
        return self._tree(condition)

    def change(self, change: Change) -> Change:
        """A change of what is stored; appending is written out."""
        path, value = self._tree(change.path), change.value
        if change.action == "REMOVE" or value is None:
            return Change("REMOVE", path)
        if len(change.path.steps) == 1 and isinstance(value, Constant | Parameter) and change.action == "SET":
            stored = field_value(self._entity, str(change.path.steps[0]), self.plain(value))
            return Change("REMOVE", path) if stored is None else Change("SET", path, Constant(stored))
        if change.action == "APPEND":
            empty = Function("if_not_exists", (path, Constant({"L": []})))
            return Change("SET", path, Function("list_append", (empty, self._tree(value))))
        return Change(change.action, path, self._tree(value))

    def plain(self, value: Constant | Parameter) -> Any:
        """The Python value behind a constant or a parameter."""
        return value.value if isinstance(value, Constant) else self._arguments[value.name]

    def _tree(self, node: N) -> N:
        result: Any = node
        if isinstance(node, Path):
            first, *others = node.steps
            result = Path((self._entity.attributes.get(str(first), first), *others))
        elif isinstance(node, Constant | Parameter):
            result = Constant(stored_value(self.plain(node)))
        elif isinstance(node, tuple):
            result = tuple(self._tree(part) for part in node)
        elif is_dataclass(node) and not isinstance(node, type):
            inner: dict[str, Any] = {each.name: self._tree(getattr(node, each.name)) for each in fields(node)}
            result = replace(node, **inner)
        translated: N = result
        return translated


def attribute_equals(attribute: str, value: AttributeValue | None) -> Condition:
    """That an attribute is as it was read, or is not there."""
    path = Path((attribute,))
    return Function("attribute_not_exists", (path,)) if value is None else Compare("=", path, Constant(value))


def exists(attribute: str) -> Condition:
    """That an attribute is there."""
    return Function("attribute_exists", (Path((attribute,)),))


def missing(attribute: str) -> Condition:
    """That an attribute is not there."""
    return Function("attribute_not_exists", (Path((attribute,)),))


def absent(design: Design, entity: Entity, now: float) -> Condition:
    """That an item is not there, or is one that no read shows any more, since its time has passed."""
    none = missing(design.table.partition[0].name)
    expiry = entity.declaration.ttl
    if expiry is None:
        return none
    moment = Constant({"N": f"{now:.3f}"})
    return Or((none, Compare("<=", Path((entity.attributes[expiry],)), moment)))


def all_of(*conditions: Condition | None) -> Condition | None:
    """All of the conditions that are given."""
    given = [condition for condition in conditions if condition is not None]
    if len(given) < 2:
        return given[0] if given else None
    return And(tuple(given))


def printed(condition: Condition | None, changes: tuple[Change, ...] = ()) -> dict[str, Any]:
    """The parameters of a request that say a condition and changes of what is stored."""
    placeholders = Placeholders()
    printer = Printer(placeholders, lambda name: name, _constant)
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


def _constant(value: Constant | Parameter) -> Any:
    assert isinstance(value, Constant), "parameters were replaced by their arguments"
    return value.value
