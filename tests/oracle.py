"""A table as a plain list of items: a slow, simple implementation of reads, to verify plans against."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from singletable.expressions.tree import And, Compare, Condition, Constant, Function, In, Not, Or, Parameter, Path
from singletable.model.design import Design
from singletable.model.entity import Entity
from singletable.planner.planned_requests import Request

KeyValue = str | bytes | Decimal


@dataclass
class Item:
    """An object with its entity and all its key attributes."""

    entity: Entity
    value: Any
    keys: Mapping[str, KeyValue]


class PlainTable:
    """A table whose reads go through all items."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self.items: dict[tuple[KeyValue, ...], Item] = {}

    def put(self, value: Any) -> None:
        """Store an object, and replace the one with the same key."""
        entity = self.design.entity_of(type(value))
        fields = {name: getattr(value, name) for name in entity.fields}
        keys: dict[str, KeyValue] = {}
        for placement in entity.placements.values():
            keys |= placement.encode(fields) or {}
        self.items[tuple(keys[name] for name in self.design.table.key_attributes)] = Item(entity, value, keys)

    def values(self, entity: Entity) -> list[Any]:
        """Return every stored object of an entity."""
        return [item.value for item in self.items.values() if item.entity is entity]

    def run(self, requests: Iterable[Request], keep: Callable[[Item], bool]) -> list[Any]:
        """Return the items of DynamoDB that the client keeps; several Queries are merged in sort key order."""
        found: list[Item] = []
        backwards = False
        names: tuple[str, ...] = ()
        for request in requests:
            items = self._read(request.operation, request.parameters)
            backwards = request.parameters.get("ScanIndexForward") is False
            names = self._index_keys(request.parameters)[1]
            found += [item for item in items if keep(item)]
        ordered = sorted(found, key=lambda item: _sort_key(item, names), reverse=backwards)
        return [item.value for item in ordered]

    def _read(self, operation: str, parameters: Mapping[str, Any]) -> list[Item]:
        if operation == "GetItem":
            key = tuple(_plain(value) for value in parameters["Key"].values())
            return [self.items[key]] if key in self.items else []
        if operation == "BatchGetItem":
            ((_, requested),) = parameters["RequestItems"].items()
            keys = (tuple(_plain(value) for value in key.values()) for key in requested["Keys"])
            return [self.items[key] for key in keys if key in self.items]
        partition, sort = self._index_keys(parameters)
        tests = _parse(parameters)
        inside = [item for item in self.items.values() if all(name in item.keys for name in (*partition, *sort))]
        matching = [item for item in inside if all(test(item.keys) for test in tests)]
        matching.sort(key=lambda item: _sort_key(item, sort), reverse=parameters.get("ScanIndexForward") is False)
        return matching[: parameters.get("Limit", len(matching))]

    def _index_keys(self, parameters: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        name = parameters.get("IndexName")
        index = next(i for i in self.design.indexes.values() if (i.is_table if name is None else i.name == name))
        return tuple(a.name for a in index.partition), tuple(a.name for a in index.sort)


def _sort_key(item: Item, names: tuple[str, ...]) -> tuple[Any, ...]:
    own = tuple(_bytes(item.keys[name]) for name in names)
    return (*own, tuple(str(value) for value in item.keys.values()))


def _bytes(value: KeyValue) -> Any:
    return value.encode() if isinstance(value, str) else value


def _plain(value: Mapping[str, Any]) -> KeyValue:
    ((kind, inner),) = value.items()
    return Decimal(inner) if kind == "N" else str(inner)


_TEST = re.compile(
    r"begins_with\((?P<prefixed>#n\d+), (?P<prefix>:v\d+)\)"
    r"|(?P<ranged>#n\d+) BETWEEN (?P<low>:v\d+) AND (?P<high>:v\d+)"
    r"|(?P<compared>#n\d+) (?P<operator>=|>=|<=) (?P<value>:v\d+)"
)


def _parse(parameters: Mapping[str, Any]) -> list[Callable[[Mapping[str, KeyValue]], bool]]:
    text = parameters["KeyConditionExpression"]
    names, values = parameters["ExpressionAttributeNames"], parameters["ExpressionAttributeValues"]
    tests: list[Callable[[Mapping[str, KeyValue]], bool]] = []
    rest = text
    while rest:
        match = _TEST.match(rest)
        assert match is not None, f"not a key condition: {text}"
        tests.append(_test(match, names, {name: _plain(value) for name, value in values.items()}))
        rest = rest[match.end() :].removeprefix(" AND ")
    return tests


def _test(
    match: re.Match[str], names: Mapping[str, str], values: Mapping[str, Any]
) -> Callable[[Mapping[str, KeyValue]], bool]:
    if match["prefixed"]:
        name, prefix = names[match["prefixed"]], values[match["prefix"]]
        return lambda keys: str(keys[name]).startswith(prefix)
    if match["ranged"]:
        name, low, high = names[match["ranged"]], _bytes(values[match["low"]]), _bytes(values[match["high"]])
        return lambda keys: low <= _bytes(keys[name]) <= high
    name, value, operator = names[match["compared"]], _bytes(values[match["value"]]), match["operator"]
    if operator == "=":
        return lambda keys: bool(_bytes(keys[name]) == value)
    if operator == ">=":
        return lambda keys: bool(_bytes(keys[name]) >= value)
    return lambda keys: bool(_bytes(keys[name]) <= value)


def passes(condition: Condition | None, value: Any, arguments: Mapping[str, Any]) -> bool:
    """Return whether an object meets a recorded condition."""

    def operand(node: object) -> Any:
        if isinstance(node, Path):
            result = value
            for step in node.steps:
                result = getattr(result, str(step))
            return result
        return (
            node.value if isinstance(node, Constant) else arguments[node.name] if isinstance(node, Parameter) else None
        )

    match condition:
        case None:
            return True
        case And(parts):
            return all(passes(part, value, arguments) for part in parts)
        case Or(parts):
            return any(passes(part, value, arguments) for part in parts)
        case Not(part):
            return not passes(part, value, arguments)
        case In(left, options):
            return operand(left) in [operand(option) for option in options]
        case Function("attribute_exists", (path,)):
            return operand(path) is not None
        case Compare(comparator, left, right):
            ours, theirs = operand(left), operand(right)
            tests = {"=": ours == theirs, "<>": ours != theirs}
            if comparator in tests:
                return bool(tests[comparator])
            return bool(
                {"<": ours < theirs, "<=": ours <= theirs, ">": ours > theirs, ">=": ours >= theirs}[comparator]
            )
        case _:
            raise AssertionError(f"unsupported condition: {condition}")
